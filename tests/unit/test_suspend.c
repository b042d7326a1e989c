/* Blocks that leave their SM in the middle of things and come back, wait or are paused there, and warps that
 * wait: the same results as if they had gone on, for any number of threads at the same times, nothing lost
 * and nothing counted twice. */
#include "suspend_rig.h"

/* Of each block some warps pause while others have loads, atomics, copies and fences under way, wait at
 * barriers or have ended. Words 1 to 3 of a thread's four and the counters are results. */
static const char source[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".extern .func pause (.param .b32 point);\n"
    ".func (.param .b32 out) deeper (.param .b32 in)\n{\n.reg .b32 %r<4>;\n"
    "ld.param.u32 %r0, [in]; mad.lo.u32 %r1, %r0, 3, 7;\n"
    "{ .param .b32 p; st.param.b32 [p], 5; call pause, (p); }\n"
    "add.u32 %r2, %r1, %r0; st.param.b32 [out], %r2; ret;\n}\n"
    ".visible .entry k(.param .u64 words, .param .u64 counters)\n{\n"
    ".shared .align 16 .b8 box[2048]; .local .align 4 .b8 own[64];\n"
    ".reg .b32 %r<48>; .reg .b64 %rd<16>; .reg .pred %p<8>;\n"
    "ld.param.u64 %rd0, [words]; ld.param.u64 %rd1, [counters];\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, %r1, %r0;\n"
    "mul.wide.u32 %rd2, %r3, 16; add.u64 %rd2, %rd0, %rd2; shr.u32 %r4, %r0, 5; ld.global.u32 %r5, [%rd2];\n"
    /* local memory */
    "and.b32 %r6, %r0, 7; shl.b32 %r6, %r6, 2; mov.u32 %r7, own; add.u32 %r7, %r7, %r6;\n"
    "mul.lo.u32 %r8, %r5, 5; st.local.u32 [%r7], %r8;\n"
    /* lanes go around differently often, and some pause within */
    "mov.u32 %r9, 0; mov.u32 %r10, 1; rem.u32 %r11, %r0, 7;\n"
    "LOOP: setp.ge.u32 %p0, %r9, %r11; @%p0 bra DONE; mad.lo.u32 %r10, %r10, 3, %r5;\n"
    "and.b32 %r12, %r0, 3; setp.ne.u32 %p1, %r12, 1; @%p1 bra NEXT;\n"
    "{ .param .b32 p; st.param.b32 [p], %r9; call pause, (p); }\n"
    "NEXT: add.u32 %r9, %r9, 1; bra LOOP;\nDONE:\n"
    /* atomics: one that returns the word that is there, one that does not */
    "atom.global.xor.b32 %r13, [%rd2+4], %r5; and.b32 %r14, %r0, 3; mul.wide.u32 %rd3, %r14, 4;\n"
    "add.u64 %rd3, %rd1, %rd3; red.global.add.u32 [%rd3], %r5;\n"
    "and.b32 %r15, %r4, 1; setp.eq.u32 %p2, %r15, 0; @%p2 bra MEET;\n"
    "{ .param .b32 p; st.param.b32 [p], 2; call pause, (p); }\n"
    /* shared memory and barriers */
    "MEET: xor.b32 %r16, %r10, %r13; mov.u32 %r17, box; shl.b32 %r18, %r0, 2; add.u32 %r18, %r17, %r18;\n"
    "st.shared.u32 [%r18], %r16; bar.sync 0; add.u32 %r19, %r0, 37; rem.u32 %r19, %r19, %r1;\n"
    "shl.b32 %r19, %r19, 2; add.u32 %r19, %r17, %r19; ld.shared.u32 %r20, [%r19];\n"
    "setp.lt.u32 %p3, %r0, 64; @%p3 bra PAIR; { .param .b32 p; st.param.b32 [p], 3; call pause, (p); }\n"
    "bra.uni PAST;\nPAIR: bar.sync 1, 64;\nPAST:\n"
    /* an asynchronous copy, a fence */
    "cp.async.ca.shared.global [%r18+1024], [%rd2], 4; cp.async.commit_group; setp.ne.u32 %p4, %r4, 2;\n"
    "@%p4 bra COPIED; { .param .b32 p; st.param.b32 [p], 4; call pause, (p); }\n"
    "COPIED: st.global.u32 [%rd2+8], %r20; membar.gl; cp.async.wait_group 0; bar.sync 0;\n"
    "ld.shared.u32 %r21, [%r19+1024];\n"
    "{ .param .b32 i; .param .b32 o; st.param.b32 [i], %r10; call (o), deeper, (i); ld.param.b32 %r22, [o]; "
    "}\n"
    /* the last warp ends, with a store under way */
    "ld.local.u32 %r23, [%r7]; add.u32 %r24, %r21, %r22; xor.b32 %r24, %r24, %r23;\n"
    "st.global.u32 [%rd2+12], %r24; setp.ge.u32 %p5, %r0, 96; @%p5 exit;\n"
    "{ .param .b32 p; st.param.b32 [p], 6; call pause, (p); }\n"
    "shfl.sync.bfly.b32 %r25, %r24, 5, 31, 0xffffffff; bar.red.popc.u32 %r26, 0, %p3;\n"
    "add.u32 %r25, %r25, %r26; st.global.u32 [%rd2+12], %r25; ret;\n}\n";

enum { BLOCKS = 10, THREADS = 112, WORDS = BLOCKS * THREADS * 4, COUNTERS = 4 };

typedef struct Outcome {
    uint32_t words[WORDS], counters[COUNTERS];
    uint64_t instructions, threads;
} Outcome;

static uint32_t every, phase;

static bool now_and_then(uint64_t linear, uint32_t warp, uint32_t point)
{
    return (linear * 7 + warp * 3 + point) % every == phase;
}

static uint32_t first_word(uint32_t i) { return i * 2654435761u; }

/* Runs the kernel on the rig, which must have been opened for `source`. */
static void run_all(PauseRig *rig, Outcome *outcome)
{
    const uint64_t words = pause_buffer(rig, sizeof outcome->words);
    const uint64_t counters = pause_buffer(rig, sizeof outcome->counters);
    uint32_t *bytes = pause_bytes(rig, words);
    for (uint32_t i = 0; i < WORDS; i++)
        bytes[i] = first_word(i);
    rig->parameters[0] = words;
    rig->parameters[1] = counters;
    pause_shape(rig, BLOCKS, THREADS);
    const WorldEnd end = pause_run(rig, 0, 100000000);
    assert_true(end.next == CYCLE_NEVER);
    pause_check(rig, end.time);
    memcpy(outcome->words, bytes, sizeof outcome->words);
    memcpy(outcome->counters, pause_bytes(rig, counters), sizeof outcome->counters);
    outcome->instructions = outcome->threads = 0;
    for (uint32_t i = 0; i < rig->heard.count; i++) {
        outcome->instructions += rig->heard.items[i].report.warp_instructions;
        outcome->threads += rig->heard.items[i].report.thread_instructions;
    }
}

/* What any run must give for a few words that are easily worked out. */
static void check_sense(const Outcome *outcome)
{
    uint32_t counters[COUNTERS] = {0};
    for (uint32_t i = 0; i < BLOCKS * THREADS; i++) {
        const uint32_t a = first_word(4 * i);
        counters[i % THREADS % 4] += a;
        assert_int_equal(outcome->words[4 * i], a);
        assert_int_equal(outcome->words[4 * i + 1], first_word(4 * i + 1) ^ a);
    }
    assert_memory_equal(outcome->counters, counters, sizeof counters);
}

/* All kinds of waits, in turn. */
static WaitKind any_kind(uint64_t linear, uint32_t warp, uint32_t point)
{
    static const WaitKind kinds[] = {WARP_WAITS, BLOCK_WAITS, BLOCK_LEAVES, BLOCK_WAITS};
    return kinds[(linear + 3 * warp + 5 * point) % 4];
}

static void same_results_on(const char *gpu)
{
    static Outcome stayed, left;
    PauseRig *rig = pause_open(gpu, source, NULL);
    run_all(rig, &stayed);
    check_sense(&stayed);
    assert_int_equal(pause_count(rig, MESSAGE_BLOCK_SUSPENDED), 0);
    pause_close(rig);
    uint32_t most = 0;
    uint64_t held = 0;
    for (every = 1; every <= 7; every += 2)
        for (phase = 0; phase < every; phase += 2) {
            rig = pause_open(gpu, source, NULL);
            rig->waits = now_and_then;
            rig->step = phase % 3;
            rig->away = 100 * every;
            rig->limit = 1 + phase % 2 + every / 5;
            rig->kind = every > 1 ? any_kind : NULL;
            rig->stay = rig->waker.least + 60 * phase;
            run_all(rig, &left);
            most = pause_count(rig, MESSAGE_BLOCK_SUSPENDED) > most
                       ? pause_count(rig, MESSAGE_BLOCK_SUSPENDED)
                       : most;
            assert_memory_equal(&left, &stayed, sizeof left);
            for (uint32_t i = 0; i < rig->config.sm_count; i++)
                held += rig->sms[i]->statistics.blocks_held;
            pause_close(rig);
        }
    assert_true(most > 10 * BLOCKS && held > 2 * BLOCKS); /* blocks left and waited again and again */
}

static void same_results_before_volta(void **state)
{
    (void)state;
    same_results_on("gtx480");
}

static void same_results_since_volta(void **state)
{
    (void)state;
    same_results_on("titanv");
}

static void same_results_with_native_code(void **state)
{
    (void)state;
    same_results_on("h200");
}

/* -- whatever the others do -- */

/* The first warp of a block counts to `delay` before each of its pauses. Of the others each does one thing
 * all the time: atomics and loads, asynchronous copies, .acquire loads, shared memory with bank conflicts,
 * stores to many lines and then its end, local memory, stores and fences. */
static const char busy[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func pause (.param .b32 point);\n"
    ".visible .entry k(.param .u64 words, .param .u64 far, .param .u32 delay)\n{\n"
    ".shared .align 16 .b8 box[8192]; .local .align 4 .b8 own[64];\n"
    ".reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .pred %p<8>;\n"
    "ld.param.u64 %rd0, [words]; ld.param.u64 %rd1, [far]; ld.param.u32 %r1, [delay];\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 256, %r0; mul.wide.u32 %rd2, %r3, 16;\n"
    "add.u64 %rd2, %rd0, %rd2; mul.wide.u32 %rd3, %r3, 512; add.u64 %rd3, %rd1, %rd3;\n"
    "and.b32 %r4, %r0, 31; shl.b32 %r5, %r4, 7; mov.u32 %r6, box; add.u32 %r5, %r6, %r5;\n"
    "shr.u32 %r7, %r0, 5; mov.u32 %r8, 0; mov.u32 %r9, 1;\n"
    "setp.eq.u32 %p0, %r7, 0; @%p0 bra PAUSES;\n"
    "LOOP: add.u32 %r8, %r8, 1;\n"
    "setp.eq.u32 %p0, %r7, 1; @%p0 bra ATOMICS; setp.eq.u32 %p0, %r7, 2; @%p0 bra COPIES;\n"
    "setp.eq.u32 %p0, %r7, 3; @%p0 bra ACQUIRES; setp.eq.u32 %p0, %r7, 4; @%p0 bra CONFLICTS;\n"
    "setp.eq.u32 %p0, %r7, 5; @%p0 bra STORES; setp.eq.u32 %p0, %r7, 6; @%p0 bra LOCAL;\n"
    "st.global.u32 [%rd2+8], %r9; membar.gl; ld.global.u32 %r10, [%rd2+8]; bra.uni NEXT;\n"
    "ATOMICS: red.global.add.u32 [%rd2+4], %r8; atom.global.add.u32 %r10, [%rd2+8], %r9;\n"
    "ld.volatile.global.u32 %r11, [%rd2]; add.u32 %r10, %r10, %r11; bra.uni NEXT;\n"
    "COPIES: shl.b32 %r11, %r4, 2; add.u32 %r11, %r6, %r11; and.b32 %r12, %r8, 3; mul.wide.u32 %rd4, %r12, "
    "4;\n"
    "add.u64 %rd4, %rd2, %rd4; cp.async.ca.shared.global [%r11+4096], [%rd4], 4; cp.async.commit_group;\n"
    "cp.async.ca.shared.global [%r11+4224], [%rd2], 4; cp.async.commit_group; cp.async.wait_group 1;\n"
    "ld.shared.u32 %r10, [%r11+4096]; cp.async.wait_group 0; ld.shared.u32 %r12, [%r11+4224];\n"
    "add.u32 %r10, %r10, %r12; bra.uni NEXT;\n"
    "ACQUIRES: ld.acquire.gpu.global.u32 %r10, [%rd2]; bra.uni NEXT;\n"
    "CONFLICTS: atom.shared.add.u32 %r10, [%r5], %r8; ld.shared.u32 %r11, [%r5]; add.u32 %r10, %r10, %r11;\n"
    "bra.uni NEXT;\n"
    "STORES: st.global.u32 [%rd3], %r8; st.global.u32 [%rd3+128], %r8; st.global.u32 [%rd3+256], %r8;\n"
    "setp.lt.u32 %p1, %r8, %r2; @%p1 bra LOOP; ret;\n"
    "LOCAL: and.b32 %r11, %r8, 7; shl.b32 %r11, %r11, 2; mov.u32 %r12, own; add.u32 %r11, %r11, %r12;\n"
    "ld.local.u32 %r10, [%r11]; add.u32 %r10, %r10, %r9; st.local.u32 [%r11], %r10;\n"
    "NEXT: mad.lo.u32 %r9, %r9, 3, %r10; setp.lt.u32 %p1, %r8, 24; @%p1 bra LOOP; bra.uni LAST;\n"
    "PAUSES: mov.u32 %r9, 0;\nCOUNT: add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r1; @%p1 bra COUNT;\n"
    "{ .param .b32 p; st.param.b32 [p], %r8; call pause, (p); }\n"
    "add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 6; @%p1 bra PAUSES;\n"
    "LAST: st.global.u32 [%rd2+12], %r9; ret;\n}\n";

enum { BUSY_BLOCKS = 4, BUSY_WORDS = BUSY_BLOCKS * 256 * 4, FAR_WORDS = BUSY_BLOCKS * 256 * 128 };

static Cycle busy_runs_for; /* between orders that pause all blocks; 0: there are none */

static void run_busy(const char *gpu, uint32_t delay, bool leaves, uint32_t *results)
{
    PauseRig *rig = pause_open(gpu, busy, NULL);
    rig->runs_for = busy_runs_for;
    rig->stops_for = 3 * busy_runs_for / 2;
    rig->waits = leaves ? pause_always : NULL;
    rig->step = 1;
    rig->parameters[0] = pause_buffer(rig, BUSY_WORDS * 4);
    rig->parameters[1] = pause_buffer(rig, FAR_WORDS * 4);
    rig->parameters[2] = delay;
    uint32_t *words = pause_bytes(rig, rig->parameters[0]);
    for (uint32_t i = 0; i < BUSY_WORDS; i++)
        words[i] = first_word(i);
    pause_shape(rig, BUSY_BLOCKS, 256);
    pause_check(rig, pause_run(rig, 0, 10000000).time);
    assert_int_equal(pause_count(rig, MESSAGE_BLOCK_SUSPENDED), leaves ? 6 * BUSY_BLOCKS : 0);
    memcpy(results, words, BUSY_WORDS * 4);
    memcpy(results + BUSY_WORDS, pause_bytes(rig, rig->parameters[1]), FAR_WORDS * 4);
    pause_close(rig);
}

static void same_results_whatever_is_under_way(void **state)
{
    (void)state;
    static const char *const gpus[] = {"gtx480", "titanv", "h200"};
    static uint32_t stayed[BUSY_WORDS + FAR_WORDS], left[BUSY_WORDS + FAR_WORDS];
    for (uint32_t i = 0; i < 3; i++) {
        run_busy(gpus[i], 1, false, stayed);
        for (uint32_t delay = 1; delay < 120; delay += 7) {
            run_busy(gpus[i], delay, true, left);
            for (uint32_t k = 0; k < BUSY_WORDS; k++) /* those of a first warp tell its delay */
                if (k % 4 != 3 || k / 4 % 256 >= 32)
                    assert_int_equal(left[k], stayed[k]);
                else
                    assert_int_equal(left[k], delay);
            assert_memory_equal(left + BUSY_WORDS, stayed + BUSY_WORDS, FAR_WORDS * 4);
        }
    }
}

/* -- paused -- */

static void same_results_for_paused_blocks(void **state)
{
    (void)state;
    static const char *const gpus[] = {"gtx480", "titanv", "h200"};
    static Outcome went_on, paused;
    for (uint32_t i = 0; i < 3; i++) {
        PauseRig *rig = pause_open(gpus[i], source, NULL);
        run_all(rig, &went_on);
        pause_close(rig);
        for (uint32_t k = 0; k < 8; k++) {
            rig = pause_open(gpus[i], source, NULL);
            every = 5, phase = 2;
            rig->waits = k % 2 ? now_and_then : NULL;
            rig->kind = k % 4 == 3 ? any_kind : NULL; /* some wait in place, paused or not */
            rig->stay = rig->waker.least + 400;
            rig->step = 1;
            rig->away = 70;
            rig->runs_for = 11 + 130 * k;
            rig->stops_for = 700 - 90 * k;
            run_all(rig, &paused);
            uint64_t stalls = 0, held = 0;
            for (uint32_t sm = 0; sm < rig->config.sm_count; sm++) {
                stalls += rig->sms[sm]->schedulers[0].statistics.stall_pause;
                held += rig->sms[sm]->statistics.blocks_held;
            }
            assert_true(stalls > 0 && (held > 0) == (k % 4 == 3));
            assert_true((pause_count(rig, MESSAGE_BLOCK_SUSPENDED) > 0) == (k % 2));
            assert_memory_equal(&paused, &went_on, sizeof paused);
            pause_close(rig);
        }
    }
}

/* -- sent away -- */

/* Blocks are sent away again and again, also those that are about to leave by themselves, wait in place, are
 * being restored or have ended. */
static void same_results_for_blocks_that_are_sent_away(void **state)
{
    (void)state;
    static const char *const gpus[] = {"gtx480", "titanv", "h200"};
    static Outcome went_on, sent;
    for (uint32_t i = 0; i < 3; i++) {
        PauseRig *rig = pause_open(gpus[i], source, NULL);
        run_all(rig, &went_on);
        pause_close(rig);
        for (uint32_t k = 0; k < 6; k++) {
            rig = pause_open(gpus[i], source, NULL);
            every = 5, phase = 2;
            rig->waits = k % 2 ? now_and_then : NULL;
            rig->kind = k % 4 == 1 ? any_kind : NULL;
            rig->stay = 1500;
            rig->step = 1;
            rig->away = 70;
            rig->swaps = true;
            rig->keeps = k >= 2;
            rig->runs_for = rig->stops_for = 3000 + 491 * k;
            run_all(rig, &sent);
            uint64_t on_chip = 0;
            for (uint32_t sm = 0; sm < rig->config.sm_count; sm++)
                on_chip += rig->sms[sm]->statistics.context_kept_bytes +
                           rig->sms[sm]->statistics.context_local_bytes;
            assert_true(pause_count(rig, MESSAGE_BLOCK_SUSPENDED) > 0 && (on_chip > 0) == rig->keeps);
            assert_memory_equal(&sent, &went_on, sizeof sent);
            pause_close(rig);
        }
    }
}

static void same_results_whatever_is_under_way_when_paused(void **state)
{
    (void)state;
    static uint32_t went_on[BUSY_WORDS + FAR_WORDS], paused[BUSY_WORDS + FAR_WORDS];
    run_busy("titanv", 50, true, went_on);
    for (busy_runs_for = 7; busy_runs_for < 300; busy_runs_for += 30) {
        run_busy("titanv", 50, true, paused);
        assert_memory_equal(paused, went_on, sizeof paused);
    }
    busy_runs_for = 0;
}

/* From the cycle on in which word has come, a block issues nothing; what it has under way ends. */
static void a_paused_block_issues_nothing(void **state)
{
    (void)state;
    enum { FROM = 1500, CYCLES = 3000, BESIDE = 200 };
    PauseRig *rig = pause_open("titanv", busy, NULL);
    rig->parameters[0] = pause_buffer(rig, BUSY_WORDS * 4);
    rig->parameters[1] = pause_buffer(rig, FAR_WORDS * 4);
    rig->parameters[2] = 50;
    rig->runs_for = rig->next_order = FROM;
    rig->stops_for = CYCLES;
    pause_shape(rig, 1, 256);
    const Sm *sm = rig->sms[0];
    const Cycle paused = FROM + rig->config.block_launch_cycles;
    uint64_t issued[4];
    pause_run(rig, 0, paused - BESIDE);
    issued[0] = sm->statistics.warp_instructions;
    world_run(rig->world, paused - BESIDE, paused);
    issued[1] = sm->statistics.warp_instructions;
    world_run(rig->world, paused, paused + CYCLES);
    issued[2] = sm->statistics.warp_instructions;
    assert_true(lsu_is_idle(sm->lsu));
    for (uint32_t i = 0; i < MAX_WARPS; i++)
        assert_true(!sm->warps[i].warp || sm->warps[i].wait == WAIT_PAUSE);
    rig->runs_for = 1000000;
    world_run(rig->world, paused + CYCLES, paused + CYCLES + BESIDE);
    issued[3] = sm->statistics.warp_instructions;
    assert_true(issued[0] < issued[1]);
    assert_int_equal(issued[1], issued[2]);
    assert_true(issued[2] < issued[3]);
    pause_check(rig, world_run(rig->world, paused + CYCLES + BESIDE, 1000000).time);
    pause_close(rig);
}

/* -- determinism -- */

static uint32_t threads_wanted, window_wanted, way_wanted;

/* Contexts move at a fixed rate; through memory one after the other, or in turn and throttled. */
enum { WAYS = 3 };

static void set_run(GpuConfig *config)
{
    config->threads = threads_wanted;
    config->window = window_wanted;
    config->context_switch = way_wanted ? CONTEXT_SWITCH_MEMORY : CONTEXT_SWITCH_RATE;
    if (way_wanted == 2) {
        config->context_order = CONTEXT_ORDER_INTERLEAVED;
        config->context_memory = CONTEXT_MEMORY_STATIC;
        config->context_outstanding = 5;
    }
}

static PauseRig *run_one_way(uint32_t threads, uint32_t window, Outcome *outcome)
{
    threads_wanted = threads;
    window_wanted = window;
    PauseRig *rig = pause_open("titanv", source, set_run);
    rig->waits = now_and_then;
    rig->step = 1;
    rig->away = 50;
    rig->runs_for = 301;
    rig->stops_for = 97;
    rig->swaps = rig->keeps = way_wanted == 2; /* else they are paused */
    if (rig->swaps)
        rig->runs_for = rig->stops_for = 3011;
    rig->kind = any_kind;
    rig->stay = 97;
    run_all(rig, outcome);
    return rig;
}

static void compare(const PauseRig *a, const PauseRig *b)
{
    assert_int_equal(a->heard.count, b->heard.count);
    for (uint32_t k = 0; k < a->heard.count; k++) {
        const Heard *one = &a->heard.items[k], *other = &b->heard.items[k];
        assert_int_equal(one->time, other->time);
        assert_int_equal(one->sm, other->sm);
        assert_int_equal(one->kind, other->kind);
        assert_int_equal(one->report.linear, other->report.linear);
        assert_int_equal(one->report.warp_instructions, other->report.warp_instructions);
    }
    for (uint32_t i = 0; i < a->config.sm_count; i++) {
        SmStatistics one = a->sms[i]->statistics, other = b->sms[i]->statistics;
        one.idle_cycles = other.idle_cycles = 0; /* where the run ends is up to the windows */
        assert_memory_equal(&one, &other, sizeof one);
    }
}

static void same_times_for_all_threads(void **state)
{
    (void)state;
    static Outcome first, other;
    every = 3, phase = 1;
    for (way_wanted = 0; way_wanted < WAYS; way_wanted++) {
        PauseRig *rig = run_one_way(1, 0, &first);
        for (uint32_t i = 1; i < 4; i++) {
            PauseRig *again = run_one_way(1 + i % 3, i < 2 ? 0 : 3, &other);
            compare(rig, again);
            assert_memory_equal(&first, &other, sizeof first);
            pause_close(again);
        }
        pause_close(rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_results_before_volta),     cmocka_unit_test(same_results_since_volta),
        cmocka_unit_test(same_results_with_native_code), cmocka_unit_test(same_results_whatever_is_under_way),
        cmocka_unit_test(same_results_for_paused_blocks),
        cmocka_unit_test(same_results_for_blocks_that_are_sent_away),
        cmocka_unit_test(same_results_whatever_is_under_way_when_paused),
        cmocka_unit_test(a_paused_block_issues_nothing),
        cmocka_unit_test(same_times_for_all_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
