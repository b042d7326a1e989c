/* wb_wave_yield(): the wavefront of a task leaves its SM until the aggregator restarts it [channels §6].
 *
 * What it wants room for it has told the aggregator's program through the channel of yields. The word that it
 * sends here tells the unit whose wait a restart is to end. */
#include <string.h>

#include "grid/unit/aggregator.h"

StepResult intrinsic_wave_yield(IntrinsicCall *call)
{
    Warp *warp = call->step->warp;
    const Block *block = warp->block;
    const unsigned lane = mask_first(call->step->mask);
    uint32_t wave;
    memcpy(&wave, intrinsic_argument(call, 0, lane), sizeof wave);
    if (!block->launch->flow)
        return step_error(call->step, WB_ERROR_EXECUTION, lane,
                          "wb_wave_yield is for wavefronts that an aggregator restarts; this kernel is no "
                          "node of a flow graph");
    if (wave != block->task.wave)
        return step_error(call->step, WB_ERROR_EXECUTION, lane,
                          "wavefront %u calls wb_wave_yield for wavefront %u; it can yield for itself alone",
                          block->task.wave, wave);
    OuterUnit *unit = unit_of(call, &unit_aggregator);
    if (!unit)
        return STEP_ERROR;
    block_wait_begin(warp, WAITS_FOR_CHANNEL_ROOM, BLOCK_LEAVES);
    unit_post(unit, call, (UnitWord){.kind = AGGREGATOR_WORD_YIELDS, .warp = warp, .values = {wave}});
    return STEP_NEXT;
}
