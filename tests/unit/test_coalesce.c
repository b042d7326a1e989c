/* Coalescing and bank conflicts against simple counts, with random addresses. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "sm/lsu/unit.h"

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % below);
}

static uint8_t memory[1 << 16];
enum { MEMORY_BASE = 0x200000 };

static Operand values[1];
static AccessLanes access_lanes;

/* Lanes at base + offsets[lane]; those that do not execute repeat the first that does, as exec/ has it. */
static void set_lanes(Access *access, unsigned width, Mask mask, uint32_t bytes, const uint64_t *offsets)
{
    memset(access, 0, sizeof *access);
    access_set_lanes(access, &access_lanes);
    access->kind = ACCESS_LOAD;
    access->space = SPACE_GLOBAL;
    access->bytes = access->alignment = bytes;
    access->mask = mask;
    access->values = values;
    access->pattern = PATTERN_ANY;
    for (unsigned lane = 0; lane < width; lane++) {
        const uint64_t offset = offsets[mask >> lane & 1 ? lane : mask_first(mask)];
        access->address[lane] = MEMORY_BASE + offset;
        access->place[lane] = memory + offset;
    }
}

/* What every line must say, worked out lane by lane. */
static void check_lines(const Access *access, unsigned width, const AccessLine *lines, uint32_t count)
{
    Mask seen = 0;
    unsigned lowest_before = 0;
    for (uint32_t i = 0; i < count; i++) {
        Mask lanes = 0;
        uint8_t sectors = 0;
        for (unsigned lane = 0; lane < width; lane++) {
            const uint64_t address = access->address[lane];
            if (!(access->mask >> lane & 1) || address / 128 * 128 != lines[i].line)
                continue;
            lanes |= (Mask)1 << lane;
            for (uint32_t b = 0; b < access->bytes; b++)
                sectors |= (uint8_t)(1u << (address + b) % 128 / 32);
        }
        assert_true(lines[i].lanes == lanes && lanes);
        assert_int_equal(lines[i].sectors, sectors);
        assert_ptr_equal(lines[i].place, memory + (lines[i].line - MEMORY_BASE));
        assert_true(!(seen & lanes));
        assert_true(i == 0 || mask_first(lanes) > lowest_before);
        lowest_before = mask_first(lanes);
        seen |= lanes;
    }
    assert_true(seen == access->mask);
}

static void test_random_lanes(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 4, 8, 16, 32}, spans[] = {64, 256, 2048, 32768};
    random_state = 1;
    for (unsigned round = 0; round < 4000; round++) {
        const unsigned width = round & 1 ? 64 : 32;
        const uint32_t bytes = sizes[draw(6)], span = spans[draw(4)];
        Mask mask = ((Mask)draw(1u << 31) << 33 ^ (Mask)draw(1u << 31) << 2 ^ draw(8)) & mask_of_width(width);
        if (!mask)
            mask = 1;
        uint64_t offsets[MAX_WIDTH];
        for (unsigned lane = 0; lane < width; lane++)
            offsets[lane] = draw(span / bytes) * (uint64_t)bytes;
        Access access;
        AccessLine lines[MAX_WIDTH];
        set_lanes(&access, width, mask, bytes, offsets);
        check_lines(&access, width, lines, coalesce_global(&access, width, lines));
    }
}

static void test_patterns(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 4, 8, 16, 32};
    random_state = 2;
    for (unsigned round = 0; round < 2000; round++) {
        const unsigned width = round & 1 ? 64 : 32;
        const uint32_t bytes = sizes[draw(6)];
        const bool uniform = draw(2);
        const uint64_t start = draw(4096 / bytes) * (uint64_t)bytes;
        uint64_t offsets[MAX_WIDTH];
        for (unsigned lane = 0; lane < width; lane++)
            offsets[lane] = start + (uniform ? 0 : lane * bytes);
        Access access;
        AccessLine lines[MAX_WIDTH];
        set_lanes(&access, width, mask_of_width(width), bytes, offsets);
        access.pattern = uniform ? PATTERN_UNIFORM : PATTERN_CONSECUTIVE;
        memset(access.place + 1, 0xEE, (MAX_WIDTH - 1) * sizeof *access.place);
        check_lines(&access, width, lines, coalesce_global(&access, width, lines));
    }
}

