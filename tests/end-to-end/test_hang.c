/* Launches that do not end: the watchdog finds those that spin, and only those, in both modes, and says
 * why. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "warpbeam_graph.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
/* %a: the words; %b: the block; %t: the thread; %n: the second argument */
#define ENTRY(body)                                                                                          \
    HEAD ".visible .entry k(.param .u64 words, .param .u32 count) {\n"                                       \
         ".reg .u64 %a, %c; .reg .u32 %b, %t, %n, %v, %w, %i; .reg .pred %p, %q;\n"                          \
         "ld.param.u64 %a, [words]; ld.param.u32 %n, [count]; mov.u32 %b, %ctaid.x; mov.u32 %t, %tid.x;\n"   \
         "mov.u32 %i, 0;\n" body "ret; }\n"

static WbGpu *gpu;
static uint64_t words;
static bool is_functional;

static void check(WbStatus status)
{
    if (status != WB_OK)
        fail_msg("%s, %s mode: %s", wb_status_name(status), is_functional ? "functional" : "cycle",
                 wb_error(gpu));
}

/* A GPU of two SMs, on which 16 blocks fit, and a watchdog without patience. */
static void open_gpu(const char *name)
{
    check(wb_gpu_open(name, &gpu, NULL, 0));
    check(wb_gpu_set(gpu, "mode", is_functional ? "functional" : "cycle"));
    check(wb_gpu_set(gpu, "sm_count", "2"));
    check(wb_gpu_set(gpu, "max_blocks_per_sm", "8"));
    check(wb_gpu_set(gpu, "watchdog_cycles", "2000"));
    check(wb_malloc(gpu, 4096, &words));
    check(wb_set_device(gpu, words, 0, 4096));
}

/* Launches so many blocks of a thread in the stream; null: in the default one. */
static void put(const char *text, uint32_t blocks, WbStream *stream)
{
    WbModule *module;
    WbKernel *kernel;
    static const uint32_t count = 0;
    void *const pointers[] = {&words, (void *)&count};
    const WbLaunch launch = {.grid = {blocks, 1, 1}, .block = {1, 1, 1}, .pointers = pointers};
    check(wb_module_load(gpu, "test.ptx", text, strlen(text), &module));
    check(wb_module_kernel(module, "k", &kernel));
    check(stream ? wb_stream_launch(stream, kernel, &launch) : wb_launch(kernel, &launch));
}

static WbStatus run(const char *text, uint32_t blocks, uint32_t threads, uint32_t count)
{
    WbModule *module;
    WbKernel *kernel;
    void *const pointers[] = {&words, &count};
    check(wb_module_load(gpu, "test.ptx", text, strlen(text), &module));
    check(wb_module_kernel(module, "k", &kernel));
    check(wb_launch(kernel,
                    &(WbLaunch){.grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .pointers = pointers}));
    return wb_wait(gpu);
}

/* As many kernels in one graph, in which every block waits for the one before it. */
static WbStatus run_after(const char *text, uint32_t kernels, uint32_t blocks)
{
    WbModule *module;
    WbGraph *graph;
    WbGraphKernel launches[4];
    static const uint32_t count = 0;
    void *const pointers[] = {&words, (void *)&count};
    check(wb_module_load(gpu, "test.ptx", text, strlen(text), &module));
    check(wb_graph_create(gpu, &graph));
    for (uint32_t i = 0; i < kernels; i++) {
        launches[i].launch = (WbLaunch){.grid = {blocks, 1, 1}, .block = {32, 1, 1}, .pointers = pointers};
        check(wb_module_kernel(module, "k", &launches[i].kernel));
        check(wb_graph_add_grid(graph, launches[i].launch.grid, NULL));
    }
    for (uint32_t i = 1; i < kernels * blocks; i++)
        check(wb_graph_add_edge(graph, i - 1, i));
    check(wb_graph_launch(graph, NULL, launches, kernels));
    wb_graph_destroy(graph);
    return wb_wait(gpu);
}

static void expect(WbStatus status, const char *const *parts)
{
    if (status != WB_ERROR_DEADLOCK)
        fail_msg("%s in %s mode: %s", wb_status_name(status), is_functional ? "functional" : "cycle",
                 wb_error(gpu));
    for (; *parts; parts++)
        if (!strstr(wb_error(gpu), *parts))
            fail_msg("'%s' is not in: %s", *parts, wb_error(gpu));
}
#define EXPECT(status, ...) expect((status), (const char *const[]){__VA_ARGS__, NULL})

