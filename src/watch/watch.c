/* Turns a prepared access into ranges of global memory, a range for each run of neighbouring lanes. It looks
 * at addresses only, so both modes see the same accesses. */
#include "watch/watch.h"

#include "exec/texture/texture.h"

_Static_assert(WATCHED_RANGES >= MAX_WIDTH * TEXTURE_TEXELS, "a range for every texel");

/* Adds bytes; where they follow or repeat the last ones, these grow. */
static void add_range(WatchedAccess *to, WatchedRange *ranges, uint64_t address, uint64_t bytes)
{
    WatchedRange *last = to->count ? &ranges[to->count - 1] : NULL;
    if (last && address == last->address + last->bytes)
        last->bytes += bytes;
    else if (!last || address < last->address || address + bytes > last->address + last->bytes)
        ranges[to->count++] = (WatchedRange){address, bytes};
}

static void add_lanes(WatchedAccess *to, WatchedRange *ranges, const Access *access)
{
    for (Mask rest = access->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        /* A generic access may lead elsewhere in some lanes; shared and local memory are a block's own. */
        if (access_space(access, lane) == SPACE_GLOBAL)
            add_range(to, ranges, access->address[lane], access->bytes);
    }
}

static void add_texels(WatchedAccess *to, WatchedRange *ranges, TextureFetch *fetch)
{
    const TextureLane *lanes = fetch_lanes(fetch);
    for (uint32_t row = 0; row < fetch->texels; row++) {
        const TextureTexel *texels = fetch_texels(fetch, row);
        for (uint32_t lane = 0; lane < fetch->width; lane++)
            if (lanes[lane].object && texels[lane].address)
                add_range(to, ranges, texels[lane].address, lanes[lane].object->element_bytes);
    }
}

WatchedAccess watch_look(const Step *step, const Access *access, WatchedRange *ranges)
{
    const Block *block = step->warp->block;
    WatchedAccess seen = {.program = block->launch->program,
                          .insn = step->insn,
                          .grid = block->launch->watch_grid,
                          .block = block->linear,
                          .touch = TOUCH_READ,
                          .ranges = ranges};
    switch ((AccessKind)access->kind) {
    case ACCESS_STORE:
        seen.touch = TOUCH_WRITE;
        add_lanes(&seen, ranges, access);
        break;
    case ACCESS_ATOMIC:
        seen.touch = TOUCH_ATOMIC;
        add_lanes(&seen, ranges, access);
        break;
    case ACCESS_LOAD:
    case ACCESS_COPY:
        add_lanes(&seen, ranges, access);
        break;
    case ACCESS_TEXTURE:
        add_texels(&seen, ranges, access->fetch);
        break;
    default:
        break;
    }
    return seen;
}

int watch_carry_out(Step *step, Access *access, SecondPhase *perform)
{
    Watch *watch = step->warp->block->launch->watch;
    /* Told before it is performed; a kernel that nobody watches passes by. */
    if (watch) {
        WatchedRange ranges[WATCHED_RANGES];
        const WatchedAccess seen = watch_look(step, access, ranges);
        if (seen.count)
            watch->access(watch, &seen);
    }
    if (perform)
        perform(step, access);
    return STEP_NEXT;
}