/* Word w of lane l of a warp lies at base + (w * width + l) * 4. */
static void check_local(const Access *access, unsigned width, uint64_t base)
{
    static AccessLine lines[MAX_LINES];
    static uint8_t wanted[1 << 14], found[1 << 14]; /* sectors of the line, by its number */
    memset(wanted, 0, sizeof wanted);
    memset(found, 0, sizeof found);
    const uint32_t words = access->bytes < 4 ? 1 : access->bytes / 4;
    for (unsigned lane = 0; lane < width; lane++)
        for (uint32_t word = 0; (access->mask >> lane & 1) && word < words; word++) {
            const uint64_t at = ((access->address[lane] / 4 + word) * width + lane) * 4;
            wanted[at / 128] |= (uint8_t)(1u << at % 128 / 32);
        }
    const uint32_t count = coalesce_local(access, width, base, lines);
    for (uint32_t i = 0; i < count; i++)
        found[(lines[i].line - base) / 128] |= lines[i].sectors;
    assert_memory_equal(wanted, found, sizeof wanted);
}

static void test_local(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 4, 8, 16, 32};
    random_state = 3;
    for (unsigned round = 0; round < 1000; round++) {
        const unsigned width = round & 1 ? 64 : 32;
        const uint32_t bytes = sizes[draw(6)];
        const bool even = draw(2);
        uint64_t offsets[MAX_WIDTH];
        for (unsigned lane = 0; lane < width; lane++)
            offsets[lane] = even && lane ? offsets[0] : draw(512 / bytes) * (uint64_t)bytes;
        Access access;
        set_lanes(&access, width, mask_of_width(width) & ~(Mask)draw(1u << 30), bytes, offsets);
        for (unsigned lane = 0; lane < width; lane++)
            access.address[lane] -= MEMORY_BASE;
        check_local(&access, width, (uint64_t)1 << 63 | 0x10000);
    }
}

/* Distinct words of the busiest bank, or lanes if serial, summed over the groups of lanes. */
static BankPasses count_banks(const GpuConfig *config, const Access *access, unsigned width, bool serial)
{
    const uint32_t banks = (uint32_t)config->shared_banks, bank_bytes = (uint32_t)config->shared_bank_bytes;
    uint32_t at_once = banks * bank_bytes / (access->bytes > bank_bytes ? access->bytes : bank_bytes);
    at_once = at_once < width ? at_once : width;
    BankPasses result = {0};
    for (uint32_t group = 0; group < width; group += at_once) {
        uint32_t most = 0;
        for (uint32_t bank = 0; bank < banks; bank++) {
            uint32_t wanted[MAX_WIDTH * 8], count = 0;
            for (uint32_t lane = group; lane < group + at_once; lane++)
                for (uint32_t b = 0; (access->mask >> lane & 1) && b < access->bytes; b += bank_bytes) {
                    const uint32_t word = (uint32_t)((access->address[lane] + b) / bank_bytes);
                    bool is_new = word % banks == bank;
                    for (uint32_t i = 0; i < count && !serial; i++)
                        is_new &= wanted[i] != word;
                    if (is_new)
                        wanted[count++] = word;
                }
            most = count > most ? count : most;
        }
        result.passes += most;
        result.least += most != 0;
    }
    return result;
}

