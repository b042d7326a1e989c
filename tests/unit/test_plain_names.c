/* Names of C++ kernels for people: what a symbol stands for, by which names a kernel is found, and how names
 * are cut. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/plain_name.h"
#include "report/report.h"

static void expect_name(const char *symbol, bool parameters, const char *name)
{
    char *made = plain_name(symbol, parameters);
    assert_string_equal(made, name);
    xfree(made);
}

static void symbols_become_names(void **state)
{
    (void)state;
    expect_name("_ZN3sim5scaleIfLi4EEEvP3VecIT_E", false, "sim::scale<float, 4>");
    expect_name("_ZN3sim5scaleIfLi4EEEvP3VecIT_E", true, "sim::scale<float, 4>(Vec<float>*)");
    expect_name("_ZN12_GLOBAL__N_14stepEPi", false, "(anonymous namespace)::step");
    expect_name("saxpy", false, "saxpy");
    expect_name("_Zebra", false, "_Zebra"); /* no name of C++ */
    expect_name("", true, "");
}

/* Every type is twice the one before it: the name would have 2^31 parts. */
static void a_name_without_end_stays_a_symbol(void **state)
{
    (void)state;
    char symbol[1024] = "_Z1fI1AIiiE";
    for (int i = 1; i < 32; i++) {
        const char digit = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i];
        snprintf(symbol + strlen(symbol), sizeof symbol - strlen(symbol), "S0_IS%c_S%c_E", digit, digit);
    }
    strcat(symbol, "EvT_");
    expect_name(symbol, false, symbol);
    expect_name("_Z1fI1AIiiES0_IS1_S1_EEvT_", false, "f<A<int, int>, A<A<int, int>, A<int, int> > >");
}

static void patterns_match_parts_of_names(void **state)
{
    static const char symbol[] = "_ZN3sim5scaleIfLi4EEEvP3VecIT_E";
    static const char *const good[] = {"*",
                                       "_ZN3sim*",
                                       "sim::scale<float, 4>",
                                       "sim::scale*",
                                       "sim::scale",
                                       "scale",
                                       "sca*",
                                       "scale<float, ?>",
                                       "x,scale",
                                       "sim::scale<float, 4>,x",
                                       "scale<*,x",
                                       "operator<,scale<float, 4>",
                                       "sim::scale<*>(Vec<*>\\*)"};
    static const char *const bad[] = {"sim", "Vec*", "scal", "scale<double, 4>", "float*"};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!plain_name_matches(good[i], symbol))
            fail_msg("'%s' does not match", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (plain_name_matches(bad[i], symbol))
            fail_msg("'%s' matches", bad[i]);
    assert_true(plain_name_is("scale", symbol));
    assert_false(plain_name_is("sca*", symbol));
}

static void cut_names_stay_different(void **state)
{
    enum { WIDTH = 20 };
    static const char *const names[] = {"short", "a_very_long_name<float, int, 4>",
                                        "a_very_long_name<float, long, 4>",
                                        "a_very_long_name<float, int, 8>"};
    char texts[4][WIDTH + 1];
    (void)state;
    plain_names_fit(names, 4, WIDTH, texts[0]);
    assert_string_equal(texts[0], "short");
    assert_string_equal(texts[1], "a_very_long_...t, 4>");
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(texts[i], texts[k]);
    const char *const alike[] = {"one_long_name<int, first, here>", "one_long_name<int, other, here>"};
    plain_names_fit(alike, 2, WIDTH, texts[0]);
    assert_string_equal(texts[1], "one_lo...other, here");
}

/* -- kernels -- */

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry _ZN3sim5scaleIfEEvv() { ret; }\n"
                          ".visible .entry _Z4stepPi(.param .u64 p) { ret; }\n"
                          ".visible .entry _Z4stepPf(.param .u64 p) { ret; }\n"
                          ".visible .entry plain() { ret; }\n";

