/* Device memory is touched at once, in the order of copies' ends, between windows.
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
    const L2Touch kept = {writes, touch.kind == CACHE_TOUCH_FROM_HOST || touch.kind == CACHE_TOUCH_TO_HOST};
    const uint64_t end = touch.address + touch.size, most = 2 * config->l2_bytes;
    const uint64_t last = (touch.size > most ? end - most : touch.address) / LINE_BYTES * LINE_BYTES;
    Interleave interleave;
    interleave_init(&interleave, config, gpu->index);
    uint64_t line = drops ? touch.address / LINE_BYTES * LINE_BYTES : last;
    for (; (keeps || drops) && line < end; line += LINE_BYTES) {
        const SlicePlace place = interleave_locate(&interleave, line);
        if (keeps && line >= last)
            keep_line(machine, &interleave, place, kept);
        if (drops)
            drop_opposite(machine, &interleave, place);
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