/* Runs the body in both modes. */
#define IN_BOTH_MODES(name, ...)                                                                             \
    for (int mode = 0; mode < 2; mode++) {                                                                   \
        is_functional = mode;                                                                                \
        open_gpu(name);                                                                                      \
        __VA_ARGS__;                                                                                         \
        wb_gpu_close(gpu);                                                                                   \
    }

/* The kernel launches `child`, which has its argument, and waits for it: the older form of CUDA's calls. */
#define PARENT(child_body)                                                                                   \
    HEAD ".extern .func (.param .b64 answer) cudaGetParameterBuffer(.param .b64 alignment, .param .b64 "     \
         "size);\n"                                                                                          \
         ".extern .func (.param .b32 answer) cudaLaunchDevice(.param .b64 kernel, .param .b64 buffer,\n"     \
         "    .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared,\n"            \
         "    .param .b64 stream);\n"                                                                        \
         ".extern .func (.param .b32 answer) wb_device_sync();\n"                                            \
         ".visible .entry child(.param .u64 words) { .reg .u32 %t; .reg .pred %p; mov.u32 %t, "              \
         "%tid.x;\n" child_body "ret; }\n"                                                                   \
         ".visible .entry k(.param .u64 words, .param .u32 count) { .reg .b64 %a, %buffer, %kernel;\n"       \
         "ld.param.u64 %a, [words];\n"                                                                       \
         "{ .param .b64 answer; .param .b64 alignment; .param .b64 size; st.param.b64 [alignment], 8;\n"     \
         "st.param.b64 [size], 8; call (answer), cudaGetParameterBuffer, (alignment, size);\n"               \
         "ld.param.b64 %buffer, [answer]; }\n"                                                               \
         "st.u64 [%buffer], %a; mov.u64 %kernel, child;\n"                                                   \
         "{ .param .b32 answer; .param .b64 kernel; .param .b64 buffer; .param .b32 shared;\n"               \
         ".param .b64 stream; .param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12];\n"                \
         "st.param.b64 [kernel], %kernel; st.param.b64 [buffer], %buffer; st.param.b32 [shared], 0;\n"       \
         "st.param.b64 [stream], 0; st.param.b32 [grid], 1; st.param.b32 [grid+4], 1;\n"                     \
         "st.param.b32 [grid+8], 1; st.param.b32 [block], 64; st.param.b32 [block+4], 1;\n"                  \
         "st.param.b32 [block+8], 1;\n"                                                                      \
         "call (answer), cudaLaunchDevice, (kernel, buffer, grid, block, shared, stream); }\n"               \
         "{ .param .b32 answer; call (answer), wb_device_sync; }\n"                                          \
         "ret; }\n"

/* -- hangs -- */

static const char barrier[] = ENTRY("atom.global.add.u32 %v, [%a], 1;\n"
                                    "LOOP: ld.volatile.global.u32 %v, [%a];\n"
                                    "setp.lt.u32 %p, %v, %n; @%p bra LOOP;\n");

static void a_grid_barrier_larger_than_the_gpu(void **state)
{
    (void)state;
    IN_BOTH_MODES("h200", {
        check(run(barrier, 16, 1, 16));
        check(wb_set_device(gpu, words, 0, 4096));
        EXPECT(run(barrier, 17, 1, 17), "spins", "watchdog_cycles", "test.ptx:9", "global memory at 0x",
               "more blocks synchronize with each other than fit on the GPU at once (16)", "1 block has not");
        check(wb_set_device(gpu, words, 0, 4096));
        check(run(barrier, 16, 1, 16)); /* the next launch works */
        if (!is_functional) {
            check(wb_set_device(gpu, words, 0, 4096));
            EXPECT(run(barrier, 20, 1, 20), "16 are on SMs", "no SM has enough places for blocks free");
        }
    })
}

/* One thread of each block waits for the other blocks; lanes that wait for it would write only behind the
 * block's barrier, so they are not who could help it. */
