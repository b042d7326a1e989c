/* What a function's control flow tells: where diverged lanes meet again, which registers are live, and
 * how many registers a thread needs. */
#ifndef PTX_FLOW_H
#define PTX_FLOW_H

#include "ptx/module.h"

/* Reconvergence at the function's return: no instruction of the body is passed by all lanes that last. */
#define FLOW_AT_RETURN UINT32_MAX
#define FLOW_NO_SLOT UINT32_MAX

/* The result of the analysis, owned by the arena that was given.
 *
 * A slot is a 32-bit word of a thread: 8-, 16- and 32-bit registers take one, 64-bit registers two
 * with an even first, 128-bit four with a first divisible by four. Predicates are numbered apart.
 * Registers that are never live at once may share a slot, as after a compiler's own allocation, but only
 * with others of one word, or of more: their lanes are laid out differently. */
typedef struct Flow {
    uint32_t *reconverge;     /* [insn_count] for every instruction: the first one that all paths from it pass
                                 (immediate post-dominator of its basic block's end), or FLOW_AT_RETURN;
                                 paths on which threads end early do not count: flow_meet.c */
    uint32_t *slot;           /* [register_count] slot or predicate number; FLOW_NO_SLOT: never used */
    uint32_t slot_count, predicate_count;
    uint16_t *live_words;     /* [insn_count] 32-bit words live before the instruction, without predicates */
    uint32_t pressure;        /* the largest of live_words */
    uint32_t registers;       /* 32-bit registers per thread that a real compiler would give this body, within
                                 its limits; not rounded to the hardware's unit: flow_registers.c */
    uint32_t block_count;     /* basic blocks, for statistics and tests */
} Flow;

/* The most registers per thread that .maxnreg, .maxntid, .reqntid and .minnctapersm leave a kernel, and
 * the functions it calls. */
uint32_t flow_register_limit(const Function *kernel);

/* Fails only by running out of host memory. The function must have a body. */
Flow *flow_analyse(const Module *module, const Function *function, Arena *arena);
/* The same with the registers that a compiler for another target gives, such as 90 for sm_90. */
Flow *flow_analyse_for(const Module *module, const Function *function, uint32_t target, Arena *arena);

/* Does the number of registers for the target follow from the order of the instructions? Then it is right
 * only for the order that the assembler gives them (schedule.h). */
bool flow_orders_registers(const Function *function, uint32_t target);

/* The registers live before instruction `insn`, as register numbers in ascending order; returns their
 * count and writes at most `capacity` of them. For context switches that save only what is live. */
uint32_t flow_live_before(const Module *module, const Function *function, uint32_t insn, uint32_t *registers,
                          uint32_t capacity);
/* The same in two steps, for who asks often: what is live where in the function, owned by the arena; and what
 * is before an instruction. */
typedef struct FlowLive FlowLive;
const FlowLive *flow_find_live(const Module *module, const Function *function, Arena *arena);
uint32_t flow_live_at(const Function *function, const FlowLive *live, uint32_t insn, uint32_t *registers,
                      uint32_t capacity);

/* A function's registers that an instruction reads and writes, guard included. Calls `visit` once for
 * every register named; is_definite is false for a write under a guard, which does not end the life of
 * the old value. */
typedef void FlowVisit(void *context, uint32_t reg, bool is_write, bool is_definite);
void flow_visit_registers(const Function *function, const PtxInsn *insn, FlowVisit *visit, void *context);
/* Whether the instruction reads the register, as its guard, too. */
bool flow_reads(const Function *function, const PtxInsn *insn, uint32_t reg);

#endif
