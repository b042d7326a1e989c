/* What a call of the device runtime writes where a thread's pointer says.
 *
 * Functional mode writes it at once. A timing model keeps it until word of the answer is back at the warp;
 * then it is stores of that warp as any others are, in front of all that the warp does next. A piece is
 * aligned to its size, which is that of an element that an instruction could store. */
#ifndef EXEC_ANSWER_H
#define EXEC_ANSWER_H

#include "base/vec.h"
#include "exec/step.h"

typedef struct AnswerPiece {
    uint64_t address; /* generic */
    uint64_t value;
    uint8_t lane;
    uint8_t bytes;    /* 1, 2, 4 or 8 */
} AnswerPiece;

/* Of one warp, lane by lane in ascending order. */
typedef struct AnswerList { VEC(AnswerPiece) pieces; } AnswerList;

/* Writes, or keeps what is to be written (machine->answers); false where the thread may not write it all. */
bool answer_put(const Warp *warp, unsigned lane, uint64_t address, const void *from, size_t size);
/* Stores what was kept of the step's warp, and forgets it. STEP_ERROR: it may not be written any more. */
StepResult answer_store(Step *step, AnswerList *answers);

#endif
