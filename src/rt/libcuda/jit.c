/* Options of the just-in-time compiler: accepted and answered. */
#include "rt/libcuda/jit.h"

#include <stdio.h>
#include <string.h>

/* Numbers of CUjit_option. */
enum { WALL_TIME = 2, INFO_LOG = 3, ERROR_LOG = 5 }; /* the number after a log is that of its size */

/* Puts the text into a log, as far as its size goes, and says how much that was. The size stands in the place
 * of a pointer, before and after. */
static void write_log(unsigned count, const int *options, void **values, int log_option, const char *text)
{
    char *log = NULL;
    void **size = NULL;
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == log_option)
            log = values[i];
        if (options[i] == log_option + 1)
            size = &values[i];
    }
    if (!log || !size || !*size)
        return;
    snprintf(log, (uintptr_t)*size, "%s", text);
    *size = (void *)(uintptr_t)strlen(log);
}

RtError jit_answer(unsigned count, const int *options, void **values, RtError error)
{
    if (!options || !values)
        return error;
    write_log(count, options, values, INFO_LOG, "");
    write_log(count, options, values, ERROR_LOG, error ? rt_sentence() : "");
    for (unsigned i = 0; i < count; i++)
        if (options[i] == WALL_TIME)
            values[i] = NULL; /* the bits of 0.0f */
    return error;
}
