/* mov: the simplest rows. */
#include "isa/define.h"

#include "isa/move.def"

void lane_mov_pred(LaneFrame *frame)
{
    frame->p = *(const uint32_t *)frame->src[0];
}
