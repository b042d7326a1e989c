/* wb_global_sync(): what a block wrote before it is seen behind it by all others, in both modes and with grids
 * larger than the machine; its time; and what programs may do wrong is told. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD                                                                                                 \
    ".version 7.0\n.target sm_50\n.address_size 64\n.extern .func wb_global_sync ();\n"                      \
    ".extern .func wb_wait (.param .b32 e, .param .b32 t);\n"
#define BEGIN(name)                                                                                          \
    ".visible .entry " name "(.param .u64 table)\n{\n.reg .b32 %r<12>; .reg .b64 %rd<6>; .reg .pred %p<4>;\n" \
    "ld.param.u64 %rd1, [table]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r1, %ctaid.x;\n"                    \
    "mov.u32 %r2, %nctaid.x; mov.u32 %r3, %tid.x; mov.u32 %r9, %ntid.x;\n"

/* Every round each thread writes its word, and behind a sync adds that of the next block's thread, and behind
 * another one writes again. table[0] counts the rounds; the words of threads begin behind it. */
static const char source[] =
    HEAD ".func sync_in_function ()\n{\nbar.sync 0;\ncall.uni wb_global_sync, ();\nret;\n}\n"
    BEGIN("rounds")
    "ld.global.u32 %r10, [%rd1];\n"
    "mad.lo.u32 %r8, %r1, %r9, %r3; mul.wide.u32 %rd2, %r8, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "add.u32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, %r2; @%p1 mov.u32 %r4, 0;\n"
    "mad.lo.u32 %r8, %r4, %r9, %r3; mul.wide.u32 %rd2, %r8, 4; add.u64 %rd4, %rd1, %rd2;\n"
    "mov.u32 %r5, 0; mov.u32 %r7, %r1;\n"
    "L: st.global.u32 [%rd3+4], %r7;\n"
    "call.uni wb_global_sync, ();\n"
    "ld.global.u32 %r6, [%rd4+4]; add.u32 %r7, %r7, %r6;\n"
    "call.uni sync_in_function, ();\n"
    "add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, %r10; @%p3 bra L;\n"
    "st.global.u32 [%rd3+4], %r7;\nret;\n}\n"
    /* threads from 20 on return first, and so does the second warp */
    BEGIN("early") "setp.ge.u32 %p1, %r3, 20; @%p1 bra E;\n"
    "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], 1;\n"
    "call.uni wb_global_sync, ();\n"
    "sub.u32 %r4, %r2, %r1; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd4, %rd1, %rd2;\n"
    "ld.global.u32 %r5, [%rd4+-4]; add.u32 %r5, %r5, 1;\n"
    "call.uni wb_global_sync, ();\nst.global.u32 [%rd3], %r5;\nE: ret;\n}\n"
    /* the first block's first thread gives a sign after a while; those of the others spin for it */
    BEGIN("polls") "setp.ne.u32 %p1, %r3, 0; @%p1 bra M; setp.ne.u32 %p2, %r1, 0; @%p2 bra S;\n"
    "mov.u32 %r5, 0;\nW: add.u32 %r5, %r5, 1; st.volatile.global.u32 [%rd1+8], %r5;\n"
    "setp.lt.u32 %p3, %r5, 900; @%p3 bra W; st.volatile.global.u32 [%rd1+4], 1; bra.uni M;\n"
    "S: ld.volatile.global.u32 %r6, [%rd1+4]; setp.eq.u32 %p3, %r6, 0; @%p3 bra S;\n"
    "M: call.uni wb_global_sync, ();\natom.global.add.u32 %r6, [%rd1], 1;\nret;\n}\n"
    BEGIN("once") "call.uni wb_global_sync, ();\nret;\n}\n"
    BEGIN("divergent") "and.b32 %r4, %r3, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra E;\n"
    "call.uni wb_global_sync, ();\nE: st.global.u32 [%rd1], %r3;\nret;\n}\n"
    BEGIN("two_places") "and.b32 %r4, %r3, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra E;\n"
    "call.uni wb_global_sync, (); bra.uni F;\nE: call.uni wb_global_sync, ();\n"
    "F: st.global.u32 [%rd1], %r3;\nret;\n}\n"
    BEGIN("different") "setp.ge.u32 %p1, %r3, 32; @%p1 bra E; call.uni wb_global_sync, (); bra.uni F;\n"
    "E: { .param .b32 e; .param .b32 t; st.param.b32 [e], 7; st.param.b32 [t], 2; call.uni wb_wait, (e, t); }\n"
    "F: st.global.u32 [%rd1], %r3;\nret;\n}\n"
    BEGIN("barrier") "setp.ge.u32 %p1, %r3, 32; @%p1 bra E; call.uni wb_global_sync, ();\n"
    "E: bar.sync 0;\nst.global.u32 [%rd1], %r3;\nret;\n}\n"
    /* block 3 ends when the others come to their second sync */
    BEGIN("leaves") "call.uni wb_global_sync, ();\nsetp.eq.u32 %p1, %r1, 3; @%p1 exit;\n"
    "call.uni wb_global_sync, ();\nst.global.u32 [%rd1], %r3;\nret;\n}\n";

