/* A set of GPUs is opened by its configurations, then each gets the knobs that its file changes. */
#include "api/open_set.h"

#include <stdio.h>

#include "mem/space.h"

_Static_assert((int)GPU_SET_MOST == (int)SPACE_MOST, "users may ask for as many as a system can have");

static WbStatus configure(WbGpu *gpu, const GpuSetItem *item, Error *error)
{
    for (uint32_t i = 0; i < item->settings.count; i++) {
        const GpuSetting *setting = &item->settings.items[i];
        const WbStatus status = wb_gpu_set(gpu, setting->knob, setting->value);
        if (status)
            return error_set(error, status, "%s%s", setting->where, wb_error(gpu));
    }
    return WB_OK;
}

WbStatus gpu_set_open(const GpuSet *set, WbGpu *gpus[GPU_SET_MOST], uint32_t *count, Error *error)
{
    const char *names[GPU_SET_MOST];
    char sentence[2048];
    *count = 0;
    for (uint32_t i = 0; i < set->count; i++)
        names[i] = set->items[i].configuration;
    const WbStatus status = wb_gpus_open(names, set->count, gpus, sentence, sizeof sentence);
    if (status)
        return error_set(error, status, "%s", sentence);
    for (uint32_t i = 0; i < set->count && error->status == WB_OK; i++)
        configure(gpus[i], &set->items[i], error);
    if (error->status == WB_OK)
        *count = set->count;
    for (uint32_t i = 0; i < set->count && error->status; i++)
        wb_gpu_close(gpus[i]);
    return error->status;
}

WbStatus gpu_set_open_text(const char *text, const char *usual, WbGpu *gpus[GPU_SET_MOST], uint32_t *count,
                           Error *error)
{
    GpuSet set;
    *count = 0;
    if (gpu_set_read(text, usual, &set, error))
        return error->status;
    gpu_set_open(&set, gpus, count, error);
    gpu_set_free(&set);
    return error->status;
}
