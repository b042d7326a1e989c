/* What kernels can ask about the device is answered from the same tables as the host's calls, so that both
 * get the same answer. */
#include "rt/queries.h"

#include "rt/device.h"

/* Any thread of the simulation may ask, on behalf of the device that the context is. */
static bool attribute(void *context, int number, int *value)
{
    const int before = rt_work_on((int)(intptr_t)context);
    const bool is_known = rt_device_has_attribute(number, value);
    rt_work_on(before);
    return is_known;
}

static bool limit(void *context, int number, size_t *value)
{
    const int before = rt_work_on((int)(intptr_t)context);
    const bool is_known = rt_limit_find(number, value);
    rt_work_on(before);
    return is_known;
}

static int cache_preference(void *context)
{
    const int before = rt_work_on((int)(intptr_t)context);
    const int preference = rt_device_settings()->cache_preference;
    rt_work_on(before);
    return preference;
}

static const char *error_name(void *context, int error)
{
    (void)context;
    const RtErrorRow *row = rt_error_row(error);
    return row ? row->runtime_name : NULL;
}

static const char *error_text(void *context, int error)
{
    (void)context;
    const RtErrorRow *row = rt_error_row(error);
    return row ? row->text : NULL;
}

void rt_queries_offer(int device)
{
    wb_set_queries(rt_gpu_of(device), &(WbQueries){
                            .attribute = attribute,
                            .limit = limit,
                            .cache_preference = cache_preference,
                            .error_name = error_name,
                            .error_text = error_text,
                            .context = (void *)(intptr_t)device,
                        });
}
