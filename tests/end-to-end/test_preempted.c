/* Grids larger than the machine whose blocks wait for each other: they end, with the results that they would
 * have anywhere, however their blocks take turns; and the sentence where there are too many of them. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYNCS = 4, MOST_KNOBS = 24, MOST_JOBS = 3, MOST_STATS = 4000 };

/* Values go from block to block between syncs, and between threads through shared memory, which lasts. Each
 * thread has a register of its own that nobody else sees. Warps of every third block end before the last sync,
 * but for the first. */
static const char source[] =
    PTX_HEADER
    ".extern .func wb_global_sync();\n"
    ".visible .entry k(.param .u64 out) {\n"
    ".reg .u32 %r<32>; .reg .u64 %o, %a, %c; .reg .pred %p, %q; .shared .align 4 .b8 box[512];\n"
    "ld.param.u64 %o, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %ctaid.x;\n"
    "mov.u32 %r3, %nctaid.x; mul.lo.u32 %r3, %r3, %r1; mad.lo.u32 %r4, %r2, %r1, %r0;\n"
    "mul.wide.u32 %a, %r4, 4; add.u64 %a, %o, %a; ld.global.u32 %r5, [%a];\n"
    "mov.u32 %r6, box; shl.b32 %r7, %r0, 2; add.u32 %r7, %r6, %r7; mul.lo.u32 %r8, %r5, 3;\n"
    "st.shared.u32 [%r7], %r8; add.u32 %r9, %r0, 1; rem.u32 %r9, %r9, %r1; shl.b32 %r9, %r9, 2;\n"
    "add.u32 %r9, %r6, %r9; add.u32 %r10, %r4, %r1; rem.u32 %r10, %r10, %r3; mov.u32 %r11, 0;\n"
    "LOOP: bar.sync 0; and.b32 %r12, %r11, 1; mul.lo.u32 %r13, %r12, %r3; add.u32 %r13, %r13, %r10;\n"
    "mul.wide.u32 %c, %r13, 4; add.u64 %c, %o, %c; ld.global.u32 %r14, [%c]; ld.shared.u32 %r15, [%r9];\n"
    "mad.lo.u32 %r5, %r5, 5, %r14; add.u32 %r5, %r5, %r15; add.u32 %r5, %r5, %r11;\n"
    "bar.sync 0; st.shared.u32 [%r7], %r5; xor.b32 %r12, %r12, 1; mul.lo.u32 %r13, %r12, %r3;\n"
    "add.u32 %r13, %r13, %r4; mul.wide.u32 %c, %r13, 4; add.u64 %c, %o, %c; st.global.u32 [%c], %r5;\n"
    "call wb_global_sync;\n"
    "add.u32 %r11, %r11, 1; setp.lt.u32 %p, %r11, 4; @%p bra LOOP;\n"
    "rem.u32 %r16, %r2, 3; setp.ne.u32 %p, %r16, 0; setp.lt.u32 %q, %r0, 32; or.pred %p, %p, %q;\n"
    "@!%p bra END; call wb_global_sync;\n"
    "END: st.global.u32 [%a], %r5; ret; }\n";

typedef struct Job {
    uint32_t blocks, threads;
    uint32_t shared_bytes; /* besides its own */
    uint32_t *words;       /* two per thread */
} Job;

typedef struct Outcome {
    uint64_t values[MOST_STATS];
    size_t count;
} Outcome;

static uint64_t stat_of(const WbGpu *gpu, const char *name)
{
    WbStat stat;
    assert_int_equal(wb_stat_find(gpu, name, &stat), WB_OK);
    return stat.value;
}

static uint32_t first_word(uint32_t index) { return index * 2654435761u + 12345; }

