/* What a prepared access changes, on a machine that is watched for warps that spin (exec/hang/spin.h).
 *
 * A warp that polls goes on for ever as long as nothing changes. So a store counts only if it writes another
 * value than is there, an atomic if it does, and a load if the host may write what it reads. */
#include "exec/access.h"

#include <string.h>

static const uint8_t *place_of(const Access *access, unsigned lane)
{
    if (access->pattern == PATTERN_UNIFORM)
        return access->place[0];
    return access->pattern == PATTERN_CONSECUTIVE ? access->place[0] + (size_t)lane * access->bytes
                                                  : access->place[lane];
}

static bool store_changes(Step *step, const Access *access)
{
    if (!access->values || access->element_bytes > sizeof(uint64_t))
        return true;
    for (unsigned i = 0; i < access->vector; i++)
        for (Mask rest = access->mask; rest; rest &= rest - 1) {
            const unsigned lane = mask_first(rest);
            const uint64_t value = step_value(step, &access->values[i], lane);
            if (memcmp(place_of(access, lane) + i * access->element_bytes, &value, access->element_bytes) !=
                0)
                return true;
        }
    return false;
}

static bool reads_host(const Access *access)
{
    for (Mask rest = access->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        if (access_space(access, lane) == SPACE_GLOBAL && space_is_host(access->address[lane]))
            return true;
    }
    return false;
}

void access_note(Step *step, const Access *access)
{
    bool counts;
    switch ((AccessKind)access->kind) {
    case ACCESS_LOAD:
        counts = reads_host(access);
        break;
    case ACCESS_STORE:
        counts = store_changes(step, access);
        break;
    case ACCESS_ATOMIC:
        counts = atomic_changes(step, access) || reads_host(access);
        break;
    case ACCESS_SYNC: /* of mbarrier instructions their handler knows */
        counts = step->insn->action != ACTION_MBARRIER;
        break;
    default:
        counts = access->kind == ACCESS_COPY;
        break;
    }
    step->warp->block->launch->machine->changes += counts;
    const Space space = access_space(access, mask_first(access->mask));
    if (space != SPACE_GLOBAL && space != SPACE_SHARED)
        return;
    step->warp->polled_pc = step->group->pc;
    step->warp->polled_space = (uint8_t)space;
    step->warp->polled_address = access->address[mask_first(access->mask)];
}
