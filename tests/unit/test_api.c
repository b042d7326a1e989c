/* The C API with good and bad input: every call answers with a status and a sentence, and works again
 * after. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "warpbeam.h"

static const char ptx[] =
    ".version 7.2\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 5;\n"
    ".visible .global .align 4 .u32 cells[4] = {1, 2, 3, 4};\n"
    ".visible .global .align 8 .u64 pointer = generic(cells)+8;\n"
    ".visible .const .align 4 .u32 constant = 9;\n"
    ".extern .func (.param .b64 r) malloc (.param .b64 size);\n"
    ".extern .func free (.param .b64 block);\n"
    /* out[i] = value + i, for the i-th thread */
    ".visible .entry fill(.param .u64 out, .param .u32 value)\n{\n"
    "  .reg .b32 %r<6>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [out]; ld.param.u32 %r1, [value];\n"
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "  mul.wide.u32 %d2, %r5, 4; add.s64 %d3, %d1, %d2;\n"
    "  add.s32 %r1, %r1, %r5; st.global.u32 [%d3], %r1; ret;\n}\n"
    ".func leaf()\n{\n  ret;\n}\n.func busy()\n{\n  call.uni leaf; ret;\n}\n"
    ".visible .entry capped() .maxntid 1024 .minnctapersm 4\n{\n  call.uni busy; ret;\n}\n"
    ".visible .entry limited() .maxntid 64\n{\n  ret;\n}\n"
    ".visible .entry exact() .reqntid 8, 2\n{\n  ret;\n}\n"
    ".visible .entry big_shared()\n{\n  .shared .align 4 .b8 room[40000];\n  .reg .b32 %r<2>;\n"
    "  mov.u32 %r1, room; st.shared.u32 [%r1], 0; ret;\n}\n"
    ".extern .shared .align 16 .b8 dynamic[];\n"
    ".visible .entry last_word()\n{\n  .shared .align 1 .b8 one[1];\n  .reg .b32 %r<3>;\n"
    "  mov.u32 %r1, one; st.shared.u8 [%r1], 0; mov.u32 %r2, dynamic; st.shared.u32 [%r2+60], 0; ret;\n}\n"
    /* out = {%globaltimer, %clock}, read one instruction apart, so that both are of one time */
    ".visible .entry timer(.param .u64 out)\n{\n"
    "  .reg .b32 %r<3>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [out]; mov.u32 %r1, %globaltimer_lo; mov.u32 %r2, %clock; sub.u32 %r2, %r2, 1;\n"
    "  st.global.u32 [%d1], %r1; st.global.u32 [%d1+4], %r2; ret;\n}\n"
    ".visible .entry trapping()\n{\n  trap;\n  ret;\n}\n"
    ".visible .entry through_pointer(.param .u64 out)\n{\n"
    "  .reg .b32 %r<3>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [out]; mov.u64 %d2, pointer; ld.global.u64 %d3, [%d2];\n"
    "  ld.u32 %r1, [%d3]; st.global.u32 [%d1], %r1; ret;\n}\n"
    /* out[0] = malloc(size); frees it twice where asked to */
    ".visible .entry heap(.param .u64 out, .param .u64 size, .param .u32 times)\n{\n"
    "  .reg .pred %p<3>; .reg .b32 %r<3>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [out]; ld.param.u64 %d2, [size]; ld.param.u32 %r1, [times];\n"
    "  { .param .b64 a; .param .b64 b; st.param.b64 [a], %d2; call.uni (b), malloc, (a); ld.param.b64 %d3, "
    "[b]; }\n"
    "  st.global.u64 [%d1], %d3;\n"
    "  setp.eq.u32 %p1, %r1, 0; @%p1 ret;\n"
    "  { .param .b64 a; st.param.b64 [a], %d3; call.uni free, (a); }\n"
    "  setp.eq.u32 %p2, %r1, 1; @%p2 ret;\n"
    "  { .param .b64 a; st.param.b64 [a], %d3; call.uni free, (a); }\n"
    "  ret;\n}\n";

