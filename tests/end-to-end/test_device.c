/* Kernels written against warpbeam_device.h compute what they should: from the PTX that is shipped, and
 * from what clang and nvcc make of the source where they are installed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpbeam.h"

enum { THREADS = 64, VALUES = 4096 };

static WbGpu *gpu;
static WbModule *module;
static char printed[256];
static size_t printed_length;

static void must(WbStatus status)
{
    if (status != WB_OK)
        fail_msg("%s", wb_error(gpu));
}

static void take_output(void *context, const char *text, size_t length)
{
    (void)context;
    assert_true(printed_length + length < sizeof printed);
    memcpy(printed + printed_length, text, length);
    printed_length += length;
}

static uint64_t upload(const void *data, size_t size)
{
    uint64_t address;
    must(wb_malloc(gpu, size, &address));
    must(wb_copy_to_device(gpu, address, data, size));
    return address;
}

static void download(void *data, uint64_t address, size_t size)
{
    must(wb_copy_from_device(gpu, data, address, size));
    must(wb_free(gpu, address));
}

static void run(const char *name, uint32_t blocks, uint32_t threads, uint32_t shared,
                const WbArgument *arguments, uint32_t count)
{
    WbKernel *kernel;
    must(wb_module_kernel(module, name, &kernel));
    const WbLaunch launch = {.grid = {blocks, 1, 1},
                             .block = {threads, 1, 1},
                             .shared_bytes = shared,
                             .arguments = arguments,
                             .argument_count = count};
    must(wb_launch(kernel, &launch));
    must(wb_wait(gpu));
}

static void check_atomics(void)
{
    int32_t i[11] = {0};
    uint32_t u[11] = {0};
    uint64_t l[11] = {0};
    float f[11] = {0};
    double d[11] = {0};
    uint64_t device[] = {upload(i, sizeof i), upload(u, sizeof u), upload(l, sizeof l), upload(f, sizeof f),
                         upload(d, sizeof d)};
    const WbArgument arguments[] = {WB_ARG(device[0]), WB_ARG(device[1]), WB_ARG(device[2]),
                                    WB_ARG(device[3]), WB_ARG(device[4])};
    run("atomics", 1, THREADS, 0, arguments, 5);
    download(i, device[0], sizeof i);
    download(u, device[1], sizeof u);
    download(l, device[2], sizeof l);
    download(f, device[3], sizeof f);
    download(d, device[4], sizeof d);
    const int32_t expected_i[11] = {THREADS, -THREADS, 7, -5, 0, 0, 0, 0, 6, 0, 1};
    const uint32_t expected_u[11] = {THREADS, (uint32_t)-THREADS, 7, 0, 5, THREADS, 101 - THREADS, 0, 6, 0,
                                     1};
    const uint64_t expected_l[11] = {THREADS, 0, 7, 0, 5, 0, 0, 0, 6, 0, 1};
    assert_memory_equal(i, expected_i, sizeof i);
    assert_memory_equal(u, expected_u, sizeof u);
    assert_memory_equal(l, expected_l, sizeof l);
    assert_true(f[0] == THREADS && f[2] == 7 && d[0] == THREADS);
}

/* The part of a thread's sum that comes from its own warp. */
static uint32_t warp_sum(uint32_t lane)
{
    uint32_t up = lane ? lane - 1 : 0, down = lane % 16 < 14 ? lane + 2 : lane;
    return 3 + up + down + (lane ^ 5) + 0xaaaaaaaau + 1 + 1 + (0xfu << (lane / 4 * 4)) + 0xffffffffu;
}

static void check_warps(void)
{
    uint32_t out[THREADS] = {0};
    float reals[THREADS] = {0};
    double doubles[THREADS] = {0};
    uint64_t device[] = {upload(out, sizeof out), upload(reals, sizeof reals),
                         upload(doubles, sizeof doubles)};
    const WbArgument arguments[] = {WB_ARG(device[0]), WB_ARG(device[1]), WB_ARG(device[2])};
    run("warps", 1, THREADS, sizeof out, arguments, 3);
    download(out, device[0], sizeof out);
    download(reals, device[1], sizeof reals);
    download(doubles, device[2], sizeof doubles);
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t lane = t % 32, across = (THREADS - 1 - t) % 32;
        assert_int_equal(out[t], warp_sum(lane) + 56 + 1 + 0 + warp_sum(across));
        assert_true(reals[t] == (float)(lane ^ 1));
        assert_true(doubles[t] == (double)(lane < 31 ? lane + 1 : 31));
    }
}

