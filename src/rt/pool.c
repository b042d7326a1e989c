/* Pools, and memory that is freed when a stream comes to it. Pools only count: what CUDA would reserve and
 * use. The memory itself comes from one list of idle blocks, so it is found again whatever pool it was of. */
#include "rt/pool.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "rt/graph.h"
#include "rt/ipc.h"

enum { FIRST_NUMBER = 4, ATTRIBUTE_END = 9 };
enum { REUSE_END = 4, RELEASE_THRESHOLD = 4, RESERVED, RESERVED_HIGH, USED, USED_HIGH };
static const uint64_t chunk = 32 * 1024 * 1024;

/* Invariant: used is the sum of its blocks' sizes, used <= reserved; numbers[] are by attribute. */
struct RtPool {
    int device;
    uint32_t access; /* of other devices, a bit each */
    int reuse[REUSE_END]; /* kept for whoever asks: blocks are reused whatever they say */
    uint64_t numbers[ATTRIBUTE_END];
    uint64_t maximum_bytes; /* 0: no limit */
    uint32_t blocks;
    bool is_destroyed; /* lives on while it has blocks */
    bool is_shareable; /* with other processes */
};

static RtPool default_pools[RT_DEVICES] = {[0 ... RT_DEVICES - 1] = {.reuse = {0, 1, 1, 1}}};
static RtPool *current_pools[RT_DEVICES]; /* null: the default one */
/* Blocks whose free has been reached: they belong to no pool any more and serve requests of the same size. */
typedef struct IdleBlock {
    uint64_t base;
    size_t size;
    int device;
} IdleBlock;
static VEC(IdleBlock) idle;
static uint64_t idle_bytes;
static const uint64_t idle_limit = 1024 * 1024 * 1024;