static WbGpu *gpu;
static WbModule *module;

static int open_gpu(void **state)
{
    (void)state;
    return wb_gpu_open("gtx480", &gpu, NULL, 0) || wb_gpu_set(gpu, "mode", "cycle") ||
           wb_module_load(gpu, "names.ptx", ptx, sizeof ptx - 1, &module);
}

static int close_gpu(void **state)
{
    (void)state;
    wb_gpu_close(gpu);
    return 0;
}

static void expect_kernel(const char *name, const char *symbol, const char *plain)
{
    WbKernel *kernel;
    WbKernelInfo info;
    assert_int_equal(wb_module_kernel_plain(module, name, &kernel), WB_OK);
    assert_int_equal(wb_kernel_info(kernel, &info), WB_OK);
    assert_string_equal(info.name, symbol);
    assert_string_equal(info.plain_name, plain);
}

static void expect_none(const char *name, const char *sentence)
{
    WbKernel *kernel;
    assert_int_equal(wb_module_kernel_plain(module, name, &kernel), WB_ERROR_NOT_FOUND);
    assert_null(kernel);
    assert_string_equal(wb_error(gpu), sentence);
}

static void kernels_are_found(void **state)
{
    (void)state;
    WbKernel *kernel;
    expect_kernel("scale", "_ZN3sim5scaleIfEEvv", "sim::scale<float>");
    expect_kernel("_Z4stepPi", "_Z4stepPi", "step(int*)");
    expect_kernel("step(float*)", "_Z4stepPf", "step(float*)");
    expect_kernel("plain", "plain", "plain");
    expect_none("step", "names.ptx has more than one kernel 'step'; did you mean _Z4stepPi or _Z4stepPf?");
    expect_none("plan", "names.ptx has no kernel 'plan'; did you mean plain?");
    expect_none("xyzzy", "names.ptx has no kernel 'xyzzy'; it has sim::scale<float>, step, step, plain.");
    /* programs that ask a driver get what they would get there */
    assert_int_equal(wb_module_kernel(module, "scale", &kernel), WB_ERROR_NOT_FOUND);
    assert_non_null(strstr(wb_error(gpu), "did you mean _ZN3sim5scaleIfEEvv?"));
}

static void launch(const char *name)
{
    WbKernel *kernel;
    assert_int_equal(wb_module_kernel_plain(module, name, &kernel), WB_OK);
    assert_int_equal(wb_launch(kernel, &(WbLaunch){.grid = {1, 1, 1}, .block = {1, 1, 1}}), WB_OK);
    assert_int_equal(wb_wait(gpu), WB_OK);
}

static char *summary(void)
{
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    report_summary(gpu, to);
    fclose(to);
    return text;
}

static void untimed_kernels_are_told(void **state)
{
    (void)state;
    assert_int_equal(wb_gpu_set(gpu, "timed_kernels", "scole*"), WB_OK);
    launch("scale");
    launch("plain");
    launch("plain");
    char *text = summary();
    assert_non_null(strstr(text, "No kernel was timed, as none is called 'scole*'; there were:\n"
                                 "  sim::scale<float>\n  plain\n"));
    assert_null(strstr(text, "the host's"));
    free(text);
    assert_int_equal(wb_gpu_set(gpu, "timed_kernels", "sim::scale"), WB_OK);
    launch("scale");
    text = summary();
    assert_non_null(strstr(text, "3 of these kernels ran functionally"));
    assert_non_null(strstr(text, "\n  sim::scale<float>    "));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_become_names),
        cmocka_unit_test(a_name_without_end_stays_a_symbol),
        cmocka_unit_test(patterns_match_parts_of_names),
        cmocka_unit_test(cut_names_stay_different),
        cmocka_unit_test_setup_teardown(kernels_are_found, open_gpu, close_gpu),
        cmocka_unit_test_setup_teardown(untimed_kernels_are_told, open_gpu, close_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
