/* Registers per thread beside what ptxas 13.0 gives for sm_90; scripts/registers.py compares many more. */
#include "run_ptx.h"


/* Of kernels that are shipped, in all of which the count is within one. */
static void test_kernels(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        uint32_t ptxas;
    } kernels[] = {
        {"vecadd", 12}, {"fma_chain", 9}, {"matmul16", 32}, {"stencil5", 18}, {"histogram", 12},
        {"bfs_level", 20}, {"spmv_csr", 32}, {"nbody", 32}, {"gather", 12}, {"atomic_hot", 9},
    };
    WbGpu *gpu = NULL;
    WbModule *module;
    assert_int_equal(wb_gpu_open("h200", &gpu, NULL, 0), WB_OK);
    assert_int_equal(
        wb_module_load_file(gpu, SOURCE_DIRECTORY "/workloads/correlation/correlation.ptx", &module), WB_OK);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        WbKernel *kernel;
        WbKernelInfo info;
        assert_int_equal(wb_module_kernel(module, kernels[i].kernel, &kernel), WB_OK);
        assert_int_equal(wb_kernel_info(kernel, &info), WB_OK);
        if (info.registers + 1 < kernels[i].ptxas || info.registers > kernels[i].ptxas + 1)
            fail_msg("%s has %u registers, and %u by ptxas", kernels[i].kernel, info.registers,
                     kernels[i].ptxas);
    }
    wb_gpu_close(gpu);
}

static uint32_t registers_of_text(WbGpu *gpu, const char *text)
{
    WbModule *module;
    WbKernel *kernel;
    WbKernelInfo info;
    if (wb_module_load(gpu, "test.ptx", text, strlen(text), &module) != WB_OK)
        fail_msg("%s", wb_error(gpu));
    assert_int_equal(wb_module_kernel(module, "k", &kernel), WB_OK);
    assert_int_equal(wb_kernel_info(kernel, &info), WB_OK);
    wb_module_unload(module);
    return info.registers;
}

static uint32_t registers_of(WbGpu *gpu, const char *body)
{
    char text[8192];
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_90\n.address_size 64\n"
             ".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n)\n{\n.reg .b32 %%r<32>; "
             ".reg .f32 %%f<32>; .reg .b64 %%rd<32>; .reg .f64 %%d<8>; .reg .pred %%p;\n%s ret;\n}\n",
             body);
    return registers_of_text(gpu, text);
}

/* R1 is the stack pointer, and two have no name; pairs begin at an even one, what is read beside them is odd. */
static void test_small(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        uint32_t ptxas;
    } cases[] = {
        {"", 4},
        {"ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; cvta.to.global.u64 %rd3, %rd1;"
         "cvta.to.global.u64 %rd4, %rd2; ld.global.u32 %r1, [%rd4]; st.global.u32 [%rd3], %r1;",
         8},
        {"ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;"
         "ld.global.u32 %r2, [%rd3+16]; add.s32 %r3, %r2, 1; st.global.u32 [%rd3], %r3;",
         8},
    };
    WbGpu *gpu = NULL;
    assert_int_equal(wb_gpu_open("h200", &gpu, NULL, 0), WB_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (registers_of(gpu, cases[i].body) != cases[i].ptxas)
            fail_msg("%u registers, not %u: %s", registers_of(gpu, cases[i].body), cases[i].ptxas,
                     cases[i].body);
    wb_gpu_close(gpu);
}

#define HEADER ".version 8.0\n.target sm_90\n.address_size 64\n"

/* The handle of a surface is in a uniform register. */
static const char surface[] = HEADER
    ".visible .entry k(.param .u64 p)\n{ .reg .b64 %rd1; .reg .b32 %r<8>; .reg .f32 %f<8>;\n"
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; mov.u32 %r2, %tid.y;\n"
    "cvt.rn.f32.u32 %f2, %r2; fma.rn.f32 %f3, %f2, 0f42C80000, %f1; shl.b32 %r3, %r1, 2; mov.b32 %r4, %f3;\n"
    "sust.b.2d.b32.trap [%rd1, {%r3, %r2}], {%r4}; ret; }\n";

/* One lane adds for all, and all learn what they would have got. */
static const char gathered[] = HEADER
    ".global .u32 counter;\n.visible .entry k(.param .u64 p)\n{ .reg .b64 %rd<4>; .reg .b32 %r<4>;\n"
    "ld.param.u64 %rd1, [p]; mov.u64 %rd2, counter; atom.global.add.u32 %r1, [%rd2], 1;\n"
    "add.s32 %r2, %r1, 1; st.global.u32 [%rd1], %r2; ret; }\n";

