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

static uint32_t registers_of(WbGpu *gpu, const char *body)
{
    char text[8192];
    WbModule *module;
    WbKernel *kernel;
    WbKernelInfo info;
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_90\n.address_size 64\n"
             ".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n)\n{\n.reg .b32 %%r<32>; "
             ".reg .f32 %%f<32>; .reg .b64 %%rd<32>; .reg .f64 %%d<8>; .reg .pred %%p;\n%s ret;\n}\n",
             body);
    if (wb_module_load(gpu, "test.ptx", text, strlen(text), &module) != WB_OK)
        fail_msg("%s", wb_error(gpu));
    assert_int_equal(wb_module_kernel(module, "k", &kernel), WB_OK);
    assert_int_equal(wb_kernel_info(kernel, &info), WB_OK);
    wb_module_unload(module);
    return info.registers;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_either_order),
        cmocka_unit_test(test_circles),
        cmocka_unit_test(test_long_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
