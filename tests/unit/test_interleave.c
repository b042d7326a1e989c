/* Interleaving: one-to-one both ways, even for any stride, and DRAM places that do not collide. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "mem/interleave.h"
#include "mem/request.h"

static const uint64_t slice_counts[] = {1, 2, 8, 12, 24, 64, 80, 96, 104, 1000};
enum { SLICE_COUNTS = sizeof slice_counts / sizeof *slice_counts };

static GpuConfig make_config(uint64_t slices, uint64_t channels)
{
    GpuConfig config;
    knob_defaults(&config_knobs, &config);
    config.l2_slices = slices;
    config.dram_channels = channels;
    return config;
}

static Interleave make_interleave(uint64_t slices, uint64_t channels)
{
    const GpuConfig config = make_config(slices, channels);
    Interleave interleave;
    interleave_init(&interleave, &config, 0);
    return interleave;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void test_addresses_come_back(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252u;
    for (unsigned i = 0; i < SLICE_COUNTS; i++) {
        const Interleave interleave = make_interleave(slice_counts[i], 1);
        for (unsigned n = 0; n < 100000; n++) {
            const uint64_t random = next_random(&seed);
            const uint64_t address = (random >> 15 & ((1ull << 49) - 1)) | (random & 1) << 63;
            const SlicePlace place = interleave_locate(&interleave, address);
            assert_in_range(place.slice, 0, slice_counts[i] - 1);
            assert_int_equal(interleave_slice(&interleave, address), place.slice);
            assert_int_equal(interleave_address(&interleave, place), address);
        }
    }
}

static void test_places_come_back(void **state)
{
    (void)state;
    uint64_t seed = 0x2545F4914F6CDD1Du;
    for (unsigned i = 0; i < SLICE_COUNTS; i++) {
        const Interleave interleave = make_interleave(slice_counts[i], 1);
        for (unsigned n = 0; n < 20000; n++) {
            const SlicePlace place = {(uint32_t)(next_random(&seed) % slice_counts[i]),
                                      next_random(&seed) >> 26};
            const SlicePlace again = interleave_locate(&interleave, interleave_address(&interleave, place));
            assert_int_equal(again.slice, place.slice);
            assert_int_equal(again.local, place.local);
        }
    }
}

/* Of 1 KiB the first and third quarter are in one slice, beside each other there, the second and fourth in the
 * next. */
static void test_halves_alternate(void **state)
{
    (void)state;
    GpuConfig config = make_config(94, 94);
    config.l2_halves = 2;
    config.interleave_bytes = 512;
    config.interleave_halves_alternate = true;
    Interleave interleave;
    interleave_init(&interleave, &config, 0);
    for (uint64_t part = 0; part < 1 << 20; part += 1024) {
        SlicePlace places[4];
        for (unsigned i = 0; i < 4; i++) {
            places[i] = interleave_locate(&interleave, part + i * 256);
            assert_int_equal(interleave_address(&interleave, places[i]), part + i * 256);
        }
        assert_int_equal(places[0].slice, places[2].slice);
        assert_int_equal(places[1].slice, places[3].slice);
        assert_int_not_equal(places[0].slice, places[1].slice);
        assert_int_equal(places[0].local + 256, places[2].local);
        assert_int_equal(places[1].local + 256, places[3].local);
    }
}

static Interleave make_parities(uint64_t slices)
{
    GpuConfig config = make_config(slices, slices);
    config.l2_halves = 2;
    config.interleave_parities = true;
    Interleave interleave;
    interleave_init(&interleave, &config, 0);
    return interleave;
}

/* The slice of each piece of 256 bytes is the one that an H200 chose; slices have other names there. */
static void test_parities_are_an_h200s(void **state)
{
    (void)state;
    const Interleave interleave = make_parities(94);
    FILE *file = fopen(SOURCE_DIRECTORY "/tests/device/caches/h200-map.csv", "r");
    assert_non_null(file);
    int piece, pair, half, pieces = 0, pair_of[47], slice_of[47];
    memset(pair_of, -1, sizeof pair_of);
    memset(slice_of, -1, sizeof slice_of);
    assert_int_equal(fscanf(file, "%*[^\n]"), 0);
    while (fscanf(file, "%d,%d,%d", &piece, &pair, &half) == 3) {
        const uint32_t slice = interleave_slice(&interleave, (uint64_t)piece * 256 + 200);
        assert_in_range(pair, 0, 46);
        assert_int_equal(piece, pieces++);
        assert_int_equal(slice % 2, half);
        if (pair_of[slice / 2] < 0 && slice_of[pair] < 0)
            pair_of[slice / 2] = pair, slice_of[pair] = (int)(slice / 2);
        assert_int_equal(pair_of[slice / 2], pair);
        assert_int_equal(slice_of[pair], slice / 2);
    }
    fclose(file);
    assert_int_equal(pieces, 16384);
}

