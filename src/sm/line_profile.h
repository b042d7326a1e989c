/* Where the cycles of warps went, instruction by instruction (knob profile_lines).
 *
 * Every cycle of a resident warp is charged to one instruction: as its issue, or as a wait. What a warp waits
 * for before it can issue (results, fetches, its turn) is charged to the instruction that it is about to
 * issue; what an instruction itself makes it wait for (barriers, fences, answers, leaving its SM) to that
 * one. So a slow load shows where its result is needed, and a barrier where it stands.
 *
 * Each SM counts in arrays of its own, which are summed when the kernel has ended. What kernels launch counts
 * for the host's kernel that it comes from. */
#ifndef SM_LINE_PROFILE_H
#define SM_LINE_PROFILE_H

#include "sm/sm.h"

/* Counts of one instruction. */
struct InsnProfile {
    uint64_t issued;             /* by warps */
    uint64_t threads;            /* that it ran for */
    uint64_t waited[WAIT_COUNT]; /* cycles of warps; those of the issue itself are not in it */
};

/* Of one program. Invariant: by_sm[i] is written by SM i alone while the kernel runs, and null before its
 * first block came there. */
struct CodeProfile {
    struct LineProfile *whole;
    const Program *program;
    InsnProfile **by_sm; /* [sm_count][program->code_count] */
};

/* Of a kernel of the host and all that it launches, in the order in which programs came. */
typedef struct LineProfile {
    uint32_t sm_count;
    VEC(CodeProfile *) codes;
} LineProfile;

LineProfile *line_profile_create(uint32_t sm_count);
/* Null: nothing to do. */
void line_profile_free(LineProfile *profile);
/* The counts of a program, made when they are first asked for. Not while SMs run. */
CodeProfile *line_profile_of(LineProfile *profile, const Program *program);
/* The sum over all SMs, to be freed by xfree(). */
InsnProfile *code_profile_sum(const CodeProfile *code);

/* -- for the stages -- */

/* A warp has come into the slot; `at` is where it begins, or goes on. */
void profile_begin(Sm *sm, WarpSlot *slot, CodeProfile *code, uint32_t at);
void profile_charge_slow(const Sm *sm, WarpSlot *slot);
/* `cycles` that the issue itself takes; none of an instruction without a slot of its own. */
void profile_issue_slow(const Sm *sm, WarpSlot *slot, Cycle cycles);

/* The warp's wait ends or changes: the cycles that have passed are charged. */
static inline void profile_charge(const Sm *sm, WarpSlot *slot)
{
    if (sm->is_profiled && slot->profile)
        profile_charge_slow(sm, slot);
}

/* The instruction at slot->pc issues. */
static inline void profile_issue(const Sm *sm, WarpSlot *slot, Cycle cycles)
{
    if (sm->is_profiled && slot->profile)
        profile_issue_slow(sm, slot, cycles);
}

/* The instruction that issued last ran for so many threads. */
static inline void profile_threads(const Sm *sm, const WarpSlot *slot, uint64_t threads)
{
    if (sm->is_profiled && slot->profile)
        slot->profile[slot->done_pc].threads += threads;
}

#endif
