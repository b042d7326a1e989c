#include "api/run_info.h"

#include <string.h>

#include "api/gpu.h"

enum { NAMES_KEPT = 12 };

static char *copy(const char *text)
{
    const size_t size = text ? strlen(text) + 1 : 0;
    return text ? memcpy(xmalloc(size), text, size) : NULL;
}

void run_info_free(RunInfo *info)
{
    xfree(info->kind);
    xfree(info->what);
    xfree(info->mode);
    xfree(info->size);
    for (uint32_t i = 0; i < info->arguments.count; i++)
        xfree(info->arguments.items[i]);
    VEC_FREE(&info->arguments);
    *info = (RunInfo){0};
}

void wb_set_run(WbGpu *gpu, const WbRunInfo *info)
{
    if (!gpu || !info)
        return;
    run_info_free(&gpu->run);
    gpu->run = (RunInfo){.kind = copy(info->kind),
                         .what = copy(info->what),
                         .mode = copy(info->mode),
                         .size = copy(info->size)};
    for (size_t i = 0; i < info->argument_count; i++)
        VEC_PUSH(&gpu->run.arguments, copy(info->arguments[i]));
}

void untimed_add(Untimed *untimed, const char *name)
{
    untimed->launches++;
    for (uint32_t i = 0; i < untimed->names.count; i++)
        if (strcmp(untimed->names.items[i], name) == 0)
            return;
    if (untimed->names.count < NAMES_KEPT)
        VEC_PUSH(&untimed->names, copy(name));
    else
        untimed->has_more = true;
}

void untimed_reset(Untimed *untimed)
{
    for (uint32_t i = 0; i < untimed->names.count; i++)
        xfree(untimed->names.items[i]);
    VEC_FREE(&untimed->names);
    *untimed = (Untimed){0};
}
