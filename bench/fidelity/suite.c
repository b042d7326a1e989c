/* The set suite: kernels of many classes, half of them unseen by those who make the model's rules. They run
 * with empty caches, as behind the profiler's flush. Silicon's other counters were recorded without that, but
 * with an L2 full of other lines: little of what a kernel's own copies brought was there, as their DRAM reads
 * show. */
#include "suite/suite.h"

#include <stdio.h>

#include "row.h"

static void add(Run *run, const Set *set)
{
    for (size_t i = 0; i < SUITE_COUNT; i++) {
        const Half half = suite_is_unseen(i) ? HALF_UNSEEN : HALF_SEEN;
        if (!(half == HALF_SEEN ? run->options.seen : run->options.unseen))
            continue;
        Row row = {
            .set = set,
            .index = i,
            .job = i,
            .unit = "cycles",
            .class = suite_class_name(suite_kernels[i].class),
            .half = half,
        };
        snprintf(row.name, sizeof row.name, "%s", suite_kernels[i].name);
        rows_add(run, row);
    }
}

static bool run_row(const Row *rows, size_t count, WbGpu *gpu, Host *host, Outcome *outcomes)
{
    (void)count;
    const bool right = suite_run(rows->index, gpu, WORKLOADS "/suite", true, true, host);
    set_take_all(gpu, host, outcomes);
    return right;
}

const Set set_suite = {
    .name = "suite",
    .heading = "## A suite of kernels on an H200 (`workloads/suite`)",
    .data = "suite/{gpu}-{half}.csv",
    .column = "cycles_cold",
    .theirs = "measured",
    .counts_instructions = true,
    .has_counters = true,
    .is_correlated = true,
    .add = add,
    .run = run_row,
};
