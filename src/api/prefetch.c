/* Managed memory as the program puts it: prefetches in streams, and advice (mem/homes.h).
 *
 * A prefetch moves blocks while it is in its stream: they are nowhere from its start to its end, and kernels
 * that use them wait. It takes the time of a copy (api/link_copy.h) of all that has to move, from where most
 * of that is. A GPU alone has managed memory in one place, and nothing is done. */
#include "api/gpu.h"

#include <inttypes.h>

static bool is_managed(const WbGpu *gpu, uint64_t address, uint64_t size)
{
    const Allocation *found = size ? space_find_any(&gpu->space, address, size) : NULL;
    return found && found->memory == MEMORY_MANAGED;
}

static bool is_place(const WbGpu *gpu, int place)
{
    return place == HOME_HOST ||
           (place >= 0 && (uint32_t)place < gpu->system->gpus.count && gpu->system->gpus.items[place]);
}

static WbStatus check(const WbGpu *gpu, const char *call, uint64_t address, uint64_t size, int place,
                      Error *error)
{
    if (!is_managed(gpu, address, size))
        return error_set(error, WB_ERROR_ARGUMENT,
                         "%s was given %" PRIu64 " bytes at 0x%" PRIx64 ", which are not in one allocation "
                         "of managed memory.",
                         call, size, address);
    if (!is_place(gpu, place))
        return error_set(error, WB_ERROR_ARGUMENT, "%s was given GPU %d, which there is not.", call, place);
    return WB_OK;
}

/* What L2s have of the block is old. */
static void forget_lines(const System *system, const HomeState *before, uint64_t base, uint64_t bytes)
{
    FOR_GPUS(gpu, system) {
        const bool had = before->home == (int32_t)gpu->index || before->copies >> gpu->index & 1;
        for (uint32_t i = 0; had && gpu->cycle && i < gpu->cycle->partition_count; i++)
            partition_forget(gpu->cycle->partitions[i], base, bytes);
    }
}

static void count_move(Homes *homes, int32_t from, int32_t to, bool leaves, uint64_t bytes)
{
    if (from >= 0 && leaves) {
        homes->counters[from].blocks_out++;
        homes->counters[from].bytes_out += bytes;
    }
    if (to >= 0) {
        homes->counters[to].blocks_in++;
        homes->counters[to].bytes_in += bytes;
    }
}

/* The block leaves for the place, or is copied there; false: it is there, or on its way somewhere. */
static bool begin_block(System *system, HomeBlock *block, const Prefetch *prefetch, uint64_t base,
                        uint64_t bytes)
{
    const int32_t to = prefetch->to;
    const uint32_t bit = to >= 0 ? (uint32_t)1 << to : 0;
    const HomeState now = block->after;
    const bool copies = block->is_read_mostly && to >= 0;
    if (system->now < block->since || (now.home == to && !now.copies) || (copies && now.home == to) ||
        now.copies & bit)
        return false;
    HomeState after = {.home = to};
    if (copies)
        after = (HomeState){.home = now.home, .copies = now.copies | bit, .mapped = now.mapped};
    homes_change(block, after, system->now, CYCLE_NEVER, copies);
    block->mover = prefetch;
    block->moves = 0;
    if (!copies)
        forget_lines(system, &now, base, bytes);
    count_move(&system->spaces.homes, now.home, to, !copies, bytes);
    return true;
}

uint64_t prefetch_begin(WbGpu *gpu, Prefetch *prefetch)
{
    System *system = gpu->system;
    uint64_t bytes_from[SPACE_MOST + 1] = {0}, all = 0, base, bytes;
    for (uint64_t at = prefetch->address; at < prefetch->address + prefetch->size; at = base + bytes) {
        HomeBlock *block = homes_block(&system->spaces.homes, at, &base, &bytes);
        if (!block)
            break;
        const int32_t from = block->after.home;
        if (!begin_block(system, block, prefetch, base, bytes))
            continue;
        bytes_from[from + 1] += from == prefetch->to ? 0 : bytes; /* copies that are given up cost nothing */
        all += from == prefetch->to ? 0 : bytes;
    }
    for (int32_t i = HOME_HOST, most = i; i < SPACE_MOST; i++)
        if (bytes_from[i + 1] > bytes_from[most + 1] || i == HOME_HOST)
            prefetch->from = most = i;
    prefetch->bytes = all;
    return all;
}

void prefetch_end(WbGpu *gpu, const Prefetch *prefetch)
{
    System *system = gpu->system;
    uint64_t base, bytes;
    for (uint64_t at = prefetch->address; at < prefetch->address + prefetch->size; at = base + bytes) {
        HomeBlock *block = homes_block(&system->spaces.homes, at, &base, &bytes);
        if (!block)
            break;
        if (block->mover != prefetch)
            continue;
        block->since = system->now;
        block->mover = NULL;
    }
    if (system->pager)
        pager_look_again(system->pager, system->now);
}

WbStatus wb_stream_prefetch(WbGpu *gpu, WbStream *stream, uint64_t address, size_t size, int place)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (stream_check(gpu, stream, error) || check(gpu, "wb_stream_prefetch", address, size, place, error))
        return gpu_end(gpu, error->status);
    if (!gpu->space.group)
        return WB_OK;
    Operation *operation = timeline_put(gpu, stream, OPERATION_PREFETCH);
    operation->prefetch = (Prefetch){.address = address, .size = size, .to = place};
    timeline_release(gpu, operation);
    return WB_OK;
}

WbStatus wb_memory_advise(WbGpu *gpu, uint64_t address, size_t size, WbAdvice advice, int place, bool is_set)
{
    static const HomeAdvice known[] = {[WB_ADVICE_READ_MOSTLY] = ADVICE_READ_MOSTLY,
                                       [WB_ADVICE_PREFERRED] = ADVICE_PREFERRED,
                                       [WB_ADVICE_ACCESSED_BY] = ADVICE_ACCESSED_BY};
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (advice > WB_ADVICE_ACCESSED_BY)
        return gpu_end(gpu, error_set(error, WB_ERROR_ARGUMENT, "wb_memory_advise knows no advice %d.",
                                      (int)advice));
    if (check(gpu, "wb_memory_advise", address, size, place, error))
        return gpu_end(gpu, error->status);
    if (gpu->space.group)
        homes_advise(&gpu->system->spaces.homes, address, size, known[advice], place, is_set,
                     gpu->system->now);
    return WB_OK;
}
