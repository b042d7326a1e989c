#include "launch/launch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every kernel but the empty one writes one element a thread (tiny: a block), which is looked at in a few
 * places. */
typedef struct Output {
    uint64_t address;
    void *values;
    size_t bytes;
} Output;

static Output output_of(Host *host, size_t count, size_t size)
{
    Output output = {0, malloc(count * size), count * size};
    output.address = host_buffer(host, NULL, output.bytes);
    return output;
}

static void output_read(Host *host, Output *output)
{
    host_read(host, output->values, output->address, output->bytes);
    host_free(host, output->address);
}

static WbDim3 blocks_of(const LaunchCase *launch) { return dim(launch->blocks, 1, 1); }
static WbDim3 threads_of(const LaunchCase *launch) { return dim(launch->threads, 1, 1); }

static bool run_empty(const LaunchCase *launch, Host *host)
{
    host_launch(host, launch->kernel, blocks_of(launch), threads_of(launch), NULL, 0);
    return true;
}

static bool run_tiny(const LaunchCase *launch, Host *host)
{
    Output out = output_of(host, launch->blocks, sizeof(int));
    HOST_LAUNCH(host, launch->kernel, blocks_of(launch), threads_of(launch), WB_ARG(out.address));
    output_read(host, &out);
    const int *got = out.values;
    bool right = true;
    for (uint32_t i = 0; i < launch->blocks; i++)
        right &= got[i] == 1;
    free(out.values);
    return right;
}

static bool run_shared_stride(const LaunchCase *launch, Host *host)
{
    Output out = output_of(host, (size_t)launch->blocks * launch->threads, sizeof(float));
    HOST_LAUNCH(host, launch->kernel, blocks_of(launch), threads_of(launch), WB_ARG(out.address));
    output_read(host, &out);
    const float *got = out.values;
    bool right = true;
    for (uint32_t t = 0; t < launch->threads; t++) {
        float sum = 0;
        int at = ((int)t * launch->parameter) & 4095;
        for (int k = 0; k < 1024; k++) {
            sum += (float)at;
            at = (at + 32 * launch->parameter) & 4095;
        }
        right &= got[t] == sum && got[(launch->blocks - 1) * launch->threads + t] == sum;
    }
    free(out.values);
    return right;
}

static bool run_shared_atomic(const LaunchCase *launch, Host *host)
{
    Output out = output_of(host, (size_t)launch->blocks * launch->threads, sizeof(uint32_t));
    HOST_LAUNCH(host, launch->kernel, blocks_of(launch), threads_of(launch), WB_ARG(out.address),
                WB_ARG(launch->parameter));
    output_read(host, &out);
    uint32_t expected[1024] = {0};
    for (uint32_t t = 0; t < launch->threads; t++)
        for (uint32_t k = 0; k < 256; k++)
            expected[(t * (uint32_t)launch->parameter + k) & 1023]++;
    bool right = !memcmp(out.values, expected, sizeof expected);
    free(out.values);
    return right;
}

static bool run_imad(const LaunchCase *launch, Host *host)
{
    uint32_t a = 3, b = 5, steps = 1000;
    Output out = output_of(host, (size_t)launch->blocks * launch->threads, sizeof(uint32_t));
    HOST_LAUNCH(host, launch->kernel, blocks_of(launch), threads_of(launch), WB_ARG(out.address), WB_ARG(a),
                WB_ARG(b));
    output_read(host, &out);
    const uint32_t *got = out.values;
    bool right = true;
    for (uint32_t t = 0; t < launch->threads; t++) {
        uint32_t sum = 0;
        for (uint32_t chain = 0; chain < 4; chain++) {
            uint32_t x = t + chain;
            for (uint32_t k = 0; k < steps; k++)
                x = x * a + b;
            sum += x;
        }
        right &= got[t] == sum;
    }
    free(out.values);
    return right;
}

/* x/2 + 1 again and again ends at 2 exactly, so that the sum of four is 8. */
static bool run_dfma(const LaunchCase *launch, Host *host)
{
    double a = 0.5, b = 1;
    Output out = output_of(host, (size_t)launch->blocks * launch->threads, sizeof(double));
    HOST_LAUNCH(host, launch->kernel, blocks_of(launch), threads_of(launch), WB_ARG(out.address), WB_ARG(a),
                WB_ARG(b));
    output_read(host, &out);
    const double *got = out.values;
    bool right = true;
    for (uint32_t t = 0; t < launch->blocks * launch->threads; t++)
        right &= got[t] == 8;
    free(out.values);
    return right;
}