static uint32_t bits_of(int32_t x, int32_t first)
{
    uint32_t y = (uint32_t)x, reversed = 0, zeros = 32;
    for (unsigned i = 0; i < 32; i++)
        reversed |= (y >> i & 1) << (31 - i);
    for (uint32_t rest = y; rest; rest >>= 1)
        zeros--;
    uint32_t spread = (y & 0xff) | (y >> 8 & 0xff) << 16;
    int64_t wide = x; /* the functions on 64 bits that take a signed number see its sign */
    uint32_t wide_zeros = x < 0 ? 0 : zeros + 32;
    uint32_t high = (uint32_t)((uint64_t)y * y >> 32);
    int32_t low24 = (int32_t)(y << 8) >> 8;
    uint32_t left = y << 7 | y >> 25, right = y >> 7 | y << 25;
    return (uint32_t)__builtin_popcount(y) + zeros + (uint32_t)__builtin_ffs(x) + reversed + spread + high +
           (uint32_t)__builtin_popcount(y) + wide_zeros + (uint32_t)__builtin_ffsll(wide) + 0 +
           (uint32_t)(low24 * (int64_t)low24) + left + right + (uint32_t)(x < 5 ? x : 5) + (y > 5 ? y : 5) +
           (x < 0 ? 0u - y : y) + y + (uint32_t)first + 1;
}

static void check_bits(void)
{
    int32_t in[THREADS];
    uint32_t out[THREADS];
    for (int32_t t = 0; t < THREADS; t++)
        in[t] = t < 32 ? (t - 3) * 12345 : (int32_t)(0x01234567u << (t % 32));
    uint64_t device_in = upload(in, sizeof in), device_out = upload(out, sizeof out);
    const WbArgument arguments[] = {WB_ARG(device_out), WB_ARG(device_in)};
    run("bits", 1, THREADS, 0, arguments, 2);
    download(out, device_out, sizeof out);
    for (uint32_t t = 0; t < THREADS; t++)
        assert_int_equal(out[t], bits_of(in[t], in[0]));
}

/* Units in the last place of the true value that the result is away. */
static double error_in_ulps(float got, double wanted)
{
    if (isnan(wanted) || isnan(got))
        return isnan(wanted) && isnan(got) ? 0 : INFINITY;
    if ((float)wanted == got)
        return 0;
    int exponent;
    frexp(wanted, &exponent);
    return fabs(got - wanted) / ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}

typedef struct Function {
    const char *name;
    int which;
    double low, high; /* of the argument */
    double limit;     /* in units in the last place */
    double (*exact)(double x, double y);
} Function;

static double exact_sin(double x, double y)
{
    (void)y;
    return sin(x);
}
static double exact_cos(double x, double y)
{
    (void)y;
    return cos(x);
}
static double exact_exp(double x, double y)
{
    (void)y;
    return exp(x);
}
static double exact_log(double x, double y)
{
    (void)y;
    return log(x);
}
static double exact_exp2(double x, double y)
{
    (void)y;
    return exp2(x);
}
static double exact_log2(double x, double y)
{
    (void)y;
    return log2(x);
}
static double exact_tanh(double x, double y)
{
    (void)y;
    return tanh(x);
}
static double exact_roots(double x, double y)
{
    (void)y;
    return sqrt(x) + 1 / sqrt(x);
}
static double exact_mixed(double x, double y)
{
    return fmaf((float)x, (float)y, (float)fmin(x, fmax(y, fabs(x))));
}
static double exact_rounding(double x, double y)
{
    float a = (float)x;
    return floorf(a) + ceilf(a) + truncf(a) + rintf(a) + roundf(a) + copysignf(a, (float)y);
}

static void check_function(const Function *function)
{
    float x[VALUES], y[VALUES], out[VALUES];
    for (int i = 0; i < VALUES; i++) {
        x[i] = (float)(function->low + (function->high - function->low) * i / (VALUES - 1));
        y[i] = (float)((i * 37 % 101) - 50) / 8.0f;
    }
    int32_t which = function->which, n = VALUES;
    uint64_t device[] = {upload(x, sizeof x), upload(y, sizeof y), upload(out, sizeof out)};
    const WbArgument arguments[] = {WB_ARG(which), WB_ARG(n), WB_ARG(device[0]), WB_ARG(device[1]),
                                    WB_ARG(device[2])};
    run("functions", VALUES / THREADS, THREADS, 0, arguments, 5);
    download(x, device[0], sizeof x);
    download(y, device[1], sizeof y);
    download(out, device[2], sizeof out);
    for (int i = 0; i < VALUES; i++) {
        double wanted = function->exact(x[i], y[i]), error = error_in_ulps(out[i], wanted);
        if (!(error <= function->limit))
            fail_msg("%s(%a, %a) is %a instead of %a: %g ulp", function->name, x[i], y[i], out[i], wanted,
                     error);
    }
}

