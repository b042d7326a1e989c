/* A kernel that takes its time, and says when it ran: what tests of streams and events measure. */
#pragma once

#include "check.h"

/* One warp multiplies and adds `steps` times, each after the other: about 4 cycles a step. */
enum { STEPS_OF_10_US = 5000 };

struct Interval {
    unsigned long long begin, end; /* nanoseconds of %globaltimer */
};

static __device__ unsigned long long now()
{
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

static __global__ void busy(Interval *interval, int steps, float *result)
{
    unsigned long long begin = now();
    float x = threadIdx.x;
#pragma unroll 16
    for (int i = 0; i < steps; i++)
        x = x * 0.5f + 1.0f;
    *result = x;
    __threadfence();
    interval->begin = begin;
    interval->end = now();
}

static inline bool overlap(const Interval &a, const Interval &b)
{
    return a.begin < b.end && b.begin < a.end;
}