static void a_grid_barrier_by_one_thread(void **state)
{
    (void)state;
    static const char text[] = ENTRY("setp.ne.u32 %q, %t, 0; @%q bra JOIN;\n"
                                     "atom.global.add.u32 %v, [%a], 1;\n"
                                     "LOOP: ld.volatile.global.u32 %v, [%a];\n"
                                     "setp.lt.u32 %p, %v, %n; @%p bra LOOP;\n"
                                     "JOIN: bar.sync 0; st.global.u32 [%a+8], %n;\n");
    IN_BOTH_MODES("gtx480", {
        check(run(text, 16, 64, 16));
        check(wb_set_device(gpu, words, 0, 4096));
        EXPECT(run(text, 17, 64, 17), "\nLikely cause: Threads spin at test.ptx:10",
               "more blocks synchronize with each other than fit on the GPU at once (16)");
    })
}

/* The block that sets the flag is the last one. */
static void a_producer_that_is_never_dispatched(void **state)
{
    (void)state;
    static const char text[] = ENTRY("setp.eq.u32 %p, %b, %n; @%p bra GIVE;\n"
                                     "LOOP: atom.global.or.b32 %v, [%a+8], 0;\n"
                                     "setp.eq.u32 %p, %v, 0; @%p bra LOOP; ret;\n"
                                     "GIVE: st.global.u32 [%a+8], 1;\n");
    IN_BOTH_MODES("gtx480", {
        check(run(text, 16, 32, 15));
        check(wb_set_device(gpu, words, 0, 4096));
        EXPECT(run(text, 30, 32, 29), "spin at test.ptx:9", "14 blocks have not been dispatched");
    })
}

/* Before Volta lanes of one warp cannot wait for each other; from then on they can. */
static void a_spin_lock_between_lanes(void **state)
{
    (void)state;
    static const char text[] =
        ENTRY("LOOP: atom.global.cas.b32 %v, [%a], 0, 1;\n"
              "setp.ne.u32 %p, %v, 0; @%p bra LOOP;\n"
              "ld.global.u32 %w, [%a+4]; add.u32 %w, %w, 1; st.global.u32 [%a+4], %w;\n"
              "membar.gl; atom.global.exch.b32 %v, [%a], 0;\n");
    IN_BOTH_MODES("gtx480",
                  { EXPECT(run(text, 1, 32, 0), "lanes of the same warp", "before Volta", "test.ptx:8"); })
    IN_BOTH_MODES("h200", { check(run(text, 1, 32, 0)); })
}

static void a_barrier_that_not_all_reach(void **state)
{
    (void)state;
    static const char elsewhere[] =
        ENTRY("setp.ge.u32 %p, %t, 32; @%p bra AWAY; bar.sync 1, 64; AWAY: bar.sync 0;\n");
    static const char ended[] = ENTRY("setp.ge.u32 %p, %t, 32; @%p exit; bar.sync 1, 64;\n");
    static const char parted[] = ENTRY("setp.eq.u32 %p, %t, 3; @%p bra ONE;\n"
                                       "bar.sync 0; bra END;\n"
                                       "ONE: bar.sync 1; END:\n");
    static const char named[] = ENTRY("setp.eq.u32 %p, %t, 3; @%p bra ONE;\n"
                                      "bar.warp.sync 0xffffffff; bra END;\n"
                                      "ONE: bar.warp.sync 0x18; END:\n");
    IN_BOTH_MODES("gtx480", {
        EXPECT(run(elsewhere, 1, 64, 0), "deadlock",
               "Not all threads of block (0,0,0) come to the same barrier",
               "32 of 64 are at barrier 1 at test.ptx:8:", "others wait at test.ptx:8:",
               "waits at barrier 1, where 32 of 64 threads have come");
        EXPECT(run(ended, 1, 64, 0), "32 of 64 are at barrier 1 at test.ptx:8:", ", 32 have ended.",
               "behind a return");
    })
    IN_BOTH_MODES("h200", {
        EXPECT(run(parted, 1, 64, 0), "are at barrier ", "others wait at test.ptx:",
               "lanes 0xfffffff7, test.ptx:9:", "lanes 0x8, test.ptx:10:", "warp 1, lanes 0xffffffff");
        EXPECT(run(named, 1, 32, 0), "The mask of the .sync instruction at test.ptx:", "names lanes 0x",
               "waits for lanes 0x8 of its warp");
    })
}

