/* Loading a module: parse, give its variables places in device memory, fill them, number its functions. */
#include "api/gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/nearest.h"
#include "base/plain_name.h"

static bool in_device_memory(const Variable *variable)
{
    return variable->space == SPACE_GLOBAL || variable->space == SPACE_CONST;
}

/* One that instructions can name: not an array, not inside of a function, not a sampler. */
static bool is_reference(const Variable *variable)
{
    return variable->space == SPACE_TEXTURE && variable->type != TYPE_samplerref && !variable->is_array &&
           !variable->is_extern && variable->function == NO_INDEX;
}

uint64_t module_function_address(const WbModule *module, uint32_t function)
{
    return SPACE_CODE_BASE + 16 * (module->first_function + function);
}

static WbStatus check_variable(const Module *module, const Variable *variable, Error *error)
{
    if (variable->align <= SPACE_ALIGNMENT)
        return WB_OK;
    uint32_t line;
    const char *file = module_file(module, variable->place.line, &line);
    return error_set(error, WB_ERROR_UNSUPPORTED,
                     "%s:%u: the variable %s asks for alignment %u; at most %d is given.", file, line,
                     variable->name, variable->align, SPACE_ALIGNMENT);
}

static WbStatus too_many_constants(const WbModule *module, const Variable *variable, Error *error)
{
    uint32_t line;
    const char *file = module_file(module->module, variable->place.line, &line);
    return error_set(error, WB_ERROR_OUT_OF_MEMORY,
                     "%s:%u: with %s the module's constants take %" PRIu64 " bytes; %s has %" PRIu64 ".",
                     file, line, variable->name, module->constant_bytes, module->gpu->config.name,
                     module->gpu->config.const_bytes);
}

/* Where the module that this one was loaded beside has the managed variable; 0: there is none. */
static uint64_t managed_place(const WbModule *module, const Variable *variable)
{
    const WbModule *first = module->first;
    const uint32_t v = first == module || !variable->is_managed
                           ? NO_INDEX
                           : module_find_variable(first->module, variable->name);
    return v != NO_INDEX && first->module->variables[v].is_managed ? first->addresses[v] : 0;
}

static WbStatus allocate_variable(const WbModule *module, const Variable *variable, uint64_t *address,
                                  Error *error)
{
    AddressSpace *space = &module->gpu->space;
    const uint64_t size = variable->size ? variable->size : 1;
    void *host = NULL;
    if (!variable->is_managed)
        return space_alloc(space, size, variable->name, variable->space == SPACE_CONST, address, error);
    *address = managed_place(module, variable);
    if (*address)
        return WB_OK;
    if (space_map(space, size, MEMORY_MANAGED, &host, error))
        return error->status;
    *address = (uint64_t)(uintptr_t)host;
    return WB_OK;
}

static WbStatus allocate_variables(WbModule *module, Error *error)
{
    const Module *parsed = module->module;
    for (uint32_t v = 0; v < parsed->variable_count; v++) {
        const Variable *variable = &parsed->variables[v];
        if (is_reference(variable))
            module->addresses[v] =
                texture_add_reference(module->gpu, variable->name, variable->type == TYPE_surfref);
        if (!in_device_memory(variable) || variable->is_extern) /* used: told when a kernel is linked */
            continue;
        if (check_variable(parsed, variable, error))
            return error->status;
        module->constant_bytes += variable->space == SPACE_CONST ? variable->size : 0;
        if (module->constant_bytes > module->gpu->config.const_bytes)
            return too_many_constants(module, variable, error);
        if (allocate_variable(module, variable, &module->addresses[v], error))
            return error->status;
    }
    return WB_OK;
}

/* The address that an initializer names. Global and constant variables have one address in their own space
 * and in the generic one, so `generic` makes no difference. */
