#include "cli/page_run.h"

#include <stdio.h>
#include <string.h>

static const char FORMAT[] = "warpbeam-report-1";

/* Whether the page can show it. */
static bool check(const char *path, const json_t *report, Error *error)
{
    const json_t *kernels = json_object_get(report, "kernels");
    const char *format = json_string_value(json_object_get(report, "format"));
    if (!json_is_string(json_object_get(report, "gpu")) ||
        !json_is_object(json_object_get(report, "config")) || !json_is_array(kernels))
        error_set(error, WB_ERROR_ARGUMENT,
                  "%s holds no statistics of Warpbeam: `warpbeam run ... --stats FILE.json` writes them.",
                  path);
    else if (format && strcmp(format, FORMAT) != 0)
        error_set(error, WB_ERROR_ARGUMENT, "%s has the format '%s'; this version reads %s.", path, format,
                  FORMAT);
    else if (json_array_size(kernels) == 0)
        error_set(error, WB_ERROR_ARGUMENT,
                  "%s has no kernel that ran in cycle mode, so that there is no time to show.", path);
    return error->status == WB_OK;
}

/* The page shows sums only. */
static void drop_details(json_t *report)
{
    size_t i;
    json_t *kernel;
    json_array_foreach(json_object_get(report, "kernels"), i, kernel) { json_object_del(kernel, "details"); }
}

json_t *page_run_read(const char *path, Error *error)
{
    json_error_t problem;
    json_t *report = json_load_file(path, 0, &problem);
    if (!report && problem.line < 1)
        error_set(error, WB_ERROR_NOT_FOUND, "The statistics cannot be read: %s.", problem.text);
    else if (!report)
        error_set(error, WB_ERROR_ARGUMENT, "%s cannot be read as JSON: %s, line %d.", path, problem.text,
                  problem.line);
    if (!report)
        return NULL;
    if (!check(path, report, error)) {
        json_decref(report);
        return NULL;
    }
    drop_details(report);
    return report;
}

/* -- less of it -- */

static size_t size_of(const json_t *report) { return json_dumpb(report, NULL, 0, JSON_COMPACT); }

/* Keeps every other block of each kernel, and how many one stands for. */
static size_t halve_blocks(json_t *kernels)
{
    size_t i, stride = 0;
    json_t *kernel;
    json_array_foreach(kernels, i, kernel)
    {
        const json_t *blocks = json_object_get(kernel, "blocks");
        if (json_array_size(blocks) < 2)
            continue;
        json_t *kept = json_array();
        for (size_t block = 0; block < json_array_size(blocks); block += 2)
            json_array_append(kept, json_array_get(blocks, block));
        const json_t *before = json_object_get(kernel, "blocks_stride");
        const size_t now = before ? 2 * (size_t)json_integer_value(before) : 2;
        json_object_set_new(kernel, "blocks", kept);
        json_object_set_new(kernel, "blocks_stride", json_integer((json_int_t)now));
        stride = now > stride ? now : stride;
    }
    return stride;
}

static bool drop(json_t *kernels, const char *key)
{
    size_t i;
    json_t *kernel;
    bool dropped = false;
    json_array_foreach(kernels, i, kernel) { dropped = json_object_del(kernel, key) == 0 || dropped; }
    return dropped;
}

void page_run_shrink(json_t *report, size_t limit, json_t *notes)
{
    enum { MOST_STRIDE = 1024 };
    json_t *kernels = json_object_get(report, "kernels");
    size_t stride = 1, halved = 1;
    while (size_of(report) > limit && stride < MOST_STRIDE && (halved = halve_blocks(kernels)) > 0)
        stride = halved;
    if (stride > 1)
        json_array_append_new(notes, json_sprintf("to keep the page small, it has 1 of %zu blocks.", stride));
    if (size_of(report) > limit && drop(kernels, "series"))
        json_array_append_new(notes, json_string("to keep the page small, samples over time were left out."));
}
