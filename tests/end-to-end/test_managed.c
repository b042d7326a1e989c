/* Managed memory of several GPUs: it moves to where it is used, by faults and prefetches, while kernels of
 * several GPUs use it at once; nothing is lost, and the result is the same with any threads and windows. */
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "harness.h"
#include "mem/hub_statistics.h"

enum { GPUS = 2, BLOCKS = 6, THREADS = 64, STRIDE = 4096, BLOCK_BYTES = 65536, KNOBS = 6 };
enum { BYTES = BLOCKS * BLOCK_BYTES };

/* add: each block of threads goes through the memory STRIDE bytes apart. A thread adds 1 to a word that all
 * have, stores to one of its own, loads that again, and counts in its other word if it is not what it stored.
 * touch: one thread loads a word. */
static const char text[] = PTX_HEADER
    ".visible .entry add(.param .u64 memory, .param .u32 bytes, .param .u32 own)\n"
    "{\n.reg .b64 %a, %b, %e, %o; .reg .b32 %r<6>; .reg .pred %q;\n"
    "ld.param.u64 %a, [memory]; ld.param.u32 %r0, [bytes]; ld.param.u32 %r1, [own]; cvt.u64.u32 %e, %r0;\n"
    "add.u64 %e, %e, %a; mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r2, 8, %r1; cvt.u64.u32 %o, %r1;\n"
    "mov.u32 %r3, 1;\n"
    "NEXT: setp.ge.u64 %q, %a, %e; @%q ret; add.u64 %b, %a, %o;\n"
    "red.global.sys.add.u32 [%a], 1; st.volatile.global.u32 [%b], %r3; ld.volatile.global.u32 %r4, [%b];\n"
    "setp.eq.u32 %q, %r4, %r3; @%q bra GOOD; red.global.add.u32 [%b+4], 1;\n"
    "GOOD: add.u32 %r3, %r3, 1; add.u64 %a, %a, 4096; bra NEXT;\n}\n"
    ".visible .entry touch(.param .u64 memory)\n{\n.reg .b64 %a; .reg .b32 %r;\n"
    "ld.param.u64 %a, [memory]; ld.volatile.global.u32 %r, [%a]; ret;\n}\n";

typedef struct Pair {
    WbGpu *gpus[GPUS];
    WbModule *modules[GPUS];
    uint8_t *memory;
} Pair;

static Pair open_pair(const char *first, const char *second, const char *const knobs[][2])
{
    Pair pair;
    char error[512];
    if (wb_gpus_open((const char *const[]){first, second}, GPUS, pair.gpus, error, sizeof error))
        fail_msg("%s", error);
    for (int i = 0; i < GPUS; i++) {
        assert_int_equal(wb_gpu_set(pair.gpus[i], "mode", "cycle"), WB_OK);
        for (int k = 0; k < KNOBS && knobs[k][0]; k++)
            if (wb_gpu_set(pair.gpus[i], knobs[k][0], knobs[k][1]))
                fail_msg("%s", wb_error(pair.gpus[i]));
        if (wb_module_load(pair.gpus[i], "managed.ptx", text, strlen(text), &pair.modules[i]))
            fail_msg("%s", wb_error(pair.gpus[i]));
    }
    void *memory;
    assert_int_equal(wb_host_alloc(pair.gpus[0], BYTES, WB_MEMORY_MANAGED, &memory), WB_OK);
    pair.memory = memory;
    return pair;
}

static void close_pair(const Pair *pair)
{
    for (int i = 0; i < GPUS; i++)
        wb_gpu_close(pair->gpus[i]);
}

static void launch(const Pair *pair, int gpu, const char *name, uint32_t threads, void *const *arguments)
{
    WbKernel *kernel;
    assert_int_equal(wb_module_kernel(pair->modules[gpu], name, &kernel), WB_OK);
    const WbLaunch launch = {.grid = {1, 1, 1}, .block = {threads, 1, 1}, .pointers = arguments};
    if (wb_stream_launch(NULL, kernel, &launch))
        fail_msg("%s", wb_error(pair->gpus[gpu]));
}

static void wait(const Pair *pair)
{
    for (int i = 0; i < GPUS; i++)
        if (wb_stream_wait(pair->gpus[i], NULL))
            fail_msg("%s", wb_error(pair->gpus[i]));
}

static uint64_t cycles_of(const WbGpu *gpu, size_t record)
{
    const KernelRecord *kernel = gpu->records.items[record];
    return kernel->ended - kernel->started;
}

