/* Device memory: allocated one by one, freed by cudaFree whatever made it. Each kind of memory has its own
 * way to go, and a pointer that cannot be freed here is told what it is. */
#include "rt/memory.h"

#include <inttypes.h>

#include "rt/graph.h"
#include "rt/ipc.h"
#include "rt/pool.h"
#include "rt/virtual.h"

enum { PITCH = 512 };

RtError rt_memory_alloc(size_t size, uint64_t *address)
{
    *address = 0;
    /* CUDA: an allocation of nothing succeeds and gives a null pointer. */
    if (size == 0)
        return RT_SUCCESS;
    RtError error = rt_capture_forbids_unsafe();
    if (error == RT_SUCCESS)
        error = rt_memory_obtain(size, address);
    if (error == RT_SUCCESS)
        rt_allocation_add((RtAllocation){.base = *address, .size = size, .kind = RT_DEVICE_MEMORY});
    return error;
}

RtError rt_memory_alloc_pitched(size_t width, size_t height, uint64_t *address, size_t *pitch)
{
    size_t row, total;
    *address = 0;
    if (__builtin_add_overflow(width, (size_t)PITCH - 1, &row))
        return rt_fail(RT_INVALID_VALUE, "rows of %zu bytes are too long to be padded.", width);
    *pitch = row / PITCH * PITCH;
    if (__builtin_mul_overflow(*pitch, height, &total))
        return rt_fail(RT_MEMORY_ALLOCATION, "%zu rows of %zu bytes are more than any GPU has.", height,
                       *pitch);
    return rt_memory_alloc(total, address);
}

/* What memory that has its own way of being freed is, and that way; null for all other. */
static const char *not_freed_here(RtAllocationKind kind)
{
    switch (kind) {
    case RT_ARRAY_MEMORY:
        return "an array's; use cudaFreeArray";
    case RT_MAPPED_MEMORY:
        return "mapped; use cuMemUnmap";
    case RT_IMPORTED_MEMORY:
        return "another process's; use cudaIpcCloseMemHandle";
    case RT_HOST_MEMORY:
    case RT_REGISTERED_MEMORY:
        return "host memory; use cudaFreeHost or cudaHostUnregister";
    default:
        return NULL;
    }
}

/* What a pointer that a program wants to free is, if it may. */
static RtError find_to_free(uint64_t address, RtAllocation *found)
{
    char text[128];
    const RtAllocation *allocation = rt_allocation_find(address);
    if (!allocation || allocation->base != address)
        return rt_fail(RT_INVALID_VALUE,
                       "0x%" PRIx64
                       " cannot be freed: it %s; free what an allocation returned, and that once.",
                       address, rt_allocation_describe(address, text, sizeof text));
    if (allocation->released)
        return rt_fail(RT_INVALID_VALUE, "0x%" PRIx64 " cannot be freed: it was freed in a stream already.",
                       address);
    const char *culprit = rt_ipc_is_pointer(address) ? NULL : not_freed_here(allocation->kind);
    if (culprit)
        return rt_fail(RT_INVALID_VALUE, "0x%" PRIx64 " cannot be freed: it is %s.", address, culprit);
    *found = *allocation;
    return RT_SUCCESS;
}

/* CUDA: cudaFree waits for all that runs, since it might use the memory: on other devices, too. */
static RtError free_found(uint64_t address, RtAllocationKind kind)
{
    RtError error = rt_wait_to_free_host();
    if (error != RT_SUCCESS)
        return error;
    switch (kind) {
    case RT_IMPORTED_MEMORY:
        return rt_ipc_close(address);
    case RT_POOL_MEMORY:
        return rt_pool_free_now(address);
    case RT_GRAPH_MEMORY:
        /* It belongs to its graph, which gives it out again at its next launch. */
        rt_allocation_find(address)->released = true;
        return RT_SUCCESS;
    case RT_MANAGED_MEMORY:
        return rt_host_drop(address);
    default:
        rt_allocation_remove(address);
        return rt_check(wb_free(rt_gpu(), address));
    }
}

RtError rt_memory_free(uint64_t address)
{
    RtAllocation found = {0};
    if (address == 0)
        return RT_SUCCESS;
    RtError error = find_to_free(address, &found);
    return error ? error : RT_ON(found.device, free_found(address, found.kind));
}

RtError rt_memory_check_freed(uint64_t address, const char *what)
{
    const RtAllocation *allocation = rt_allocation_find(address);
    const bool is_released = allocation && allocation->kind == RT_POOL_MEMORY && allocation->released;
    if (!is_released && (allocation || !rt_pool_has_idle(address)))
        return RT_SUCCESS;
    return rt_fail(RT_INVALID_VALUE,
                   "The %s, 0x%" PRIx64
                   ", is in memory that was freed by cudaFreeAsync before: use it before that "
                   "call, or allocate it anew.",
                   what, address);
}

RtError rt_memory_info(size_t *free, size_t *total)
{
    uint64_t free_bytes, total_bytes;
    RtError error = rt_check(wb_memory_size(rt_gpu(), &total_bytes, &free_bytes));
    if (error == RT_SUCCESS) {
        const uint64_t mapped = rt_physical_total(); /* which the simulator does not count */
        *free = (size_t)(free_bytes > mapped ? free_bytes - mapped : 0);
        *total = (size_t)total_bytes;
    }
    return error;
}
