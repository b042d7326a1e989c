/* Channels on the machine: tasks of random flow graphs feed each other through channels as small as they may
 * be, in all forms and with all policies; every element comes out once. Kernels of clang and of nvcc. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpbeam_flow.h"

enum { MOST_CHANNELS = 4, MOST_ELEMENTS = 2000, FIRST = 100, LEVELS = 16 };

static const char *const variants[] = {"clang", "sm_75"};
static const char *const policies[] = {"cilk", "depth", "fifo"};

typedef struct Element {
    uint32_t id, check, channel, pad;
} Element;

typedef struct Board {
    uint32_t made, most, wrong, channels, times[MOST_ELEMENTS];
} Board;

typedef struct Rig {
    WbGpu *gpu;
    WbModule *module;
    WbFlow *flow;
} Rig;

static uint32_t mixed(uint32_t value)
{
    value = (value ^ value >> 16) * 0x45d9f3bu;
    value = (value ^ value >> 16) * 0x45d9f3bu;
    return value ^ value >> 16;
}

static void check(const Rig *rig, WbStatus status)
{
    if (status != WB_OK)
        fail_msg("%s", wb_error(rig->gpu));
}

static Rig open_rig(const char *gpu, const char *const *knobs, const char *variant)
{
    Rig rig = {.gpu = harness_open(gpu, knobs)};
    char path[256];
    snprintf(path, sizeof path, SOURCE_DIRECTORY "/tests/end-to-end/kernels/channels.%s.ptx", variant);
    check(&rig, wb_module_load_file(rig.gpu, path, &rig.module));
    check(&rig, wb_flow_create(rig.gpu, &rig.flow));
    return rig;
}

static void close_rig(Rig *rig)
{
    wb_flow_destroy(rig->flow);
    wb_gpu_close(rig->gpu);
}

static uint32_t add_node(const Rig *rig, const char *name, const WbArgument *arguments, uint32_t count)
{
    WbKernel *kernel;
    uint32_t node;
    check(rig, wb_module_kernel(rig->module, name, &kernel));
    const WbLaunch launch = {.arguments = arguments, .argument_count = count};
    check(rig, wb_flow_add_node(rig->flow, kernel, &launch, &node));
    return node;
}

static uint64_t statistic(const Rig *rig, const char *name)
{
    WbStat stat;
    check(rig, wb_stat_find(rig->gpu, name, &stat));
    return stat.value;
}

/* -- random graphs -- */

/* Channels with a node each; the first gets elements. */
static void add_channels(const Rig *rig, Board *board, uint64_t address, uint32_t seed)
{
    const WbArgument argument = WB_ARG(address);
    for (uint32_t i = 0; i < board->channels; i++) {
        uint32_t channel;
        const WbFlowChannel wish = {.name = "c",
                                    .element_bytes = (uint32_t)sizeof(Element) + mixed(seed + i) % 2 * 8,
                                    .done_count = 1u << mixed(seed + i + 10) % 7,
                                    .predicate = (WbPredicate)(mixed(seed + i + 20) % 2)};
        check(rig, wb_flow_add_channel(rig->flow, &wish, &channel));
        check(rig, wb_flow_connect(rig->flow, channel, add_node(rig, "feeding", &argument, 1)));
        for (uint32_t p = 0; p < (i == 0 ? FIRST : mixed(seed + i + 30) % 5); p++) {
            const Element element[2] = {{board->made, mixed(board->made), i, 0}};
            board->made++;
            check(rig, wb_flow_put(rig->flow, channel, element, 1));
        }
    }
}

static uint64_t run_graph(const char *gpu, const char *const *knobs, uint32_t seed)
{
    Rig rig = open_rig(gpu, knobs, variants[seed / 3 % 2]);
    uint64_t address;
    Board *board = calloc(1, sizeof *board);
    board->most = MOST_ELEMENTS;
    board->channels = 2 + mixed(seed) % (MOST_CHANNELS - 1);
    check(&rig, wb_malloc(rig.gpu, sizeof *board, &address));
    add_channels(&rig, board, address, seed);
    check(&rig, wb_copy_to_device(rig.gpu, address, board, sizeof *board));
    check(&rig, wb_flow_set_policy(rig.flow, policies[seed % 3]));
    check(&rig, wb_flow_launch(rig.flow, NULL));
    check(&rig, wb_copy_from_device(rig.gpu, board, address, sizeof *board));
    assert_int_equal(board->wrong, 0);
    assert_true(board->made > FIRST * 2);
    for (uint32_t i = 0; i < MOST_ELEMENTS; i++)
        assert_int_equal(board->times[i], i < board->made);
    assert_int_equal(statistic(&rig, "unit_aggregator.lanes"), board->made);
    const uint64_t yields = statistic(&rig, "unit_aggregator.yields");
    assert_int_equal(statistic(&rig, "unit_aggregator.restarts"), yields);
    free(board);
    close_rig(&rig);
    return yields;
}

static const char *const forms[] = {"channel_form=efficient", "channel_form=per_lane", "channel_form=padded"};

static void elements_are_conserved(const char *mode, uint32_t graphs)
{
    uint64_t yields = 0;
    for (uint32_t seed = 0; seed < graphs; seed++) {
        char sms[32];
        snprintf(sms, sizeof sms, "sm_count=%u", 1 + seed % 8);
        const bool is_other = seed % 4 == 3;
        const char *const knobs[] = {mode, "channel_width=128", forms[mixed(seed + 5) % 3],
                                     sms,  seed % 2 ? "l1_coherence=none" : "l1_coherence=ownership", NULL};
        yields += run_graph(is_other ? "titanv" : "apu8", knobs, seed);
    }
    assert_true(yields > 0);
}

