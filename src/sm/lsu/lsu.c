/* The load/store unit's queue and its time.
 *
 * Instructions are worked off in order, a line or a bank pass a cycle. `free` is the first cycle in which the
 * unit can take the next one, so an instruction that is alone in the queue starts in the cycle in which it
 * issues. What waits for something else (an MSHR, room towards the crossbar) starts when it is let. */
#include "sm/lsu/lsu.h"

#include <stdlib.h>

#include "sm/lsu/unit.h"
#include "sm/stages.h"

static const Stat rows[] = {
#define COUNT(field, unit, description) {#field, unit, description, offsetof(LsuStatistics, field)},
#include "sm/lsu/statistics.def"
#undef COUNT
};
const StatTable lsu_statistics = {rows, sizeof rows / sizeof *rows};

/* -- shared and L1 in one memory -- */

/* The size that shared memory gets of unified memory for `bytes` in use: the first carve-out that is
 * enough. */
static uint64_t carveout_of(const GpuConfig *config, uint64_t bytes)
{
    const char *text = config->shared_carveouts;
    char *end;
    for (;; text = *end ? end + 1 : end) {
        const uint64_t size = strtoull(text, &end, 10) * 1024;
        if (end == text)
            return bytes;
        if (size >= bytes)
            return size;
    }
}

static uint64_t l1_share(const GpuConfig *config, uint64_t carveout)
{
    if (!config->unified_bytes)
        return config->l1_bytes;
    const uint64_t rest = config->unified_bytes > carveout ? config->unified_bytes - carveout : 0;
    return rest > config->l1_bytes_min ? rest : config->l1_bytes_min;
}

/* A smaller part of shared memory is made only for the SM's first block: the L1 loses what it holds. */
void lsu_set_shared_bytes(Lsu *lsu, uint32_t bytes)
{
    if (!lsu->config->unified_bytes)
        return;
    const uint64_t carveout = carveout_of(lsu->config, bytes);
    if (carveout == lsu->shared_carveout || (carveout < lsu->shared_carveout && lsu->sm->resident_blocks > 1))
        return;
    lsu->shared_carveout = carveout;
    l1_resize(&lsu->l1, l1_share(lsu->config, carveout));
    lsu->sm->lsu_touched |= lsu->blocked_by != NULL;
}

/* -- coming and going -- */

Lsu *lsu_create(Sm *sm)
{
    const GpuConfig *config = sm->config;
    Lsu *lsu = xcalloc(1, sizeof *lsu);
    lsu->sm = sm;
    lsu->config = config;
    lsu->width = (unsigned)config->warp_width;
    lsu->lane_cycles = (config->warp_width + config->lsu_lanes - 1) / config->lsu_lanes;
    interleave_init(&lsu->interleave, config);
    l1_init(&lsu->l1, config, l1_share(config, 0));
    const_cache_init(&lsu->constants, config);
    return lsu;
}

void lsu_free(Lsu *lsu)
{
    if (!lsu)
        return;
    l1_free(&lsu->l1);
    const_cache_free(&lsu->constants);
    for (uint32_t i = 0; i < MAX_WARPS; i++)
        VEC_FREE(&lsu->copies[i].segments);
    VEC_FREE(&lsu->ops);
    arena_free(&lsu->arena);
    xfree(lsu);
}

bool lsu_has_room(const Lsu *lsu) { return !lsu->sm->lsu_full; }

bool lsu_is_idle(const Lsu *lsu) { return !lsu->live_ops && !lsu->live_requests; }

/* What waited for a line on its way need not wait for that one any more. */
void lsu_invalidate(Lsu *lsu)
{
    l1_invalidate(&lsu->l1);
    lsu->sm->l1_fresh = lsu->sm->now;
    lsu->sm->lsu_touched |= lsu->blocked_by != NULL;
}

/* The head is asked again when something may have changed, and where windows begin; what it has waited since
 * it was last asked must not depend on those. */
static void account_blocked(Lsu *lsu, Cycle now)
{
    if (!lsu->blocked_by || now <= lsu->blocked_since)
        return;
    *lsu->blocked_by += now - lsu->blocked_since;
    lsu->blocked_since = now;
}

LsuStatistics *lsu_counters(Lsu *lsu, Cycle now)
{
    account_blocked(lsu, now);
    return &lsu->statistics;
}

L1Statistics *lsu_l1_counters(Lsu *lsu) { return &lsu->l1.statistics; }

/* -- the queue -- */

void lsu_enqueue(Lsu *lsu, LsuOp *op)
{
    op->next = NULL;
    lsu->sm->lsu_touched = true;
    *(lsu->head ? &lsu->tail->next : &lsu->head) = op;
    lsu->tail = op;
    if (++lsu->queued == lsu->config->lsu_queue)
        lsu->statistics.queue_full++;
    lsu->sm->lsu_full = lsu->queued >= lsu->config->lsu_queue;
}

/* Where the lanes' bytes are: in a row, all at one place, or each for itself. Lanes in a row of staging
 * bytes are as if they had been consecutive in memory, which is the fastest form. */
