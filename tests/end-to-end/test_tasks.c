/* Tasks of flow graphs from the aggregator's registers to lanes and back: programs of the aggregator that are
 * written down here dispatch, restart and end without looking at any channel. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "warpbeam_flow.h"

enum { WIDTH = 64, WORDS = 8, MOST_WAVES = 24 };

/* Each lane notes what it finds of its task. */
static const char kernels[] =
    PTX_HEADER ".visible .entry note(.param .u64 out)\n{\n"
               ".reg .b32 %r<12>; .reg .b64 %rd<4>;\n"
               "ld.param.u64 %rd0, [out]; mov.u32 %r0, %envreg3; mov.u32 %r1, %tid.x;\n"
               "mad.lo.u32 %r2, %r0, 64, %r1; mul.wide.u32 %rd1, %r2, 32; add.u64 %rd0, %rd0, %rd1;\n"
               "mov.u32 %r3, %envreg0; mov.u32 %r4, %envreg1; mov.u32 %r5, %envreg2; mov.u32 %r6, %ctaid.x;\n"
               "mov.u32 %r7, %envreg4; mov.u32 %r8, %envreg5; mov.u32 %r9, %ntid.x;\n"
               "add.u32 %r3, %r3, 1; st.global.v4.u32 [%rd0], {%r3, %r4, %r5, %r6};\n"
               "st.global.v4.u32 [%rd0+16], {%r7, %r8, %r9, %r0}; ret;\n}\n";

/* %rd1 is where the registers are; numbers of registers times 8 are offsets. */
#define PROGRAM(body)                                                                                        \
    PTX_HEADER ".visible .entry wb_aggregator(.param .u64 flow)\n{\n"                                        \
               ".reg .b64 %rd<8>; .reg .pred %p<4>;\nmov.u64 %rd1, 0x7ff0000000000000;\n" body "ret;\n}\n"
#define AWAIT_ROOM(label)                                                                                    \
    label ": ld.volatile.global.u64 %rd2, [%rd1]; setp.eq.u64 %p0, %rd2, 0; @%p0 bra " label ";\n"
#define AWAIT_ENDS(label)                                                                                    \
    label ": ld.volatile.global.u64 %rd2, [%rd1+8]; setp.ne.u64 %p0, %rd2, 0; @%p0 bra " label ";\n"
#define END "st.volatile.global.u64 [%rd1+48], 0;\n"

typedef struct Found {
    uint32_t channel, first, count, task, flow[2], width, wave;
} Found;

/* A graph of two nodes and two channels, whose kernels get `out`. */
typedef struct Rig {
    WbGpu *gpu;
    WbModule *module;
    WbFlow *flow;
    uint64_t out;
    char policy[64];
} Rig;

static void check(const Rig *rig, WbStatus status)
{
    if (status != WB_OK)
        fail_msg("%s", wb_error(rig->gpu));
}

static void write_policy(Rig *rig, const char *program)
{
    snprintf(rig->policy, sizeof rig->policy, "%s/warpbeam-policy-XXXXXX.ptx", P_tmpdir);
    const int handle = mkstemps(rig->policy, 4);
    assert_true(handle >= 0);
    assert_int_equal(write(handle, program, strlen(program)), strlen(program));
    close(handle);
}

static Rig open_rig(const char *const *knobs, const char *program, const char *ptx, const char *kernel_name)
{
    Rig rig = {.gpu = harness_open("apu8", knobs)};
    WbKernel *kernel;
    write_policy(&rig, program);
    check(&rig, wb_module_load(rig.gpu, "tasks.ptx", ptx, strlen(ptx), &rig.module));
    check(&rig, wb_module_kernel(rig.module, kernel_name, &kernel));
    check(&rig, wb_malloc(rig.gpu, MOST_WAVES * WIDTH * sizeof(Found), &rig.out));
    check(&rig, wb_flow_create(rig.gpu, &rig.flow));
    for (uint32_t i = 0; i < 2; i++) {
        const WbArgument argument = WB_ARG(rig.out);
        uint32_t channel, node;
        check(&rig, wb_flow_add_channel(rig.flow,
                                        &(WbFlowChannel){.name = i ? "right" : "left", .element_bytes = 4},
                                        &channel));
        check(&rig, wb_flow_add_node(rig.flow, kernel,
                                     &(WbLaunch){.arguments = &argument, .argument_count = 1}, &node));
        check(&rig, wb_flow_connect(rig.flow, channel, node));
    }
    check(&rig, wb_flow_set_policy(rig.flow, rig.policy));
    return rig;
}

