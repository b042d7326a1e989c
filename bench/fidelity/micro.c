/* The set micro: latencies, throughputs and barriers, one property each. */
#include "micro/micro.h"

#include <stdio.h>

#include "micro_gpu.h"
#include "row.h"

static void add(Run *run, const Set *set)
{
    for (size_t i = 0; i < MICRO_COUNT; i++) {
        Row row = {.set = set, .index = i, .job = i, .unit = micros[i].unit, .note = micros[i].note};
        snprintf(row.name, sizeof row.name, "%s", micros[i].name);
        rows_add(run, row);
    }
}

static bool run_row(const Row *rows, size_t count, WbGpu *gpu, Host *host, Outcome *outcomes)
{
    (void)count;
    const MicroGpu properties = micro_gpu_of(gpu);
    return micro_run(&micros[rows->index], gpu, WORKLOADS "/micro", &properties, host, &outcomes->value);
}

const Set set_micro = {
    .name = "micro",
    .heading = "## Single properties of an H200 (`workloads/micro`)",
    .data = "micro/{gpu}.csv",
    .column = "value",
    .theirs = "measured",
    .knob = "page_walk_cycles=0", /* kernels had run on the same pages */
    .add = add,
    .run = run_row,
};
