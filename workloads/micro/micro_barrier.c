/* The cost of meeting: threads of a block, and blocks of the whole GPU through memory. */
#include "micro/measure.h"

#include <stdlib.h>

MEASUREMENT(measure_block_barrier)
{
    (void)gpu;
    int rounds = 4096;
    int64_t cycles = 0;
    uint64_t count = host_buffer(host, &cycles, sizeof cycles);
    HOST_LAUNCH(host, micro->kernel, dim(1, 1, 1), dim((uint32_t)micro->parameter, 1, 1), WB_ARG(rounds),
                WB_ARG(count));
    host_read(host, &cycles, count, sizeof cycles);
    host_free(host, count);
    *value = (double)cycles / rounds;
    return cycles > 0;
}

/* A barrier kernel is launched with few and with more rounds; the difference is free of the launch's cost,
 * which 1000 rounds make negligible in the real measurement. */
enum { FEW_ROUNDS = 10, MORE_ROUNDS = 30, THREADS = 256 };

/* Which half of L2 owns a flag goes by its address, and so does a flag barrier's time: an H200 takes 1.62 to
 * 2.06 us with four blocks an SM (flag_barrier_at in h200-halves.csv). Where the flags of the real
 * measurement were is not known, so ours is the mean of the same places. */
enum { FLAG_BYTES = 1 << 21, PLACES = 8 };
static const uint32_t places[PLACES] = {0, 4096, 16384, 32768, 65536, 131072, 262144, 1048576};

static double round_time(const uint64_t cycles[2], const MicroGpu *gpu)
{
    return (double)(cycles[1] - cycles[0]) / (MORE_ROUNDS - FEW_ROUNDS) / (gpu->clock_khz * 1e-3);
}

static bool flags_are(Host *host, uint64_t flags, uint32_t count, uint32_t expected)
{
    uint32_t *got = malloc(count * sizeof *got);
    host_read(host, got, flags, count * sizeof *got);
    bool right = true;
    for (uint32_t i = 0; i < count; i++)
        right &= got[i] == expected;
    free(got);
    return right;
}

static bool run_flags(Host *host, const Micro *micro, uint32_t blocks, int place, int rounds,
                      uint64_t *cycles)
{
    const uint64_t buffers[2] = {host_buffer(host, NULL, FLAG_BYTES), host_buffer(host, NULL, FLAG_BYTES)};
    const uint64_t arrived = buffers[0] + places[place], go = buffers[1] + places[place * 3 % PLACES];
    HOST_LAUNCH(host, micro->kernel, dim(blocks, 1, 1), dim(THREADS, 1, 1), WB_ARG(rounds), WB_ARG(arrived),
                WB_ARG(go));
    *cycles = host->cycles;
    const bool right =
        flags_are(host, arrived, blocks, (uint32_t)rounds) && flags_are(host, go, blocks, (uint32_t)rounds);
    host_free(host, buffers[0]), host_free(host, buffers[1]);
    return right;
}

MEASUREMENT(measure_flag_barrier)
{
    const uint32_t blocks = gpu->sm_count * (uint32_t)micro->parameter;
    bool right = true;
    *value = 0;
    for (int place = 0; place < PLACES; place++) {
        uint64_t cycles[2];
        right &= run_flags(host, micro, blocks, place, FEW_ROUNDS, &cycles[0]);
        right &= run_flags(host, micro, blocks, place, MORE_ROUNDS, &cycles[1]);
        *value += round_time(cycles, gpu) / PLACES;
    }
    return right;
}

MEASUREMENT(measure_atomic_barrier)
{
    static const int rounds[2] = {FEW_ROUNDS, MORE_ROUNDS};
    uint32_t blocks = gpu->sm_count * (uint32_t)micro->parameter;
    uint64_t cycles[2];
    bool right = true;
    for (int run = 0; run < 2; run++) {
        uint64_t counter = host_buffer(host, NULL, FLAG_BYTES);
        HOST_LAUNCH(host, micro->kernel, dim(blocks, 1, 1), dim(THREADS, 1, 1), WB_ARG(rounds[run]),
                    WB_ARG(counter));
        cycles[run] = host->cycles;
        right &= flags_are(host, counter, 1, blocks * (uint32_t)rounds[run]);
        host_free(host, counter);
    }
    *value = round_time(cycles, gpu);
    return right;
}

/* The flags are 128 bytes apart, at the same places as those of flag barriers. */
MEASUREMENT(measure_flag_round_trip)
{
    (void)gpu;
    int rounds = 2000;
    bool right = true;
    *value = 0;
    for (int place = 0; place < PLACES; place++) {
        int64_t cycles = 0;
        const uint64_t buffer = host_buffer(host, NULL, FLAG_BYTES), flags = buffer + places[place],
                       count = host_buffer(host, &cycles, sizeof cycles);
        HOST_LAUNCH(host, micro->kernel, dim(2, 1, 1), dim(32, 1, 1), WB_ARG(rounds), WB_ARG(flags),
                    WB_ARG(count));
        host_read(host, &cycles, count, sizeof cycles);
        right &= flags_are(host, flags, 1, (uint32_t)rounds) && flags_are(host, flags + 128, 1, (uint32_t)rounds);
        host_free(host, buffer), host_free(host, count);
        *value += (double)cycles / (2 * rounds) / PLACES;
    }
    return right;
}