static void close_rig(Rig *rig)
{
    unlink(rig->policy);
    wb_flow_destroy(rig->flow);
    wb_gpu_close(rig->gpu);
}

static WbStatus run(Rig *rig, Found *found)
{
    const size_t bytes = MOST_WAVES * WIDTH * sizeof *found;
    check(rig, wb_set_device(rig->gpu, rig->out, 0, bytes));
    const WbStatus status = wb_flow_launch(rig->flow, NULL);
    return status != WB_OK ? status : wb_copy_from_device(rig->gpu, found, rig->out, bytes);
}

static const char *const modes[] = {"mode=functional", "mode=cycle"};

/* -- what tasks find -- */

/* The wavefront has run for so many elements, and those lanes alone. */
static void expect_wave(const Found *found, uint32_t wave, uint32_t channel, uint32_t first, uint32_t count,
                        uint32_t task)
{
    for (uint32_t lane = 0; lane < WIDTH; lane++) {
        const Found *one = &found[wave * WIDTH + lane];
        if (lane >= count) {
            assert_int_equal(one->channel, 0);
            continue;
        }
        assert_int_equal(one->channel, channel + 1);
        assert_int_equal(one->first, first);
        assert_int_equal(one->count, count);
        assert_int_equal(one->task, task);
        assert_int_equal(one->width, WIDTH);
        assert_int_equal(one->wave, wave);
        assert_int_equal(one->flow[0], found->flow[0]);
        assert_true(one->flow[0] || one->flow[1]);
    }
}

static const char three_tasks[] =
    PROGRAM("st.volatile.global.u64 [%rd1+16], 0x0000000000000000;\n" /* node 0, channel 0 */
            "st.volatile.global.u64 [%rd1+24], 0x0000000700000040;\n" /* from 7 on, 64 */
            "st.volatile.global.u64 [%rd1+16], 0x0000000100000001;\n" /* node 1, channel 1 */
            "st.volatile.global.u64 [%rd1+24], 0xfffffff000000021;\n" /* from -16 on, 33 */
            "st.volatile.global.u64 [%rd1+24], 0x0000000000000001;\n" AWAIT_ENDS("A") END);

/* The same for any number of threads; twice in a row. */
static void test_tasks(void **state)
{
    static const char *const threads[] = {"threads=1", "threads=2", "threads=3", "threads=8"};
    static Found found[MOST_WAVES * WIDTH];
    char *first = NULL;
    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        Rig rig = open_rig((const char *const[]){modes[i > 0], i ? threads[i - 1] : NULL, NULL}, three_tasks,
                           kernels, "note");
        for (unsigned times = 0; times < 2; times++) {
            check(&rig, run(&rig, found));
            expect_wave(found, 0, 0, 7, 64, 0);
            expect_wave(found, 1, 1, 0xfffffff0, 33, 0);
            expect_wave(found, 2, 1, 0, 1, 1);
            expect_wave(found, 3, 0, 0, 0, 0);
        }
        if (i)
            harness_same_report(rig.gpu, "\"unit_aggregator.lanes\": 196", &first);
        close_rig(&rig);
    }
    free(first);
}

/* More tasks than the queue has entries: the program waits for room. */
static void test_queue(void **state)
{
    static const char many[] =
        PROGRAM("mov.u64 %rd3, 0;\n" AWAIT_ROOM("R") "st.volatile.global.u64 [%rd1+24], 64;\n"
                "add.u64 %rd3, %rd3, 1; setp.lt.u64 %p1, %rd3, 24; @%p1 bra R;\n" AWAIT_ENDS("A") END);
    static Found found[MOST_WAVES * WIDTH];
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        Rig rig = open_rig((const char *const[]){modes[i], "aggregator_queue=3", NULL}, many, kernels, "note");
        check(&rig, run(&rig, found));
        for (uint32_t wave = 0; wave < MOST_WAVES; wave++)
            expect_wave(found, wave, 0, 0, WIDTH, wave);
        close_rig(&rig);
    }
}

