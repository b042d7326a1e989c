/* Several GPUs in cycle mode: kernels of one load, store and add to memory of another and of the host, over
 * links with their latency and rate. */
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "harness.h"
#include "mem/hub_statistics.h"

enum { GPUS = 2, THREADS = 128 };

/* move: each thread copies words a grid apart. count: each thread adds 1 to a word. chase: one thread follows
 * pointers `n` times. ping: one thread sets the other GPU's flag and waits for its own, n times. */
static const char kernels_text[] = PTX_HEADER
    ".visible .entry move(.param .u64 to, .param .u64 from, .param .u32 n)\n"
    "{\n.reg .b64 %a, %b, %o; .reg .b32 %r<6>; .reg .pred %q;\n"
    "ld.param.u64 %a, [to]; ld.param.u64 %b, [from]; ld.param.u32 %r5, [n];\n"
    "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r0, %r0, %r1, %r2;\n"
    "mov.u32 %r3, %nctaid.x; mul.lo.u32 %r1, %r1, %r3;\n"
    "NEXT: setp.ge.u32 %q, %r0, %r5; @%q ret; mul.wide.u32 %o, %r0, 4;\n"
    "add.u64 %o, %o, %b; ld.global.u32 %r4, [%o]; sub.u64 %o, %o, %b; add.u64 %o, %o, %a;\n"
    "st.global.u32 [%o], %r4; add.u32 %r0, %r0, %r1; bra NEXT;\n}\n"
    ".visible .entry count(.param .u64 word)\n{\n.reg .b64 %a; .reg .b32 %r;\n"
    "ld.param.u64 %a, [word]; atom.global.sys.add.u32 %r, [%a], 1; red.global.sys.add.u32 [%a+4], 2; "
    "ret;\n}\n"
    ".visible .entry chase(.param .u64 first, .param .u32 n, .param .u64 out)\n"
    "{\n.reg .b64 %a, %b; .reg .b32 %r; .reg .pred %q;\n"
    "ld.param.u64 %a, [first]; ld.param.u32 %r, [n];\n"
    "NEXT: ld.global.cg.u64 %a, [%a]; sub.u32 %r, %r, 1; setp.ne.u32 %q, %r, 0; @%q bra NEXT;\n"
    "ld.param.u64 %b, [out]; st.global.u64 [%b], %a; ret;\n}\n"
    ".visible .entry ping(.param .u64 mine, .param .u64 other, .param .u32 n, .param .u32 first)\n"
    "{\n.reg .b64 %a, %b; .reg .b32 %r<4>; .reg .pred %q;\n"
    "ld.param.u64 %a, [mine]; ld.param.u64 %b, [other]; ld.param.u32 %r0, [n]; ld.param.u32 %r2, [first];\n"
    "mov.u32 %r1, 0;\n"
    "TURN: add.u32 %r1, %r1, 1; setp.eq.u32 %q, %r2, 0; @%q bra WAIT; st.volatile.global.u32 [%b], %r1;\n"
    "WAIT: ld.volatile.global.u32 %r3, [%a]; setp.lt.u32 %q, %r3, %r1; @%q bra WAIT;\n"
    "setp.ne.u32 %q, %r2, 0; @%q bra NEXT; st.volatile.global.u32 [%b], %r1;\n"
    "NEXT: setp.lt.u32 %q, %r1, %r0; @%q bra TURN; ret;\n}\n";

typedef struct Pair {
    WbGpu *gpus[GPUS];
    WbModule *modules[GPUS];
} Pair;