/* What threads hold at the end. */
static uint32_t *reference(const Job *job)
{
    const uint32_t n = job->blocks * job->threads;
    uint32_t *own = calloc(n, sizeof *own), *box = calloc(n, sizeof *box), *old = calloc(n, sizeof *old);
    for (uint32_t i = 0; i < n; i++) {
        own[i] = old[i] = first_word(i);
        box[i] = 3 * own[i];
    }
    for (uint32_t sync = 0; sync < SYNCS; sync++) {
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t block = i / job->threads * job->threads;
            own[i] = own[i] * 5 + old[(i + job->threads) % n] +
                     box[block + (i - block + 1) % job->threads] + sync;
        }
        memcpy(old, own, n * sizeof *own);
        memcpy(box, own, n * sizeof *own);
    }
    free(box);
    free(old);
    return own;
}

static void look(const WbGpu *gpu, Outcome *outcome)
{
    WbStat stat;
    outcome->count = 0;
    while (outcome->count < MOST_STATS && wb_stat_at(gpu, outcome->count, &stat) == WB_OK)
        outcome->values[outcome->count++] = stat.value;
}

/* Runs the jobs side by side, each in a stream, and checks what they have computed. */
static WbStatus run_jobs(WbGpu *gpu, const Job *jobs, uint32_t count)
{
    WbModule *module;
    WbKernel *kernel;
    uint64_t buffers[MOST_JOBS];
    WbStatus status = WB_OK;
    assert_int_equal(wb_module_load(gpu, "k.ptx", source, strlen(source), &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "k", &kernel), WB_OK);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t n = jobs[i].blocks * jobs[i].threads;
        for (uint32_t w = 0; w < 2 * n; w++)
            jobs[i].words[w] = first_word(w);
        assert_int_equal(wb_malloc(gpu, 2 * n * sizeof(uint32_t), &buffers[i]), WB_OK);
        assert_int_equal(wb_copy_to_device(gpu, buffers[i], jobs[i].words, 2 * n * sizeof(uint32_t)), WB_OK);
    }
    for (uint32_t i = 0; i < count && !status; i++) {
        WbStream *stream;
        WbArgument arguments[] = {WB_ARG(buffers[i])};
        const WbLaunch launch = {.grid = {jobs[i].blocks, 1, 1},
                                 .block = {jobs[i].threads, 1, 1},
                                 .shared_bytes = jobs[i].shared_bytes,
                                 .arguments = arguments,
                                 .argument_count = 1};
        assert_int_equal(wb_stream_create(gpu, 0, i == 1 ? -1 : 0, &stream), WB_OK);
        status = wb_stream_launch(stream, kernel, &launch);
    }
    if (!status)
        status = wb_wait(gpu);
    for (uint32_t i = 0; i < count && !status; i++) {
        const uint32_t n = jobs[i].blocks * jobs[i].threads;
        uint32_t *right = reference(&jobs[i]);
        assert_int_equal(wb_copy_from_device(gpu, jobs[i].words, buffers[i], n * sizeof(uint32_t)), WB_OK);
        assert_memory_equal(jobs[i].words, right, n * sizeof(uint32_t));
        free(right);
    }
    return status;
}

/* -- random machines -- */

typedef struct Knobs {
    char texts[MOST_KNOBS][48];
    const char *list[MOST_KNOBS + 2];
    uint32_t count;
} Knobs;

static void put(Knobs *knobs, const char *name, uint64_t value)
{
    snprintf(knobs->texts[knobs->count], sizeof knobs->texts[0], "%s=%llu", name, (unsigned long long)value);
    knobs->list[knobs->count] = knobs->texts[knobs->count];
    knobs->list[++knobs->count] = NULL;
}

static void put_word(Knobs *knobs, const char *name, const char *value)
{
    snprintf(knobs->texts[knobs->count], sizeof knobs->texts[0], "%s=%s", name, value);
    knobs->list[knobs->count] = knobs->texts[knobs->count];
    knobs->list[++knobs->count] = NULL;
}

static void put_flag(Knobs *knobs, const char *name, bool value)
{
    put_word(knobs, name, value ? "true" : "false");
}

