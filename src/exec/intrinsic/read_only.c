/* wb_read_only(): a kernel says that a part of its shared memory repeats global memory, for the bytes that
 * the analysis of its code does not find (ptx/flow_copies.h). */
#include "exec/intrinsic.h"

#include <inttypes.h>
#include <string.h>

#include "exec/shared_copies.h"

static StepResult hint_lane(IntrinsicCall *call, unsigned lane)
{
    Block *block = call->step->warp->block;
    const Launch *launch = block->launch;
    uint64_t shared, global;
    uint32_t bytes;
    memcpy(&shared, intrinsic_argument(call, 0, lane), sizeof shared);
    memcpy(&bytes, intrinsic_argument(call, 1, lane), sizeof bytes);
    memcpy(&global, intrinsic_argument(call, 2, lane), sizeof global);
    const uint64_t offset = shared - access_window_base(SPACE_SHARED);
    if (access_window(shared) != SPACE_SHARED || offset > launch->shared_bytes ||
        bytes > launch->shared_bytes - offset)
        return step_error(call->step, WB_ERROR_ADDRESS, lane,
                          "wb_read_only was given %u bytes at 0x%" PRIx64
                          ", which are not in the block's %u bytes of shared memory",
                          bytes, shared, launch->shared_bytes);
    char description[512];
    if (bytes && !space_find(launch->space, global, bytes))
        return step_error(call->step, WB_ERROR_ADDRESS, lane,
                          "wb_read_only was given %u bytes of global memory at 0x%" PRIx64
                          ", which are not there: the address is %s",
                          bytes, global,
                          space_describe(launch->space, global, description, sizeof description));
    if (bytes && launch->takes_hints)
        shared_copies_hint(block, (uint32_t)offset, bytes, global);
    return STEP_NEXT;
}

StepResult intrinsic_read_only(IntrinsicCall *call) { return intrinsic_each_lane(call, hint_lane); }
