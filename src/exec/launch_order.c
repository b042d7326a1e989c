/* Sorting the blocks of a launch by their keys. */
#include "exec/launch_order.h"

#include <stdlib.h>

#include "base/alloc.h"

/* Indices differ, so that no two blocks are equal and any sort gives the same order. */
static int compare(const void *left, const void *right)
{
    const OrderedBlock *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->block < b->block ? -1 : 1;
}

LaunchOrder *launch_order_create(const int32_t *keys, uint64_t count)
{
    LaunchOrder *order = xmalloc(sizeof *order + count * sizeof *order->blocks);
    order->count = count;
    for (uint64_t i = 0; i < count; i++)
        order->blocks[i] = (OrderedBlock){i, keys[i]};
    qsort(order->blocks, count, sizeof *order->blocks, compare);
    return order;
}
