/* The set peer: the six programs, against another simulator's cycles. */
#include <stdio.h>

#include "row.h"
#include "six/six.h"

static const char *const gpus[] = {"gtx480", "titanv"};

enum { GPUS = sizeof gpus / sizeof *gpus };

static void add(Run *run, const Set *set)
{
    for (size_t i = 0; i < GPUS * SIX_COUNT; i++) {
        Row row = {
            .set = set, .index = i % SIX_COUNT, .job = i, .unit = "cycles", .gpu = gpus[i / SIX_COUNT]};
        snprintf(row.name, sizeof row.name, "%s/%s", row.gpu, six_programs[row.index].name);
        rows_add(run, row);
    }
}

static bool run_row(const Row *rows, size_t count, WbGpu *gpu, Host *host, Outcome *outcomes)
{
    (void)count;
    const SixProgram *program = &six_programs[rows->index];
    const bool right = six_run(program, gpu, WORKLOADS "/six", program->size, host);
    set_take_all(gpu, host, outcomes);
    return right;
}

const Set set_peer = {
    .name = "peer",
    .heading = "## The six programs against GPGPU-Sim 4.2 (`workloads/six`)",
    .data = "six/peer.csv",
    .column = "cycles",
    .theirs = "peer",
    .counts_instructions = true,
    .is_rough = true,
    .is_correlated = true,
    .add = add,
    .run = run_row,
};
