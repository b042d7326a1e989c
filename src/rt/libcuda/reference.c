/* Texture and surface references: variables of a module whose object the host sets. Every call changes a
 * description; rt/reference.c brings it to the GPU at the next launch. */
#include "rt/reference.h"

#include <string.h>

#include "rt/device.h"
#include "rt/libcuda/array.h"
#include "rt/libcuda/function.h"
#include "rt/libcuda/libcuda.h"

/* Numbers of CU_TRSF_..., CU_TRSA_... and CU_PARAM_TR_... */
enum {
    READ_AS_INTEGER = 1,
    NORMALIZED_COORDINATES = 2,
    SRGB = 0x10,
    KEEPS_TRILINEAR = 0x20,
    SEAMLESS = 0x40,
    ALL_FLAGS = READ_AS_INTEGER | NORMALIZED_COORDINATES | SRGB | KEEPS_TRILINEAR | SEAMLESS,
    OVERRIDE_FORMAT = 1,
    DEFAULT_UNIT = -1
};
enum { AXES = 3, BORDER = 3, ATTRIBUTE_PITCH_ALIGNMENT = 51 };

/* Layout of CUDA_ARRAY_DESCRIPTOR. */
typedef struct FlatDescriptor {
    size_t width, height;
    int format;
    unsigned channels;
} FlatDescriptor;

/* -- references themselves -- */

static RtError find(void **place, void *handle, const char *name, bool is_surface)
{
    NEED(place);
    NEED(name);
    RtModule *module = NULL;
    RtError error = libcuda_module(handle, &module);
    return error ? error : rt_reference_find(module, name, is_surface, (RtReference **)place);
}

EXPORT int cuModuleGetTexRef(void **reference, void *module, const char *name)
{
    return LIBCUDA(find(reference, module, name, false));
}

EXPORT int cuModuleGetSurfRef(void **reference, void *module, const char *name)
{
    return LIBCUDA(find(reference, module, name, true));
}

static RtError create(void **place)
{
    NEED(place);
    *place = rt_reference_create();
    return RT_SUCCESS;
}

EXPORT int cuTexRefCreate(void **reference) { return LIBCUDA(create(reference)); }

static RtError destroy(void *handle)
{
    RtReference *reference = NULL;
    RtError error = rt_reference_get(handle, false, &reference);
    return error ? error : rt_reference_destroy(reference);
}

EXPORT int cuTexRefDestroy(void *reference) { return LIBCUDA(destroy(reference)); }

/* A function sees all references of its module, so there is nothing to do. */
static RtError use_in(void *function, int unit, void *handle)
{
    RtReference *reference = NULL;
    if (!rt_handle_is_live(RT_HANDLE_FUNCTION, function))
        return rt_fail(RT_INVALID_RESOURCE_HANDLE, "%p is no function.", function);
    RtError error = rt_reference_get(handle, false, &reference);
    if (!error && (unit != DEFAULT_UNIT || !reference->module))
        error = rt_fail(RT_INVALID_VALUE,
                        "A function takes a reference of its module, in texture unit CU_PARAM_TR_DEFAULT.");
    return error;
}

EXPORT int cuParamSetTexRef(void *function, int unit, void *reference)
{
    return LIBCUDA(use_in(function, unit, reference));
}

/* -- what they show -- */

static RtError set_array(void *handle, void *array, unsigned flags, bool is_surface)
{
    RtReference *reference = NULL;
    RtError error = rt_reference_get(handle, is_surface, &reference);
    if (!error && flags != (is_surface ? 0 : OVERRIDE_FORMAT))
        error = rt_fail(RT_INVALID_VALUE, "The flags are %u; they must be %s.", flags,
                        is_surface ? "0" : "CU_TRSA_OVERRIDE_FORMAT");
    return error ? error : rt_reference_set_array(reference, array);
}

EXPORT int cuTexRefSetArray(void *reference, void *array, unsigned flags)
{
    return LIBCUDA(set_array(reference, array, flags, false));
}

EXPORT int cuSurfRefSetArray(void *reference, void *array, unsigned flags)
{
    return LIBCUDA(set_array(reference, array, flags, true));
}

