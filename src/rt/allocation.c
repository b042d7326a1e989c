/* Live allocations by address, in a tree: CUDA's calls take pointers into the middle of memory, so the last
 * one that begins before an address must be found quickly. Whose memory it is and how it is freed stands in
 * the entry. */
#include "rt/allocation.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/tree.h"

static Tree live;

void rt_allocation_add(RtAllocation allocation)
{
    RtAllocation *kept = xmalloc(sizeof *kept);
    *kept = allocation;
    kept->device = rt_device();
    tree_add(&live, kept->base, kept);
}

void rt_allocation_remove(uint64_t base)
{
    RtAllocation *allocation = tree_before(&live, base);
    tree_remove(&live, base);
    xfree(allocation);
}

RtAllocation *rt_allocation_before(uint64_t address) { return tree_before(&live, address); }

RtAllocation *rt_allocation_after(uint64_t address) { return tree_neighbours(&live, address).after; }

RtAllocation *rt_allocation_find(uint64_t address)
{
    RtAllocation *allocation = tree_before(&live, address);
    return allocation && address - allocation->base < allocation->size ? allocation : NULL;
}

const char *rt_allocation_describe(uint64_t address, char *buffer, size_t size)
{
    const RtAllocation *allocation = rt_allocation_find(address);
    if (!allocation)
        return "is no address that is allocated now";
    snprintf(buffer, size, "lies %" PRIu64 " bytes inside the %zu bytes at 0x%" PRIx64,
             address - allocation->base, allocation->size, allocation->base);
    return buffer;
}
