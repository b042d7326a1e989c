/* Forms of PTX that compilers do not write but people and older compilers do, run: what they mean is what
 * NVIDIA's assembler makes of them. */
#include "run_ptx.h"

static void test_generic_access_of_variables(void **state)
{
    uint32_t data[32] = {0};
    run_ok(*state, ".shared .u32 s[64]; .global .u32 g[4];",
           ".local .u32 l[4]; add.u32 %r1, %r0, 7; shl.b32 %r2, %r0, 2; mov.u32 %r3, s; add.u32 %r3, %r3, "
           "%r2;"
           "st.shared.u32 [%r3], %r1; st.u32 [l+4], %r1; st.u32 [g], 1000; ld.local.u32 %r4, [l+4];"
           "bar.sync 0; ld.u32 %r5, [s+8]; ld.u32 %r6, [l+4]; atom.add.u32 %r8, [s+128], 0;"
           "ld.u32 %r7, [g]; add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r6; add.u32 %r4, %r4, %r7;"
           "st.global.u32 [%rd1], %r4;",
           32, data, sizeof data);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(data[i], (i + 7) + 9 + (i + 7) + 1000);
}

static void test_sums_as_operands(void **state)
{
    uint32_t data[64] = {0};
    run_ok(*state, "",
           "st.global.u32 [%rd1], %r0 + 1; add.u64 %rd2, %rd1, 0; mov.u64 %rd3, %rd2 + 4;"
           "@%p0 st.global.u32 [%rd3], %r0; st.global.u32 [%rd3], %r0 + -3;",
           32, data, sizeof data);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(data[2 * i], i + 1);
        assert_int_equal(data[2 * i + 1], i - 3);
    }
}

static void test_vector_moves(void **state)
{
    uint32_t data[64 * 4] = {0};
    run_ok(*state, "",
           ".reg .v4 .b32 %v; .reg .v2 .b32 %w; mov.v2.u32 %w, {%r0, 5}; mov.v2.u32 {%r1, %r2}, %w;"
           "mov.v2.b32 {%r1, %r2}, {%r2, %r1}; mov.v4.u32 {%r3, %r4, %r5, _}, %tid;"
           "mov.v4.b32 %v, {%r1, %r2, %r3, %r4}; st.global.v4.b32 [%rd1], %v;",
           64, data, sizeof data);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(data[4 * i], 5);
        assert_int_equal(data[4 * i + 1], i);
        assert_int_equal(data[4 * i + 2], i);
        assert_int_equal(data[4 * i + 3], 0);
    }
    run_fails(*state, "", "trap;", WB_ERROR_TRAP, "trap");
}

static void test_vector_formals(void **state)
{
    uint32_t data[64] = {0};
    run_ok(*state,
           ".func (.reg .v2 .u32 r) f (.reg .u32 n, .reg .v4 .u32 a)\n" /* a header without a semicolon */
           ".func (.reg .v2 .u32 r) f (.reg .u32 n, .reg .v4 .u32 a)\n"
           "{ mul.lo.u32 r.x, a.x, a.w; add.u32 r.y, a.y, a.z; add.u32 r.y, r.y, n; ret; }",
           ".reg .v4 .u32 %v; .reg .v2 .u32 %w; mov.v4.u32 %v, {%r0, 2, 3, 4}; call (%w), f, (%r0, %v);"
           "st.global.v2.u32 [%rd1], %w;",
           32, data, sizeof data);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(data[2 * i], 4 * i);
        assert_int_equal(data[2 * i + 1], 5 + i);
    }
}

/* PTX before 3.0 had them; each thread has its own, and they live across calls. */
static void test_local_of_a_module(void **state)
{
    static const char text[] =
        ".version 2.3\n.target sm_20\n.address_size 64\n.local .u32 mine[2];\n"
        ".func set (.reg .u32 x) { st.local.u32 [mine+4], x; ret; }\n"
        ".entry k(.param .u64 buffer, .param .align 16 .b8 extra[64]) { .reg .b32 %r<4>; .reg .b64 %rd<3>;\n"
        "ld.param.u64 %rd0, [buffer]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, "
        "%rd1;\n"
        "add.u32 %r1, %r0, 100; call set, (%r1); ld.u32 %r2, [mine+4]; st.global.u32 [%rd1], %r2; ret; }\n";
    uint32_t data[32] = {0};
    assert_int_equal(run_module(*state, text, 32, data, sizeof data), WB_OK);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(data[i], i + 100);
}