static WbGpu *gpu;
static WbModule *module;

static int open_gpu(void **state)
{
    (void)state;
    char error[2048];
    if (wb_gpu_open("titanv", &gpu, error, sizeof error) ||
        wb_module_load(gpu, "api.ptx", ptx, sizeof ptx - 1, &module)) {
        fprintf(stderr, "%s\n", gpu ? wb_error(gpu) : error);
        return -1;
    }
    return 0;
}

static int close_gpu(void **state)
{
    (void)state;
    wb_gpu_close(gpu);
    gpu = NULL;
    return 0;
}

static void expect(WbStatus got, WbStatus wanted, const char *part)
{
    if (got != wanted)
        fail_msg("%s instead of %s: %s", wb_status_name(got), wb_status_name(wanted), wb_error(gpu));
    if (part && !strstr(wb_error(gpu), part))
        fail_msg("'%s' does not contain '%s'", wb_error(gpu), part);
}

static WbKernel *kernel(const char *name)
{
    WbKernel *found;
    expect(wb_module_kernel(module, name, &found), WB_OK, NULL);
    return found;
}

/* A launch of fill that must work, whatever went before. */
static void expect_working(void)
{
    uint64_t out;
    uint32_t value = 100, result[64];
    expect(wb_malloc(gpu, sizeof result, &out), WB_OK, NULL);
    const WbArgument arguments[] = {WB_ARG(out), WB_ARG(value)};
    const WbLaunch launch = {
        .grid = {2, 1, 1}, .block = {32, 1, 1}, .arguments = arguments, .argument_count = 2};
    expect(wb_launch(kernel("fill"), &launch), WB_OK, NULL);
    expect(wb_wait(gpu), WB_OK, NULL);
    expect(wb_copy_from_device(gpu, result, out, sizeof result), WB_OK, NULL);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(result[i], 100 + i);
    expect(wb_free(gpu, out), WB_OK, NULL);
}

static void opening(void **state)
{
    (void)state;
    WbGpu *other = (WbGpu *)&other;
    char error[256];
    assert_int_equal(wb_gpu_open("no-such-gpu", &other, error, sizeof error), WB_ERROR_NOT_FOUND);
    assert_null(other);
    assert_non_null(strstr(error, "no-such-gpu"));
    assert_int_equal(wb_gpu_open(NULL, &other, error, sizeof error), WB_ERROR_ARGUMENT);
    assert_int_equal(wb_gpu_open("h200", NULL, NULL, 0), WB_ERROR_ARGUMENT);
    assert_int_equal(wb_gpu_open("h2000", &other, NULL, 0), WB_ERROR_NOT_FOUND);
    wb_gpu_close(NULL);
    assert_non_null(wb_error(NULL));
    assert_string_equal(wb_error(gpu), "");
}

static void knobs(void **state)
{
    (void)state;
    expect(wb_gpu_set(gpu, "sm_count", "3"), WB_OK, NULL);
    expect(wb_gpu_set(gpu, "sm_cuont", "3"), WB_ERROR_NOT_FOUND, "did you mean sm_count?");
    expect(wb_gpu_set(gpu, "sm_count", "0"), WB_ERROR_ARGUMENT, "1 to 4096");
    expect(wb_gpu_set(gpu, "warp_width", "33"), WB_ERROR_ARGUMENT, "32 or 64");
    expect(wb_gpu_set(gpu, NULL, "3"), WB_ERROR_ARGUMENT, NULL);
    assert_int_equal(wb_gpu_set(NULL, "sm_count", "3"), WB_ERROR_ARGUMENT);
    const WbLaunch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    expect(wb_launch(kernel("limited"), &launch), WB_OK, NULL);
    expect(wb_gpu_set(gpu, "sm_count", "4"), WB_ERROR_ARGUMENT, "wb_wait");
    expect_working();
}

