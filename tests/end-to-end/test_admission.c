/* Policies of the block dispatcher in whole runs: those that hold a kernel up are told by name, those that
 * have reason to wait are not stopped. */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "sm/sample.h"

/* Every block adds up words that it writes itself. */
static const char source[] = PTX_HEADER
    ".visible .entry k(.param .u64 out) {\n.reg .b64 %rd<3>; .reg .b32 %r<6>; .reg .pred %p<1>;\n"
    "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r0, %r1, 64, %r0;\n"
    "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1; mov.u32 %r2, 0;\n"
    "LOOP: ld.volatile.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, %r0; st.volatile.global.u32 [%rd1], %r3;\n"
    "add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 10; @%p0 bra LOOP; ret; }\n"
    /* The first block waits for the last one's word; that counts first, for a while. */
    ".visible .entry spin(.param .u64 out) {\n.reg .b64 %rd<3>; .reg .b32 %r<6>; .reg .pred %p<1>;\n"
    "ld.param.u64 %rd0, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, 0; setp.ne.u32 %p0, %r1, 0;\n"
    "@%p0 bra COUNT;\nSPIN: ld.volatile.global.u32 %r3, [%rd0]; setp.eq.u32 %p0, %r3, 0; @%p0 bra SPIN; "
    "ret;\n"
    "COUNT: ld.volatile.global.u32 %r3, [%rd0+4]; add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 50;\n"
    "@%p0 bra COUNT; st.volatile.global.u32 [%rd0], 1; ret; }\n";

enum { BLOCKS = 8, THREADS = 64, WORDS = BLOCKS * THREADS };

/* The GPU's machine, which has been made with the policies of its knobs, has these from now on. */
static void use(WbGpu *gpu, const DispatchPolicies *wanted)
{
    Dispatcher *dispatcher = &gpu->cycle->front_end->dispatcher;
    DispatchPolicies policies = dispatcher->policies;
    policies.source = wanted->source ? wanted->source : policies.source;
    policies.admits[0] = wanted->admits[0] ? wanted->admits[0] : policies.admits[0];
    policies.place = wanted->place ? wanted->place : policies.place;
    dispatcher_free(dispatcher);
    dispatcher_init(dispatcher, &gpu->cycle->config, &policies);
    for (uint32_t i = 0; i < gpu->cycle->sm_count; i++)
        sample_every(gpu->cycle->sms[i], dispatcher_sample_interval(dispatcher));
}

static WbGpu *open_gpu(const char *threads, const char *window)
{
    char settings[2][32];
    snprintf(settings[0], sizeof settings[0], "threads=%s", threads);
    snprintf(settings[1], sizeof settings[1], "window=%s", window);
    const char *const knobs[] = {"mode=cycle", "sm_count=2", "watchdog_cycles=3000",
                                 settings[0],  settings[1],  NULL};
    return harness_open("titanv", knobs);
}

static WbStatus run(WbGpu *gpu, const char *kernel, const DispatchPolicies *policies, uint32_t blocks)
{
    uint32_t out[WORDS] = {1}; /* nobody spins */
    const HarnessRun first = {gpu, source, kernel, {1, 1, 1}, {1, 1, 1}, 0, out, WORDS};
    harness_run_ok(&first);
    use(gpu, policies);
    memset(out, 0, sizeof out);
    const HarnessRun all = {gpu, source, kernel, {blocks, 1, 1}, {THREADS, 1, 1}, 0, out, WORDS};
    const WbStatus status = harness_run(&all);
    for (uint32_t i = 0; status == WB_OK && !strcmp(kernel, "k") && i < blocks * THREADS; i++)
        assert_int_equal(out[i], 10 * i);
    return status;
}

/* -- refusals -- */

static bool none_is_ready(const void *state, const DispatchView *view, const GridKernel *kernel,
                          uint64_t *block)
{
    (void)state, (void)view, (void)kernel, (void)block;
    return false;
}

static bool never(const void *state, const DispatchView *view, const BlockRef *block)
{
    (void)state, (void)view, (void)block;
    return false;
}

