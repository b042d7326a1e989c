/* L1s that are coherent by ownership (knob l1_coherence): many threads fight for few words, on any number of
 * SMs, with units of any size and caches that hold next to nothing, and no addition, store or ticket is lost.
 * The directory's counters tell of the same events as the caches'. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "harness.h"
#include "mem/l1.h"
#include "mem/l2.h"

enum { COUNTERS = 64, TICKET = 64, ERRORS = 65, TOTAL = 66, OWN = 128, BLOCKS = 16, THREADS = 64 };
enum { ALL = BLOCKS * THREADS, SLOTS = OWN + ALL, WORDS = SLOTS + ALL, TURNS = 12 };

/* Each turn adds to a random counter with or without the old value, stores into the thread's own word, which
 * shares its unit with its neighbours', and reads it back, or loads a counter. At the end each thread takes a
 * ticket and marks its slot. */
static const char kernel_text[] = PTX_HEADER
    ".visible .entry fight(.param .u64 out)\n{\n.reg .b64 %a, %b, %p; .reg .b32 %r<10>; .reg .pred %q;\n"
    "ld.param.u64 %a, [out];\n"
    "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r0, %r0, %r1, %r2;\n"
    "mul.wide.u32 %p, %r0, 4; add.u64 %p, %p, %a; mad.lo.u32 %r3, %r0, 747796405, 12345;\n"
    "mov.u32 %r4, 0; mov.u32 %r5, 0;\n"
    "TURN: shl.b32 %r6, %r3, 13; xor.b32 %r3, %r3, %r6; shr.u32 %r6, %r3, 17; xor.b32 %r3, %r3, %r6;\n"
    "shl.b32 %r6, %r3, 5; xor.b32 %r3, %r3, %r6;\n"
    "and.b32 %r7, %r3, 63; mul.wide.u32 %b, %r7, 4; add.u64 %b, %b, %a;\n"
    "shr.u32 %r8, %r3, 8; and.b32 %r8, %r8, 3;\n"
    "setp.ne.u32 %q, %r8, 0; @%q bra RED; atom.global.add.u32 %r9, [%b], 1; add.u32 %r5, %r5, 1; bra NEXT;\n"
    "RED: setp.ne.u32 %q, %r8, 1; @%q bra WORD; red.global.add.u32 [%b], 1; add.u32 %r5, %r5, 1; bra NEXT;\n"
    "WORD: setp.ne.u32 %q, %r8, 2; @%q bra READ; st.global.u32 [%p+512], %r3; ld.global.u32 %r9, [%p+512];\n"
    "setp.eq.u32 %q, %r9, %r3; @%q bra NEXT; red.global.add.u32 [%a+260], 1; bra NEXT;\n"
    "READ: ld.global.u32 %r9, [%b];\n"
    "NEXT: add.u32 %r4, %r4, 1; setp.lt.u32 %q, %r4, 12; @%q bra TURN;\n"
    "red.global.add.u32 [%a+264], %r5; atom.global.add.u32 %r9, [%a+256], 1;\n"
    "mul.wide.u32 %b, %r9, 4; add.u64 %b, %b, %a; st.global.u32 [%b+4608], 1; st.global.u32 [%p+512], %r0;\n"
    "ret;\n}\n";
_Static_assert(SLOTS * 4 == 4608 && TURNS == 12, "as in the kernel");

static void fight(WbGpu *gpu)
{
    uint32_t *out = calloc(WORDS, sizeof *out);
    harness_run_ok(&(HarnessRun){.gpu = gpu,
                                 .ptx = kernel_text,
                                 .kernel = "fight",
                                 .grid = {BLOCKS, 1, 1},
                                 .block = {THREADS, 1, 1},
                                 .out = out,
                                 .words = WORDS});
    uint32_t sum = 0;
    for (int i = 0; i < COUNTERS; i++)
        sum += out[i];
    assert_in_range(sum, ALL * TURNS / 3, ALL * TURNS);
    assert_int_equal(out[TOTAL], sum);
    assert_int_equal(out[TICKET], ALL);
    assert_int_equal(out[ERRORS], 0);
    for (uint32_t i = 0; i < ALL; i++) {
        assert_int_equal(out[OWN + i], i);
        assert_int_equal(out[SLOTS + i], 1);
    }
    free(out);
}

