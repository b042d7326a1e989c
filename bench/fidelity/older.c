/* The set older: single properties of older GPUs, against what was published about them. What was published has
 * more columns than other data, and one property may have several rows. */
#include "micro/older.h"

#include <stdio.h>
#include <stdlib.h>

#include "micro_gpu.h"
#include "row.h"

static Published published[PUBLISHED_MOST]; /* by the rows' index */

static void add(Run *run, const Set *set)
{
    char error[512];
    const size_t count = published_read(WORKLOADS "/micro/published.csv", published, error, sizeof error);
    if (!count) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    for (size_t i = 0; i < count; i++) {
        Row row = {.set = set,
                   .index = i,
                   .job = i,
                   .unit = published[i].micro->unit,
                   .note = published[i].why[0] ? published[i].why : NULL,
                   .gpu = published[i].gpu};
        snprintf(row.name, sizeof row.name, "%s", published[i].name);
        const uint32_t before = run->rows.count;
        rows_add(run, row);
        if (run->rows.count > before)
            run->rows.items[before].expected = published[i].value;
    }
}

static bool run_row(const Row *rows, size_t count, WbGpu *gpu, Host *host, Outcome *outcomes)
{
    (void)count;
    const MicroGpu properties = micro_gpu_of(gpu);
    return older_run(published[rows->index].micro, gpu, WORKLOADS "/micro", &properties, host,
                     &outcomes->value);
}

static void write_cells(const Row *row, FILE *out)
{
    const Published *line = &published[row->index];
    fprintf(out, " %s | %s | %s%s |", line->printed, line->card, line->source, line->seen ? "" : " *");
}

const Set set_older = {
    .name = "older",
    .heading = "## Older GPUs against published measurements (`workloads/micro/published.csv`)",
    .data = "micro/published.csv",
    .column = "value",
    .theirs = "published",
    .cells = " as printed | card | source |",
    .write_cells = write_cells,
    .add = add,
    .run = run_row,
};
