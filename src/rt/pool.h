/* Memory that is allocated and freed in the order of a stream, from pools.
 *
 * A pool only counts: memory comes from the simulator block by block. When a stream has come to the
 * free of a block it is kept for the next request of its size, because giving it back would make the
 * simulator wait for everything. What a pool is said to reserve is what CUDA would: whole chunks, of
 * which the release threshold remains when blocks are freed. */
#ifndef RT_POOL_H
#define RT_POOL_H

#include "rt/allocation.h"
#include "rt/stream.h"

/* RtPool is what cudaMemPool_t and CUmemoryPool point to: memory of the device that it was created on.
 * maximum_bytes 0: no limit. */
RtError rt_pool_create(uint64_t maximum_bytes, RtPool **pool);
/* `handle_types`: CUmemAllocationHandleType by which other processes may have it: 0 none, 1 file
 * descriptors. */
RtError rt_pool_make_shareable(RtPool *pool, int handle_types);
bool rt_pool_is_shareable(const RtPool *pool);
/* Memory of it that is in use stays so. */
RtError rt_pool_destroy(void *handle);
RtError rt_pool_get(const void *handle, RtPool **pool);
int rt_pool_device(const RtPool *pool);
/* Of the device. */
RtPool *rt_pool_default(void);
/* From which cudaMallocAsync takes. */
RtPool *rt_pool_current(void);
RtError rt_pool_set_current(RtPool *pool);
/* Who may use its memory: bit i stands for device i, its own is always set. */
uint32_t rt_pool_access(const RtPool *pool);
RtError rt_pool_set_access(RtPool *pool, int device, bool may);

/* Attributes by CUDA's numbers; value points to an int (1 to 3) or to 64 bits (4 to 8). */
RtError rt_pool_attribute(RtPool *pool, int attribute, void *value);
RtError rt_pool_set_attribute(RtPool *pool, int attribute, const void *value);
RtError rt_pool_trim(RtPool *pool, size_t keep);

/* While the stream captures both become nodes of its graph. */
RtError rt_pool_alloc(RtPool *pool, size_t size, RtStream *stream, uint64_t *address);
RtError rt_pool_free(uint64_t address, RtStream *stream);
/* Memory of an allocation node: it stays at its address until the graph drops it; launching the node makes it
 * usable, and freeing it, in the graph or outside, is only noted. */
RtError rt_graph_memory_alloc(size_t size, uint64_t *address);
RtError rt_graph_memory_drop(uint64_t address);
/* Issues RT_ALLOCATE and RT_RELEASE; the address of the latter may be of a pool, too. */
RtError rt_memory_issue(const RtOperation *operation, WbStream *stream);

/* Whether the address is in a block that has been freed and serves nobody. */
bool rt_pool_has_idle(uint64_t address);
/* Frees the block of a pool at once: everything has been waited for. */
RtError rt_pool_free_now(uint64_t address);
/* Gives blocks that serve nobody back to the simulator, which waits for everything. */
void rt_pool_collect(void);
/* Memory of the device, without a record of it; takes idle blocks back first if there is no room
 * otherwise. */
RtError rt_memory_obtain(size_t size, uint64_t *address);

#endif
