#include "micro/measure.h"

#include <stdio.h>

#define CHASE(bytes)                                                                                         \
    {"chase_ca_" #bytes, "cycles", NULL, measure_chase, "chase_ca", bytes},                                  \
    {                                                                                                        \
        "chase_cg_" #bytes, "cycles", NULL, measure_chase, "chase_cg", bytes                                 \
    }
#define SPARSE                                                                                               \
    "only the lines that are visited are written beforehand; none of them is in L2 then, while a copy of "   \
    "all 512 MiB leaves some"
#define CHASE_SPARSE(bytes)                                                                                  \
    {"chase_ca_" #bytes, "cycles", SPARSE, measure_chase, "chase_ca", bytes},                                \
    {                                                                                                        \
        "chase_cg_" #bytes, "cycles", SPARSE, measure_chase, "chase_cg", bytes                               \
    }
#define CHAIN(name)                                                                                          \
    {                                                                                                        \
        name, "cycles", NULL, measure_chain, name, 0                                                         \
    }
#define BARRIER(threads)                                                                                     \
    {                                                                                                        \
        "syncthreads_" #threads, "cycles", NULL, measure_block_barrier, "block_barrier", threads             \
    }
#define ROUNDS "time of 20 further rounds after 10, not of 1000"
#define PLACES ROUNDS "; mean of eight places of the flags, with which an H200's time varies by a quarter"
#define GRID_BARRIERS(blocks)                                                                                \
    {"flag_barrier_" #blocks, "us", PLACES, measure_flag_barrier, "flag_barrier", blocks},                   \
    {                                                                                                        \
        "atomic_barrier_" #blocks, "us", ROUNDS, measure_atomic_barrier, "atomic_barrier", blocks            \
    }
#define HOST_BOUND                                                                                           \
    "a launch lasts at least launch_interval, the time that the host needs for one; where that is more "     \
    "than "                                                                                                  \
    "the kernel's own, the row says nothing about the GPU"
#define ONE_LAUNCH "from a launch's cycles and what events around an empty one show, not from events"

/* clang-format off */
const Micro micros[MICRO_COUNT] = {
    CHASE(16384), CHASE(65536), CHASE(131072), CHASE(1048576), CHASE(4194304), CHASE(16777216),
    CHASE(25165824), CHASE(41943040), CHASE_SPARSE(536870912),
    {"shared_latency", "cycles", NULL, measure_shared, "chase_shared", 0},
    CHAIN("alu_ffma"), CHAIN("alu_fadd"), CHAIN("alu_imad"), CHAIN("alu_iadd_xor"), CHAIN("alu_sinf_approx"),
    CHAIN("alu_rsqrtf"), CHAIN("alu_dfma"),
    {"alu_shfl", "cycles", "one shuffle for 16 steps, which is what the measured machine code has",
     measure_chain, "alu_shfl", 0},
    CHAIN("alu_fdiv"), CHAIN("alu_expf"),
    {"atomic_latency", "cycles", NULL, measure_atomic_latency, "atomic_chain", 0},
    {"atomic_distinct", "Gop/s", ONE_LAUNCH, measure_atomic_distinct, "atomic_distinct", 0},
    {"atomic_same", "Gop/s", ONE_LAUNCH, measure_atomic_same, "atomic_same", 0},
    BARRIER(32), BARRIER(64), BARRIER(128), BARRIER(256), BARRIER(512), BARRIER(1024),
    {"read_8388608", "GB/s", HOST_BOUND,
     measure_read_warm, "read_all", 8388608},
    {"read_20971520", "GB/s", HOST_BOUND,
     measure_read_warm, "read_all", 20971520},
    {"read_2147483648", "GB/s", "extrapolated from 128 and 256 MiB, both larger than L2",
     measure_read_streaming, "read_all", 2147483648},
    GRID_BARRIERS(1), GRID_BARRIERS(2), GRID_BARRIERS(4),
    {"flag_oneway", "cycles", "mean of eight places of the flags, as of flag_barrier_1",
     measure_flag_round_trip, "flag_round_trip", 0},
};
/* clang-format on */

bool micro_run(const Micro *micro, WbGpu *gpu, const char *directory, const MicroGpu *properties, Host *host,
               double *value)
{
    return micro_run_of("micro.ptx", micro, gpu, directory, properties, host, value);
}

bool micro_run_of(const char *file, const Micro *micro, WbGpu *gpu, const char *directory,
                  const MicroGpu *properties, Host *host, double *value)
{
    *host = host_begin(gpu, directory, file);
    *value = 0;
    bool right = micro->measure(micro, host, properties, value);
    if (!right && host->status == WB_OK)
        snprintf(host->error, sizeof host->error, "the result is wrong");
    return right && host->status == WB_OK;
}
