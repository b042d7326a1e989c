#include "common/benchmark.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool benchmark_run(const Benchmark *benchmark, const BenchmarkRun *run, WbGpu *gpu, const char *workloads,
                   Host *host)
{
    *host = host_begin(gpu, workloads, benchmark->file);
    const bool right = host->status == WB_OK && benchmark->run(host, run) && host->status == WB_OK;
    if (!right && host->status == WB_OK)
        snprintf(host->error, sizeof host->error, "The result of %s is not the one computed without the GPU.",
                 benchmark->name);
    return right;
}

bool benchmark_near(Host *host, uint64_t address, const float *expected, size_t count, float tolerance)
{
    float *got = host_array(host, count, sizeof *got);
    size_t near = 0;
    if (got)
        host_read(host, got, address, count * sizeof *got);
    while (got && near < count &&
           fabsf(got[near] - expected[near]) <= tolerance * fmaxf(1, fabsf(expected[near])))
        near++;
    free(got);
    return near == count && host->status == WB_OK;
}
