/* Random order: all blocks are ready at once, in an order that the knob seed chooses.
 *
 * CUDA promises no order of blocks. A program whose result, or whose end, depends on the usual one fails
 * here; runs with several seeds also show how much a kernel's time owes to its order. Differs from no paper:
 * a tool of ours.
 *
 * The order is a permutation computed block by block: a Feistel network over the next even number of bits,
 * walked until it gives an index that exists, so that it needs no memory however large the grid is. */
#include "grid/policy.h"

#include "base/alloc.h"

enum { ROUNDS = 4 };

/* Invariant: dispatched < block_count; half_bits twice hold every index. */
typedef struct RandomOrder {
    uint64_t dispatched;
    unsigned half_bits;
    uint64_t keys[ROUNDS];
} RandomOrder;

/* SplitMix64: one step of a generator that is good from any state [Steele et al., OOPSLA 2014]. */
static uint64_t mix(uint64_t value)
{
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

static void *init(const DispatchView *view, const GridKernel *kernel, void *counters)
{
    (void)counters;
    RandomOrder *order = xcalloc(1, sizeof *order);
    while (kernel->block_count > (uint64_t)1 << 2 * order->half_bits)
        order->half_bits++;
    for (unsigned i = 0; i < ROUNDS; i++)
        order->keys[i] = mix(view->config->seed + i);
    return order;
}

static uint64_t permute(const RandomOrder *order, uint64_t index)
{
    const uint64_t mask = ((uint64_t)1 << order->half_bits) - 1;
    uint64_t left = index >> order->half_bits, right = index & mask;
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint64_t mixed = left ^ (mix(right ^ order->keys[i]) & mask);
        left = right;
        right = mixed;
    }
    return left << order->half_bits | right;
}

static bool next(const void *state, const DispatchView *view, const GridKernel *kernel, uint64_t *block)
{
    (void)view;
    const RandomOrder *order = state;
    if (order->dispatched >= kernel->block_count)
        return false;
    *block = order->dispatched;
    do
        *block = permute(order, *block);
    while (*block >= kernel->block_count);
    return true;
}

static void block_started(void *state, const DispatchView *view, const BlockRef *block)
{
    (void)view, (void)block;
    ((RandomOrder *)state)->dispatched++;
}

extern const BlockSource source_random_order;
const BlockSource source_random_order = {
    .base =
        {
            .about =
                {
                    .name = "random-order",
                    .description = "Blocks in an order that the knob seed chooses",
                    .source = "A tool of ours: CUDA promises no order",
                },
            .init = init,
            .free = xfree,
            .block_started = block_started,
        },
    .next = next,
};