static void modules(void **state)
{
    (void)state;
    WbModule *broken;
    expect(wb_module_load(gpu, "x.ptx", "nonsense", 8, &broken), WB_ERROR_PTX, "x.ptx:1");
    assert_null(broken);
    expect(wb_module_load(gpu, NULL, NULL, 8, &broken), WB_ERROR_ARGUMENT, NULL);
    expect(wb_module_load(gpu, "x.ptx", ptx, 8, NULL), WB_ERROR_ARGUMENT, NULL);
    assert_int_equal(wb_module_load(NULL, "x.ptx", ptx, 8, &broken), WB_ERROR_ARGUMENT);
    expect(wb_module_load_file(gpu, "/no/such/file.ptx", &broken), WB_ERROR_NOT_FOUND, "/no/such/file.ptx");
    expect(wb_module_load_file(gpu, NULL, &broken), WB_ERROR_ARGUMENT, NULL);
    wb_module_unload(NULL);
    assert_int_equal(wb_module_kernel_count(module), 10);
    assert_null(wb_module_kernel_at(module, 10));
    WbKernel *found;
    expect(wb_module_kernel(module, "fil", &found), WB_ERROR_NOT_FOUND, "did you mean fill?");
    assert_null(found);
    expect(wb_module_kernel(module, NULL, &found), WB_ERROR_ARGUMENT, NULL);
    expect_working();
}

static void symbols(void **state)
{
    (void)state;
    uint64_t address;
    size_t size;
    uint32_t value = 0;
    expect(wb_module_symbol(module, "counter", &address, &size), WB_OK, NULL);
    assert_int_equal(size, 4);
    expect(wb_copy_from_device(gpu, &value, address, sizeof value), WB_OK, NULL);
    assert_int_equal(value, 5);
    expect(wb_module_symbol(module, "constant", &address, NULL), WB_OK, NULL);
    expect(wb_copy_from_device(gpu, &value, address, sizeof value), WB_OK, NULL);
    assert_int_equal(value, 9);
    expect(wb_module_symbol(module, "countre", &address, &size), WB_ERROR_NOT_FOUND, "did you mean counter?");
    expect(wb_module_symbol(module, NULL, &address, &size), WB_ERROR_ARGUMENT, NULL);
    expect(wb_free(gpu, address), WB_ERROR_ARGUMENT, "constant");
}

static void initializers_hold_addresses(void **state)
{
    (void)state;
    uint64_t out;
    uint32_t value = 0;
    expect(wb_malloc(gpu, sizeof value, &out), WB_OK, NULL);
    const WbArgument arguments[] = {WB_ARG(out)};
    const WbLaunch launch = {
        .grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = arguments, .argument_count = 1};
    expect(wb_launch(kernel("through_pointer"), &launch), WB_OK, NULL);
    expect(wb_copy_from_device(gpu, &value, out, sizeof value), WB_OK, NULL);
    assert_int_equal(value, 3);
}