static void restore_places(const LsuOp *op, unsigned width, uint8_t *line, Access *access)
{
    const bool apart = op->pattern == PATTERN_ANY && line;
    uint8_t *first = !line ? op->staging : apart ? line : line + op->address % LINE_BYTES;
    const size_t stride = op->pattern == PATTERN_UNIFORM ? 0 : op->bytes;
    access->pattern = op->pattern == PATTERN_UNIFORM ? PATTERN_UNIFORM
                      : apart                        ? PATTERN_ANY
                                                     : PATTERN_CONSECUTIVE;
    access->place[0] = first;
    if (op->values && !apart)
        return;
    for (unsigned lane = 0; lane < width; lane++)
        access->place[lane] = op->kind == OP_ARRIVE ? op->targets[lane]
                              : apart               ? line + op->offset[lane]
                                                    : first + lane * stride;
}

void lsu_perform(Lsu *lsu, LsuOp *op, const uint8_t *line)
{
    Sm *sm = lsu->sm;
    Access access;
    Step step;
    step.warp = op->threads;
    step.frame = &op->threads->frames.items[op->frame];
    step.insn = op->insn;
    step.mask = op->mask;
    access.kind = op->access_kind;
    access.space = op->space;
    access.element_bytes = op->element_bytes;
    access.vector = op->vector;
    access.bytes = op->bytes;
    access.mask = op->mask;
    access.values = op->values;
    access.part = op->part;
    access.targets = op->targets;
    access.object = op->object;
    access.fetch = op->fetch;
    if (!op->fetch)
        restore_places(op, lsu->width, (uint8_t *)(uintptr_t)line, &access);
    op->perform(&step, &access);
    if (sm->error.status != WB_OK)
        sm_fail(sm, op->warp);
}

void lsu_finish(Lsu *lsu, LsuOp *op, Cycle ready)
{
    LsuOp *whole = op->whole;
    ready += op->extra_latency;
    if (op->acquires) {
        lsu_invalidate(lsu);
        lsu->sm->acquiring &= ~((WarpSet)1 << op->warp);
    }
    if (op->is_copy) {
        lsu_copy_ends(lsu, op);
        writeback_store(lsu->sm, op->warp);
    }
    whole->ready = ready > whole->ready ? ready : whole->ready;
    if (op != whole)
        lsu_free_op(lsu, op);
    if (--whole->accesses_left)
        return;
    if (whole->has_registers)
        writeback_memory(lsu->sm, whole->warp, whole->timing, whole->ready);
    lsu_free_op(lsu, whole);
}

/* -- time -- */

static void leave_queue(Lsu *lsu, const LsuOp *op)
{
    const Cycle addresses = op->started + op->least_cycles;
    lsu->head = op->next;
    lsu->queued--;
    lsu->sm->lsu_full = lsu->queued >= lsu->config->lsu_queue;
    lsu->free = addresses > lsu->free ? addresses : lsu->free;
}

/* One step of the head. Returns null, or the counter of what it has to wait for. */
static uint64_t *work(Lsu *lsu, LsuOp *op, Cycle start, Cycle now)
{
    if (op->kind == OP_PASSES) {
        op->started = start;
        lsu->free = start + op->passes;
        const Cycle ready = lsu->free - 1 + lsu->config->shared_latency;
        leave_queue(lsu, op);
        lsu_finish(lsu, op, ready);
        return NULL;
    }
    uint64_t *waits_for = lsu_next_line(lsu, op, start, now);
    if (waits_for)
        return waits_for;
    op->started = op->started == CYCLE_NEVER ? start : op->started;
    if (op->kind == OP_LOAD ? op->next_line < op->line_count : op->requests != NULL)
        return NULL;
    leave_queue(lsu, op);
    if (op->kind == OP_LOAD ? !op->sectors_left : !op->replies_left)
        lsu_finish(lsu, op, op->ready);
    return NULL;
}

static void finish_known(Lsu *lsu)
{
    while (lsu->known) {
        LsuOp *op = lsu->known;
        lsu->known = op->next;
        lsu_finish(lsu, op, op->ready);
    }
}

/* How the head's attempt ended; the time that it waited before is counted. */
static void set_blocked(Lsu *lsu, uint64_t *waits_for, Cycle now)
{
    account_blocked(lsu, now);
    lsu->blocked_by = waits_for;
    lsu->blocked_since = now;
}

bool lsu_asks(const Lsu *lsu) { return lsu->outgoing && lsu->send_when == LSU_ASK_AGAIN; }

Cycle lsu_advance(Lsu *lsu, Cycle now)
{
    finish_known(lsu);
    if (lsu->outgoing && (lsu->send_when <= now || lsu->send_when == LSU_ASK_AGAIN))
        lsu_send(lsu, now);
    Cycle next = CYCLE_NEVER;
    while (lsu->head) {
        LsuOp *op = lsu->head;
        const Cycle unloaded = op->issued > lsu->free ? op->issued : lsu->free;
        const Cycle start = lsu->blocked_by ? now : unloaded;
        if (start > now) {
            next = start;
            break;
        }
        uint64_t *waits_for = work(lsu, op, start, now);
        if (waits_for || lsu->blocked_by)
            set_blocked(lsu, waits_for, now);
        if (waits_for)
            break;
    }
    return lsu->outgoing && lsu->send_when < next ? lsu->send_when : next;
}
