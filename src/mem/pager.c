/* Faults wait, are served in batches, and each ends with a change of the table or without. */
#include "mem/pager.h"

#include "base/alloc.h"
#include "mem/request.h"

typedef VEC(uint64_t) FaultList; /* values of their messages */

/* What is to become of a block: the table changes at the window's end. */
typedef struct Change {
    uint64_t block;
    HomeState after;
    Cycle until, since;
    bool is_gentle;
    int32_t gpu; /* that it is for */
} Change;

/* Invariant: a batch is being served, until `done`, exactly if `batch` is not empty. `parked` wait for moves
 * whose ends are not known. `changes` were decided in the present window. */
struct Pager {
    Shard shard;
    Fabric *fabric;
    Homes *homes;
    Cycle service, gap;
    uint64_t batch_most, pin_moves;
    FaultList pending, batch, parked;
    VEC(Change) changes;
    Cycle done, next;
    Cycle *out_free, *in_free; /* [node]: when its next block can leave, and come in */
};

static uint32_t node_of(const Pager *pager, int32_t home)
{
    return home == HOME_HOST ? pager->fabric->gpu_count : (uint32_t)home;
}

static int32_t gpu_of(uint64_t fault) { return (int32_t)(fault >> FAULT_GPU_BIT & FAULT_GPU_MASK); }

/* -- messages out -- */

static void tell(Pager *pager, int32_t gpu, uint32_t kind, uint64_t value, Cycle time)
{
    shard_send_far(&pager->shard, pager->fabric->shards[gpu]->number, time, kind, value, NULL);
}

/* No sooner than a message can be there. */
static void answer(Pager *pager, uint64_t fault, Cycle time, Cycle now)
{
    tell(pager, gpu_of(fault), MESSAGE_SETTLED, fault, clock_later(time, now + pager->gap));
}

/* All that had the block's lines in their L2 before let go of them. */
static void tell_leaving(Pager *pager, const HomeState *before, uint64_t block, uint64_t bytes, Cycle until)
{
    uint32_t holders = before->copies | (before->home >= 0 ? (uint32_t)1 << before->home : 0);
    const uint64_t power = 63 - (uint64_t)__builtin_clzll(bytes);
    for (; holders; holders &= holders - 1)
        tell(pager, __builtin_ctz(holders), MESSAGE_LEAVES, block | power, until);
}

/* -- moves -- */

/* How long a block takes through a port, in packets of a line. */
static Cycle port_cycles(const LinkPort *port, uint64_t bytes)
{
    const uint64_t lines = (bytes + LINE_BYTES - 1) / LINE_BYTES;
    const uint64_t data = (LINE_BYTES + port->flit_bytes - 1) / port->flit_bytes;
    const unsigned __int128 flits = (unsigned __int128)lines * (data + port->header_flits);
    return (Cycle)((flits * port->flits.cycles + port->flits.ticks - 1) / port->flits.ticks);
}

/* The block leaves at `from` or later; returns when all of it has come. */
static Cycle move(Pager *pager, int32_t home, int32_t to, uint64_t bytes, Cycle from)
{
    const uint32_t source = node_of(pager, home), target = node_of(pager, to);
    const LinkPath *path = fabric_path(pager->fabric, source, target);
    const Cycle start = clock_later(from, clock_later(pager->out_free[source], pager->in_free[target]));
    const Cycle taken = clock_later(port_cycles(path->out, bytes), port_cycles(path->in, bytes));
    pager->out_free[source] = pager->in_free[target] = start + taken;
    return start + path->latency + taken;
}

/* -- decisions -- */

static bool is_changing(const Pager *pager, uint64_t block)
{
    for (uint32_t i = 0; i < pager->changes.count; i++)
        if (pager->changes.items[i].block == block)
            return true;
    return false;
}

/* What becomes of a block that a GPU cannot use as it is. */
static Change decide(Pager *pager, const HomeBlock *block, uint64_t base, uint64_t bytes, uint64_t fault,
                     Cycle now)
{
    const int32_t gpu = gpu_of(fault), home = block->after.home;
    const uint32_t bit = (uint32_t)1 << gpu;
    const bool writes = fault & 1, is_pinned = block->moves >= pager->pin_moves;
    Change change = {.block = base, .after = block->after, .until = now + pager->gap, .gpu = gpu};
    const bool collapses = writes && block->after.copies;
    if (home != gpu && !collapses && (is_pinned || block->preferred == home)) {
        change.after.mapped |= is_pinned ? UINT32_MAX : bit;
        change.is_gentle = true;
        change.since = change.until;
    } else if (block->is_read_mostly && !writes) {
        change.after.copies |= bit;
        change.is_gentle = true;
        change.since = clock_later(move(pager, home, gpu, bytes, change.until), change.until + pager->gap);
    } else {
        change.after = (HomeState){.home = gpu};
        const Cycle come = home == gpu ? change.until : move(pager, home, gpu, bytes, change.until);
        change.since = clock_later(come, change.until + pager->gap);
        tell_leaving(pager, &block->after, base, pager->homes->block_bytes, change.until);
    }
    return change;
}

