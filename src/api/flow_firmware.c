/* Programs of the aggregator: a policy's PTX, by its name in the library or from a file, becomes a module of
 * the GPU at its first use. */
#include "api/flow.h"

#include <string.h>

#include "base/file.h"
#include "core/firmware.h"

static const char entry[] = "wb_aggregator";

/* A name has neither slash nor dot; else it is a path. */
static bool is_path(const char *policy) { return strpbrk(policy, "/.") != NULL; }

static WbModule *load_text(WbGpu *gpu, const char *name, const char *text, size_t length, Error *error)
{
    Module *parsed;
    WbModule *module = NULL;
    if (module_parse(name, text, length, &parsed, error) == WB_OK)
        module_load_parsed(gpu, parsed, &module, error);
    return module;
}

static WbModule *load(WbGpu *gpu, const char *policy, Error *error)
{
    if (is_path(policy)) {
        size_t length;
        char *text = file_read("program of the aggregator", policy, &length, error);
        WbModule *module = text ? load_text(gpu, policy, text, length, error) : NULL;
        xfree(text);
        return module;
    }
    const char *text = firmware_find(policy);
    if (text)
        return load_text(gpu, policy, text, strlen(text), error);
    error_set(error, WB_ERROR_NOT_FOUND,
              "The aggregator has no policy \"%s\"; `warpbeam list policies` has those that there are, and "
              "the path of a PTX file with a kernel %s is another.",
              policy, entry);
    return NULL;
}

/* The module of the policy, loaded before or now. */
static WbModule *find_module(WbGpu *gpu, const char *policy, Error *error)
{
    for (uint32_t i = 0; i < gpu->firmware.count; i++)
        if (strcmp(gpu->firmware.items[i].policy, policy) == 0)
            return gpu->firmware.items[i].module;
    WbModule *module = load(gpu, policy, error);
    if (module)
        VEC_PUSH(&gpu->firmware, ((Firmware){gpu_keep_name(gpu, policy), module}));
    return module;
}

WbKernel *flow_firmware(WbGpu *gpu, const char *policy, Error *error)
{
    WbModule *module = find_module(gpu, policy, error);
    if (!module)
        return NULL;
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        WbKernel *kernel = &module->kernels[i];
        if (strcmp(kernel_symbol(kernel), entry) != 0)
            continue;
        if (kernel_link(kernel, error))
            return NULL;
        if (kernel->program->parameter_count == 1 && kernel->program->parameters[0].bytes == 8)
            return kernel;
        error_set(error, WB_ERROR_LAUNCH,
                  "Kernel %s of the aggregator's policy %s has to take one parameter, the address of the "
                  "flow graph (WbFlowMemory *).",
                  entry, policy);
        return NULL;
    }
    error_set(error, WB_ERROR_NOT_FOUND, "The aggregator's policy %s has no kernel %s.", policy, entry);
    return NULL;
}
