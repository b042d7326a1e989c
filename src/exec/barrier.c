/* A barrier keeps the lanes that have come, warp by warp. Every arrival, and every end of a thread, asks
 * whether that is enough now; if it is, all groups that wait there get their result and go on. Nothing is
 * counted down: what is missing follows from the lanes and from who is still alive, so threads that end
 * cannot upset a count. */
#include "exec/barrier.h"

#include "exec/control.h"
#include "exec/divergence.h"
#include "exec/handlers.h"
#include "exec/machine.h"

typedef enum Reduction { REDUCE_NONE, REDUCE_AND, REDUCE_OR, REDUCE_POPC } Reduction;

/* The parts of a barrier instruction. */
typedef struct Form {
    bool arrive;
    Reduction reduction;
    unsigned name;                    /* operand numbers */
    const Operand *count, *predicate; /* null: not given */
} Form;

static Reduction reduction_of(const Insn *insn)
{
    switch (insn->row) {
    case ROW_bar_red_popc:
    case ROW_barrier_red_popc:
        return REDUCE_POPC;
    case ROW_bar_red_pred:
    case ROW_barrier_red_pred:
        return insn->mods.bool_op == BOOL_AND ? REDUCE_AND : REDUCE_OR;
    default:
        return REDUCE_NONE;
    }
}

static Form form_of(const Step *step)
{
    Form form = {0};
    unsigned row = step->insn->row, operands = step->insn->operand_count;
    form.arrive = row == ROW_bar_arrive || row == ROW_barrier_arrive;
    form.reduction = reduction_of(step->insn);
    if (form.reduction == REDUCE_NONE) {
        form.count = operands > 1 ? step_operand(step, 1) : NULL;
        return form;
    }
    form.name = 1;
    form.count = operands > 3 ? step_operand(step, 2) : NULL;
    form.predicate = step_operand(step, operands - 1);
    return form;
}

uint32_t barrier_count(const Program *program)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->code_count; i++) {
        const Insn *insn = &program->code[i];
        if (insn->action != ACTION_BARRIER)
            continue;
        const Operand *name = &insn->op[insn->begin[reduction_of(insn) != REDUCE_NONE]];
        /* A name in a register may be any of them. */
        const uint64_t highest = name->kind == OPERAND_IMMEDIATE ? (uint64_t)name->value : NAMED_BARRIERS - 1;
        if (highest < NAMED_BARRIERS && highest >= count)
            count = (uint32_t)highest + 1;
    }
    return count;
}

static bool is_complete(const Block *block, const Barrier *barrier)
{
    uint32_t arrived = 0;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        Mask live = block->warps[i].live, lanes = barrier->lanes[i];
        /* Also of a warp that has ended: nobody is missing there. */
        bool whole = (live & ~lanes) == 0;
        if (barrier->all && !whole)
            return false;
        /* A whole warp counts all its lanes, as hardware counts warps: see barrier.h. */
        if (lanes)
            arrived += whole ? block->launch->width : (uint32_t)__builtin_popcountll(lanes);
    }
    return barrier->all || arrived >= barrier->expected;
}

static uint32_t arrived_threads(const Block *block, const Barrier *barrier)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < block->warp_count; i++)
        count += (uint32_t)__builtin_popcountll(barrier->lanes[i]);
    return count;
}

uint32_t barrier_waiting(const Block *block, uint32_t name)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const Warp *warp = &block->warps[i];
        uint32_t k = block->barriers[name].lanes[i] ? 0 : warp->group_count;
        while (k < warp->group_count &&
               (warp->groups[k].state != GROUP_BARRIER || warp->groups[k].barrier != name))
            k++;
        count += k < warp->group_count;
    }
    return count;
}

static void give_result(Warp *warp, Group *group, const Barrier *barrier, uint32_t arrived)
{
    Step step = {.warp = warp,
                 .group = group,
                 .frame = &warp->frames.items[group->frame],
                 .insn = &warp->block->launch->program->code[group->pc],
                 .mask = group->mask};
    const Operand *to = step.insn->op;
    switch (reduction_of(step.insn)) {
    case REDUCE_AND:
        step_write_predicate(&step, to, barrier->red_count == arrived ? ~(Mask)0 : 0);
        break;
    case REDUCE_OR:
        step_write_predicate(&step, to, barrier->red_count ? ~(Mask)0 : 0);
        break;
    case REDUCE_POPC:
        for (Mask lanes = group->mask; lanes; lanes &= lanes - 1)
            step_write(&step, to, mask_first(lanes), barrier->red_count);
        break;
    case REDUCE_NONE:
        break;
    }
}

static void release(Block *block, uint32_t name)
{
    Barrier *barrier = &block->barriers[name];
    uint32_t arrived = arrived_threads(block, barrier);
    /* Told before lanes go on: a timing model looks at who waits. */
    if (block->launch->machine->barrier)
        block->launch->machine->barrier(block, name);
    block->releases++;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        Warp *warp = &block->warps[i];
        for (uint32_t k = 0; barrier->lanes[i] && k < warp->group_count; k++) {
            Group *group = &warp->groups[k];
            if (group->state != GROUP_BARRIER || group->barrier != name)
                continue;
            give_result(warp, group, barrier, arrived);
            group->state = GROUP_READY;
            group->pc++;
            /* The instruction behind a barrier may be where lanes meet again. */
            divergence_settle(warp, k);
        }
        barrier->lanes[i] = 0;
    }
    barrier->expected = barrier->red_count = 0;
    barrier->in_use = barrier->all = false;
}

