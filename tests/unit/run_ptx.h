/* Runs the body of a PTX kernel in one block over one buffer, for tests of single instructions.
 *
 * The body finds the buffer's address in %rd0, this thread's equal share of it in %rd1, the thread's
 * number in %r0, and registers %p, %h (16 bits), %r, %f, %rd, %d, %q (128 bits) declared. The kernel's
 * second parameter `extra` is 64 bytes: 0, 1, 2 ... */
#ifndef RUN_PTX_H
#define RUN_PTX_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpbeam.h"

static const char *const run_frame =
    ".version 9.0\n.target sm_90\n.address_size 64\n%s\n"
    ".visible .entry k(.param .u64 buffer, .param .align 16 .b8 extra[64])\n{\n"
    ".reg .pred %%p<16>; .reg .b16 %%h<32>; .reg .b32 %%r<64>; .reg .f32 %%f<32>;\n"
    ".reg .b64 %%rd<64>; .reg .f64 %%d<32>; .reg .b128 %%q<8>;\n"
    "ld.param.u64 %%rd0, [buffer]; mov.u32 %%r0, %%tid.x;\n"
    "mul.wide.u32 %%rd1, %%r0, %u; add.u64 %%rd1, %%rd0, %%rd1;\n"
    "%s\nret;\n}\n";

static inline WbStatus run_module(WbGpu *gpu, const char *text, uint32_t threads, void *data, size_t bytes)
{
    WbModule *module;
    WbKernel *kernel;
    uint64_t buffer;
    uint8_t extra[64];
    for (unsigned i = 0; i < sizeof extra; i++)
        extra[i] = (uint8_t)i;
    if (wb_module_load(gpu, "test.ptx", text, strlen(text), &module) != WB_OK)
        fail_msg("%s", wb_error(gpu));
    assert_int_equal(wb_module_kernel(module, "k", &kernel), WB_OK);
    assert_int_equal(wb_malloc(gpu, bytes, &buffer), WB_OK);
    assert_int_equal(wb_copy_to_device(gpu, buffer, data, bytes), WB_OK);
    WbArgument arguments[] = {WB_ARG(buffer), WB_ARG(extra)};
    WbLaunch launch = {
        .grid = {1, 1, 1}, .block = {threads, 1, 1}, .arguments = arguments, .argument_count = 2};
    WbStatus status = wb_launch(kernel, &launch);
    if (status == WB_OK)
        status = wb_wait(gpu);
    assert_int_equal(wb_copy_from_device(gpu, data, buffer, bytes), WB_OK);
    assert_int_equal(wb_free(gpu, buffer), WB_OK);
    wb_module_unload(module);
    return status;
}

/* `outside` goes before the kernel: variables and functions. */
static inline WbStatus run_status(WbGpu *gpu, const char *outside, const char *body, uint32_t threads,
                                  void *data, size_t bytes)
{
    char *text;
    int length = asprintf(&text, run_frame, outside, (unsigned)(bytes / threads), body);
    assert_true(length > 0);
    WbStatus status = run_module(gpu, text, threads, data, bytes);
    free(text);
    return status;
}

static inline void run_ok(WbGpu *gpu, const char *outside, const char *body, uint32_t threads, void *data,
                          size_t bytes)
{
    if (run_status(gpu, outside, body, threads, data, bytes) != WB_OK)
        fail_msg("%s", wb_error(gpu));
}

/* The run must fail with this status, in a sentence that holds `part`. */
static inline void run_fails(WbGpu *gpu, const char *outside, const char *body, WbStatus wanted,
                             const char *part)
{
    uint32_t data[64] = {0};
    WbStatus status = run_status(gpu, outside, body, 32, data, sizeof data);
    if (status != wanted || !strstr(wb_error(gpu), part))
        fail_msg("wanted %s with '%s', got %s: %s", wb_status_name(wanted), part, wb_status_name(status),
                 wb_error(gpu));
}

static inline int run_setup(void **state)
{
    char error[1024];
    WbGpu *gpu;
    if (wb_gpu_open("h200", &gpu, error, sizeof error) != WB_OK)
        fail_msg("%s", error);
    *state = gpu;
    return 0;
}

static inline int run_teardown(void **state)
{
    wb_gpu_close(*state);
    return 0;
}

static inline uint64_t run_stat(WbGpu *gpu, const char *name)
{
    WbStat stat;
    assert_int_equal(wb_stat_find(gpu, name, &stat), WB_OK);
    return stat.value;
}

#endif
