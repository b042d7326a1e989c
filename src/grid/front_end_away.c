/* Blocks off the SMs: those that wait there, and those that the dispatcher has sent away.
 *
 * A block that leaves its SM is kept here as a Resumption, from its first time until it has ended. It may
 * come back when all its waits are over (exec/block_wait.h) and the dispatcher does not hold it: then it
 * stands among its kernel's resumable blocks, which are dispatched before new ones. A block that the
 * dispatcher wants off its SM is told by a message and leaves as one that waits does, whether it runs or
 * waits in place; its waits may end meanwhile. */
#include "exec/block_pack.h"
#include "grid/front_end.h"

/* The waits of the block are over then. It cannot come back before, so it is still there. */
static void put_wake(FrontEnd *front_end, Block *block)
{
    front_end_put_numbered(front_end, (FrontEvent){.time = block->wait.over,
                                                   .number = block->wait.order,
                                                   .kind = EVENT_RESUMES,
                                                   .block = block});
}

/* A wait of the warp is over then. A block that waits on its SM is woken there. One that leaves, or has left,
 * comes back when all its waits are over. An SM may have begun to send it away within this window, by a
 * message of ours: then it has not heard of the end, and front_end_suspended() looks for it. */
void front_end_wake(void *context, Warp *warp, Cycle now, Cycle time)
{
    FrontEnd *front_end = context;
    Block *block = warp->block;
    block->wait.order = front_end->next_event++;
    front_end_put_yield_over(front_end, warp, time);
    if (!block->wait.leaves)
        sm_wake_warp(block->launch->machine->owner, warp, now, time);
    else if (warp->wait.is_of_block && !block_wait_is_open(&block->wait))
        put_wake(front_end, block);
}

static void make_resumable(FrontEnd *front_end, Resumption *resumption, Cycle now)
{
    GridKernel *kernel = grid_kernel_host(grid_kernel_of(resumption->kernel));
    resumption->block->wait.away = NULL;
    resumption->resumed = now;
    if (resumption->yielded && kernel->resident) {
        preempted_put(&front_end->dispatcher.preempted, resumption);
        kernel->ready++;
        front_end_wake_dispatcher(front_end, now);
        return;
    }
    VEC_PUSH(&kernel->resumable, resumption);
    if (kernel->is_held) {
        kernel->is_held = false;
        front_end_put_kernel(front_end, kernel, now);
    } else if (kernel->resident && !kernel->is_marked) {
        dispatcher_mark(&front_end->dispatcher, kernel);
    }
    front_end_wake_dispatcher(front_end, now);
}

/* -- blocks that the dispatcher sends away -- */

enum { NONE = UINT32_MAX };

/* The place of the block's order, or NONE. */
static uint32_t find_swapped(const FrontEnd *front_end, const GridKernel *launch, uint64_t block)
{
    for (uint32_t i = 0; i < front_end->swapped.count; i++)
        if (front_end->swapped.items[i].launch == launch && front_end->swapped.items[i].block == block)
            return i;
    return NONE;
}

bool front_end_is_swapped(const FrontEnd *front_end, const BlockRef *block)
{
    return find_swapped(front_end, block->group ? block->group : block->kernel, block->block) != NONE;
}

bool front_end_drop_swap(FrontEnd *front_end, const GridKernel *launch, uint64_t block)
{
    const uint32_t at = find_swapped(front_end, launch, block);
    if (at == NONE)
        return false;
    front_end->swapped.items[at] = front_end->swapped.items[--front_end->swapped.count];
    return true;
}

void front_end_swap_out(FrontEnd *front_end, GridKernel *launch, uint64_t block, uint32_t sm, Cycle now)
{
    if (find_swapped(front_end, launch, block) != NONE)
        return;
    VEC_PUSH(&front_end->swapped, ((SwappedBlock){launch, block}));
    front_end->statistics.blocks_swapped_out++;
    shard_send(&front_end->shard, sm, now + front_end->config->block_launch_cycles, MESSAGE_SWAP_OUT, block,
               &launch->seen);
}

void front_end_bring_back(FrontEnd *front_end, GridKernel *launch, uint64_t block, Cycle now)
{
    if (!front_end_drop_swap(front_end, launch, block))
        return;
    for (uint32_t i = 0; i < front_end->resumptions.count; i++) {
        Resumption *resumption = front_end->resumptions.items[i];
        const bool is_it = grid_kernel_of(resumption->kernel) == launch && resumption->linear == block;
        if (!is_it || !resumption->is_held)
            continue;
        resumption->is_held = false;
        if (block_wait_is_over(&resumption->block->wait, now))
            make_resumable(front_end, resumption, now);
    }
    front_end->shard.wake = front_end_next(front_end);
}