/* knobs: pairs of name and value, ended by null, for both. */
static Pair open_pair(const char *first, const char *second, const char *const *knobs)
{
    Pair pair;
    char error[512];
    if (wb_gpus_open((const char *const[]){first, second}, GPUS, pair.gpus, error, sizeof error))
        fail_msg("%s", error);
    for (int i = 0; i < GPUS; i++) {
        assert_int_equal(wb_gpu_set(pair.gpus[i], "mode", "cycle"), WB_OK);
        for (const char *const *knob = knobs; knob && *knob; knob += 2)
            if (wb_gpu_set(pair.gpus[i], knob[0], knob[1]))
                fail_msg("%s", wb_error(pair.gpus[i]));
        if (wb_module_load(pair.gpus[i], "links.ptx", kernels_text, strlen(kernels_text), &pair.modules[i]))
            fail_msg("%s", wb_error(pair.gpus[i]));
    }
    for (int i = 0; i < GPUS; i++)
        assert_int_equal(wb_peer_enable(pair.gpus[i], pair.gpus[!i], true), WB_OK);
    return pair;
}

static void close_pair(const Pair *pair)
{
    for (int i = 0; i < GPUS; i++)
        wb_gpu_close(pair->gpus[i]);
}

static uint64_t allocate(WbGpu *gpu, size_t size)
{
    uint64_t address;
    assert_int_equal(wb_malloc(gpu, size, &address), WB_OK);
    return address;
}

static void launch(const Pair *pair, int gpu, const char *name, uint32_t blocks, uint32_t threads,
                   void *const *arguments)
{
    WbKernel *kernel;
    assert_int_equal(wb_module_kernel(pair->modules[gpu], name, &kernel), WB_OK);
    const WbLaunch launch = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .pointers = arguments};
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

static void move(const Pair *pair, int gpu, uint64_t to, uint64_t from, uint32_t words, uint32_t blocks)
{
    launch(pair, gpu, "move", blocks, THREADS, (void *[]){&to, &from, &words});
}

static void kernels_use_a_peers_memory(void **state)
{
    (void)state;
    enum { WORDS = 10000 };
    const Pair pair = open_pair("gtx480", "gtx480", NULL);
    uint32_t *data = malloc(WORDS * sizeof *data), *back = calloc(WORDS, sizeof *back);
    for (uint32_t i = 0; i < WORDS; i++)
        data[i] = i * 2654435761u;
    const uint64_t here = allocate(pair.gpus[0], 4 * WORDS), there = allocate(pair.gpus[1], 4 * WORDS);
    const uint64_t again = allocate(pair.gpus[1], 4 * WORDS);
    assert_int_equal(wb_copy_to_device(pair.gpus[1], there, data, 4 * WORDS), WB_OK);
    move(&pair, 0, here, there, WORDS, 8); /* loads from the peer */
    move(&pair, 0, again, here, WORDS, 8); /* stores to it */
    wait(&pair);
    assert_int_equal(wb_copy_from_device(pair.gpus[1], back, again, 4 * WORDS), WB_OK);
    assert_memory_equal(back, data, 4 * WORDS);
    free(data);
    free(back);
    close_pair(&pair);
}

static void atomics_of_all_meet(void **state)
{
    (void)state;
    const Pair pair = open_pair("gtx480", "titanv", NULL);
    uint64_t word = allocate(pair.gpus[1], 8);
    uint32_t *host;
    assert_int_equal(wb_host_alloc(pair.gpus[0], 8, WB_MEMORY_HOST, (void **)&host), WB_OK);
    uint64_t host_word = (uint64_t)(uintptr_t)host;
    for (int gpu = 0; gpu < GPUS; gpu++) {
        launch(&pair, gpu, "count", 10, THREADS, (void *[]){&word});
        launch(&pair, gpu, "count", 10, THREADS, (void *[]){&host_word});
    }
    wait(&pair);
    uint32_t sums[2];
    assert_int_equal(wb_copy_from_device(pair.gpus[1], sums, word, sizeof sums), WB_OK);
    assert_int_equal(sums[0], GPUS * 10 * THREADS);
    assert_int_equal(sums[1], 2 * GPUS * 10 * THREADS);
    assert_int_equal(host[0], GPUS * 10 * THREADS);
    assert_int_equal(host[1], 2 * GPUS * 10 * THREADS);
    close_pair(&pair);
}