static uint32_t nowhere(const void *state, const DispatchView *view, const BlockRef *block)
{
    (void)state, (void)view, (void)block;
    return NO_SM;
}

/* Answers that are none. */
static bool block_of_nobody(const void *state, const DispatchView *view, const GridKernel *kernel,
                            uint64_t *block)
{
    (void)state, (void)view;
    *block = kernel->block_count;
    return true;
}

static uint32_t sm_of_nobody(const void *state, const DispatchView *view, const BlockRef *block)
{
    (void)state, (void)block;
    return view->sm_count;
}

/* Right while SM 0 has room: others wait for it, and all blocks run. */
static uint32_t always_first(const void *state, const DispatchView *view, const BlockRef *block)
{
    (void)state, (void)view, (void)block;
    return 0;
}

static void check_told(const char *kernel, const DispatchPolicies *policies, uint32_t blocks,
                       const char *const *parts)
{
    WbGpu *gpu = open_gpu("2", "0");
    assert_int_equal(run(gpu, kernel, policies, blocks), WB_ERROR_DEADLOCK);
    for (; *parts; parts++)
        if (!strstr(wb_error(gpu), *parts))
            fail_msg("'%s' is not in: %s", *parts, wb_error(gpu));
    wb_gpu_close(gpu);
}

static void a_wrong_answer_is_none(void **state)
{
    (void)state;
    static const BlockSource source_policy = {.base.about.name = "wild", .next = block_of_nobody};
    static const BlockPlace wild = {.base.about.name = "wild", .choose = sm_of_nobody};
    static const BlockPlace first = {.base.about.name = "first", .choose = always_first};
    check_told("k", &(DispatchPolicies){.source = &source_policy}, BLOCKS,
               (const char *const[]){"the policy block_source=wild names none that is ready", NULL});
    check_told("k", &(DispatchPolicies){.place = &wild}, BLOCKS,
               (const char *const[]){"the policy block_place=wild chooses none of them", NULL});
    WbGpu *gpu = open_gpu("2", "0");
    assert_int_equal(run(gpu, "k", &(DispatchPolicies){.place = &first}, BLOCKS), WB_OK);
    wb_gpu_close(gpu);
}

static void a_policy_that_refuses_is_named(void **state)
{
    (void)state;
    static const BlockSource source_policy = {.base.about.name = "lazy", .next = none_is_ready};
    static const BlockAdmit admit = {.base.about.name = "lazy", .may = never};
    static const BlockPlace place = {.base.about.name = "lazy", .choose = nowhere};
    check_told(
        "k", &(DispatchPolicies){.source = &source_policy}, BLOCKS,
        (const char *const[]){"nothing can happen any more",
                              "Likely cause: The blocks that have not been dispatched wait for their turn",
                              "the policy block_source=lazy names none that is ready", NULL});
    check_told("k", &(DispatchPolicies){.admits = {&admit}}, BLOCKS,
               (const char *const[]){"nothing can happen any more", "8 have not been dispatched",
                                     "the policy block_admit=lazy lets none in", NULL});
    check_told("k", &(DispatchPolicies){.place = &place}, BLOCKS,
               (const char *const[]){"nothing can happen any more",
                                     "the policy block_place=lazy chooses none of them", NULL});
}

/* -- pauses -- */

/* Pauses all blocks of an SM at the first sample, but those before `first`, and lets them go on with the one
 * that is `patience` behind it; 0: never. */
typedef struct Stern {
    uint32_t first, patience;
    uint32_t samples[2]; /* [sm] since */
} Stern;
static Stern stern;

static void *stern_init(const DispatchView *view, const GridKernel *kernel, void *counters)
{
    (void)view, (void)kernel, (void)counters;
    memset(stern.samples, 0, sizeof stern.samples);
    return &stern;
}

static bool always(const void *state, const DispatchView *view, const BlockRef *block)
{
    (void)state, (void)view, (void)block;
    return true;
}

static Cycle often(const GpuConfig *config)
{
    (void)config;
    return 200;
}