static ManagedStatistics counters_of(const WbGpu *gpu) { return *hub_managed_counters(gpu->cycle->hub); }

static void add_on_both(const Pair *pair)
{
    for (int i = 0; i < GPUS; i++) {
        uint64_t address = (uint64_t)(uintptr_t)pair->memory;
        uint32_t bytes = BYTES, own = 128 + (uint32_t)i * THREADS * 8;
        launch(pair, i, "add", THREADS, (void *[]){&address, &bytes, &own});
    }
    wait(pair);
}

/* Both GPUs' additions are there, and what each thread wrote last; nobody has read anything else. */
static void check_words(const Pair *pair)
{
    for (uint32_t at = 0, turn = 1; at < BYTES; at += STRIDE, turn++) {
        const uint32_t *words = (const uint32_t *)(const void *)(pair->memory + at);
        assert_int_equal(words[0], GPUS * THREADS);
        for (uint32_t i = 0; i < GPUS * THREADS; i++) {
            assert_int_equal(words[32 + 2 * i], turn);
            assert_int_equal(words[33 + 2 * i], 0);
        }
    }
}

/* What a run with this advice (-1: none) says: times and counters. */
static void run(int advice, const char *second, const char *threads, const char *window, uint64_t told[10])
{
    const Pair pair = open_pair("gtx480", second,
                                (const char *const[KNOBS][2]){{"threads", threads},
                                                              {"window", window},
                                                              {"managed_fault_ns", "2000"},
                                                              {"managed_pin_moves", "3"}});
    const uint64_t address = (uint64_t)(uintptr_t)pair.memory;
    if (advice >= 0)
        assert_int_equal(wb_memory_advise(pair.gpus[0], address, BYTES, (WbAdvice)advice, 1, true), WB_OK);
    add_on_both(&pair);
    check_words(&pair);
    for (int i = 0; i < GPUS; i++) {
        const ManagedStatistics counters = counters_of(pair.gpus[i]);
        const uint64_t values[5] = {cycles_of(pair.gpus[i], 0), counters.faults, counters.waits,
                                    counters.blocks_in, counters.mappings};
        memcpy(told + 5 * i, values, sizeof values);
        assert_int_equal(counters.bytes_in, counters.blocks_in * BLOCK_BYTES);
    }
    close_pair(&pair);
}

static void both_use_it_at_once(void **state)
{
    (void)state;
    for (int advice = -1; advice <= WB_ADVICE_ACCESSED_BY; advice++) {
        uint64_t first[10], other[10];
        run(advice, "titanv", "1", "0", first);
        assert_true(first[1] > 0); /* faults */
        assert_true(first[3] + first[8] >= BLOCKS);
        run(advice, "titanv", "2", "7", other);
        assert_memory_equal(first, other, sizeof first);
        run(advice, "titanv", "3", "1", other);
        assert_memory_equal(first, other, sizeof first);
    }
}

/* Cycles of a kernel of GPU 0 that touches one word, after a prefetch to the place if it is not below -1. */
static uint64_t touch(const char *fault_ns, int place, ManagedStatistics *counters)
{
    const Pair pair =
        open_pair("gtx480", "gtx480", (const char *const[KNOBS][2]){{"managed_fault_ns", fault_ns}});
    uint64_t address = (uint64_t)(uintptr_t)pair.memory;
    if (place >= HOME_HOST)
        assert_int_equal(wb_stream_prefetch(pair.gpus[0], NULL, address, BYTES, place), WB_OK);
    launch(&pair, 0, "touch", 1, (void *[]){&address});
    wait(&pair);
    const uint64_t cycles = cycles_of(pair.gpus[0], 0);
    *counters = counters_of(pair.gpus[0]);
    close_pair(&pair);
    return cycles;
}

/* A fault takes its time, to the cycle; a prefetch saves it. gtx480 has 700 MHz. */
static void faults_take_their_time(void **state)
{
    (void)state;
    ManagedStatistics counters;
    const uint64_t faulting = touch("10000", HOME_UNKNOWN, &counters);
    assert_int_equal(counters.faults, 1);
    assert_int_equal(counters.blocks_in, 1);
    assert_int_equal(counters.waits, 1);
    assert_int_equal(touch("20000", HOME_UNKNOWN, &counters), faulting + 7000);
    const uint64_t local = touch("10000", 0, &counters);
    assert_int_equal(counters.faults, 0);
    assert_int_equal(counters.blocks_in, BLOCKS);
    assert_true(local + 7000 < faulting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_use_it_at_once),
        cmocka_unit_test(faults_take_their_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
