/* Texture and surface objects of a GPU. */
#include "api/gpu.h"

#include <inttypes.h>

static const char *const kinds[] = {"texture", "surface"};

static bool is_one_of(uint32_t value, uint32_t a, uint32_t b, uint32_t c)
{
    return value == a || value == b || value == c;
}

static WbStatus check_format(const WbTexture *texture, const char *kind, Error *error)
{
    if (!is_one_of(texture->channels, 1, 2, 4) || !is_one_of(texture->channel_bits, 8, 16, 32) ||
        (texture->channel == WB_CHANNEL_FLOAT && texture->channel_bits == 8))
        return error_set(
            error, WB_ERROR_ARGUMENT,
            "A %s cannot have %u channels of %u bits; 1, 2 or 4 of 8, 16 or 32 bits are possible, floating-"
            "point ones of 16 or 32.",
            kind, texture->channels, texture->channel_bits);
    if (texture->normalized_values && (texture->channel == WB_CHANNEL_FLOAT || texture->channel_bits == 32))
        return error_set(error, WB_ERROR_ARGUMENT,
                         "Only integers of 8 or 16 bits can be read as normalized floats.");
    if (texture->linear && texture->channel != WB_CHANNEL_FLOAT && !texture->normalized_values)
        return error_set(
            error, WB_ERROR_ARGUMENT,
            "The linear filter needs values that are read as floats; read the integers as normalized floats "
            "or take the nearest element.");
    return WB_OK;
}

static WbStatus check_shape(const WbTexture *texture, const char *kind, Error *error)
{
    const bool is_cube = texture->shape == WB_TEXTURE_CUBE || texture->shape == WB_TEXTURE_CUBE_LAYERED;
    if ((unsigned)texture->shape > WB_TEXTURE_CUBE_LAYERED || texture->width == 0)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "A %s needs a shape and a width; it was given shape %d and width %zu.", kind,
                         (int)texture->shape, texture->width);
    if (is_cube && (texture->width != texture->height || texture->depth == 0 || texture->depth % 6))
        return error_set(
            error, WB_ERROR_ARGUMENT,
            "A cube has square faces and 6 of them; it was given %zu x %zu elements and %zu faces.",
            texture->width, texture->height, texture->depth);
    return WB_OK;
}

static size_t at_least_1(size_t size) { return size ? size : 1; }

/* Sizes as instructions want them: 1 where the shape has no such axis. */
static WbStatus fill_object(TextureObject *object, const WbTexture *from, Error *error)
{
    WbTexture *texture = &object->texture;
    *texture = *from;
    object->element_bytes = from->channels * from->channel_bits / 8;
    texture->height = at_least_1(from->height);
    texture->depth = at_least_1(from->depth);
    uint64_t row, rows, slices;
    if (__builtin_mul_overflow(texture->width, object->element_bytes, &row) ||
        __builtin_mul_overflow(texture->row_pitch, texture->height - 1, &rows) ||
        __builtin_mul_overflow(texture->slice_pitch, texture->depth - 1, &slices) ||
        __builtin_add_overflow(row, rows, &object->bytes) ||
        __builtin_add_overflow(object->bytes, slices, &object->bytes))
        return error_set(error, WB_ERROR_ARGUMENT,
                         "A texture of %zu x %zu x %zu elements has more bytes than 64 bits count.",
                         texture->width, texture->height, texture->depth);
    const uint64_t misaligned = texture->address | (texture->height > 1 ? texture->row_pitch : 0) |
                                (texture->depth > 1 ? texture->slice_pitch : 0);
    if (misaligned % object->element_bytes)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "The address 0x%" PRIx64
                         " and the pitches %zu and %zu must be multiples of the %u bytes of an "
                         "element.",
                         texture->address, texture->row_pitch, texture->slice_pitch, object->element_bytes);
    return WB_OK;
}

/* Frees objects that were destroyed, once nothing is left in streams that could use them. */
static void sweep(WbGpu *gpu)
{
    if (gpu->timeline.pending)
        return;
    for (uint32_t i = 0; i < gpu->textures.objects.count; i++) {
        TextureObject **object = &gpu->textures.objects.items[i];
        if (*object && (*object)->is_destroyed) {
            xfree(*object);
            *object = NULL;
        }
    }
}