static uint64_t stat(const WbGpu *gpu, const char *name)
{
    WbStat found;
    assert_int_equal(wb_stat_find(gpu, name, &found), WB_OK);
    return found.value;
}

static WbGpu *open_gpu(const char *name, const char *mode, const char *setting)
{
    const char *const knobs[] = {mode, "newer_ptx=take", setting, NULL};
    return harness_open(name, knobs);
}

/* The table behind `rounds` of that grid, and what the CPU makes of it. */
static void check_rounds(WbGpu *gpu, uint32_t blocks, uint32_t threads, uint32_t rounds)
{
    uint32_t *table = calloc(blocks * threads + 1, sizeof *table), *sums = calloc(2 * blocks, sizeof *sums);
    table[0] = rounds;
    for (uint32_t b = 0; b < blocks; b++)
        sums[b] = b;
    for (uint32_t r = 0; r < rounds; r++) {
        for (uint32_t b = 0; b < blocks; b++)
            sums[blocks + b] = sums[b] + sums[(b + 1) % blocks];
        memcpy(sums, sums + blocks, blocks * sizeof *sums);
    }
    harness_run_ok(&(HarnessRun){gpu, source, "rounds", {blocks, 1, 1}, {threads, 1, 1}, 0, table,
                                 blocks * threads + 1});
    for (uint32_t i = 0; i < blocks * threads; i++)
        assert_int_equal(table[1 + i], sums[i / threads]);
    assert_int_equal(stat(gpu, "unit_global_sync.syncs"), 2 * rounds);
    assert_int_equal(stat(gpu, "unit_global_sync.arrivals"), 2 * rounds * blocks);
    free(table);
    free(sums);
}

static void all_blocks_see_what_was_written_before(void **state)
{
    (void)state;
    static const char *const gpus[] = {"gtx970", "h200", "apu8"}, *const modes[] = {"mode=functional", "mode=cycle"};
    for (size_t g = 0; g < sizeof gpus / sizeof *gpus; g++)
        for (size_t m = 0; m < 2; m++) {
            WbGpu *gpu = open_gpu(gpus[g], modes[m], NULL);
            check_rounds(gpu, 20, 70, 3);
            wb_gpu_close(gpu);
        }
}

static void grids_larger_than_the_machine_go_on_without_time(void **state)
{
    (void)state;
    WbGpu *gpu = open_gpu("gtx970", "mode=functional", "functional_resident_blocks=7");
    check_rounds(gpu, 1400, 64, 2);
    wb_gpu_close(gpu);
}

static void run_table(WbGpu *gpu, const char *kernel, uint32_t blocks, uint32_t *table, uint32_t words)
{
    harness_run_ok(&(HarnessRun){gpu, source, kernel, {blocks, 1, 1}, {64, 1, 1}, 0, table, words});
}

static void threads_that_have_ended_are_not_waited_for(void **state)
{
    (void)state;
    static const char *const gpus[] = {"gtx970", "h200"}, *const modes[] = {"mode=functional", "mode=cycle"};
    for (size_t g = 0; g < 2; g++)
        for (size_t m = 0; m < 2; m++) {
            WbGpu *gpu = open_gpu(gpus[g], modes[m], NULL);
            uint32_t table[9] = {0};
            run_table(gpu, "early", 9, table, 9);
            for (uint32_t i = 0; i < 9; i++)
                assert_int_equal(table[i], 2);
            wb_gpu_close(gpu);
        }
}

/* Lanes that others of their warp wait for, and blocks that spin beside others that wait. */
static void threads_that_spin_come_at_last(void **state)
{
    (void)state;
    static const char *const gpus[] = {"gtx970", "h200"}, *const modes[] = {"mode=functional", "mode=cycle"};
    for (size_t g = 0; g < 2; g++)
        for (size_t m = 0; m < 2; m++) {
            WbGpu *gpu = open_gpu(gpus[g], modes[m], NULL);
            uint32_t table[3] = {0};
            run_table(gpu, "polls", 6, table, 3);
            assert_int_equal(table[0], 6 * 64);
            wb_gpu_close(gpu);
        }
}

