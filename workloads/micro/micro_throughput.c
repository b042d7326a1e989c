/* Atomics and reading with the whole GPU. Times come from the cycles of launches, as events around them would
 * have shown them: what a launch that does nothing takes between events is not the GPU's alone, and was
 * measured. */
#include "micro/measure.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCKS_OF_SM = 4, THREADS = 256, STEPS = 64 };

static double seconds(const Host *host, const MicroGpu *gpu)
{
    return (double)host->cycles / (gpu->clock_khz * 1e3);
}

/* Seconds between events around a launch, from its cycles and those of one that does nothing. */
static double between_events(const MicroGpu *gpu, uint64_t cycles, uint64_t nothing)
{
    return (double)(cycles - nothing) / (gpu->clock_khz * 1e3) + gpu->empty_launch_us * 1e-6;
}

MEASUREMENT(measure_atomic_latency)
{
    (void)gpu;
    int steps = 4096;
    uint32_t zero = 0, end = 1;
    int64_t cycles = 0;
    uint64_t counter = host_buffer(host, &zero, sizeof zero), at = host_buffer(host, &end, sizeof end),
             count = host_buffer(host, &cycles, sizeof cycles);
    HOST_LAUNCH(host, micro->kernel, dim(1, 1, 1), dim(1, 1, 1), WB_ARG(counter), WB_ARG(steps), WB_ARG(at),
                WB_ARG(count));
    host_read(host, &end, at, sizeof end);
    host_read(host, &cycles, count, sizeof cycles);
    host_free(host, counter), host_free(host, at), host_free(host, count);
    *value = (double)cycles / steps;
    return end == 0;
}

/* The last of three launches counts: the counters are in L2 then, as they were in the real measurement. The
 * second does nothing. */
MEASUREMENT(measure_atomic_distinct)
{
    uint32_t blocks = gpu->sm_count * BLOCKS_OF_SM, threads = blocks * THREADS;
    int steps[] = {STEPS, 0, STEPS}, stride = 1;
    uint64_t cycles[3];
    uint32_t *counts = calloc(threads, sizeof *counts);
    uint64_t counters = host_buffer(host, counts, threads * sizeof *counts);
    for (int launch = 0; launch < 3; launch++) {
        HOST_LAUNCH(host, micro->kernel, dim(blocks, 1, 1), dim(THREADS, 1, 1), WB_ARG(counters),
                    WB_ARG(steps[launch]), WB_ARG(stride));
        cycles[launch] = host->cycles;
    }
    host_read(host, counts, counters, threads * sizeof *counts);
    host_free(host, counters);
    bool right = true;
    for (uint32_t i = 0; i < threads; i++)
        right &= counts[i] == 2 * STEPS;
    free(counts);
    *value = (double)threads * STEPS / between_events(gpu, cycles[2], cycles[1]) / 1e9;
    return right;
}

MEASUREMENT(measure_atomic_same)
{
    uint32_t blocks = gpu->sm_count * BLOCKS_OF_SM, warps = blocks * THREADS / 32, sum = 0;
    int steps[] = {STEPS, 0, STEPS};
    uint64_t counter = host_buffer(host, &sum, sizeof sum), cycles[3];
    for (int launch = 0; launch < 3; launch++) {
        HOST_LAUNCH(host, micro->kernel, dim(blocks, 1, 1), dim(THREADS, 1, 1), WB_ARG(counter),
                    WB_ARG(steps[launch]));
        cycles[launch] = host->cycles;
    }
    host_read(host, &sum, counter, sizeof sum);
    host_free(host, counter);
    *value = (double)warps * STEPS / between_events(gpu, cycles[2], cycles[1]) / 1e9;
    return sum == 2 * warps * STEPS;
}

static void read_all(Host *host, const MicroGpu *gpu, uint64_t buffer, uint64_t bytes)
{
    uint64_t count = bytes / 16, out = host_buffer(host, NULL, sizeof(float));
    HOST_LAUNCH(host, "read_all", dim(gpu->sm_count * 8, 1, 1), dim(512, 1, 1), WB_ARG(buffer), WB_ARG(count),
                WB_ARG(out));
    host_free(host, out);
}

/* Twenty launches in a row were measured, after twenty that warmed L2 up, from an event before the first to
 * one behind the last. All but the last took at least as long as the host needs for a launch; the simulator
 * has no such host, so that time is given. */
MEASUREMENT(measure_read_warm)
{
    enum { LAUNCHES = 20 };
    const uint64_t bytes[] = {micro->parameter, 0, micro->parameter};
    uint64_t buffer = host_buffer(host, NULL, micro->parameter), cycles[3];
    for (int launch = 0; launch < 3; launch++) {
        read_all(host, gpu, buffer, bytes[launch]);
        cycles[launch] = host->cycles;
    }
    host_free(host, buffer);
    const double each = fmax(seconds(host, gpu), gpu->launch_interval_us * 1e-6);
    *value = (double)(LAUNCHES * micro->parameter) /
             ((LAUNCHES - 1) * each + between_events(gpu, cycles[2], cycles[1])) / 1e9;
    return true;
}

/* Beyond the size of L2 time grows evenly, so two shorter runs tell what a long one takes. */
MEASUREMENT(measure_read_streaming)
{
    enum { PIECE = 128 << 20 };
    uint64_t buffer = host_buffer(host, NULL, 2 * PIECE);
    double taken[2];
    host->cold = true;
    for (uint64_t pieces = 1; pieces <= 2; pieces++) {
        read_all(host, gpu, buffer, pieces * PIECE);
        taken[pieces - 1] = seconds(host, gpu);
    }
    host_free(host, buffer);
    double further = (double)micro->parameter / PIECE - 2;
    *value = (double)micro->parameter / (taken[1] + further * (taken[1] - taken[0])) / 1e9;
    return true;
}
