/* The set suite: kernels of many classes, half of them unseen by those who make the model's rules. */
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

/* As the recorder does (workloads/record/host_cuda.c): L2 is full of other lines, which need not be written
 * back, before the kernel's own copies come. All pieces are copied to one place. */
static void fill_l2(WbGpu *gpu)
{
    enum { PIECE_BYTES = 1 << 20, OTHER_BYTES = 128 << 20 };
    uint64_t other;
    if (wb_malloc(gpu, OTHER_BYTES, &other) != WB_OK)
        return;
    for (uint64_t at = PIECE_BYTES; at < OTHER_BYTES; at += PIECE_BYTES)
        wb_copy_on_device(gpu, other, other + at, PIECE_BYTES);
    wb_free(gpu, other);
}

static bool run_row(const Row *rows, size_t count, WbGpu *gpu, Host *host, Outcome *outcomes)
{
    (void)count;
    fill_l2(gpu);
    const bool right = suite_run(rows->index, gpu, WORKLOADS "/suite", true, host);
    set_take_all(gpu, host, outcomes);
    return right;
}

const Set set_suite = {
    .name = "suite",
    .heading = "## A suite of kernels on an H200 (`workloads/suite`)",
    .data = "suite/{gpu}-{half}.csv",
    .column = "cycles",
    .theirs = "measured",
    .counts_instructions = true,
    .has_counters = true,
    .is_correlated = true,
    .add = add,
    .run = run_row,
};