static void elements_are_conserved_without_time(void **state)
{
    (void)state;
    elements_are_conserved("mode=functional", 8);
}

static void elements_are_conserved_in_time(void **state)
{
    (void)state;
    elements_are_conserved("mode=cycle", 5);
}

/* -- recursion -- */

static uint32_t expected(uint32_t n) { return n <= 2 ? 1 : expected(n - 1) + expected(n - 2); }

/* fib(n) with these knobs; the tasks that it took. */
static uint64_t run_fib(const char *const *knobs, uint32_t n, const char *variant, char **report)
{
    Rig rig = open_rig("apu8", knobs, variant);
    uint32_t calls, frames, found = 0;
    struct {
        uint32_t n, pad;
        uint64_t result;
    } first = {.n = n};
    const WbFlowChannel wish = {.element_bytes = sizeof first};
    check(&rig, wb_flow_add_stack(rig.flow, &wish, LEVELS, false, &calls));
    check(&rig, wb_flow_add_stack(rig.flow, &wish, LEVELS, true, &frames));
    const WbArgument arguments[] = {WB_ARG(calls), WB_ARG(frames)};
    check(&rig, wb_flow_connect(rig.flow, calls, add_node(&rig, "fib", arguments, 2)));
    check(&rig, wb_flow_connect(rig.flow, frames, add_node(&rig, "sum", NULL, 0)));
    check(&rig, wb_malloc(rig.gpu, sizeof found, &first.result));
    check(&rig, wb_flow_put(rig.flow, calls, &first, 1));
    check(&rig, wb_flow_launch(rig.flow, NULL));
    check(&rig, wb_copy_from_device(rig.gpu, &found, first.result, sizeof found));
    assert_int_equal(found, expected(n));
    const uint64_t tasks = statistic(&rig, "unit_aggregator.tasks");
    if (report)
        harness_same_report(rig.gpu, "unit_aggregator", report);
    close_rig(&rig);
    return tasks;
}

/* One wavefront for each level that is not full, and as many full ones as there are. */
static void recursion_takes_few_wavefronts(void **state)
{
    (void)state;
    const char *const knobs[] = {"mode=functional", NULL};
    enum { N = 16 };
    uint64_t tasks = 0;
    uint32_t of[LEVELS + 1][N + 1] = {0}; /* calls of a level with an argument */
    of[0][N] = 1;
    for (uint32_t level = 0; level < LEVELS; level++) {
        uint32_t calls = 0, frames = 0;
        for (uint32_t n = 1; n <= N; n++) {
            calls += of[level][n];
            if (n <= 2)
                continue;
            frames += of[level][n];
            of[level + 1][n - 1] += of[level][n];
            of[level + 1][n - 2] += of[level][n];
        }
        tasks += (calls + 63) / 64 + (frames + 63) / 64;
    }
    assert_int_equal(run_fib(knobs, N, "clang", NULL), tasks);
}

static void recursion_is_right_in_small_channels(void **state)
{
    (void)state;
    static const char *const cores[] = {"aggregator_core=simple", "aggregator_core=two_way_light",
                                        "aggregator_core=two_way", "aggregator_core=four_way"};
    for (size_t i = 0; i < 4; i++) {
        const char *const knobs[] = {"mode=cycle", "channel_width=64", "sm_count=2", cores[i],
                                     forms[i % 3], NULL};
        run_fib(knobs, 11, variants[i % 2], NULL);
    }
}

static void threads_make_no_difference(void **state)
{
    (void)state;
    static const char *const threads[] = {"threads=1", "threads=2", "threads=3", "threads=8"};
    char *report = NULL;
    for (size_t i = 0; i < 4; i++) {
        const char *const knobs[] = {"mode=cycle", "channel_width=64", "sm_count=4", threads[i], NULL};
        run_fib(knobs, 9, "clang", &report);
    }
    free(report);
}

/* -- wrong use -- */

static void expect_fault(const char *kernel, const char *const *parts)
{
    const char *const knobs[] = {"mode=functional", NULL};
    Rig rig = open_rig("apu8", knobs, "clang");
    uint32_t channel;
    const WbFlowChannel wish = {.name = "numbers", .element_bytes = 8};
    const uint32_t element[2] = {0};
    check(&rig, wb_flow_add_channel(rig.flow, &wish, &channel));
    check(&rig, wb_flow_connect(rig.flow, channel, add_node(&rig, kernel, NULL, 0)));
    check(&rig, wb_flow_put(rig.flow, channel, element, 1));
    WbStatus status = wb_flow_launch(rig.flow, NULL);
    if (status == WB_OK)
        status = wb_wait(rig.gpu);
    assert_int_not_equal(status, WB_OK);
    for (; *parts; parts++)
        if (!strstr(wb_error(rig.gpu), *parts))
            fail_msg("\"%s\" has no \"%s\"", wb_error(rig.gpu), *parts);
    close_rig(&rig);
}

static void faults_name_node_channel_and_line(void **state)
{
    (void)state;
    expect_fault("twice", (const char *const[]){"twice", "numbers", "line 104", NULL});
    expect_fault("too_large", (const char *const[]){"too_large", "numbers", "line 113", "256", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_conserved_without_time),
        cmocka_unit_test(elements_are_conserved_in_time),
        cmocka_unit_test(recursion_takes_few_wavefronts),
        cmocka_unit_test(recursion_is_right_in_small_channels),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(faults_name_node_channel_and_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
