/* What of kernels' launches and questions goes through the CUDA libraries: answers as the host gets them, and
 * launches that were lost without anybody's asking. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "driver.h"

#include <stdio.h>
#include <string.h>

int cuCtxSetLimit(int limit, size_t value);
int cuCtxGetLimit(size_t *value, int limit);
const char *cudaGetErrorName(int error);
const char *cudaGetErrorString(int error);
int cudaDeviceSynchronize(void);
int cudaMalloc(void **pointer, size_t size);

enum { PENDING_EXCEEDED = 69, LAUNCH_FAILED = 719, LIMIT_STACK = 0, LIMIT_PENDING = 4, WARP_SIZE = 10 };

static void *context, *module;

static void open_context(void)
{
    OK(cuInit(0));
    OK(cuCtxCreate_v4(&context, NULL, 0, 0));
    OK(cuModuleLoad(&module, SOURCE_DIRECTORY "/tests/end-to-end/kernels/runtime.sm_75-rdc.ptx"));
}

static void close_context(void)
{
    OK(cuModuleUnload(module));
    OK(cuCtxDestroy_v2(context));
}

static void launch(void *function, void **arguments)
{
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
}

/* Layout of kernels/runtime.cu. */
typedef struct Answers {
    int errors[16], device, count, version, attribute, cache, banks, blocks[2];
    size_t limit;
    char function[144];
    char name[64], text[64], unknown[64];
} Answers;

static void kernels_ask_what_the_host_asks(void **state)
{
    (void)state;
    void *ask;
    uint64_t place;
    Answers answers = {0};
    int warp;
    size_t stack;
    open_context();
    OK(cuModuleGetFunction(&ask, module, "ask"));
    OK(cuMemAlloc_v2(&place, sizeof answers));
    OK(cuMemcpyHtoD_v2(place, &answers, sizeof answers));
    launch(ask, (void *[]){&place});
    OK(cuMemcpyDtoH_v2(&answers, place, sizeof answers));
    OK(cuMemFree_v2(place));
    OK(cuDeviceGetAttribute(&warp, WARP_SIZE, 0));
    OK(cuCtxGetLimit(&stack, LIMIT_STACK));
    assert_int_equal(answers.attribute, warp);
    assert_int_equal(answers.limit, stack);
    assert_string_equal(answers.name, cudaGetErrorName(1));
    assert_string_equal(answers.text, cudaGetErrorString(1));
    assert_string_equal(answers.unknown, cudaGetErrorString(12345));
    static const int expected[16] = {[8] = 1, [9] = 1, [12] = 1, [13] = 101, [15] = 215};
    assert_memory_equal(answers.errors, expected, sizeof expected);
    close_context();
}

/* Tail launches, one by one, by a thread that never asks for its error. */
static const char losing_ptx[] =
    ".version 7.2\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b64 r) cudaGetParameterBuffer(.param .b64 a, .param .b64 s);\n"
    ".extern .func (.param .b32 r) cudaLaunchDevice(.param .b64 k, .param .b64 b, .param .align 4 .b8 "
    "g[12],\n"
    "    .param .align 4 .b8 t[12], .param .b32 s, .param .b64 stream);\n"
    ".visible .entry child() { ret; }\n"
    ".visible .entry parent(.param .u32 times)\n"
    "{\n"
    ".reg .b64 %buffer, %child; .reg .b32 %left; .reg .pred %p;\n"
    "ld.param.u32 %left, [times];\n"
    "mov.u64 %child, child;\n"
    "AGAIN:\n"
    "{ .param .b64 r; .param .b64 a; .param .b64 s; st.param.b64 [a], 8; st.param.b64 [s], 0;\n"
    "call (r), cudaGetParameterBuffer, (a, s); ld.param.b64 %buffer, [r]; }\n"
    "{ .param .b32 r; .param .b64 k; .param .b64 b; .param .align 4 .b8 g[12];\n"
    ".param .align 4 .b8 t[12]; .param .b32 s; .param .b64 stream;\n"
    "st.param.b64 [k], %child; st.param.b64 [b], %buffer; st.param.b32 [s], 0; st.param.b64 [stream], 3;\n"
    "st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;\n"
    "st.param.b32 [t], 1; st.param.b32 [t+4], 1; st.param.b32 [t+8], 1;\n"
    "call (r), cudaLaunchDevice, (k, b, g, t, s, stream); }\n"
    "sub.u32 %left, %left, 1;\n"
    "setp.ne.u32 %p, %left, 0;\n"
    "@%p bra AGAIN;\n"
    "ret;\n"
    "}\n";

static void lost_launches_fail_until_the_context_is_gone(void **state)
{
    (void)state;
    void *losing, *parent;
    uint32_t times = 32;
    void *pointer;
    open_context();
    OK(cuModuleLoadData(&losing, losing_ptx));
    OK(cuModuleGetFunction(&parent, losing, "parent"));
    OK(cuCtxSetLimit(LIMIT_PENDING, 1)); /* which makes 32 */
    launch(parent, (void *[]){&times});
    OK(cuCtxSynchronize());
    times = 33;
    launch(parent, (void *[]){&times});
    assert_int_equal(cudaDeviceSynchronize(), PENDING_EXCEEDED);
    assert_int_equal(cudaMalloc(&pointer, 16), PENDING_EXCEEDED);
    assert_int_equal(cuCtxSynchronize(), LAUNCH_FAILED); /* the driver has no name for it */
    OK(cuCtxDestroy_v2(context));
    OK(cuCtxCreate_v4(&context, NULL, 0, 0));
    OK(cuCtxSetLimit(LIMIT_PENDING, 33));
    launch(parent, (void *[]){&times});
    OK(cuCtxSynchronize());
    OK(cuModuleUnload(losing));
    close_context();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_ask_what_the_host_asks),
        cmocka_unit_test(lost_launches_fail_until_the_context_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