static void check_functions(void)
{
    static const Function functions[] = {
        {"sin", 0, -100, 100, 3, exact_sin},
        {"sin", 0, -1e10, 1e30, 3, exact_sin},
        {"cos", 1, -100, 100, 3, exact_cos},
        {"cos", 1, 1e5, 3e38, 3, exact_cos},
        {"exp", 2, -110, 90, 3, exact_exp},
        {"log", 3, -1, 1000, 3, exact_log},
        {"log", 3, 0, 1e-38, 3, exact_log},
        {"pow", 4, 0.01, 30, 8, pow},
        {"pow", 4, -30, 30, 8, pow},
        {"exp2", 5, -150, 130, 4, exact_exp2},
        {"log2", 6, 0, 3, 3, exact_log2},
        {"tanh", 7, -10, 10, 4, exact_tanh},
        {"fmod", 8, -100, 100, 0, fmod},
        {"roots", 9, 0.001, 1000, 4, exact_roots},
        {"mixed", 10, -100, 100, 0, exact_mixed},
        {"rounding", 11, -10, 10, 0, exact_rounding},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        check_function(&functions[i]);
}

static void check_services(void)
{
    int32_t n = 3;
    float v[2][4] = {{0}};
    int64_t time = 0;
    uint64_t device_v = upload(v, sizeof v), device_time = upload(&time, sizeof time);
    const WbArgument arguments[] = {WB_ARG(n), WB_ARG(device_v), WB_ARG(device_time)};
    printed_length = 0;
    run("services", 1, 2, 0, arguments, 3);
    download(v, device_v, sizeof v);
    assert_true(v[1][0] == 1 && v[1][1] == 2 && v[1][2] == 3 && v[1][3] == 4);
    printed[printed_length] = '\0';
    assert_string_equal(printed, "3 4.000000 text\n3 4.000000 text\n");
    n = 0;
    device_v = upload(v, sizeof v);
    device_time = upload(&time, sizeof time);
    printed_length = 0;
    WbKernel *kernel;
    must(wb_module_kernel(module, "services", &kernel));
    const WbLaunch launch = {
        .grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = arguments, .argument_count = 3};
    must(wb_launch(kernel, &launch));
    assert_int_equal(wb_wait(gpu), WB_ERROR_TRAP);
    printed[printed_length] = '\0';
    assert_non_null(strstr(printed, "block: [0,0,0], thread: [0,0,0] Assertion `n > 0` failed."));
}

static void check_all(const char *path)
{
    char error[2048];
    if (wb_gpu_open("h200", &gpu, error, sizeof error))
        fail_msg("%s", error);
    wb_set_output(gpu, take_output, NULL);
    must(wb_module_load_file(gpu, path, &module));
    check_atomics();
    check_warps();
    check_bits();
    check_functions();
    check_services();
    wb_gpu_close(gpu);
}

static void shipped_ptx(void **state)
{
    (void)state;
    check_all(SOURCE_DIRECTORY "/tests/end-to-end/kernels/device.clang.ptx");
}

/* Compiles the source with a command that ends in `-o`, if the compiler is there. */
static void compile_and_check(const char *compiler, const char *options)
{
    char command[1024], path[] = "/tmp/warpbeam-device-XXXXXX";
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", compiler);
    if (system(command) != 0)
        skip();
    int file = mkstemp(path);
    assert_true(file >= 0);
    snprintf(command, sizeof command,
             "%s %s -I '%s/include' '%s/tests/end-to-end/kernels/device.cu' -o %s 2>&1", compiler, options,
             SOURCE_DIRECTORY, SOURCE_DIRECTORY, path);
    assert_int_equal(system(command), 0);
    check_all(path);
    remove(path);
}

static void clang_without_sdk(void **state)
{
    (void)state;
    compile_and_check("clang",
                      "-x cuda --cuda-path=/nonexistent --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc "
                      "-nocudalib -Xclang -target-feature -Xclang +ptx72 -O2 -S -Werror");
}

static void nvcc(void **state)
{
    (void)state;
    compile_and_check("nvcc", "-ptx -arch=sm_75");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_ptx),
        cmocka_unit_test(clang_without_sdk),
        cmocka_unit_test(nvcc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
