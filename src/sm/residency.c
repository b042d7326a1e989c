/* Blocks coming and going.
 *
 * The front end sends a block only where it fits, so there is always a place. Warps of a block take the
 * lowest free slots; slot s belongs to scheduler s modulo their number, as on GPUs whose warps are dealt out
 * to the schedulers, and start one after the other. A block has ended when its last warp has, and its memory
 * requests with it: its stores are visible then, to blocks that start because it ended. Where the knob
 * block_end_waits says no, stores that have left the SM keep nobody, unless other blocks depend on this one:
 * the block's place is free, and only the end of the kernel waits for them (MESSAGE_DRAINED). */
#include "sm/context_pool.h"
#include "sm/lsu/lsu.h"
#include "sm/sample.h"
#include "sm/stages.h"

/* -- coming -- */

/* The report of the slot's last block may not have been read: the front end does so block_end_cycles after
 * the block's end, and what it sends into the place arrives block_launch_cycles after that. Until then other
 * blocks must not take the slot; for them there are others. */
static bool is_reporting(const Sm *sm, const BlockSlot *slot)
{
    return slot->report.stay.left &&
           sm->now < slot->report.stay.left + sm->config->block_end_cycles + sm->config->block_launch_cycles;
}

static uint32_t free_block_slot(const Sm *sm)
{
    uint32_t slot = 0;
    while (sm->blocks[slot].block || is_reporting(sm, &sm->blocks[slot]))
        slot++;
    return slot;
}

BlockSlot *residency_find_block(Sm *sm, const SmKernel *kernel, uint64_t linear)
{
    for (uint32_t i = 0; i < sm->block_capacity; i++) {
        BlockSlot *slot = &sm->blocks[i];
        if (slot->block && slot->kernel == kernel && slot->report.linear == linear)
            return slot;
    }
    return NULL;
}

/* The memory of an earlier block of the same kernel is used again. */
static Block *make_block(BlockSlot *slot, uint64_t linear, const Sm *sm)
{
    if (slot->spare && slot->spare_kernel != slot->kernel->number) {
        block_free(slot->spare);
        slot->spare = NULL;
    }
    if (!slot->spare)
        return block_create(&slot->launch, linear, sm->number);
    Block *block = slot->spare;
    slot->spare = NULL;
    block_restart(block, linear, sm->number);
    return block;
}

/* Where a warp begins, or goes on after its block was away. */
static uint32_t first_pc(const Warp *warp)
{
    return warp->current == NO_INDEX ? 0 : warp->groups[warp->current].pc;
}

uint32_t residency_take_warp_slot(Sm *sm, uint32_t index, Warp *warp, Wait wait)
{
    const uint32_t number = (uint32_t)__builtin_ctzll(sm->free_slots);
    WarpSlot *slot = &sm->warps[number];
    sm->free_slots &= sm->free_slots - 1;
    sm->blocks[index].warp_slots |= (WarpSet)1 << number;
    slot->warp = warp;
    slot->timing = sm->blocks[index].kernel->timing->insns;
    slot->code = warp->block->launch->program->code;
    slot->block = index;
    slot->scheduler = (uint8_t)(number % sm->scheduler_count);
    slot->age = sm->next_age++;
    slot->pc = 0;
    slot->branch_until = slot->not_before = slot->port_until = 0;
    slot->pending_ops = slot->pending_stores = slot->sent_stores = 0;
    slot->has_stored = slot->has_stored_far = slot->has_done_atomics = slot->has_released =
        slot->has_conflicted = false;
    slot->board.count = 0;
    slot->board.filter = 0;
    slot->board.crossing = (uint32_t)sm->config->pipe_crossing;
    slot->wait = (uint8_t)wait;
    slot->since = sm->now;
    slot->wake = CYCLE_NEVER;
    sm->schedulers[slot->scheduler].waiting[wait]++;
    profile_begin(sm, slot, sm->blocks[index].kernel->profile, first_pc(warp));
    sm->resident_warps++;
    fetch_reset(sm, number);
    policy_warp_came(sm, number);
    return number;
}

static void start_warp(Sm *sm, uint32_t index, Warp *warp)
{
    const Cycle start = sm->launch_free > sm->now ? sm->launch_free : sm->now;
    sm->launch_free = start + sm->config->warp_launch_interval;
    const uint32_t number = residency_take_warp_slot(sm, index, warp, WAIT_FETCH);
    sm->warps[number].branch_until = start;
    sm_consider(sm, number, start);
}

