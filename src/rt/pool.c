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
    int reuse[REUSE_END]; /* kept for whoever asks: blocks are reused whatever they say */
    uint64_t numbers[ATTRIBUTE_END];
    uint64_t maximum_bytes; /* 0: no limit */
    uint32_t blocks;
    bool is_destroyed; /* lives on while it has blocks */
    bool is_shareable; /* with other processes */
};

static RtPool default_pool = {.reuse = {0, 1, 1, 1}};
static RtPool *current_pool = &default_pool;
/* Blocks whose free has been reached: they belong to no pool any more and serve requests of the same size. */
typedef struct IdleBlock {
    uint64_t base;
    size_t size;
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
    *made = (RtPool){.reuse = {0, 1, 1, 1}, .maximum_bytes = maximum_bytes};
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

RtError rt_pool_get(const void *handle, RtPool **pool)
{
    if (handle != &default_pool && !rt_handle_is_live(RT_HANDLE_POOL, handle))
        return rt_fail(RT_INVALID_VALUE, "%p is no memory pool, or one that has been destroyed.", handle);
    *pool = (RtPool *)(uintptr_t)handle;
    return RT_SUCCESS;
}

RtError rt_pool_destroy(void *handle)
{
    RtPool *pool = NULL;
    RtError error = rt_pool_get(handle, &pool);
    if (error == RT_SUCCESS && pool == &default_pool)
        error = rt_fail(RT_INVALID_VALUE, "The device's default pool cannot be destroyed.");
    if (error != RT_SUCCESS)
        return error;
    rt_handle_remove(RT_HANDLE_POOL, pool);
    if (current_pool == pool)
        current_pool = &default_pool;
    pool->is_destroyed = true;
    if (pool->blocks == 0)
        xfree(pool);
    return RT_SUCCESS;
}

RtPool *rt_pool_default(void) { return &default_pool; }

RtPool *rt_pool_current(void) { return current_pool; }

void rt_pool_set_current(RtPool *pool) { current_pool = pool; }

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

/* An idle block of that size, or 0. */
static uint64_t take_idle(size_t size)
{
    for (uint32_t i = idle.count; i-- > 0;) {
        const IdleBlock block = idle.items[i];
        if (block.size != size)
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
        rt_check(wb_free(rt_gpu(), idle.items[i].base));
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
    return RT_SUCCESS;
}

/* The block leaves its pool and becomes idle. */
static void retire(uint64_t base)
{
    const RtAllocation block = *rt_allocation_find(base);
    rt_allocation_remove(base);
    give(block.pool, block.size);
    VEC_PUSH(&idle, ((IdleBlock){base, block.size}));
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
        return alloc_captured(size, stream, address);
    RtError error = rt_capture_forbids_work(stream);
    if (error != RT_SUCCESS)
        return error;
    if (pool->maximum_bytes && size > pool->maximum_bytes - lesser(pool->numbers[USED], pool->maximum_bytes))
        return rt_fail(RT_MEMORY_ALLOCATION,
                       "%zu bytes do not fit into the pool, which uses %" PRIu64 " of at most %" PRIu64 ".",
                       size, pool->numbers[USED], pool->maximum_bytes);
    return obtain_block(pool, size, address);
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
    rt_allocation_remove(address);
    return rt_check(wb_free(rt_gpu(), address));
}