static void test_parities_come_back(void **state)
{
    (void)state;
    uint64_t seed = 0xD1B54A32D192ED03u;
    const uint64_t counts[] = {24, 80, 94, 96};
    for (unsigned i = 0; i < 4; i++) {
        const Interleave interleave = make_parities(counts[i]);
        for (unsigned n = 0; n < 100000; n++) {
            const uint64_t random = next_random(&seed);
            const uint64_t address = (random >> 15 & ((1ull << 49) - 1)) | (random & 1) << 63;
            const SlicePlace place = interleave_locate(&interleave, address);
            assert_in_range(place.slice, 0, counts[i] - 1);
            assert_int_equal(interleave_address(&interleave, place), address);
            const SlicePlace other = {(uint32_t)(random % counts[i]), random >> 26};
            const SlicePlace again = interleave_locate(&interleave, interleave_address(&interleave, other));
            assert_int_equal(again.slice, other.slice);
            assert_int_equal(again.local, other.local);
        }
    }
}

static void test_line_stays_in_one_slice(void **state)
{
    (void)state;
    const Interleave interleave = make_interleave(96, 96);
    for (uint64_t line = 0x200000000u; line < 0x200000000u + (1 << 20); line += LINE_BYTES) {
        const SlicePlace first = interleave_locate(&interleave, line);
        const SlicePlace last = interleave_locate(&interleave, line + LINE_BYTES - 1);
        assert_int_equal(first.slice, last.slice);
        assert_int_equal(first.local + LINE_BYTES - 1, last.local);
    }
}

/* A round of consecutive granules uses every slice once. */
static void test_consecutive_is_perfect(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SLICE_COUNTS; i++) {
        const Interleave interleave = make_interleave(slice_counts[i], 1);
        for (uint64_t round = 1000; round < 1100; round++) {
            uint8_t seen[1024] = {0};
            for (uint64_t n = 0; n < slice_counts[i]; n++)
                seen[interleave_slice(&interleave, (round * slice_counts[i] + n) * 256)]++;
            for (uint64_t n = 0; n < slice_counts[i]; n++)
                assert_int_equal(seen[n], 1);
        }
    }
}

/* The fullest slice's share of the accesses over an even one, in percent. */
static unsigned imbalance(const Interleave *interleave, uint64_t stride)
{
    enum { EACH = 256 };
    uint32_t counts[1024] = {0}, most = 0;
    for (uint64_t n = 0; n < (uint64_t)EACH * interleave->slices; n++)
        counts[interleave_slice(interleave, 0x200000000u + n * stride)]++;
    for (uint32_t i = 0; i < interleave->slices; i++)
        most = counts[i] > most ? counts[i] : most;
    return most * 100 / EACH;
}

static void test_strides_are_even(void **state)
{
    (void)state;
    const uint64_t counts[] = {12, 24, 80, 96};
    for (unsigned i = 0; i < 4; i++) {
        const Interleave interleave = make_interleave(counts[i], counts[i]);
        for (uint64_t stride = 128; stride <= 1 << 20; stride *= 2) {
            assert_in_range(imbalance(&interleave, stride), 100, 130);
            assert_in_range(imbalance(&interleave, stride * 3), 100, 130);
            assert_in_range(imbalance(&interleave, stride + 128), 100, 130);
            assert_in_range(imbalance(&interleave, stride * counts[i]), 100, 130);
        }
    }
}

/* Without the hash, a stride of a round stays in one slice: what the hash is for. */
static void test_hash_can_be_switched_off(void **state)
{
    (void)state;
    GpuConfig config = make_config(12, 6);
    config.interleave_hash = false;
    Interleave interleave;
    interleave_init(&interleave, &config, 0);
    assert_int_equal(imbalance(&interleave, 12 * 256), 1200);
    assert_int_equal(interleave_slice(&interleave, 5 * 256), 5);
    assert_int_equal(interleave_dram(&interleave, 7ull << 20).bank, 0);
}

/* Slices of a channel lie beside each other, and their lines do not meet. */
static void test_channel_is_shared(void **state)
{
    (void)state;
    const Interleave interleave = make_interleave(24, 6);
    enum { LINES = 4096 };
    uint8_t *seen = xcalloc(LINES, 1);
    for (uint32_t slice = 8; slice < 12; slice++) {
        assert_int_equal(interleave_channel(&interleave, slice), 2);
        for (uint64_t line = 0; line < LINES / 4; line++) {
            const SlicePlace place = {slice, line * LINE_BYTES};
            const uint64_t local = interleave_channel_local(&interleave, place);
            assert_int_equal(local % LINE_BYTES, 0);
            assert_in_range(local / LINE_BYTES, 0, LINES - 1);
            assert_int_equal(seen[local / LINE_BYTES]++, 0);
        }
    }
    xfree(seen);
}