/* -- coming and going -- */

static Resumption *new_resumption(FrontEnd *front_end)
{
    Resumption *resumption = xcalloc(1, sizeof *resumption);
    resumption->place = front_end->resumptions.count;
    VEC_PUSH(&front_end->resumptions, resumption);
    return resumption;
}

void front_end_forget_block(FrontEnd *front_end, Resumption *resumption)
{
    Resumption *last = front_end->resumptions.items[--front_end->resumptions.count];
    front_end->resumptions.items[resumption->place] = last;
    last->place = resumption->place;
    xfree(resumption);
}

/* What the block has left its SM for. */
static uint8_t reason_of(const Block *block, bool yielded)
{
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const WarpWait *wait = &block->warps[i].wait;
        if (wait->kind == BLOCK_LEAVES || (yielded && wait->is_of_block))
            return wait->reason;
    }
    return WAIT_REASONS;
}

/* Where it is kept, by what the front end has told it and the SM has done: a block that was about to leave by
 * itself goes to memory. */
static void note_place(FrontEnd *front_end, Resumption *resumption, SmBlock *block)
{
    const uint8_t place = resumption->block->context.place;
    resumption->yielded = block->leaves;
    resumption->is_local = block->goes_local && (place == CONTEXT_STAYS || place == CONTEXT_MOVED);
    const bool stays_home = resumption->is_local || (block->leaves && front_end->config->swapped_out_home) ||
                            resumption->task; /* restarted where it was [channels §6] */
    resumption->home = stays_home ? resumption->sm : NO_SM;
    if (!resumption->is_local) /* a task's shared memory is not saved: it stays */
        block->held =
            (Resources){.shared_bytes = resumption->task ? block->block.kernel->need.shared_bytes : 0};
    if (block->goes_local && !resumption->is_local) {
        preempted_leave(&front_end->dispatcher.preempted, QUEUE_LOCAL, resumption->sm);
        preempted_enter(&front_end->dispatcher.preempted, QUEUE_GLOBAL, resumption->sm, &block->held);
    }
    resumption->held_registers = block->held.registers;
    resumption->held_shared = block->held.shared_bytes;
    grid_kernel_host(grid_kernel_of(resumption->kernel))->yielded += block->leaves;
}

void front_end_suspended(FrontEnd *front_end, BlockReport *report, uint32_t sm, Cycle now)
{
    BlockWait *wait = &report->suspended->wait;
    Resumption *resumption = report->resumption ? report->resumption : new_resumption(front_end);
    resumption->kernel = report->kernel;
    resumption->block = report->suspended;
    resumption->linear = report->linear;
    resumption->task = report->task;
    resumption->left = report->stay.left;
    resumption->sm = sm;
    report->suspended = NULL;
    note_place(front_end, resumption,
               dispatcher_find(&front_end->dispatcher, grid_kernel_of(report->kernel), report->linear, sm));
    resumption->reason = reason_of(resumption->block, resumption->yielded);
    if (resumption->yielded)
        block_pack(resumption->block);
    resumption->is_held = find_swapped(front_end, grid_kernel_of(report->kernel), report->linear) != NONE;
    wait->away = resumption;
    front_end->statistics.blocks_suspended++;
    const SmBlock left = dispatcher_suspended(&front_end->dispatcher, grid_kernel_of(report->kernel),
                                              report->linear, sm, now);
    front_end_yield_left(front_end, &left);
    if (block_wait_is_open(wait))
        return;
    if (wait->over >= now)
        put_wake(front_end, resumption->block); /* in this cycle at the soonest; it may be there already */
    else if (!resumption->is_held)
        make_resumable(front_end, resumption, now);
}

/* The block may still be being saved; and before that began another of its warps may have launched something
 * and begun to wait for that, too: then word of this one is not enough. */
void front_end_wait_over(FrontEnd *front_end, const Block *block, Cycle now)
{
    Resumption *resumption = block->wait.away;
    if (resumption && !resumption->is_held && block_wait_is_over(&block->wait, now))
        make_resumable(front_end, resumption, now);
}