/* Thread 0 spins, and all others wait for it; the loop has a barrier of its own; it writes what is there. */
static void spinning_in_company(void **state)
{
    (void)state;
    static const char for_one[] =
        ENTRY("setp.ge.u32 %p, %t, 32; @%p bra MEET;\n"
              "LOOP: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %q, %v, 0; @%q bra LOOP;\n"
              "MEET: bar.sync 0;\n");
    static const char for_all[] =
        ENTRY("LOOP: ld.volatile.global.u32 %v, [%a]; bar.sync 0; st.global.u32 [%a+64], %n;\n"
              "setp.eq.u32 %q, %v, 0; @%q bra LOOP;\n");
    IN_BOTH_MODES("h200", {
        EXPECT(run(for_one, 2, 128, 0), "spins", "wait at a barrier for those that spin", "test.ptx:9");
        EXPECT(run(for_all, 2, 128, 5), "spins", "Likely cause");
    })
}

/* Lanes of a warp that wait for different things, neither of which comes: each has its turns. */
static void lanes_that_spin_in_turns(void **state)
{
    (void)state;
    static const char text[] =
        ENTRY("and.b32 %v, %t, 31; setp.lt.u32 %p, %v, 16; @%p bra OTHERS;\n"
              "LOOP: atom.global.add.u32 %v, [%a], 0; setp.eq.u32 %q, %v, 0; @%q bra LOOP; bra END;\n"
              "OTHERS: atom.global.add.u32 %v, [%a+64], 0; setp.eq.u32 %q, %v, 0; @%q bra OTHERS; END:\n");
    IN_BOTH_MODES("h200", { EXPECT(run(text, 2, 256, 0), "spins", "Likely cause"); })
    IN_BOTH_MODES("titanv", { EXPECT(run(text, 1, 32, 0), "spins", "Likely cause"); })
}

/* Blocks that wait for others of the machine: parents in the graph that hang, kernels that they launched,
 * which hang or find no entry of the distributor because those that wait have them all. */
static void waiting_for_the_machine(void **state)
{
    (void)state;
    static const char first_hangs[] =
        ENTRY("setp.eq.u32 %p, %b, 0; @%p bra BAD; ret; BAD: bar.sync 1, 64;\n");
    static const char first_spins[] = ENTRY("setp.eq.u32 %p, %b, 0; LOOP: @%p bra LOOP;\n");
    static const char child_hangs[] = PARENT("setp.lt.u32 %p, %t, 32; @%p bar.sync 1, 64;\n");
    static const char child_ends[] = PARENT("");
    is_functional = false;
    open_gpu("h200");
    EXPECT(run_after(first_hangs, 1, 3), "1 is on SMs",
           "block (1,0,0) waits for block (0,0,0), which has not ended");
    EXPECT(run_after(first_spins, 1, 3), "spins", "2 have not been dispatched",
           "all others have ended or spin, too",
           "block (1,0,0) waits for block (0,0,0), which has not ended");
    EXPECT(run(child_hangs, 1, 1, 0), "1 waits off the SMs for what it launched",
           "block (0,0,0) of 'child' on SM", "32 of 64 are at barrier 1");
    check(run_after(child_ends, 3, 1));
    check(wb_gpu_set(gpu, "concurrent_kernels", "2"));
    EXPECT(run_after(child_ends, 3, 1), "1 waits off the SMs",
           "Likely cause: 1 launched kernel finds no entry of the kernel distributor", "concurrent_kernels");
    wb_gpu_close(gpu);
}

/* Registers that grow, but decide nothing as long as the loop goes on: a count that is stored behind it, one
 * that is handed to a function there, a time to sleep; by lanes on several ways through the loop. */