/* Cycles of a load, from a chain of them. */
static double chase(const Pair *pair, uint64_t at, uint64_t out, size_t *record)
{
    uint32_t few = 8, many = 40;
    launch(pair, 0, "chase", 1, 1, (void *[]){&at, &few, &out});
    launch(pair, 0, "chase", 1, 1, (void *[]){&at, &many, &out});
    wait(pair);
    *record += 2;
    return (double)(cycles_of(pair->gpus[0], *record - 1) - cycles_of(pair->gpus[0], *record - 2)) / 32;
}

/* Two ways over the link are what a load of a peer's memory takes more; over PCIe it is four, to the host two. */
static void loads_take_the_links_latency(void **state)
{
    (void)state;
    const Pair pair = open_pair("gtx480", "gtx480",
                                (const char *const[]){"link_topology", "switch", "link_latency_ns", "1000",
                                                      "pcie_latency_ns", "3000", NULL});
    const uint64_t here = allocate(pair.gpus[0], 256), there = allocate(pair.gpus[1], 256);
    const uint64_t out = allocate(pair.gpus[0], 8);
    uint64_t *host;
    assert_int_equal(wb_host_alloc(pair.gpus[0], 256, WB_MEMORY_HOST, (void **)&host), WB_OK);
    *host = (uint64_t)(uintptr_t)host;
    assert_int_equal(wb_copy_to_device(pair.gpus[0], here, &here, 8), WB_OK);
    assert_int_equal(wb_copy_to_device(pair.gpus[1], there, &there, 8), WB_OK);
    size_t record = 0;
    const double khz = (double)pair.gpus[0]->config.clock_khz,
                 way = (double)pair.gpus[0]->config.crossbar_latency;
    const double near = chase(&pair, here, out, &record), far = chase(&pair, there, out, &record);
    const double of_host = chase(&pair, *host, out, &record);
    assert_true(far > near + 2000 * khz / 1e6 && far < near + 2000 * khz / 1e6 + 3 * way + 50);
    assert_true(of_host > 6000 * khz / 1e6 + 2 * way && of_host < 6000 * khz / 1e6 + 4 * way + 400);
    for (int i = 0; i < GPUS; i++)
        assert_int_equal(wb_gpu_set(pair.gpus[i], "link_topology", "pcie"), WB_OK);
    const double by_pcie = chase(&pair, there, out, &record);
    assert_true(by_pcie > near + 12000 * khz / 1e6 && by_pcie < near + 12000 * khz / 1e6 + 3 * way + 200);
    close_pair(&pair);
}

/* Flags that two GPUs set in each other's memory: their kernels run at the same time. */
static void flags_pass_between_kernels(void **state)
{
    (void)state;
    const Pair pair = open_pair("gtx480", "titanx", NULL);
    uint64_t flags[GPUS];
    uint32_t turns = 10, first = 1, second = 0;
    for (int i = 0; i < GPUS; i++) {
        const uint32_t zero = 0;
        flags[i] = allocate(pair.gpus[i], 4);
        assert_int_equal(wb_copy_to_device(pair.gpus[i], flags[i], &zero, 4), WB_OK);
    }
    launch(&pair, 0, "ping", 1, 1, (void *[]){&flags[0], &flags[1], &turns, &first});
    launch(&pair, 1, "ping", 1, 1, (void *[]){&flags[1], &flags[0], &turns, &second});
    wait(&pair);
    for (int i = 0; i < GPUS; i++) {
        uint32_t flag;
        assert_int_equal(wb_copy_from_device(pair.gpus[i], &flag, flags[i], 4), WB_OK);
        assert_int_equal(flag, turns);
    }
    close_pair(&pair);
}

