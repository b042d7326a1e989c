/* Variables of a program's modules, by the host's shadow of them. */
#include "rt/cudart/copy.h"

#include "rt/memory.h"
#include "rt/module.h"

static RtError get_address(void **pointer, const void *symbol)
{
    uint64_t address;
    size_t size;
    NEED(pointer);
    RtError error = rt_symbol_find(symbol, &address, &size);
    if (error == RT_SUCCESS)
        *pointer = (void *)(uintptr_t)address;
    return error;
}

EXPORT int cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    return CUDART(get_address(pointer, symbol));
}

static RtError get_size(size_t *size, const void *symbol)
{
    uint64_t address;
    NEED(size);
    return rt_symbol_find(symbol, &address, size);
}

EXPORT int cudaGetSymbolSize(size_t *size, const void *symbol) { return CUDART(get_size(size, symbol)); }

RtError cudart_symbol_place(const void *symbol, size_t size, size_t offset, void **place)
{
    uint64_t address;
    size_t whole;
    RtError error = rt_symbol_find(symbol, &address, &whole);
    if (error != RT_SUCCESS)
        return error;
    if (offset > whole || size > whole - offset)
        return rt_fail(RT_INVALID_VALUE, "%zu bytes from byte %zu on are not in the variable, which has %zu.",
                       size, offset, whole);
    *place = (void *)(uintptr_t)(address + offset);
    return RT_SUCCESS;
}

/* Only directions in which a variable can take part. */
static RtError check_kind(int kind, int from_host)
{
    enum { DEVICE_TO_DEVICE = 3, DEFAULT = 4 };
    if (kind == from_host || kind == DEVICE_TO_DEVICE || kind == DEFAULT)
        return RT_SUCCESS;
    return rt_fail(RT_INVALID_MEMCPY_DIRECTION, "A copy of a variable cannot have the direction %d.", kind);
}

static RtError copy_to(const void *symbol, const void *source, size_t size, size_t offset, int kind,
                       void *handle, bool waits)
{
    enum { HOST_TO_DEVICE = 1 };
    void *place = NULL;
    RtStream *stream = NULL;
    RtError error = check_kind(kind, HOST_TO_DEVICE);
    if (error == RT_SUCCESS)
        error = cudart_symbol_place(symbol, size, offset, &place);
    if (error == RT_SUCCESS)
        error = rt_stream_get(handle, &stream);
    return error ? error : rt_copy_bytes(place, source, size, kind, stream, waits);
}

static RtError copy_from(void *destination, const void *symbol, size_t size, size_t offset, int kind,
                         void *handle, bool waits)
{
    enum { DEVICE_TO_HOST = 2 };
    void *place = NULL;
    RtStream *stream = NULL;
    RtError error = check_kind(kind, DEVICE_TO_HOST);
    if (error == RT_SUCCESS)
        error = cudart_symbol_place(symbol, size, offset, &place);
    if (error == RT_SUCCESS)
        error = rt_stream_get(handle, &stream);
    return error ? error : rt_copy_bytes(destination, place, size, kind, stream, waits);
}

EXPORT_FOUR(cudaMemcpyToSymbol, copy_to(symbol, source, size, offset, kind, stream, waits),
            const void *symbol, const void *source, size_t size, size_t offset, int kind)
EXPORT_FOUR(cudaMemcpyFromSymbol, copy_from(destination, symbol, size, offset, kind, stream, waits),
            void *destination, const void *symbol, size_t size, size_t offset, int kind)
