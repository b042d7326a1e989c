/* mov: the simplest rows, and the pattern of all others: one expression for a lane, made into a loop over 32
 * by the macros of define.h. */
#include "isa/define.h"

#include "isa/move.def"

void lane_mov_pred(LaneFrame *frame)
{
    frame->p = *(const uint32_t *)frame->src[0];
}
