/* Its own knobs, and what was measured of an H200's host. */
#include "micro_gpu.h"

#include "api/gpu.h"
#include "common/csv.h"
#include "set.h"

MicroGpu micro_gpu_of(const WbGpu *gpu)
{
    return (MicroGpu){
        .sm_count = (uint32_t)gpu->config.sm_count,
        .clock_khz = (double)gpu->config.clock_khz,
        .empty_launch_us = csv_number(WORKLOADS "/micro/h200.csv", "empty_launch", "value"),
        .launch_interval_us = csv_number(WORKLOADS "/micro/h200.csv", "launch_interval", "value"),
    };
}
