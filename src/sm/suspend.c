/* Blocks that leave their SM and come back [DTBL §2.4]: to wait for what they launched or for another event
 * of the machine, or because the front end wants their place.
 *
 * A block that has to leave issues nothing from the cycle on in which word of it comes. What its warps have
 * under way comes to its end first: results, memory instructions, stores, asynchronous copies, fences, calls.
 * Then its context is saved; its warp slots and its place are free, and the front end gets the block. It
 * comes back the same way, on any SM: when it is restored, each warp goes on where its groups are, those at a
 * barrier by waiting there.
 *
 * A context goes to global memory through the context switch engine (context_engine.h). If the front end
 * says so, it is kept on chip: then nothing but an entry of a queue is written, or its bytes are copied at
 * the rate of the SM's own memories. With the knob context_switch at rate, one block of an SM is moved to
 * memory at a time, at a fixed rate, and neither caches nor DRAM see it: [DTBL] says that it goes to global
 * memory and not how long that takes.
 *
 * All warps of a block that is on its way are in WAIT_SUSPEND, but for those that the end of a fence or call,
 * or of a drained warp's stores, will bring there. Whatever ends for one of them has it considered, which
 * ends here. While the block is moved, its lowest warp waits for the cycle in which that is done, if it is
 * known. */
#include "exec/shared_copies.h"
#include "mem/coherent.h"
#include "sm/lsu/lsu.h"
#include "sm/stages.h"

enum { STACK_ENTRY_BYTES = 8, BARRIER_BYTES = 8 };

uint32_t sm_context_bytes(const Launch *launch, uint64_t registers, uint64_t shared_bytes)
{
    const uint32_t width = launch->width;
    const uint32_t warp_bytes = width * (STACK_ENTRY_BYTES + width / 8 + 1);
    return (uint32_t)(registers * sizeof(uint32_t) + shared_bytes) + launch->warps_per_block * warp_bytes +
           NAMED_BARRIERS * BARRIER_BYTES;
}

/* -- moving -- */

static bool goes_at_rate(const Sm *sm, const BlockContext *context)
{
    return context->place == CONTEXT_MEMORY && sm->config->context_switch == CONTEXT_SWITCH_RATE;
}

static bool goes_through_memory(const Sm *sm, const BlockContext *context)
{
    return context->place == CONTEXT_MEMORY && sm->config->context_switch == CONTEXT_SWITCH_MEMORY;
}

static Cycle moving_time(const Sm *sm, const BlockSlot *slot)
{
    const BlockContext *context = &slot->block->context;
    const bool at_rate = goes_at_rate(sm, context);
    const uint64_t rate =
        at_rate ? sm->config->context_bytes_per_cycle : sm->config->context_local_bytes_per_cycle;
    const uint64_t bytes = at_rate                           ? slot->kernel->context_bytes
                           : context->place == CONTEXT_MOVED ? context_saved_bytes(&context->size)
                                                             : 0;
    const Cycle latency = at_rate ? sm->config->context_latency : sm->config->context_local_latency;
    return latency + (bytes + rate - 1) / rate;
}

/* Moves the block in a time that is known, when the one before it is done. */
static void move_in_time(Sm *sm, uint32_t index)
{
    BlockSlot *slot = &sm->blocks[index];
    WarpSet rest = slot->warp_slots;
    while (!sm->warps[__builtin_ctzll(rest)].warp)
        rest &= rest - 1;
    const uint32_t warp = (uint32_t)__builtin_ctzll(rest);
    const Cycle start = sm->context_free > sm->now ? sm->context_free : sm->now;
    sm->context_free = start + moving_time(sm, slot);
    slot->move_begun = start;
    if (slot->phase == PHASE_SAVES) {
        slot->report.stay.save_begun = start;
    } else {
        slot->report.stay.restore_begun = start;
        slot->report.stay.restored = sm->context_free;
    }
    sm->warps[warp].at_folded = true;
    sm_wait(sm, warp, WAIT_SUSPEND, sm->context_free);
}

/* A request at a coherent memory is about one unit, so a line that is read again becomes one for each of its
 * units. */
static void cut_into_units(const GpuConfig *config, CopyLines *lines)
{
    const uint32_t count = lines->count;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t line = copy_line_address(lines->items[i]);
        uint8_t left = copy_line_sectors(lines->items[i]);
        for (bool is_first = true; left; is_first = false) {
            const unsigned sector = (unsigned)__builtin_ctz(left);
            const uint8_t own = left & coherent_sectors(config, coherent_unit_at(config, line, sector));
            left &= (uint8_t)~own;
            if (is_first)
                lines->items[i] = line | own;
            else
                VEC_PUSH(lines, line | own);
        }
    }
}