static RtError get_array(void **array, void *handle, bool is_surface)
{
    NEED(array);
    RtReference *reference = NULL;
    RtError error = rt_reference_get(handle, is_surface, &reference);
    if (!error && (!reference->is_bound || reference->source.kind != RT_RESOURCE_ARRAY))
        error = rt_fail(RT_INVALID_VALUE, "The reference '%s' shows no array.", reference->name);
    if (!error)
        *array = reference->source.array;
    return error;
}

EXPORT int cuTexRefGetArray(void **array, void *reference)
{
    return LIBCUDA(get_array(array, reference, false));
}

EXPORT int cuSurfRefGetArray(void **array, void *reference)
{
    return LIBCUDA(get_array(array, reference, true));
}

static RtError set_address(size_t *offset, void *handle, uint64_t address, size_t bytes)
{
    RtReference *reference = NULL;
    RtError error = rt_reference_get(handle, false, &reference);
    return error ? error : rt_reference_set_memory(reference, address, bytes, offset);
}

EXPORT int cuTexRefSetAddress_v2(size_t *offset, void *reference, uint64_t address, size_t bytes)
{
    return LIBCUDA(set_address(offset, reference, address, bytes));
}

static RtError set_rows(void *handle, const FlatDescriptor *descriptor, uint64_t address, size_t pitch)
{
    NEED(descriptor);
    RtReference *reference = NULL;
    WbChannel channel;
    uint32_t bits;
    RtError error = rt_reference_get(handle, false, &reference);
    if (!error)
        error = format_take(descriptor->format, &channel, &bits);
    const size_t alignment = (size_t)rt_device_value(ATTRIBUTE_PITCH_ALIGNMENT);
    if (!error && pitch % alignment)
        error = rt_fail(RT_INVALID_VALUE, "Rows %zu bytes apart are not aligned to %zu bytes.", pitch,
                        alignment);
    if (!error)
        error = rt_reference_set_memory(reference, address, pitch * descriptor->height, NULL);
    if (error)
        return error;
    reference->source = (RtTextureSource){.kind = RT_RESOURCE_PITCH,
                                          .address = address,
                                          .channel = channel,
                                          .channels = descriptor->channels,
                                          .channel_bits = bits,
                                          .width = descriptor->width,
                                          .height = descriptor->height,
                                          .pitch = pitch};
    return RT_SUCCESS;
}

EXPORT int cuTexRefSetAddress2D_v2(void *reference, const void *descriptor, uint64_t address, size_t pitch)
{
    return LIBCUDA(set_rows(reference, descriptor, address, pitch));
}

EXPORT int cuTexRefSetAddress2D_v3(void *reference, const void *descriptor, uint64_t address, size_t pitch)
{
    return LIBCUDA(set_rows(reference, descriptor, address, pitch));
}

static RtError get_address(uint64_t *address, void *handle)
{
    NEED(address);
    RtReference *reference = NULL;
    RtError error = rt_reference_get(handle, false, &reference);
    if (!error && (!reference->is_bound || reference->source.kind == RT_RESOURCE_ARRAY))
        error = rt_fail(RT_INVALID_VALUE, "The texture reference '%s' shows no memory.", reference->name);
    if (!error)
        *address = reference->source.address;
    return error;
}

EXPORT int cuTexRefGetAddress_v2(uint64_t *address, void *reference)
{
    return LIBCUDA(get_address(address, reference));
}

static RtError set_format(void *handle, int format, int channels)
{
    RtReference *reference = NULL;
    WbChannel channel;
    uint32_t bits;
    RtError error = rt_reference_get(handle, false, &reference);
    if (!error)
        error = format_take(format, &channel, &bits);
    if (!error && channels != 1 && channels != 2 && channels != 4)
        error = rt_fail(RT_INVALID_VALUE, "A texture has 1, 2 or 4 channels, not %d.", channels);
    if (error)
        return error;
    reference->source.channel = channel;
    reference->source.channel_bits = bits;
    reference->source.channels = (uint32_t)channels;
    reference->has_changed = true;
    return RT_SUCCESS;
}

EXPORT int cuTexRefSetFormat(void *reference, int format, int channels)
{
    return LIBCUDA(set_format(reference, format, channels));
}

static RtError get_format(int *format, int *channels, void *handle)
{
    RtReference *reference = NULL;
    RtError error = rt_reference_get(handle, false, &reference);
    if (!error && format)
        *format = format_of(reference->source.channel, reference->source.channel_bits);
    if (!error && channels)
        *channels = (int)reference->source.channels;
    return error;
}