static void serve(Pager *pager, uint64_t fault, Cycle now)
{
    uint64_t base, bytes;
    const HomeBlock *block = homes_block(pager->homes, fault & PAGER_BLOCK_MASK, &base, &bytes);
    pager->homes->counters[gpu_of(fault)].faults++;
    if (block && is_changing(pager, base)) {
        VEC_PUSH(&pager->pending, fault); /* of another GPU: its turn comes */
        return;
    }
    if (block && block->since == CYCLE_NEVER) {
        VEC_PUSH(&pager->parked, fault);
        return;
    }
    const bool writes = fault & 1;
    if (!block || now < block->since ||
        homes_look(pager->homes, base, gpu_of(fault), writes, now).home != HOME_NOWHERE) {
        answer(pager, fault, block ? block->since : now, now);
        return;
    }
    const Change change = decide(pager, block, base, bytes, fault, now);
    VEC_PUSH(&pager->changes, change);
    answer(pager, fault, change.since, now);
}

/* -- at the window's end -- */

static void count_move(Homes *homes, int32_t from, int32_t to, uint64_t bytes)
{
    if (from >= 0) {
        homes->counters[from].blocks_out++;
        homes->counters[from].bytes_out += bytes;
    }
    if (to >= 0) {
        homes->counters[to].blocks_in++;
        homes->counters[to].bytes_in += bytes;
    }
}

static void apply(void *context, Cycle time)
{
    Pager *pager = context;
    (void)time;
    for (uint32_t i = 0; i < pager->changes.count; i++) {
        const Change *change = &pager->changes.items[i];
        uint64_t base, bytes;
        HomeBlock *block = homes_block(pager->homes, change->block, &base, &bytes);
        if (!block)
            continue;
        const HomeState before = block->after;
        homes_change(block, change->after, change->until, change->since, change->is_gentle);
        if (before.home != change->after.home) {
            count_move(pager->homes, before.home, change->after.home, bytes);
            block->moves++;
        } else if (before.copies != change->after.copies && change->after.copies) {
            count_move(pager->homes, HOME_HOST, change->gpu, bytes); /* nothing leaves */
        } else if (before.mapped != change->after.mapped) {
            pager->homes->counters[change->gpu].mappings++;
        }
    }
    pager->changes.count = 0;
}

/* -- time -- */

static void begin_batch(Pager *pager, Cycle now)
{
    uint32_t taken = 0;
    while (taken < pager->pending.count && taken < pager->batch_most) {
        const uint64_t fault = pager->pending.items[taken++];
        VEC_PUSH(&pager->batch, fault);
    }
    pager->pending.count -= taken;
    for (uint32_t i = 0; i < pager->pending.count; i++)
        pager->pending.items[i] = pager->pending.items[i + taken];
    pager->done = now + pager->service;
}

static void step(Pager *pager, Cycle now)
{
    for (const Message *message; (message = shard_take(&pager->shard, now));) {
        const uint64_t fault = message->value;
        VEC_PUSH(&pager->pending, fault);
    }
    if (pager->batch.count && pager->done <= now) {
        for (uint32_t i = 0; i < pager->batch.count; i++)
            serve(pager, pager->batch.items[i], now);
        pager->batch.count = 0;
        if (pager->changes.count)
            shard_defer(&pager->shard, now, apply, pager);
    }
    if (!pager->batch.count && pager->pending.count)
        begin_batch(pager, now);
    pager->next = pager->batch.count ? pager->done : CYCLE_NEVER;
}

static void advance(Shard *shard, Cycle end)
{
    Pager *pager = (Pager *)shard;
    for (;;) {
        const Cycle now = clock_earlier(pager->next, shard_next_arrival(shard));
        if (now >= end)
            break;
        shard->latest = now;
        step(pager, now);
    }
    shard->wake = pager->next;
}

Pager *pager_create(Fabric *fabric, Homes *homes, const GpuConfig *config)
{
    Pager *pager = xcalloc(1, sizeof *pager);
    pager->shard = (Shard){.advance = advance, .wake = CYCLE_NEVER};
    pager->fabric = fabric;
    pager->homes = homes;
    pager->gap = fabric_lookahead(fabric);
    /* A batch's changes are in the table before the next one is decided on. */
    pager->service = clock_later(link_cycles(fabric->world_khz, config->managed_fault_ns), 2 * pager->gap);
    pager->batch_most = config->managed_fault_batch;
    pager->pin_moves = config->managed_pin_moves;
    pager->next = CYCLE_NEVER;
    pager->out_free = xcalloc(fabric->node_count, sizeof *pager->out_free);
    pager->in_free = xcalloc(fabric->node_count, sizeof *pager->in_free);
    fabric->pager = &pager->shard;
    return pager;
}

void pager_free(Pager *pager)
{
    if (!pager)
        return;
    VEC_FREE(&pager->shard.inbox);
    VEC_FREE(&pager->pending);
    VEC_FREE(&pager->batch);
    VEC_FREE(&pager->parked);
    VEC_FREE(&pager->changes);
    xfree(pager->out_free);
    xfree(pager->in_free);
    xfree(pager);
}

Shard *pager_shard(Pager *pager) { return &pager->shard; }

void pager_look_again(Pager *pager, Cycle now)
{
    for (uint32_t i = 0; i < pager->parked.count; i++) {
        const uint64_t fault = pager->parked.items[i];
        VEC_PUSH(&pager->pending, fault);
    }
    if (!pager->parked.count)
        return;
    pager->parked.count = 0;
    if (!pager->batch.count)
        pager->next = pager->shard.wake = now;
}
