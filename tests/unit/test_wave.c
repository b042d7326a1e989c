/* Sums and broadcasts over the lanes of a wavefront that call at once, on warps of 32 and of 64 lanes: what
 * they give, also in divergent code, and what they cost. */
#include "config/config.h"
#include "run_ptx.h"

enum { MOST = 64, WORDS = 4 };

static const char functions[] = ".extern .func (.param .b32 o) wb_wave_prefix(.param .b32 v);\n"
                                ".extern .func (.param .b32 o) wb_wave_total(.param .b32 v);\n"
                                ".extern .func (.param .b32 o) wb_wave_leader();\n"
                                ".extern .func (.param .b32 o) wb_wave_is_last();\n"
                                ".extern .func (.param .b32 o) wb_wave_broadcast(.param .b32 v);\n";

/* %r<to> = function(%r<from>) */
#define CALL(function, to, from)                                                                             \
    "{ .param .b32 a; .param .b32 o; st.param.b32 [a], %r" from ";\n"                                        \
    "call (o), wb_wave_" function ", (a); ld.param.b32 %r" to ", [o]; }\n"
#define LEADER(to) "{ .param .b32 o; call (o), wb_wave_leader; ld.param.b32 %r" to ", [o]; }\n"
#define ALL_FOUR                                                                                             \
    CALL("prefix", "4", "3") CALL("total", "5", "3") CALL("broadcast", "6", "3") LEADER("7")                 \
    "st.global.v4.u32 [%rd1], {%r4, %r5, %r6, %r7};\n"
#define VALUE "mad.lo.u32 %r3, %r0, %r0, 7;\n"

typedef struct Place { const char *gpu, *mode; uint32_t width; } Place;

static const Place machines[] = {{"apu8", "functional", 64},
                                    {"apu8", "cycle", 64},
                                    {"h200", "functional", 32},
                                    {"h200", "cycle", 32},
                                    {"gtx970", "cycle", 32}};
enum { MACHINES = sizeof machines / sizeof *machines };

static WbGpu *open_gpu(const Place *machine)
{
    char error[1024];
    WbGpu *gpu;
    if (wb_gpu_open(machine->gpu, &gpu, error, sizeof error) != WB_OK)
        fail_msg("%s", error);
    assert_int_equal(wb_gpu_set(gpu, "mode", machine->mode), WB_OK);
    return gpu;
}

/* What lanes [from, to) of a step find that make the calls together. */
static void check_lanes(uint32_t (*found)[WORDS], uint32_t from, uint32_t to, uint32_t step)
{
    uint32_t total = 0, prefix = 0, last = from;
    for (uint32_t lane = from; lane < to; lane += step) {
        total += lane * lane + 7;
        last = lane;
    }
    for (uint32_t lane = from; lane < to; lane += step) {
        assert_int_equal(found[lane][0], prefix);
        assert_int_equal(found[lane][1], total);
        assert_int_equal(found[lane][2], last * last + 7);
        assert_int_equal(found[lane][3], lane == last);
        prefix += lane * lane + 7;
    }
}

static void test_whole_wavefront(void **state)
{
    (void)state;
    for (size_t m = 0; m < MACHINES; m++)
        for (uint32_t threads = 1; threads <= machines[m].width; threads += 31) {
            uint32_t found[MOST][WORDS] = {{0}};
            WbGpu *gpu = open_gpu(&machines[m]);
            run_ok(gpu, functions, VALUE ALL_FOUR, threads, found, threads * sizeof *found);
            check_lanes(found, 0, threads, 1);
            wb_gpu_close(gpu);
        }
}

/* Odd and even lanes call apart: each lot is one of its own. */
static void test_divergent(void **state)
{
    (void)state;
    for (size_t m = 0; m < MACHINES; m++) {
        uint32_t found[MOST][WORDS] = {{0}};
        WbGpu *gpu = open_gpu(&machines[m]);
        run_ok(gpu, functions,
               VALUE "and.b32 %r8, %r0, 1; setp.eq.u32 %p1, %r8, 0; @%p1 bra EVEN;\n" ALL_FOUR
                     "bra END; EVEN:\n" ALL_FOUR "END:",
               machines[m].width, found, machines[m].width * sizeof *found);
        check_lanes(found, 0, machines[m].width, 2);
        check_lanes(found, 1, machines[m].width, 2);
        wb_gpu_close(gpu);
    }
}

#define IS_LAST(to) "{ .param .b32 o; call (o), wb_wave_is_last; ld.param.b32 %r" to ", [o]; }\n"
#define UNTIL_LAST(label)                                                                                    \
    label ":\n" IS_LAST("4") "add.u32 %r5, %r5, 1; setp.eq.u32 %p2, %r4, 0; @%p2 bra " label ";\n"

/* Lanes by threes: those that ask wait for those that work, and of two lots that ask the one with the lowest
 * lane is first; on a stack nobody has to wait. Each notes how often it asked, and what those that work had
 * written. */