/* -- wavefronts that yield -- */

/* The first word of each lane is 1 + its SM before the wavefront yields, the second that behind it. */
static const char yielding[] = PTX_HEADER
    ".extern .func wb_wave_yield (.param .b32 wave);\n"
    ".visible .entry yields(.param .u64 out)\n{\n"
    ".reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd0, [out]; mov.u32 %r0, %envreg3; mov.u32 %r1, %tid.x;\n"
    "mad.lo.u32 %r2, %r0, 64, %r1; mul.wide.u32 %rd1, %r2, 32; add.u64 %rd0, %rd0, %rd1;\n"
    "mov.u32 %r3, %smid; add.u32 %r3, %r3, 1; st.global.u32 [%rd0], %r3;\n"
    "{ .param .b32 w; st.param.b32 [w], %r0; call wb_wave_yield, (w); }\n"
    "mov.u32 %r4, %smid; add.u32 %r4, %r4, 1; st.global.u32 [%rd0+4], %r4; ret;\n}\n";

/* Ten wavefronts, one after the other; each is restarted when RESTART's loop has gone round so often. */
#define YIELDS(loops)                                                                                        \
    PROGRAM("mov.u64 %rd3, 0;\n"                                                                             \
            "D: st.volatile.global.u64 [%rd1+24], 40;\nmov.u64 %rd4, 0;\n"                                   \
            "L: ld.volatile.global.u64 %rd2, [%rd1]; add.u64 %rd4, %rd4, 1;\n"                              \
            "setp.lt.u64 %p1, %rd4, " loops "; @%p1 bra L;\n"                                                \
            "st.volatile.global.u64 [%rd1+32], %rd3;\n" AWAIT_ENDS("A")                                      \
            "add.u64 %rd3, %rd3, 1; setp.lt.u64 %p1, %rd3, 10; @%p1 bra D;\n" END)

/* The restart comes before the wavefront has begun, while it is saved, or long after: it goes on where it was
 * in any case. */
static void test_restarts(void **state)
{
    static const char *const programs[] = {YIELDS("1"), YIELDS("100"), YIELDS("200"), YIELDS("300"),
                                           YIELDS("3000")};
    static Found found[MOST_WAVES * WIDTH];
    (void)state;
    for (unsigned i = 0; i < 2 * sizeof programs / sizeof *programs; i++) {
        Rig rig = open_rig((const char *const[]){modes[i % 2], NULL}, programs[i / 2], yielding, "yields");
        WbStat stat;
        check(&rig, run(&rig, found));
        for (uint32_t lane = 0; lane < 10 * WIDTH; lane++) {
            assert_int_equal(found[lane].channel != 0, lane % WIDTH < 40);
            assert_int_equal(found[lane].first, found[lane].channel);
        }
        if (i % 2) {
            check(&rig, wb_stat_find(rig.gpu, "unit_aggregator.restarts", &stat));
            assert_int_equal(stat.value, 10);
            check(&rig, wb_stat_find(rig.gpu, "unit_aggregator.yields", &stat));
            assert_int_equal(stat.value, 10);
            check(&rig, wb_stat_find(rig.gpu, "blocks_suspended", &stat));
            assert_int_equal(stat.value, 10);
        }
        close_rig(&rig);
    }
}

/* -- programs that do what they must not -- */

static const char *limits[2]; /* knobs, in either mode; null: none */

static void expect_failure_of(const char *program, const char *ptx, const char *kernel, const char *part)
{
    static Found found[MOST_WAVES * WIDTH];
    for (unsigned i = 0; i < 2; i++) {
        Rig rig = open_rig((const char *const[]){modes[i], "aggregator_queue=2", "watchdog_cycles=20000",
                                                 limits[i], NULL},
                           program, ptx, kernel);
        const WbStatus status = run(&rig, found);
        if (status == WB_OK || !strstr(wb_error(rig.gpu), part))
            fail_msg("expected '%s', got %s", part, wb_error(rig.gpu));
        close_rig(&rig);
    }
}

