/* The table of the suite's kernels, and how one is run. */
#include "suite/suite.h"

#include <stdio.h>

#define SUITE_KERNEL(class, name, about) bool suite_##name(Host *host);
#include "suite/suite.def"

const SuiteKernel suite_kernels[SUITE_COUNT] = {
#define SUITE_KERNEL(class, name, about) {#name, about, SUITE_##class, suite_##name},
#include "suite/suite.def"
};

const char *suite_class_name(SuiteClass class)
{
    static const char *const names[SUITE_CLASSES] = {
#define SUITE_CLASS(name) [SUITE_##name] = #name,
#include "suite/suite.def"
    };
    return names[class];
}

bool suite_run(size_t index, WbGpu *gpu, const char *directory, bool measured_size, bool cold, Host *host)
{
    const SuiteKernel *kernel = &suite_kernels[index];
    char file[64];
    snprintf(file, sizeof file, "%s.ptx", suite_class_name(kernel->class));
    *host = host_begin(gpu, directory, file);
    host->measured_size = measured_size;
    host->cold = cold;
    if (host->status != WB_OK)
        return false;
    const bool right = kernel->run(host);
    if (host->status == WB_OK && !right)
        snprintf(host->error, sizeof host->error, "The result of %s is wrong.", kernel->name);
    return host->status == WB_OK && right;
}
