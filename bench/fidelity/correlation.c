/* The set correlation: fifteen ordinary kernels. */
#include "correlation/correlation.h"

#include <stdio.h>

#include "row.h"

static void add(Run *run, const Set *set)
{
    for (size_t i = 0; i < CORRELATION_COUNT; i++) {
        Row row = {.set = set, .index = i, .job = i, .unit = "cycles"};
        snprintf(row.name, sizeof row.name, "%s", correlation_kernels[i].name);
        rows_add(run, row);
    }
}

static bool run_row(const Row *rows, size_t count, WbGpu *gpu, Host *host, Outcome *outcomes)
{
    (void)count;
    *host = host_begin(gpu, WORKLOADS "/correlation", "correlation.ptx");
    host->measured_size = host->cold = true;
    const bool right = correlation_kernels[rows->index].run(host) && host->status == WB_OK;
    if (!right && host->status == WB_OK)
        snprintf(host->error, sizeof host->error, "the result is wrong");
    set_take_all(gpu, host, outcomes);
    return right;
}

const Set set_correlation = {
    .name = "correlation",
    .heading = "## Ordinary kernels on an H200 (`workloads/correlation`)",
    .data = "correlation/{gpu}.csv",
    .column = "cycles",
    .theirs = "measured",
    .counts_instructions = true,
    .has_counters = true,
    .is_correlated = true,
    .knob = "page_walk_cycles=0", /* kernels had run on the same pages */
    .add = add,
    .run = run_row,
};