static void counting_while_spinning(void **state)
{
    (void)state;
    static const char tries[] =
        ENTRY("LOOP: ld.volatile.global.u32 %v, [%a]; add.u32 %i, %i, 1; mul.wide.u32 %c, %i, 8;\n"
              "setp.eq.u32 %q, %v, 0; @%q bra LOOP; st.global.u32 [%a+4], %i; st.global.u64 [%a+8], %c;\n");
    static const char backoff[] =
        ENTRY("mov.u32 %w, 8; LOOP: nanosleep.u32 %w; add.u32 %w, %w, 8;\n"
              "atom.global.cas.b32 %v, [%a], 1, 1; setp.ne.u32 %q, %v, 1; @%q bra LOOP;\n");
    static const char on_two_ways[] =
        ENTRY("LOOP: and.b32 %w, %t, 1; setp.eq.u32 %p, %w, 0; @%p bra EVEN; add.u32 %i, %i, 3;\n"
              "EVEN: @%p add.u32 %i, %i, 5; ld.volatile.global.u32 %v, [%a];\n"
              "setp.eq.u32 %q, %v, 0; @%q bra LOOP; st.global.u32 [%a+4], %i;\n");
    IN_BOTH_MODES("h200", {
        EXPECT(run(tries, 2, 64, 0), "spins", "spin at test.ptx:8");
        EXPECT(run(backoff, 2, 64, 0), "spins", "test.ptx:9");
        EXPECT(run(on_two_ways, 2, 64, 0), "spins", "test.ptx:9");
    })
    IN_BOTH_MODES("gtx480", { EXPECT(run(on_two_ways, 2, 64, 0), "spins"); })
}

static WbRecord record_at(size_t index)
{
    WbRecord record;
    check(wb_record_at(gpu, index, &record));
    return record;
}

/* Kernels that did not end leave a record of what they did, and what ran before them keeps its own. It is the
 * same with any threads and windows. */
static void records_of_what_did_not_end(void **state)
{
    (void)state;
    static const char fails[] =
        ENTRY("setp.eq.u32 %p, %b, 9; @%p trap; @%p bra END;\n"
              "LOOP: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 500; @%p bra LOOP; END:\n");
    static const char stuck[] = ENTRY("setp.ge.u32 %p, %t, 32; @%p exit; bar.sync 1, 64;\n");
    static const struct {
        const char *text, *status, *failure, *window, *threads;
    } cases[] = {
        {barrier, "spins", "kernel 'k' spins", "0", "1"},
        {barrier, "spins", "Likely cause", "1", "2"},
        {fails, "failed", "the kernel trapped", "0", "1"},
        {fails, "failed", "block (9,0,0)", "1", "2"},
        {stuck, "deadlock", "kernel 'k' is deadlocked", "0", "1"},
        {stuck, "deadlock", "Likely", "1", "2"},
    };
    uint64_t ended = 0, issued = 0;
    is_functional = false;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        WbStat stat;
        open_gpu("h200");
        check(wb_gpu_set(gpu, "window", cases[i].window));
        check(wb_gpu_set(gpu, "threads", cases[i].threads));
        check(run(barrier, 4, 32, 4));
        assert_true(run(cases[i].text, 40, 64, 5000) != WB_OK);
        assert_int_equal(wb_record_count(gpu), 2);
        assert_string_equal(record_at(0).status, "ended");
        assert_null(record_at(0).failure);
        const WbRecord record = record_at(1);
        assert_string_equal(record.status, cases[i].status);
        assert_non_null(strstr(record.failure, cases[i].failure));
        assert_null(strchr(record.failure, '\n'));
        check(wb_record_stat(gpu, 1, "scheduler.issued", &stat));
        assert_true(stat.value > 0 && record.interrupted && record.warp_instructions > 0);
        if (i % 2) {
            assert_int_equal(record.ended, ended);
            assert_int_equal(stat.value, issued);
        }
        ended = record.ended;
        issued = stat.value;
        wb_gpu_close(gpu);
    }
}

/* -- what ends by itself -- */

static uint32_t word_at(uint32_t index)
{
    uint32_t value;
    check(wb_copy_from_device(gpu, &value, words + 4 * index, 4));
    return value;
}

static void long_loops_end(void **state)
{
    (void)state;
    static const char count[] = ENTRY("LOOP: mad.lo.u32 %v, %v, 1664525, 1013904223; add.u32 %i, %i, 1;\n"
                                      "setp.lt.u32 %p, %i, %n; @%p bra LOOP; st.global.u32 [%a], %i;\n");
    static const char clock[] = ENTRY("mov.u32 %w, %clock;\n"
                                      "LOOP: mov.u32 %v, %clock; sub.u32 %v, %v, %w;\n"
                                      "setp.lt.u32 %p, %v, %n; mov.u32 %v, 0; @%p bra LOOP;\n"
                                      "st.global.u32 [%a], %n;\n");
    IN_BOTH_MODES("h200", {
        check(run(count, 3, 64, 20000));
        assert_int_equal(word_at(0), 20000);
        check(run(count, 1, 1, 20001)); /* one lane, so that states differ in few bits */
        assert_int_equal(word_at(0), 20001);
        check(run(clock, 3, 64, 150000));
        assert_int_equal(word_at(0), 150000);
    })
}

