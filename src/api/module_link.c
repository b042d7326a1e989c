/* Modules of several PTX texts: each is parsed, then they are linked into one. */
#include "api/gpu.h"

#include "ptx/merge.h"

typedef VEC(Module *) Modules;

static WbStatus parse_all(WbGpu *gpu, const WbSource *sources, size_t count, Modules *modules, Error *error)
{
    for (size_t i = 0; i < count; i++) {
        const WbSource *source = &sources[i];
        Module *parsed;
        if (!source->text && source->length)
            return error_set(error, WB_ERROR_ARGUMENT, "Text %zu of wb_module_link is a null pointer.", i);
        if (module_parse(source->file_name ? source->file_name : "module.ptx",
                         source->text ? source->text : "", source->length, &parsed, error))
            return error->status;
        VEC_PUSH(modules, parsed);
        if (module_check_target(gpu, parsed, error))
            return error->status;
    }
    return WB_OK;
}

WbStatus module_read(WbGpu *gpu, const WbSource *sources, size_t count, Module **parsed, Error *error)
{
    Modules modules = {0};
    if (parse_all(gpu, sources, count, &modules, error) == WB_OK)
        module_merge(modules.items, modules.count, parsed, error);
    else
        for (uint32_t i = 0; i < modules.count; i++)
            module_free(modules.items[i]);
    VEC_FREE(&modules);
    return error->status;
}

WbStatus wb_module_link(WbGpu *gpu, const WbSource *sources, size_t count, WbModule **module)
{
    if (module)
        *module = NULL;
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (!module || !sources || count == 0)
        return gpu_end(gpu,
                       error_set(error, WB_ERROR_ARGUMENT,
                                 "wb_module_link needs PTX texts and a place for the module; there were %zu "
                                 "texts, or one of the two was null.",
                                 count));
    Module *parsed;
    if (module_read(gpu, sources, count, &parsed, error) == WB_OK)
        module_load_parsed(gpu, parsed, module, error);
    return gpu_end(gpu, error->status);
}
