/* Memory of allocation nodes. Its address is fixed when the node is made, so it is allocated then; whether
 * the program may use it is noted by the allocation (pool.h). Here is who holds it, and what CUDA would
 * count. */
#include "rt/graph.h"

#include <inttypes.h>

#include "base/vec.h"
#include "rt/pool.h"

typedef struct Block {
    uint64_t address;
    size_t size;
    uint32_t holders;
    bool is_reserved; /* launched since it was made or trimmed */
} Block;

enum { USED, USED_HIGH, RESERVED, RESERVED_HIGH, ATTRIBUTE_COUNT };

static VEC(Block) blocks;
static uint64_t high[ATTRIBUTE_COUNT];

static Block *find(uint64_t address)
{
    for (uint32_t i = 0; i < blocks.count; i++) {
        if (blocks.items[i].address == address)
            return &blocks.items[i];
    }
    return NULL;
}

static bool is_used(const Block *block)
{
    const RtAllocation *allocation = rt_allocation_find(block->address);
    return allocation && !allocation->released;
}

static void set_released(uint64_t address)
{
    RtAllocation *allocation = rt_allocation_find(address);
    if (allocation)
        allocation->released = true;
}

/* Gives a block back if nothing holds or uses it; streams may still be on their way to its last use. */
static bool drop_if_free(Block *block)
{
    if (block->holders || is_used(block))
        return false;
    rt_check(wb_wait(rt_gpu()));
    rt_graph_memory_drop(block->address);
    *block = blocks.items[--blocks.count];
    return true;
}

void rt_graph_memory_retain(uint64_t address, size_t size)
{
    Block *block = find(address);
    if (block) {
        block->holders++;
        return;
    }
    VEC_PUSH(&blocks, ((Block){.address = address, .size = size, .holders = 1}));
    set_released(address);
}

void rt_graph_memory_release(uint64_t address)
{
    Block *block = find(address);
    if (block && --block->holders == 0)
        drop_if_free(block);
}

RtError rt_graph_memory_check(uint64_t address, bool frees_first)
{
    const Block *block = find(address);
    if (!block || !is_used(block))
        return RT_SUCCESS;
    if (!frees_first)
        return rt_fail(RT_INVALID_VALUE,
                       "The graph allocates 0x%" PRIx64 ", which its last launch has left allocated: free it "
                       "first, or instantiate the graph with cudaGraphInstantiateFlagAutoFreeOnLaunch.",
                       address);
    set_released(address);
    return RT_SUCCESS;
}

static uint64_t sum(bool of_used)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < blocks.count; i++) {
        if (of_used ? is_used(&blocks.items[i]) : blocks.items[i].is_reserved)
            bytes += blocks.items[i].size;
    }
    return bytes;
}

static void raise(int attribute, uint64_t value)
{
    if (high[attribute] < value)
        high[attribute] = value;
}

void rt_graph_memory_use(uint64_t address)
{
    Block *block = find(address);
    if (block)
        block->is_reserved = true;
    raise(USED_HIGH, sum(true));
    raise(RESERVED_HIGH, sum(false));
}

RtError rt_graph_memory_attribute(int attribute, uint64_t *value)
{
    switch (attribute) {
    case USED:
        *value = sum(true);
        return RT_SUCCESS;
    case RESERVED:
        *value = sum(false);
        return RT_SUCCESS;
    case USED_HIGH:
    case RESERVED_HIGH:
        *value = high[attribute];
        return RT_SUCCESS;
    default:
        return rt_fail(RT_INVALID_VALUE, "%d is no attribute of the graphs' memory: 0 to 3 are.", attribute);
    }
}

RtError rt_graph_memory_reset(int attribute, uint64_t value)
{
    if ((attribute != USED_HIGH && attribute != RESERVED_HIGH) || value)
        return rt_fail(RT_INVALID_VALUE, "Of the graphs' memory only the maxima (1 and 3) can be set, to 0.");
    high[attribute] = 0;
    return RT_SUCCESS;
}

void rt_graph_memory_trim(void)
{
    for (uint32_t i = 0; i < blocks.count;) {
        if (drop_if_free(&blocks.items[i]))
            continue;
        blocks.items[i].is_reserved = is_used(&blocks.items[i]);
        i++;
    }
}
