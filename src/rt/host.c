/* Host memory that the GPU knows: page-locked and managed, each reachable at the host's own address. */
#include "rt/progress.h"
#include "rt/memory.h"

#include <inttypes.h>
#include <unistd.h>

#include "rt/graph.h"

RtError rt_host_alloc(size_t size, WbMemory memory, unsigned flags, void **pointer)
{
    *pointer = NULL;
    if (size == 0)
        return RT_SUCCESS;
    RtError error = rt_capture_forbids_unsafe();
    if (error == RT_SUCCESS)
        error = rt_check(wb_host_alloc(rt_gpu(), size, memory, pointer));
    rt_progress_is_visible();
    if (error == RT_SUCCESS)
        rt_allocation_add((RtAllocation){
            .base = (uint64_t)(uintptr_t)*pointer,
            .size = size,
            .kind = memory == WB_MEMORY_MANAGED ? RT_MANAGED_MEMORY : RT_HOST_MEMORY,
            .flags = flags,
        });
    return error;
}

RtError rt_host_drop(uint64_t address)
{
    const int device = rt_allocation_find(address)->device;
    rt_allocation_remove(address);
    return RT_ON(device, rt_check(wb_host_free(rt_gpu(), (void *)(uintptr_t)address)));
}

RtError rt_host_free(void *pointer)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    char text[128];
    if (!pointer)
        return RT_SUCCESS;
    const RtAllocation *allocation = rt_allocation_find(address);
    if (!allocation || allocation->base != address || allocation->kind != RT_HOST_MEMORY)
        return rt_fail(RT_INVALID_VALUE, "%p is not what cudaHostAlloc or cudaMallocHost returned: it %s.",
                       pointer, rt_allocation_describe(address, text, sizeof text));
    RtError error = rt_wait_to_free_host();
    return error ? error : rt_host_drop(address);
}

/* Whether any page of it is registered or was allocated as page-locked. */
static bool overlaps(uint64_t base, size_t size)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t begin = base / page * page, end = (base + size + page - 1) / page * page;
    /* Allocations do not overlap: only the last one that begins before the end can reach in. */
    const RtAllocation *last = rt_allocation_before(end - 1);
    return last && last->base + last->size > begin;
}

/* cudaHostRegisterReadOnly, CU_MEMHOSTREGISTER_READ_ONLY */
enum { READ_ONLY = 0x8 };

RtError rt_host_register(void *pointer, size_t size, unsigned flags)
{
    const uint64_t base = (uint64_t)(uintptr_t)pointer;
    if (!pointer || size == 0 || base + size < base)
        return rt_fail(RT_INVALID_VALUE, "%zu bytes at %p cannot be registered.", size, pointer);
    const uint64_t host = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (size > host)
        return rt_fail(RT_MEMORY_ALLOCATION,
                       "%zu bytes cannot be registered: the host has %" PRIu64 " to page-lock.", size, host);
    if (overlaps(base, size))
        return rt_fail(RT_HOST_MEMORY_ALREADY_REGISTERED,
                       "Some of the pages of the %zu bytes at %p are page-locked already.", size, pointer);
    RtError error = rt_check(flags & READ_ONLY ? wb_host_register_read_only(rt_gpu(), pointer, size)
                                               : wb_host_register(rt_gpu(), pointer, size));
    rt_progress_is_visible();
    if (error == RT_SUCCESS)
        rt_allocation_add(
            (RtAllocation){.base = base, .size = size, .kind = RT_REGISTERED_MEMORY, .flags = flags});
    return error;
}

RtError rt_host_unregister(void *pointer)
{
    const RtAllocation *allocation = rt_allocation_find((uint64_t)(uintptr_t)pointer);
    if (!allocation || allocation->base != (uint64_t)(uintptr_t)pointer ||
        allocation->kind != RT_REGISTERED_MEMORY)
        return rt_fail(allocation ? RT_INVALID_VALUE : RT_HOST_MEMORY_NOT_REGISTERED,
                       "%p is not the start of memory that cudaHostRegister was given.", pointer);
    RtError error = rt_wait_to_free_host();
    if (error != RT_SUCCESS)
        return error;
    const int device = allocation->device;
    rt_allocation_remove((uint64_t)(uintptr_t)pointer);
    return RT_ON(device, rt_check(wb_host_unregister(rt_gpu(), pointer)));
}

RtError rt_host_find(const void *pointer, const RtAllocation **found)
{
    const RtAllocation *allocation = rt_allocation_find((uint64_t)(uintptr_t)pointer);
    if (!allocation || (allocation->kind != RT_HOST_MEMORY && allocation->kind != RT_REGISTERED_MEMORY))
        return rt_fail(RT_INVALID_VALUE, "%p is in no page-locked host memory.", pointer);
    *found = allocation;
    return RT_SUCCESS;
}
