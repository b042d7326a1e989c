/* Live allocations, sorted by address: the simulator gives out ascending addresses, so adding is mostly
 * appending. */
#include "rt/allocation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"

static VEC(RtAllocation) live;

/* The number of allocations that begin at or below the address. */
static uint32_t position(uint64_t address)
{
    uint32_t low = 0, high = live.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (live.items[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void rt_allocation_add(RtAllocation allocation)
{
    uint32_t at = position(allocation.base);
    VEC_RESERVE(&live, live.count + 1);
    memmove(live.items + at + 1, live.items + at, (live.count - at) * sizeof *live.items);
    live.items[at] = allocation;
    live.count++;
}

void rt_allocation_remove(uint64_t base)
{
    uint32_t behind = position(base);
    memmove(live.items + behind - 1, live.items + behind, (live.count - behind) * sizeof *live.items);
    live.count--;
}

RtAllocation *rt_allocation_find(uint64_t address)
{
    uint32_t behind = position(address);
    if (behind == 0)
        return NULL;
    RtAllocation *allocation = &live.items[behind - 1];
    return address - allocation->base < allocation->size ? allocation : NULL;
}

RtAllocation *rt_allocation_at(size_t index) { return index < live.count ? &live.items[index] : NULL; }

const char *rt_allocation_describe(uint64_t address, char *buffer, size_t size)
{
    const RtAllocation *allocation = rt_allocation_find(address);
    if (!allocation)
        return "is no address that is allocated now";
    snprintf(buffer, size, "lies %" PRIu64 " bytes inside the %zu bytes at 0x%" PRIx64,
             address - allocation->base, allocation->size, allocation->base);
    return buffer;
}
