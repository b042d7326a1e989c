#include "kernels.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void take_output(void *context, const char *text, size_t length)
{
    Kernels *kernels = context;
    assert_true(kernels->printed_length + length < sizeof kernels->printed);
    memcpy(kernels->printed + kernels->printed_length, text, length);
    kernels->printed_length += length;
    kernels->printed[kernels->printed_length] = '\0';
}

static void must(Kernels *kernels, WbStatus status)
{
    if (status != WB_OK)
        fail_msg("%s: %s", kernels->variant, wb_error(kernels->gpu));
}

void kernels_each(const char *source, KernelsTest *test) { kernels_each_on("h200", source, test); }

void kernels_each_on(const char *gpu, const char *source, KernelsTest *test)
{
    char pattern[512];
    glob_t found;
    snprintf(pattern, sizeof pattern, SOURCE_DIRECTORY "/tests/end-to-end/kernels/%s.*.ptx", source);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        Kernels kernels = {.gpu = harness_open(gpu, NULL), .variant = strrchr(found.gl_pathv[i], '/') + 1};
        wb_set_output(kernels.gpu, take_output, &kernels);
        must(&kernels, wb_module_load_file(kernels.gpu, found.gl_pathv[i], &kernels.module));
        test(&kernels);
        wb_gpu_close(kernels.gpu);
    }
    globfree(&found);
}

uint64_t kernels_upload(Kernels *kernels, const void *data, size_t bytes)
{
    uint64_t address;
    must(kernels, wb_malloc(kernels->gpu, bytes, &address));
    must(kernels, wb_copy_to_device(kernels->gpu, address, data, bytes));
    return address;
}

void kernels_download(Kernels *kernels, uint64_t from, void *data, size_t bytes)
{
    must(kernels, wb_copy_from_device(kernels->gpu, data, from, bytes));
    must(kernels, wb_free(kernels->gpu, from));
}

WbStatus kernels_try(Kernels *kernels, const char *name, KernelsShape shape, const WbArgument *arguments,
                     uint32_t count)
{
    WbKernel *kernel;
    WbLaunch launch = {.grid = {shape.blocks, 1, 1},
                       .block = {shape.threads, 1, 1},
                       .shared_bytes = shape.shared_bytes,
                       .arguments = arguments,
                       .argument_count = count};
    WbStatus status = wb_module_kernel(kernels->module, name, &kernel);
    if (status == WB_OK)
        status = wb_launch(kernel, &launch);
    return status == WB_OK ? wb_wait(kernels->gpu) : status;
}

void kernels_run(Kernels *kernels, const char *name, KernelsShape shape, const WbArgument *arguments,
                 uint32_t count)
{
    must(kernels, kernels_try(kernels, name, shape, arguments, count));
}

void kernels_same(Kernels *kernels, const char *what, const void *got, const void *expected, size_t element,
                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned long long a = 0, b = 0;
        memcpy(&a, (const char *)got + i * element, element);
        memcpy(&b, (const char *)expected + i * element, element);
        if (a != b)
            fail_msg("%s: %s[%zu] is 0x%llx, not 0x%llx", kernels->variant, what, i, a, b);
    }
}

uint64_t kernels_ulps(double a, double b)
{
    int64_t x, y;
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b) ? 0 : UINT64_MAX;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x = x < 0 ? INT64_MIN - x : x;
    y = y < 0 ? INT64_MIN - y : y;
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

uint64_t kernels_ulps_float(float a, float b)
{
    int32_t x, y;
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b) ? 0 : UINT64_MAX;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    int64_t wide_x = x < 0 ? INT32_MIN - (int64_t)x : x, wide_y = y < 0 ? INT32_MIN - (int64_t)y : y;
    return (uint64_t)(wide_x > wide_y ? wide_x - wide_y : wide_y - wide_x);
}

uint32_t kernels_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state ^ *state >> 15;
}
