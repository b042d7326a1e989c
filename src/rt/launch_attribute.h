/* Attributes of launches and of functions, which both APIs number alike. */
#ifndef RT_LAUNCH_ATTRIBUTE_H
#define RT_LAUNCH_ATTRIBUTE_H

#include "rt/module.h"

/* Layout of cudaLaunchAttribute and CUlaunchAttribute. */
typedef struct RtLaunchAttribute {
    int id;
    union {
        int number;
        uint32_t extent[3];
        void *event;
        char bytes[64];
    } value;
} RtLaunchAttribute;

/* Lets the attributes that matter act on the launch; those that only hint at how the hardware may go about it
 * are accepted. */
RtError rt_launch_attributes(const RtLaunchAttribute *attributes, unsigned count, WbLaunch *launch);
/* Records the events that the launch is to record, behind it: they happen with its end at the latest. */
RtError rt_launch_events(const RtLaunchAttribute *attributes, unsigned count, void *stream);
/* cudaFuncSetAttribute and cuFuncSetAttribute. */
RtError rt_function_set_attribute(RtFunction *function, int attribute, int value);

#endif