static void memory(void **state)
{
    (void)state;
    uint64_t a, b;
    char text[16] = "0123456789";
    expect(wb_malloc(gpu, 0, &a), WB_ERROR_ARGUMENT, NULL);
    expect(wb_malloc(gpu, (size_t)1 << 45, &a), WB_ERROR_OUT_OF_MEMORY, NULL);
    expect(wb_malloc(gpu, 16, NULL), WB_ERROR_ARGUMENT, NULL);
    expect(wb_malloc(gpu, 16, &a), WB_OK, NULL);
    expect(wb_malloc(gpu, 16, &b), WB_OK, NULL);
    assert_int_equal(a % 256, 0);
    expect(wb_copy_to_device(gpu, a, text, 16), WB_OK, NULL);
    expect(wb_copy_on_device(gpu, b, a, 10), WB_OK, NULL);
    expect(wb_set_device(gpu, b + 2, 'x', 3), WB_OK, NULL);
    expect(wb_copy_from_device(gpu, text, b, 16), WB_OK, NULL);
    assert_string_equal(text, "01xxx56789");
    expect(wb_copy_to_device(gpu, a + 8, text, 16), WB_ERROR_ARGUMENT, NULL);
    expect(wb_copy_from_device(gpu, text, 16, 16), WB_ERROR_ARGUMENT, NULL);
    expect(wb_copy_on_device(gpu, a, b + 1, 16), WB_ERROR_ARGUMENT, NULL);
    expect(wb_set_device(gpu, b, 0, 17), WB_ERROR_ARGUMENT, NULL);
    expect(wb_copy_to_device(gpu, a, NULL, 16), WB_ERROR_ARGUMENT, "null");
    expect(wb_copy_from_device(gpu, NULL, a, 16), WB_ERROR_ARGUMENT, "null");
    expect(wb_copy_to_device(gpu, 0, NULL, 0), WB_OK, NULL);
    expect(wb_free(gpu, 0), WB_OK, NULL);
    expect(wb_free(gpu, a), WB_OK, NULL);
    assert_int_not_equal(wb_free(gpu, a), WB_OK);
    assert_int_not_equal(wb_free(gpu, b + 4), WB_OK);
    expect(wb_copy_from_device(gpu, text, a, 4), WB_ERROR_ARGUMENT, NULL);
    expect_working();
}

static void launches_that_do_not_fit(void **state)
{
    (void)state;
    uint64_t out = 0;
    uint32_t value = 0;
    uint16_t narrow = 0;
    const WbArgument good[] = {WB_ARG(out), WB_ARG(value)}, bad[] = {WB_ARG(out), WB_ARG(narrow)};
    const WbArgument null[] = {{NULL, 8}, WB_ARG(value)};
    const struct {
        const char *name;
        WbLaunch launch;
        WbStatus status;
        const char *part;
    } cases[] = {
        {"fill",
         {.grid = {1, 1, 1}, .block = {32, 1, 1}, .arguments = good, .argument_count = 1},
         WB_ERROR_LAUNCH,
         "1 arguments; it has 2"},
        {"fill",
         {.grid = {1, 1, 1}, .block = {32, 1, 1}, .arguments = bad, .argument_count = 2},
         WB_ERROR_LAUNCH,
         "Argument 1 of kernel fill has 2 bytes"},
        {"fill", {.grid = {1, 1, 1}, .block = {32, 1, 1}, .argument_count = 2}, WB_ERROR_ARGUMENT, "null"},
        {"fill",
         {.grid = {1, 1, 1}, .block = {32, 1, 1}, .arguments = null, .argument_count = 2},
         WB_ERROR_ARGUMENT,
         "Argument 0"},
        {"fill",
         {.grid = {0, 1, 1}, .block = {32, 1, 1}, .arguments = good, .argument_count = 2},
         WB_ERROR_LAUNCH,
         "grid.x = 0"},
        {"fill",
         {.grid = {1, 65536, 1}, .block = {32, 1, 1}, .arguments = good, .argument_count = 2},
         WB_ERROR_LAUNCH,
         "grid.y = 65536"},
        {"fill",
         {.grid = {1, 1, 1}, .block = {1025, 1, 1}, .arguments = good, .argument_count = 2},
         WB_ERROR_LAUNCH,
         "block.x = 1025"},
        {"fill",
         {.grid = {1, 1, 1}, .block = {32, 1, 65}, .arguments = good, .argument_count = 2},
         WB_ERROR_LAUNCH,
         "block.z = 65"},
        {"fill",
         {.grid = {1, 1, 1}, .block = {64, 32, 1}, .arguments = good, .argument_count = 2},
         WB_ERROR_LAUNCH,
         "2048 threads"},
        {"fill",
         {.grid = {1, 1, 1},
          .block = {32, 1, 1},
          .shared_bytes = 98305,
          .arguments = good,
          .argument_count = 2},
         WB_ERROR_LAUNCH,
         "98305 dynamic"},
        {"big_shared",
         {.grid = {1, 1, 1}, .block = {32, 1, 1}, .shared_bytes = 60000},
         WB_ERROR_LAUNCH,
         "40000 static"},
        {"limited", {.grid = {1, 1, 1}, .block = {65, 1, 1}}, WB_ERROR_LAUNCH, ".maxntid"},
        {"exact", {.grid = {1, 1, 1}, .block = {16, 1, 1}}, WB_ERROR_LAUNCH, ".reqntid"},
        {"exact", {.grid = {1, 1, 1}, .block = {8, 2, 1}}, WB_OK, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(wb_launch(kernel(cases[i].name), &cases[i].launch), cases[i].status, cases[i].part);
    expect(wb_launch(kernel("fill"), NULL), WB_ERROR_ARGUMENT, "fill");
    assert_int_equal(wb_launch(NULL, &cases[0].launch), WB_ERROR_ARGUMENT);
    expect(wb_kernel_set_registers(kernel("fill"), 256), WB_ERROR_ARGUMENT, "255");
    expect(wb_kernel_set_registers(kernel("fill"), 128), WB_OK, NULL);
    const WbLaunch crowded = {
        .grid = {1, 1, 1}, .block = {1024, 1, 1}, .arguments = good, .argument_count = 2};
    expect(wb_launch(kernel("fill"), &crowded), WB_ERROR_LAUNCH, "registers");
    expect(wb_kernel_set_registers(kernel("fill"), 0), WB_OK, NULL);
    expect_working();
}

static void dynamic_shared_memory_is_whole(void **state)
{
    (void)state;
    const WbLaunch enough = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .shared_bytes = 64},
                   short_of = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .shared_bytes = 60};
    expect(wb_launch(kernel("last_word"), &enough), WB_OK, NULL);
    expect(wb_wait(gpu), WB_OK, NULL);
    expect(wb_launch(kernel("last_word"), &short_of), WB_OK, NULL);
    expect(wb_wait(gpu), WB_ERROR_ADDRESS, "last_word");
}