/* The call goes to the unit and comes back, when the other block's has come; nothing else takes longer with
 * the unit's latency. So a cycle more each way is two cycles more, in any case. */
static uint64_t time_of(const char *latency, uint32_t blocks)
{
    char setting[40];
    snprintf(setting, sizeof setting, "global_sync_latency=%s", latency);
    WbGpu *gpu = open_gpu("gtx970", "mode=cycle", setting);
    uint32_t table[1] = {0};
    run_table(gpu, "once", blocks, table, 1);
    WbRecord record;
    assert_int_equal(wb_record_at(gpu, 0, &record), WB_OK);
    const uint64_t cycles = record.ended - record.launched;
    wb_gpu_close(gpu);
    return cycles;
}

static void a_sync_takes_the_way_there_and_back(void **state)
{
    (void)state;
    for (uint32_t blocks = 1; blocks <= 30; blocks += 29) {
        const uint64_t cycles = time_of("20", blocks);
        assert_int_equal(time_of("19", blocks), cycles - 2);
        assert_int_equal(time_of("21", blocks), cycles + 2);
        assert_int_equal(time_of("0", blocks), cycles + 2 * (42 - 20)); /* crossbar_latency */
    }
}

/* Reports hold every cycle and every counter. */
static void threads_and_windows_change_nothing(void **state)
{
    (void)state;
    static const char *const settings[] = {"threads=1", "threads=2", "threads=3", "threads=8", "window=1"};
    char *first = NULL;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        WbGpu *gpu = open_gpu("gtx970", "mode=cycle", settings[i]);
        check_rounds(gpu, 40, 70, 2);
        harness_same_report(gpu, "\"unit_global_sync\"", &first);
        wb_gpu_close(gpu);
    }
    free(first);
}

static void what_is_wrong_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        WbStatus status;
        const char *parts[3];
    } wrong[] = {
        {"divergent", WB_ERROR_EXECUTION, {"kernel 'divergent'", "'wb_global_sync' in divergent code", "block (0,0,0)"}},
        {"two_places", WB_ERROR_EXECUTION, {"kernel 'two_places'", "in divergent code: lanes 0x", "block (0,0,0)"}},
        {"different", WB_ERROR_EXECUTION, {"kernel 'different'", "while another warp of its block calls", "wb_wait"}},
        {"barrier", WB_ERROR_DEADLOCK, {"kernel 'barrier'", "waits at barrier 0", "(0,0,0) wait for each other: some"}},
        {"leaves", WB_ERROR_EXECUTION,
         {"block (3,0,0): the block ends without coming to the global sync at", "of the kernel's 5 blocks wait",
          "all blocks have to come to every sync"}},
    };
    static const char *const gpus[] = {"gtx970", "h200"}, *const modes[] = {"mode=functional", "mode=cycle"};
    for (size_t i = 0; i < 4 * (sizeof wrong / sizeof *wrong); i++) {
        WbGpu *gpu = open_gpu(gpus[i % 2], modes[i / 2 % 2], NULL);
        uint32_t table[70] = {0};
        harness_run_error(
            &(HarnessRun){gpu, source, wrong[i / 4].kernel, {5, 1, 1}, {64, 1, 1}, 0, table, 70},
            wrong[i / 4].status, wrong[i / 4].parts[0], wrong[i / 4].parts[1], wrong[i / 4].parts[2], NULL);
        wb_gpu_close(gpu);
    }
}

/* One that failed leaves nothing behind. */
static void the_next_kernel_begins_anew(void **state)
{
    (void)state;
    WbGpu *gpu = open_gpu("gtx970", "mode=cycle", NULL);
    uint32_t table[70] = {0};
    harness_run_error(&(HarnessRun){gpu, source, "leaves", {5, 1, 1}, {64, 1, 1}, 0, table, 70},
                      WB_ERROR_EXECUTION, "block (3,0,0)", NULL);
    run_table(gpu, "early", 9, table, 9);
    run_table(gpu, "early", 5, table, 9);
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_blocks_see_what_was_written_before),
        cmocka_unit_test(grids_larger_than_the_machine_go_on_without_time),
        cmocka_unit_test(threads_that_have_ended_are_not_waited_for),
        cmocka_unit_test(threads_that_spin_come_at_last),
        cmocka_unit_test(a_sync_takes_the_way_there_and_back),
        cmocka_unit_test(threads_and_windows_change_nothing),
        cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(the_next_kernel_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