static void stern_sampled(void *state, const DispatchView *view, const SmSample *sample)
{
    Stern *own = state;
    const SmView *sm = &view->sms[sample->sm];
    const uint32_t count = ++own->samples[sample->sm];
    for (uint32_t i = 0; i < sm->resident; i++)
        if (sm->blocks[i].block.block >= own->first && (count == 1 || count == 1 + own->patience))
            dispatch_pause(view, sample->sm, i, count == 1);
}

static const BlockAdmit sternly = {.base = {.about.name = "stern", .init = stern_init},
                                   .may = always,
                                   .sample_interval = often,
                                   .sampled = stern_sampled};

static void a_policy_that_pauses_for_ever_is_named(void **state)
{
    (void)state;
    stern = (Stern){0};
    check_told("k", &(DispatchPolicies){.admits = {&sternly}}, BLOCKS,
               (const char *const[]){"nothing can happen any more",
                                     "Likely cause: 8 of the blocks on SMs are paused by the policy "
                                     "block_admit=stern, which does not let them go on.",
                                     "which is paused by block_admit=stern", NULL});
    stern = (Stern){.first = 1};
    check_told(
        "spin", &(DispatchPolicies){.admits = {&sternly}}, 2,
        (const char *const[]){"spins:", "1 of the blocks on SMs are paused by the policy block_admit=stern",
                              "which is paused by block_admit=stern", NULL});
}

/* All blocks stand still, and only samples come; the policy may wait for some before it goes on, for any
 * number of threads and windows in the same cycle. */
static void a_policy_may_answer_late(void **state)
{
    (void)state;
    static const char *const threads[] = {"1", "2", "4", "1"}, *const windows[] = {"0", "0", "0", "3"};
    static const char *const kernels[] = {"k", "spin"};
    for (uint32_t k = 0; k < 2; k++) {
        char *first = NULL;
        for (uint32_t i = 0; i < 4; i++) {
            WbGpu *gpu = open_gpu(threads[i], windows[i]);
            stern = (Stern){.first = k, .patience = SAMPLES_IN_VAIN - 2};
            if (run(gpu, kernels[k], &(DispatchPolicies){.admits = {&sternly}}, k ? 2 : BLOCKS) != WB_OK)
                fail_msg("%s", wb_error(gpu));
            const GridStatistics *counts = &gpu->cycle->front_end->statistics;
            assert_int_equal(counts->blocks_paused, k ? 1 : BLOCKS);
            assert_int_equal(counts->blocks_unpaused, k ? 1 : BLOCKS);
            assert_true(counts->sm_samples > SAMPLES_IN_VAIN);
            char *report = harness_report(gpu);
            if (!first)
                first = strdup(report);
            assert_string_equal(report, first);
            free(report);
            wb_gpu_close(gpu);
        }
        free(first);
    }
}

/* Each of the blocks has one pause in its stay, from the cycle on in which its SM has heard of it. */
static void timelines_show_pauses(void **state)
{
    (void)state;
    WbGpu *gpu = open_gpu("2", "0");
    assert_int_equal(wb_gpu_set(gpu, "timeline", "true"), WB_OK);
    stern = (Stern){.patience = 10};
    if (run(gpu, "k", &(DispatchPolicies){.admits = {&sternly}}, BLOCKS) != WB_OK)
        fail_msg("%s", wb_error(gpu));
    const EventLog *log = gpu->records.items[1]->log;
    assert_int_equal(log->barriers.count, BLOCKS);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        const BarrierPhase *phase = &log->barriers.items[i].phase;
        assert_int_equal(phase->name, PHASE_PAUSE_NAME);
        assert_int_equal(phase->released - phase->since, 10 * 200);
    }
    wb_gpu_close(gpu);
}

/* -- blocks that are sent away -- */

/* Sends all blocks from the fourth on away when their SM's first sample comes, and brings them back in cycle
 * `until`; CYCLE_NEVER: never. */
typedef struct Sweep {
    Cycle until;
    bool is_over;
    uint32_t count;
    BlockRef away[BLOCKS];
} Sweep;
static Sweep sweep;

static void *sweep_init(const DispatchView *view, const GridKernel *kernel, void *counters)
{
    (void)view, (void)kernel, (void)counters;
    return &sweep;
}