static void kernel_info(void **state)
{
    (void)state;
    WbKernelInfo info;
    expect(wb_kernel_info(kernel("fill"), &info), WB_OK, NULL);
    assert_string_equal(info.name, "fill");
    assert_int_equal(info.parameter_count, 2);
    assert_int_equal(info.parameter_bytes, 12);
    assert_int_equal(info.max_threads, 1024);
    assert_in_range(info.registers, 1, 32);
    expect(wb_kernel_info(kernel("limited"), &info), WB_OK, NULL);
    assert_int_equal(info.max_threads, 64);
    /* a function with calls takes 24 registers or more; four blocks of 1024 threads leave 16 for each */
    expect(wb_kernel_info(kernel("capped"), &info), WB_OK, NULL);
    assert_int_equal(info.registers, 16);
    expect(wb_kernel_info(kernel("big_shared"), &info), WB_OK, NULL);
    assert_int_equal(info.shared_bytes, 40000);
    expect(wb_kernel_info(kernel("fill"), NULL), WB_ERROR_ARGUMENT, NULL);
    assert_int_equal(wb_kernel_info(NULL, &info), WB_ERROR_ARGUMENT);
    size_t offset, size;
    expect(wb_kernel_parameter(kernel("fill"), 1, &offset, &size), WB_OK, NULL);
    assert_int_equal(offset, 8);
    assert_int_equal(size, 4);
    expect(wb_kernel_parameter(kernel("fill"), 2, &offset, &size), WB_ERROR_ARGUMENT, "2 parameters");
    expect(wb_kernel_parameter(kernel("fill"), 0, NULL, &size), WB_ERROR_ARGUMENT, NULL);
    assert_int_equal(wb_kernel_parameter(NULL, 0, &offset, &size), WB_ERROR_ARGUMENT);
    expect(wb_kernel_set_registers(kernel("fill"), 77), WB_OK, NULL);
    expect(wb_kernel_info(kernel("fill"), &info), WB_OK, NULL);
    assert_int_equal(info.registers, 77);
}

