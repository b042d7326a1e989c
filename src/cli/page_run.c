#include "cli/page_run.h"

#include <stdio.h>
#include <string.h>

#include "cli/comparable.h"

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

/* The file's place among the files, where it is put unless it is there. */
static size_t file_index(json_t *files, json_t *file)
{
    size_t i;
    json_t *known;
    json_array_foreach(files, i, known)
    {
        if (json_equal(known, file))
            return i;
    }
    json_array_append(files, file);
    return i;
}

/* Counts of lines are most of a report with many kernels: each becomes an array without names, and names its
 * file by a number. */
static void pack_lines(json_t *kernel, json_t *files)
{
    static const char *const keys[] = {"line", "issued", "waited", "thread_instructions", "waits"};
    json_t *lines = json_object_get(kernel, "lines"), *line, *packed = json_array();
    size_t i;
    json_array_foreach(lines, i, line)
    {
        json_t *row = json_pack("[I]", (json_int_t)file_index(files, json_object_get(line, "file")));
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            json_t *value = json_object_get(line, keys[k]);
            json_array_append(row, value ? value : json_null());
        }
        json_array_append_new(packed, row);
    }
    if (lines)
        json_object_set(kernel, "lines", packed);
    json_decref(packed);
}

/* The page shows sums, no details, and names for people. */
static void pack(json_t *report)
{
    size_t i;
    json_t *kernel, *files = json_array();
    json_array_foreach(json_object_get(report, "kernels"), i, kernel)
    {
        json_object_del(kernel, "details");
        json_object_set_new(kernel, "name", json_string(report_kernel_name(kernel)));
        pack_lines(kernel, files);
    }
    json_object_set_new(report, "line_files", files);
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
    pack(report);
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
