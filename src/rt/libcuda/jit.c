/* Options of the just-in-time compiler: accepted and answered. */
#include "rt/libcuda/jit.h"

#include <stdio.h>
#include <string.h>

/* Numbers of CUjit_option. */
enum { WALL_TIME = 2, INFO_LOG = 3, ERROR_LOG = 5 }; /* the number after a log is that of its size */

/* A log among the options, or null; its size stands in the place of a pointer. */
static char *find_log(unsigned count, const int *options, void **values, int log_option, void ***size)
{
    char *log = NULL;
    *size = NULL;
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == log_option)
            log = values[i];
        if (options[i] == log_option + 1)
            *size = &values[i];
    }
    return *size && **size ? log : NULL;
}

/* Puts the text into a log, as far as its size goes, and says how much that was in the size's place. */
static void write_log(unsigned count, const int *options, void **values, int log_option, const char *text)
{
    void **size;
    char *log = find_log(count, options, values, log_option, &size);
    if (!log)
        return;
    snprintf(log, (uintptr_t)*size, "%s", text);
    *size = (void *)(uintptr_t)strlen(log);
}

/* There is nothing to tell but errors, and no time was spent. */
static void answer_others(unsigned count, const int *options, void **values)
{
    write_log(count, options, values, INFO_LOG, "");
    for (unsigned i = 0; i < count; i++)
        if (options[i] == WALL_TIME)
            values[i] = NULL; /* the bits of 0.0f */
}

JitLogs jit_keep(unsigned count, const int *options, void **values)
{
    JitLogs logs = {0};
    void **size;
    if (!options || !values)
        return logs;
    answer_others(count, options, values);
    logs.errors = find_log(count, options, values, ERROR_LOG, &size);
    if (logs.errors) {
        logs.length_place = size;
        logs.room = (uintptr_t)*size;
        logs.errors[0] = '\0';
    }
    return logs;
}

RtError jit_note(JitLogs *logs, RtError error)
{
    if (!logs->errors)
        return error;
    if (error) {
        snprintf(logs->errors + logs->length, logs->room - logs->length, "%s%s", logs->length ? "\n" : "",
                 rt_sentence());
        logs->length = strlen(logs->errors);
    }
    *logs->length_place = (void *)(uintptr_t)logs->length;
    return error;
}

RtError jit_answer(unsigned count, const int *options, void **values, RtError error)
{
    if (!options || !values)
        return error;
    answer_others(count, options, values);
    write_log(count, options, values, ERROR_LOG, error ? rt_sentence() : "");
    return error;
}
