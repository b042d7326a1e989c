/* A kernel's parameters as one line. PTX knows sizes and types of scalars; a struct is an array of bytes to
 * it. */
#include "cli/parameters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/gpu.h"
#include "ptx/module.h"

const char *parameters_text(const WbKernel *kernel, char text[PARAMETERS_TEXT_SIZE])
{
    const Module *module = kernel->module->module;
    const Function *function = &module->functions[kernel->function];
    size_t used = 0;
    strcpy(text, "none");
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const Variable *variable = &module->variables[function->parameters[i]];
        char one[40];
        if (variable->is_array)
            snprintf(one, sizeof one, "%" PRIu64 " bytes", variable->size);
        else
            snprintf(one, sizeof one, "%s", mod_name(variable->type));
        /* Room for the dots is kept free, so that a cut is always seen. */
        const bool fits = used + strlen(one) + strlen(", ...") + 1 < PARAMETERS_TEXT_SIZE;
        used += (size_t)snprintf(text + used, PARAMETERS_TEXT_SIZE - used, "%s%s", i ? ", " : "",
                                 fits ? one : "...");
        if (!fits)
            break;
    }
    return text;
}
