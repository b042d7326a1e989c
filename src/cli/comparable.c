/* Runs of one workload do the same work in all of its modes, whatever their kernels are called. Of others,
 * the kernels tell: they have the same names and grids, and do about as much. */
#include "cli/comparable.h"

#include <stdio.h>
#include <string.h>

/* So many times as many instructions may be the same work: kernels that spin or sort have no fixed number. */
#define SAME_WORK 1.5

static const char *text_of(const json_t *report, const char *key)
{
    const char *text = json_string_value(json_object_get(json_object_get(report, "run"), key));
    return text ? text : "";
}

const char *report_kernel_name(const json_t *kernel)
{
    const char *name = json_string_value(json_object_get(kernel, "plain_name"));
    name = name ? name : json_string_value(json_object_get(kernel, "name"));
    return name ? name : "";
}

bool report_is_cut_off(const json_t *report)
{
    size_t i;
    json_t *kernel;
    json_array_foreach(json_object_get(report, "kernels"), i, kernel)
    {
        const char *status = json_string_value(json_object_get(kernel, "status"));
        if (json_is_true(json_object_get(kernel, "interrupted")) || (status && strcmp(status, "ended") != 0))
            return true;
    }
    return false;
}

double report_kernel_cycles(const json_t *report)
{
    double first = 0, last = 0;
    size_t i;
    json_t *kernel;
    if (json_object_get(report, "gpus")) /* whose kernels may have clocks of their own */
        return json_number_value(json_object_get(json_object_get(report, "time"), "kernels_cycles"));
    json_array_foreach(json_object_get(report, "kernels"), i, kernel)
    {
        const double launched = json_number_value(json_object_get(kernel, "launched"));
        const double ended = json_number_value(json_object_get(kernel, "ended"));
        first = i == 0 || launched < first ? launched : first;
        last = ended > last ? ended : last;
    }
    return last - first;
}

/* Launches by name and grid: {"saxpy [64, 1, 1]": 3}. */
static json_t *count_launches(const json_t *report)
{
    json_t *counts = json_object(), *kernel;
    size_t i;
    json_array_foreach(json_object_get(report, "kernels"), i, kernel)
    {
        char key[512];
        const json_t *grid = json_object_get(kernel, "grid");
        snprintf(key, sizeof key, "%.400s %lld %lld %lld", report_kernel_name(kernel),
                 json_integer_value(json_array_get(grid, 0)), json_integer_value(json_array_get(grid, 1)),
                 json_integer_value(json_array_get(grid, 2)));
        json_object_set_new(counts, key, json_integer(json_integer_value(json_object_get(counts, key)) + 1));
    }
    return counts;
}

static bool has_same_launches(const json_t *from, const json_t *to)
{
    json_t *one = count_launches(from), *other = count_launches(to);
    const bool same = json_equal(one, other);
    json_decref(one);
    json_decref(other);
    return same;
}

static double instructions(const json_t *report)
{
    double sum = 0;
    size_t i;
    json_t *kernel;
    json_array_foreach(json_object_get(report, "kernels"), i, kernel)
    {
        sum += json_number_value(json_object_get(kernel, "warp_instructions"));
    }
    return sum;
}

static bool is_one_workload(const json_t *from, const json_t *to)
{
    return !strcmp(text_of(from, "kind"), "workload") && !strcmp(text_of(to, "kind"), "workload") &&
           !strcmp(text_of(from, "what"), text_of(to, "what"));
}

const char *report_why_no_speedup(const json_t *from, const json_t *to, char *text, size_t size)
{
    const double a = instructions(from), b = instructions(to);
    const bool is_workload = is_one_workload(from, to);
    if (report_is_cut_off(from) || report_is_cut_off(to))
        snprintf(text, size, "%s cut off",
                 !report_is_cut_off(to)     ? "the first run was"
                 : !report_is_cut_off(from) ? "it was"
                                            : "both were");
    else if (report_kernel_cycles(from) <= 0 || report_kernel_cycles(to) <= 0)
        snprintf(text, size, "no kernel was timed");
    else if (is_workload && strcmp(text_of(from, "size"), text_of(to, "size")) != 0)
        snprintf(text, size, "its input is %s, not %s", text_of(to, "size"), text_of(from, "size"));
    else if (is_workload)
        return NULL;
    else if (!has_same_launches(from, to))
        snprintf(text, size, "other kernels or grids");
    else if (a > SAME_WORK * b || b > SAME_WORK * a)
        snprintf(text, size, "other work: %.4g warp instructions, not %.4g", b, a);
    else
        return NULL;
    return text;
}