/* Loads of a peer's memory come as fast as the link lets their replies through: 9 flits of 16 bytes a line. */
static void a_link_is_used_up_to_its_rate(void **state)
{
    (void)state;
    enum { WORDS = 1 << 17 };
    const Pair pair =
        open_pair("gtx480", "gtx480",
                  (const char *const[]){"link_topology", "switch", "link_rate", "20000", "link_header_flits",
                                        "1", "link_flit_bytes", "16", NULL});
    const uint64_t here = allocate(pair.gpus[0], 4 * WORDS), there = allocate(pair.gpus[1], 4 * WORDS);
    move(&pair, 0, here, there, WORDS, 60);
    move(&pair, 0, there, here, WORDS, 60);
    wait(&pair);
    const double seconds_of_link = 4.0 * WORDS * 9 / 8 / 20e9;
    for (size_t i = 0; i < 2; i++) {
        const double seconds =
            (double)cycles_of(pair.gpus[0], i) / ((double)pair.gpus[0]->config.clock_khz * 1e3);
        assert_true(seconds > seconds_of_link && seconds < 1.15 * seconds_of_link);
    }
    close_pair(&pair);
}

static uint64_t statistic(WbGpu *gpu, const char *name)
{
    WbStat stat;
    assert_int_equal(wb_stat_find(gpu, name, &stat), WB_OK);
    return stat.value;
}

/* What one GPU sends the other takes in; samples over time add up to the same. */
static void links_count_what_they_move(void **state)
{
    (void)state;
    enum { WORDS = 1 << 14, LINES = WORDS / 32 };
    const Pair pair =
        open_pair("gtx480", "gtx480",
                  (const char *const[]){"link_topology", "switch", "link_flit_bytes", "16",
                                        "link_header_flits", "1", "sample_interval", "1000", NULL});
    const uint64_t here = allocate(pair.gpus[0], 4 * WORDS), there = allocate(pair.gpus[1], 4 * WORDS);
    move(&pair, 0, here, there, WORDS, 60);
    wait(&pair);
    WbGpu *first = pair.gpus[0];
    assert_int_equal(statistic(first, "link.packets_out"), LINES);
    assert_int_equal(statistic(first, "link.packets_in"), LINES);
    assert_int_equal(statistic(first, "link.bytes_out"), 0);
    assert_int_equal(statistic(first, "link.bytes_in"), 4 * WORDS);
    assert_int_equal(statistic(first, "link_port.flits_out"), LINES);
    assert_int_equal(statistic(first, "link_port.flits_in"), 9 * LINES);
    assert_int_equal(statistic(first, "pcie.flits_in") + statistic(first, "pcie.flits_out"), 0);
    const KernelRecord *record = first->records.items[0];
    uint64_t bytes = 0, busy = 0;
    for (uint32_t i = 0; i < record->series->ends.count; i++) {
        bytes += series_value(record->series, i, SERIES_LINK_bytes_in);
        busy += series_value(record->series, i, SERIES_LINK_PORT_busy_in);
    }
    assert_int_equal(bytes, 4 * WORDS);
    assert_int_equal(busy, statistic(first, "link_port.busy_in"));
    const ComponentRecord *links = &record->components[COMPONENT_LINK];
    const LinkStatistics *peers = (const LinkStatistics *)links->values;
    assert_int_equal(links->count, GPUS + 1);
    assert_int_equal(peers[1].bytes_in, 4 * WORDS); /* all of it came from the second GPU */
    assert_int_equal(peers[GPUS].packets_in, 0);
    close_pair(&pair);

    WbGpu *alone = harness_open("gtx480", (const char *const[]){"mode=cycle", NULL});
    assert_false(gpu_shows(alone, COMPONENT_LINK) || gpu_shows(alone, COMPONENT_PCIE));
    wb_gpu_close(alone);
}

static char *report_with(const char *threads, const char *window)
{
    enum { WORDS = 4096 };
    const Pair pair = open_pair("gtx480", "titanv",
                                (const char *const[]){"threads", threads, "window", window, "link_topology",
                                                      "mesh", "link_credits", "16", "hub_queue", "4", NULL});
    const uint64_t here = allocate(pair.gpus[0], 4 * WORDS), there = allocate(pair.gpus[1], 4 * WORDS);
    for (int i = 0; i < GPUS; i++) {
        move(&pair, i, here, there, WORDS, 8);
        launch(&pair, i, "count", 10, THREADS, (void *[]){(void *)(uintptr_t)(i ? &here : &there)});
    }
    wait(&pair);
    char *first = harness_report(pair.gpus[0]), *second = harness_report(pair.gpus[1]);
    char *both = malloc(strlen(first) + strlen(second) + 1);
    strcpy(both, first);
    strcat(both, second);
    free(first);
    free(second);
    close_pair(&pair);
    return both;
}