static WbGpu *open_machine(Knobs *knobs)
{
    knobs->list[knobs->count] = "mode=cycle";
    knobs->list[knobs->count + 1] = NULL;
    return harness_open("gtx970", knobs->list);
}

static uint32_t next(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

/* Few places of each kind, so that each of them is short now and then. */
static void put_machine(Knobs *knobs, uint32_t *seed)
{
    knobs->count = 0;
    put(knobs, "sm_count", 1 + next(seed, 3));
    put(knobs, "max_blocks_per_sm", 1 + next(seed, 4));
    put(knobs, "registers_per_sm", 4096 << next(seed, 5));
    put(knobs, "preempted_local", next(seed, 5));
    put_flag(knobs, "context_local", next(seed, 4));
    put_flag(knobs, "context_lazy", next(seed, 4));
    put_flag(knobs, "swapped_out_home", next(seed, 2));
    put_flag(knobs, "waiting_blocks_count", next(seed, 2));
    put_flag(knobs, "context_live_registers", next(seed, 4));
    static const char *const times[] = {"wanted", "wanted", "sm-idle", "gpu-idle"};
    put_word(knobs, "swap_out_when", times[next(seed, 4)]);
}

static void blocks_take_turns_on_small_machines(void **state)
{
    (void)state;
    uint32_t seed = 7;
    uint64_t stayed = 0, moved = 0, saved = 0;
    for (uint32_t round = 0; round < 12; round++) {
        static const unsigned threads[] = {1, 2, 3, 8}, windows[] = {0, 3, 1, 0};
        static Outcome outcomes[2];
        Knobs knobs = {0};
        Job jobs[MOST_JOBS];
        put_machine(&knobs, &seed);
        const uint32_t count = 1 + next(&seed, MOST_JOBS), own = knobs.count;
        for (uint32_t i = 0; i < count; i++) {
            jobs[i] = (Job){.blocks = 2 + next(&seed, 24), .threads = 32 * (1 + next(&seed, 4)) - i};
            jobs[i].words = calloc(2 * jobs[i].blocks * jobs[i].threads, sizeof *jobs[i].words);
        }
        for (unsigned turn = 0; turn < 4; turn += 1 + (round % 2 == 0)) {
            knobs.count = own;
            put(&knobs, "threads", threads[(turn + round / 2) % 4]);
            put(&knobs, "window", windows[turn]);
            WbGpu *gpu = open_machine(&knobs);
            if (run_jobs(gpu, jobs, count) != WB_OK)
                fail_msg("round %u: %s", round, wb_error(gpu));
            look(gpu, &outcomes[turn != 0]);
            stayed += stat_of(gpu, "yields_stayed");
            moved += stat_of(gpu, "yields_moved");
            saved += stat_of(gpu, "yields_saved");
            wb_gpu_close(gpu);
            if (turn)
                assert_memory_equal(&outcomes[0], &outcomes[1], sizeof *outcomes);
        }
        for (uint32_t i = 0; i < count; i++)
            free(jobs[i].words);
    }
    assert_true(stayed && moved && saved);
}

/* Kernels side by side whose blocks need much of different things. Contexts of one that stay on an SM leave
 * room for its other blocks, and no block stands in the way of those of other kernels for ever. */
static void kernels_of_different_sizes_take_turns(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (uint32_t round = 0; round < 16; round++) {
        Knobs knobs = {0};
        Job jobs[MOST_JOBS];
        put(&knobs, "sm_count", 1 + next(&seed, 2));
        put_flag(&knobs, "context_lazy", next(&seed, 3));
        put_flag(&knobs, "swapped_out_home", next(&seed, 2));
        for (uint32_t i = 0; i < MOST_JOBS; i++) {
            jobs[i] = (Job){.blocks = 10 + next(&seed, 50),
                            .threads = 32 * (1 + next(&seed, 4)),
                            .shared_bytes = next(&seed, 2) * next(&seed, 40000)};
            jobs[i].words = calloc(2 * jobs[i].blocks * jobs[i].threads, sizeof *jobs[i].words);
        }
        WbGpu *gpu = open_machine(&knobs);
        if (run_jobs(gpu, jobs, MOST_JOBS) != WB_OK)
            fail_msg("round %u: %s", round, wb_error(gpu));
        wb_gpu_close(gpu);
        for (uint32_t i = 0; i < MOST_JOBS; i++)
            free(jobs[i].words);
    }
}

/* -- too many blocks -- */

/* The value that the sentence names is enough, and one less is not. */
static void the_sentence_names_the_least_that_is_enough(void **state)
{
    (void)state;
    for (unsigned is_local = 0; is_local < 2; is_local++) {
        uint32_t words[2 * 40 * 64];
        const Job job = {.blocks = 40, .threads = 64, .words = words};
        unsigned long long least = 0;
        for (int more = -2; more < 1; more++) {
            Knobs knobs = {0};
            put(&knobs, "sm_count", 2);
            put(&knobs, "max_blocks_per_sm", 3);
            put_flag(&knobs, "context_local", is_local);
            put(&knobs, "preempted_local", 4);
            put(&knobs, "preempted_global", least ? least + (unsigned long long)more : 0);
            WbGpu *gpu = open_machine(&knobs);
            const WbStatus status = run_jobs(gpu, &job, 1);
            assert_int_equal(status, more ? WB_ERROR_TOO_LARGE : WB_OK);
            const char *named = strstr(wb_error(gpu), "preempted_global from ");
            if (more == -2)
                assert_int_equal(sscanf(named, "preempted_global from 0 to %llu", &least), 1);
            else if (!more)
                assert_int_equal(stat_of(gpu, "preempted_global_peak"), least);
            wb_gpu_close(gpu);
        }
        assert_int_equal(least, is_local ? 40 - 2 * 3 - 2 * 4 : 40 - 2 * 3);
    }
}

/* Of events nobody knows before how many will wait: the report says what is full. */
static void a_hang_names_the_queue_that_is_full(void **state)
{
    (void)state;
    static const char waits[] =
        PTX_HEADER
        ".extern .func wb_wait(.param .b32 event, .param .b32 target);\n"
        ".extern .func wb_signal(.param .b32 event, .param .b32 target);\n"
        ".visible .entry k(.param .u64 out) { .reg .u32 %b, %n; .reg .pred %p;\n"
        "mov.u32 %b, %ctaid.x; mov.u32 %n, %nctaid.x; sub.u32 %n, %n, 1; setp.eq.u32 %p, %b, %n;\n"
        "{ .param .b32 e; .param .b32 t; st.param.b32 [e], 1; st.param.b32 [t], 7;\n"
        "@%p bra LAST; call wb_wait, (e, t); ret;\nLAST: call wb_signal, (e, t); ret; } }\n";
    for (unsigned entries = 4; entries < 6; entries++) {
        uint32_t words[64] = {0};
        Knobs knobs = {0};
        put(&knobs, "sm_count", 1);
        put(&knobs, "max_blocks_per_sm", 2);
        put(&knobs, "preempted_local", 0);
        put(&knobs, "preempted_global", entries);
        WbGpu *gpu = open_machine(&knobs);
        const HarnessRun run = {gpu, waits, "k", {7, 1, 1}, {32, 1, 1}, 0, words, 64};
        const WbStatus status = harness_run(&run);
        assert_int_equal(status, entries == 4 ? WB_ERROR_DEADLOCK : WB_OK);
        if (status)
            assert_non_null(strstr(wb_error(gpu), "Raise preempted_global."));
        wb_gpu_close(gpu);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_take_turns_on_small_machines),
        cmocka_unit_test(kernels_of_different_sizes_take_turns),
        cmocka_unit_test(the_sentence_names_the_least_that_is_enough),
        cmocka_unit_test(a_hang_names_the_queue_that_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