static WbStatus relocation_address(const WbModule *module, const Variable *variable,
                                   const Relocation *relocation, uint64_t *address, Error *error)
{
    *address = relocation->is_function ? module_function_address(module, relocation->target)
                                       : module->addresses[relocation->target];
    if (*address)
        return WB_OK;
    uint32_t line;
    const char *file = module_file(module->module, variable->place.line, &line);
    return error_set(error, WB_ERROR_UNSUPPORTED,
                     "%s:%u: the initializer of %s takes the address of %s, which is not a .global or .const "
                     "variable that the module defines.",
                     file, line, variable->name, module->module->variables[relocation->target].name);
}

static WbStatus initialize_variable(WbModule *module, uint32_t v, Error *error)
{
    const Variable *variable = &module->module->variables[v];
    uint8_t *host = space_find(&module->gpu->space, module->addresses[v], 1)->host;
    if (variable->init)
        memcpy(host, variable->init, variable->size);
    for (uint32_t r = 0; r < variable->relocation_count; r++) {
        const Relocation *relocation = &variable->relocations[r];
        uint64_t address;
        if (relocation_address(module, variable, relocation, &address, error))
            return error->status;
        uint64_t value = (address + (uint64_t)relocation->addend) >> relocation->shift;
        memcpy(host + relocation->offset, &value, relocation->bytes);
    }
    return WB_OK;
}

static void collect_kernels(WbModule *module)
{
    const Module *parsed = module->module;
    module->kernels = xcalloc(parsed->function_count + 1, sizeof *module->kernels);
    for (uint32_t f = 0; f < parsed->function_count; f++) {
        if (parsed->functions[f].is_entry && parsed->functions[f].has_body)
            module->kernels[module->kernel_count++] = (WbKernel){
                .module = module, .function = f, .plain = plain_name(parsed->functions[f].name, false)};
    }
}

static WbStatus place_module(WbModule *module, Error *error)
{
    if (allocate_variables(module, error))
        return error->status;
    for (uint32_t v = 0; v < module->module->variable_count; v++) {
        const Variable *variable = &module->module->variables[v];
        if (module->addresses[v] && in_device_memory(variable) && !managed_place(module, variable) &&
            initialize_variable(module, v, error))
            return error->status;
    }
    return WB_OK;
}

/* What others may use of it: its managed variables and its text. */
static void release_shared(WbModule *module)
{
    Error ignored = {0};
    for (uint32_t v = 0; v < module->module->variable_count; v++) {
        const Variable *variable = &module->module->variables[v];
        if (variable->is_managed && module->addresses[v] && !managed_place(module, variable))
            space_free(&module->gpu->space, module->addresses[v], &ignored);
    }
    WbModule *first = module->first == module ? NULL : module->first;
    if (!module->has_text_of_first)
        module_free(module->module);
    xfree(module->addresses);
    xfree(module);
    if (first && --first->users == 0 && first->is_unloaded)
        release_shared(first);
}

void module_release(WbModule *module)
{
    for (uint32_t k = 0; k < module->kernel_count; k++) {
        kernel_unlink(&module->kernels[k]);
        xfree(module->kernels[k].plain);
        xfree(module->kernels[k].full);
    }
    Error ignored = {0};
    for (uint32_t v = 0; v < module->module->variable_count; v++) {
        if (is_reference(&module->module->variables[v]))
            texture_drop_reference(module->gpu, module->addresses[v]);
        else if (module->addresses[v] && !module->module->variables[v].is_managed)
            space_free(&module->gpu->space, module->addresses[v], &ignored);
    }
    xfree(module->kernels);
    module->is_unloaded = true;
    if (module->users == 0)
        release_shared(module);
}

/* `first`: null unless there is one. */
static WbStatus load_parsed(WbGpu *gpu, Module *parsed, WbModule *first, WbModule **module, Error *error)
{
    WbModule *loaded = xcalloc(1, sizeof *loaded);
    loaded->gpu = gpu;
    loaded->module = parsed;
    loaded->first = first ? first : loaded;
    loaded->has_text_of_first = first && first->module == parsed;
    if (first)
        first->users++;
    loaded->addresses = xcalloc(parsed->variable_count + 1, sizeof *loaded->addresses);
    loaded->first_function = gpu->next_function;
    collect_kernels(loaded);
    if (place_module(loaded, error)) {
        module_release(loaded);
        return error->status;
    }
    gpu->next_function += parsed->function_count;
    VEC_PUSH(&gpu->modules, loaded);
    *module = loaded;
    return WB_OK;
}