/* Saves or restores the block. */
static void move_context(Sm *sm, uint32_t index, BlockPhase phase)
{
    BlockSlot *slot = &sm->blocks[index];
    BlockContext *context = &slot->block->context;
    slot->phase = (uint8_t)phase;
    slot->move_begun = sm->now;
    if (phase == PHASE_SAVES) {
        context->place = slot->leaves_to;
        if (!goes_at_rate(sm, context))
            context_measure(slot->block, sm->config, &context->size);
        /* What stays on chip is not read again. */
        if (goes_through_memory(sm, context))
            context->size.shared_read_only = shared_copies_settle(slot->block, &context->lines);
        if (sm->config->l1_coherence == L1_COHERENCE_OWNERSHIP)
            cut_into_units(sm->config, &context->lines);
        if (goes_through_memory(sm, context))
            context_pool_take(sm, slot->kernel, slot->block, context_saved_bytes(&context->size));
    }
    if (goes_through_memory(sm, context))
        context_engine_begin(sm->context, index, phase == PHASE_SAVES);
    else
        move_in_time(sm, index);
}

static void count_saved(SmStatistics *counts, const BlockContext *context)
{
    const ContextSize *size = &context->size;
    counts->context_full_bytes += context_full_bytes(size);
    counts->context_dead_bytes += size->registers - size->live_registers;
    switch ((ContextPlace)context->place) {
    case CONTEXT_STAYS:
        counts->context_kept_bytes += context_saved_bytes(size);
        break;
    case CONTEXT_MOVED:
        counts->context_local_bytes += context_saved_bytes(size);
        break;
    default:
        counts->context_read_only_bytes += size->shared_read_only;
        counts->context_saved_registers += size->live_registers;
        counts->context_saved_shared += size->shared - size->shared_read_only;
        counts->context_saved_stacks += size->stacks;
        counts->context_bytes += context_saved_bytes(size);
        break;
    }
}

static void count_restored(SmStatistics *counts, const BlockContext *context)
{
    const ContextSize *size = &context->size;
    if (context->place != CONTEXT_MEMORY)
        return;
    counts->context_restored_registers += size->live_registers;
    counts->context_restored_shared += size->shared;
    counts->context_restored_stacks += size->stacks;
    counts->context_bytes += context_saved_bytes(size) + size->shared_read_only;
}

static void count_moved(Sm *sm, const BlockSlot *slot)
{
    const BlockContext *context = &slot->block->context;
    SmStatistics *counts = &sm->statistics;
    counts->context_cycles += sm->now - slot->move_begun;
    if (goes_at_rate(sm, context))
        counts->context_bytes += slot->kernel->context_bytes;
    else if (slot->phase == PHASE_SAVES)
        count_saved(counts, context);
    else
        count_restored(counts, context);
}

/* -- leaving -- */

/* The warp stays where it is from now on; if results are on their way, it is looked at again when they are
 * there. */
static void park(Sm *sm, uint32_t warp)
{
    WarpSlot *slot = &sm->warps[warp];
    const WarpSet bit = (WarpSet)1 << warp;
    Wait ignored;
    sm->ready &= ~bit;
    sm->by_pipe[slot->pipe] &= ~bit;
    const Cycle results = scoreboard_when_all(slot, sm->now, &ignored);
    slot->at_folded = true;
    sm_wait(sm, warp, WAIT_SUSPEND, results > sm->now ? results : CYCLE_NEVER);
}

static void stop_warp(Sm *sm, uint32_t warp)
{
    WarpSlot *slot = &sm->warps[warp];
    sm->moving |= (WarpSet)1 << warp;
    if (slot->wait == WAIT_FENCE || slot->wait == WAIT_UNIT)
        slot->at_folded = true; /* it is considered when that is over */
    else if (slot->wait != WAIT_DRAIN)
        park(sm, warp);
}

void suspend_begin(Sm *sm, uint32_t index, uint32_t warp)
{
    BlockSlot *slot = &sm->blocks[index];
    if (slot->phase == PHASE_WAITS)
        hold_end(sm, index);
    slot->phase = PHASE_SETTLES;
    slot->block->wait.leaves = true;
    if (warp != NO_INDEX)
        park(sm, warp);
    for (WarpSet rest = slot->warp_slots; rest; rest &= rest - 1)
        if (sm->warps[__builtin_ctzll(rest)].warp)
            stop_warp(sm, (uint32_t)__builtin_ctzll(rest));
    suspend_settle(sm, index);
}

void suspend_order(Sm *sm, const SmKernel *kernel, uint64_t linear, ContextPlace place)
{
    BlockSlot *slot = residency_find_block(sm, kernel, linear);
    if (!slot || slot->phase == PHASE_SETTLES || slot->phase == PHASE_SAVES)
        return;
    slot->leaves_to = (uint8_t)place;
    if (slot->phase == PHASE_RESTORES)
        slot->must_leave = true;
    else
        suspend_begin(sm, (uint32_t)(slot - sm->blocks), NO_INDEX);
}

