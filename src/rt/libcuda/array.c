/* CUDA arrays: the driver's formats and descriptors, translated to those of rt/array.c. */
#include "rt/libcuda/array.h"

#include "rt/device.h"
#include "rt/libcuda/libcuda.h"

enum { ATTRIBUTE_TEXTURE_ALIGNMENT = 14 };

/* Numbers of CUarray_format. */
static const struct {
    int format;
    WbChannel channel;
    uint32_t bits;
} formats[] = {
    {0x01, WB_CHANNEL_UNSIGNED, 8}, {0x02, WB_CHANNEL_UNSIGNED, 16}, {0x03, WB_CHANNEL_UNSIGNED, 32},
    {0x08, WB_CHANNEL_SIGNED, 8},   {0x09, WB_CHANNEL_SIGNED, 16},   {0x0A, WB_CHANNEL_SIGNED, 32},
    {0x10, WB_CHANNEL_FLOAT, 16},   {0x20, WB_CHANNEL_FLOAT, 32},
};

RtError format_take(int format, WbChannel *channel, uint32_t *bits)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].format == format) {
            *channel = formats[i].channel;
            *bits = formats[i].bits;
            return RT_SUCCESS;
        }
    return rt_fail(RT_INVALID_VALUE,
                   "Arrays of format 0x%x are not simulated: integers of 8, 16 and 32 bits, half "
                   "and float are.",
                   format);
}

int format_of(WbChannel channel, uint32_t bits)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].channel == channel && formats[i].bits == bits)
            return formats[i].format;
    return 0;
}

/* Layout of CUDA_ARRAY_DESCRIPTOR. */
typedef struct FlatDescriptor {
    size_t width, height;
    int format;
    unsigned channels;
} FlatDescriptor;
/* Layout of CUDA_ARRAY3D_DESCRIPTOR. */
typedef struct BoxDescriptor {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
} BoxDescriptor;
/* Layout of CUDA_ARRAY_MEMORY_REQUIREMENTS. */
typedef struct Requirements {
    size_t size, alignment;
    unsigned reserved[4];
} Requirements;

static RtError create_box(void **place, const BoxDescriptor *descriptor)
{
    NEED(place);
    NEED(descriptor);
    RtArray wanted = {.width = descriptor->width,
                      .height = descriptor->height,
                      .depth = descriptor->depth,
                      .flags = descriptor->flags,
                      .channels = descriptor->channels};
    RtError error = format_take(descriptor->format, &wanted.channel, &wanted.channel_bits);
    return error ? error : rt_array_create(&wanted, (RtArray **)place);
}

static RtError create_flat(void **place, const FlatDescriptor *descriptor)
{
    NEED(descriptor);
    const BoxDescriptor box = {.width = descriptor->width,
                               .height = descriptor->height,
                               .format = descriptor->format,
                               .channels = descriptor->channels};
    return create_box(place, &box);
}

EXPORT int cuArrayCreate_v2(void **array, const void *descriptor)
{
    return LIBCUDA(create_flat(array, descriptor));
}
EXPORT int cuArray3DCreate_v2(void **array, const void *descriptor)
{
    return LIBCUDA(create_box(array, descriptor));
}
static RtError destroy(void *handle)
{
    RtArray *array = NULL;
    RtError error = rt_array_get(handle, &array);
    return error ? error : rt_array_destroy(handle);
}

EXPORT int cuArrayDestroy(void *array) { return LIBCUDA(destroy(array)); }

static RtError describe_box(BoxDescriptor *descriptor, void *handle)
{
    NEED(descriptor);
    RtArray *array = NULL;
    RtError error = rt_array_get(handle, &array);
    if (!error)
        *descriptor = (BoxDescriptor){array->width,    array->height,
                                      array->depth,    format_of(array->channel, array->channel_bits),
                                      array->channels, array->flags};
    return error;
}

static RtError describe_flat(FlatDescriptor *descriptor, void *handle)
{
    NEED(descriptor);
    BoxDescriptor box;
    RtError error = describe_box(&box, handle);
    if (!error)
        *descriptor = (FlatDescriptor){box.width, box.height, box.format, box.channels};
    return error;
}

EXPORT int cuArrayGetDescriptor_v2(void *descriptor, void *array)
{
    return LIBCUDA(describe_flat(descriptor, array));
}
EXPORT int cuArray3DGetDescriptor_v2(void *descriptor, void *array)
{
    return LIBCUDA(describe_box(descriptor, array));
}

static RtError get_requirements(Requirements *requirements, void *handle, int device)
{
    NEED(requirements);
    RtArray *array = NULL;
    RtError error = rt_device_check(device);
    if (!error)
        error = rt_array_get(handle, &array);
    if (!error)
        *requirements = (Requirements){.size = array->slice_pitch * (array->depth ? array->depth : 1),
                                       .alignment = (size_t)rt_device_value(ATTRIBUTE_TEXTURE_ALIGNMENT)};
    return error;
}

EXPORT int cuArrayGetMemoryRequirements(void *requirements, void *array, int device)
{
    return LIBCUDA(get_requirements(requirements, array, device));
}
