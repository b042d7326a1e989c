#include "cli/statistics_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool is_right(const json_t *report)
{
    return json_is_string(json_object_get(report, "gpu")) &&
           json_is_object(json_object_get(report, "config")) &&
           json_is_array(json_object_get(report, "kernels"));
}

/* Null: errno says why it cannot be read, or is 0 and `problem` says what is wrong with it. */
static json_t *load(const char *path, json_error_t *problem)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (!file)
        return NULL;
    errno = 0;
    json_t *report = json_loadf(file, 0, problem);
    if (!ferror(file))
        errno = 0; /* a folder can be opened, and fails when it is read */
    const int reason = errno;
    if (file != stdin)
        fclose(file);
    errno = reason;
    return report;
}

json_t *statistics_read(const char *path, Error *error)
{
    json_error_t problem;
    json_t *report = load(path, &problem);
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    if (report && is_right(report))
        return report;
    if (report)
        error_set(error, WB_ERROR_ARGUMENT,
                  "%s holds no statistics of Warpbeam: `warpbeam run ... --stats FILE.json` writes them.",
                  name);
    else if (errno)
        error_set(error, WB_ERROR_NOT_FOUND, "%s cannot be read: %s.", name, strerror(errno));
    else
        error_set(error, WB_ERROR_ARGUMENT, "%s is no JSON: line %d: %s.", name, problem.line, problem.text);
    json_decref(report);
    return NULL;
}
