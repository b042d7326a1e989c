/* The load/store unit as a whole: made and freed, its part of the memory that it shares with shared memory,
 * its counters, and the memory of its records.
 *
 * Records, requests and buffers come from the unit's arena when the free lists are empty, so that after a
 * while nothing is allocated any more. */
#include <stdlib.h>
#include <string.h>

#include "sm/lsu/unit.h"

enum { REQUESTS_AT_ONCE = 16 };

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
    if (lsu->coherent)
        lsu_resize_coherent(lsu, l1_share(lsu->config, carveout));
    else
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
    lsu->turn_count = (uint32_t)config->lsu_pass_interval;
    interleave_init(&lsu->interleave, config, sm->crossbar->route.gpu);
    if (config->l1_coherence == L1_COHERENCE_OWNERSHIP) {
        lsu->coherent = xcalloc(1, sizeof *lsu->coherent);
        coherent_init(lsu->coherent, config, l1_share(config, 0), (uint32_t)config->l1_ways);
    } else {
        l1_init(&lsu->l1, config, l1_share(config, 0));
    }
    const_cache_init(&lsu->constants, config);
    return lsu;
}

void lsu_learn_pages(Lsu *lsu, Translation *translation, Cycle now)
{
    translation_learn(translation, &lsu->walks, now);
    lsu->walks.cycles = lsu->config->page_walk_cycles;
    lsu->walks.known = lsu->walks.cycles ? translation : NULL;
}

void lsu_free(Lsu *lsu)
{
    if (!lsu)
        return;
    if (lsu->coherent)
        coherent_free(lsu->coherent);
    xfree(lsu->coherent);
    l1_free(&lsu->l1);
    const_cache_free(&lsu->constants);
    walks_free(&lsu->walks);
    for (uint32_t i = 0; i < MAX_WARPS; i++)
        VEC_FREE(&lsu->copies[i].segments);
    VEC_FREE(&lsu->replies);
    VEC_FREE(&lsu->answers);
    VEC_FREE(&lsu->ops);
    arena_free(&lsu->arena);
    xfree(lsu);
}

bool lsu_has_room(const Lsu *lsu) { return !lsu->sm->lsu_full; }

bool lsu_is_idle(const Lsu *lsu) { return !lsu->live_ops && !lsu->live_requests; }

void lsu_forget(Lsu *lsu)
{
    if (lsu->coherent)
        coherent_forget(lsu->coherent);
}

/* A coherent L1 has nothing that is outdated. Else what waited for a line on its way need not wait for that
 * one any more. */
void lsu_invalidate(Lsu *lsu)
{
    lsu->sm->l1_fresh = lsu->sm->now;
    if (lsu->coherent)
        return;
    l1_invalidate(&lsu->l1);
    lsu->sm->lsu_touched |= lsu->blocked_by != NULL;
}

/* The head is asked again when something may have changed, and where windows begin; what it has waited since
 * it was last asked must not depend on those. */
void lsu_account_blocked(Lsu *lsu, Cycle now)
{
    if (!lsu->blocked_by || now <= lsu->blocked_since)
        return;
    *lsu->blocked_by += now - lsu->blocked_since;
    lsu->blocked_since = now;
}

LsuStatistics *lsu_counters(Lsu *lsu, Cycle now)
{
    lsu_account_blocked(lsu, now);
    return &lsu->statistics;
}

L1Statistics *lsu_l1_counters(Lsu *lsu)
{
    return lsu->coherent ? &lsu->coherent->statistics : &lsu->l1.statistics;
}

/* -- memory of records -- */

LsuOp *lsu_new_op(Lsu *lsu)
{
    LsuOp *op = lsu->free_ops;
    if (op) {
        lsu->free_ops = op->next;
    } else {
        op = ARENA_NEW(&lsu->arena, LsuOp);
        op->number = lsu->ops.count;
        VEC_PUSH(&lsu->ops, op);
    }
    lsu->live_ops++;
    return op;
}

/* The free list of buffers that hold `bytes` bytes: each class has twice the size of the one before. */
static uint32_t class_of(size_t bytes)
{
    uint32_t class = 0;
    while (((size_t)SMALLEST_BUFFER << class) < bytes)
        class ++;
    return class;
}

void *lsu_new_buffer(Lsu *lsu, size_t bytes, uint32_t *class)
{
    *class = class_of(bytes);
    void *buffer = lsu->free_buffers[*class];
    if (!buffer)
        return arena_alloc(&lsu->arena, (size_t)SMALLEST_BUFFER << *class);
    memcpy(&lsu->free_buffers[*class], buffer, sizeof buffer);
    return buffer;
}

/* A free buffer begins with the pointer to the next one. */
static void free_buffer(Lsu *lsu, void *buffer, uint32_t class)
{
    memcpy(buffer, &lsu->free_buffers[class], sizeof buffer);
    lsu->free_buffers[class] = buffer;
}

/* What a load has taken from the pool: lines, staging bytes, and what its access points to. */
static void free_load(Lsu *lsu, const LsuOp *op)
{
    const LsuLoad *load = &op->load;
    if (load->lines != &load->first_line)
        free_buffer(lsu, load->lines, load->lines_class);
    if (load->staging)
        free_buffer(lsu, load->staging, load->staging_class);
    if (op->access.kind == ACCESS_COPY)
        free_buffer(lsu, op->access.targets, load->kept_class);
    else if (op->access.kind == ACCESS_TEXTURE)
        free_buffer(lsu, op->access.fetch, load->kept_class);
}

void lsu_free_op(Lsu *lsu, LsuOp *op)
{
    if (op->kind == OP_LOAD)
        free_load(lsu, op);
    else if (op->kind == OP_ARRIVE)
        free_buffer(lsu, op->arrival.places, op->arrival.places_class);
    op->next = lsu->free_ops;
    lsu->free_ops = op;
    lsu->live_ops--;
}

/* Requests are aligned, which the arena does not do for them. */
static void add_requests(Lsu *lsu)
{
    const size_t alignment = _Alignof(Request);
    uintptr_t start = (uintptr_t)arena_alloc(&lsu->arena, REQUESTS_AT_ONCE * sizeof(Request) + alignment);
    Request *requests = (Request *)((start + alignment - 1) & ~(alignment - 1));
    for (unsigned i = 0; i < REQUESTS_AT_ONCE; i++) {
        requests[i].next = lsu->free_requests;
        lsu->free_requests = &requests[i];
    }
}

Request *lsu_take_request(Lsu *lsu)
{
    if (!lsu->free_requests)
        add_requests(lsu);
    Request *request = lsu->free_requests;
    lsu->free_requests = request->next;
    lsu->live_requests++;
    return request;
}

static size_t atomic_bytes(uint32_t elements)
{
    return offsetof(AtomicWork, lanes) + elements * sizeof(AtomicLane);
}

AtomicWork *lsu_new_atomic(Lsu *lsu, uint32_t elements)
{
    uint32_t class;
    return lsu_new_buffer(lsu, atomic_bytes(elements), &class);
}

void lsu_free_request(Lsu *lsu, Request *request)
{
    if (request->atomic)
        free_buffer(lsu, request->atomic, class_of(atomic_bytes(request->atomic->count)));
    request->next = lsu->free_requests;
    lsu->free_requests = request;
    lsu->live_requests--;
}
