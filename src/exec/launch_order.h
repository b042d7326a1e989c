/* The order in which the blocks of a launch begin, where the launch gives one: a sort key for each block
 * (TB_order, [sync thesis §6.3.3]). The lowest key comes first; blocks of one key follow each other by index,
 * and the dispatcher spreads them over SMs (grid/source/block_order.c). */
#ifndef EXEC_LAUNCH_ORDER_H
#define EXEC_LAUNCH_ORDER_H

#include <stdint.h>

typedef struct OrderedBlock {
    uint64_t block;
    int32_t key;
} OrderedBlock;

/* Invariant: blocks[] has every index below count once, sorted by key and then by index. */
typedef struct LaunchOrder {
    uint64_t count;
    OrderedBlock blocks[];
} LaunchOrder;

/* Of keys[count], the key of block i at i; they are copied. xfree() frees it. */
LaunchOrder *launch_order_create(const int32_t *keys, uint64_t count);

/* The block that begins as number `place` of the launch; without an order the one of that index. */
static inline uint64_t launch_order_block(const LaunchOrder *order, uint64_t place)
{
    return order ? order->blocks[place].block : place;
}

#endif