static void threads_and_windows_change_nothing(void **state)
{
    (void)state;
    char *once = report_with("1", "0");
    char *others[] = {report_with("2", "0"), report_with("1", "3")};
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(others[i], once);
        free(others[i]);
    }
    free(once);
}

/* One GPU may reach the host's memory over PCIe, too; without that knob it is as if it were its own. */
static void one_gpu_may_reach_the_host(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (int i = 0; i < 2; i++) {
        WbGpu *gpu = harness_open(
            "gtx480",
            (const char *const[]){"mode=cycle", i ? "host_memory_at=host" : "host_memory_at=automatic",
                                  "pcie_latency_ns=5000", NULL});
        WbModule *module;
        WbKernel *kernel;
        uint32_t *host;
        assert_int_equal(wb_module_load(gpu, "links.ptx", kernels_text, strlen(kernels_text), &module),
                         WB_OK);
        assert_int_equal(wb_module_kernel(module, "count", &kernel), WB_OK);
        assert_int_equal(wb_host_alloc(gpu, 8, WB_MEMORY_HOST, (void **)&host), WB_OK);
        const WbLaunch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .pointers = (void *[]){&host}};
        assert_int_equal(wb_launch(kernel, &launch), WB_OK);
        assert_int_equal(wb_wait(gpu), WB_OK);
        assert_int_equal(host[0], 32);
        cycles[i] = cycles_of(gpu, 0);
        wb_gpu_close(gpu);
    }
    assert_true(cycles[1] > cycles[0] + 6000); /* two ways of 5,000 ns at 700 MHz, less a miss */
}

/* The other GPU's place stays, but nobody uses it. */
static void a_gpu_goes_on_without_its_peer(void **state)
{
    (void)state;
    enum { WORDS = 1000 };
    const Pair pair = open_pair("gtx480", "gtx480", NULL);
    const uint64_t here = allocate(pair.gpus[0], 4 * WORDS), there = allocate(pair.gpus[1], 4 * WORDS);
    move(&pair, 0, here, there, WORDS, 8);
    wait(&pair);
    wb_gpu_close(pair.gpus[1]);
    move(&pair, 0, here + 4, here, WORDS - 1, 8);
    assert_int_equal(wb_wait(pair.gpus[0]), WB_OK);
    move(&pair, 0, here, there, WORDS, 8);
    assert_int_equal(wb_wait(pair.gpus[0]), WB_ERROR_ADDRESS);
    wb_gpu_close(pair.gpus[0]);
}

/* A kernel that fails, and one that does not end, are told with their GPU. */
static void failures_name_the_gpu(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        const Pair pair = open_pair("gtx480", "gtx480", (const char *const[]){"cycle_limit", "20000", NULL});
        uint64_t zero = allocate(pair.gpus[1], 4), bad = 4096;
        assert_int_equal(wb_set_device(pair.gpus[1], zero, 0, 4), WB_OK);
        if (way == 0) /* waits for what nobody stores */
            launch(&pair, 1, "ping", 1, 1, (void *[]){&zero, &zero, &(uint32_t){1}, &(uint32_t){0}});
        for (int i = 0; way == 2 && i < GPUS; i++)
            assert_int_equal(wb_gpu_set(pair.gpus[i], "mode", "functional"), WB_OK);
        if (way)
            launch(&pair, 1, "count", 1, 1, (void *[]){&bad});
        assert_int_not_equal(wb_stream_wait(pair.gpus[1], NULL), WB_OK);
        const char *wanted =
            way ? "kernel 'count' on GPU 1, links.ptx:" : "kernel 'ping' has run 20000 cycles on GPU 1";
        if (!strstr(wb_error(pair.gpus[1]), wanted))
            fail_msg("not as wanted: %s", wb_error(pair.gpus[1]));
        close_pair(&pair);
    }
}

