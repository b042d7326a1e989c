/* Memory of allocation nodes. Its address is fixed when the node is made, so it is allocated then; whether
 * the program may use it is noted by the allocation (pool.h). Here is who holds it, and what CUDA would
 * count. */
#include "rt/graph.h"

#include <inttypes.h>

#include "base/vec.h"
#include "rt/pool.h"

typedef struct Block {
    int device;
    uint64_t address;
    size_t size;
    uint32_t holders;
} Block;

enum { USED, USED_HIGH, RESERVED, RESERVED_HIGH };

static VEC(Block) blocks;
/* What CUDA would have put aside for graphs on each device, in chunks as an H200 does: launches take turns at
 * it, whatever graph they are of, and it stays until it is trimmed. All of it counts as used. */
typedef struct Aside {
    uint64_t reserved, high[RESERVED_HIGH + 1];
} Aside;
static Aside asides[RT_DEVICES];
static const uint64_t chunk = 32 * 1024 * 1024;

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
    RT_ON(block->device, rt_check(wb_wait(rt_gpu())));
    rt_graph_memory_drop(block->address);
    /* The order of blocks does not matter; the caller looks at this place again. */
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
    VEC_PUSH(&blocks, ((Block){.device = rt_allocation_find(address)->device,
                                .address = address,
                                .size = size,
                                .holders = 1}));
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

static uint64_t used_chunks(uint64_t more)
{
    uint64_t bytes = more;
    for (uint32_t i = 0; i < blocks.count; i++) {
        if (blocks.items[i].device == rt_device() && is_used(&blocks.items[i]))
            bytes += blocks.items[i].size;
    }
    return (bytes + chunk - 1) / chunk * chunk;
}

uint64_t rt_graph_memory_size(uint64_t address)
{
    const Block *block = find(address);
    return block ? block->size : 0;
}

void rt_graph_memory_reserve(uint64_t bytes)
{
    Aside *aside = &asides[rt_device()];
    const uint64_t needed = used_chunks(bytes);
    if (aside->reserved < needed)
        aside->reserved = needed;
    /* Both marks follow what is reserved, as an H200 shows them. */
    for (int i = USED_HIGH; i <= RESERVED_HIGH; i += RESERVED_HIGH - USED_HIGH) {
        if (aside->high[i] < aside->reserved)
            aside->high[i] = aside->reserved;
    }
}

/* Whether what is in the nodes before the new one frees the address as often as nodes of the graph allocate
 * it. */
static bool is_free_before(const RtGraph *graph, const bool *is_before, uint64_t address)
{
    uint32_t taken = 0, freed = 0;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const RtOperation *operation = &graph->nodes.items[i]->operation;
        /* A new node may use an address again only if every earlier allocation of it has been freed on all
         * ways to the node: else two parts of the graph could use it at once. */
        taken += operation->kind == RT_ALLOCATE && operation->memory.address == address;
        freed += operation->kind == RT_RELEASE && operation->memory.address == address && is_before[i];
    }
    return taken == freed;
}

RtError rt_graph_memory_place(const RtGraph *graph, RtNode *const *dependencies, size_t count, size_t size,
                              uint64_t *address)
{
    bool *is_before = xcalloc(graph->nodes.count + 1, sizeof *is_before);
    RtNodes list = {0};
    for (size_t i = 0; i < count; i++)
        VEC_PUSH(&list, dependencies[i]);
    rt_nodes_mark_before(&list, is_before);
    *address = 0;
    for (uint32_t i = 0; i < graph->nodes.count && !*address; i++) {
        const RtOperation *operation = &graph->nodes.items[i]->operation;
        if (operation->kind == RT_ALLOCATE && operation->device == rt_device() &&
            rt_graph_memory_size(operation->memory.address) >= size &&
            is_free_before(graph, is_before, operation->memory.address))
            *address = operation->memory.address;
    }
    xfree(is_before);
    return *address ? RT_SUCCESS : rt_graph_memory_alloc(size, address);
}

RtError rt_graph_memory_attribute(int attribute, uint64_t *value)
{
    switch (attribute) {
    case USED:
    case RESERVED:
        *value = asides[rt_device()].reserved;
        return RT_SUCCESS;
    case USED_HIGH:
    case RESERVED_HIGH:
        *value = asides[rt_device()].high[attribute];
        return RT_SUCCESS;
    default:
        return rt_fail(RT_INVALID_VALUE, "%d is no attribute of the graphs' memory: 0 to 3 are.", attribute);
    }
}

RtError rt_graph_memory_reset(int attribute, uint64_t value)
{
    if ((attribute != USED_HIGH && attribute != RESERVED_HIGH) || value)
        return rt_fail(RT_INVALID_VALUE, "Of the graphs' memory only the maxima (1 and 3) can be set, to 0.");
    asides[rt_device()].high[attribute] = asides[rt_device()].reserved;
    return RT_SUCCESS;
}

void rt_graph_memory_trim(void)
{
    for (uint32_t i = 0; i < blocks.count;) {
        if (blocks.items[i].device != rt_device() || !drop_if_free(&blocks.items[i]))
            i++;
    }
    const uint64_t needed = used_chunks(0);
    if (asides[rt_device()].reserved > needed)
        asides[rt_device()].reserved = needed;
}