void suspend_settle(Sm *sm, uint32_t index)
{
    for (WarpSet rest = sm->blocks[index].warp_slots; rest; rest &= rest - 1) {
        const WarpSlot *slot = &sm->warps[__builtin_ctzll(rest)];
        if (slot->warp && (slot->wait != WAIT_SUSPEND || slot->wake != CYCLE_NEVER || slot->pending_ops ||
                           slot->pending_stores))
            return;
    }
    move_context(sm, index, PHASE_SAVES);
}

/* Of a task that has left: its shared memory stays [channels §6]. */
static uint32_t kept_shared(const Sm *sm, const SmKernel *kernel)
{
    const bool stays = kernel->launch.flow && kernel->launch.shared_bytes;
    return stays ? kernel->launch.shared_bytes + (uint32_t)sm->config->shared_reserved_bytes : 0;
}

/* The block is saved. Until it comes back it sees the kernel as no SM does: whoever describes it may. */
static void leave(Sm *sm, uint32_t index)
{
    BlockSlot *slot = &sm->blocks[index];
    count_moved(sm, slot);
    sm->statistics.blocks_suspended++;
    for (WarpSet rest = slot->warp_slots; rest; rest &= rest - 1)
        if (sm->warps[__builtin_ctzll(rest)].warp)
            residency_clear_warp_slot(sm, (uint32_t)__builtin_ctzll(rest));
    slot->phase = PHASE_RUNS;
    slot->block->launch = (Launch *)(uintptr_t)&slot->kernel->launch;
    slot->report.suspended = slot->block;
    sm->kept_shared += kept_shared(sm, slot->kernel);
    residency_leave_slot(sm, index, MESSAGE_BLOCK_SUSPENDED);
}

/* -- coming back -- */

/* Warps that have ended need no slot. What others wrote while the block was away may be in the L1 as it was
 * before. */
void suspend_resume(Sm *sm, Resumption *resumption)
{
    const uint32_t index =
        residency_take_slot(sm, resumption->kernel, resumption->linear, resumption->dispatched);
    BlockSlot *slot = &sm->blocks[index];
    Block *block = resumption->block;
    resumption->block = NULL;
    slot->report.resumption = resumption;
    slot->report.task = resumption->task;
    block->wait.leaves = false;
    block_free(slot->spare);
    slot->spare = NULL;
    block->launch = &slot->launch;
    block->sm = sm->number;
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (block->warps[i].wait.kind == BLOCK_LEAVES)
            block->warps[i].wait.kind = WARP_WAITS; /* it is over */
    lsu_invalidate(sm->lsu);
    sm->kept_shared -= kept_shared(sm, slot->kernel);
    residency_settle_in(sm, index, block, true);
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (block->warps[i].live)
            residency_take_warp_slot(sm, index, &block->warps[i], WAIT_SUSPEND);
    sm->moving |= slot->warp_slots;
    move_context(sm, index, PHASE_RESTORES);
}

static void go_on(Sm *sm, uint32_t index)
{
    BlockSlot *slot = &sm->blocks[index];
    count_moved(sm, slot);
    slot->report.stay.restored = sm->now;
    sm->statistics.blocks_resumed++;
    slot->phase = PHASE_RUNS;
    if (slot->must_leave) {
        slot->must_leave = false;
        suspend_begin(sm, index, NO_INDEX);
        return;
    }
    hold_release(sm, slot->warp_slots);
    for (WarpSet rest = slot->warp_slots; rest; rest &= rest - 1)
        sm_consider(sm, (uint32_t)__builtin_ctzll(rest), sm->now);
}

void suspend_moved(Sm *sm, uint32_t index)
{
    if (sm->blocks[index].phase == PHASE_SAVES)
        leave(sm, index);
    else
        go_on(sm, index);
}

void suspend_consider(Sm *sm, uint32_t warp, Cycle from)
{
    WarpSlot *slot = &sm->warps[warp];
    const uint32_t index = slot->block;
    switch ((BlockPhase)sm->blocks[index].phase) {
    case PHASE_RUNS:
    case PHASE_WAITS: /* hold.c's */
        break;
    case PHASE_SETTLES:
        if (from > sm->now) { /* the rest of a fence */
            slot->at_folded = true;
            sm_wait(sm, warp, (Wait)slot->wait, from);
            break;
        }
        park(sm, warp);
        suspend_settle(sm, index);
        break;
    case PHASE_SAVES:
    case PHASE_RESTORES:
        suspend_moved(sm, index);
        break;
    }
}