static void sweep_sampled(void *state, const DispatchView *view, const SmSample *sample)
{
    Sweep *own = state;
    const SmView *sm = &view->sms[sample->sm];
    for (uint32_t i = 0; i < sm->resident && own->count < BLOCKS && !own->is_over; i++) {
        if (sm->blocks[i].block.block < 4 || sm->blocks[i].block.returns)
            continue;
        own->away[own->count++] = sm->blocks[i].block;
        dispatch_swap_out(view, sample->sm, i);
    }
}

static Cycle sweep_wake(const void *state, const DispatchView *view)
{
    (void)view;
    return ((const Sweep *)state)->until;
}

static void sweep_woken(void *state, const DispatchView *view)
{
    Sweep *own = state;
    own->is_over = true;
    for (uint32_t i = 0; i < own->count; i++)
        dispatch_bring_back(view, &own->away[i]);
}

static const BlockAdmit sweeping = {
    .base = {.about.name = "sweep", .init = sweep_init, .next_wake = sweep_wake, .woken = sweep_woken},
    .may = always,
    .sample_interval = often,
    .sampled = sweep_sampled};

static void a_policy_may_send_blocks_away(void **state)
{
    (void)state;
    static const char *const threads[] = {"1", "2", "4", "1"}, *const windows[] = {"0", "0", "0", "3"};
    char *first = NULL;
    for (uint32_t i = 0; i < 4; i++) {
        WbGpu *gpu = open_gpu(threads[i], windows[i]);
        sweep = (Sweep){.until = 60000};
        if (run(gpu, "k", &(DispatchPolicies){.admits = {&sweeping}}, BLOCKS) != WB_OK)
            fail_msg("%s", wb_error(gpu));
        const GridStatistics *counts = &gpu->cycle->front_end->statistics;
        assert_int_equal(counts->blocks_swapped_out, BLOCKS - 4);
        assert_int_equal(counts->blocks_suspended, BLOCKS - 4);
        assert_true(gpu->records.items[1]->blocks[3].ended < 60000);
        assert_true(gpu->records.items[1]->blocks[4].ended > 60000);
        char *report = harness_report(gpu);
        if (!first)
            first = strdup(report);
        assert_string_equal(report, first);
        free(report);
        wb_gpu_close(gpu);
    }
    free(first);
}

static void one_that_brings_none_back_is_named(void **state)
{
    (void)state;
    sweep = (Sweep){.until = CYCLE_NEVER};
    check_told(
        "k", &(DispatchPolicies){.admits = {&sweeping}}, BLOCKS,
        (const char *const[]){"nothing can happen any more",
                              "4 blocks are kept off the SMs by the policy block_admit=sweep, which does "
                              "not bring them back.",
                              NULL});
}

/* -- waits -- */

static bool from_50000(const void *state, const DispatchView *view, const BlockRef *block)
{
    (void)state, (void)block;
    return view->now >= 50000;
}

static Cycle at_50000(const void *state, const DispatchView *view)
{
    (void)state, (void)view;
    return 50000;
}

static void a_policy_may_wait_for_its_time(void **state)
{
    (void)state;
    static const BlockAdmit late = {.base = {.about.name = "late", .next_wake = at_50000}, .may = from_50000};
    WbGpu *gpu = open_gpu("1", "0");
    if (run(gpu, "k", &(DispatchPolicies){.admits = {&late}}, BLOCKS) != WB_OK)
        fail_msg("%s", wb_error(gpu));
    assert_int_equal(gpu->records.items[1]->blocks[0].dispatched, 50000);
    wb_gpu_close(gpu);
}

/* Of each kernel so many new blocks, and then none before all of these have ended. */
enum { WAVES = 256 };
typedef struct Waves {
    struct {
        const GridKernel *kernel;
        uint64_t let_in, open;
    } kernels[WAVES];
    bool knows_returns;
} Waves;
static Waves waves;

static void *waves_init(const DispatchView *view, const GridKernel *kernel, void *counters)
{
    (void)view, (void)kernel, (void)counters;
    memset(waves.kernels, 0, sizeof waves.kernels);
    return &waves;
}