static void expect_failure(const char *program, const char *part)
{
    expect_failure_of(program, kernels, "note", part);
}

static void test_failures(void **state)
{
    (void)state;
    expect_failure(PROGRAM("st.volatile.global.u64 [%rd1+24], 64;\nst.volatile.global.u64 [%rd1+24], 64;\n"
                           "st.volatile.global.u64 [%rd1+24], 64;\n" AWAIT_ENDS("A") END),
                   "dispatches a wavefront while the dispatcher's queue of 2 tasks (knob aggregator_queue) is "
                   "full");
    expect_failure(PROGRAM("st.volatile.global.u64 [%rd1+24], 65;\n" AWAIT_ENDS("A") END),
                   "dispatches a wavefront for 65 elements; it has 64 lanes");
    expect_failure(PROGRAM("st.volatile.global.u64 [%rd1+24], 0;\n" AWAIT_ENDS("A") END),
                   "dispatches a wavefront for 0 elements");
    expect_failure(PROGRAM("st.volatile.global.u64 [%rd1+16], 0x0000000200000001;\n"
                           "st.volatile.global.u64 [%rd1+24], 1;\n" AWAIT_ENDS("A") END),
                   "dispatches a wavefront of node 2 for channel 1; the graph has 2 nodes and 3 channels");
    expect_failure(PROGRAM("st.volatile.global.u64 [%rd1+24], 1;\n" END), "ends the graph while 1 wavefront");
    expect_failure(PROGRAM("st.volatile.global.u64 [%rd1+32], 5;\n" AWAIT_ENDS("A") END),
                   "restarts wavefront 5, which has not yielded");
    expect_failure_of(PROGRAM("st.volatile.global.u64 [%rd1+24], 9;\nst.volatile.global.u64 [%rd1+32], 0;\n"
                              "st.volatile.global.u64 [%rd1+32], 0;\n" AWAIT_ENDS("A") END),
                      yielding, "yields", "restarts wavefront 0, which has not yielded");
    expect_failure_of(PROGRAM("st.volatile.global.u64 [%rd1+24], 9;\n" AWAIT_ENDS("A") END), yielding,
                      "yields", "the flow graph is stuck: 1 wavefront waits for room");
    expect_failure(PROGRAM("st.volatile.global.u64 [%rd1+40], 9;\n" AWAIT_ENDS("A") END), "is in state 9");
    expect_failure(PROGRAM("st.volatile.global.u64 [%rd1+8], 9;\n" END), "writes register 1");
    expect_failure(PROGRAM("ld.volatile.global.u64 %rd2, [%rd1+24];\n" END), "reads register 3");
    expect_failure(PROGRAM(""), "returns before it has ended the graph");
    expect_failure(PROGRAM("L: ld.volatile.global.u64 %rd2, [%rd1+8]; bra L;\n"),
                   "looks for work and finds none, but does not end the graph: for 20000");
}

/* A task that never ends is found though the aggregator goes on looking for work. */
static void test_spins(void **state)
{
    static const char spinning[] =
        PTX_HEADER ".visible .entry spins(.param .u64 out)\n{\n.reg .b32 %r0; .reg .b64 %rd0; .reg .pred %p;\n"
                   "ld.param.u64 %rd0, [out];\n"
                   "L: ld.volatile.global.u32 %r0, [%rd0]; setp.eq.u32 %p, %r0, 0; @%p bra L; ret;\n}\n";
    static const char program[] = PROGRAM("st.volatile.global.u64 [%rd1+24], 9;\n" AWAIT_ENDS("A") END);
    (void)state;
    expect_failure_of(program, spinning, "spins", "spins");
    limits[0] = "functional_limit=3000";
    limits[1] = "cycle_limit=3000";
    expect_failure_of(program, spinning, "spins", "has run 3000");
    limits[0] = limits[1] = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tasks),
        cmocka_unit_test(test_queue),
        cmocka_unit_test(test_restarts),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_spins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
