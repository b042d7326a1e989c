/* Runs instructions. Functional mode runs a group in a loop until something happens to it; a timing model
 * steps one instruction at a time. Both do the same in the same order. The loop keeps what it needs in local
 * variables, because most instructions are lane functions and branches that change nothing but the program
 * counter. */
#include "exec/engine.h"

#include <stddef.h>

#include "exec/divergence.h"
#include "exec/handlers.h"
#include "exec/lanes.h"
#include "exec/machine.h"

StepFn *const step_handlers[ACTION_COUNT] = {
    [ACTION_MOVE] = exec_move,
    [ACTION_BRANCH] = exec_branch,
    [ACTION_BRANCH_TABLE] = exec_branch_table,
    [ACTION_CALL] = exec_call,
    [ACTION_RETURN] = exec_return,
    [ACTION_EXIT] = exec_exit,
    [ACTION_TRAP] = exec_trap,
    [ACTION_NOP] = exec_nop,
    [ACTION_BARRIER] = exec_barrier,
    [ACTION_CLUSTER_BARRIER] = exec_cluster_barrier,
    [ACTION_WARP_SYNC] = exec_collective,
    [ACTION_SHUFFLE] = exec_collective,
    [ACTION_VOTE] = exec_collective,
    [ACTION_MATCH] = exec_collective,
    [ACTION_REDUX] = exec_collective,
    [ACTION_ACTIVEMASK] = exec_collective,
    [ACTION_ELECT] = exec_collective,
    [ACTION_LOAD] = exec_load,
    [ACTION_STORE] = exec_store,
    [ACTION_ATOMIC] = exec_atomic,
    [ACTION_FENCE] = exec_fence,
    [ACTION_PREFETCH] = exec_prefetch,
    [ACTION_COPY_ASYNC] = exec_copy_async,
    [ACTION_MBARRIER] = exec_mbarrier,
    [ACTION_ADDRESS] = exec_address,
    [ACTION_LDMATRIX] = exec_ldmatrix,
    [ACTION_MMA] = exec_mma,
    [ACTION_WMMA_LOAD] = exec_wmma_load,
    [ACTION_WMMA_STORE] = exec_wmma_store,
    [ACTION_TEXTURE] = exec_texture,
    [ACTION_TEXTURE_QUERY] = exec_texture_query,
    [ACTION_SURFACE_LOAD] = exec_surface_load,
    [ACTION_SURFACE_STORE] = exec_surface_store,
};

/* How long a group runs before other ready groups of its warp get their turn (from Volta on). Long
 * enough that an ordinary if/else reaches its join first, short against a spinning lane's patience. */
enum { GROUP_TURN = 256 };

typedef struct Counts {
    uint64_t instructions, threads, branches;
    uint64_t units[UNIT_COUNT];
    bool polled;
} Counts;

/* Those of the lanes for which the instruction's guard is true. */
static inline Mask guarded(const Frame *frame, const Insn *insn, Mask lanes)
{
    if (insn->guard == NO_INDEX)
        return lanes;
    const Mask guard = frame->predicates[insn->guard];
    return lanes & (insn->guard_negated ? ~guard : guard);
}

Mask engine_lanes(const Warp *warp)
{
    const Group *group = &warp->groups[warp->current];
    return guarded(&warp->frames.items[group->frame], &warp->block->launch->program->code[group->pc],
                   group->mask);
}

/* Runs the current group until it parts, joins, waits, ends or has used its budget. */
static void run_group(Warp *warp, uint64_t budget, Counts *counts)
{
    const Launch *launch = warp->block->launch;
    const Insn *code = launch->program->code;
    const uint64_t *constants = launch->program->constants;
    Machine *machine = launch->machine;
    Group *group = &warp->groups[warp->current];
    Step step;
    step.warp = warp;
    step.group = group;
    step.frame = &warp->frames.items[group->frame];
    step.issue = NULL;
    const Mask all = group->mask;
    /* Only the group's own parting changes it, and then the loop has ended. */
    const uint32_t stop = divergence_join_pc(warp, group);
    uint32_t pc = group->pc;
    for (uint64_t left = budget; left; left--) {
        const Insn *insn = &code[pc];
        const Mask mask = guarded(step.frame, insn, all);
        machine->clock++;
        counts->instructions++;
        counts->threads += (uint64_t)__builtin_popcountll(mask);
        counts->units[insn->unit]++;
        if (insn->action == ACTION_LANE) {
            if (mask)
                lanes_run(warp, step.frame, constants, insn, mask);
            pc++;
        } else if (!mask) {
            pc++;
        } else if (insn->action == ACTION_BRANCH && mask == all) {
            counts->branches++;
            pc = insn->target;
        } else {
            counts->branches += insn->action == ACTION_BRANCH;
            counts->polled |= insn->polls;
            group->pc = pc;
            step.insn = insn;
            step.mask = mask;
            /* Anything else has moved, parted or ended the group: its pointer and masks may be stale. */
            if (step_handlers[insn->action](&step) != STEP_NEXT)
                return;
            pc++;
        }
        if (pc == stop)
            break;
    }
    group->pc = pc;
    divergence_settle(warp, (uint32_t)(group - warp->groups));
}

