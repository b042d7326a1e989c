/* A file is read whole, parsed, checked, and completed with what older versions did not write. */
#include "cli/statistics_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/plain_name.h"
#include "cli/statistics_check.h"

static bool is_right(const json_t *report)
{
    return json_is_string(json_object_get(report, "gpu")) &&
           json_is_object(json_object_get(report, "config")) &&
           json_is_array(json_object_get(report, "kernels"));
}

/* The same of several GPUs, of which at least one is there. */
static bool is_system(const json_t *report)
{
    const json_t *gpus = json_object_get(report, "gpus"), *gpu;
    size_t i;
    json_array_foreach(gpus, i, gpu)
    {
        if (!is_right(gpu))
            return false;
    }
    return json_array_size(gpus) && json_is_object(json_object_get(report, "system"));
}

/* All of it, since parsing a stream takes longer by half; null: errno says why it cannot be read. */
static char *read_all(FILE *file, size_t *length)
{
    size_t room = 1 << 16, got;
    char *text = xmalloc(room);
    for (*length = 0; (got = fread(text + *length, 1, room - *length, file)) > 0;) {
        *length += got;
        if (*length == room)
            text = xrealloc(text, room *= 2);
    }
    if (!ferror(file)) /* a folder can be opened, and fails when it is read */
        return text;
    xfree(text);
    return NULL;
}

/* Integers that are larger than the library's become numbers that are about as large: 18446744073709551615,
 * which a knob may be, becomes 184467440737095516e2. False: there was none. */
static bool round_integers(char *text, size_t length)
{
    enum { MOST_DIGITS = 18 }; /* that fit in any case */
    bool is_text = false, found = false;
    for (size_t at = 0; at < length; at++) {
        size_t digits = 0;
        if (is_text && text[at] == '\\')
            at++;
        else if (text[at] == '"')
            is_text = !is_text;
        while (!is_text && at + digits < length && text[at + digits] >= '0' && text[at + digits] <= '9')
            digits++;
        if (digits > MOST_DIGITS && (at + digits == length || !strchr(".eE", text[at + digits])) &&
            !strchr(".eE+-", text[at - (at > 0)])) {
            memcpy(text + at + digits - 2, "e2", 2);
            found = true;
        }
        at += digits ? digits - 1 : 0;
    }
    return found;
}

/* Null: errno says why it cannot be read, or is 0 and `problem` says what is wrong with it. */
static json_t *load(const char *path, json_error_t *problem)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    size_t length;
    if (!file)
        return NULL;
    char *text = read_all(file, &length);
    const int reason = text ? 0 : errno;
    json_t *report = text ? json_loadb(text, length, 0, problem) : NULL;
    if (text && !report && json_error_code(problem) == json_error_numeric_overflow &&
        round_integers(text, length))
        report = json_loadb(text, length, 0, problem);
    xfree(text);
    if (file != stdin)
        fclose(file);
    errno = reason;
    return report;
}

/* Statistics of older versions have only symbols of kernels. */
static void add_plain_names(json_t *report)
{
    size_t i;
    json_t *kernel;
    json_array_foreach(json_object_get(report, "kernels"), i, kernel)
    {
        const char *symbol = json_string_value(json_object_get(kernel, "name"));
        if (!symbol || json_string_value(json_object_get(kernel, "plain_name")))
            continue;
        char *name = plain_name(symbol, false);
        json_object_set_new(kernel, "plain_name", json_string(name));
        xfree(name);
    }
}

/* -- several GPUs -- */

/* Knobs of the first GPU, how many there are, and in what the others differ: "gpu1.sm_count". */
static json_t *join_configs(const json_t *gpus)
{
    json_t *joined = json_copy(json_object_get(json_array_get(gpus, 0), "config")), *gpu, *value;
    size_t i;
    const char *key;
    json_array_foreach(gpus, i, gpu)
    {
        json_object_foreach(json_object_get(gpu, "config"), key, value)
        {
            char name[128];
            snprintf(name, sizeof name, "gpu%" JSON_INTEGER_FORMAT ".%.80s",
                     json_integer_value(json_object_get(gpu, "index")), key);
            if (i > 0 && !json_equal(value, json_object_get(joined, key)))
                json_object_set(joined, name, value);
        }
    }
    json_object_set_new(joined, "gpus", json_integer((json_int_t)json_array_size(gpus)));
    return joined;
}

/* Kernels of all GPUs become one list, in which each says where it ran. */
static void flatten(json_t *report)
{
    json_t *gpus = json_object_get(report, "gpus"), *kernels = json_array(), *gpu, *kernel;
    size_t i, k;
    json_array_foreach(gpus, i, gpu)
    {
        json_array_foreach(json_object_get(gpu, "kernels"), k, kernel)
        {
            json_object_set(kernel, "gpu", json_object_get(gpu, "index"));
            json_array_append(kernels, kernel);
        }
        json_object_del(gpu, "kernels");
    }
    json_object_set(report, "gpu", json_object_get(json_object_get(report, "system"), "title"));
    json_object_set_new(report, "config", join_configs(gpus));
    json_object_set_new(report, "kernels", kernels);
}

json_t *statistics_read(const char *path, Error *error)
{
    json_error_t problem;
    json_t *report = load(path, &problem);
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    const bool is_several = report && is_system(report);
    const bool is_statistics = is_several || (report && is_right(report));
    if (is_statistics && statistics_check(report, name, error)) {
        if (is_several)
            flatten(report);
        add_plain_names(report);
        return report;
    }
    if (report && !is_statistics)
        error_set(error, WB_ERROR_ARGUMENT,
                  "%s holds no statistics of Warpbeam: `warpbeam run ... --stats FILE.json` writes them.",
                  name);
    else if (!report && errno)
        error_set(error, WB_ERROR_NOT_FOUND, "%s cannot be read: %s.", name, strerror(errno));
    else if (!report)
        error_set(error, WB_ERROR_ARGUMENT, "%s is no JSON: line %d: %s.", name, problem.line, problem.text);
    json_decref(report);
    return NULL;
}