EXPORT int cuTexRefGetFormat(int *format, int *channels, void *reference)
{
    return LIBCUDA(get_format(format, channels, reference));
}

/* -- how they are read -- */

/* The reference's sampler, which the caller is about to change. */
static RtError change(void *handle, RtSampler **sampler)
{
    RtReference *reference = NULL;
    RtError error = rt_reference_get(handle, false, &reference);
    if (error)
        return error;
    reference->has_changed = true;
    *sampler = &reference->sampler;
    return RT_SUCCESS;
}

static RtError look(void *handle, const void *place, const RtSampler **sampler)
{
    NEED(place);
    RtReference *reference = NULL;
    RtError error = rt_reference_get(handle, false, &reference);
    if (!error)
        *sampler = &reference->sampler;
    return error;
}

static RtError check_axis(int axis)
{
    return axis >= 0 && axis < AXES
               ? RT_SUCCESS
               : rt_fail(RT_INVALID_VALUE, "A texture has axes 0, 1 and 2, not %d.", axis);
}

static RtError set_address_mode(void *handle, int axis, int mode)
{
    RtSampler *sampler = NULL;
    RtError error = check_axis(axis);
    if (!error && (mode < 0 || mode > BORDER))
        error = rt_fail(RT_INVALID_VALUE, "There is no address mode %d.", mode);
    if (!error)
        error = change(handle, &sampler);
    if (!error)
        sampler->addressing[axis] = mode;
    return error;
}

EXPORT int cuTexRefSetAddressMode(void *reference, int axis, int mode)
{
    return LIBCUDA(set_address_mode(reference, axis, mode));
}

static RtError get_address_mode(int *mode, void *handle, int axis)
{
    const RtSampler *sampler = NULL;
    RtError error = check_axis(axis);
    if (!error)
        error = look(handle, mode, &sampler);
    if (!error)
        *mode = sampler->addressing[axis];
    return error;
}

EXPORT int cuTexRefGetAddressMode(int *mode, void *reference, int axis)
{
    return LIBCUDA(get_address_mode(mode, reference, axis));
}

static RtError set_filter(void *handle, int filter, bool is_of_mipmap)
{
    RtSampler *sampler = NULL;
    RtError error = filter == 0 || filter == 1
                        ? change(handle, &sampler)
                        : rt_fail(RT_INVALID_VALUE, "There is no filter mode %d.", filter);
    if (!error && is_of_mipmap)
        sampler->mipmap_filter = filter;
    else if (!error)
        sampler->is_linear = filter;
    return error;
}

EXPORT int cuTexRefSetFilterMode(void *reference, int filter)
{
    return LIBCUDA(set_filter(reference, filter, false));
}

EXPORT int cuTexRefSetMipmapFilterMode(void *reference, int filter)
{
    return LIBCUDA(set_filter(reference, filter, true));
}

static RtError get_filter(int *filter, void *handle, bool is_of_mipmap)
{
    const RtSampler *sampler = NULL;
    RtError error = look(handle, filter, &sampler);
    if (!error)
        *filter = is_of_mipmap ? sampler->mipmap_filter : sampler->is_linear;
    return error;
}

EXPORT int cuTexRefGetFilterMode(int *filter, void *reference)
{
    return LIBCUDA(get_filter(filter, reference, false));
}

EXPORT int cuTexRefGetMipmapFilterMode(int *filter, void *reference)
{
    return LIBCUDA(get_filter(filter, reference, true));
}

static RtError set_flags(void *handle, unsigned flags)
{
    RtReference *reference = NULL;
    RtError error = rt_reference_get(handle, false, &reference);
    if (!error && flags & ~(unsigned)ALL_FLAGS)
        error = rt_fail(RT_INVALID_VALUE, "The flags 0x%x have bits that mean nothing.", flags);
    if (error)
        return error;
    reference->reads_integers = flags & READ_AS_INTEGER;
    reference->sampler.normalized_coordinates = flags & NORMALIZED_COORDINATES;
    reference->sampler.srgb = flags & SRGB;
    reference->sampler.keeps_trilinear = flags & KEEPS_TRILINEAR;
    reference->sampler.is_seamless = flags & SEAMLESS;
    reference->has_changed = true;
    return RT_SUCCESS;
}

