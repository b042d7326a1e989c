/* Attributes of launches and of functions. Those that change what a kernel computes are obeyed or refused
 * with a sentence; those that only hint at how fast it could be are accepted. */
#include "rt/launch_attribute.h"

#include "rt/stream.h"

_Static_assert(sizeof(RtLaunchAttribute) == 72, "as CUDA has it");

enum { LAUNCH_COOPERATIVE = 2, LAUNCH_CLUSTER = 4, LAUNCH_EVENT = 7, LAUNCH_COMPLETION_EVENT = 12 };
enum {
    FUNCTION_DYNAMIC_SHARED = 8,
    FUNCTION_CARVEOUT = 9,
    FUNCTION_CLUSTER_MUST_BE_SET = 10,
    FUNCTION_CLUSTER_DEPTH = 13,
    FUNCTION_CLUSTER_POLICY = 15
};

RtError rt_launch_attributes(const RtLaunchAttribute *attributes, unsigned count, WbLaunch *launch)
{
    for (unsigned i = 0; i < count; i++) {
        const uint32_t *cluster = attributes[i].value.extent;
        if (attributes[i].id == LAUNCH_COOPERATIVE)
            launch->cooperative = attributes[i].value.number != 0;
        else if (attributes[i].id == LAUNCH_CLUSTER && (cluster[0] > 1 || cluster[1] > 1 || cluster[2] > 1))
            return rt_fail(RT_INVALID_CLUSTER_SIZE,
                           "A kernel was launched in clusters of %u x %u x %u blocks; only clusters of one "
                           "block are simulated.",
                           cluster[0], cluster[1], cluster[2]);
    }
    return RT_SUCCESS;
}

RtError rt_launch_events(const RtLaunchAttribute *attributes, unsigned count, void *stream)
{
    RtError error = RT_SUCCESS;
    for (unsigned i = 0; i < count && error == RT_SUCCESS; i++)
        if (attributes[i].id == LAUNCH_EVENT || attributes[i].id == LAUNCH_COMPLETION_EVENT)
            error = rt_event_record(attributes[i].value.event, stream, 0);
    return error;
}

RtError rt_function_set_attribute(RtFunction *function, int attribute, int value)
{
    const bool is_cluster = attribute >= FUNCTION_CLUSTER_MUST_BE_SET && attribute <= FUNCTION_CLUSTER_POLICY;
    if (attribute == FUNCTION_DYNAMIC_SHARED)
        return rt_function_set_dynamic_shared(function, value);
    if (attribute == FUNCTION_CARVEOUT && value >= -1 && value <= 100) {
        function->carveout = value;
        return RT_SUCCESS;
    }
    if (is_cluster && (value <= 1 || attribute > FUNCTION_CLUSTER_DEPTH))
        return RT_SUCCESS;
    if (is_cluster)
        return rt_fail(RT_INVALID_CLUSTER_SIZE,
                       "Kernel %s was asked to run in clusters of %d blocks; only clusters of one block are "
                       "simulated.",
                       function->plain, value);
    return rt_fail(RT_INVALID_VALUE, "Attribute %d of kernel %s cannot be set to %d.", attribute,
                   function->plain, value);
}
