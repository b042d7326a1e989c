/* Launches by kernels that go wrong, in functional and in cycle mode, by all names of the calls: CUDA's error
 * in the launching thread, or a sentence that names the launching line; and the next launch works. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

/* What a launching kernel writes: the result of its last launch, its last error, how often `child` ran. */
enum { RESULT, LAST_ERROR, RUNS, WORDS };

typedef struct Names {
    const char *buffer, *launch, *error;
} Names;

static const Names names[] = {
    {"wb_get_parameter_buffer", "wb_launch_device", "wb_last_error"},
    {"cudaGetParameterBuffer", "cudaLaunchDevice", "cudaGetLastError"},
    {"__cudaCDP2GetParameterBuffer", "__cudaCDP2LaunchDevice", "__cudaCDP2GetLastError"},
    {"__cudaCDP2GetParameterBuffer", "__cudaCDP2LaunchDevice_ptsz", "__cudaCDP2PeekAtLastError"},
};
enum { NAME_COUNT = sizeof names / sizeof *names };

/* One thread's launch of `kernel`; fields that are 0 stand for what is right. */
typedef struct Case {
    const char *kernel; /* an operand of mov.u64 */
    const char *buffer; /* instead of the buffer: an operand of mov.u64 */
    uint32_t size;      /* of the parameter buffer */
    const char *grid[3], *block[3];
    uint32_t shared;
    uint64_t stream;
    uint32_t times;    /* the same launch again and again, each with its own buffer */
    bool waits;        /* for what it launched, before it asks */
    bool keeps_buffer; /* or with the first one's */
    bool never_asks;   /* for its error */
} Case;

static const char children[] = ".visible .entry child(.param .u64 out)\n"
                               "{\n"
                               ".reg .b64 %a; .reg .b32 %r;\n"
                               "ld.param.u64 %a, [out];\n"
                               "red.global.add.u32 [%a+8], 1;\n"
                               "ret;\n"
                               "}\n"
                               ".visible .entry traps() { trap; ret; }\n"
                               ".visible .entry strange() { .reg .b32 %r; frobnicate.u32 %r, 1; ret; }\n"
                               ".visible .entry few(.param .u64 out) .maxntid 64, 1, 1 { ret; }\n";

static const char * or (const char *value, const char *otherwise) { return value ? value : otherwise; }

static void write_dimensions(char *text, size_t room, const char *name, const char *const values[3])
{
    snprintf(text, room,
             ".param .align 4 .b8 %s[12];\n"
             "st.param.b32 [%s+0], %s; st.param.b32 [%s+4], %s; st.param.b32 [%s+8], %s;\n",
             name, name, or (values[0], "1"), name, or (values[1], "1"), name, or (values[2], "1"));
}

