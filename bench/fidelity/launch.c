/* The set launch: empty kernels of many shapes, and one kernel for each class of instruction. */
#include "launch/launch.h"

#include <stdio.h>

#include "row.h"

static void add(Run *run, const Set *set)
{
    for (size_t i = 0; i < LAUNCH_COUNT; i++) {
        Row row = {.set = set, .index = i, .job = i, .unit = "cycles"};
        snprintf(row.name, sizeof row.name, "%s", launch_cases[i].name);
        rows_add(run, row);
    }
}

static bool run_row(const Row *rows, size_t count, WbGpu *gpu, Host *host, Outcome *outcomes)
{
    (void)count;
    const bool right = launch_run(&launch_cases[rows->index], gpu, WORKLOADS "/launch", host);
    set_take_all(gpu, host, outcomes);
    return right;
}

const Set set_launch = {
    .name = "launch",
    .heading = "## Launches and classes of instructions on an H200 (`workloads/launch`)",
    .data = "launch/{gpu}.csv",
    .column = "cycles",
    .theirs = "measured",
    .counts_instructions = true,
    .has_counters = true,
    .knob = "page_walk_cycles=0", /* kernels had run on the same pages */
    .add = add,
    .run = run_row,
};