/* The L1 gets what shared memory leaves of the memory that they share. */
static void share_memory(Sm *sm)
{
    uint32_t bytes = sm->kept_shared;
    for (uint32_t i = 0; i < sm->block_capacity; i++)
        if (sm->blocks[i].block)
            bytes += sm->blocks[i].launch.shared_bytes + (uint32_t)sm->config->shared_reserved_bytes;
    lsu_set_shared_bytes(sm->lsu, bytes);
}

uint32_t residency_take_slot(Sm *sm, const SmKernel *kernel, uint64_t linear, Cycle dispatched)
{
    const uint32_t index = free_block_slot(sm);
    BlockSlot *slot = &sm->blocks[index];
    slot->kernel = kernel;
    slot->must_leave = false;
    slot->leaves_to = CONTEXT_MEMORY;
    slot->launch = kernel->launch;
    slot->launch.machine = &sm->machine;
    slot->launch.error = &sm->error;
    slot->barriers.count = slot->barriers.phases.count = 0;
    slot->barriers.stride = 1;
    slot->report = (BlockReport){
        .kernel = kernel,
        .linear = linear,
        .stay = {.dispatched = dispatched, .started = sm->now},
        .barriers = &slot->barriers,
    };
    return index;
}

/* Warps of a block that was away may have been at a barrier. */
static bool is_hit(const Block *block)
{
    for (uint32_t name = 0; name < MAX_BARRIERS; name++)
        if (block->barriers[name].in_use)
            return true;
    return false;
}

void residency_settle_in(Sm *sm, uint32_t index, Block *block, bool returns)
{
    BlockSlot *slot = &sm->blocks[index];
    if (!returns && slot->launch.flow && slot->launch.program->yields)
        context_pool_take_wave(sm, slot->kernel, block);
    slot->block = block;
    slot->warps_left = block->live_warps;
    slot->releases = block->releases;
    slot->warp_slots = 0;
    slot->is_hit = returns && is_hit(block);
    slot->first_hit = sm->now;
    slot->hit_on = 0;
    if (++sm->resident_blocks == 1 && sm->sampler)
        sample_begin(sm);
    share_memory(sm);
    policy_block_came(sm, index, returns);
}

/* What a kernel that another one launched reads may be in the L1 as it was before its launch, and what a
 * block of a dependency graph or a task reads, as it was before others wrote it. For other kernels of the
 * host every L1 is invalidated when they are launched. */
static bool is_outdated(const Sm *sm, const SmKernel *kernel, Cycle dispatched)
{
    if (kernel->is_graph && sm->config->graph_l1 == GRAPH_L1_INVALIDATE)
        return dispatched >= sm->l1_fresh;
    return kernel->launched && kernel->launched >= sm->l1_fresh;
}

/* `task` is null where the block is none. */
static void start_block(Sm *sm, const SmKernel *kernel, uint64_t linear, const SmTask *task, Cycle dispatched)
{
    const uint32_t index = residency_take_slot(sm, kernel, linear, dispatched);
    Block *block = make_block(&sm->blocks[index], linear, sm);
    sm->blocks[index].report.task = task;
    if (task)
        block_give_task(block, &task->task);
    if (is_outdated(sm, kernel, dispatched))
        lsu_invalidate(sm->lsu);
    residency_settle_in(sm, index, block, false);
    for (uint32_t i = 0; i < block->warp_count; i++)
        start_warp(sm, index, &block->warps[i]);
}

void residency_take(Sm *sm, const Message *message)
{
    const SmTask *task = message->body;
    const Cycle dispatched = message->time - sm->config->block_launch_cycles;
    switch (message->kind) {
    case MESSAGE_BLOCK:
        start_block(sm, message->body, message->value, NULL, dispatched);
        break;
    case MESSAGE_TASK_BLOCK:
        start_block(sm, task->kernel, task->linear, task, dispatched);
        break;
    case MESSAGE_RESUME:
        suspend_resume(sm, message->body);
        break;
    case MESSAGE_PAUSE:
        pause_begin(sm, message->body, message->value);
        break;
    case MESSAGE_UNPAUSE:
        pause_end(sm, message->body, message->value);
        break;
    case MESSAGE_SWAP_OUT:
        suspend_order(sm, message->body, message->value, CONTEXT_MEMORY);
        break;
    case MESSAGE_SWAP_OUT_STAYS:
        suspend_order(sm, message->body, message->value, CONTEXT_STAYS);
        break;
    case MESSAGE_SWAP_OUT_MOVES:
        suspend_order(sm, message->body, message->value, CONTEXT_MOVED);
        break;
    }
}

