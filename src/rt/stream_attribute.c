/* Attributes of streams are hints about caches and priorities. Nothing in the simulator follows them, so they
 * are kept as they were set, for programs that ask for them again. */
#include "rt/stream.h"

#include <string.h>

#include "base/alloc.h"

enum { VALUE_BYTES = 64, ATTRIBUTES = 32, ATTRIBUTE_PRIORITY = 8 }; /* CUDA 13 has numbers up to 18 */

struct RtStreamAttributes {
    uint32_t is_set; /* a bit each */
    uint8_t values[ATTRIBUTES][VALUE_BYTES];
};

static RtError check(void *handle, int attribute, const void *value, RtStream **stream)
{
    const RtError error = rt_stream_get(handle, stream);
    if (error)
        return error;
    if (!value)
        return rt_fail(RT_INVALID_VALUE, "The attribute's value is a null pointer.");
    return attribute > 0 && attribute < ATTRIBUTES
               ? RT_SUCCESS
               : rt_fail(RT_INVALID_VALUE, "There is no stream attribute %d.", attribute);
}

RtError rt_stream_get_attribute(void *handle, int attribute, void *value)
{
    RtStream *stream = NULL;
    const RtError error = check(handle, attribute, value, &stream);
    if (error)
        return error;
    const RtStreamAttributes *attributes = stream->attributes;
    memset(value, 0, VALUE_BYTES);
    if (attributes && attributes->is_set >> attribute & 1)
        memcpy(value, attributes->values[attribute], VALUE_BYTES);
    else if (attribute == ATTRIBUTE_PRIORITY)
        memcpy(value, &stream->priority, sizeof stream->priority);
    return RT_SUCCESS;
}

RtError rt_stream_set_attribute(void *handle, int attribute, const void *value)
{
    RtStream *stream = NULL;
    const RtError error = check(handle, attribute, value, &stream);
    if (error)
        return error;
    if (!stream->attributes)
        stream->attributes = xcalloc(1, sizeof *stream->attributes);
    stream->attributes->is_set |= (uint32_t)1 << attribute;
    memcpy(stream->attributes->values[attribute], value, VALUE_BYTES);
    return RT_SUCCESS;
}

RtError rt_stream_copy_attributes(void *destination, void *source)
{
    RtStream *to = NULL, *from = NULL;
    RtError error = rt_stream_get(destination, &to);
    if (!error)
        error = rt_stream_get(source, &from);
    if (error || to == from)
        return error;
    xfree(to->attributes);
    to->attributes = NULL;
    if (from->attributes)
        to->attributes = memcpy(xmalloc(sizeof *to->attributes), from->attributes, sizeof *to->attributes);
    return RT_SUCCESS;
}