static uint64_t greater(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t lesser(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t in_chunks(uint64_t bytes) { return (bytes + chunk - 1) / chunk * chunk; }

/* Lets go of what is reserved beyond `keep` bytes and not in use. */
static void shrink(RtPool *pool, uint64_t keep)
{
    /* Never below what is in use. */
    if (keep < pool->numbers[RESERVED])
        pool->numbers[RESERVED] = in_chunks(greater(pool->numbers[USED], keep));
}

static void take(RtPool *pool, uint64_t size)
{
    uint64_t *numbers = pool->numbers;
    numbers[USED] += size;
    numbers[RESERVED] = greater(numbers[RESERVED], in_chunks(numbers[USED]));
    numbers[USED_HIGH] = greater(numbers[USED_HIGH], numbers[USED]);
    numbers[RESERVED_HIGH] = greater(numbers[RESERVED_HIGH], numbers[RESERVED]);
    pool->blocks++;
}

static void give(RtPool *pool, uint64_t size)
{
    pool->numbers[USED] -= size;
    pool->blocks--;
    shrink(pool, pool->numbers[RELEASE_THRESHOLD]);
    if (pool->is_destroyed && pool->blocks == 0)
        xfree(pool);
}

/* -- pools -- */

RtError rt_pool_create(uint64_t maximum_bytes, RtPool **pool)
{
    RtPool *made = xcalloc(1, sizeof *made);
    *made = (RtPool){.device = rt_device(), .reuse = {0, 1, 1, 1}, .maximum_bytes = maximum_bytes};
    rt_handle_add(RT_HANDLE_POOL, made);
    *pool = made;
    return RT_SUCCESS;
}

RtError rt_pool_make_shareable(RtPool *pool, int handle_types)
{
    enum { FILE_DESCRIPTOR = 1 };
    if (handle_types & ~FILE_DESCRIPTOR)
        return rt_fail(RT_NOT_SUPPORTED,
                       "Pools can be exported as file descriptors (1) only, not as type %d.", handle_types);
    pool->is_shareable = handle_types & FILE_DESCRIPTOR;
    return RT_SUCCESS;
}

bool rt_pool_is_shareable(const RtPool *pool) { return pool->is_shareable; }

static bool is_default(const RtPool *pool)
{
    return pool >= default_pools && pool < default_pools + RT_DEVICES;
}

RtError rt_pool_get(const void *handle, RtPool **pool)
{
    if (!is_default(handle) && !rt_handle_is_live(RT_HANDLE_POOL, handle))
        return rt_fail(RT_INVALID_VALUE, "%p is no memory pool, or one that has been destroyed.", handle);
    *pool = (RtPool *)(uintptr_t)handle;
    return RT_SUCCESS;
}

RtError rt_pool_destroy(void *handle)
{
    RtPool *pool = NULL;
    RtError error = rt_pool_get(handle, &pool);
    if (error == RT_SUCCESS && is_default(pool))
        error = rt_fail(RT_INVALID_VALUE, "The device's default pool cannot be destroyed.");
    if (error != RT_SUCCESS)
        return error;
    rt_handle_remove(RT_HANDLE_POOL, pool);
    if (current_pools[pool->device] == pool)
        current_pools[pool->device] = NULL;
    pool->is_destroyed = true;
    if (pool->blocks == 0)
        xfree(pool);
    return RT_SUCCESS;
}

int rt_pool_device(const RtPool *pool) { return pool->device; }

RtPool *rt_pool_default(void)
{
    RtPool *pool = &default_pools[rt_device()];
    pool->device = rt_device();
    return pool;
}

RtPool *rt_pool_current(void)
{
    RtPool *set = current_pools[rt_device()];
    return set ? set : rt_pool_default();
}

RtError rt_pool_set_current(RtPool *pool)
{
    if (pool->device != rt_device())
        return rt_fail(RT_INVALID_VALUE, "The pool is of device %d and cannot be that of device %d.",
                       pool->device, rt_device());
    current_pools[rt_device()] = pool;
    return RT_SUCCESS;
}

static RtError check_attribute(int attribute, const void *value)
{
    if (!value)
        return rt_fail(RT_INVALID_VALUE, "The place of the attribute's value is a null pointer.");
    if (attribute < 1 || attribute >= ATTRIBUTE_END)
        return rt_fail(RT_INVALID_VALUE, "%d is no attribute of a memory pool.", attribute);
    return RT_SUCCESS;
}

RtError rt_pool_attribute(RtPool *pool, int attribute, void *value)
{
    RtError error = check_attribute(attribute, value);
    if (error != RT_SUCCESS)
        return error;
    if (attribute < FIRST_NUMBER)
        memcpy(value, &pool->reuse[attribute], sizeof pool->reuse[attribute]);
    else
        memcpy(value, &pool->numbers[attribute], sizeof pool->numbers[attribute]);
    return RT_SUCCESS;
}

RtError rt_pool_set_attribute(RtPool *pool, int attribute, const void *value)
{
    RtError error = check_attribute(attribute, value);
    if (error != RT_SUCCESS)
        return error;
    if (attribute < FIRST_NUMBER) {
        memcpy(&pool->reuse[attribute], value, sizeof pool->reuse[attribute]);
        return RT_SUCCESS;
    }
    uint64_t number;
    memcpy(&number, value, sizeof number);
    if (attribute == RELEASE_THRESHOLD) {
        pool->numbers[attribute] = number;
        return RT_SUCCESS;
    }
    if ((attribute != RESERVED_HIGH && attribute != USED_HIGH) || number != 0)
        return rt_fail(RT_INVALID_VALUE,
                       "Of what a pool counts, only the high-water marks can be set, to 0.");
    /* CUDA: a mark set to 0 begins again at what it marks, which is the attribute before it. */
    pool->numbers[attribute] = pool->numbers[attribute - 1];
    return RT_SUCCESS;
}

RtError rt_pool_trim(RtPool *pool, size_t keep)
{
    shrink(pool, keep);
    return RT_SUCCESS;
}

/* -- blocks -- */

/* An idle block of that size on the device, or 0. */
static uint64_t take_idle(size_t size)
{
    for (uint32_t i = idle.count; i-- > 0;) {
        const IdleBlock block = idle.items[i];
        if (block.size != size || block.device != rt_device())
            continue;
        idle.items[i] = idle.items[--idle.count];
        idle_bytes -= size;
        return block.base;
    }
    return 0;
}

bool rt_pool_has_idle(uint64_t address)
{
    for (uint32_t i = 0; i < idle.count; i++) {
        /* Addresses below the base wrap around to huge numbers, so one comparison does. */
        if (address - idle.items[i].base < idle.items[i].size)
            return true;
    }
    return false;
}

void rt_pool_collect(void)
{
    for (uint32_t i = 0; i < idle.count; i++)
        RT_ON(idle.items[i].device, rt_check(wb_free(rt_gpu(), idle.items[i].base)));
    idle.count = 0;
    idle_bytes = 0;
}

/* Where there is no room, streams may be on their way to the frees that make some. */
RtError rt_memory_obtain(size_t size, uint64_t *address)
{
    WbStatus status = wb_malloc(rt_gpu(), size, address);
    if (status == WB_ERROR_OUT_OF_MEMORY) {
        RtError error = rt_check(wb_wait(rt_gpu()));
        if (error != RT_SUCCESS)
            return error;
        rt_pool_collect();
        status = wb_malloc(rt_gpu(), size, address);
    }
    return rt_check(status);
}

uint32_t rt_pool_access(const RtPool *pool) { return pool->access | (uint32_t)1 << pool->device; }

static RtError obtain_block(RtPool *pool, size_t size, uint64_t *address)
{
    if (idle_bytes > idle_limit)
        rt_pool_collect();
    *address = take_idle(size);
    RtError error = *address ? RT_SUCCESS : rt_memory_obtain(size, address);
    if (error != RT_SUCCESS)
        return error;
    rt_allocation_add((RtAllocation){.base = *address, .size = size, .kind = RT_POOL_MEMORY, .pool = pool});
    take(pool, size);
    return rt_check(wb_memory_grant(rt_gpu(), *address, rt_pool_access(pool)));
}

RtError rt_pool_set_access(RtPool *pool, int device, bool may)
{
    const uint32_t bit = (uint32_t)1 << device;
    RtError error = RT_SUCCESS;
    pool->access = may ? pool->access | bit : pool->access & ~bit;
    /* What it has given out before is meant, too. */
    const uint32_t devices = rt_pool_access(pool);
    const RtAllocation *block = rt_allocation_after(0);
    for (; block && !error; block = rt_allocation_after(block->base))
        if (block->pool == pool)
            error = RT_ON(pool->device, rt_check(wb_memory_grant(rt_gpu(), block->base, devices)));
    return error;
}

/* The block leaves its pool and becomes idle. */
static void retire(uint64_t base)
{
    const RtAllocation block = *rt_allocation_find(base);
    rt_allocation_remove(base);
    give(block.pool, block.size);
    VEC_PUSH(&idle, ((IdleBlock){base, block.size, block.device}));
    idle_bytes += block.size;
}

/* Allocates in a graph: the memory belongs to the node. */
static RtError alloc_captured(size_t size, RtStream *stream, uint64_t *address)
{
    RtOperation operation = {.kind = RT_ALLOCATE, .memory = {.size = size}};
    RtError error = rt_stream_do(stream, &operation);
    if (error == RT_SUCCESS)
        *address = stream->frontier.items[0]->operation.memory.address;
    return error;
}

RtError rt_pool_alloc(RtPool *pool, size_t size, RtStream *stream, uint64_t *address)
{
    *address = 0;
    if (size == 0)
        return RT_SUCCESS;
    if (stream->capture)
        return RT_ON(pool->device, alloc_captured(size, stream, address));
    RtError error = rt_capture_forbids_work(stream);
    if (error != RT_SUCCESS)
        return error;
    if (pool->maximum_bytes && size > pool->maximum_bytes - lesser(pool->numbers[USED], pool->maximum_bytes))
        return rt_fail(RT_MEMORY_ALLOCATION,
                       "%zu bytes do not fit into the pool, which uses %" PRIu64 " of at most %" PRIu64 ".",
                       size, pool->numbers[USED], pool->maximum_bytes);
    return RT_ON(pool->device, obtain_block(pool, size, address));
}

RtError rt_pool_free(uint64_t address, RtStream *stream)
{
    char text[128];
    if (address == 0)
        return rt_fail(RT_INVALID_VALUE, "A null pointer cannot be freed in a stream.");
    if (rt_ipc_is_pointer(address))
        return rt_ipc_close(address);
    const RtAllocation *block = rt_allocation_find(address);
    if (!block || block->base != address || (block->kind != RT_POOL_MEMORY && block->kind != RT_GRAPH_MEMORY))
        return rt_fail(RT_INVALID_VALUE,
                       "0x%" PRIx64
                       " cannot be freed in a stream: it %s; only what cudaMallocAsync returned.",
                       address, rt_allocation_describe(address, text, sizeof text));
    RtOperation operation = {.kind = RT_RELEASE, .memory = {address, block->size}};
    return rt_stream_do(stream, &operation);
}

/* Runs inside the simulator when the stream has come to the free. */
static void reach(void *context) { retire((uint64_t)(uintptr_t)context); }

RtError rt_memory_issue(const RtOperation *operation, WbStream *stream)
{
    RtAllocation *block = rt_allocation_find(operation->memory.address);
    if (!block || (block->kind != RT_POOL_MEMORY && block->kind != RT_GRAPH_MEMORY))
        return rt_fail(RT_INVALID_VALUE, "The memory at 0x%" PRIx64 " is gone.", operation->memory.address);
    const bool frees = operation->kind == RT_RELEASE;
    if (frees && block->released)
        return rt_fail(RT_INVALID_VALUE, "0x%" PRIx64 " was freed already.", block->base);
    block->released = frees;
    /* Memory of a graph stays allocated: the next launch uses it at the same address. */
    if (!frees || block->kind == RT_GRAPH_MEMORY)
        return RT_SUCCESS;
    return rt_check(wb_stream_call(rt_gpu(), stream, reach, (void *)(uintptr_t)block->base));
}

RtError rt_pool_free_now(uint64_t address)
{
    retire(address);
    return RT_SUCCESS;
}

RtError rt_graph_memory_alloc(size_t size, uint64_t *address)
{
    RtError error = rt_memory_obtain(size, address);
    if (error == RT_SUCCESS)
        rt_allocation_add((RtAllocation){.base = *address, .size = size, .kind = RT_GRAPH_MEMORY});
    return error;
}

RtError rt_graph_memory_drop(uint64_t address)
{
    const int device = rt_allocation_find(address)->device;
    rt_allocation_remove(address);
    return RT_ON(device, rt_check(wb_free(rt_gpu(), address)));
}