static void failing_launches_drop_those_behind_them(void **state)
{
    (void)state;
    uint64_t nowhere = 64;
    uint32_t value = 0;
    const WbArgument arguments[] = {WB_ARG(nowhere), WB_ARG(value)};
    const WbLaunch plain = {.grid = {1, 1, 1}, .block = {32, 1, 1}},
                   stray = {
                       .grid = {1, 1, 1}, .block = {32, 1, 1}, .arguments = arguments, .argument_count = 2};
    expect(wb_launch(kernel("trapping"), &plain), WB_OK, NULL);
    expect(wb_launch(kernel("limited"), &plain), WB_OK, NULL);
    expect(wb_wait(gpu), WB_ERROR_TRAP, "The 1 launch queued behind it did not run.");
    assert_non_null(strstr(wb_error(gpu), "trapping"));
    expect(wb_wait(gpu), WB_OK, NULL);
    expect_working();
    expect(wb_launch(kernel("fill"), &stray), WB_OK, NULL);
    expect(wb_wait(gpu), WB_ERROR_ADDRESS, "fill");
    assert_int_equal(wb_wait(NULL), WB_ERROR_ARGUMENT);
    expect_working();
    expect(wb_launch(kernel("trapping"), &plain), WB_OK, NULL);
    wb_module_unload(module);
    expect(wb_wait(gpu), WB_ERROR_TRAP, "trapping");
    expect(wb_wait(gpu), WB_OK, NULL);
}

static WbStatus run_heap(uint64_t out, uint64_t size, uint32_t times)
{
    const WbArgument arguments[] = {WB_ARG(out), WB_ARG(size), WB_ARG(times)};
    const WbLaunch launch = {
        .grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = arguments, .argument_count = 3};
    expect(wb_launch(kernel("heap"), &launch), WB_OK, NULL);
    return wb_wait(gpu);
}

static void device_heap(void **state)
{
    (void)state;
    uint64_t out, block = 0, second = 1;
    expect(wb_gpu_set(gpu, "heap_bytes", "1000"), WB_OK, NULL);
    expect(wb_malloc(gpu, sizeof block, &out), WB_OK, NULL);
    expect(run_heap(out, 800, 0), WB_OK, NULL);
    expect(wb_copy_from_device(gpu, &block, out, sizeof block), WB_OK, NULL);
    assert_int_not_equal(block, 0);
    expect(run_heap(out, 800, 0), WB_OK, NULL);
    expect(wb_copy_from_device(gpu, &second, out, sizeof second), WB_OK, NULL);
    assert_int_equal(second, 0);
    expect(wb_free(gpu, block), WB_ERROR_ARGUMENT, "heap");
    for (int i = 0; i < 3; i++)
        expect(run_heap(out, 200, 1), WB_OK, NULL);
    expect(wb_copy_from_device(gpu, &second, out, sizeof second), WB_OK, NULL);
    assert_int_not_equal(second, 0);
    expect(run_heap(out, 200, 2), WB_ERROR_ADDRESS, "free");
    expect_working();
}