/* Buffers and launches of the older form. The launch is the line with "(answer), " and the call's name. */
static const char *write_program(const Names *call, const Case *c)
{
    static char text[8192];
    char grid[512], block[512];
    write_dimensions(grid, sizeof grid, "grid", c->grid);
    write_dimensions(block, sizeof block, "block", c->block);
    snprintf(text, sizeof text,
             PTX_HEADER
             ".extern .func (.param .b64 answer) %s(.param .b64 alignment, .param .b64 size);\n"
             ".extern .func (.param .b32 answer) %s(.param .b64 kernel, .param .b64 buffer,\n"
             "    .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared,\n"
             "    .param .b64 stream);\n"
             ".extern .func (.param .b32 answer) %s();\n"
             ".extern .func (.param .b32 answer) wb_device_sync();\n"
             "%s"
             ".visible .entry k(.param .u64 out)\n{\n"
             ".reg .b64 %%out, %%buffer, %%given, %%kernel; .reg .b32 %%answer, %%left; .reg .pred %%p;\n"
             "ld.param.u64 %%out, [out];\n"
             "mov.u32 %%left, %u;\n"
             "AGAIN:\n"
             "{ .param .b64 answer; .param .b64 alignment; .param .b64 size;\n"
             "st.param.b64 [alignment], 8; st.param.b64 [size], %u;\n"
             "call (answer), %s, (alignment, size);\n"
             "ld.param.b64 %%buffer, [answer]; }\n"
             "st.u64 [%%buffer], %%out;\n"
             "SAME:\n"
             "mov.u64 %%kernel, %s;\n"
             "mov.u64 %%given, %s;\n"
             "{ .param .b32 answer; .param .b64 kernel; .param .b64 buffer; .param .b32 shared;\n"
             ".param .b64 stream;\n"
             "%s%s"
             "st.param.b64 [kernel], %%kernel; st.param.b64 [buffer], %%given;\n"
             "st.param.b32 [shared], %u; st.param.b64 [stream], %llu;\n"
             "call (answer), %s, (kernel, buffer, grid, block, shared, stream);\n"
             "ld.param.b32 %%answer, [answer]; }\n"
             "st.global.u32 [%%out], %%answer;\n"
             "sub.u32 %%left, %%left, 1;\n"
             "setp.ne.u32 %%p, %%left, 0;\n"
             "@%%p bra %s;\n"
             "%s%s{ .param .b32 answer; call (answer), %s; ld.param.b32 %%answer, [answer]; }\n"
             "st.global.u32 [%%out+4], %%answer;\n"
             "ret;\n}\n",
             call->buffer, call->launch, call->error, children, c->times ? c->times : 1,
             c->size ? c->size : 8, call->buffer, or (c->kernel, "child"), or (c->buffer, "%buffer"), grid,
             block, c->shared, (unsigned long long)c->stream, call->launch,
             c->keeps_buffer ? "SAME" : "AGAIN",
             c->waits ? "{ .param .b32 answer; call (answer), wb_device_sync; }\n" : "",
             c->never_asks ? "ret;\n" : "", call->error);
    return text;
}

static const char *const modes[] = {"mode=functional", "mode=cycle"};
enum { MODE_COUNT = sizeof modes / sizeof *modes };

static WbGpu *open_gpu(uint32_t mode, const char *knob)
{
    return harness_open("h200", (const char *const[]){modes[mode], "functional_limit=20000000", knob, NULL});
}

static void run_ok(WbGpu *gpu, const char *text, uint32_t out[WORDS])
{
    memset(out, 0, WORDS * sizeof *out);
    harness_run_ok(&(HarnessRun){gpu, text, "k", {1, 1, 1}, {1, 1, 1}, 0, out, WORDS});
}

static void run_fails(WbGpu *gpu, const char *text, WbStatus status, const char *part, const char *other)
{
    uint32_t out[WORDS] = {0};
    harness_run_error(&(HarnessRun){gpu, text, "k", {1, 1, 1}, {1, 1, 1}, 0, out, WORDS}, status, part, other,
                      (char *)NULL);
    run_ok(gpu, write_program(&names[0], &(Case){0}), out); /* and the next one works */
    assert_int_equal(out[RUNS], 1);
}

/* "test.ptx:29:": where a text has its launch. */
static const char *line_of_launch(const char *text)
{
    static char place[32];
    const char *launch = strstr(text, ", (kernel, buffer, grid, block, shared, stream)");
    unsigned line = 1;
    for (const char *c = text; c < launch; c++)
        line += *c == '\n';
    snprintf(place, sizeof place, "test.ptx:%u:", line);
    return place;
}

static void check_error(WbGpu *gpu, const Case *c, uint32_t error, uint32_t runs)
{
    for (uint32_t n = 0; n < NAME_COUNT; n++) {
        uint32_t out[WORDS];
        run_ok(gpu, write_program(&names[n], c), out);
        assert_int_equal(out[RESULT], error);
        assert_int_equal(out[LAST_ERROR], error);
        assert_int_equal(out[RUNS], runs);
    }
}

static void good_launches_run(void **state)
{
    (void)state;
    static const Case cases[] = {
        {.grid = {"3"}, .block = {"5", "2"}},
        {.kernel = "few", .block = {"64"}},
        {.shared = 49152},
        {.stream = 1},
        {.stream = 2},
        {.stream = 3},
        {.stream = 4},
        {.times = 10},
    };
    static const uint32_t runs[] = {30, 0, 1, 1, 1, 1, 1, 10};
    for (uint32_t mode = 0; mode < MODE_COUNT; mode++) {
        WbGpu *gpu = open_gpu(mode, NULL);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            check_error(gpu, &cases[i], 0, runs[i]);
        wb_gpu_close(gpu);
    }
}

