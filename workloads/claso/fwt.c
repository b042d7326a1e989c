/* The host's part of the fast Walsh transform: data and kernel are transformed, multiplied, and transformed
 * back.
 *
 * Table 2: 13 kernels, 1,472 blocks of 315.08 threads on average, 4.62 of them on an SM. With the SDK's
 * kernels that is 2^17 values exactly: a transform has three passes over global memory (128 blocks of 256
 * threads, 5 on an SM) and one in shared memory (64 blocks of 512, 3 on an SM), and there are three
 * transforms; the product takes 128 blocks of 256, 6 on an SM. The SDK's convolution kernel has 2^7 values.
 * Small is full. */
#include "claso/claso.h"

#include <stdlib.h>
#include <string.h>

enum { LOG2_SHARED = 11, SHARED = 1 << LOG2_SHARED, THREADS = 256, KERNEL = 128 };
static const uint32_t log2_sizes[INPUT_SIZES] = {[INPUT_TINY] = 13, [INPUT_SMALL] = 17, [INPUT_FULL] = 17};

/* In place, as all of the SDK's transforms. */
static void transform(Host *host, uint64_t values, uint32_t log2_size)
{
    uint32_t groups = 1;
    for (; log2_size > LOG2_SHARED; log2_size -= 2, groups *= 4) {
        const int stride = 1 << (log2_size - 2);
        HOST_LAUNCH(host, "fwt_global", dim((1u << log2_size) / (4 * THREADS), groups, 1), dim(THREADS, 1, 1),
                    WB_ARG(values), WB_ARG(values), WB_ARG(stride));
    }
    HOST_LAUNCH(host, "fwt_shared", dim(groups, 1, 1), dim(SHARED / 4, 1, 1), WB_ARG(values), WB_ARG(values));
}

static void convolve(const float *data, const float *kernel, float *out, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        double sum = 0;
        for (size_t k = 0; k < KERNEL; k++)
            sum += (double)data[i ^ k] * kernel[k];
        out[i] = (float)sum;
    }
}

static bool compute(Host *host, const float *data, const float *kernel, float *expected, uint32_t log2_size)
{
    const size_t size = (size_t)1 << log2_size, bytes = size * sizeof *data;
    const int count = (int)size;
    const uint64_t values = host_buffer(host, data, bytes), other = host_buffer(host, kernel, bytes);
    host_registers(host, "fwt_global", 24); /* 22 to 25: 5 blocks of 256 threads on Fermi */
    transform(host, values, log2_size);
    transform(host, other, log2_size);
    HOST_LAUNCH(host, "fwt_modulate", dim((uint32_t)size / (4 * THREADS), 1, 1), dim(THREADS, 1, 1),
                WB_ARG(values), WB_ARG(other), WB_ARG(count));
    transform(host, values, log2_size);
    convolve(data, kernel, expected, size);
    const bool right = benchmark_near(host, values, expected, size, 1e-4f);
    host_free(host, values);
    host_free(host, other);
    return right;
}

/* So many blocks in a pass over global memory: the next power of four times two. */
static uint32_t log2_of(uint32_t blocks)
{
    uint32_t log2_size = LOG2_SHARED + 2;
    while (blocks > (1u << log2_size) / (4 * THREADS))
        log2_size += 2;
    return log2_size;
}

bool claso_fwt_run(Host *host, const BenchmarkRun *run)
{
    const uint32_t log2_size = run->blocks ? log2_of(run->blocks) : log2_sizes[run->size];
    const size_t size = (size_t)1 << log2_size;
    float *data = host_floats(host, size + KERNEL, benchmark_seed(run));
    float *kernel = host_array(host, size, sizeof *kernel);
    float *expected = host_array(host, size, sizeof *expected);
    bool right = false;
    if (data && kernel && expected) {
        for (size_t i = 0; i < size + KERNEL; i++)
            data[i] -= 0.5f;
        memcpy(kernel, data + size, KERNEL * sizeof *kernel); /* padded with zeros */
        right = compute(host, data, kernel, expected, log2_size);
    }
    free(expected);
    free(kernel);
    free(data);
    return right;
}
