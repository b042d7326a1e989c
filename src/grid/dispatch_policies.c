/* The policies that a configuration names, and whether they can work together. */
#include <stdio.h>
#include <string.h>

#include "grid/dispatcher.h"

static WbStatus refuse_admits(const GpuConfig *config, const char *why, Error *error)
{
    return error_set(error, WB_ERROR_ARGUMENT, "%s: block_admit=%s: %s.", config->name, config->block_admit,
                     why);
}

/* "a+b": both have to let a block in. */
static WbStatus find_admits(const GpuConfig *config, const BlockAdmit **admits, Error *error)
{
    char names[sizeof config->block_admit];
    char *rest = names, *name;
    uint32_t count = 0, sampled = 0;
    memcpy(names, config->block_admit, sizeof names);
    while ((name = strsep(&rest, "+"))) {
        if (count == MOST_ADMITS)
            return refuse_admits(config, "at most four policies can admit blocks together", error);
        if (!(admits[count] = admit_find(name, error)))
            return error->status;
        for (uint32_t i = 0; i < count; i++)
            if (admits[i] == admits[count])
                return refuse_admits(config, "each policy can be named once", error);
        sampled += admits[count++]->sampled != NULL;
    }
    if (sampled > 1)
        return refuse_admits(config, "only one of them may take samples of SMs", error);
    return WB_OK;
}

WbStatus dispatch_find_policies(const GpuConfig *config, DispatchPolicies *policies, Error *error)
{
    *policies = (DispatchPolicies){.source = source_find(config->block_source, error),
                                   .place = place_find(config->block_place, error)};
    return error->status ? error->status : find_admits(config, policies->admits, error);
}

WbStatus dispatch_check_flow(const GpuConfig *config, Error *error)
{
    const BlockAdmit *admits[MOST_ADMITS] = {0};
    if (find_admits(config, admits, error))
        return error->status;
    for (uint32_t i = 0; i < MOST_ADMITS && admits[i]; i++)
        if (admits[i]->needs_grids)
            return refuse_admits(config,
                                 "it shares the blocks of a grid out among SMs, and the tasks of a flow "
                                 "graph have no grid; launch flow graphs with another policy, such as always",
                                 error);
    return WB_OK;
}

WbStatus dispatch_policies(const GpuConfig *config, DispatchPolicies *policies, Error *error)
{
    if (dispatch_find_policies(config, policies, error))
        return error->status;
    const BlockPolicy *all[MOST_ADMITS + 2] = {&policies->source->base, &policies->place->base};
    for (uint32_t i = 0; i < MOST_ADMITS; i++)
        all[i + 2] = policies->admits[i] ? &policies->admits[i]->base : NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all && !error->status; i++)
        if (all[i] && all[i]->check)
            all[i]->check(config, error);
    return error->status;
}

const char *dispatcher_admit_names(const Dispatcher *dispatcher, char *text, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < dispatcher->admit_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "+" : "",
                                 dispatcher->in_use[i].policy->about.name);
    return text;
}
