/* Shared memory: data moves when the instruction issues; its banks take their time.
 *
 * In one pass every bank serves one word, to all lanes that want it. An access wider than a bank's word is
 * done for as many lanes at a time as the banks have room for: two halves of a warp for 8 bytes, four
 * quarters for 16. The passes of such a group are as many as the most wanted bank has different words. With
 * `shared_merges` lanes that load the same bytes count as one before groups are made, but a pass brings no
 * more than 8 bytes of a lane. Machine code may load neighbouring words at once (native/vector.c): every
 * second word then needs a pass of its own only if more than half of the lanes differ. */
#include "sm/lsu/unit.h"

enum { MAX_BANKS = 64 };

/* The words that a group of lanes wants of each bank. Invariant: words[0..counts[b])[b] differ, unless
 * serial. */
typedef struct BankLoad {
    uint32_t most;
    uint8_t counts[MAX_BANKS];
    uint32_t words[MAX_WIDTH][MAX_BANKS];
} BankLoad;

static void want_word(BankLoad *load, uint32_t bank, uint32_t word, bool serial)
{
    const uint32_t count = load->counts[bank];
    for (uint32_t i = 0; i < count && !serial; i++)
        if (load->words[i][bank] == word)
            return;
    load->words[count][bank] = word;
    load->counts[bank] = (uint8_t)(count + 1);
    load->most = count + 1 > load->most ? count + 1 : load->most;
}

static uint32_t group_passes(const GpuConfig *config, const Access *access, Mask lanes, bool serial)
{
    const uint32_t banks = (uint32_t)config->shared_banks, bank_bytes = (uint32_t)config->shared_bank_bytes;
    BankLoad load;
    load.most = 0;
    for (uint32_t bank = 0; bank < banks; bank++)
        load.counts[bank] = 0;
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t address = (uint32_t)access->address[mask_first(lanes)];
        for (uint32_t word = address / bank_bytes; word <= (address + access->bytes - 1) / bank_bytes; word++)
            want_word(&load, word % banks, word, serial);
    }
    return load.most;
}

/* Whether no two of `count` lanes want different words of one bank: every bank keeps the last word that a
 * lane wanted, and then all must find theirs. Lanes that do not execute repeat one that does, which may
 * only make this say no. Banks and their words must be powers of two. */
static inline __attribute__((always_inline)) bool agree(const uint64_t *address, uint32_t count,
                                                        uint32_t words, unsigned shift, uint32_t banks)
{
    uint32_t last[MAX_BANKS], differ = 0;
    for (uint32_t lane = 0; lane < count; lane++)
        for (uint32_t i = 0; i < words; i++) {
            const uint32_t word = (uint32_t)(address[lane] >> shift) + i;
            last[word & (banks - 1)] = word;
        }
    for (uint32_t lane = 0; lane < count; lane++)
        for (uint32_t i = 0; i < words; i++) {
            const uint32_t word = (uint32_t)(address[lane] >> shift) + i;
            differ |= last[word & (banks - 1)] ^ word;
        }
    return !differ;
}

/* Whether the words of 32 lanes lie within as many words as there are banks: then different words are in
 * different banks. Most tiles are read so, and unlike agree() this is vector code. */
static bool lie_close(const uint64_t *address)
{
    uint32_t lowest = UINT32_MAX, highest = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint32_t word = (uint32_t)(address[lane] >> 2);
        lowest = word < lowest ? word : lowest;
        highest = word > highest ? word : highest;
    }
    return highest - lowest < 32;
}

/* The same as agree() with the usual numbers known. */
static bool lanes_agree(const GpuConfig *config, const Access *access, uint32_t first, uint32_t count)
{
    const uint32_t banks = (uint32_t)config->shared_banks;
    const unsigned shift = (unsigned)__builtin_ctzll(config->shared_bank_bytes);
    const uint64_t *address = access->address + first;
    if (banks == 32 && shift == 2 && count == 32)
        return lie_close(address) || agree(address, 32, 1, 2, 32);
    return agree(address, count, ((access->bytes - 1) >> shift) + 1, shift, banks);
}

static bool is_power_of_two(uint64_t value) { return !(value & (value - 1)); }

