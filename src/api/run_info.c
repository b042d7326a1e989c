/* What a run was, for the head of its report, and the kernels that ran without timing, of which only the
 * first few are named. */
#include "api/run_info.h"

#include <string.h>

#include "api/gpu.h"

enum { NAMES_KEPT = 12 };

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
    gpu->run = (RunInfo){.kind = xcopy_text(info->kind),
                         .what = xcopy_text(info->what),
                         .mode = xcopy_text(info->mode),
                         .size = xcopy_text(info->size)};
    for (size_t i = 0; i < info->argument_count; i++)
        VEC_PUSH(&gpu->run.arguments, xcopy_text(info->arguments[i]));
}

void untimed_add(Untimed *untimed, const char *name)
{
    untimed->launches++;
    for (uint32_t i = 0; i < untimed->names.count; i++)
        if (strcmp(untimed->names.items[i], name) == 0)
            return;
    if (untimed->names.count < NAMES_KEPT)
        VEC_PUSH(&untimed->names, xcopy_text(name));
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
