/* Flattens a report into names and numbers, kernel by kernel, and adds up what can be added. */
#include "cli/compare_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/plain_name.h"
#include "cli/comparable.h"
#include "cli/statistics_file.h"
#include "config/config.h"
#include "base/printable.h"
#include "report/report.h"

enum { NAME_WIDTH = 80 };

/* What was written by somebody else is shown here: control characters in its texts are written out. */
static void make_printable(json_t *value)
{
    char shown[PRINTABLE_NAME_SIZE];
    const char *key;
    size_t i;
    json_t *member;
    if (json_is_string(value) && !printable_is(json_string_value(value), false))
        json_string_set(value, printable_name(json_string_value(value), shown));
    if (json_is_object(value)) {
        json_object_foreach(value, key, member) { make_printable(member); }
    }
    json_array_foreach(value, i, member) { make_printable(member); }
}

bool report_load(const char *path, Report *report)
{
    Error error = {0};
    *report = (Report){path, statistics_read(path, &error)};
    if (!report->report)
        fail("%s", error.text);
    make_printable(report->report);
    return report->report;
}

double report_clock(const Report *report)
{
    const json_t *system = json_object_get(report->report, "system");
    return json_number_value(
        json_object_get(system ? system : json_object_get(report->report, "config"), "clock_khz"));
}

/* -- kernels as flat objects -- */

/* Which launch it was, not what it did; and times since the GPU was opened. */
static bool is_identity(const char *key)
{
    static const char *const keys[] = {"number", "launched", "started", "ended", "gpu"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

/* Of a kernel and not of its time: the same for all launches of it. */
static bool is_constant(const char *key)
{
    static const char *const keys[] = {"registers", "shared_bytes", "local_bytes", "blocks_per_sm"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

static void add(json_t *sums, const char *name, const json_t *value, bool constant)
{
    const json_t *old = json_object_get(sums, name);
    json_int_t sum;
    if (!json_is_number(value))
        return;
    if (!old || constant)
        json_object_set_new(sums, name, json_copy((json_t *)value));
    else if (json_is_integer(value) && json_is_integer(old) &&
             /* Files may have been changed by hand; a sum that does not fit becomes a real number. */
             !__builtin_add_overflow(json_integer_value(old), json_integer_value(value), &sum))
        json_object_set_new(sums, name, json_integer(sum));
    else
        json_object_set_new(sums, name, json_real(json_number_value(old) + json_number_value(value)));
}

/* Not what it counted, but how that is told or was kept. */
static bool is_remark(const char *key)
{
    return !strcmp(key, "limited_by") || !strcmp(key, "sampled") || !strcmp(key, "series");
}

static bool is_ratio(const char *key) { return !strcmp(key, "ratios") || !strcmp(key, "scheduler_shares"); }

/* Adds what the kernel did. Ratios of several kernels have no sum. */
static void add_kernel(json_t *sums, const json_t *kernel, bool alone)
{
    const char *key, *inner;
    json_t *value, *counter;
    json_object_foreach((json_t *)kernel, key, value)
    {
        if (!json_is_object(value) && !is_identity(key))
            add(sums, key, value, is_constant(key));
        if (!json_is_object(value) || is_remark(key) || (is_ratio(key) && !alone))
            continue;
        json_object_foreach(value, inner, counter)
        {
            char name[128];
            snprintf(name, sizeof name, "%s.%s", key, inner);
            add(sums, name, counter, false);
        }
    }
}

/* The kernels of that name, or only the one at place `which` among them; null where there is none. */
static json_t *sum_kernels(const json_t *kernels, const char *name, long which)
{
    size_t count = 0, index;
    long place = 0;
    json_t *kernel, *sums = json_object();
    json_array_foreach(kernels, index, kernel) { count += strcmp(report_kernel_name(kernel), name) == 0; }
    json_array_foreach(kernels, index, kernel)
    {
        if (strcmp(report_kernel_name(kernel), name) == 0 && (which < 0 || place++ == which))
            add_kernel(sums, kernel, which >= 0 || count == 1);
    }
    if (!json_object_size(sums)) {
        json_decref(sums);
        return NULL;
    }
    if (which < 0)
        json_object_set_new(sums, "launches", json_integer((json_int_t)count));
    return sums;
}

/* -- parts -- */

static Part new_part(size_t count)
{
    Part part = {.objects = xcalloc(count, sizeof(json_t *))};
    return part;
}

static void add_objects(Parts *parts, const Report *reports, size_t count, const char *key, const char *title)
{
    Part part = new_part(count);
    snprintf(part.title, sizeof part.title, "%s", title);
    part.is_config = strcmp(key, "config") == 0;
    part.is_told = strcmp(key, "time") == 0;
    for (size_t i = 0; i < count; i++)
        part.objects[i] = json_copy(json_object_get(reports[i].report, key));
    if (part.is_config)
        for (size_t knob = 0; knob < config_knobs.count; knob++)
            for (size_t i = 0; report_is_recording_knob(config_knobs.rows[knob].name) && i < count; i++)
                json_object_del(part.objects[i], config_knobs.rows[knob].name);
    VEC_PUSH(parts, part);
}

static void add_kernels(Parts *parts, const Report *reports, size_t count, const char *name, long which)
{
    Part part = new_part(count);
    char shown[NAME_WIDTH + 1];
    plain_name_fit(name, NAME_WIDTH, shown);
    if (which < 0)
        snprintf(part.title, sizeof part.title, "kernel %s", shown);
    else
        snprintf(part.title, sizeof part.title, "kernel %s, launch %ld", shown, which + 1);
    for (size_t i = 0; i < count; i++)
        part.objects[i] = sum_kernels(json_object_get(reports[i].report, "kernels"), name, which);
    VEC_PUSH(parts, part);
}

/* The names of all kernels in any report, with the number of launches of each at most. */
static json_t *all_names(const Report *reports, size_t count)
{
    json_t *names = json_object();
    for (size_t i = 0; i < count; i++) {
        size_t index;
        json_t *kernel, *here = json_object();
        json_array_foreach(json_object_get(reports[i].report, "kernels"), index, kernel)
        {
            const char *name = report_kernel_name(kernel);
            const json_int_t before = json_integer_value(json_object_get(here, name));
            json_object_set_new(here, name, json_integer(before + 1));
            if (before + 1 > json_integer_value(json_object_get(names, name)))
                json_object_set_new(names, name, json_integer(before + 1));
        }
        json_decref(here);
    }
    return names;
}

Parts parts_make(const Report *reports, size_t count, bool each)
{
    Parts parts = {0};
    json_t *names = all_names(reports, count), *launches;
    const char *name;
    add_objects(&parts, reports, count, "config", "configuration");
    add_objects(&parts, reports, count, "time", "time");
    if (json_object_size(names) != 1) /* else they are the kernel's */
        add_objects(&parts, reports, count, "totals", "totals");
    json_object_foreach(names, name, launches)
    {
        for (long which = 0; each && which < (long)json_integer_value(launches); which++)
            add_kernels(&parts, reports, count, name, which);
        if (!each)
            add_kernels(&parts, reports, count, name, -1);
    }
    json_decref(names);
    return parts;
}

void parts_free(Parts *parts, size_t count)
{
    for (uint32_t i = 0; i < parts->count; i++) {
        for (size_t f = 0; f < count; f++)
            json_decref(parts->items[i].objects[f]);
        xfree(parts->items[i].objects);
    }
    VEC_FREE(parts);
}
