/* The set polybench: kernels of PolyBench's programs, with caches as copies, earlier kernels and the profiler's
 * first pass left them. A job is a program, which ends behind the last launch of its rows. */
#include "polybench/polybench.h"

#include <stdio.h>

#include "row.h"

static void add(Run *run, const Set *set)
{
    for (size_t i = 0; i < POLYBENCH_KERNELS; i++) {
        const PolybenchProgram *program = polybench_program(polybench_kernels[i].program);
        Row row = {.set = set, .index = i, .job = (size_t)(program - polybench_programs), .unit = "cycles"};
        snprintf(row.name, sizeof row.name, "%s", polybench_kernels[i].name);
        rows_add(run, row);
    }
}

static bool run_rows(const Row *rows, size_t count, WbGpu *gpu, Host *host, Outcome *outcomes)
{
    PolybenchRun run;
    size_t launches = 0;
    for (size_t i = 0; i < count; i++)
        if (polybench_kernels[rows[i].index].launches > launches)
            launches = polybench_kernels[rows[i].index].launches;
    if (!polybench_run(&polybench_programs[rows->job], launches, true, gpu, WORKLOADS "/polybench", host, &run))
        return false;
    for (size_t i = 0; i < count; i++)
        set_take_kernel(gpu, polybench_kernels[rows[i].index].name, &outcomes[i]);
    return true;
}

const Set set_polybench = {
    .name = "polybench",
    .heading = "## Programs of PolyBench on an H200 (`workloads/polybench`)",
    .data = "polybench/{gpu}.csv",
    .column = "cycles",
    .theirs = "measured",
    .counts_instructions = true,
    .has_counters = true,
    .knob = "launch_passes=2",
    .is_correlated = true,
    .add = add,
    .run = run_rows,
};