/* Block 0 polls until block 1, which has counted for long without a trace in memory, sets the flag. */
static void polling_that_succeeds_late(void **state)
{
    (void)state;
    static const char text[] =
        ENTRY("setp.eq.u32 %p, %b, 0; @%p bra POLL;\n"
              "LOOP: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra LOOP;\n"
              "st.volatile.global.u32 [%a], %i; ret;\n"
              "POLL: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra POLL;\n"
              "st.global.u32 [%a+4], %v;\n");
    IN_BOTH_MODES("h200", {
        check(run(text, 2, 32, 20000));
        assert_int_equal(word_at(1), 20000);
    })
}

/* The same counts where they do decide, however indirectly: a bounded number of tries, one in an outer loop,
 * a carry, a store, a function of the kernel's; and polling that counts and succeeds late. */
static void counting_that_decides(void **state)
{
    (void)state;
    static const char bounded[] =
        ENTRY("LOOP: ld.volatile.global.u32 %v, [%a]; add.u32 %i, %i, 1; sub.u32 %w, %n, %i;\n"
              "setp.ne.u32 %p, %v, 0; @%p bra END; setp.ne.u32 %q, %w, 0; @%q bra LOOP;\n"
              "END: st.global.u32 [%a+4], %i;\n");
    static const char nested[] =
        ENTRY("OUTER: mov.u32 %w, 0;\n"
              "INNER: ld.volatile.global.u32 %v, [%a]; add.u32 %w, %w, 1; setp.lt.u32 %p, %w, 30;\n"
              "setp.eq.and.u32 %q, %v, 0, %p; @%q bra INNER;\n"
              "add.u32 %i, %i, %w; setp.lt.u32 %p, %i, %n; @%p bra OUTER; st.global.u32 [%a+4], %i;\n");
    static const char carried[] =
        ENTRY("mov.u32 %w, 0; LOOP: ld.volatile.global.u32 %v, [%a]; add.cc.u32 %i, %i, 0x40000;\n"
              "addc.u32 %w, %w, %v; setp.eq.u32 %q, %w, 0; @%q bra LOOP; st.global.u32 [%a+4], %n;\n");
    static const char called[] = HEAD
        ".func (.param .u32 out) is_enough (.param .u32 a, .param .u32 b) {\n"
        ".reg .u32 %x, %y; ld.param.u32 %x, [a]; ld.param.u32 %y, [b]; set.ge.u32.u32 %x, %x, %y;\n"
        "st.param.u32 [out], %x; ret; }\n"
        ".visible .entry k(.param .u64 words, .param .u32 count) {\n"
        ".reg .u64 %a; .reg .u32 %n, %v, %i; .reg .pred %q; .param .u32 x; .param .u32 y; .param .u32 z;\n"
        "ld.param.u64 %a, [words]; ld.param.u32 %n, [count]; mov.u32 %i, 0;\n"
        "LOOP: ld.volatile.global.u32 %v, [%a]; add.u32 %i, %i, 1; st.param.u32 [x], %i;\n"
        "st.param.u32 [y], %n; call.uni (z), is_enough, (x, y); ld.param.u32 %v, [z];\n"
        "setp.eq.u32 %q, %v, 0; @%q bra LOOP; st.global.u32 [%a+4], %i; ret; }\n";
    static const char late[] = ENTRY("setp.eq.u32 %p, %b, 0; @%p bra POLL;\n"
                                     "LOOP: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra LOOP;\n"
                                     "st.volatile.global.u32 [%a], %i; ret;\n"
                                     "POLL: ld.volatile.global.u32 %v, [%a]; add.u32 %i, %i, 1;\n"
                                     "setp.eq.u32 %p, %v, 0; @%p bra POLL; st.global.u32 [%a+4], %v;\n");
    static const struct {
        const char *text;
        uint32_t blocks, count, result;
    } kernels[] = {{bounded, 2, 9000, 9000},
                   {nested, 2, 9000, 9000},
                   {carried, 2, 7, 7},
                   {called, 2, 5000, 5000},
                   {late, 2, 20000, 20000}};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        IN_BOTH_MODES("h200", {
            check(run(kernels[i].text, kernels[i].blocks, 32, kernels[i].count));
            assert_int_equal(word_at(1), kernels[i].result);
        })
    }
}

