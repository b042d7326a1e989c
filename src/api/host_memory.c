/* Host memory that kernels reach, and what is known of an address. */
#include "api/gpu.h"

#include <inttypes.h>

#include "base/host_range.h"

WbStatus wb_address_find(WbGpu *gpu, uint64_t address, WbAddress *found)
{
    static const WbMemory kinds[] = {
        [MEMORY_DEVICE] = WB_MEMORY_DEVICE,
        [MEMORY_HOST] = WB_MEMORY_HOST,
        [MEMORY_MANAGED] = WB_MEMORY_MANAGED,
        [MEMORY_REGISTERED] = WB_MEMORY_HOST,
    };
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    if (!found)
        return gpu_refuse(gpu, "wb_address_find needs a place for its answer; it was null.");
    const Allocation *allocation = space_find_any(&gpu->space, address, 1);
    *found = (WbAddress){.memory = WB_MEMORY_NONE};
    if (allocation)
        *found = (WbAddress){
            .memory = allocation->name ? WB_MEMORY_VARIABLE : kinds[allocation->memory],
            .base = allocation->base,
            .size = allocation->size,
            .gpu = gpu->space.group && allocation->memory == MEMORY_DEVICE ? space_home(allocation->base) : 0,
        };
    return WB_OK;
}

WbStatus wb_memory_size(WbGpu *gpu, uint64_t *total, uint64_t *available)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    if (!total || !available)
        return gpu_refuse(gpu, "wb_memory_size needs places for its answers; one was null.");
    *total = gpu->space.limit;
    *available = gpu->space.used < gpu->space.limit ? gpu->space.limit - gpu->space.used : 0;
    return WB_OK;
}

WbStatus wb_host_alloc(WbGpu *gpu, size_t size, WbMemory memory, void **pointer)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (!pointer || (memory != WB_MEMORY_HOST && memory != WB_MEMORY_MANAGED))
        return gpu_end(gpu, error_set(error, WB_ERROR_ARGUMENT,
                                      "wb_host_alloc needs a place for the pointer, and WB_MEMORY_HOST or "
                                      "WB_MEMORY_MANAGED."));
    *pointer = NULL;
    const MemoryKind kind = memory == WB_MEMORY_HOST ? MEMORY_HOST : MEMORY_MANAGED;
    return gpu_end(gpu, space_map(&gpu->space, size, kind, pointer, error));
}

/* Ends the mapping in which the pointer lies, after all that may use it. */
static WbStatus unmap(WbGpu *gpu, void *pointer, bool registered, const char *call, Error *error)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    const Allocation *allocation =
        registered ? space_find_registered(&gpu->space, address) : space_find_any(&gpu->space, address, 1);
    const bool is_ours = allocation && allocation->memory != MEMORY_DEVICE &&
                         (allocation->memory == MEMORY_REGISTERED) == registered &&
                         (registered || allocation->base == address);
    if (!is_ours)
        return error_set(error, WB_ERROR_ARGUMENT, "%s was given 0x%" PRIx64 ", where no such memory begins.",
                         call, address);
    if (timeline_run(gpu, NULL, error))
        return error->status;
    return space_free(&gpu->space, allocation->base, error);
}

WbStatus wb_host_free(WbGpu *gpu, void *pointer)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    return gpu_end(gpu, pointer ? unmap(gpu, pointer, false, "wb_host_free", error) : WB_OK);
}

/* The process has to have all of it, or a kernel's access would end it. */
static WbStatus check_memory(const void *pointer, size_t size, bool writes, const char *call, Error *error)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (!pointer)
        return error_set(error, WB_ERROR_ARGUMENT, "%s was given a null pointer.", call);
    const uint64_t room = size <= UINT64_MAX - address ? host_range_reach(address, size, writes) : 0;
    if (room == size)
        return WB_OK;
    return error_set(error, WB_ERROR_ARGUMENT,
                     "%s was given %zu bytes at 0x%" PRIx64
                     ", of which the program can %s only the first %" PRIu64
                     "; give it memory that is mapped%s.",
                     call, size, address, writes ? "read and write" : "read", room,
                     writes ? " for both, or register it for reading" : "");
}

static WbStatus register_memory(WbGpu *gpu, void *pointer, size_t size, bool read_only, const char *call,
                                Error *error)
{
    void *mapped = pointer;
    if (check_memory(pointer, size, !read_only, call, error) ||
        space_map(&gpu->space, size, MEMORY_REGISTERED, &mapped, error))
        return error->status;
    space_find_registered(&gpu->space, (uint64_t)(uintptr_t)pointer)->read_only = read_only;
    return WB_OK;
}

WbStatus wb_host_register(WbGpu *gpu, void *pointer, size_t size)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    return gpu_end(gpu, register_memory(gpu, pointer, size, false, "wb_host_register", error));
}

WbStatus wb_host_register_read_only(WbGpu *gpu, void *pointer, size_t size)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    return gpu_end(gpu, register_memory(gpu, pointer, size, true, "wb_host_register_read_only", error));
}

WbStatus wb_host_unregister(WbGpu *gpu, void *pointer)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    return gpu_end(gpu, unmap(gpu, pointer, true, "wb_host_unregister", error));
}
