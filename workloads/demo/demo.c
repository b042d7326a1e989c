#include "demo/demo.h"

#include <math.h>
#include <stdlib.h>

enum { COUNT = 100000, THREADS = 256 };

static bool saxpy(Host *host)
{
    int32_t count = COUNT;
    float a = 2.5f, *x = malloc(COUNT * sizeof *x), *y = malloc(COUNT * sizeof *y),
          *got = malloc(COUNT * sizeof *got);
    uint32_t seed = 12345;
    for (int i = 0; i < COUNT; i++) {
        x[i] = random_float(&seed) * 256;
        y[i] = (float)i;
    }
    uint64_t device_x = host_buffer(host, x, COUNT * sizeof *x),
             device_y = host_buffer(host, y, COUNT * sizeof *y);
    HOST_LAUNCH(host, "saxpy", dim((COUNT + THREADS - 1) / THREADS, 1, 1), dim(THREADS, 1, 1), WB_ARG(count),
                WB_ARG(a), WB_ARG(device_x), WB_ARG(device_y));
    host_read(host, got, device_y, COUNT * sizeof *got);
    bool right = host->status == WB_OK;
    for (int i = 0; i < COUNT && right; i++)
        right = got[i] == fmaf(a, x[i], y[i]);
    host_free(host, device_x), host_free(host, device_y);
    free(x), free(y), free(got);
    return right;
}

static bool sum(Host *host)
{
    int32_t count = COUNT, expected = 0, total = 0, *values = malloc(COUNT * sizeof *values);
    uint32_t seed = 12345;
    for (int i = 0; i < COUNT; i++) {
        values[i] = (int32_t)(random_next(&seed) >> 20) - 2048;
        expected += values[i];
    }
    uint64_t device_values = host_buffer(host, values, COUNT * sizeof *values),
             device_total = host_buffer(host, &total, sizeof total);
    HOST_LAUNCH(host, "sum", dim(64, 1, 1), dim(THREADS, 1, 1), WB_ARG(count), WB_ARG(device_values),
                WB_ARG(device_total));
    host_read(host, &total, device_total, sizeof total);
    host_free(host, device_values), host_free(host, device_total);
    free(values);
    return total == expected;
}

const DemoKernel demo_kernels[DEMO_COUNT] = {
    {"saxpy", "y = a x + y over 100,000 numbers", saxpy},
    {"sum", "A sum by shuffles, shared memory and atomics", sum},
};