/* Half of each warp spins until the other half, whose turn has not come, sets the flag. Where a thousand
 * threads poll one word a turn takes long, and all the while those that spin come back to where they were. */
static void lanes_that_wait_for_their_turn(void **state)
{
    (void)state;
    static const char text[] =
        ENTRY("and.b32 %v, %t, 31; setp.lt.u32 %p, %v, 16; @%p bra SET;\n"
              "LOOP: atom.global.add.u32 %v, [%a], 0; setp.eq.u32 %q, %v, 0; @%q bra LOOP; bra END;\n"
              "SET: atom.global.exch.b32 %v, [%a], 1; END: atom.global.add.u32 %v, [%a+4], 1;\n");
    static const char *const gpus[] = {"h200", "titanv"};
    for (int i = 0; i < 2; i++) {
        IN_BOTH_MODES(gpus[i], {
            check(wb_gpu_set(gpu, "functional_turn", "1"));
            check(run(text, 4, 1024, 0));
            assert_int_equal(word_at(1), 4096);
        })
    }
}

/* A copy that takes a while. */
static void copy_long(WbStream *stream)
{
    static uint8_t ballast[1 << 22];
    uint64_t to;
    check(wb_malloc(gpu, sizeof ballast, &to));
    check(wb_stream_copy(gpu, stream,
                         &(WbCopy){.destination = {.address = to},
                                   .source = {(uint64_t)(uintptr_t)ballast, true, 0, 0},
                                   .width = sizeof ballast,
                                   .height = 1,
                                   .depth = 1}));
}

/* What a kernel waits for may come from another stream. */
static void flags_that_copies_set(void **state)
{
    (void)state;
    static const char text[] =
        ENTRY("LOOP: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra LOOP;\n"
              "st.global.u32 [%a+4], %v;\n");
    IN_BOTH_MODES("h200", {
        WbStream *stream;
        const uint32_t flag = 7;
        check(wb_stream_create(gpu, WB_STREAM_NON_BLOCKING, 0, &stream));
        put(text, 1, NULL);
        copy_long(stream);
        check(wb_stream_copy(gpu, stream,
                             &(WbCopy){.destination = {.address = words},
                                       .source = {(uint64_t)(uintptr_t)&flag, true, 0, 0},
                                       .width = 4,
                                       .height = 1,
                                       .depth = 1}));
        check(wb_wait(gpu));
        assert_int_equal(word_at(1), 7);
    })
}

/* Kernels of streams that signal each other, to and fro; the first one of three waits for the last. */
static void kernels_that_signal_each_other(void **state)
{
    (void)state;
    static const char ping[] =
        ENTRY("LOOP: add.u32 %i, %i, 1; st.volatile.global.u32 [%a], %i;\n"
              "WAIT: ld.volatile.global.u32 %v, [%a+4]; setp.ne.u32 %p, %v, %i; @%p bra WAIT;\n"
              "setp.lt.u32 %p, %i, 50; @%p bra LOOP; st.global.u32 [%a+8], %i;\n");
    static const char pong[] =
        ENTRY("LOOP: add.u32 %i, %i, 1;\n"
              "WAIT: ld.volatile.global.u32 %v, [%a]; setp.ne.u32 %p, %v, %i; @%p bra WAIT;\n"
              "st.volatile.global.u32 [%a+4], %i; setp.lt.u32 %p, %i, 50; @%p bra LOOP;\n");
    static const char waits[] =
        ENTRY("WAIT: ld.volatile.global.u32 %v, [%a+8]; setp.eq.u32 %p, %v, 0; @%p bra WAIT;\n"
              "st.global.u32 [%a+12], %v;\n");
    static const char *const texts[] = {waits, pong, ping}, *const timed[] = {"*", "other*"};
    for (int kind = 0; kind < 2; kind++) {
        IN_BOTH_MODES("h200", {
            check(wb_gpu_set(gpu, "timed_kernels", timed[kind]));
            for (int i = 0; i < 3; i++) {
                WbStream *stream;
                check(wb_stream_create(gpu, WB_STREAM_NON_BLOCKING, 0, &stream));
                put(texts[i], 1, stream);
            }
            check(wb_wait(gpu));
            assert_int_equal(word_at(2), 50);
            assert_int_equal(word_at(3), 50);
        })
    }
}

