/* What texture and surface references show, and when their variables get it. Calls only note changes; they
 * reach the GPU when a kernel of the module is launched, as CUDA reads them then. */
#include "rt/reference.h"

#include <string.h>

#include "rt/allocation.h"
#include "rt/device.h"
#include "rt/module_state.h"
#include "rt/stream.h"

enum { ATTRIBUTE_TEXTURE_ALIGNMENT = 14, CLAMP = 1 };

static RtReference *create(RtModule *module, const char *name, bool is_surface, uint64_t handle)
{
    RtReference *made = xcalloc(1, sizeof *made);
    *made = (RtReference){
        .device = rt_device(),
        .module = module,
        .name = xcopy_text(name),
        .handle = handle,
        .is_surface = is_surface,
        .source = {.channel = WB_CHANNEL_FLOAT, .channels = 1, .channel_bits = 32},
        .sampler = {.addressing = {CLAMP, CLAMP, CLAMP}},
    };
    rt_handle_add(RT_HANDLE_REFERENCE, made);
    return made;
}

static void destroy(RtReference *reference)
{
    rt_handle_remove(RT_HANDLE_REFERENCE, reference);
    xfree(reference->name);
    xfree(reference);
}

RtError rt_reference_find(RtModule *module, const char *name, bool is_surface, RtReference **reference)
{
    uint64_t handle = 0;
    for (uint32_t i = 0; i < module->references.count; i++) {
        *reference = module->references.items[i];
        if ((*reference)->device == rt_device() && (*reference)->is_surface == is_surface &&
            !strcmp((*reference)->name, name))
            return RT_SUCCESS;
    }
    RtError error = rt_module_ready(module);
    if (!error)
        error = rt_check(wb_module_reference(module_here(module)->module, name, is_surface, &handle));
    if (error)
        return error;
    *reference = create(module, name, is_surface, handle);
    VEC_PUSH(&module->references, *reference);
    return RT_SUCCESS;
}

RtReference *rt_reference_create(void) { return create(NULL, "", false, 0); }

RtError rt_reference_destroy(RtReference *reference)
{
    if (reference->module)
        return rt_fail(RT_INVALID_VALUE,
                       "The texture reference '%s' belongs to a module and goes with it; only those of "
                       "cuTexRefCreate are destroyed.",
                       reference->name);
    destroy(reference);
    return RT_SUCCESS;
}

RtError rt_reference_get(void *handle, bool is_surface, RtReference **reference)
{
    *reference = handle;
    if (rt_handle_is_live(RT_HANDLE_REFERENCE, handle) && (*reference)->is_surface == is_surface)
        return RT_SUCCESS;
    return rt_fail(RT_INVALID_VALUE, "%p is no %s reference, or one whose module was unloaded.", handle,
                   is_surface ? "surface" : "texture");
}

RtError rt_reference_set_array(RtReference *reference, void *handle)
{
    RtArray *array = NULL;
    RtError error = rt_array_get(handle, &array);
    if (error)
        return error;
    reference->source = (RtTextureSource){.kind = RT_RESOURCE_ARRAY,
                                          .array = handle,
                                          .channel = array->channel,
                                          .channels = array->channels,
                                          .channel_bits = array->channel_bits};
    reference->is_bound = reference->has_changed = true;
    return RT_SUCCESS;
}

/* Memory as cudaMalloc gives it is aligned; inside of it, textures begin at multiples of the alignment. */
RtError rt_reference_set_memory(RtReference *reference, uint64_t address, size_t bytes, size_t *offset)
{
    const RtAllocation *found = rt_allocation_find(address);
    const uint64_t base = found ? found->base : 0;
    const size_t behind = (size_t)((address - base) % (uint64_t)rt_device_value(ATTRIBUTE_TEXTURE_ALIGNMENT));
    if (behind && !offset)
        return rt_fail(RT_INVALID_VALUE,
                       "0x%llx lies %zu bytes behind a place where a texture can begin, and the call has no "
                       "place for that number.",
                       (unsigned long long)address, behind);
    if (offset)
        *offset = behind;
    reference->source.kind = RT_RESOURCE_LINEAR;
    reference->source.address = address - behind;
    reference->source.bytes = bytes + behind;
    reference->is_bound = reference->has_changed = true;
    return RT_SUCCESS;
}

/* -- bringing it to the variable -- */

static RtError settle(RtReference *reference)
{
    WbTexture texture;
    const RtTextureSource *source = &reference->source;
    RtSampler sampler = reference->sampler;
    RtError error = RT_SUCCESS;
    RtArray *array = NULL;
    if (reference->is_bound && source->kind == RT_RESOURCE_ARRAY)
        error = rt_array_get(source->array, &array);
    if (error)
        return error;
    /* CUDA: integers of 8 and 16 bits are read as floats from 0 to 1 unless CU_TRSF_READ_AS_INTEGER is
     * set. */
    sampler.normalized_values = !reference->reads_integers &&
                                (array ? array->channel : source->channel) != WB_CHANNEL_FLOAT &&
                                (array ? array->channel_bits : source->channel_bits) < 32;
    if (reference->is_bound)
        error = rt_texture_describe(source, reference->is_surface ? NULL : &sampler, &texture);
    /* Kernels under way still read what was bound before. */
    if (!error && reference->is_shown)
        error = rt_wait_all();
    if (!error)
        error = rt_check(wb_reference_bind(rt_gpu(), reference->handle,
                                           reference->is_bound ? &texture : NULL));
    if (error)
        return error;
    reference->has_changed = false;
    reference->is_shown = reference->is_bound;
    return RT_SUCCESS;
}

RtError rt_references_settle(RtModule *module)
{
    RtError error = RT_SUCCESS;
    for (uint32_t i = 0; module && i < module->references.count && !error; i++)
        if (module->references.items[i]->has_changed && module->references.items[i]->device == rt_device())
            error = settle(module->references.items[i]);
    return error;
}

void references_free(RtModule *module)
{
    for (uint32_t i = 0; i < module->references.count; i++)
        destroy(module->references.items[i]);
    VEC_FREE(&module->references);
}