/* Makes what the description says, or error->status. */
static WbStatus make(WbGpu *gpu, const WbTexture *texture, bool is_surface, TextureObject *object,
                     Error *error)
{
    const char *kind = kinds[is_surface];
    *object = (TextureObject){.is_surface = is_surface};
    if (check_format(texture, kind, error) || check_shape(texture, kind, error) ||
        fill_object(object, texture, error))
        return error->status;
    char nearest[384];
    if (!space_find(&gpu->space, texture->address, object->bytes))
        return error_set(error, WB_ERROR_ARGUMENT,
                         "The %s's %" PRIu64 " bytes at 0x%" PRIx64 " are not in one allocation: %s.", kind,
                         object->bytes, texture->address,
                         space_describe(&gpu->space, texture->address, nearest, sizeof nearest));
    return WB_OK;
}

static uint64_t add(WbGpu *gpu, const TextureObject *object)
{
    TextureObject *kept = xmalloc(sizeof *kept);
    *kept = *object;
    VEC_PUSH(&gpu->textures.objects, kept);
    return TEXTURE_HANDLE_BASE + gpu->textures.objects.count - 1;
}

static WbStatus create(WbGpu *gpu, const WbTexture *texture, bool is_surface, uint64_t *handle)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    TextureObject object;
    if (!texture || !handle)
        return gpu_end(gpu, error_set(error, WB_ERROR_ARGUMENT,
                                      "Creating a %s needs a description and a place for the handle.",
                                      kinds[is_surface]));
    if (make(gpu, texture, is_surface, &object, error) == WB_OK) {
        sweep(gpu);
        *handle = add(gpu, &object);
    }
    return gpu_end(gpu, error->status);
}

WbStatus wb_texture_create(WbGpu *gpu, const WbTexture *texture, uint64_t *handle)
{
    return create(gpu, texture, false, handle);
}

WbStatus wb_surface_create(WbGpu *gpu, const WbTexture *surface, uint64_t *handle)
{
    return create(gpu, surface, true, handle);
}

static TextureObject *find(WbGpu *gpu, uint64_t handle)
{
    return (TextureObject *)(uintptr_t)texture_find(&gpu->textures, handle);
}

WbStatus wb_texture_destroy(WbGpu *gpu, uint64_t handle)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    TextureObject *object = find(gpu, handle);
    if (!object || object->is_destroyed || object->reference)
        return gpu_end(gpu,
                       error_set(error, WB_ERROR_NOT_FOUND,
                                 "0x%" PRIx64 " is no texture or surface object, or one that was destroyed.",
                                 handle));
    object->is_destroyed = true;
    sweep(gpu);
    return gpu_end(gpu, WB_OK);
}

/* -- references -- */

uint64_t texture_add_reference(WbGpu *gpu, const char *name, bool is_surface)
{
    return add(gpu, &(TextureObject){.is_surface = is_surface, .is_unbound = true, .reference = name});
}

void texture_drop_reference(WbGpu *gpu, uint64_t handle)
{
    if (!find(gpu, handle))
        return;
    xfree(find(gpu, handle));
    gpu->textures.objects.items[handle - TEXTURE_HANDLE_BASE] = NULL;
}

WbStatus wb_reference_bind(WbGpu *gpu, uint64_t handle, const WbTexture *texture)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    TextureObject *object = find(gpu, handle), made = {.is_unbound = true};
    if (!object || !object->reference)
        return gpu_end(gpu, error_set(error, WB_ERROR_NOT_FOUND,
                                      "0x%" PRIx64 " is no texture or surface reference of a module.",
                                      handle));
    if (!object->is_unbound && gpu->timeline.pending)
        return gpu_end(gpu, error_set(error, WB_ERROR_ARGUMENT,
                                      "The reference '%s' cannot show something else while streams have "
                                      "operations that may use it; wait for them (wb_wait).",
                                      object->reference));
    if (texture && make(gpu, texture, object->is_surface, &made, error))
        return gpu_end(gpu, error->status);
    made.is_surface = object->is_surface;
    made.reference = object->reference;
    *object = made;
    return gpu_end(gpu, WB_OK);
}

void textures_free(TextureTable *textures)
{
    for (uint32_t i = 0; i < textures->objects.count; i++)
        xfree(textures->objects.items[i]);
    VEC_FREE(&textures->objects);
}