/* Probes that were sent have come; bytes that caches sent went to caches or L2; write-backs were taken or too
 * late. */
static void check_counters(const WbGpu *gpu, bool has_others)
{
    const KernelRecord *record = gpu->records.items[0];
    uint64_t *l1_sums = record_sums(record, COMPONENT_L1), *l2_sums = record_sums(record, COMPONENT_L2);
    const L1Statistics *l1 = (const L1Statistics *)l1_sums;
    const L2Statistics *l2 = (const L2Statistics *)l2_sums;
    assert_int_equal(l1->probes, l2->probes);
    assert_true(l2->cache_transfers <= l1->probe_transfers);
    assert_true(l1->write_backs >= l2->unit_write_backs + l2->stale_write_backs);
    assert_true(l2->upgrade_grants <= l2->ownership_grants);
    assert_int_equal(l1->ownership_misses, l2->ownership_grants);
    assert_int_equal(l2->probes > 0 && l2->cache_transfers > 0 && l1->units_given_up > 0, has_others);
    assert_int_equal(l2->atomics, 0); /* all were done in L1s */
    assert_int_equal(l1->invalidations, 0);
    free(l1_sums);
    free(l2_sums);
}

static WbGpu *open_owned(const char *gpu, const char *first, const char *second)
{
    return harness_open(gpu, (const char *const[]){"mode=cycle", "cycle_limit=3000000",
                                                   "l1_coherence=ownership", first, second, NULL});
}

static void test_sm_counts(void **state)
{
    (void)state;
    for (int sms = 1; sms <= 8; sms++) {
        char knob[32];
        snprintf(knob, sizeof knob, "sm_count=%d", sms);
        WbGpu *gpu = open_owned("apu8", knob, NULL);
        fight(gpu);
        check_counters(gpu, sms > 1);
        wb_gpu_close(gpu);
    }
}

static void test_machines(void **state)
{
    static const char *const machines[][3] = {
        {"apu8", "coherence_bytes=32"},
        {"apu8", "coherence_bytes=128"},
        {"apu8", "l1_ways=1", "l1_bytes=128"},
        {"apu8", "l1_mshrs=1"},
        {"apu8", "l1_merges=1"},
        {"apu8", "l2_bytes=32768"},
        {"apu8", "l2_reply_queue=1"},
        {"apu8", "crossbar_credits=1"},
        {"gtx480", "crossbar_spread=40"},
        {"titanv", "coherence_bytes=64"},
        {"k20c", "coherence_bytes=128"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        WbGpu *gpu = open_owned(machines[i][0], machines[i][1], machines[i][2]);
        fight(gpu);
        check_counters(gpu, true);
        wb_gpu_close(gpu);
    }
}

static void test_threads(void **state)
{
    static const char *const threads[] = {"threads=1", "threads=2", "threads=3", "threads=8"};
    char *first = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        WbGpu *gpu = open_owned("apu8", threads[i], "l1_bytes=2048");
        fight(gpu);
        fight(gpu); /* with what the first has left in the L1s */
        harness_same_report(gpu, "cache_transfers", &first);
        wb_gpu_close(gpu);
    }
    free(first);
}

/* Each thread adds up sixteen words at random places of 64 KiB: most copies are dropped without a word before
 * the next SM asks for the unit, and many ask at once. */
