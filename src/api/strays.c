/* Accesses outside of allocations, from the machines that saw them to whoever wants to know. */
#include "api/gpu.h"

#include <string.h>

#include "sm/inspect.h"

/* In an order that does not depend on threads: by cycle, then by SM. */
static void collect(WbGpu *gpu, Strays *seen)
{
    strays_take(&gpu->machine.strays, 0, UINT64_MAX, seen);
    for (uint32_t i = 0; gpu->cycle && i < gpu->cycle->sm_count; i++)
        strays_take(sm_strays(gpu->cycle->sms[i]), i + 1, gpu->now, seen);
    strays_sort(seen);
}

static bool is_known(const Strays *strays, const char *line)
{
    for (uint32_t i = 0; i < strays->count; i++)
        if (strcmp(strays->items[i].line, line) == 0)
            return true;
    return false;
}

static void tell(WbGpu *gpu, const char *sentence)
{
    if (gpu->notice)
        gpu->notice(gpu->notice_context, sentence, strlen(sentence));
}

void strays_tell(WbGpu *gpu)
{
    Strays seen = {0};
    if (gpu->space.check != CHECK_REPORT)
        return;
    collect(gpu, &seen);
    for (uint32_t i = 0; i < seen.count; i++) {
        Stray *stray = &seen.items[i];
        if (gpu->strays.count == MOST_STRAYS || is_known(&gpu->strays, stray->line))
            continue;
        tell(gpu, stray->sentence);
        VEC_PUSH(&gpu->strays, *stray);
        *stray = (Stray){0};
        if (gpu->strays.count == MOST_STRAYS)
            tell(gpu, "No more accesses outside of allocations are told of; the statistic outside_accesses "
                      "counts them all.");
    }
    strays_free(&seen);
}

void wb_set_notice(WbGpu *gpu, WbOutput *notice, void *context)
{
    if (!gpu)
        return;
    gpu->notice = notice;
    gpu->notice_context = context;
}
