/* Branches and the ends of threads. What all lanes of a group do alike moves its program counter and nothing
 * else; only lanes that part reach divergence.c. When threads end, whoever waited for them is let go. */
#include "exec/barrier.h"
#include "exec/block_call.h"
#include "exec/control.h"
#include "exec/divergence.h"
#include "exec/grid_sync.h"
#include "exec/handlers.h"
#include "exec/machine.h"
#include "exec/meet.h"
#include "exec/warp_sync.h"

StepResult exec_nop(Step *step)
{
    (void)step;
    return STEP_NEXT;
}

StepResult exec_branch(Step *step)
{
    Group *group = step->group;
    uint32_t next = group->pc + 1, target = step->insn->target;
    /* Nobody parts: all lanes take it, or both ways lead to the same place. */
    if (step->mask == group->mask || target == next) {
        group->pc = target;
        return STEP_JUMPED;
    }
    step->warp->block->launch->machine->statistics.divergent_branches++;
    divergence_branch(step->warp, step->mask, target, next, step->insn->reconverge);
    return STEP_JUMPED;
}

StepResult exec_branch_table(Step *step)
{
    const BranchTable *table = &step->warp->block->launch->program->tables[step->insn->target];
    uint32_t targets[MAX_WIDTH];
    bool uniform = true;
    Group *group = step->group;
    uint32_t first = NO_INDEX;
    for (Mask lanes = group->mask; lanes; lanes &= lanes - 1) {
        unsigned lane = mask_first(lanes);
        /* Lanes whose guard is false fall through. */
        targets[lane] = group->pc + 1;
        if (step->mask >> lane & 1) {
            uint64_t index = step_value(step, step_operand(step, 0), lane);
            if (index >= table->count)
                return step_error(step, WB_ERROR_EXECUTION, lane,
                                  "brx.idx with index %llu into a list of %u targets",
                                  (unsigned long long)index, table->count);
            targets[lane] = table->targets[index];
        }
        first = first == NO_INDEX ? targets[lane] : first;
        uniform &= targets[lane] == first;
    }
    if (uniform) {
        group->pc = first;
        return STEP_JUMPED;
    }
    step->warp->block->launch->machine->statistics.divergent_branches++;
    divergence_scatter(step->warp, targets, step->insn->reconverge);
    return STEP_JUMPED;
}

StepResult control_end_threads(Step *step)
{
    Warp *warp = step->warp;
    Block *block = warp->block;
    block->live_threads -= (uint32_t)__builtin_popcountll(step->mask);
    divergence_exit(warp, step->mask);
    if (!warp->live) {
        block->live_warps--;
        block->launch->machine->statistics.warps++;
        block->warp_ended = block->launch->machine->clock;
        if (block->calls)
            block_call_warp_ended(block);
    }
    if (!block->live_warps && block->launch->sync)
        block->launch->sync->ended(block, (uint32_t)(step->insn - block->launch->program->code));
    /* Others may have waited only for these lanes. */
    meet_release(warp);
    WbStatus status = warp_sync_release(warp);
    barrier_release_all(block);
    return status == WB_OK ? STEP_JUMPED : STEP_ERROR;
}

void control_let_others_go(Step *step)
{
    Mask others = step->group->mask & ~step->mask;
    if (others)
        divergence_split(step->warp, others, step->group->pc + 1);
}

StepResult control_wait_behind(Step *step)
{
    step->group->pc++;
    if (divergence_join_pc(step->warp, step->group) == step->group->pc)
        divergence_settle(step->warp, (uint32_t)(step->group - step->warp->groups));
    return STEP_JUMPED;
}

StepResult exec_exit(Step *step)
{
    control_let_others_go(step);
    return control_end_threads(step);
}
