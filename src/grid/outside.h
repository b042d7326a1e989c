/* Included before the source of a policy that is compiled outside of the tree, by `warpbeam policy build`,
 * which defines
 *
 *   WARPBEAM_POLICY_FILE    the source's name without .c
 *   WARPBEAM_POLICY_DEF     the path of the .def beside it, if there is one
 *   WARPBEAM_POLICY_PLACE   the word of GpuConfig.loaded at which its knobs begin
 *
 * It makes the PolicyObject that is exported, and functions that pass calls on to the simulator. */
#ifndef GRID_OUTSIDE_H
#define GRID_OUTSIDE_H

#include "grid/policy_object.h"
#include "policy_version.h"

_Static_assert(sizeof(GpuConfig) == offsetof(GpuConfig, loaded) + LOADED_KNOB_WORDS * sizeof(uint64_t),
               "The knobs do not fit behind their place: compile the policy with a smaller --place.");

static const PolicyServices *warpbeam_services;

#define SERVICE_CALL(name, arguments) warpbeam_services->name arguments
#define SERVICE(result, name, parameters, arguments)                                                         \
    result name parameters                                                                                   \
    {                                                                                                        \
        return SERVICE_CALL(name, arguments);                                                                \
    }
#include "grid/services.def"
#undef SERVICE
#undef SERVICE_CALL

WbStatus error_set(Error *error, WbStatus status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const WbStatus stands = error_set_v(error, status, format, arguments);
    va_end(arguments);
    return stands;
}

/* The policy is the one of these that the source defines: the others are null. */
#define POLICY_JOIN(kind, file) kind##_##file
#define POLICY_NAME(kind, file) POLICY_JOIN(kind, file)
#define POLICY_OF(kind) POLICY_NAME(kind, WARPBEAM_POLICY_FILE)
#define MAYBE __attribute__((weak, visibility("hidden")))
extern const WarpScheduler POLICY_OF(sched) MAYBE;
extern const BlockSource POLICY_OF(source) MAYBE;
extern const BlockAdmit POLICY_OF(admit) MAYBE;
extern const BlockPlace POLICY_OF(place) MAYBE;
extern const GraphOrder POLICY_OF(order) MAYBE;

/* The last row is none: there may be no other. */
#ifdef WARPBEAM_POLICY_DEF
#include "config/knob_rows.h"
#endif
static const Knob warpbeam_own_knobs[] = {
#ifdef WARPBEAM_POLICY_DEF
#include "base/def_begin.h"
#include WARPBEAM_POLICY_DEF
#include "base/def_end.h"
#endif
    {0},
};
#undef KNOB_ROW
#undef KNOB_INTEGER
#undef KNOB_POWER
#undef KNOB_ENUMERATION
#undef KNOB_BOOLEAN
#undef KNOB_STRING

#define POLICY_TEXT_OF(file) #file
#define POLICY_TEXT(file) POLICY_TEXT_OF(file)
extern const PolicyObject warpbeam_policy __attribute__((visibility("default")));
const PolicyObject warpbeam_policy = {
    .interface = POLICY_INTERFACE,
    .layout = POLICY_LAYOUT,
    .sizes = POLICY_SIZES,
    .file = POLICY_TEXT(WARPBEAM_POLICY_FILE),
    .sched = &POLICY_OF(sched),
    .source = &POLICY_OF(source),
    .admit = &POLICY_OF(admit),
    .place = &POLICY_OF(place),
    .order = &POLICY_OF(order),
    .knobs = warpbeam_own_knobs,
    .knob_count = sizeof warpbeam_own_knobs / sizeof *warpbeam_own_knobs - 1,
    .services = &warpbeam_services,
};
#undef POLICY_JOIN
#undef POLICY_NAME
#undef POLICY_OF
#undef MAYBE

#endif
