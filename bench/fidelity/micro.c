/* The set micro: latencies, throughputs and barriers, one property each. */
#include "micro/micro.h"

#include <stdio.h>

#include "api/gpu.h"
#include "common/csv.h"
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
    MicroGpu properties = {
        .sm_count = (uint32_t)gpu->config.sm_count,
        .clock_khz = (double)gpu->config.clock_khz,
        .empty_launch_us = csv_number(WORKLOADS "/micro/h200.csv", "empty_launch", "value"),
        .launch_interval_us = csv_number(WORKLOADS "/micro/h200.csv", "launch_interval", "value"),
    };
    return micro_run(&micros[rows->index], gpu, WORKLOADS "/micro", &properties, host, &outcomes->value);
}

const Set set_micro = {
    .name = "micro",
    .heading = "## Single properties of an H200 (`workloads/micro`)",
    .data = "micro/{gpu}.csv",
    .column = "value",
    .theirs = "measured",
    .add = add,
    .run = run_row,
};