static void bad_shapes_are_errors_of_the_thread(void **state)
{
    (void)state;
    static const Case cases[] = {
        {.grid = {"0"}},
        {.grid = {"1", "0"}},
        {.grid = {"1", "1", "65536"}},
        {.grid = {"0x80000000"}},
        {.block = {"0"}},
        {.block = {"1025"}},
        {.block = {"1", "1", "65"}},
        {.block = {"32", "32", "2"}},
        {.shared = 49153}, /* the host has not asked for more */
        {.shared = 1 << 30},
        {.kernel = "few", .block = {"65"}},
        {.grid = {"0"}, .times = 3},
        {.grid = {"0"}, .keeps_buffer = true, .times = 3}, /* a launch that failed leaves it */
    };
    for (uint32_t mode = 0; mode < MODE_COUNT; mode++) {
        WbGpu *gpu = open_gpu(mode, NULL);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            check_error(gpu, &cases[i], 9, 0);
        check_error(gpu, &(Case){.size = 4}, 1, 0); /* the parameter has 8 bytes */
        wb_gpu_close(gpu);
    }
}

static void pointers_to_nothing_end_the_run(void **state)
{
    (void)state;
    static const struct {
        Case c;
        const char *part;
    } cases[] = {
        {{.kernel = "0"}, "the kernel at 0x0, a null pointer"},
        {{.kernel = "%out"}, "where there is none"},
        {{.kernel = "0x1000300000ff0"}, "the kernel at 0x1000300000ff0, where there is none"},
        {{.buffer = "%out"}, "parameter buffer at"},
        {{.buffer = "16"}, "parameter buffer at 0x10, where there is none"},
        {{.keeps_buffer = true, .times = 2}, "with which one was launched before"},
        {{.stream = 5}, "uses 0x5 as a stream, which is none"},
        {{.stream = 0x7fff12345678}, "as a stream, which is none"},
    };
    for (uint32_t mode = 0; mode < MODE_COUNT; mode++) {
        WbGpu *gpu = open_gpu(mode, NULL);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            for (uint32_t n = 0; n < NAME_COUNT; n++) {
                const char *text = write_program(&names[n], &cases[i].c);
                run_fails(gpu, text, WB_ERROR_ADDRESS, cases[i].part, line_of_launch(text));
            }
        /* A launch without a buffer is one whose parameters are undefined: it runs. */
        const char *text = write_program(&names[0], &(Case){.kernel = "traps", .buffer = "0"});
        run_fails(gpu, text, WB_ERROR_TRAP, "kernel 'traps'", "trap");
        wb_gpu_close(gpu);
    }
}

/* Blocks that are away from their SM, or on the way back, when the run ends. */
static void children_fail_while_blocks_wait(void **state)
{
    (void)state;
    static const Case cases[] = {
        {.kernel = "traps", .buffer = "0", .waits = true},
        {.kernel = "traps", .buffer = "0", .waits = true, .times = 20},
        {.kernel = "traps", .buffer = "0", .waits = true, .stream = 4, .grid = {"30"}, .times = 20},
    };
    for (uint32_t mode = 0; mode < MODE_COUNT; mode++) {
        WbGpu *gpu = open_gpu(mode, NULL);
        check_error(gpu, &(Case){.waits = true, .times = 3}, 0, 3);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            uint32_t out[WORDS] = {0};
            const char *text = write_program(&names[0], &cases[i]);
            harness_run_error(&(HarnessRun){gpu, text, "k", {40, 1, 1}, {64, 1, 1}, 0, out, WORDS},
                              WB_ERROR_TRAP, "kernel 'traps'", (char *)NULL);
            run_ok(gpu, write_program(&names[0], &(Case){0}), out);
        }
        wb_gpu_close(gpu);
    }
}

