/* Device memory is touched at once, in the order of copies' ends, between windows.
 *
 * Fills and copies within the device are done by SMs. Which SM does which line is not known; half of the
 * lines whose home is in one half of L2 are done by SMs of the other, which has a copy of them then. Which
 * ones is drawn by their addresses. (On an H200 three of four lines are near to an SM after a fill, two of
 * four after a copy from the host: memset and host_to_device of tests/device/caches/h200-copies.csv.)
 *
 * Whatever is written loses its copies in the other half of L2. If L2 keeps what copies bring
 * (l2_keeps_copies), each line is touched in its slice. A machine is made at the first launch, and copies
 * come before: they are noted and done then. Only the last bytes of a long copy can be found in L2 later, so
 * that the rest is left out. */
#include "api/cache_touch.h"

#include <string.h>

#include "api/gpu.h"

enum { MOST_NOTED = 4096 };

/* Whose memory it is. */
static WbGpu *owner_of(WbGpu *gpu, uint64_t address)
{
    const System *system = gpu->system;
    const int32_t owner = system->gpus.count > 1 ? space_owner(&gpu->space, address) : (int32_t)HOME_HOST;
    return owner != HOME_HOST ? system->gpus.items[owner] : gpu;
}

static Partition *partition_at(const CycleMachine *machine, const Interleave *interleave, uint32_t slice)
{
    return machine->partitions[interleave_channel(interleave, slice)];
}

static void keep_line(const CycleMachine *machine, const Interleave *interleave, SlicePlace place,
                      L2Touch touch)
{
    SlicePlace gone = {place.slice ^ 1, 0};
    if (partition_touch(partition_at(machine, interleave, place.slice), place, touch, &gone.local))
        partition_drop(partition_at(machine, interleave, gone.slice), gone);
}

static void keep_copy(const CycleMachine *machine, const Interleave *interleave, SlicePlace home,
                      const uint8_t *bytes)
{
    const SlicePlace place = {home.slice ^ 1, home.local};
    SlicePlace gone = {home.slice, 0};
    if (partition_touch_copy(partition_at(machine, interleave, place.slice), place, bytes, &gone.local))
        partition_drop(partition_at(machine, interleave, gone.slice), gone);
}

/* The line's bytes if an SM of the half that is not its home's has touched it; else null. */
static const uint8_t *copied_bytes(const WbGpu *gpu, const GpuConfig *config, uint64_t line,
                                   CacheTouchKind kind)
{
    const bool by_sm = kind == CACHE_TOUCH_DEVICE_READ || kind == CACHE_TOUCH_DEVICE_WRITE;
    if (!by_sm || config->l2_halves < 2 || (line / LINE_BYTES * 0x9E3779B97F4A7C15u) >> 63)
        return NULL;
    const Allocation *allocation = space_find_any(&gpu->space, line, LINE_BYTES);
    const bool stays = allocation && allocation->memory == MEMORY_DEVICE;
    return stays ? allocation->host + (line - allocation->base) : NULL;
}

static void drop_opposite(const CycleMachine *machine, const Interleave *interleave, SlicePlace place)
{
    place.slice ^= 1;
    partition_drop(partition_at(machine, interleave, place.slice), place);
}

static void touch_machine(const WbGpu *gpu, CacheTouch touch)
{
    const CycleMachine *machine = gpu->cycle;
    const GpuConfig *config = &machine->config;
    const bool writes = touch.kind == CACHE_TOUCH_FROM_HOST || touch.kind == CACHE_TOUCH_DEVICE_WRITE;
    const bool keeps = config->l2_keeps_copies, drops = writes && config->l2_halves > 1;
    L2Touch kept = {.writes = writes,
                    .goes_first = touch.kind == CACHE_TOUCH_FROM_HOST || touch.kind == CACHE_TOUCH_TO_HOST};
    const uint64_t end = touch.address + touch.size, most = 2 * config->l2_bytes;
    const uint64_t last = (touch.size > most ? end - most : touch.address) / LINE_BYTES * LINE_BYTES;
    Interleave interleave;
    interleave_init(&interleave, config, gpu->index);
    uint64_t line = drops ? touch.address / LINE_BYTES * LINE_BYTES : last;
    for (; (keeps || drops) && line < end; line += LINE_BYTES) {
        const SlicePlace place = interleave_locate(&interleave, line);
        if (drops)
            drop_opposite(machine, &interleave, place);
        if (!keeps || line < last)
            continue;
        const uint8_t *bytes = copied_bytes(gpu, config, line, touch.kind);
        kept.is_copied = bytes != NULL;
        keep_line(machine, &interleave, place, kept);
        if (bytes)
            keep_copy(machine, &interleave, place, bytes);
    }
}

static void note(CacheTouches *touches, CacheTouch touch)
{
    CacheTouch *last = touches->count ? &touches->items[touches->count - 1] : NULL;
    if (last && last->kind == touch.kind && last->address + last->size == touch.address) {
        last->size += touch.size;
        return;
    }
    if (touches->count == MOST_NOTED) {
        touches->count /= 2;
        memmove(touches->items, touches->items + touches->count, touches->count * sizeof *touches->items);
    }
    VEC_PUSH(touches, touch);
}

void cache_touch(WbGpu *gpu, uint64_t address, uint64_t size, CacheTouchKind kind)
{
    const CacheTouch touch = {address, size, kind};
    gpu = owner_of(gpu, address);
    if (!gpu || space_is_host(address))
        return;
    if (gpu->cycle)
        touch_machine(gpu, touch);
    else if (gpu->config.l2_keeps_copies)
        note(&gpu->touches, touch);
}

void cache_touch_replay(WbGpu *gpu)
{
    for (uint32_t i = 0; i < gpu->touches.count; i++)
        touch_machine(gpu, gpu->touches.items[i]);
    gpu->touches.count = 0;
}