/* Sines of sines fall like sqrt(3 / steps), so errors do not grow. The first thread starts at 0 to 3. */
static bool run_mufu(const LaunchCase *launch, Host *host)
{
    Output out = output_of(host, (size_t)launch->blocks * launch->threads, sizeof(float));
    HOST_LAUNCH(host, launch->kernel, blocks_of(launch), threads_of(launch), WB_ARG(out.address));
    output_read(host, &out);
    const float *got = out.values;
    double sum = 0;
    for (int chain = 0; chain < 4; chain++) {
        double x = chain;
        for (int k = 0; k < 500; k++)
            x = sin(x);
        sum += x;
    }
    bool right = fabs(got[0] - sum) <= 1e-3 * sum;
    free(out.values);
    return right;
}

/* `bytes` of device memory are read, of which the beginning is filled: element i holds i in each part. */
static bool run_read(const LaunchCase *launch, Host *host, size_t bytes, const WbArgument *count)
{
    enum { FILLED = 1024 };
    float data[4 * FILLED];
    for (int i = 0; i < 4 * FILLED; i++)
        data[i] = (float)(i / 4);
    uint64_t buffer = host_buffer(host, NULL, bytes);
    host_write(host, buffer, data, sizeof data);
    Output out = output_of(host, (size_t)launch->blocks * launch->threads, sizeof(float));
    const WbArgument arguments[] = {WB_ARG(buffer), WB_ARG(out.address), count ? *count : (WbArgument){0}};
    host_launch(host, launch->kernel, blocks_of(launch), threads_of(launch), arguments, count ? 3 : 2);
    output_read(host, &out);
    host_free(host, buffer);
    const float *got = out.values;
    bool right = true;
    for (uint32_t t = 0; t < launch->threads; t++) {
        float expected = 0;
        uint32_t reads = count ? 64 : 256, stride = count ? launch->blocks * launch->threads : 32;
        uint32_t elements = (uint32_t)(bytes / 16);
        for (uint32_t k = 0; k < reads; k++) {
            uint32_t i = (t + k * stride) % elements;
            expected += i < FILLED ? 4 * (float)i : 0;
        }
        right &= got[t] == expected;
    }
    free(out.values);
    return right;
}

static bool run_l1_read(const LaunchCase *launch, Host *host) { return run_read(launch, host, 16384, NULL); }

static bool run_l2_read(const LaunchCase *launch, Host *host)
{
    return run_read(launch, host, (size_t)launch->parameter * 16, &WB_ARG(launch->parameter));
}

/* clang-format off */
#define SHAPE(kernel, blocks, threads)                                                                       \
    {#kernel "_" #blocks "x" #threads, #kernel, blocks, threads, run_##kernel, 0}
#define SHAPES(kernel, threads)                                                                              \
    SHAPE(kernel, 1, threads), SHAPE(kernel, 132, threads), SHAPE(kernel, 1056, threads),                    \
    SHAPE(kernel, 8192, threads), SHAPE(kernel, 65536, threads)
#define STRIDE(stride)                                                                                       \
    {"shared_stride" #stride, "shared_stride" #stride, 132, 1024, run_shared_stride, stride}
#define ATOMIC(stride) {"shared_atomic_" #stride, "shared_atomic", 132, 1024, run_shared_atomic, stride}

const LaunchCase launch_cases[LAUNCH_COUNT] = {
    SHAPES(empty, 32), SHAPES(empty, 256), SHAPES(empty, 1024), SHAPES(tiny, 32), SHAPES(tiny, 256),
    STRIDE(1), STRIDE(2), STRIDE(4), STRIDE(8), STRIDE(32), ATOMIC(1), ATOMIC(0), ATOMIC(32),
    {"imad4", "imad4", 132, 1024, run_imad, 0},
    {"mufu4", "mufu4", 132, 1024, run_mufu, 0},
    {"dfma4", "dfma4", 132, 1024, run_dfma, 0},
    {"l1_read", "l1_read", 132, 1024, run_l1_read, 0},
    {"l2_read_16MiB", "l2_read", 264, 1024, run_l2_read, 1 << 20},
    {"l2_read_256MiB", "l2_read", 264, 1024, run_l2_read, 1 << 24},
};
/* clang-format on */

bool launch_run(const LaunchCase *launch, WbGpu *gpu, const char *directory, Host *host)
{
    *host = host_begin(gpu, directory, "launch.ptx");
    host->cold = true;
    bool right = launch->run(launch, host);
    if (!right && host->status == WB_OK)
        snprintf(host->error, sizeof host->error, "the result is wrong");
    return right && host->status == WB_OK;
}
