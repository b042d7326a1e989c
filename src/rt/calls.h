/* The table of calls.def, and how docs/CUDA.md shows it. */
#ifndef RT_CALLS_H
#define RT_CALLS_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef enum CallState { CALL_SUPPORTED, CALL_IGNORED, CALL_MISSING, CALL_REFUSED = CALL_MISSING } CallState;

typedef struct Call {
    const char *name;
    bool is_driver;
    unsigned first, last; /* versions of CUDA whose runtime has it */
    CallState state;
    const char *note;     /* may be empty */
} Call;

#define VERSIONS_ALL 11, 13
#define VERSIONS_BEFORE_13 11, 12
#define VERSIONS_SINCE_12 12, 13
#define VERSIONS_ONLY_11 11, 11
#define VERSIONS_ONLY_12 12, 12
#define VERSIONS_ONLY_13 13, 13

static const Call calls[] = {
#define RUNTIME(name, versions, state, note) {#name, false, VERSIONS_##versions, CALL_##state, note},
#define DRIVER(name, since, state, note) {#name, true, VERSIONS_ALL, CALL_##state, note},
#include "rt/calls.def"
#undef RUNTIME
#undef DRIVER
};
enum { CALL_COUNT = sizeof calls / sizeof *calls };

static inline const char *call_state_name(CallState state)
{
    return state == CALL_SUPPORTED ? "supported" : state == CALL_IGNORED ? "accepted, ignored" : "missing";
}

/* Whether the call is another one's form for per-thread default streams. */
static inline bool call_is_per_thread(const Call *call)
{
    const size_t length = strlen(call->name);
    const char *end = call->name + (length > 5 ? length - 5 : 0);
    return strcmp(end, "_ptsz") == 0 || strcmp(end, "_ptds") == 0;
}

/* The row of docs/CUDA.md, without a line end. */
static inline void call_markdown(const Call *call, char *row, size_t size)
{
    char versions[32] = "";
    if (call->first == call->last)
        snprintf(versions, sizeof versions, "CUDA %u", call->first);
    else if (call->first != 11 || call->last != 13)
        snprintf(versions, sizeof versions, "CUDA %u and %u", call->first, call->last);
    snprintf(row, size, "| `%s` | %s | %s%s%s |", call->name, call_state_name(call->state), versions,
             *versions && *call->note ? ": " : "", call->note);
}

#endif