WbStatus module_load_parsed(WbGpu *gpu, Module *parsed, WbModule **module, Error *error)
{
    return load_parsed(gpu, parsed, NULL, module, error);
}

/* What the assembler made of the kernels of the same text holds for both. */
static void take_compiled(WbModule *module, const WbModule *first)
{
    for (uint32_t k = 0; k < module->kernel_count; k++)
        module->kernels[k].compiled = first->kernels[k].compiled;
}

static WbStatus load_beside(WbGpu *gpu, WbModule *first, const WbSource *sources, size_t count,
                            WbModule **module, Error *error)
{
    Module *parsed = first->module;
    if (count && module_read(gpu, sources, count, &parsed, error))
        return error->status;
    if (count == 0 && module_check_target(gpu, parsed, error))
        return error->status;
    if (load_parsed(gpu, parsed, first, module, error))
        return error->status;
    if (count == 0)
        take_compiled(*module, first);
    return WB_OK;
}

WbStatus wb_module_load_beside(WbGpu *gpu, WbModule *first, const WbSource *sources, size_t count,
                               WbModule **module)
{
    if (module)
        *module = NULL;
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (!module || !first || first->gpu->system != gpu->system || (count && !sources))
        return gpu_end(gpu, error_set(error, WB_ERROR_ARGUMENT,
                                      "wb_module_load_beside needs a module of a GPU that was opened "
                                      "together with this one, and a place for the new one."));
    return gpu_end(gpu, load_beside(gpu, first, sources, count, module, error));
}

/* CUDA refuses a module that is compiled for a newer GPU. Here old GPUs are simulated with the compilers of
 * today, which do not know them any more, and an instruction means the same on all; so it runs, and is told
 * of once. */
WbStatus module_check_target(WbGpu *gpu, const Module *parsed, Error *error)
{
    const uint64_t capability = gpu->config.compute_capability;
    if (parsed->target <= capability || gpu->config.newer_ptx == NEWER_PTX_TAKE)
        return WB_OK;
    uint32_t line;
    const char *file = module_file(parsed, parsed->target_place.line, &line);
    if (gpu->config.newer_ptx == NEWER_PTX_REFUSE)
        return error_set(error, WB_ERROR_PTX,
                         "%s:%u: the module has .target sm_%u, but %s is an sm_%u, and the knob newer_ptx "
                         "is refuse; compile it for sm_%u or an older GPU.",
                         file, line, parsed->target, gpu->config.name, (unsigned)capability,
                         (unsigned)capability);
    char sentence[1024];
    snprintf(sentence, sizeof sentence,
             "%.400s:%u: the module has .target sm_%u, but %.200s is an sm_%u: CUDA refuses it there, and "
             "here it runs (newer_ptx=refuse to have it refused, take to hear nothing of it).",
             file, line, parsed->target, gpu->config.name, (unsigned)capability);
    if (gpu->notice && !gpu->newer_ptx_is_told) {
        gpu->newer_ptx_is_told = true;
        gpu->notice(gpu->notice_context, sentence, strlen(sentence));
    }
    return WB_OK;
}

static WbStatus load(WbGpu *gpu, const char *file_name, const char *text, size_t length, WbModule **module,
                     Error *error)
{
    Module *parsed;
    if (module_parse(file_name ? file_name : "module.ptx", text, length, &parsed, error))
        return error->status;
    if (module_check_target(gpu, parsed, error)) {
        module_free(parsed);
        return error->status;
    }
    return module_load_parsed(gpu, parsed, module, error);
}

WbStatus wb_module_load(WbGpu *gpu, const char *file_name, const char *text, size_t length, WbModule **module)
{
    if (module)
        *module = NULL;
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (!module || (!text && length))
        return gpu_end(gpu,
                       error_set(error, WB_ERROR_ARGUMENT,
                                 "wb_module_load needs PTX text and a place for the module; one was null."));
    return gpu_end(gpu, load(gpu, file_name, text ? text : "", length, module, error));
}

