/* Slot assignment: a linear scan over the registers by the start of their lives.
 *
 * A register takes the lowest slots that are free wherever it lives. Slots whose lives have all ended
 * are kept as a bit set; below the lowest of them, a slot may still be free between two lives, and the
 * first HOLE_SLOTS are searched for such a hole. That bounds the time for functions with thousands of
 * values alive at once, which no real thread has registers for. */
#include "ptx/flow_allocate.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "ptx/flow_stretch.h"

enum { HOLE_SLOTS = 256 };

/* When a slot is taken. Invariant: ascending, disjoint. */
typedef VEC(Stretch) Taken;

/* Invariant: a bit of `idle` is set exactly when the slot is not in the heap; the heap holds each busy
 * slot once, as end << 32 | slot with an end that may have grown since. */
typedef struct Pool {
    const Lives *lives;
    VEC(Taken) slots;
    VEC(uint64_t) idle;
    VEC(uint64_t) heap;
} Pool;

static uint32_t taken_end(const Taken *taken)
{
    return taken->count ? taken->items[taken->count - 1].end : 0;
}

/* The first entry from `low` on that ends at or after the point. */
static uint32_t first_ending_from(const Taken *taken, uint32_t low, uint32_t point)
{
    uint32_t high = taken->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (taken->items[middle].end < point)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool fits(const Pool *pool, uint32_t slot, uint32_t reg)
{
    const Taken *taken = &pool->slots.items[slot];
    uint32_t at = 0;
    for (uint32_t s = pool->lives->first[reg]; s != NO_INDEX; s = pool->lives->stretches[s].next) {
        const Stretch *stretch = &pool->lives->stretches[s];
        at = first_ending_from(taken, at, stretch->start);
        if (at == taken->count)
            return true;
        /* Both end points belong to a life: a slot can pass on only behind its last point. */
        if (taken->items[at].start <= stretch->end)
            return false;
    }
    return true;
}

static void heap_push(Pool *pool, uint64_t key)
{
    VEC_PUSH(&pool->heap, key);
    uint32_t at = pool->heap.count - 1;
    while (at && pool->heap.items[(at - 1) / 2] > key) {
        pool->heap.items[at] = pool->heap.items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    pool->heap.items[at] = key;
}

static uint64_t heap_pop(Pool *pool)
{
    uint64_t *items = pool->heap.items, top = items[0], last = items[--pool->heap.count];
    uint32_t at = 0, count = pool->heap.count;
    for (uint32_t child = 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && items[child + 1] < items[child];
        if (items[child] >= last)
            break;
        items[at] = items[child];
        at = child;
    }
    items[at] = last;
    return top;
}

/* Slots whose lives have all ended before `point` become idle. */
static void expire(Pool *pool, uint32_t point)
{
    while (pool->heap.count && pool->heap.items[0] >> 32 < point) {
        uint32_t slot = (uint32_t)heap_pop(pool), end = taken_end(&pool->slots.items[slot]);
        /* The end in the heap may be old: the slot has been taken again since, with a later one. */
        if (end < point)
            pool->idle.items[slot / 64] |= (uint64_t)1 << (slot % 64);
        else
            heap_push(pool, (uint64_t)end << 32 | slot);
    }
}

/* The lowest run of `words` idle slots with a first divisible by `words`; new slots are idle. */
static uint32_t lowest_idle(const Pool *pool, unsigned words)
{
    for (uint32_t w = 0; w < pool->idle.count; w++) {
        uint64_t bits = pool->idle.items[w];
        /* Keeps even positions whose neighbour is idle, too: pairs and quads begin at multiples of their
         * size. */
        if (words >= 2)
            bits &= bits >> 1 & 0x5555555555555555u;
        if (words == 4)
            bits &= bits >> 2 & 0x1111111111111111u;
        if (bits)
            return 64 * w + (uint32_t)__builtin_ctzll(bits);
    }
    return 64 * pool->idle.count;
}

static void take(Pool *pool, uint32_t slot, uint32_t reg)
{
    /* New slots are idle: all bits set. */
    while (slot >= 64 * pool->idle.count)
        VEC_PUSH(&pool->idle, UINT64_MAX);
    while (slot >= pool->slots.count)
        VEC_PUSH(&pool->slots, ((Taken){0}));
    Taken *taken = &pool->slots.items[slot];
    uint32_t at = 0;
    for (uint32_t s = pool->lives->first[reg]; s != NO_INDEX; s = pool->lives->stretches[s].next) {
        /* Stretches of a register ascend, so the search goes on where the last one ended. */
        at = first_ending_from(taken, at, pool->lives->stretches[s].start);
        VEC_RESERVE(taken, taken->count + 1);
        memmove(&taken->items[at + 1], &taken->items[at], (taken->count - at) * sizeof *taken->items);
        taken->items[at] = pool->lives->stretches[s];
        taken->count++;
    }
    uint64_t bit = (uint64_t)1 << (slot % 64);
    if (pool->idle.items[slot / 64] & bit) {
        pool->idle.items[slot / 64] &= ~bit;
        heap_push(pool, (uint64_t)taken_end(taken) << 32 | slot);
    }
}

static uint32_t place(Pool *pool, uint32_t reg, unsigned words)
{
    expire(pool, pool->lives->stretches[pool->lives->first[reg]].start);
    uint32_t chosen = lowest_idle(pool, words);
    /* Only below the idle run: a hole above it would make the frame larger. */
    uint32_t searched = chosen < HOLE_SLOTS ? chosen : HOLE_SLOTS;
    for (uint32_t slot = 0; slot + words <= searched; slot += words) {
        uint32_t k = 0;
        while (k < words && (slot + k >= pool->slots.count || fits(pool, slot + k, reg)))
            k++;
        if (k == words) {
            chosen = slot;
            break;
        }
    }
    for (uint32_t k = 0; k < words; k++)
        take(pool, chosen + k, reg);
    return chosen;
}

static void pool_free(Pool *pool)
{
    for (uint32_t i = 0; i < pool->slots.count; i++)
        VEC_FREE(&pool->slots.items[i]);
    VEC_FREE(&pool->slots);
    VEC_FREE(&pool->idle);
    VEC_FREE(&pool->heap);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The registers in use by the start of their lives, and by number where that is equal. */
static uint32_t sort_registers(const Function *function, const Lives *lives, uint64_t *keys)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < function->register_count; r++)
        if (lives->first[r] != NO_INDEX)
            keys[count++] = (uint64_t)lives->stretches[lives->first[r]].start << 32 | r;
    if (count)
        qsort(keys, count, sizeof *keys, by_value);
    return count;
}

/* Wide registers come first, narrow ones after them, and the two never share: a warp keeps a register's
 * lanes side by side, so lane 3 of an 8-byte register lies where lanes 6 and 7 of a 4-byte one would, and
 * lanes that have parted would write into each other's values. */
void flow_allocate(const Function *function, const FlowLive *live, Flow *flow, Arena *arena)
{
    Arena scratch = {0};
    const uint8_t *words_of = flow_set_new(function, &scratch).words_of;
    uint64_t *keys = ARENA_ARRAY(&scratch, uint64_t, function->register_count);
    Lives lives = flow_lives_build(function, live);
    Pool wide = {.lives = &lives}, narrow = {.lives = &lives}, predicates = {.lives = &lives};
    flow->slot = ARENA_ARRAY(arena, uint32_t, function->register_count);
    memset(flow->slot, 0xFF, function->register_count * sizeof *flow->slot);
    uint32_t count = sort_registers(function, &lives, keys);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t reg = (uint32_t)keys[k];
        Pool *pool = words_of[reg] > 1 ? &wide : words_of[reg] ? &narrow : &predicates;
        flow->slot[reg] = place(pool, reg, words_of[reg] ? words_of[reg] : 1);
    }
    for (uint32_t r = 0; r < function->register_count; r++)
        if (words_of[r] == 1 && flow->slot[r] != FLOW_NO_SLOT)
            flow->slot[r] += wide.slots.count;
    flow->slot_count = wide.slots.count + narrow.slots.count;
    flow->predicate_count = predicates.slots.count;
    pool_free(&wide);
    pool_free(&narrow);
    pool_free(&predicates);
    flow_lives_free(&lives);
    arena_free(&scratch);
}
