/* Lists that belong to something else: modes and sizes of a workload, benchmarks of a paper, values of a
 * knob, kernels of a file. Completion asks for them as well, so names alone can be had. */
#include "cli/list_of.h"

#include <string.h>

#include "api/gpu.h"
#include "cli/parameters.h"
#include "cli/running.h"
#include "grid/policy_kinds.h"
#include "papers/paper.h"
#include "registry/registry.h"

/* -- of a workload -- */

static int find_workload(const char *name, Workload *workload)
{
    return workload_find(name, workload)
               ? EXIT_DONE
               : misuse("there is no workload '%s'; `warpbeam list workloads` shows all.", name);
}

int list_modes(Listing *listing)
{
    Workload workload;
    if (listing->of && find_workload(listing->of, &workload) != EXIT_DONE)
        return EXIT_USAGE;
    WorkloadMode mode;
    for (size_t i = 0; listing->of ? i < workload.mode_count : workload_mode_at(i, &mode); i++) {
        if (listing->of)
            mode = workload.modes[i];
        list_entry(listing, mode.name, "%-10s %s", mode.name, mode.description);
    }
    return EXIT_DONE;
}

int list_sizes(Listing *listing)
{
    Workload workload;
    if (listing->of && find_workload(listing->of, &workload) != EXIT_DONE)
        return EXIT_USAGE;
    for (size_t i = 0; i < INPUT_SIZES; i++)
        if (!listing->of || workload.sizes[i])
            list_entry(listing, input_size_names[i], "%s", input_size_names[i]);
    return EXIT_DONE;
}

/* -- of a paper -- */

int list_benchmarks(Listing *listing)
{
    if (listing->of && !paper_find(listing->of))
        return misuse("there is no paper '%s'; `warpbeam list papers` shows all.", listing->of);
    const Paper *paper;
    const char *name;
    for (size_t p = 0; (paper = paper_at(p)); p++)
        for (size_t i = 0; (name = paper->benchmark(i)); i++)
            if (!listing->of || strcmp(paper->name, listing->of) == 0)
                list_entry(listing, name, "%-10s %s", paper->name, name);
    return EXIT_DONE;
}

/* -- of a knob -- */

static const PolicyKind *policies_of(const char *knob)
{
    for (size_t i = 0; i < policy_kind_count; i++)
        if (strcmp(policy_kinds[i]->knob, knob) == 0)
            return policy_kinds[i];
    return NULL;
}

int list_values(Listing *listing)
{
    const Knob *knob = knob_find(&config_knobs, listing->of);
    if (!knob) {
        Error error = {0};
        knob_unknown(&config_knobs, listing->of, NULL, "", &error);
        return misuse("%s", error.text);
    }
    const PolicyKind *policies = policies_of(knob->name);
    Policy policy;
    char domain[512];
    for (size_t i = 0; policies && (policy = policies->at(i)).name; i++)
        list_entry(listing, policy.name, "%-18s %s", policy.name, policy.description);
    for (size_t i = 0; knob->kind == KNOB_KIND_ENUMERATION && knob->choices[i]; i++)
        list_entry(listing, knob->choices[i], "%s", knob->choices[i]);
    for (size_t i = 0; knob->kind == KNOB_KIND_BOOLEAN && i < 2; i++)
        list_entry(listing, i ? "false" : "true", "%s", i ? "false" : "true");
    if (!listing->count && !listing->only_names) /* what has no names */
        list_entry(listing, knob->name, "%s%s%s", knob_domain(knob, domain, sizeof domain),
                   *knob->unit ? " " : "", knob->unit);
    return EXIT_DONE;
}

/* -- of a PTX file -- */

int list_kernels(Listing *listing)
{
    WbGpu *gpu;
    WbModule *module;
    int result = gpu_open("h200", &gpu);
    if (result == EXIT_DONE && wb_module_load_file(gpu, listing->of, &module))
        result = fail("%s", wb_error(gpu));
    for (size_t i = 0; result == EXIT_DONE && i < wb_module_kernel_count(module); i++) {
        const WbKernel *kernel = wb_module_kernel_at(module, i);
        char parameters[PARAMETERS_TEXT_SIZE];
        list_entry(listing, kernel_name(kernel), "%-32s %s", kernel_name(kernel),
                   parameters_text(kernel, parameters));
    }
    wb_gpu_close(gpu);
    return result;
}
