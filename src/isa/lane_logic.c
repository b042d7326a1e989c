/* Bitwise logic and shifts, and logic of predicates: those come and go as one word, a bit a lane. */
#include "isa/define.h"

#include "isa/logic.def"

static uint32_t predicate(const LaneFrame *frame, unsigned k) { return *(const uint32_t *)frame->src[k]; }

void lane_and_pred(LaneFrame *frame) { frame->p = predicate(frame, 0) & predicate(frame, 1); }
void lane_or_pred(LaneFrame *frame) { frame->p = predicate(frame, 0) | predicate(frame, 1); }
void lane_xor_pred(LaneFrame *frame) { frame->p = predicate(frame, 0) ^ predicate(frame, 1); }
void lane_not_pred(LaneFrame *frame) { frame->p = ~predicate(frame, 0); }