void barrier_release_all(Block *block)
{
    for (uint32_t name = 0; name < MAX_BARRIERS; name++)
        if (block->barriers[name].in_use && is_complete(block, &block->barriers[name]))
            release(block, name);
}

/* The lanes that an instruction brings: before Volta a warp arrives as a whole. */
static Mask arriving(const Step *step)
{
    return step->warp->block->launch->divergence == DIVERGENCE_STACK ? step->warp->live : step->mask;
}

/* A thread arrives; if it is the first of a phase, that begins. */
static void begin_phase(const Step *step, Barrier *barrier)
{
    if (barrier->in_use)
        return;
    barrier->in_use = true;
    barrier->pc = step->group->pc;
    barrier->first = step->warp->block->launch->machine->clock;
    barrier->since = 0;
}

static void hold(Step *step, uint32_t name)
{
    Barrier *barrier = &step->warp->block->barriers[name];
    if (!barrier->since)
        barrier->since = step->warp->block->launch->machine->clock;
    control_let_others_go(step);
    step->group->state = GROUP_BARRIER;
    step->group->barrier = name;
    step->warp->current = NO_INDEX;
}

/* Lanes that name different barriers or counts part first; each set then arrives on its own. */
static StepResult part(Step *step, Mask same)
{
    uint32_t pc = step->group->pc;
    if (step->warp->block->launch->divergence == DIVERGENCE_STACK)
        return step_error(
            step, WB_ERROR_EXECUTION, mask_first(step->mask & ~same),
            "lanes of one warp name different barriers or counts; before Volta a warp arrives as "
            "a whole");
    divergence_branch(step->warp, same, pc, pc, pc + 1);
    return STEP_JUMPED;
}

StepResult exec_barrier(Step *step)
{
    Block *block = step->warp->block;
    Form form = form_of(step);
    unsigned first = mask_first(step->mask);
    Mask same = step_same_lanes(step, step_operand(step, form.name));
    if (form.count)
        same &= step_same_lanes(step, form.count);
    if (same != step->mask)
        return part(step, same);
    uint64_t name = step_value(step, step_operand(step, form.name), first);
    uint64_t count = form.count ? step_value(step, form.count, first) : 0;
    if (name >= NAMED_BARRIERS)
        return step_error(step, WB_ERROR_EXECUTION, first,
                          "barrier %llu does not exist; a block has barriers 0 to %d",
                          (unsigned long long)name, NAMED_BARRIERS - 1);
    if (form.count && (count == 0 || count % block->launch->width))
        return step_error(
            step, WB_ERROR_EXECUTION, first,
            "a barrier for %llu threads; the count must be a positive multiple of the warp size %u",
            (unsigned long long)count, block->launch->width);
    if (!form.count)
        count = (uint64_t)block->warp_count * block->launch->width;
    Barrier *barrier = &block->barriers[name];
    /* Arrivals that disagree about the count would hang or let go too early: the program is told. */
    if (barrier->in_use && barrier->expected != count)
        return step_error(step, WB_ERROR_EXECUTION, first,
                          "arrives at barrier %llu for %llu threads while others wait there for %u",
                          (unsigned long long)name, (unsigned long long)count, barrier->expected);
    block->launch->machine->statistics.barriers++;
    begin_phase(step, barrier);
    barrier->expected = (uint32_t)count;
    barrier->all |= !form.count;
    barrier->lanes[step->warp->index] |= arriving(step);
    if (form.predicate)
        barrier->red_count +=
            (uint32_t)__builtin_popcountll(step_predicate(step, form.predicate) & step->mask);
    /* The last one to come waits, too, and is let go with the others just below. */
    if (!form.arrive)
        hold(step, (uint32_t)name);
    if (is_complete(block, barrier))
        release(block, (uint32_t)name);
    return form.arrive ? STEP_NEXT : STEP_WAIT;
}

/* Without a cluster launch a block is a cluster of its own. Arriving and waiting are apart: a thread
 * that waits passes once the phase it arrived in is complete, which is when its mark is gone. */
StepResult exec_cluster_barrier(Step *step)
{
    Block *block = step->warp->block;
    Barrier *barrier = &block->barriers[CLUSTER_BARRIER];
    Mask *arrived = &barrier->lanes[step->warp->index];
    if (step->insn->row == ROW_barrier_cluster_wait) {
        /* Their marks are gone: the phase that they arrived in is over. */
        if (!(*arrived & step->mask))
            return STEP_NEXT;
        hold(step, CLUSTER_BARRIER);
        return STEP_WAIT;
    }
    block->launch->machine->statistics.barriers++;
    begin_phase(step, barrier);
    barrier->all = true;
    *arrived |= arriving(step);
    if (is_complete(block, barrier))
        release(block, CLUSTER_BARRIER);
    return STEP_NEXT;
}