/* One thread: what f32 instructions make of subnormals. */
static void run_subnormals(WbGpu *gpu, const char *target, uint32_t data[16])
{
    char text[2048];
    snprintf(text, sizeof text,
             ".version %s\n.entry k(.param .u64 buffer, .param .align 16 .b8 extra[64]) {\n"
             ".reg .b32 %%r<9>; .reg .b64 %%rd<3>; .reg .f32 %%f<9>; .reg .f64 %%d<3>; .reg .pred %%p<3>;\n"
             "ld.param.u64 %%rd0, [buffer]; ld.global.f32 %%f0, [%%rd0]; ld.global.f32 %%f1, [%%rd0+4];\n"
             "add.f32 %%f2, %%f0, 0f00000000; st.global.f32 [%%rd0+8], %%f2; mul.f32 %%f2, %%f1, "
             "0f3F000000;\n"
             "st.global.f32 [%%rd0+12], %%f2; mad.f32 %%f2, %%f0, 0f3F800000, 0f80000000;\n"
             "st.global.f32 [%%rd0+16], %%f2; setp.gt.f32 %%p1, %%f0, 0f00000000; selp.u32 %%r1, 1, 0, "
             "%%p1;\n"
             "st.global.u32 [%%rd0+20], %%r1; mov.f32 %%f2, %%f0; st.global.f32 [%%rd0+24], %%f2;\n"
             "cvt.f64.f32 %%d1, %%f0; cvt.rn.f32.f64 %%f2, %%d1; st.global.f32 [%%rd0+28], %%f2;\n"
             "abs.f32 %%f2, %%f0; st.global.f32 [%%rd0+32], %%f2; ret; }\n",
             target);
    memset(data, 0xff, 16 * sizeof *data);
    data[0] = 0x00400000; /* subnormal */
    data[1] = 0x00800000; /* the smallest normal number */
    assert_int_equal(run_module(gpu, text, 1, data, 16 * sizeof *data), WB_OK);
}

static void test_subnormals_of_sm_1x(void **state)
{
    uint32_t data[16];
    run_subnormals(*state, "1.4\n.target sm_13", data);
    static const uint32_t flushed[] = {0, 0, 0, 0, 0x00400000, 0x00400000, 0};
    assert_memory_equal(data + 2, flushed, sizeof flushed);
    run_subnormals(*state, "2.3\n.target sm_13", data); /* conversions flush, too */
    assert_int_equal(data[7], 0);
    run_subnormals(*state, "2.3\n.target sm_20", data);
    static const uint32_t kept[] = {0x00400000, 0x00400000, 0x00400000, 1, 0x00400000, 0x00400000,
                                    0x00400000};
    assert_memory_equal(data + 2, kept, sizeof kept);
}

static void expect_unusable(WbModule *module, WbGpu *gpu, const char *name, const char *part)
{
    WbKernel *kernel;
    WbKernelInfo info;
    assert_int_equal(wb_module_kernel(module, name, &kernel), WB_OK);
    assert_int_equal(wb_kernel_info(kernel, &info), WB_ERROR_UNSUPPORTED);
    if (!strstr(wb_error(gpu), part) || !strstr(wb_error(gpu), name) || !strstr(wb_error(gpu), "new.ptx:"))
        fail_msg("expected '%s' of %s, found %s", part, name, wb_error(gpu));
}