/* Lanes whose bytes together fill all banks once. */
static uint32_t lanes_at_once(const GpuConfig *config, const Access *access, unsigned width)
{
    const uint64_t row = config->shared_banks * config->shared_bank_bytes;
    const uint64_t bytes =
        access->bytes > config->shared_bank_bytes ? access->bytes : config->shared_bank_bytes;
    const uint64_t lanes = row / bytes ? row / bytes : 1;
    return lanes < width ? (uint32_t)lanes : width;
}

/* The lanes that load bytes which no lane before them loads; only the first `most` of them are looked for. */
static Mask different_lanes(const Access *access, uint32_t most)
{
    Mask found = 0;
    uint32_t count = 0;
    for (Mask lanes = access->mask; lanes && count < most; lanes &= lanes - 1) {
        const unsigned lane = mask_first(lanes);
        Mask others = found;
        while (others && access->address[mask_first(others)] != access->address[lane])
            others &= others - 1;
        if (!others) {
            found |= (Mask)1 << lane;
            count++;
        }
    }
    return found;
}

/* Passes of a wide load whose equal lanes are served together: groups are made of different lanes. */
static BankPasses merged_passes(const GpuConfig *config, const Access *access, uint32_t at_once)
{
    BankPasses result = {0, 0};
    for (Mask lanes = different_lanes(access, MAX_WIDTH); lanes;) {
        Mask group = 0;
        for (uint32_t i = 0; i < at_once && lanes; i++, lanes &= lanes - 1)
            group |= lanes & (~lanes + 1);
        result.least++;
        result.passes += group_passes(config, access, group, false);
    }
    const uint32_t fewest = (uint32_t)(access->bytes / (2 * config->shared_bank_bytes));
    result.least = result.least > fewest ? result.least : fewest;
    result.passes = result.passes > fewest ? result.passes : fewest;
    return result;
}

/* Whether the load is part of a wider one whose pass brings its words, too. */
static bool comes_along(const Handover *handover)
{
    const GpuConfig *config = handover->lsu->config;
    const uint32_t room = (uint32_t)config->shared_banks / 2;
    return config->shared_merges && handover->step->issue->insn->comes_along &&
           (uint32_t)__builtin_popcountll(different_lanes(handover->access, room + 1)) <= room;
}

BankPasses shared_banks_passes(const GpuConfig *config, const Access *access, unsigned width, bool serial)
{
    const uint32_t lanes = lanes_at_once(config, access, width);
    const bool even =
        !serial && (access->pattern == PATTERN_CONSECUTIVE || access->pattern == PATTERN_UNIFORM);
    const bool quick =
        !serial && is_power_of_two(config->shared_banks) && is_power_of_two(config->shared_bank_bytes);
    if (config->shared_merges && access->kind == ACCESS_LOAD && lanes < width)
        return merged_passes(config, access, lanes);
    BankPasses result = {0, 0};
    for (uint32_t first = 0; first < width; first += lanes) {
        const Mask group = access->mask & mask_of_width(64) >> (64 - lanes) << first;
        if (!group)
            continue;
        result.least++;
        const bool one = even || (quick && lanes_agree(config, access, first, lanes));
        result.passes += one ? 1 : group_passes(config, access, group, serial);
    }
    return result;
}

void lsu_carry_shared(const Handover *handover)
{
    Lsu *lsu = handover->lsu;
    const Access *access = handover->access;
    const bool returns = access->kind == ACCESS_ATOMIC && atomic_returns(handover->step);
    const BankPasses banks = shared_banks_passes(lsu->config, access, lsu->width, returns);
    LsuOp *op = lsu_new_record(handover, OP_PASSES);
    op->passes = banks.passes;
    if (comes_along(handover))
        op->least_cycles = op->passes = 0;
    lsu->statistics.shared_accesses++;
    lsu->statistics.shared_passes += op->passes;
    lsu->statistics.shared_conflicts += banks.passes - banks.least;
    if (access->kind == ACCESS_LOAD || returns)
        lsu_announce(handover, op, WAIT_SHARED);
    handover_perform(handover);
    lsu_enqueue(lsu, op);
}