static void test_random_banks(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 4, 8, 16};
    GpuConfig config;
    knob_defaults(&config_knobs, &config);
    random_state = 4;
    for (unsigned round = 0; round < 4000; round++) {
        const unsigned width = round & 1 ? 64 : 32;
        const uint32_t bytes = sizes[draw(5)], stride = draw(40), span = 1 + draw(2000);
        const bool serial = draw(2), strided = draw(2);
        config.shared_bank_bytes = draw(4) ? 4 : 8;
        uint64_t offsets[MAX_WIDTH];
        for (unsigned lane = 0; lane < width; lane++)
            offsets[lane] = (strided ? lane * stride : draw(span)) * (uint64_t)bytes;
        Access access;
        set_lanes(&access, width, mask_of_width(width) & ~(Mask)(draw(2) ? draw(1u << 30) : 0), bytes,
                  offsets);
        access.space = SPACE_SHARED;
        const BankPasses expected = count_banks(&config, &access, width, serial);
        const BankPasses found = shared_banks_passes(&config, &access, width, serial);
        assert_int_equal(found.passes, expected.passes);
        assert_int_equal(found.least, expected.least);
    }
}

static uint32_t passes_of(uint32_t bytes, uint32_t stride, AccessPattern pattern, bool serial)
{
    GpuConfig config;
    knob_defaults(&config_knobs, &config);
    uint64_t offsets[MAX_WIDTH];
    for (unsigned lane = 0; lane < 32; lane++)
        offsets[lane] = (uint64_t)lane * stride;
    Access access;
    set_lanes(&access, 32, UINT32_MAX, bytes, offsets);
    access.pattern = (uint8_t)pattern;
    return shared_banks_passes(&config, &access, 32, serial).passes;
}

static void test_known_banks(void **state)
{
    (void)state;
    assert_int_equal(passes_of(4, 4, PATTERN_CONSECUTIVE, false), 1);
    assert_int_equal(passes_of(4, 0, PATTERN_UNIFORM, false), 1);
    assert_int_equal(passes_of(8, 8, PATTERN_CONSECUTIVE, false), 2);
    assert_int_equal(passes_of(16, 16, PATTERN_CONSECUTIVE, false), 4);
    assert_int_equal(passes_of(4, 8, PATTERN_ANY, false), 2);
    assert_int_equal(passes_of(4, 128, PATTERN_ANY, false), 32);
    assert_int_equal(passes_of(4, 132, PATTERN_ANY, false), 1);
    assert_int_equal(passes_of(4, 0, PATTERN_UNIFORM, true), 32);
    assert_int_equal(passes_of(4, 4, PATTERN_CONSECUTIVE, true), 1);
}

/* Lanes [0, 32) load `bytes` each, groups of `sharing` neighbours the same ones. */
static uint32_t merged_passes_of(uint32_t bytes, uint32_t sharing, uint32_t stride, AccessKind kind)
{
    GpuConfig config;
    knob_defaults(&config_knobs, &config);
    config.shared_merges = true;
    uint64_t offsets[MAX_WIDTH];
    for (unsigned lane = 0; lane < 32; lane++)
        offsets[lane] = (uint64_t)(lane / sharing) * stride;
    Access access;
    set_lanes(&access, 32, UINT32_MAX, bytes, offsets);
    access.kind = kind;
    access.pattern = PATTERN_ANY;
    return shared_banks_passes(&config, &access, 32, false).passes;
}

static void test_merged_lanes(void **state)
{
    (void)state;
    assert_int_equal(merged_passes_of(16, 1, 16, ACCESS_LOAD), 4);
    assert_int_equal(merged_passes_of(16, 2, 16, ACCESS_LOAD), 2);
    assert_int_equal(merged_passes_of(16, 32, 16, ACCESS_LOAD), 2); /* 8 bytes of a lane in a pass */
    assert_int_equal(merged_passes_of(8, 1, 8, ACCESS_LOAD), 2);
    assert_int_equal(merged_passes_of(8, 32, 8, ACCESS_LOAD), 1);
    assert_int_equal(merged_passes_of(16, 4, 128, ACCESS_LOAD), 8); /* eight lanes in the same banks */
    assert_int_equal(merged_passes_of(16, 2, 16, ACCESS_STORE), 4);
    assert_int_equal(merged_passes_of(4, 2, 4, ACCESS_LOAD), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_lanes), cmocka_unit_test(test_patterns),    cmocka_unit_test(test_local),
        cmocka_unit_test(test_random_banks), cmocka_unit_test(test_known_banks),
        cmocka_unit_test(test_merged_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