static void test_is_last(void **state)
{
    (void)state;
    for (size_t m = 0; m < MACHINES; m++) {
        const uint32_t width = machines[m].width;
        const bool is_stack = strcmp(machines[m].gpu, "h200") != 0;
        uint32_t found[MOST][WORDS] = {{0}};
        WbGpu *gpu = open_gpu(&machines[m]);
        run_ok(gpu, functions,
               "mov.u32 %r5, 0; rem.u32 %r6, %r0, 3; mul.wide.u32 %rd2, %r0, 16; sub.u64 %rd2, %rd1, %rd2;\n"
               "setp.eq.u32 %p1, %r6, 0; @%p1 bra WORK; setp.eq.u32 %p1, %r6, 1; @%p1 bra OTHER;\n" UNTIL_LAST(
                   "ONE") "bra NOTE; OTHER:\n" UNTIL_LAST("TWO") "NOTE: ld.volatile.global.u32 %r7, [%rd2+8];\n"
               "st.global.v2.u32 [%rd1], {%r5, %r7}; bra END;\n"
               "WORK: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 3000; @%p1 bra WORK;\n"
               "st.volatile.global.u32 [%rd2+8], %r5; END:",
               width, found, width * sizeof *found);
        for (uint32_t lane = 1; lane < width; lane++) {
            if (lane % 3 && is_stack)
                assert_int_equal(found[lane][0], 1);
            if (lane % 3 && !is_stack)
                assert_int_equal(found[lane][1], 3000);
        }
        wb_gpu_close(gpu);
    }
}

/* A value that is still on its way from memory is waited for, though the call drains nothing. */
static void test_waits_for_loads(void **state)
{
    (void)state;
    for (size_t m = 0; m < MACHINES; m++) {
        const uint32_t width = machines[m].width;
        uint32_t data[MOST];
        WbGpu *gpu = open_gpu(&machines[m]);
        for (uint32_t i = 0; i < width; i++)
            data[i] = i + 1;
        run_ok(gpu, functions,
               "ld.global.u32 %r3, [%rd1];\n" CALL("total", "4", "3") "st.global.u32 [%rd1], %r4;", width, data,
               width * sizeof *data);
        for (uint32_t i = 0; i < width; i++)
            assert_int_equal(data[i], width * (width + 1) / 2);
        wb_gpu_close(gpu);
    }
}

/* Cycles from a look at the clock to the next, with the call between them. */
static uint32_t cycles_of(WbGpu *gpu, uint32_t threads, const char *call)
{
    char body[1024];
    uint32_t found[MOST] = {0};
    snprintf(body, sizeof body,
             "mov.u32 %%r3, 1; membar.gl; mov.u32 %%r10, %%clock;\n%s mov.u32 %%r11, %%clock;\n"
             "sub.u32 %%r12, %%r11, %%r10; st.global.u32 [%%rd1], %%r12;",
             call);
    run_ok(gpu, functions, body, threads, found, threads * sizeof *found);
    return found[0];
}

/* A step is a shuffle and a sum on apu8: 12 and 4 cycles; a sum over 64 lanes takes six. */
static void test_cycles(void **state)
{
    (void)state;
    WbGpu *gpu = open_gpu(&machines[1]);
    const uint32_t one = cycles_of(gpu, 64, CALL("broadcast", "4", "3"));
    assert_int_equal(cycles_of(gpu, 64, CALL("prefix", "4", "3")) - one, 6 * (12 + 4) - 12);
    assert_int_equal(cycles_of(gpu, 64, CALL("total", "4", "3")) - one, 6 * (12 + 4) - 12);
    const uint32_t passing =
        cycles_of(gpu, 64, "{ .param .b32 a; st.param.b32 [a], %r3; ld.param.b32 %r4, [a]; }\n");
    assert_int_equal(one - passing, 12);
    wb_gpu_close(gpu);
}

/* The assembler's code has the same exchanges: five for 32 lanes. */
static void test_cycles_of_machine_code(void **state)
{
    (void)state;
    GpuConfig config;
    Error error = {0};
    assert_int_equal(config_load("h200", &config, &error), WB_OK);
    WbGpu *gpu = open_gpu(&machines[3]);
    const uint32_t one = cycles_of(gpu, 32, CALL("broadcast", "4", "3"));
    assert_int_equal(cycles_of(gpu, 32, CALL("total", "4", "3")) - one,
                     4 * config.shuffle_latency + 5 * config.int_latency + config.pipe_crossing);
    wb_gpu_close(gpu);
}

/* A kernel says what is wrong; who it is and the line come with it. */
static void test_channel_fail(void **state)
{
    (void)state;
    static const char outside[] = ".extern .func wb_channel_fail(.param .b32 c, .param .b32 n, .param .b32 v, "
                                  ".param .b32 l);\n";
    static const char body[] = "{ .param .b32 c; .param .b32 n; .param .b32 v; .param .b32 l;\n"
                               "st.param.b32 [c], %s; st.param.b32 [n], 5; st.param.b32 [v], 130;\n"
                               "st.param.b32 [l], 77; call wb_channel_fail, (c, n, v, l); }";
    for (size_t m = 0; m < 2; m++) {
        char text[512];
        WbGpu *gpu = open_gpu(&machines[m]);
        snprintf(text, sizeof text, body, "3");
        run_fails(gpu, outside, text, WB_ERROR_EXECUTION,
                  "line 77: channel 5 is asked by talloc() for 130 elements at once");
        assert_non_null(strstr(wb_error(gpu), "kernel 'k'"));
        snprintf(text, sizeof text, body, "99");
        run_fails(gpu, outside, text, WB_ERROR_EXECUTION, "unknown code 99");
        wb_gpu_close(gpu);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_wavefront),
        cmocka_unit_test(test_divergent),
        cmocka_unit_test(test_is_last),
        cmocka_unit_test(test_waits_for_loads),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_cycles_of_machine_code),
        cmocka_unit_test(test_channel_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
