/* Copies of bytes and fills: from somewhere to somewhere, sooner or later. */
#include "rt/libcuda/libcuda.h"

#include "rt/context.h"
#include "rt/memory.h"

/* cudaMemcpyKind, as rt_copy() wants it. */
enum { TO_DEVICE = 1, TO_HOST = 2, ON_DEVICE = 3, AS_POINTERS_SAY = 4 };

static void *at(uint64_t address) { return (void *)(uintptr_t)address; }

static RtError copy(void *destination, const void *source, size_t size, int kind, void *handle, bool waits)
{
    RtStream *stream;
    RtError error = rt_stream_get(handle, &stream);
    return error ? error : rt_copy_bytes(destination, source, size, kind, stream, waits);
}

DEFAULT_STREAM_CALL(cuMemcpyHtoD_v2, (uint64_t destination, const void *source, size_t size),
                    copy(at(destination), source, size, TO_DEVICE, stream, true))
DEFAULT_STREAM_CALL(cuMemcpyDtoH_v2, (void *destination, uint64_t source, size_t size),
                    copy(destination, at(source), size, TO_HOST, stream, true))
DEFAULT_STREAM_CALL(cuMemcpyDtoD_v2, (uint64_t destination, uint64_t source, size_t size),
                    copy(at(destination), at(source), size, ON_DEVICE, stream, true))
DEFAULT_STREAM_CALL(cuMemcpy, (uint64_t destination, uint64_t source, size_t size),
                    copy(at(destination), at(source), size, AS_POINTERS_SAY, stream, true))

STREAM_CALL(cuMemcpyHtoDAsync_v2, (uint64_t destination, const void *source, size_t size, void *stream),
            copy(at(destination), source, size, TO_DEVICE, stream, false))
STREAM_CALL(cuMemcpyDtoHAsync_v2, (void *destination, uint64_t source, size_t size, void *stream),
            copy(destination, at(source), size, TO_HOST, stream, false))
STREAM_CALL(cuMemcpyDtoDAsync_v2, (uint64_t destination, uint64_t source, size_t size, void *stream),
            copy(at(destination), at(source), size, ON_DEVICE, stream, false))
STREAM_CALL(cuMemcpyAsync, (uint64_t destination, uint64_t source, size_t size, void *stream),
            copy(at(destination), at(source), size, AS_POINTERS_SAY, stream, false))

/* Addresses say which device has them; the contexts must exist. */
static RtError copy_peer(uint64_t destination, void *to, uint64_t source, void *from, size_t size,
                         void *stream, bool waits)
{
    RtContext *context;
    RtError error = rt_context_get(to, &context);
    if (!error)
        error = rt_context_get(from, &context);
    return error ? error : copy(at(destination), at(source), size, ON_DEVICE, stream, waits);
}

DEFAULT_STREAM_CALL(cuMemcpyPeer, (uint64_t destination, void *to, uint64_t source, void *from, size_t size),
                    copy_peer(destination, to, source, from, size, stream, true))
STREAM_CALL(cuMemcpyPeerAsync,
            (uint64_t destination, void *to, uint64_t source, void *from, size_t size, void *stream),
            copy_peer(destination, to, source, from, size, stream, false))

/* -- fills -- */

static RtError fill(uint64_t address, size_t pitch, uint32_t value, uint32_t element_bytes, size_t width,
                    size_t height, void *handle, bool waits)
{
    RtStream *stream;
    RtError error = rt_stream_get(handle, &stream);
    if (error)
        return error;
    if (address % element_bytes || (height > 1 && pitch % element_bytes))
        return rt_fail(RT_INVALID_VALUE,
                       "Address 0x%llx and pitch %zu must be multiples of the element's %u bytes.",
                       (unsigned long long)address, pitch, element_bytes);
    if (height > 1 && pitch / element_bytes < width)
        return rt_fail(RT_INVALID_VALUE, "Rows of %zu elements do not fit a pitch of %zu bytes.", width,
                       pitch);
    const WbFill filled = {.address = address,
                           .row_pitch = pitch,
                           .slice_pitch = pitch * height,
                           .width = width,
                           .height = height,
                           .depth = 1,
                           .value = value,
                           .element_bytes = element_bytes};
    return rt_fill(&filled, stream, waits);
}

/* cuMemsetD8, D16 and D32, and their forms for rows and for streams. */
#define FILLS(bits, Value)                                                                                   \
    DEFAULT_STREAM_CALL(cuMemsetD##bits##_v2, (uint64_t address, Value value, size_t count),                 \
                        fill(address, 0, value, bits / 8, count, 1, stream, true))                           \
    STREAM_CALL(cuMemsetD##bits##Async, (uint64_t address, Value value, size_t count, void *stream),         \
                fill(address, 0, value, bits / 8, count, 1, stream, false))                                  \
    DEFAULT_STREAM_CALL(cuMemsetD2D##bits##_v2,                                                              \
                        (uint64_t address, size_t pitch, Value value, size_t width, size_t height),          \
                        fill(address, pitch, value, bits / 8, width, height, stream, true))                  \
    STREAM_CALL(cuMemsetD2D##bits##Async,                                                                    \
                (uint64_t address, size_t pitch, Value value, size_t width, size_t height, void *stream),    \
                fill(address, pitch, value, bits / 8, width, height, stream, false))
FILLS(8, uint8_t)
FILLS(16, uint16_t)
FILLS(32, uint32_t)

/* -- words that a stream writes -- */

static RtError write_words(uint64_t address, uint64_t value, unsigned words, void *stream)
{
    RtError error = fill(address, 0, (uint32_t)value, 4, 1, 1, stream, false);
    return error || words == 1 ? error
                               : fill(address + 4, 0, (uint32_t)(value >> 32), 4, 1, 1, stream, false);
}

#define WRITE_VALUE(name, Value)                                                                             \
    STREAM_CALL(name, (void *stream, uint64_t address, Value value, unsigned flags),                         \
                ((void)flags, write_words(address, value, sizeof(Value) / 4, stream)))
WRITE_VALUE(cuStreamWriteValue32, uint32_t)
WRITE_VALUE(cuStreamWriteValue32_v2, uint32_t)
WRITE_VALUE(cuStreamWriteValue64, uint64_t)
WRITE_VALUE(cuStreamWriteValue64_v2, uint64_t)