/* What waits in streams of one GPU for a kernel of the other that fails goes with it; then both work again. */
static void failures_end_what_waits_elsewhere(void **state)
{
    (void)state;
    for (int fails = 0; fails < GPUS; fails++) {
        const Pair pair = open_pair("gtx480", "gtx480", NULL);
        WbEvent *event;
        uint64_t bad = 4096, word = allocate(pair.gpus[!fails], 8);
        uint32_t value = 0;
        assert_int_equal(wb_set_device(pair.gpus[!fails], word, 0, 8), WB_OK);
        assert_int_equal(wb_event_create(pair.gpus[fails], &event), WB_OK);
        launch(&pair, fails, "count", 1, 1, (void *[]){&bad});
        assert_int_equal(wb_event_record(event, NULL), WB_OK);
        assert_int_equal(wb_stream_wait_event(pair.gpus[!fails], NULL, event), WB_OK);
        launch(&pair, !fails, "count", 1, 1, (void *[]){&word});
        assert_int_not_equal(wb_stream_wait(pair.gpus[!fails], NULL), WB_OK);
        launch(&pair, !fails, "count", 1, 1, (void *[]){&word});
        wait(&pair);
        assert_int_equal(wb_copy_from_device(pair.gpus[!fails], &value, word, 4), WB_OK);
        assert_int_equal(value, 1);
        wb_event_destroy(event);
        close_pair(&pair);
    }
}

/* Kernels of two GPUs that wait for each other's flags: both are named. */
static void a_deadlock_names_both_gpus(void **state)
{
    (void)state;
    const Pair pair = open_pair("gtx480", "gtx480", (const char *const[]){"watchdog_cycles", "2000", NULL});
    uint64_t flags[GPUS];
    for (int i = 0; i < GPUS; i++) {
        flags[i] = allocate(pair.gpus[i], 4);
        assert_int_equal(wb_set_device(pair.gpus[i], flags[i], 0, 4), WB_OK);
    }
    for (int i = 0; i < GPUS; i++) /* none of the two sets its flag first */
        launch(&pair, i, "ping", 1, 1, (void *[]){&flags[i], &flags[!i], &(uint32_t){1}, &(uint32_t){0}});
    assert_int_not_equal(wb_stream_wait(pair.gpus[0], NULL), WB_OK);
    const char *text = wb_error(pair.gpus[0]);
    const bool is_first = strstr(text, "kernel 'ping' spins on GPU 0") != NULL;
    if (!is_first && !strstr(text, "kernel 'ping' spins on GPU 1"))
        fail_msg("not as wanted: %s", text);
    if (!strstr(text, is_first ? "too: 'ping' on GPU 1." : "too: 'ping' on GPU 0."))
        fail_msg("not as wanted: %s", text);
    close_pair(&pair);
}

static void coherent_caches_are_refused(void **state)
{
    (void)state;
    const Pair pair = open_pair("gtx480", "gtx480", (const char *const[]){"l1_coherence", "ownership", NULL});
    const uint64_t here = allocate(pair.gpus[0], 128);
    move(&pair, 0, here, here, 32, 1);
    assert_int_equal(wb_wait(pair.gpus[0]), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(wb_error(pair.gpus[0]), "l1_coherence ownership"));
    close_pair(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_use_a_peers_memory),         cmocka_unit_test(atomics_of_all_meet),
        cmocka_unit_test(loads_take_the_links_latency),       cmocka_unit_test(flags_pass_between_kernels),
        cmocka_unit_test(a_link_is_used_up_to_its_rate),      cmocka_unit_test(links_count_what_they_move),
        cmocka_unit_test(threads_and_windows_change_nothing), cmocka_unit_test(one_gpu_may_reach_the_host),
        cmocka_unit_test(a_gpu_goes_on_without_its_peer),     cmocka_unit_test(coherent_caches_are_refused),
        cmocka_unit_test(failures_name_the_gpu),              cmocka_unit_test(a_deadlock_names_both_gpus),
        cmocka_unit_test(failures_end_what_waits_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