/* A child that cannot run is told with its own sentence. */
static void children_that_cannot_run_are_named(void **state)
{
    (void)state;
    for (uint32_t mode = 0; mode < MODE_COUNT; mode++) {
        WbGpu *gpu = open_gpu(mode, NULL);
        run_fails(gpu, write_program(&names[0], &(Case){.kernel = "strange"}), WB_ERROR_UNSUPPORTED,
                  "launches kernel strange, which cannot run", "frobnicate");
        wb_gpu_close(gpu);
    }
}

static void gpus_without_launches_say_so(void **state)
{
    (void)state;
    for (uint32_t mode = 0; mode < MODE_COUNT; mode++) {
        WbGpu *gpu = open_gpu(mode, "device_launch=false");
        uint32_t out[WORDS] = {0};
        const char *text = write_program(&names[1], &(Case){0});
        harness_run_error(&(HarnessRun){gpu, text, "k", {1, 1, 1}, {1, 1, 1}, 0, out, WORDS},
                          WB_ERROR_UNSUPPORTED, "cudaGetParameterBuffer", "knob device_launch",
                          "test.ptx:", (char *)NULL);
        wb_gpu_close(gpu);
    }
}

/* -- limits -- */

enum { TAIL = 3 };

static void launches_beyond_the_limit_are_lost(void **state)
{
    (void)state;
    for (uint32_t mode = 0; mode < MODE_COUNT; mode++) {
        WbGpu *gpu = open_gpu(mode, "pending_launches=5");
        for (uint32_t round = 0; round < 2; round++) /* all is as before when the kernel has ended */
            check_error(gpu, &(Case){.stream = TAIL, .times = 9}, 69, 5);
        check_error(gpu, &(Case){.stream = TAIL, .times = 5}, 0, 5);
        wb_gpu_close(gpu);
    }
}

static void nobody_asks_and_the_run_fails(void **state)
{
    (void)state;
    for (uint32_t mode = 0; mode < MODE_COUNT; mode++) {
        WbGpu *gpu = open_gpu(mode, "pending_launches=5");
        const char *text = write_program(&names[0], &(Case){.stream = TAIL, .times = 9, .never_asks = true});
        run_fails(gpu, text, WB_ERROR_PENDING, line_of_launch(text), "while 5 launches are pending");
        wb_gpu_close(gpu);
    }
}

static void launches_without_end_are_stopped(void **state)
{
    (void)state;
    for (uint32_t mode = 0; mode < MODE_COUNT; mode++) {
        WbGpu *gpu = open_gpu(mode, "pending_launches=20");
        const char *text = write_program(&names[0], &(Case){.stream = TAIL, .times = UINT32_MAX});
        run_fails(gpu, text, WB_ERROR_PENDING, line_of_launch(text), "knob pending_launches");
        wb_gpu_close(gpu);
    }
}

/* k(out, level) launches itself as long as it can; the one that cannot writes its level and the error. */
static const char *write_recursion(uint64_t stream)
{
    static char text[4096];
    snprintf(
        text, sizeof text,
        PTX_HEADER
        ".extern .func (.param .b64 answer) __cudaCDP2GetParameterBufferV2(.param .b64 kernel,\n"
        "    .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared);\n"
        ".extern .func (.param .b32 answer) __cudaCDP2LaunchDeviceV2(.param .b64 buffer, .param .b64 "
        "stream);\n"
        ".extern .func (.param .b32 answer) __cudaCDP2GetLastError();\n"
        ".visible .entry k(.param .u64 out)\n{\n"
        ".reg .b64 %%out, %%buffer, %%kernel; .reg .b32 %%answer; .reg .pred %%p;\n"
        "ld.param.u64 %%out, [out];\n"
        "mov.u64 %%kernel, k;\n"
        "red.global.add.u32 [%%out+8], 1;\n"
        "{ .param .b64 answer; .param .b64 kernel; .param .align 4 .b8 grid[12];\n"
        ".param .align 4 .b8 block[12]; .param .b32 shared;\n"
        "st.param.b64 [kernel], %%kernel; st.param.b32 [shared], 0;\n"
        "st.param.b32 [grid], 1; st.param.b32 [grid+4], 1; st.param.b32 [grid+8], 1;\n"
        "st.param.b32 [block], 1; st.param.b32 [block+4], 1; st.param.b32 [block+8], 1;\n"
        "call (answer), __cudaCDP2GetParameterBufferV2, (kernel, grid, block, shared);\n"
        "ld.param.b64 %%buffer, [answer]; }\n"
        "st.u64 [%%buffer], %%out;\n"
        "{ .param .b32 answer; .param .b64 buffer; .param .b64 stream;\n"
        "st.param.b64 [buffer], %%buffer; st.param.b64 [stream], %llu;\n"
        "call (answer), __cudaCDP2LaunchDeviceV2, (buffer, stream);\n"
        "ld.param.b32 %%answer, [answer]; }\n"
        "setp.eq.u32 %%p, %%answer, 0;\n"
        "@%%p ret;\n"
        "st.global.u32 [%%out], %%answer;\n"
        "{ .param .b32 answer; call (answer), __cudaCDP2GetLastError; ld.param.b32 %%answer, [answer]; }\n"
        "st.global.u32 [%%out+4], %%answer;\n"
        "ret;\n}\n",
        (unsigned long long)stream);
    return text;
}

