/* What kernels can ask about the device is answered from the same tables as the host's calls, so that both
 * get the same answer. */
#include "rt/queries.h"

#include "rt/device.h"

static bool attribute(void *context, int number, int *value)
{
    (void)context;
    return rt_device_has_attribute(number, value);
}

static bool limit(void *context, int number, size_t *value)
{
    (void)context;
    return rt_limit_find(number, value);
}

static int cache_preference(void *context)
{
    (void)context;
    return rt_device_settings()->cache_preference;
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

void rt_queries_offer(WbGpu *gpu)
{
    wb_set_queries(gpu, &(WbQueries){
                            .attribute = attribute,
                            .limit = limit,
                            .cache_preference = cache_preference,
                            .error_name = error_name,
                            .error_text = error_text,
                        });
}