/* A function of the module follows no convention. */
static const char inside[] = HEADER
    ".func (.param .b32 r) twice (.param .b32 x) { .reg .b32 %a<4>;\n"
    "ld.param.b32 %a1, [x]; mul.hi.s32 %a2, %a1, 1717986919; st.param.b32 [r], %a2; ret; }\n"
    ".visible .entry k(.param .u64 p)\n{ .reg .b64 %rd<8>; .reg .b32 %r<8>;\n"
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n"
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), twice, (a); ld.param.b32 %r2, [b]; }\n"
    "st.global.u32 [%rd3], %r2; ret; }\n";

/* Three values are written on one way only: they take no register before. */
static const char one_way[] = HEADER
    ".visible .entry k(.param .u64 p, .param .u32 n)\n"
    "{ .reg .b64 %rd<4>; .reg .b32 %r<12>; .reg .pred %p<3>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.lt.s32 %p1, %r2, %r1;\n"
    "ld.volatile.global.u32 %r3, [%rd1]; ld.volatile.global.u32 %r4, [%rd1+4];\n"
    "st.volatile.global.u32 [%rd1+8], %r3; st.volatile.global.u32 [%rd1+12], %r4;\n@!%p1 bra over;\n"
    "ld.volatile.global.u32 %r5, [%rd1]; ld.volatile.global.u32 %r6, [%rd1+4];\n"
    "ld.volatile.global.u32 %r7, [%rd1+16];\nover: bar.sync 0; @!%p1 bra done;\n"
    "st.volatile.global.u32 [%rd1+20], %r5; st.volatile.global.u32 [%rd1+24], %r6;\n"
    "st.volatile.global.u32 [%rd1+28], %r7;\ndone: ret; }\n";

static void test_forms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t ptxas;
    } cases[] = {{surface, 8}, {gathered, 12}, {inside, 10}, {one_way, 12}};
    WbGpu *gpu = NULL;
    assert_int_equal(wb_gpu_open("h200", &gpu, NULL, 0), WB_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (registers_of_text(gpu, cases[i].text) != cases[i].ptxas)
            fail_msg("%u registers, not %u: %s", registers_of_text(gpu, cases[i].text), cases[i].ptxas,
                     cases[i].text);
    wb_gpu_close(gpu);
}

/* Nine words live across a call: R2 and R16 to R19 are kept, R20 and R21 say where to return to. */
static void test_call(void **state)
{
    (void)state;
    enum { WORDS = 9, PTXAS = 29 };
    char text[4096];
    WbGpu *gpu = NULL;
    size_t used = (size_t)snprintf(
        text, sizeof text,
        HEADER ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
               ".visible .entry k(.param .u64 p)\n{ .reg .b64 %%rd<4>; .reg .b32 %%r<16>;\n"
               "ld.param.u64 %%rd1, [p];\n");
    for (unsigned i = 0; i < WORDS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "ld.volatile.global.u32 %%r%u, [%%rd1+%u];\n", i, 4 * i);
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], 0;\n"
                             "st.param.b64 [b], 0; call.uni (r), vprintf, (a, b); }\n");
    for (unsigned i = 0; i < WORDS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "st.volatile.global.u32 [%%rd1+%u], %%r%u;\n", 4 * i, i);
    snprintf(text + used, sizeof text - used, "ret; }\n");
    assert_int_equal(wb_gpu_open("h200", &gpu, NULL, 0), WB_OK);
    assert_in_range(registers_of_text(gpu, text), PTXAS - 1, PTXAS + 1);
    wb_gpu_close(gpu);
}

/* Code for debuggers keeps everything in registers. */
static void test_debug(void **state)
{
    (void)state;
    WbGpu *gpu = NULL;
    WbModule *module;
    WbKernel *kernel;
    WbKernelInfo info;
    assert_int_equal(wb_gpu_open("h200", &gpu, NULL, 0), WB_OK);
    assert_int_equal(wb_module_load_file(
                         gpu, SOURCE_DIRECTORY "/tests/end-to-end/kernels/functions.sm_80-debug.ptx", &module),
                     WB_OK);
    assert_int_equal(wb_module_kernel(module, "templates", &kernel), WB_OK);
    assert_int_equal(wb_kernel_info(kernel, &info), WB_OK);
    assert_int_equal(info.registers, 30);
    wb_gpu_close(gpu);
}

/* What issues PTX as it stands gives a thread as many. */
static void test_either_order(void **state)
{
    (void)state;
    static const char body[] =
        "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;"
        "add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3; ld.global.f32 %f1, [%rd4];"
        "add.f32 %f2, %f1, %f1; ld.global.f32 %f3, [%rd4+4]; add.f32 %f4, %f2, %f3;"
        "ld.global.f32 %f5, [%rd4+8]; add.f32 %f6, %f4, %f5; st.global.f32 [%rd5], %f6;";
    WbGpu *gpu = NULL;
    assert_int_equal(wb_gpu_open("h200", &gpu, NULL, 0), WB_OK);
    const uint32_t native = registers_of(gpu, body);
    assert_int_equal(wb_gpu_set(gpu, "machine_code", "ptx"), WB_OK);
    assert_int_equal(registers_of(gpu, body), native);
    wb_gpu_close(gpu);
}