static void check_recursion(WbGpu *gpu, uint64_t stream, uint32_t error, uint32_t runs)
{
    uint32_t out[WORDS];
    run_ok(gpu, write_recursion(stream), out);
    assert_int_equal(out[RESULT], error);
    assert_int_equal(out[LAST_ERROR], error);
    assert_int_equal(out[RUNS], runs);
}

/* A grid keeps a place until it is complete, which those that a recursion is in are not. */
static void recursion_ends_at_a_limit(void **state)
{
    (void)state;
    for (uint32_t mode = 0; mode < MODE_COUNT; mode++) {
        WbGpu *gpu = open_gpu(mode, "launch_depth=7");
        check_recursion(gpu, 0, 65, 8);
        check_recursion(gpu, 4, 65, 8);
        wb_gpu_close(gpu);
        gpu = open_gpu(mode, "pending_launches=40");
        check_recursion(gpu, 0, 69, 41);
        check_recursion(gpu, 4, 69, 41);
        wb_gpu_close(gpu);
    }
}

/* Launching itself as its own tail is a loop, which no limit of launches ends. */
static void a_kernel_that_follows_itself_for_ever_is_stopped(void **state)
{
    (void)state;
    uint32_t out[WORDS] = {0};
    WbGpu *gpu = harness_open("h200", (const char *const[]){"functional_limit=100000", NULL});
    harness_run_error(&(HarnessRun){gpu, write_recursion(TAIL), "k", {1, 1, 1}, {1, 1, 1}, 0, out, WORDS},
                      WB_ERROR_DEADLOCK, "functional_limit", (char *)NULL);
    run_ok(gpu, write_program(&names[0], &(Case){0}), out);
    wb_gpu_close(gpu);
    gpu = harness_open("h200", (const char *const[]){"mode=cycle", "cycle_limit=2000000", NULL});
    harness_run_error(&(HarnessRun){gpu, write_recursion(TAIL), "k", {1, 1, 1}, {1, 1, 1}, 0, out, WORDS},
                      WB_ERROR_DEADLOCK, "cycle_limit", (char *)NULL);
    run_ok(gpu, write_program(&names[0], &(Case){0}), out);
    assert_int_equal(out[RUNS], 1);
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_launches_run),
        cmocka_unit_test(bad_shapes_are_errors_of_the_thread),
        cmocka_unit_test(pointers_to_nothing_end_the_run),
        cmocka_unit_test(children_fail_while_blocks_wait),
        cmocka_unit_test(children_that_cannot_run_are_named),
        cmocka_unit_test(gpus_without_launches_say_so),
        cmocka_unit_test(launches_beyond_the_limit_are_lost),
        cmocka_unit_test(nobody_asks_and_the_run_fails),
        cmocka_unit_test(launches_without_end_are_stopped),
        cmocka_unit_test(recursion_ends_at_a_limit),
        cmocka_unit_test(a_kernel_that_follows_itself_for_ever_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
