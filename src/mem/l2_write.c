/* The unit of an L2 slice that writes: what stores and atomics do to the bytes of a line, and how long it
 * takes for them. */
#include <string.h>

#include "mem/l2.h"

static uint32_t written_bytes(const Request *request, unsigned sector)
{
    return (uint32_t)(request->written[sector / 2] >> (sector % 2 * SECTOR_BYTES));
}

uint8_t l2_partial_sectors(const Request *request)
{
    return request->sectors & (uint8_t)~whole_sectors(request->written);
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

/* What an atomic asks of a sector. */
typedef struct SectorWork {
    uint32_t bytes; /* that its lanes have: bit b for byte b */
    uint64_t most;  /* lanes at the address that most of them have */
} SectorWork;

/* Returns how many addresses there are. */
static unsigned divide_work(const AtomicWork *work, SectorWork sectors[LINE_SECTORS])
{
    uint8_t lanes[LINE_BYTES] = {0};
    unsigned addresses = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        const unsigned offset = work->lanes[i].offset;
        SectorWork *sector = &sectors[offset / SECTOR_BYTES];
        const uint8_t here = ++lanes[offset];
        addresses += here == 1;
        sector->most = here > sector->most ? here : sector->most;
        sector->bytes |= (uint32_t)((1ull << work->element_bytes) - 1) << (offset % SECTOR_BYTES);
    }
    return addresses;
}

/* A pass serves one lane of each address of a sector. Integers that go to a single address warps add up
 * before. Without l2_atomic_lanes one pass is enough, too, if nobody wants old values, and for float sums. */
static bool is_combined(const GpuConfig *config, const AtomicWork *work, bool is_one_address)
{
    const bool is_sum = !work->returns || work->combines;
    if (config->l2_atomic_lanes)
        return is_one_address && !work->is_float && is_sum;
    return !work->returns || (work->combines && (is_one_address || work->is_float));
}

static uint64_t atomic_time(const GpuConfig *config, const AtomicWork *work)
{
    SectorWork sectors[LINE_SECTORS] = {{0}};
    const unsigned addresses = divide_work(work, sectors);
    const bool combined = is_combined(config, work, addresses == 1);
    const bool compares = work->compares && addresses > 1;
    uint64_t time = 0, passes = 0;
    for (unsigned i = 0; i < LINE_SECTORS; i++) {
        if (!sectors[i].most)
            continue;
        const uint64_t further = combined ? 0 : sectors[i].most - 1;
        passes = config->l2_atomic_lanes ? passes + further : further > passes ? further : passes;
        time += time ? config->l2_atomic_sector : config->l2_atomic_request;
        time -= sectors[i].bytes == UINT32_MAX && !compares ? config->l2_atomic_whole : 0;
    }
    time += passes * config->l2_atomic_same;
    return compares ? time * config->l2_atomic_compare / 100 : time;
}

uint64_t l2_writing_time(const GpuConfig *config, const Request *request, bool again)
{
    if (request->kind == REQUEST_ATOMIC)
        return atomic_time(config, request->atomic) + (again ? 0 : config->l2_atomic_line);
    const uint64_t sectors = count_sectors(request->sectors);
    const uint64_t whole = sectors - count_sectors(l2_partial_sectors(request));
    return config->l2_store_request + (sectors - 1) * config->l2_store_sector -
           whole * config->l2_store_whole;
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
    const uint64_t time = l2_writing_time(slice->config, request, request->line == slice->written_line);
    const uint64_t start = clock_later(tick * 100, slice->writer_free);
    slice->writer_free = start + time;
    slice->written_line = request->line;
    slice->wrote_atomic = request->kind == REQUEST_ATOMIC;
    slice->statistics.writer_busy += time;
    return (slice->writer_free + 99) / 100;
}

Cycle l2_pass_back(L2Slice *slice, const Request *request, Cycle now)
{
    if (!slice->config->l2_atomic_back || request->kind != REQUEST_ATOMIC || !request->atomic->returns)
        return now;
    const uint64_t time = count_sectors(request->sectors) * slice->config->l2_atomic_back;
    slice->writer_free = clock_later(clock_tick(slice->clock, now) * 100, slice->writer_free) + time;
    slice->statistics.writer_busy += time;
    return clock_cycle(slice->clock, (slice->writer_free + 99) / 100);
}

void l2_occupy_port(L2Slice *slice, const Request *request, Cycle now)
{
    if (request->kind == REQUEST_LOAD || !slice->config->l2_port_flit)
        return;
    const uint64_t flits = crossbar_flits(slice->shared->crossbar, TO_SLICE, request);
    const bool waited = l2_port_free(slice) >= now; /* no part of a cycle is lost then */
    const uint64_t start = waited ? slice->port_free : clock_tick(slice->clock, now) * 100;
    slice->port_free = start + flits * slice->config->l2_port_flit;
}