/* Registers that are made of nothing but themselves, directly or round a loop, are no part of anything. */
static void test_circles(void **state)
{
    (void)state;
    WbGpu *gpu = NULL;
    assert_int_equal(wb_gpu_open("h200", &gpu, NULL, 0), WB_OK);
    assert_true(registers_of(gpu, "cvta.to.global.u64 %rd1, %rd1; st.global.u32 [%rd1], 5;") < 64);
    assert_true(registers_of(gpu, "L: mov.b64 %rd1, %rd2; st.global.u32 [%rd1], 5; mov.b64 %rd2, %rd1; bra L;") <
                64);
    wb_gpu_close(gpu);
}

/* A chain of ten thousand copies folds into nothing deep. */
static void test_long_chain(void **state)
{
    (void)state;
    enum { COPIES = 10000 };
    WbGpu *gpu = NULL;
    WbModule *module;
    WbKernel *kernel;
    WbKernelInfo info;
    char *text = malloc(64 * COPIES + 1024);
    int length = sprintf(text,
                         ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
                         ".reg .b32 %%r<%d>; .reg .b64 %%rd<4>;\n"
                         "ld.param.u64 %%rd1, [p]; mov.u32 %%r0, %%tid.x;\n",
                         COPIES + 2);
    for (int i = 0; i < COPIES; i++)
        length += sprintf(text + length, "mov.b32 %%r%d, %%r%d;\n", i + 1, i);
    length += sprintf(text + length, "st.global.u32 [%%rd1], %%r%d;\nret;\n}\n", COPIES);
    assert_int_equal(wb_gpu_open("h200", &gpu, NULL, 0), WB_OK);
    assert_int_equal(wb_module_load(gpu, "test.ptx", text, (size_t)length, &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "k", &kernel), WB_OK);
    assert_int_equal(wb_kernel_info(kernel, &info), WB_OK);
    assert_in_range(info.registers, 6, 12);
    free(text);
    wb_gpu_close(gpu);
}

/* Of each kind as many as are live at once; those of 8 and 16 bits count as of 32, functions are added. */
static void test_kinds(void **state)
{
    (void)state;
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n.func f(.param .b32 a)\n{\n"
        ".reg .b32 %r<4>; .reg .pred %p<4>; ld.param.u32 %r0, [a]; setp.eq.u32 %p0, %r0, 3;\n"
        "@%p0 trap; ret;\n}\n"
        ".visible .entry k(.param .u64 p)\n{\n.reg .b16 %h; .reg .b32 %r<9>; .reg .b64 %rd; .reg .f64 %d<3>; "
        ".reg .pred %p<4>;\nld.param.u64 %rd, [p]; ld.global.u16 %h, [%rd]; ld.global.u32 %r0, [%rd];\n"
        "ld.global.f64 %d0, [%rd]; ld.global.f64 %d1, [%rd]; setp.eq.u32 %p0, %r0, 1; setp.eq.u32 %p1, %r0, 2;\n"
        "st.global.u16 [%rd], %h; add.f64 %d2, %d0, %d1; @%p0 st.global.f64 [%rd], %d2;\n"
        "@%p1 st.global.f64 [%rd+8], %d2; { .param .b32 a; st.param.b32 [a], 1; call f, (a); } ret;\n}\n";
    WbGpu *gpu = NULL;
    WbModule *module;
    WbKernel *kernel;
    WbRegisterKinds kinds;
    assert_int_equal(wb_gpu_open("apu8", &gpu, NULL, 0), WB_OK);
    if (wb_module_load(gpu, "test.ptx", text, strlen(text), &module) != WB_OK)
        fail_msg("%s", wb_error(gpu));
    assert_int_equal(wb_module_kernel(module, "k", &kernel), WB_OK);
    assert_int_equal(wb_kernel_register_kinds(kernel, &kinds), WB_OK);
    assert_int_equal(kinds.words, 2 + 1);
    assert_int_equal(kinds.pairs, 3);
    assert_int_equal(kinds.predicates, 2 + 1);
    assert_int_equal(wb_kernel_register_kinds(kernel, NULL), WB_ERROR_ARGUMENT);
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_call),
        cmocka_unit_test(test_debug),
        cmocka_unit_test(test_either_order),
        cmocka_unit_test(test_circles),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
