/* Physical memory of the virtual memory management (virtual.h) is a file in memory: it can be mapped at
 * several addresses and handed to another process, as CUDA has it. It lives while a handle or a mapping
 * does. */
#include "rt/virtual.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "rt/memory.h"

static uint64_t totals[RT_DEVICES];

uint64_t rt_physical_total(void) { return totals[rt_device()]; }

RtError rt_physical_get(uint64_t handle, RtPhysical **physical)
{
    RtPhysical *found = (RtPhysical *)(uintptr_t)handle;
    if (!rt_handle_is_live(RT_HANDLE_MEMORY, found))
        return rt_fail(RT_INVALID_VALUE, "0x%llx is no handle of physical memory, or one that was released.",
                       (unsigned long long)handle);
    *physical = found;
    return RT_SUCCESS;
}

static RtPhysical *add_physical(int file, size_t size, int handle_types)
{
    RtPhysical *physical = xcalloc(1, sizeof *physical);
    *physical = (RtPhysical){
        .device = rt_device(), .file = file, .size = size, .handles = 1, .handle_types = handle_types};
    rt_handle_add(RT_HANDLE_MEMORY, physical);
    totals[rt_device()] += size;
    return physical;
}

RtError rt_physical_create(size_t size, int handle_types, RtPhysical **physical)
{
    size_t all, unused;
    if (size == 0 || size % RT_GRANULARITY)
        return rt_fail(RT_INVALID_VALUE,
                       "The size, %zu bytes, must be a multiple of the granularity, %d bytes.", size,
                       RT_GRANULARITY);
    RtError error = rt_memory_info(&unused, &all);
    if (error)
        return error;
    if (size > unused)
        return rt_fail(RT_MEMORY_ALLOCATION, "%zu bytes of physical memory are more than the GPU has left.",
                       size);
    int file = memfd_create("warpbeam", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)size)) {
        const int cause = errno;
        if (file >= 0)
            close(file);
        return rt_fail(RT_MEMORY_ALLOCATION, "The host gives no %zu bytes for physical memory: %s.", size,
                       strerror(cause));
    }
    *physical = add_physical(file, size, handle_types);
    return RT_SUCCESS;
}

RtError rt_physical_release(RtPhysical *physical)
{
    if (physical->handles)
        physical->handles--;
    /* CUDA: it lives as long as it has a handle or is mapped somewhere. */
    if (physical->handles || physical->mappings)
        return RT_SUCCESS;
    rt_handle_remove(RT_HANDLE_MEMORY, physical);
    totals[physical->device] -= physical->size;
    close(physical->file);
    xfree(physical);
    return RT_SUCCESS;
}

RtError rt_physical_export(RtPhysical *physical, int *file)
{
    *file = dup(physical->file);
    return *file >= 0
               ? RT_SUCCESS
               : rt_fail(RT_OPERATING_SYSTEM, "The memory's file cannot be duplicated: %s.", strerror(errno));
}

RtError rt_physical_import(int file, RtPhysical **physical)
{
    struct stat status;
    const int copy = fstat(file, &status) == 0 && status.st_size > 0 ? dup(file) : -1;
    if (copy < 0)
        return rt_fail(RT_INVALID_VALUE, "File descriptor %d is not one of exported memory.", file);
    *physical = add_physical(copy, (size_t)status.st_size, 1);
    return RT_SUCCESS;
}