static void test_unknown_lines(void **state)
{
    static const char text[] =
        ".version 9.0\n.target sm_90\n.address_size 64\n.tomorrow thing { 1, 2 };\n.later other 4;\n"
        ".entry good() { ret; }\n.entry named() { .reg .b32 %r<3>; mov.u32 %r1, thing; ret; }\n"
        ".entry header() .newest 4, 5 { ret; }\n.entry directive() { .soon 3; ret; }\n"
        ".entry operands() { .reg .b32 %r<3>; frob.x %r1 => 3 @ {4}; ret; }\n"
        ".func inner() { frob.y ~>; ret; }\n.entry caller() { call inner; ret; }\n.entry last() { ret; }\n";
    WbGpu *gpu = *state;
    WbModule *module;
    WbKernel *kernel;
    WbKernelInfo info;
    if (wb_module_load(gpu, "new.ptx", text, strlen(text), &module) != WB_OK)
        fail_msg("%s", wb_error(gpu));
    assert_int_equal(wb_module_kernel(module, "good", &kernel), WB_OK);
    assert_int_equal(wb_kernel_info(kernel, &info), WB_OK);
    assert_int_equal(wb_module_kernel(module, "last", &kernel), WB_OK);
    assert_int_equal(wb_kernel_info(kernel, &info), WB_OK);
    expect_unusable(module, gpu, "named", "'thing' is not declared");
    expect_unusable(module, gpu, "header", "found '.newest'");
    expect_unusable(module, gpu, "directive", "found '.soon'");
    expect_unusable(module, gpu, "operands", "expected");
    expect_unusable(module, gpu, "caller", "since it can call inner");
    wb_module_unload(module);
    /* what is wrong, and not only unknown, is still the module's */
    static const char wrong[] = ".version 9.0\n.target sm_90\n.entry good() { ret; }\n"
                                ".entry bad() { .reg .b32 %r; add.u32 %r, %r; ret; }\n";
    assert_int_equal(wb_module_load(gpu, "wrong.ptx", wrong, strlen(wrong), &module), WB_ERROR_PTX);
}

static void keep_notice(void *context, const char *text, size_t length)
{
    char *kept = context;
    const size_t used = strlen(kept);
    snprintf(kept + used, 2048 - used, "%.*s|", (int)length, text);
}

/* CUDA refuses it; here it runs and is told of once, unless the knob says otherwise. */
static void test_newer_target(void **state)
{
    (void)state;
    static const char text[] = ".version 9.0\n.target sm_90\n.entry k() { ret; }\n";
    char told[2048] = "", error[1024];
    WbGpu *gpu;
    WbModule *module;
    assert_int_equal(wb_gpu_open("gtx480", &gpu, error, sizeof error), WB_OK);
    wb_set_notice(gpu, keep_notice, told);
    assert_int_equal(wb_module_load(gpu, "a.ptx", text, strlen(text), &module), WB_OK);
    assert_int_equal(wb_module_load(gpu, "b.ptx", text, strlen(text), &module), WB_OK);
    assert_non_null(strstr(told, "a.ptx:2: the module has .target sm_90, but gtx480 is an sm_20"));
    assert_null(strstr(told, "b.ptx"));
    assert_int_equal(wb_gpu_set(gpu, "newer_ptx", "refuse"), WB_OK);
    assert_int_equal(wb_module_load(gpu, "c.ptx", text, strlen(text), &module), WB_ERROR_PTX);
    assert_non_null(strstr(wb_error(gpu), "c.ptx:2: the module has .target sm_90"));
    const WbSource sources[] = {{"d.ptx", text, strlen(text)}};
    assert_int_equal(wb_module_link(gpu, sources, 1, &module), WB_ERROR_PTX);
    wb_gpu_close(gpu);
    /* one that is as old as the GPU, or older, is nobody's business */
    told[0] = 0;
    assert_int_equal(wb_gpu_open("h200", &gpu, error, sizeof error), WB_OK);
    wb_set_notice(gpu, keep_notice, told);
    assert_int_equal(wb_module_load(gpu, "a.ptx", text, strlen(text), &module), WB_OK);
    assert_string_equal(told, "");
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generic_access_of_variables),
        cmocka_unit_test(test_sums_as_operands),
        cmocka_unit_test(test_vector_moves),
        cmocka_unit_test(test_vector_formals),
        cmocka_unit_test(test_local_of_a_module),
        cmocka_unit_test(test_unknown_lines),
        cmocka_unit_test(test_subnormals_of_sm_1x),
        cmocka_unit_test(test_newer_target),
    };
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
