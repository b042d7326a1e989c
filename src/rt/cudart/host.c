/* Page-locked host memory. The device reaches it at the host's own address, so its device pointer is the
 * pointer itself. */
#include "rt/cudart/cudart.h"

#include "rt/memory.h"

/* What cudaHostAlloc and cudaHostRegister take. */
enum { ALLOC_FLAGS = 0x7, REGISTER_FLAGS = 0xF };

static RtError check_flags(unsigned flags, unsigned known)
{
    if (flags & ~known)
        return rt_fail(RT_INVALID_VALUE, "0x%x has flags that there are not; 0x%x are all.", flags, known);
    return RT_SUCCESS;
}

static RtError allocate(void **pointer, size_t size, unsigned flags)
{
    NEED(pointer);
    RtError error = check_flags(flags, ALLOC_FLAGS);
    return error ? error : rt_host_alloc(size, WB_MEMORY_HOST, flags, pointer);
}

EXPORT int cudaHostAlloc(void **pointer, size_t size, unsigned flags)
{
    return CUDART(allocate(pointer, size, flags));
}

EXPORT int cudaMallocHost(void **pointer, size_t size) { return CUDART(allocate(pointer, size, 0)); }

EXPORT int cudaFreeHost(void *pointer) { return CUDART(rt_host_free(pointer)); }

static RtError register_memory(void *pointer, size_t size, unsigned flags)
{
    RtError error = check_flags(flags, REGISTER_FLAGS);
    return error ? error : rt_host_register(pointer, size, flags);
}

EXPORT int cudaHostRegister(void *pointer, size_t size, unsigned flags)
{
    return CUDART(register_memory(pointer, size, flags));
}

EXPORT int cudaHostUnregister(void *pointer) { return CUDART(rt_host_unregister(pointer)); }

static RtError get_device_pointer(void **device, void *pointer, unsigned flags)
{
    const RtAllocation *found = NULL;
    NEED(device);
    RtError error = check_flags(flags, 0);
    if (error == RT_SUCCESS)
        error = rt_host_find(pointer, &found);
    *device = error ? NULL : pointer;
    return error;
}

EXPORT int cudaHostGetDevicePointer(void **device, void *pointer, unsigned flags)
{
    return CUDART(get_device_pointer(device, pointer, flags));
}

static RtError get_flags(unsigned *flags, void *pointer)
{
    const RtAllocation *found = NULL;
    NEED(flags);
    RtError error = rt_host_find(pointer, &found);
    if (error == RT_SUCCESS)
        *flags = found->flags;
    return error;
}

EXPORT int cudaHostGetFlags(unsigned *flags, void *pointer) { return CUDART(get_flags(flags, pointer)); }
