/* The first phase of an access that has to be looked at lane by lane: lanes in several spaces or allocations,
 * strays, and all that is refused, with the sentence that says why. */
#include "exec/access.h"

#include <inttypes.h>
#include <stdio.h>

static const char *verb(const Access *access)
{
    switch (access->kind) {
    case ACCESS_LOAD:
    case ACCESS_COPY:
        return "load from";
    case ACCESS_STORE:
        return "store to";
    case ACCESS_ATOMIC:
        return "atomic at";
    case ACCESS_SYNC:
        return "mbarrier at";
    default:
        return "cache hint for";
    }
}

/* Says why a lane may not access `address`, an address of `space`. */
static StepResult refuse(Step *step, const Access *access, unsigned lane, Space space, uint64_t address,
                         const AccessRange *range)
{
    static const char *const owners[] = {
        [SPACE_SHARED] = "shared", [SPACE_LOCAL] = "local", [SPACE_PARAM] = "parameter"};
    char reason[512], nearest[384];
    const bool is_window = space == SPACE_SHARED || space == SPACE_LOCAL || space == SPACE_PARAM;
    if (address & (access->alignment - 1u))
        snprintf(reason, sizeof reason, "misaligned; the address must be a multiple of %u",
                 access->alignment);
    else if (is_window && range->read_only && access_writes(access))
        snprintf(reason, sizeof reason, "kernel parameters are read-only");
    else if (is_window)
        snprintf(reason, sizeof reason, "outside of the %s memory, which has %" PRIu64 " bytes",
                 owners[space], range->size);
    else if (space == SPACE_REG)
        snprintf(reason, sizeof reason, "this is the address of a function, which no access may touch");
    else
        snprintf(reason, sizeof reason, "%s",
                 space_describe(step->warp->block->launch->space, address, nearest, sizeof nearest));
    return step_error(step, WB_ERROR_ADDRESS, lane, "%u-byte %s %s%s0x%" PRIx64 ": %s", access->bytes,
                      verb(access), is_window ? owners[space] : "", is_window ? " address " : "", address,
                      reason);
}

/* Where a lane's access takes effect; null with the sentence: it may not do it. `strays`: it is outside of
 * every allocation, but may. */
static uint8_t *find_place(Step *step, const Access *access, unsigned lane, Space space, uint64_t address,
                           bool *strays)
{
    const AccessRange range = access_range(step, access, space, address);
    const bool is_aligned = !(address & (access->alignment - 1u));
    const bool is_inside = range.host && range.size >= access->bytes &&
                           address - range.base <= range.size - access->bytes;
    if (is_inside && is_aligned && !(range.read_only && access_writes(access)))
        return range.host + (address - range.base) + lane * range.stride;
    uint8_t *place = NULL;
    if (!is_inside && is_aligned && (space == SPACE_GLOBAL || space == SPACE_CONST))
        place = space_reach_page(step->warp->block->launch->space, address, access->bytes,
                                 access_writes(access));
    *strays = place != NULL;
    if (!place)
        refuse(step, access, lane, space, address, &range);
    return place;
}

StepResult access_prepare_apart(Step *step, Access *access)
{
    const Mask mask = access->mask;
    const unsigned first = mask_first(mask);
    bool differ = false;
    Mask strays = 0;
    access_read_addresses(step, access);
    for (Mask rest = mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        uint64_t address = access->address[lane];
        Space space = (Space)access->space;
        if (access_is_generic(access, address)) {
            space = access_window(address);
            address -= access_window_base(space);
        }
        bool does_stray = false;
        access->place[lane] = find_place(step, access, lane, space, address, &does_stray);
        if (!access->place[lane])
            return STEP_ERROR;
        strays |= (Mask)does_stray << lane;
        access->address[lane] = address;
        access->lane_space[lane] = (uint8_t)space;
        differ |= access->lane_space[lane] != access->lane_space[first];
    }
    for (unsigned lane = 0; lane < step->warp->width; lane++) {
        if (mask >> lane & 1)
            continue;
        access->address[lane] = access->address[first];
        access->place[lane] = access->place[first];
        access->lane_space[lane] = access->lane_space[first];
    }
    access->pattern = PATTERN_ANY;
    access->space = differ ? SPACE_GENERIC : access->lane_space[first];
    if (strays)
        stray_note(step, access, mask_first(strays), access->address[mask_first(strays)], verb(access));
    return STEP_NEXT;
}
