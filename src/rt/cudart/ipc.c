/* Memory, events and pools of other processes. */
#include "rt/ipc.h"

#include "rt/cudart/abi.h"
#include "rt/cudart/cudart.h"

_Static_assert(sizeof(Exported) == sizeof(RtExported), "handles are the same in both APIs");

static RtError get_memory(RtExported *handle, const void *pointer)
{
    NEED(handle);
    return rt_ipc_export((uint64_t)(uintptr_t)pointer, handle);
}

EXPORT int cudaIpcGetMemHandle(void *handle, void *pointer) { return CUDART(get_memory(handle, pointer)); }

static RtError open_memory(void **pointer, const RtExported *handle, unsigned flags)
{
    enum { LAZY_PEER_ACCESS = 1 };
    uint64_t address = 0;
    NEED(pointer);
    if (flags != LAZY_PEER_ACCESS)
        return rt_fail(RT_INVALID_VALUE, "The flags must be cudaIpcMemLazyEnablePeerAccess (1).");
    RtError error = rt_ipc_open(handle, &address);
    *pointer = (void *)(uintptr_t)address;
    return error;
}

EXPORT int cudaIpcOpenMemHandle(void **pointer, RtExported handle, unsigned flags)
{
    return CUDART(open_memory(pointer, &handle, flags));
}

EXPORT int cudaIpcCloseMemHandle(void *pointer) { return CUDART(rt_ipc_close((uint64_t)(uintptr_t)pointer)); }

static RtError get_event(RtExported *handle, void *event)
{
    NEED(handle);
    return rt_ipc_export_event(event, handle);
}

EXPORT int cudaIpcGetEventHandle(void *handle, void *event) { return CUDART(get_event(handle, event)); }

static RtError open_event(void **event, const RtExported *handle)
{
    NEED(event);
    return rt_ipc_open_event(handle, (RtEvent **)event);
}

EXPORT int cudaIpcOpenEventHandle(void **event, RtExported handle)
{
    return CUDART(open_event(event, &handle));
}

static RtError export_pool(int *file, void *handle, int type, unsigned flags)
{
    RtPool *pool = NULL;
    NEED(file);
    RtError error = rt_pool_get(handle, &pool);
    return error ? error : rt_pool_export(pool, type, flags, file);
}

EXPORT int cudaMemPoolExportToShareableHandle(void *result, void *pool, int type, unsigned flags)
{
    return CUDART(export_pool(result, pool, type, flags));
}

static RtError import_pool(void **pool, const void *file, int type, unsigned flags)
{
    NEED(pool);
    return rt_pool_import((int)(intptr_t)file, type, flags, (RtPool **)pool);
}

EXPORT int cudaMemPoolImportFromShareableHandle(void **pool, void *file, int type, unsigned flags)
{
    return CUDART(import_pool(pool, file, type, flags));
}

static RtError export_pointer(RtExported *data, const void *pointer)
{
    NEED(data);
    return rt_pool_export_pointer((uint64_t)(uintptr_t)pointer, data);
}

EXPORT int cudaMemPoolExportPointer(void *data, void *pointer)
{
    return CUDART(export_pointer(data, pointer));
}

static RtError import_pointer(void **pointer, void *handle, const RtExported *data)
{
    RtPool *pool = NULL;
    uint64_t address = 0;
    NEED(pointer);
    NEED(data);
    RtError error = rt_pool_get(handle, &pool);
    if (!error)
        error = rt_pool_import_pointer(data, &address);
    *pointer = (void *)(uintptr_t)address;
    return error;
}

EXPORT int cudaMemPoolImportPointer(void **pointer, void *pool, void *data)
{
    return CUDART(import_pointer(pointer, pool, data));
}