static uint32_t place_of(const Waves *own, const GridKernel *kernel)
{
    uint32_t at = 0;
    while (own->kernels[at].kernel != kernel)
        at++;
    return at;
}

static void wave_came(void *state, const DispatchView *view, const GridKernel *kernel)
{
    Waves *own = state;
    (void)view;
    const uint32_t at = place_of(own, NULL);
    own->kernels[at].kernel = kernel;
    own->kernels[at].let_in = own->kernels[at].open = kernel->dispatched_blocks - kernel->ended_blocks;
}

static void wave_left(void *state, const DispatchView *view, const GridKernel *kernel)
{
    (void)view;
    Waves *own = state;
    own->kernels[place_of(own, kernel)].kernel = NULL;
}

static void wave_started(void *state, const DispatchView *view, const BlockRef *block)
{
    (void)view;
    Waves *own = state;
    own->kernels[place_of(own, block->kernel)].let_in++;
    own->kernels[place_of(own, block->kernel)].open++;
}

static void wave_ended(void *state, const DispatchView *view, const BlockRef *block)
{
    (void)view;
    Waves *own = state;
    const uint32_t at = place_of(own, block->kernel);
    if (--own->kernels[at].open == 0)
        own->kernels[at].let_in = 0;
}

static bool wave_may(const void *state, const DispatchView *view, const BlockRef *block)
{
    (void)view;
    const Waves *own = state;
    return (block->returns && own->knows_returns) || own->kernels[place_of(own, block->kernel)].let_in < 1;
}

static const BlockAdmit by_waves = {.base = {.about.name = "waves",
                                             .init = waves_init,
                                             .kernel_came = wave_came,
                                             .kernel_left = wave_left,
                                             .block_started = wave_started,
                                             .block_ended = wave_ended},
                                    .may = wave_may};

enum { DEPTH = 4, NODES = (2 << DEPTH) - 1 };

/* Blocks leave to wait for what they launched, and come back: not as new ones. */
static void waves_of_blocks_that_leave(Kernels *kernels)
{
    int sums[NODES] = {0}, root = 0, depth = 0;
    assert_int_equal(wb_gpu_set(kernels->gpu, "mode", "cycle"), WB_OK);
    uint64_t device = kernels_upload(kernels, sums, sizeof sums);
    KERNELS_RUN(kernels, "tree", 1, 64, 0, WB_ARG(device), WB_ARG(root), WB_ARG(depth));
    use(kernels->gpu, &(DispatchPolicies){.admits = {&by_waves}});
    depth = DEPTH;
    const WbArgument arguments[] = {WB_ARG(device), WB_ARG(root), WB_ARG(depth)};
    const WbStatus status = kernels_try(kernels, "tree", (KernelsShape){1, 64, 0}, arguments, 3);
    if (!waves.knows_returns) {
        assert_int_equal(status, WB_ERROR_DEADLOCK);
        if (!strstr(wb_error(kernels->gpu),
                    "The blocks that may go on wait for a place: SMs have room for more, "
                    "but the policy block_admit=waves lets none in."))
            fail_msg("%s", wb_error(kernels->gpu));
        return;
    }
    assert_int_equal(status, WB_OK);
    kernels_download(kernels, device, sums, sizeof sums);
    assert_int_equal(sums[0], NODES);
}

static void waves_know_returns_from_new_blocks(void **state)
{
    (void)state;
    for (int knows = 0; knows < 2; knows++) {
        waves.knows_returns = knows;
        kernels_each_on("k20c", "launches", waves_of_blocks_that_leave);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_policy_that_refuses_is_named),
        cmocka_unit_test(a_wrong_answer_is_none),
        cmocka_unit_test(a_policy_that_pauses_for_ever_is_named),
        cmocka_unit_test(a_policy_may_answer_late),
        cmocka_unit_test(timelines_show_pauses),
        cmocka_unit_test(a_policy_may_send_blocks_away),
        cmocka_unit_test(one_that_brings_none_back_is_named),
        cmocka_unit_test(a_policy_may_wait_for_its_time),
        cmocka_unit_test(waves_know_returns_from_new_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
