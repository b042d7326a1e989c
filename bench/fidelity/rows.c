/* Which rows there are, what was measured for each, and which of them make a job. */
#include "row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/csv.h"

const char *const half_names[HALF_COUNT] = {"", "seen", "unseen"};

/* The path with `by` in place of its first `place`, if it has one. */
static void fill_in(char *path, size_t size, const char *place, const char *by)
{
    char rest[1024];
    char *at = strstr(path, place);
    if (!at)
        return;
    snprintf(rest, sizeof rest, "%s", at + strlen(place));
    snprintf(at, size - (size_t)(at - path), "%s%s", by, rest);
}

void rows_data_path(const Run *run, const Row *row, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", WORKLOADS, row->set->data);
    fill_in(path, size, "{gpu}", run->options.gpu);
    fill_in(path, size, "{half}", half_names[row->half]);
}

static void read_measured(const Run *run, Row *row)
{
    char path[1024];
    rows_data_path(run, row, path, sizeof path);
    row->expected = csv_number(path, row->name, row->set->column);
    row->expected_instructions =
        row->set->counts_instructions ? csv_number(path, row->name, "warp_inst") : NAN;
    if (row->set->has_counters)
        counters_read(path, row->name, row->counters);
}

/* Whether the row runs with the last one. */
static bool joins(const Run *run, const Row *row)
{
    const RowJob *last = run->jobs.count ? &run->jobs.items[run->jobs.count - 1] : NULL;
    const Row *before = last ? &run->rows.items[last->first] : NULL;
    return before && before->set == row->set && before->job == row->job && last->count < JOB_ROWS;
}

void rows_add(Run *run, Row row)
{
    const Options *options = &run->options;
    if (options->only && !strstr(row.name, options->only))
        return;
    read_measured(run, &row);
    if (joins(run, &row))
        run->jobs.items[run->jobs.count - 1].count++;
    else
        VEC_PUSH(&run->jobs, ((RowJob){run->rows.count, 1}));
    VEC_PUSH(&run->rows, row);
}

void rows_add_all(Run *run)
{
    for (SetNumber set = 0; set < SET_COUNT; set++)
        if (run->options.sets[set])
            sets[set]->add(run, sets[set]);
}

void rows_free(Run *run)
{
    VEC_FREE(&run->rows);
    VEC_FREE(&run->jobs);
}
