/* Memory, events and pools of other processes. */
#include "rt/ipc.h"

#include "rt/libcuda/libcuda.h"

static RtError get_memory(RtExported *handle, uint64_t address)
{
    NEED(handle);
    return rt_ipc_export(address, handle);
}

EXPORT int cuIpcGetMemHandle(void *handle, uint64_t address) { return LIBCUDA(get_memory(handle, address)); }

static RtError open_memory(uint64_t *address, const RtExported *handle, unsigned flags)
{
    enum { LAZY_PEER_ACCESS = 1 };
    NEED(address);
    if (flags != LAZY_PEER_ACCESS)
        return rt_fail(RT_INVALID_VALUE, "The flags must be CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS (1).");
    return rt_ipc_open(handle, address);
}

EXPORT int cuIpcOpenMemHandle_v2(uint64_t *address, RtExported handle, unsigned flags)
{
    return LIBCUDA(open_memory(address, &handle, flags));
}
SAME_AS(cuIpcOpenMemHandle_v2) int cuIpcOpenMemHandle(uint64_t *address, RtExported handle, unsigned flags);

EXPORT int cuIpcCloseMemHandle(uint64_t address) { return LIBCUDA(rt_ipc_close(address)); }

static RtError get_event(RtExported *handle, void *event)
{
    NEED(handle);
    return rt_ipc_export_event(event, handle);
}

EXPORT int cuIpcGetEventHandle(void *handle, void *event) { return LIBCUDA(get_event(handle, event)); }

static RtError open_event(void **event, const RtExported *handle)
{
    NEED(event);
    return rt_ipc_open_event(handle, (RtEvent **)event);
}

EXPORT int cuIpcOpenEventHandle(void **event, RtExported handle)
{
    return LIBCUDA(open_event(event, &handle));
}

static RtError export_pool(int *file, void *handle, int type, uint64_t flags)
{
    RtPool *pool = NULL;
    NEED(file);
    RtError error = rt_pool_get(handle, &pool);
    return error ? error : rt_pool_export(pool, type, flags, file);
}

EXPORT int cuMemPoolExportToShareableHandle(void *result, void *pool, int type, uint64_t flags)
{
    return LIBCUDA(export_pool(result, pool, type, flags));
}

static RtError import_pool(void **pool, const void *file, int type, uint64_t flags)
{
    NEED(pool);
    return rt_pool_import((int)(intptr_t)file, type, flags, (RtPool **)pool);
}

EXPORT int cuMemPoolImportFromShareableHandle(void **pool, void *file, int type, uint64_t flags)
{
    return LIBCUDA(import_pool(pool, file, type, flags));
}

static RtError export_pointer(RtExported *data, uint64_t address)
{
    NEED(data);
    return rt_pool_export_pointer(address, data);
}

EXPORT int cuMemPoolExportPointer(void *data, uint64_t address)
{
    return LIBCUDA(export_pointer(data, address));
}

static RtError import_pointer(uint64_t *address, void *handle, const RtExported *data)
{
    RtPool *pool = NULL;
    NEED(address);
    NEED(data);
    RtError error = rt_pool_get(handle, &pool);
    return error ? error : rt_pool_import_pointer(data, address);
}

EXPORT int cuMemPoolImportPointer(uint64_t *address, void *pool, void *data)
{
    return LIBCUDA(import_pointer(address, pool, data));
}