/* Every line of the first rows has a place of its own, and a line does not leave its row. */
static void test_dram_places_are_unique(void **state)
{
    (void)state;
    const GpuConfig config = make_config(1, 1);
    const Interleave interleave = make_interleave(1, 1);
    const uint64_t banks = config.dram_bank_groups * config.dram_banks_per_group;
    const uint64_t lines_of_row = config.dram_row_bytes / LINE_BYTES;
    enum { ROWS = 64 };
    const uint64_t lines = ROWS * banks * lines_of_row;
    uint8_t *seen = xcalloc(lines, 1);
    for (uint64_t line = 0; line < lines; line++) {
        const DramPlace place = interleave_dram(&interleave, line * LINE_BYTES);
        assert_in_range(place.bank, 0, banks - 1);
        assert_int_equal(place.group, place.bank / config.dram_banks_per_group);
        assert_in_range(place.row, 0, ROWS - 1);
        assert_int_equal(place.column % LINE_BYTES, 0);
        const uint64_t index = (place.row * banks + place.bank) * lines_of_row + place.column / LINE_BYTES;
        assert_in_range(index, 0, lines - 1);
        assert_int_equal(seen[index]++, 0);
        const DramPlace last = interleave_dram(&interleave, line * LINE_BYTES + LINE_BYTES - 1);
        assert_true(last.bank == place.bank && last.row == place.row);
        assert_int_equal(last.column, place.column + LINE_BYTES - 1);
    }
    xfree(seen);
}

/* Strides of powers of two within a channel use every bank equally. */
static void test_banks_are_even(void **state)
{
    (void)state;
    const Interleave interleave = make_interleave(1, 1);
    for (uint64_t stride = 4096; stride <= 16 << 20; stride *= 2) {
        uint32_t counts[64] = {0};
        for (uint64_t n = 0; n < 1024; n++)
            counts[interleave_dram(&interleave, n * stride).bank]++;
        for (unsigned bank = 0; bank < 16; bank++)
            assert_in_range(counts[bank], 48, 83);
    }
}

static void test_consecutive_stripes_change_group(void **state)
{
    (void)state;
    const Interleave interleave = make_interleave(1, 1);
    for (uint64_t stripe = 0; stripe < 4096; stripe += 4) {
        unsigned groups = 0;
        for (uint64_t n = 0; n < 4; n++)
            groups |= 1u << interleave_dram(&interleave, (stripe + n) * 256).group;
        assert_int_equal(groups, 15);
    }
}

static void expect_error(const GpuConfig *config, const char *part)
{
    Error error = {0};
    assert_int_equal(interleave_check(config, &error), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, part));
}

static void test_check(void **state)
{
    (void)state;
    Error error = {0};
    const GpuConfig good = make_config(96, 24);
    assert_int_equal(interleave_check(&good, &error), WB_OK);
    GpuConfig config = make_config(96, 36);
    expect_error(&config, "l2_slices is 96 and dram_channels 36");
    config = good;
    assert_int_equal(knob_set(&config_knobs, &config, "interleave_bytes", "384", "", &error),
                     WB_ERROR_ARGUMENT);
    assert_int_equal(config.interleave_bytes, good.interleave_bytes);
    config.dram_bank_groups = 16;
    config.dram_banks_per_group = 8;
    expect_error(&config, "128");
    config = good;
    config.dram_row_bytes = 128;
    expect_error(&config, "dram_group_bytes");
    config = good;
    config.interleave_parities = true;
    expect_error(&config, "interleave_parities");
    config.l2_halves = 2;
    assert_int_equal(interleave_check(&config, &error), WB_OK);
    config.l2_slices = config.dram_channels = 22;
    expect_error(&config, "interleave_parities");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses_come_back),
        cmocka_unit_test(test_places_come_back),
        cmocka_unit_test(test_halves_alternate),
        cmocka_unit_test(test_parities_are_an_h200s),
        cmocka_unit_test(test_parities_come_back),
        cmocka_unit_test(test_line_stays_in_one_slice),
        cmocka_unit_test(test_consecutive_is_perfect),
        cmocka_unit_test(test_strides_are_even),
        cmocka_unit_test(test_hash_can_be_switched_off),
        cmocka_unit_test(test_channel_is_shared),
        cmocka_unit_test(test_dram_places_are_unique),
        cmocka_unit_test(test_banks_are_even),
        cmocka_unit_test(test_consecutive_stripes_change_group),
        cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
