/* Blocks and lines of a report become rows of numbers, which are a fraction of the objects' size in a
 * page. */
#include "cli/page_run.h"

#include <stdio.h>
#include <string.h>

#include "cli/comparable.h"
#include "cli/statistics_file.h"

/* Whether the page can show it. */
static bool check(const char *path, const json_t *report, Error *error)
{
    const json_t *kernels = json_object_get(report, "kernels");
    if (json_array_size(kernels) == 0)
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

/* Values of the keys, to the null at their end, behind what the row has. */
static void append_values(json_t *row, const json_t *from, const char *const *keys)
{
    for (; *keys; keys++) {
        json_t *value = json_object_get(from, *keys);
        json_array_append(row, value ? value : json_null());
    }
}

/* Blocks and counts of lines are most of a report: each becomes an array without names. */
static void pack_blocks(json_t *kernel)
{
    static const char *const keys[] = {"block", "sm", "dispatched", "started", "ended", NULL};
    json_t *blocks = json_object_get(kernel, "blocks"), *block, *packed = json_array();
    size_t i;
    json_array_foreach(blocks, i, block)
    {
        json_t *row = json_pack("[I]", json_integer_value(json_object_get(block, "launch")));
        append_values(row, block, keys);
        json_array_append_new(packed, row);
    }
    if (blocks)
        json_object_set(kernel, "blocks", packed);
    json_decref(packed);
}

/* A line names its file by a number. */
static void pack_lines(json_t *kernel, json_t *files)
{
    static const char *const keys[] = {"line", "issued", "waited", "thread_instructions", "waits", NULL};
    json_t *lines = json_object_get(kernel, "lines"), *line, *packed = json_array();
    size_t i;
    json_array_foreach(lines, i, line)
    {
        json_t *row = json_pack("[I]", (json_int_t)file_index(files, json_object_get(line, "file")));
        append_values(row, line, keys);
        json_array_append_new(packed, row);
    }
    if (lines)
        json_object_set(kernel, "lines", packed);
    json_decref(packed);
}

/* Counters that are 0: most, of a small kernel. What is not there is 0. */
static void drop_zeros(json_t *counters)
{
    const char *key;
    void *next;
    json_t *value;
    json_object_foreach_safe(counters, next, key, value)
    {
        if (json_is_integer(value) && json_integer_value(value) == 0)
            json_object_del(counters, key);
    }
}

/* The page shows sums, no details, and computes ratios itself. */
static void pack_counters(json_t *kernel)
{
    static const char *const computed[] = {"details", "ratios", "scheduler_shares", "memory_accesses_by_sm",
                                           "dram_accesses_by_sm"};
    const char *key;
    json_t *value;
    for (size_t i = 0; i < sizeof computed / sizeof *computed; i++)
        json_object_del(kernel, computed[i]);
    json_object_foreach(kernel, key, value) { drop_zeros(json_is_object(value) ? value : NULL); }
}

static void pack(json_t *report)
{
    size_t i;
    json_t *kernel, *files = json_array();
    json_array_foreach(json_object_get(report, "kernels"), i, kernel)
    {
        json_object_set_new(kernel, "name", json_string(report_kernel_name(kernel)));
        pack_counters(kernel);
        pack_blocks(kernel);
        pack_lines(kernel, files);
    }
    json_object_set_new(report, "line_files", files);
}

json_t *page_run_read(const char *path, Error *error)
{
    json_t *report = statistics_read(path, error);
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

/* What of blocks and launches stays: blocks of a grid by their index, launches by their number. */
typedef struct Choice {
    json_int_t blocks, launches; /* 1 of so many */
} Choice;

static bool is_kept(Choice choice, json_int_t launch, json_int_t block)
{
    return (launch == 0 || (launch - 1) % choice.launches == 0) && block % choice.blocks == 0;
}

static json_int_t member(const json_t *row, const char *key)
{
    return json_integer_value(json_object_get(row, key));
}

static json_int_t element(const json_t *row, size_t index)
{
    return json_integer_value(json_array_get(row, index));
}

static bool keeps_block(const json_t *row, Choice choice)
{
    return is_kept(choice, element(row, 0), element(row, 1));
}

static bool keeps_launch(const json_t *row, Choice choice)
{
    return is_kept(choice, member(row, "number"), 0);
}

static bool keeps_wait(const json_t *row, Choice choice)
{
    return is_kept(choice, member(row, "launch"), member(row, "block"));
}

static void filter(json_t *kernel, const char *key, Choice choice, bool (*keeps)(const json_t *, Choice))
{
    json_t *rows = json_object_get(kernel, key), *row, *kept = json_array();
    size_t i;
    json_array_foreach(rows, i, row)
    {
        if (keeps(row, choice))
            json_array_append(kept, row);
    }
    if (rows)
        json_object_set(kernel, key, kept);
    json_decref(kept);
}

static void apply(json_t *kernels, Choice choice)
{
    size_t i;
    json_t *kernel;
    json_array_foreach(kernels, i, kernel)
    {
        filter(kernel, "blocks", choice, keeps_block);
        filter(kernel, "launches", choice, keeps_launch);
        filter(kernel, "waits", choice, keeps_wait);
        filter(kernel, "holds", choice, keeps_wait);
        json_object_set_new(kernel, "blocks_stride", json_integer(choice.blocks));
        json_object_set_new(kernel, "launches_stride", json_integer(choice.launches));
    }
}

static size_t count_all(const json_t *kernels, const char *key)
{
    size_t i, count = 0;
    const json_t *kernel;
    json_array_foreach(kernels, i, kernel) { count += json_array_size(json_object_get(kernel, key)); }
    return count;
}

/* Halves what there is most of, launches with their blocks or blocks, until the report is as small. */
static Choice thin(json_t *report, size_t limit)
{
    enum { MOST_STRIDE = 1 << 16 };
    json_t *kernels = json_object_get(report, "kernels");
    Choice choice = {1, 1};
    while (size_of(report) > limit && choice.blocks < MOST_STRIDE && choice.launches < MOST_STRIDE) {
        const size_t blocks = count_all(kernels, "blocks"), launches = count_all(kernels, "launches");
        /* One of each kernel is left: thinning gains nothing more. */
        if (blocks + launches <= json_array_size(kernels))
            break;
        if (2 * launches >= blocks)
            choice.launches *= 2;
        else
            choice.blocks *= 2;
        apply(kernels, choice);
    }
    return choice;
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
    const Choice choice = thin(report, limit);
    char blocks[32], launches[48];
    snprintf(blocks, sizeof blocks, "1 of %d blocks", (int)choice.blocks);
    snprintf(launches, sizeof launches, "1 of %d launches by blocks", (int)choice.launches);
    if (choice.blocks > 1 || choice.launches > 1)
        json_array_append_new(notes, json_sprintf("to keep the page small, it has %s%s%s.",
                                                  choice.blocks > 1 ? blocks : "",
                                                  choice.blocks > 1 && choice.launches > 1 ? ", and " : "",
                                                  choice.launches > 1 ? launches : ""));
    if (size_of(report) > limit && drop(json_object_get(report, "kernels"), "series"))
        json_array_append_new(notes, json_string("to keep the page small, samples over time were left out."));
}