static void statistics(void **state)
{
    (void)state;
    WbStat stat;
    wb_stats_reset(gpu);
    expect_working();
    expect(wb_stat_find(gpu, "launches", &stat), WB_OK, NULL);
    assert_int_equal(stat.value, 1);
    expect(wb_stat_find(gpu, "blocks", &stat), WB_OK, NULL);
    assert_int_equal(stat.value, 2);
    expect(wb_stat_find(gpu, "thread_instructions", &stat), WB_OK, NULL);
    assert_int_equal(stat.value, 64 * 11);
    assert_int_equal(wb_stat_find(gpu, "launch", &stat), WB_ERROR_NOT_FOUND);
    assert_int_equal(wb_stat_at(gpu, wb_stat_count(gpu), &stat), WB_ERROR_ARGUMENT);
    for (size_t i = 0; i < wb_stat_count(gpu); i++) {
        expect(wb_stat_at(gpu, i, &stat), WB_OK, NULL);
        assert_true(*stat.name && *stat.unit && *stat.description);
    }
    wb_stats_reset(gpu);
    wb_stats_reset(NULL);
    expect(wb_stat_find(gpu, "launches", &stat), WB_OK, NULL);
    assert_int_equal(stat.value, 0);
}

static uint64_t one_launch_of(const char *name, uint64_t bytes, uint32_t threads, uint32_t *out)
{
    uint64_t address;
    uint32_t value = 0;
    WbKernel *kernel;
    expect(wb_malloc(gpu, bytes, &address), WB_OK, NULL);
    expect(wb_module_kernel(module, name, &kernel), WB_OK, NULL);
    const WbArgument arguments[] = {WB_ARG(address), WB_ARG(value)};
    const WbLaunch launch = {.grid = {1, 1, 1},
                             .block = {threads, 1, 1},
                             .arguments = arguments,
                             .argument_count = !strcmp(name, "fill") ? 2 : 1};
    expect(wb_launch(kernel, &launch), WB_OK, NULL);
    expect(wb_copy_from_device(gpu, out, address, bytes), WB_OK, NULL);
    return address;
}

/* A kernel that has run already follows the knobs that change after. */
static void knobs_change_between_launches(void **state)
{
    (void)state;
    static const char *const widths[] = {"64", "32", "64"};
    for (int i = 0; i < 3; i++) {
        uint32_t out[128];
        expect(wb_gpu_set(gpu, "warp_width", widths[i]), WB_OK, NULL);
        one_launch_of("fill", sizeof out, 128, out);
        for (uint32_t k = 0; k < 128; k++)
            assert_int_equal(out[k], k);
    }
}

static void timer_follows_the_clock(void **state)
{
    (void)state;
    uint32_t slow[2], fast[2];
    expect(wb_gpu_set(gpu, "clock_khz", "1000"), WB_OK, NULL);
    one_launch_of("timer", sizeof slow, 1, slow);
    assert_int_equal(slow[0], slow[1] * 1000);
    expect(wb_gpu_set(gpu, "clock_khz", "1000000"), WB_OK, NULL);
    one_launch_of("timer", sizeof fast, 1, fast);
    assert_int_equal(fast[0], fast[1]);
}

static void memory_limit_below_what_is_in_use(void **state)
{
    (void)state;
    uint64_t address;
    expect(wb_malloc(gpu, 64 << 20, &address), WB_OK, NULL);
    expect(wb_gpu_set(gpu, "global_bytes", "16777216"), WB_OK, NULL);
    expect(wb_malloc(gpu, (uint64_t)16 << 30, &address), WB_ERROR_OUT_OF_MEMORY, "does not fit");
}

int main(void)
{
#define API_TEST(name) cmocka_unit_test_setup_teardown(name, open_gpu, close_gpu)
    const struct CMUnitTest tests[] = {
        API_TEST(opening),
        API_TEST(knobs),
        API_TEST(modules),
        API_TEST(symbols),
        API_TEST(initializers_hold_addresses),
        API_TEST(memory),
        API_TEST(launches_that_do_not_fit),
        API_TEST(dynamic_shared_memory_is_whole),
        API_TEST(kernel_info),
        API_TEST(failing_launches_drop_those_behind_them),
        API_TEST(device_heap),
        API_TEST(statistics),
        API_TEST(knobs_change_between_launches),
        API_TEST(timer_follows_the_clock),
        API_TEST(memory_limit_below_what_is_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
