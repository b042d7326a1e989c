/* Throughput of older GPUs, from the cycles of launches: what the longer of two launches takes more. */
#include "micro/older_measure.h"

#include <string.h>

/* Trips of a launch, and instructions of each trip. */
enum { FEW_TRIPS = 16, MORE_TRIPS = 48, TRIP_INSTRUCTIONS = 64 };

static const int trip_counts[] = {FEW_TRIPS, MORE_TRIPS};

/* Instructions a cycle and thread, from both launches' cycles. */
static double a_cycle(const double totals[2])
{
    return (MORE_TRIPS - FEW_TRIPS) * TRIP_INSTRUCTIONS / (totals[1] - totals[0]);
}

/* One SM; all of its warps are in one block. */
MEASUREMENT(measure_older_rate)
{
    (void)gpu;
    enum { THREADS = 1024 };
    double totals[2];
    bool right = true;
    for (int i = 0; i < 2; i++) {
        /* Two zeroes to begin with, of 32 or 64 bits each; behind them the threads' results, none of which
         * has all bits set. */
        uint32_t values[4 + 2 * THREADS];
        memset(values, 0xFF, sizeof values);
        memset(values, 0, 4 * sizeof *values);
        const uint64_t at = host_buffer(host, values, sizeof values);
        HOST_LAUNCH(host, micro->kernel, dim(1, 1, 1), dim(THREADS, 1, 1), WB_ARG(trip_counts[i]),
                    WB_ARG(at));
        totals[i] = (double)host->cycles;
        host_read(host, values, at, sizeof values);
        for (uint32_t k = 0; k < THREADS; k++)
            right &= values[2 + k] != UINT32_MAX;
        host_free(host, at);
    }
    *value = THREADS * a_cycle(totals);
    return right;
}

/* Bytes a cycle of one SM. */
MEASUREMENT(measure_older_read)
{
    (void)gpu;
    enum { THREADS = 1024 };
    double totals[2];
    bool right = true;
    uint32_t words[THREADS], sums[THREADS];
    for (uint32_t i = 0; i < THREADS; i++)
        words[i] = i;
    const uint64_t data = host_buffer(host, words, sizeof words);
    for (int i = 0; i < 2; i++) {
        const uint64_t end = host_buffer(host, NULL, sizeof sums);
        HOST_LAUNCH(host, micro->kernel, dim(1, 1, 1), dim(THREADS, 1, 1), WB_ARG(data),
                    WB_ARG(trip_counts[i]), WB_ARG(end));
        totals[i] = (double)host->cycles;
        host_read(host, sums, end, sizeof sums);
        for (uint32_t k = 0; k < THREADS; k++)
            right &= sums[k] == 4 * k;
        host_free(host, end);
    }
    host_free(host, data);
    *value = THREADS * sizeof *words * a_cycle(totals);
    return right;
}

/* Cycles that the whole GPU takes to read a buffer of so many bytes, from the first element on. */
static double read_lines(const Micro *micro, Host *host, const MicroGpu *gpu, uint64_t data, uint64_t bytes,
                         int trips)
{
    enum { BLOCKS_OF_SM = 2, BLOCK = 512 };
    const uint32_t blocks = gpu->sm_count * BLOCKS_OF_SM, mask = (uint32_t)(bytes / 16 - 1);
    const uint64_t sums = host_buffer(host, NULL, (size_t)blocks * BLOCK * sizeof(uint32_t));
    HOST_LAUNCH(host, micro->kernel, dim(blocks, 1, 1), dim(BLOCK, 1, 1), WB_ARG(data), WB_ARG(mask),
                WB_ARG(trips), WB_ARG(sums));
    host_free(host, sums);
    return (double)host->cycles;
}

/* Bytes that one trip of read_lines() takes. */
static double trip_bytes(const MicroGpu *gpu) { return gpu->sm_count * 2 * 512 * 16.0; }