EXPORT int cuTexRefSetFlags(void *reference, unsigned flags) { return LIBCUDA(set_flags(reference, flags)); }

static RtError get_flags(unsigned *flags, void *handle)
{
    NEED(flags);
    RtReference *reference = NULL;
    RtError error = rt_reference_get(handle, false, &reference);
    if (error)
        return error;
    const RtSampler *sampler = &reference->sampler;
    *flags = (reference->reads_integers ? READ_AS_INTEGER : 0u) |
             (sampler->normalized_coordinates ? NORMALIZED_COORDINATES : 0u) | (sampler->srgb ? SRGB : 0u) |
             (sampler->keeps_trilinear ? KEEPS_TRILINEAR : 0u) | (sampler->is_seamless ? SEAMLESS : 0u);
    return RT_SUCCESS;
}

EXPORT int cuTexRefGetFlags(unsigned *flags, void *reference) { return LIBCUDA(get_flags(flags, reference)); }

static RtError set_border(void *handle, const float *color)
{
    NEED(color);
    RtSampler *sampler = NULL;
    RtError error = change(handle, &sampler);
    if (!error)
        memcpy(sampler->border, color, sizeof sampler->border);
    return error;
}

EXPORT int cuTexRefSetBorderColor(void *reference, float *color)
{
    return LIBCUDA(set_border(reference, color));
}

static RtError get_border(float *color, void *handle)
{
    const RtSampler *sampler = NULL;
    RtError error = look(handle, color, &sampler);
    if (!error)
        memcpy(color, sampler->border, sizeof sampler->border);
    return error;
}

EXPORT int cuTexRefGetBorderColor(float *color, void *reference)
{
    return LIBCUDA(get_border(color, reference));
}

/* -- of mipmaps and anisotropy, which are not simulated: kept for those who ask -- */

static RtError set_bias(void *handle, float bias)
{
    RtSampler *sampler = NULL;
    RtError error = change(handle, &sampler);
    if (!error)
        sampler->mipmap_bias = bias;
    return error;
}

EXPORT int cuTexRefSetMipmapLevelBias(void *reference, float bias)
{
    return LIBCUDA(set_bias(reference, bias));
}

static RtError get_bias(float *bias, void *handle)
{
    const RtSampler *sampler = NULL;
    RtError error = look(handle, bias, &sampler);
    if (!error)
        *bias = sampler->mipmap_bias;
    return error;
}

EXPORT int cuTexRefGetMipmapLevelBias(float *bias, void *reference)
{
    return LIBCUDA(get_bias(bias, reference));
}

static RtError set_clamp(void *handle, float least, float most)
{
    RtSampler *sampler = NULL;
    RtError error = change(handle, &sampler);
    if (!error) {
        sampler->mipmap_least = least;
        sampler->mipmap_most = most;
    }
    return error;
}

EXPORT int cuTexRefSetMipmapLevelClamp(void *reference, float least, float most)
{
    return LIBCUDA(set_clamp(reference, least, most));
}

static RtError get_clamp(float *least, float *most, void *handle)
{
    NEED(least);
    const RtSampler *sampler = NULL;
    RtError error = look(handle, most, &sampler);
    if (!error) {
        *least = sampler->mipmap_least;
        *most = sampler->mipmap_most;
    }
    return error;
}

EXPORT int cuTexRefGetMipmapLevelClamp(float *least, float *most, void *reference)
{
    return LIBCUDA(get_clamp(least, most, reference));
}

static RtError set_anisotropy(void *handle, unsigned most)
{
    RtSampler *sampler = NULL;
    RtError error = change(handle, &sampler);
    if (!error)
        sampler->anisotropy = most;
    return error;
}

EXPORT int cuTexRefSetMaxAnisotropy(void *reference, unsigned most)
{
    return LIBCUDA(set_anisotropy(reference, most));
}

static RtError get_anisotropy(int *most, void *handle)
{
    const RtSampler *sampler = NULL;
    RtError error = look(handle, most, &sampler);
    if (!error)
        *most = (int)sampler->anisotropy;
    return error;
}

EXPORT int cuTexRefGetMaxAnisotropy(int *most, void *reference)
{
    return LIBCUDA(get_anisotropy(most, reference));
}
