/* When warps that met at a barrier go on.
 *
 * Who waits for whom is exec/barrier.c's business. The SM's barrier unit takes one warp's arrival in
 * `barrier_interval` cycles, and `barrier_latency` cycles after the last one the warps can issue again: on
 * an H200 __syncthreads of w warps takes 12.7 + 2 w cycles.
 *
 * Where a timeline is kept, so is a list of the barriers that a block has met at, since it came to the SM. It
 * is bounded so that one block of each SM can fill what barriers may take of a timeline. */
#include "exec/barrier.h"

#include "sm/stages.h"

BarrierPhase sm_barrier_phase(const Block *block, uint32_t name)
{
    const Barrier *barrier = &block->barriers[name];
    return (BarrierPhase){
        .arrived = barrier->first,
        .since = barrier->since,
        .pc = barrier->pc,
        .warps = (uint16_t)barrier_waiting(block, name),
        .name = (uint8_t)name,
    };
}

/* Every second of the list stays. */
static void thin(BarrierLog *log)
{
    uint32_t kept = 0;
    log->stride *= 2;
    for (uint32_t i = 0; i < log->phases.count; i++)
        if (log->phases.items[i].number % log->stride == 0)
            log->phases.items[kept++] = log->phases.items[i];
    log->phases.count = kept;
}

static BarrierLog *log_of(const Sm *sm, const Block *block)
{
    BlockSlot *slot = sm->blocks;
    while (slot->block != block)
        slot++;
    return &slot->barriers;
}

void barrier_log(const Sm *sm, BarrierLog *log, BarrierPhase phase)
{
    enum { LEAST = 64 };
    const uint64_t share = sm->config->timeline_events / BARRIERS_SHARE / sm->config->sm_count;
    phase.number = log->count++;
    if (phase.number % log->stride)
        return;
    VEC_PUSH(&log->phases, phase);
    if (log->phases.count > (share > LEAST ? share : LEAST))
        thin(log);
}

void barrier_note(Block *block, uint32_t name)
{
    const Sm *sm = block->launch->machine->owner;
    if (sm->config->timeline && block->barriers[name].since)
        barrier_log(sm, log_of(sm, block), sm_barrier_phase(block, name));
}

/* -- how long a barrier takes [sync thesis, 7.1.1 and 7.1.2] -- */

/* A warp of the scheduler has come, or has ended, which lets the others go on, too. */
static void note_hit(const Sm *sm, BlockSlot *slot, uint32_t scheduler)
{
    if (!slot->is_hit)
        slot->first_hit = sm->now;
    if (!slot->is_hit || !(slot->hit_on >> scheduler & 1))
        slot->local_hits[scheduler] = sm->now;
    slot->hit_on = (uint8_t)((slot->is_hit ? slot->hit_on : 0) | 1u << scheduler);
    slot->is_hit = true;
}

/* All have come, the last one on that scheduler. */
static void count_cleared(Sm *sm, BlockSlot *slot, uint32_t scheduler)
{
    sm->statistics.barriers_cleared++;
    sm->statistics.barrier_p1_cycles += slot->local_hits[scheduler] - slot->first_hit;
    sm->statistics.barrier_p2_cycles += sm->now - slot->local_hits[scheduler];
    slot->report.cleared++;
    slot->is_hit = false;
}

/* -- */

/* Warps of the block that waited and no longer do, after the last one came on that scheduler. */
static void release(Sm *sm, uint32_t block, uint32_t scheduler, Cycle from)
{
    const BarrierLog *log = &sm->blocks[block].barriers;
    count_cleared(sm, &sm->blocks[block], scheduler);
    policy_barrier_cleared(sm, block);
    for (uint32_t i = log->phases.count; i-- && !log->phases.items[i].released;)
        log->phases.items[i].released = from;
    for (WarpSet rest = sm->blocks[block].warp_slots; rest; rest &= rest - 1) {
        const uint32_t warp = (uint32_t)__builtin_ctzll(rest);
        const WarpSlot *slot = &sm->warps[warp];
        if (slot->warp && slot->wait == WAIT_BARRIER && slot->wake == CYCLE_NEVER)
            sm_consider(sm, warp, from);
    }
}

bool barrier_arrived(Sm *sm, uint32_t warp, bool waits)
{
    const uint32_t block = sm->warps[warp].block, scheduler = sm->warps[warp].scheduler;
    BlockSlot *slot = &sm->blocks[block];
    const bool is_first = !slot->is_hit;
    note_hit(sm, slot, scheduler);
    policy_barrier_reached(sm, warp, is_first);
    Cycle *free = sm->config->address_unit ? &sm->address_free : &sm->barrier_free;
    *free = clock_later(*free, sm->now) + sm->config->barrier_interval;
    if (slot->releases == slot->block->releases)
        return false;
    slot->releases = slot->block->releases;
    if (waits)
        sm_wait(sm, warp, WAIT_BARRIER, CYCLE_NEVER);
    release(sm, block, scheduler, *free + sm->config->barrier_latency);
    return waits;
}

void barrier_after_exit(Sm *sm, uint32_t block, uint32_t scheduler)
{
    BlockSlot *slot = &sm->blocks[block];
    if (!slot->block || slot->releases == slot->block->releases)
        return;
    slot->releases = slot->block->releases;
    note_hit(sm, slot, scheduler);
    release(sm, block, scheduler, sm->now + sm->config->barrier_latency);
}
