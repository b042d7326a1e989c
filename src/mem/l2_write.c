/* The unit of an L2 slice that writes: what stores and atomics do to the bytes of a line, and how long it
 * takes for them. */
#include <string.h>

#include "mem/l2.h"

enum { ALL_SECTORS = (1 << LINE_SECTORS) - 1 };

static uint32_t written_bytes(const Request *request, unsigned sector)
{
    return (uint32_t)(request->written[sector / 2] >> (sector % 2 * SECTOR_BYTES));
}

uint8_t l2_partial_sectors(const Request *request)
{
    if (request->sectors == ALL_SECTORS && (request->written[0] & request->written[1]) == UINT64_MAX)
        return 0;
    uint8_t partial = 0;
    for (unsigned sector = 0; sector < LINE_SECTORS; sector++)
        if (request->sectors >> sector & 1 && written_bytes(request, sector) != UINT32_MAX)
            partial |= (uint8_t)(1 << sector);
    return partial;
}

static void store_sector(uint8_t *place, const uint8_t *data, uint32_t written)
{
    if (written == UINT32_MAX) {
        memcpy(place, data, SECTOR_BYTES);
        return;
    }
    for (; written; written &= written - 1) {
        const unsigned byte = (unsigned)__builtin_ctz(written);
        place[byte] = data[byte];
    }
}

void l2_store_bytes(const Request *request, uint8_t *line)
{
    for (uint8_t left = request->sectors; left; left &= (uint8_t)(left - 1)) {
        const unsigned sector = (unsigned)__builtin_ctz(left), offset = sector * SECTOR_BYTES;
        store_sector(line + offset, request->data + offset, written_bytes(request, sector));
    }
}

/* Lanes at the address that most of them have. */
static uint64_t most_at_one(const AtomicWork *work)
{
    uint8_t lanes[LINE_BYTES] = {0};
    uint64_t most = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        const uint8_t here = ++lanes[work->lanes[i].offset];
        most = here > most ? here : most;
    }
    return most;
}

/* A pass serves one lane of each address. Sums whose old values nobody wants need one, and so do sums to a
 * single address, which warps gather before. */
static bool is_combined(const AtomicWork *work, bool is_one_address)
{
    return !work->returns || (work->combines && (is_one_address || work->is_float));
}

static uint64_t atomic_time(const GpuConfig *config, const AtomicWork *work, bool again)
{
    uint64_t addresses[2] = {0}; /* a bit for each byte of the line at which an element begins */
    unsigned sectors = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        const unsigned offset = work->lanes[i].offset;
        addresses[offset / 64] |= 1ull << (offset % 64);
        sectors |= 1u << offset / SECTOR_BYTES;
    }
    const uint64_t touched = count_sectors((uint8_t)sectors);
    const uint64_t distinct =
        (uint64_t)__builtin_popcountll(addresses[0]) + (uint64_t)__builtin_popcountll(addresses[1]);
    const bool combined = is_combined(work, distinct == 1);
    const uint64_t pass = combined ? work->is_float * config->l2_atomic_float : config->l2_atomic_same;
    const uint64_t sector =
        again && config->l2_atomic_again ? config->l2_atomic_again : config->l2_atomic_sector;
    const uint64_t time = config->l2_atomic_request + (most_at_one(work) - 1) * pass +
                          (touched - 1) * sector +
                          ((combined ? distinct : work->count) - touched) * config->l2_atomic_word;
    return work->compares && distinct > 1 ? time * config->l2_atomic_compare / 100 : time;
}

uint64_t l2_writing_time(const GpuConfig *config, const Request *request, bool again)
{
    if (request->kind == REQUEST_ATOMIC)
        return atomic_time(config, request->atomic, again);
    const uint64_t sectors = count_sectors(request->sectors);
    const uint64_t first =
        again && config->l2_store_again ? config->l2_store_again : config->l2_store_request;
    return first + (sectors - 1) * config->l2_store_sector;
}

uint64_t l2_unit_free(const L2Slice *slice, const Request *request)
{
    if (request->kind != REQUEST_LOAD)
        return slice->writer_free / 100;
    if (!slice->wrote_atomic || request->line != slice->written_line)
        return 0;
    return (slice->writer_free + slice->config->l2_atomic_load) / 100;
}

uint64_t l2_occupy_writer(L2Slice *slice, const Request *request, uint64_t tick)
{
    /* Atomics gain by either of the last two lines, stores by the last. */
    const bool is_last = request->line == slice->written_line,
               is_before = request->kind == REQUEST_ATOMIC && request->line == slice->written_before;
    const uint64_t time = l2_writing_time(slice->config, request, is_last || is_before);
    const uint64_t start = clock_later(tick * 100, slice->writer_free);
    slice->writer_free = start + time;
    slice->written_before = is_last ? slice->written_before : slice->written_line;
    slice->written_line = request->line;
    slice->wrote_atomic = request->kind == REQUEST_ATOMIC;
    slice->statistics.writer_busy += time;
    return (slice->writer_free + 99) / 100;
}