/* -- going -- */

void residency_leave_slot(Sm *sm, uint32_t index, uint32_t message)
{
    BlockSlot *slot = &sm->blocks[index];
    sm->free_slots |= slot->warp_slots;
    pause_log(sm, slot);
    slot->report.stay.left = sm->now;
    slot->block = NULL;
    if (--sm->resident_blocks == 0 && sm->sampler)
        sample_end(sm);
    policy_block_went(sm, index, message == MESSAGE_BLOCK_SUSPENDED);
    shard_send(&sm->shard, sm->front_end, sm->now + sm->config->block_end_cycles, message, index,
               &slot->report);
}

static void end_block(Sm *sm, uint32_t index)
{
    BlockSlot *slot = &sm->blocks[index];
    slot->report.late = sm->late_stores != 0;
    slot->report.is_flushed = slot->report.late && sm->stored_sectors;
    sm->owes_word |= slot->report.late;
    slot->report.family = slot->block->family;
    slot->block->family = NULL;
    slot->phase = PHASE_RUNS; /* it may have ended while it was to leave */
    if (slot->launch.flow)
        context_pool_give_wave(sm, slot->kernel, slot->block);
    slot->spare = slot->block;
    slot->spare_kernel = slot->kernel->number;
    sm->statistics.blocks++;
    sm->machine.statistics.blocks++;
    residency_leave_slot(sm, index, MESSAGE_BLOCK_DONE);
}

void residency_clear_warp_slot(Sm *sm, uint32_t warp)
{
    WarpSlot *slot = &sm->warps[warp];
    sm_leave_wait(sm, slot);
    policy_warp_went(sm, warp);
    fetch_reset(sm, warp);
    sm->moving &= ~((WarpSet)1 << warp);
    sm->paused &= ~((WarpSet)1 << warp);
    sm->outdated &= ~((WarpSet)1 << warp);
    sm->answered &= ~((WarpSet)1 << warp);
    slot->warp = NULL;
    slot->life = (slot->life + 1) & 0xFFFFFF;
    sm->resident_warps--;
}

static void retire(Sm *sm, uint32_t warp)
{
    const uint32_t index = sm->warps[warp].block;
    residency_clear_warp_slot(sm, warp);
    if (--sm->blocks[index].warps_left == 0)
        end_block(sm, index);
    else if (sm->blocks[index].phase == PHASE_SETTLES)
        suspend_settle(sm, index);
}

/* Ends the block if all that its warps wait for are stores that have left the SM. */
static void leave_stores(Sm *sm, const BlockSlot *block)
{
    for (WarpSet rest = block->warp_slots; rest; rest &= rest - 1) {
        const WarpSlot *slot = &sm->warps[__builtin_ctzll(rest)];
        if (slot->warp &&
            (slot->wait != WAIT_DRAIN || slot->pending_ops || slot->pending_stores != slot->sent_stores))
            return;
    }
    for (WarpSet rest = block->warp_slots; rest; rest &= rest - 1)
        sm->late_stores += sm->warps[__builtin_ctzll(rest)].pending_stores;
    for (WarpSet rest = block->warp_slots; rest; rest &= rest - 1)
        if (sm->warps[__builtin_ctzll(rest)].warp)
            retire(sm, (uint32_t)__builtin_ctzll(rest));
}

void residency_end_warp(Sm *sm, uint32_t warp)
{
    WarpSlot *slot = &sm->warps[warp];
    if (!slot->pending_ops && !slot->pending_stores) {
        retire(sm, warp);
        return;
    }
    if (slot->wait != WAIT_DRAIN)
        sm_wait(sm, warp, WAIT_DRAIN, CYCLE_NEVER);
    if (!sm->config->block_end_waits && !sm->blocks[slot->block].kernel->is_graph)
        leave_stores(sm, &sm->blocks[slot->block]);
}

void residency_late_store(Sm *sm)
{
    if (--sm->late_stores || !sm->owes_word)
        return;
    sm->owes_word = false;
    shard_send(&sm->shard, sm->front_end, sm->now + sm->config->block_end_cycles, MESSAGE_DRAINED, 0, NULL);
}