/* 256 KiB, which every L2 holds, again and again. */
MEASUREMENT(measure_older_read_l2)
{
    enum { BYTES = 256 << 10, FEW = 32, MORE = 96 };
    const uint64_t data = host_buffer(host, NULL, BYTES), slices = knob_of(host, "l2_slices");
    read_lines(micro, host, gpu, data, BYTES, FEW);
    const double few = read_lines(micro, host, gpu, data, BYTES, FEW);
    const double more = read_lines(micro, host, gpu, data, BYTES, MORE);
    host_free(host, data);
    *value = (MORE - FEW) * trip_bytes(gpu) / (more - few) / (double)slices;
    return slices > 0 && more > few;
}

/* Per cent of what all channels carry at their data rate, reading once what no cache holds. */
MEASUREMENT(measure_older_read_dram)
{
    enum { BYTES = 128 << 20 };
    const int few = (int)((16 << 20) / trip_bytes(gpu)), more = 3 * few;
    const uint64_t data = host_buffer(host, NULL, BYTES);
    host->cold = true;
    const double taken[2] = {read_lines(micro, host, gpu, data, BYTES, few),
                             read_lines(micro, host, gpu, data, BYTES, more)};
    host_free(host, data);
    const double bits = (double)(knob_of(host, "dram_channels") * knob_of(host, "dram_bus_bits"));
    const double pins = bits / 8 * (double)knob_of(host, "dram_data_khz") / gpu->clock_khz;
    *value = 100 * (more - few) * trip_bytes(gpu) / (taken[1] - taken[0]) / pins;
    return host->status == WB_OK && taken[1] > taken[0];
}

MEASUREMENT(measure_older_global_atomic)
{
    enum { BLOCK = 256, WARPS = BLOCK / 32, ATOMIC_TRIPS = 4 };
    static const int steps[] = {FEW_STEPS, MORE_STEPS};
    int trips = ATOMIC_TRIPS;
    double totals[2];
    bool right = true;
    for (int i = 0; i < 2; i++) {
        uint32_t sum = 0;
        const uint64_t counter = host_buffer(host, &sum, sizeof sum);
        HOST_LAUNCH(host, kernel_of(micro, steps[i]).text, dim(gpu->sm_count, 1, 1), dim(BLOCK, 1, 1),
                    WB_ARG(trips), WB_ARG(counter));
        totals[i] = (double)host->cycles;
        host_read(host, &sum, counter, sizeof sum);
        host_free(host, counter);
        right &= sum == gpu->sm_count * WARPS * (uint32_t)(trips * steps[i]);
    }
    *value = of_one_step(totals, trips) / (gpu->sm_count * WARPS);
    return right;
}

/* Cycles of a barrier of a block of so many threads. */
static double barrier_cycles(const Micro *micro, Host *host, uint32_t threads)
{
    enum { BARRIER_TRIPS = 256 };
    static const int steps[] = {FEW_STEPS, MORE_STEPS};
    int trips = BARRIER_TRIPS;
    double totals[2];
    const uint64_t at = host_buffer(host, NULL, sizeof(int64_t));
    for (int i = 0; i < 2; i++) {
        int64_t cycles = 0;
        HOST_LAUNCH(host, kernel_of(micro, steps[i]).text, dim(1, 1, 1), dim(threads, 1, 1), WB_ARG(trips),
                    WB_ARG(at));
        host_read(host, &cycles, at, sizeof cycles);
        totals[i] = (double)cycles;
    }
    host_free(host, at);
    return of_one_step(totals, trips);
}

MEASUREMENT(measure_older_barrier)
{
    (void)gpu;
    enum { FEW_THREADS = 512, MORE_THREADS = 1024 };
    const double few = barrier_cycles(micro, host, FEW_THREADS);
    const double more = barrier_cycles(micro, host, MORE_THREADS);
    *value = (more - few) / ((MORE_THREADS - FEW_THREADS) / 32);
    return few > 0 && more > 0;
}