WbStatus wb_module_load_file(WbGpu *gpu, const char *path, WbModule **module)
{
    if (module)
        *module = NULL;
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (!module || !path)
        return gpu_end(
            gpu, error_set(error, WB_ERROR_ARGUMENT,
                           "wb_module_load_file needs a path and a place for the module; one was null."));
    size_t length;
    char *text = file_read("PTX file", path, &length, error);
    if (text)
        load(gpu, path, text, length, module, error);
    xfree(text);
    return gpu_end(gpu, error->status);
}

/* What is queued may use the module. The first failure is told by the next call that can. */
static bool end_all(WbGpu *gpu)
{
    Error first = {0};
    do {
        Error *error = gpu_begin(gpu);
        if (gpu_end(gpu, timeline_run(gpu, NULL, error)) && first.status == WB_OK)
            first = *error;
    } while (gpu->timeline.pending && !gpu->timeline.is_calling);
    gpu->unreported = first;
    return !gpu->timeline.is_calling;
}

void wb_module_unload(WbModule *module)
{
    if (!module)
        return;
    WbGpu *gpu = module->gpu;
    if (!end_all(gpu))
        return;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < gpu->modules.count; i++) {
        if (gpu->modules.items[i] != module)
            gpu->modules.items[kept++] = gpu->modules.items[i];
    }
    gpu->modules.count = kept;
    module_release(module);
}

WbStatus wb_module_symbol(WbModule *module, const char *name, uint64_t *address, size_t *size)
{
    if (!module)
        return WB_ERROR_ARGUMENT;
    WbGpu *gpu = module->gpu;
    Error *error = gpu_begin(gpu);
    if (!name || !address)
        return gpu_end(gpu,
                       error_set(error, WB_ERROR_ARGUMENT,
                                 "wb_module_symbol needs a name and a place for the address; one was null."));
    const Module *parsed = module->module;
    uint32_t v = module_find_variable(parsed, name);
    if (v != NO_INDEX && module->addresses[v] && in_device_memory(&parsed->variables[v])) {
        *address = module->addresses[v];
        if (size)
            *size = parsed->variables[v].size;
        return WB_OK;
    }
    Nearest nearest = nearest_to(name);
    for (uint32_t i = 0; i < parsed->variable_count; i++) {
        if (module->addresses[i] && in_device_memory(&parsed->variables[i]) &&
            parsed->variables[i].function == NO_INDEX)
            nearest_offer(&nearest, parsed->variables[i].name);
    }
    char hint[256];
    return gpu_end(gpu,
                   error_set(error, WB_ERROR_NOT_FOUND, "%s has no global or constant variable '%.200s'%s",
                             parsed->file_name, name, nearest_hint(&nearest, hint, sizeof hint)));
}

WbStatus wb_module_reference(WbModule *module, const char *name, bool is_surface, uint64_t *handle)
{
    if (!module)
        return WB_ERROR_ARGUMENT;
    WbGpu *gpu = module->gpu;
    Error *error = gpu_begin(gpu);
    if (!name || !handle)
        return gpu_end(gpu, error_set(error, WB_ERROR_ARGUMENT,
                                      "wb_module_reference needs a name and a place for the handle; one was "
                                      "null."));
    const Module *parsed = module->module;
    Nearest nearest = nearest_to(name);
    for (uint32_t v = 0; v < parsed->variable_count; v++) {
        const Variable *variable = &parsed->variables[v];
        if (!is_reference(variable) || (variable->type == TYPE_surfref) != is_surface)
            continue;
        nearest_offer(&nearest, variable->name);
        if (!strcmp(variable->name, name)) {
            *handle = module->addresses[v];
            return gpu_end(gpu, WB_OK);
        }
    }
    char hint[256];
    return gpu_end(gpu, error_set(error, WB_ERROR_NOT_FOUND, "%s has no %s reference '%.200s'%s",
                                  parsed->file_name, is_surface ? "surface" : "texture", name,
                                  nearest_hint(&nearest, hint, sizeof hint)));
}