/* A kernel waits for one that is behind it in its stream, or finds no place beside it; and two wait for each
 * other. The sentence says what may be the matter. */
static void kernels_that_wait_in_vain(void **state)
{
    (void)state;
    static const char waits[] =
        ENTRY("WAIT: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra WAIT;\n");
    static const char sets[] = ENTRY("st.volatile.global.u32 [%a], 1;\n");
    static const char waits_too[] =
        ENTRY("WAIT: ld.volatile.global.u32 %v, [%a+64]; setp.eq.u32 %p, %v, 0; @%p bra WAIT;\n");
    IN_BOTH_MODES("h200", {
        put(waits, 1, NULL);
        put(sets, 1, NULL);
        EXPECT(wb_wait(gpu), "spins", "If it is for the launch that has not begun",
               "The 1 launch queued behind it did not run");
    })
    is_functional = true;
    open_gpu("h200");
    put(waits, 1, NULL);
    put(sets, 1, NULL);
    EXPECT(wb_wait(gpu), "spins", "If it is for the launch that has not begun", "concurrent_kernels",
           "The 1 launch queued behind it did not run");
    WbStream *streams[2];
    for (int i = 0; i < 2; i++)
        check(wb_stream_create(gpu, WB_STREAM_NON_BLOCKING, 0, &streams[i]));
    put(waits, 1, streams[0]);
    put(waits_too, 2, streams[1]);
    EXPECT(wb_wait(gpu), "spins, and so do the kernels beside it (1)", "all blocks on the GPU (3)",
           "all others, of all kernels, have ended or spin");
    check(wb_gpu_set(gpu, "concurrent_kernels", "1"));
    put(waits, 1, streams[0]);
    put(sets, 1, streams[1]);
    EXPECT(wb_wait(gpu), "spins", "If it is for the launch that has not begun");
    check(wb_gpu_set(gpu, "concurrent_kernels", "2"));
    put(waits, 1, streams[0]);
    put(sets, 1, streams[1]);
    check(wb_wait(gpu));
    wb_gpu_close(gpu);
}

/* Two kernels that a kernel has launched spin, and a third one finds no entry of the distributor: its record
 * says that, and what they do. */
static void kernels_beside_one_that_spins(void **state)
{
    (void)state;
    is_functional = false;
    open_gpu("h200");
    WbStream *stream;
    check(wb_gpu_set(gpu, "concurrent_kernels", "2"));
    check(wb_stream_create(gpu, WB_STREAM_NON_BLOCKING, 0, &stream));
    put(PARENT("LOOP: bra LOOP;\n"), 2, NULL);
    copy_long(stream);
    put(barrier, 3, stream);
    EXPECT(wb_wait(gpu), "kernel 'k' spins", "2 wait off the SMs",
           "go round in a loop without an end at test.ptx:", "of 'child' on SM");
    assert_int_equal(wb_record_count(gpu), 2);
    assert_string_equal(record_at(1).status, "spins");
    assert_non_null(strstr(record_at(1).failure, "3 have not been dispatched"));
    assert_non_null(
        strstr(record_at(1).failure, "waits for an entry of the kernel distributor, whose 2 entries"));
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_barrier_larger_than_the_gpu),
        cmocka_unit_test(a_grid_barrier_by_one_thread),
        cmocka_unit_test(a_producer_that_is_never_dispatched),
        cmocka_unit_test(a_spin_lock_between_lanes),
        cmocka_unit_test(a_barrier_that_not_all_reach),
        cmocka_unit_test(spinning_in_company),
        cmocka_unit_test(lanes_that_spin_in_turns),
        cmocka_unit_test(waiting_for_the_machine),
        cmocka_unit_test(records_of_what_did_not_end),
        cmocka_unit_test(counting_while_spinning),
        cmocka_unit_test(counting_that_decides),
        cmocka_unit_test(long_loops_end),
        cmocka_unit_test(polling_that_succeeds_late),
        cmocka_unit_test(lanes_that_wait_for_their_turn),
        cmocka_unit_test(flags_that_copies_set),
        cmocka_unit_test(kernels_that_signal_each_other),
        cmocka_unit_test(kernels_that_wait_in_vain),
        cmocka_unit_test(kernels_beside_one_that_spins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
