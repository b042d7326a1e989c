/* Loops that a GPU's assembler unrolls.
 *
 * ptxas makes copies of the body of a counted loop. Of an unknown number of rounds, four copies run while
 * more than three rounds are left, then two copies once, then the last round. Of a known number, as many
 * copies as fit. Addresses that go up by the same distance every round become displacements, a counter steps
 * once for all copies, and each copy has registers of its own, so that loads of several rounds can be under
 * way at once. docs/NATIVE.md, "Loops", has the limits and how they were found.
 *
 * unroll_find.c    which loops are unrolled, by how much
 * unroll_linear.c  what a loop's registers are: counters, what follows from them, values of one round
 * unroll_converge.c  which are not, since lanes might part
 * unroll.c         the function that comes of it */
#ifndef PTX_UNROLL_H
#define PTX_UNROLL_H

#include "base/vec.h"
#include "ptx/flow_live.h"

/* A copy of the function, owned by the arena, in which loops are unrolled; the function itself where there
 * are none. It does the same: how often a body runs, and what it computes, stays. */
const Function *unroll_function(const Module *module, const Function *function, Arena *arena);

/* -- between its files -- */

/* A counted loop: instructions start .. branch, of which the last one goes back. The counter steps once a
 * round, and then is compared with the bound, which stays the same; if the comparison holds there is a
 * further round. */
typedef struct UnrollLoop {
    uint32_t start, branch, test;
    uint32_t counter;
    int64_t step;
    PtxOperand bound; /* a register or an integer */
    Mod compare;      /* MOD_ne, MOD_lt, MOD_le, MOD_gt, MOD_ge */
    Type type;        /* of the comparison */
    int64_t first;    /* the counter before the loop, if `rounds` is known */
    uint64_t rounds;  /* 0: not known */
    uint32_t copies;  /* of the body in the loop that is made; 0: none stays, `rounds` copies do */
} UnrollLoop;

typedef VEC(UnrollLoop) UnrollLoops;

/* Loops in the order of the text; none is inside of another. */
void unroll_find(const Module *module, const Function *function, const FlowLive *live, UnrollLoops *loops);

/* Whether the loop, whose bound and rounds are known as far as they can be, may be unrolled for all that its
 * instructions ask of the warp: unroll_converge.c. */
bool unroll_keeps_lanes_together(const Function *function, const UnrollLoop *loop);

/* What a register is in a loop. */
typedef enum UnrollKind {
    UNROLL_FIXED,   /* not written in it, or in a way that forbids all of the following */
    UNROLL_COUNTER, /* written once, by adding a constant to itself */
    UNROLL_LINEAR,  /* of one round, and greater by a constant in the next one */
    UNROLL_PRIVATE, /* of one round: not read before it is written */
    UNROLL_CARRIED  /* written once, after the last round's value was read */
} UnrollKind;

typedef struct UnrollRegister {
    uint8_t kind; /* UnrollKind */
    bool is_written, is_live_in, is_live_out;
    bool needs_value[2];    /* some instruction needs the value itself, not only as an address that can take a
                                displacement; of a counter: before its step, and after it */
    bool needs_first_after; /* of a counter: only in the first copy, after its step */
    uint32_t writes, definition;
    int64_t step; /* what a round adds, modulo its size */
    uint32_t bits;
} UnrollRegister;

/* Fills registers[register_count]. conditional[i - start]: whether some way through the body leaves out
 * instruction i. */
void unroll_sort_registers(const Function *function, const FlowLive *live, const UnrollLoop *loop,
                           const bool *conditional, UnrollRegister *registers);
/* Whether the instruction only computes what the copies need not compute again: a counter's step, or a linear
 * value. */
bool unroll_is_folded(const Function *function, const PtxInsn *insn, const UnrollRegister *registers);
/* The counter or linear value that an operand of instruction i has as address, if copies can add to the
 * displacement instead of it; NO_INDEX: none. */
uint32_t unroll_base(const Function *function, const UnrollLoop *loop, const bool *conditional,
                     const UnrollRegister *registers, uint32_t i, const PtxOperand *operand);
/* Marks what instructions of the body are left out on some way: conditional[branch - start]. False: control
 * leaves the body elsewhere than at its end. */
bool unroll_find_conditions(const Function *function, uint32_t start, uint32_t branch, bool *conditional);
/* The target of a branch. */
uint32_t unroll_target(const Function *function, const PtxInsn *insn);

#endif