static void test_silent_evictions(void **state)
{
    static const char text[] = PTX_HEADER
        ".visible .entry gather(.param .u64 out)\n{\n.reg .b64 %a, %b; .reg .b32 %r<8>; .reg .pred %q;\n"
        "ld.param.u64 %a, [out]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"
        "mad.lo.u32 %r0, %r0, %r1, %r2; mov.u32 %r3, %r0; mov.u32 %r4, 0; mov.u32 %r5, 0;\n"
        "TURN: mad.lo.u32 %r3, %r3, 1664525, 1013904223; shr.u32 %r6, %r3, 18; mul.wide.u32 %b, %r6, 4;\n"
        "add.u64 %b, %b, %a; ld.global.u32 %r7, [%b]; add.u32 %r5, %r5, %r7; add.u32 %r4, %r4, 1;\n"
        "setp.lt.u32 %q, %r4, 16; @%q bra TURN;\n"
        "mul.wide.u32 %b, %r0, 4; add.u64 %b, %b, %a; st.global.u32 [%b+65536], %r5; ret;\n}\n";
    enum { READ = 16384, GRID = 32, BLOCK = 128 };
    uint32_t *out = calloc(READ + GRID * BLOCK, sizeof *out);
    (void)state;
    for (uint32_t i = 0; i < READ; i++)
        out[i] = i * i;
    WbGpu *gpu = open_owned("apu8", "l1_bytes=4096", NULL);
    harness_run_ok(&(HarnessRun){.gpu = gpu,
                                 .ptx = text,
                                 .kernel = "gather",
                                 .grid = {GRID, 1, 1},
                                 .block = {BLOCK, 1, 1},
                                 .out = out,
                                 .words = READ + GRID * BLOCK});
    for (uint32_t thread = 0; thread < GRID * BLOCK; thread++) {
        uint32_t random = thread, sum = 0;
        for (int i = 0; i < 16; i++) {
            random = random * 1664525u + 1013904223u;
            sum += (random >> 18) * (random >> 18);
        }
        assert_int_equal(out[READ + thread], sum);
    }
    uint64_t *sums = record_sums(gpu->records.items[0], COMPONENT_L1);
    assert_true(((const L1Statistics *)sums)->probe_misses > 100);
    free(sums);
    free(out);
    wb_gpu_close(gpu);
}

/* A copy is read until somebody writes, and only then asked for again: the one who waits does not keep the
 * slice busy. The same without ownership asks L2 each time. */
static void test_waiting_in_l1(void **state)
{
    static const char text[] = PTX_HEADER
        ".visible .entry wait(.param .u64 out)\n{\n.reg .b64 %a; .reg .b32 %r, %n; .reg .pred %p;\n"
        "ld.param.u64 %a, [out]; mov.u32 %n, %ctaid.x; setp.eq.u32 %p, %n, 0; @%p bra SET;\n"
        "AGAIN: ld.volatile.global.u32 %r, [%a]; setp.eq.u32 %p, %r, 0; @%p bra AGAIN; ret;\n"
        "SET: add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 500; @%p bra SET; st.global.u32 [%a], 1; ret;\n}\n";
    static const char *const ways[] = {"l1_coherence=none", "l1_coherence=ownership"};
    uint64_t loads[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        uint32_t out[32] = {0};
        WbGpu *gpu = harness_open("apu8", (const char *const[]){"mode=cycle", ways[i], NULL});
        harness_run_ok(&(HarnessRun){.gpu = gpu,
                                     .ptx = text,
                                     .kernel = "wait",
                                     .grid = {4, 1, 1},
                                     .block = {1, 1, 1},
                                     .out = out,
                                     .words = 32});
        uint64_t *sums = record_sums(gpu->records.items[0], COMPONENT_L2);
        loads[i] = ((const L2Statistics *)sums)->loads;
        free(sums);
        wb_gpu_close(gpu);
    }
    assert_true(loads[0] > 100);
    assert_true(loads[1] < 20);
}

static void test_refusals(void **state)
{
    static const char *const wrong[][3] = {{"h200", "l2_halves", "an L2 of one piece"},
                                           {"apu8", "sm_count=200", "128 SMs at most"}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        WbGpu *gpu = harness_open(wrong[i][0], (const char *const[]){"mode=cycle", NULL});
        if (strchr(wrong[i][1], '='))
            assert_int_equal(wb_gpu_set(gpu, "sm_count", "200"), WB_OK);
        assert_int_equal(wb_gpu_set(gpu, "l1_coherence", "ownership"), WB_OK);
        uint32_t out[WORDS] = {0};
        harness_run_error(&(HarnessRun){.gpu = gpu,
                                        .ptx = kernel_text,
                                        .kernel = "fight",
                                        .grid = {1, 1, 1},
                                        .block = {1, 1, 1},
                                        .out = out,
                                        .words = WORDS},
                          WB_ERROR_ARGUMENT, wrong[i][2], NULL);
        wb_gpu_close(gpu);
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(test_sm_counts),     cmocka_unit_test(test_machines),
        cmocka_unit_test(test_threads),       cmocka_unit_test(test_silent_evictions),
        cmocka_unit_test(test_waiting_in_l1), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests_name("ownership", all, NULL, NULL);
}