/* The counter of each unit. */
static const size_t unit_counters[UNIT_COUNT] = {
    [UNIT_INT] = offsetof(ExecStatistics, int_instructions),
    [UNIT_FP32] = offsetof(ExecStatistics, fp32_instructions),
    [UNIT_FP64] = offsetof(ExecStatistics, fp64_instructions),
    [UNIT_HALF] = offsetof(ExecStatistics, half_instructions),
    [UNIT_SFU] = offsetof(ExecStatistics, sfu_instructions),
    [UNIT_TENSOR] = offsetof(ExecStatistics, tensor_instructions),
    [UNIT_LDST] = offsetof(ExecStatistics, ldst_instructions),
    [UNIT_CONTROL] = offsetof(ExecStatistics, control_instructions),
};

static inline void count_unit(ExecStatistics *statistics, unsigned unit, uint64_t instructions)
{
    *(uint64_t *)((char *)statistics + unit_counters[unit]) += instructions;
}

static void add_counts(ExecStatistics *statistics, const Counts *counts)
{
    statistics->warp_instructions += counts->instructions;
    statistics->thread_instructions += counts->threads;
    statistics->branches += counts->branches;
    for (unsigned unit = 0; unit < UNIT_COUNT; unit++)
        count_unit(statistics, unit, counts->units[unit]);
}

static void end_turn(Warp *warp)
{
    divergence_impatience(warp);
    divergence_release(warp);
    warp->turn = 0;
    warp->polled = 0;
    divergence_choose(warp);
}

uint64_t engine_run_warp(Warp *warp, uint64_t budget)
{
    const Launch *launch = warp->block->launch;
    bool takes_turns = launch->divergence == DIVERGENCE_INDEPENDENT;
    Counts counts = {0};
    while (counts.instructions < budget && launch->error->status == WB_OK &&
           !block_wait_is_open(&warp->block->wait) && !warp->wait.is_open) {
        if (warp->current == NO_INDEX)
            divergence_choose(warp);
        if (warp->current == NO_INDEX)
            break;
        /* A turn may be longer than what is left of the budget; it goes on when the warp runs again. */
        uint64_t left = budget - counts.instructions, before = counts.instructions;
        /* Alone it needs no turns: there is nobody else to let run. */
        if (!takes_turns || warp->groups[warp->current].mask == warp->live) {
            run_group(warp, left, &counts);
            continue;
        }
        Mask lanes = warp->groups[warp->current].mask;
        counts.polled = false;
        run_group(warp, left < GROUP_TURN - warp->turn ? left : GROUP_TURN - warp->turn, &counts);
        warp->turn += (uint32_t)(counts.instructions - before);
        warp->polled |= counts.polled ? lanes : 0;
        if (warp->turn == GROUP_TURN)
            end_turn(warp);
    }
    add_counts(&launch->machine->statistics, &counts);
    return counts.instructions;
}

/* Counts what a timing model issues one by one. */
static inline void count_one(ExecStatistics *statistics, const Insn *insn, Mask mask)
{
    statistics->warp_instructions++;
    statistics->thread_instructions += (uint64_t)__builtin_popcountll(mask);
    statistics->branches += mask && insn->action == ACTION_BRANCH;
    count_unit(statistics, insn->unit, 1);
}

/* The instruction itself, for lanes that are not empty; moves the group's program counter. */
static StepResult run_one(Warp *warp, Group *group, Frame *frame, const Insn *insn, Mask mask,
                          struct Issue *issue)
{
    if (insn->action == ACTION_LANE) {
        lanes_run(warp, frame, warp->block->launch->program->constants, insn, mask);
        group->pc++;
        return STEP_NEXT;
    }
    if (insn->action == ACTION_BRANCH && mask == group->mask) {
        group->pc = insn->target;
        return STEP_NEXT;
    }
    Step step;
    step.warp = warp;
    step.group = group;
    step.frame = frame;
    step.insn = insn;
    step.mask = mask;
    step.issue = issue;
    const StepResult result = step_handlers[insn->action](&step);
    if (result == STEP_NEXT)
        group->pc++;
    return result;
}

StepResult engine_step(Warp *warp, struct Issue *issue, Mask *executed)
{
    const Launch *launch = warp->block->launch;
    Group *group = &warp->groups[warp->current];
    const Insn *insn = &launch->program->code[group->pc];
    Frame *frame = &warp->frames.items[group->frame];
    const Mask lanes = group->mask;
    const Mask mask = guarded(frame, insn, lanes);
    *executed = mask;
    count_one(&launch->machine->statistics, insn, mask);
    /* Counted only for the watchdog, which asks whether the warp has moved at all. */
    warp->steps += launch->machine->is_watched;
    StepResult result = STEP_NEXT;
    if (mask)
        result = run_one(warp, group, frame, insn, mask, issue);
    else
        group->pc++;
    if (result == STEP_NEXT && divergence_join_pc(warp, group) == group->pc)
        divergence_settle(warp, (uint32_t)(group - warp->groups));
    if (launch->divergence == DIVERGENCE_INDEPENDENT && lanes != warp->live && warp->live) {
        warp->polled |= mask && insn->polls ? lanes : 0;
        if (++warp->turn == GROUP_TURN)
            end_turn(warp);
    }
    return result;
}
