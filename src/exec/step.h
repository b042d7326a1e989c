/* One instruction of one group: the door through which handlers see operands.
 *
 * A handler is called with the lanes that execute (active and guard true) and does what its row says
 * for them. It does not touch the program counter: the engine advances it, except for control rows. */
#ifndef EXEC_STEP_H
#define EXEC_STEP_H

#include "exec/warp.h"

typedef struct Step {
    Warp *warp;
    Group *group;
    Frame *frame;
    const Insn *insn;
    Mask mask;       /* lanes that execute */
    struct Issue *issue; /* of a timing model: its own notes on this instruction, which its hooks read and
                            write (sm/sm.h); null in functional mode */
    /* Lanes of operands that are not in registers are made here. */
    uint64_t scratch[4][MAX_WIDTH];
} Step;

typedef enum StepResult {
    STEP_NEXT,       /* done; go on with the next instruction */
    STEP_JUMPED,     /* done; the group's (or warp's) program counters are set */
    STEP_WAIT,       /* the group waits; its state says for what; pc unchanged or already advanced */
    STEP_ERROR       /* launch->error holds the sentence */
} StepResult;

typedef StepResult StepFn(Step *step);
extern StepFn *const step_handlers[ACTION_COUNT]; /* null for ACTION_LANE */

/* The k-th PTX operand's first entry, and its number of entries (more than 1 for vectors). */
static inline const Operand *step_operand(const Step *step, unsigned k)
{
    return &step->insn->op[step->insn->begin[k]];
}
static inline unsigned step_operand_count(const Step *step, unsigned k)
{
    return (unsigned)(step->insn->begin[k + 1] - step->insn->begin[k]);
}

/* All lanes of a source of 4 (or 8) bytes a lane; `scratch` (0..3) is used if it is not a register.
 * The pointer is valid until that scratch row is used again. */
const uint32_t *step_read32(Step *step, const Operand *operand, unsigned scratch);
const uint64_t *step_read64(Step *step, const Operand *operand, unsigned scratch);
/* One lane of any source, zero-extended from its register's size; predicates give 0 or 1. */
uint64_t step_value(Step *step, const Operand *operand, unsigned lane);
/* The executing lanes for which an operand has the value it has for the lowest of them. */
Mask step_same_lanes(Step *step, const Operand *operand);
Mask step_predicate(const Step *step, const Operand *operand);

/* Where a destination register's lanes are; writing is masked by the caller. Null for _. */
uint32_t *step_dest32(Step *step, const Operand *operand);
uint64_t *step_dest64(Step *step, const Operand *operand);
/* Writes one lane; `value` is cut to the register's size. A sink takes nothing. */
void step_write(Step *step, const Operand *operand, unsigned lane, uint64_t value);
/* Writes a predicate for the executing lanes only. */
void step_write_predicate(Step *step, const Operand *operand, Mask value);

/* "kernel 'k', k.ptx:3:5 (k.cu:2), block (0,0,0), thread (1,0,0)": where a lane is, for sentences.
 * Of several GPUs it has "kernel 'k' on GPU 1". */
const char *step_place(const Step *step, unsigned lane, char *buffer, size_t size);
/* Records an error that names kernel, PTX line, source line, block and thread (by lane), and the
 * sentence; returns STEP_ERROR. */
StepResult step_error(Step *step, WbStatus status, unsigned lane, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
