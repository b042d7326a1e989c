#include "micro/older.h"

#include <stdio.h>
#include <string.h>

#include "micro/older_measure.h"

#define CHAIN(name)                                                                                          \
    {                                                                                                        \
        name "_latency", "cycles", NULL, measure_older_chain, name, 0                                        \
    }
#define RATE(name)                                                                                           \
    {                                                                                                        \
        name "_rate", "a cycle", NULL, measure_older_rate, "rate_" name, 0                                   \
    }

/* clang-format off */
const Micro older_micros[OLDER_COUNT] = {
    CHAIN("iadd"), CHAIN("imad"), CHAIN("idiv"), CHAIN("popc"), CHAIN("fadd"), CHAIN("ffma"), CHAIN("fdiv"),
    CHAIN("sin"), CHAIN("rsqrt"), CHAIN("ex2"), CHAIN("dfma"), CHAIN("ddiv"),
    {"shared_latency", "cycles", NULL, measure_older_shared, "load_shared", 1},
    {"shared_conflict", "cycles", NULL, measure_older_conflict, "load_shared", 0},
    {"shared_atomic_conflict", "cycles", NULL, measure_older_shared_atomic, "shared_atomic", 0},
    {"l1_latency", "cycles", NULL, measure_older_load, "load_ca", LOAD_L1},
    {"l1_nc_latency", "cycles", NULL, measure_older_load, "load_nc", LOAD_L1},
    {"l1_local_latency", "cycles", NULL, measure_older_local, "load_local", 0},
    {"l2_latency", "cycles", NULL, measure_older_load, "load_cg", LOAD_L2},
    {"dram_latency", "cycles", NULL, measure_older_load, "load_cg", LOAD_DRAM},
    {"texture_latency", "cycles", NULL, measure_older_texture, "load_texture", 0},
    {"constant_latency", "cycles", NULL, measure_older_constant, "load_const", 1 << 10},
    {"constant_15_latency", "cycles", NULL, measure_older_constant, "load_const", 16 << 10},
    {"barrier_warp", "cycles", NULL, measure_older_barrier, "barrier", 0},
    {"atomic_same", "cycles", NULL, measure_older_global_atomic, "global_atomic", 0},
    RATE("ffma"), RATE("dfma"), RATE("imad"), RATE("ex2"),
    {"shared_bandwidth", "bytes a cycle", NULL, measure_older_read, "read_shared", 0},
    {"l1_bandwidth", "bytes a cycle", NULL, measure_older_read, "read_l1", 0},
    {"l2_bandwidth", "bytes a cycle", NULL, measure_older_read_l2, "read_l2", 0},
    {"dram_bandwidth", "%", NULL, measure_older_read_dram, "read_dram", 0},
};
/* clang-format on */

const Micro *older_find(const char *name)
{
    for (size_t i = 0; i < OLDER_COUNT; i++)
        if (!strcmp(older_micros[i].name, name))
            return &older_micros[i];
    return NULL;
}

bool older_run(const Micro *micro, WbGpu *gpu, const char *directory, const MicroGpu *properties, Host *host,
               double *value)
{
    return micro_run_of("older.ptx", micro, gpu, directory, properties, host, value);
}

KernelName kernel_of(const Micro *micro, int steps)
{
    KernelName name;
    snprintf(name.text, sizeof name.text, "%s_%d", micro->kernel, steps);
    return name;
}

double of_one_step(const double totals[2], int trips)
{
    return (totals[1] - totals[0]) / ((MORE_STEPS - FEW_STEPS) * trips);
}

uint64_t knob_of(Host *host, const char *name)
{
    uint64_t value = 0;
    if (host->status == WB_OK)
        host_keep(host, wb_gpu_get(host->gpu, name, &value));
    return value;
}
