/* Random sets of knobs, within and outside of their bounds, over a small kernel and small workloads. A run
 * must end, with the right result or with a sentence, and with the same statistics for one thread and for
 * two.
 *
 * An input says which GPU, what runs, and then knobs with values: their bounds, one beyond, a few, any
 * number, any text. Knobs that only make a run larger are brought back to what fits into seconds (limits[]),
 * and a launch ends after CYCLES. With FUZZ_TELL in the environment an input is told as options of `warpbeam
 * run`. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "registry/registry.h"

#define MUST(condition) ((condition) ? (void)0 : stop(#condition))
#define CYCLES "30000"

enum { MOST_KNOBS = 12, THREADS = 96, BLOCKS = 6, CELLS = THREADS * BLOCKS + 1, MOST_STATISTICS = 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

static void stop(const char *what)
{
    fprintf(stderr, "fuzz_knobs: this does not hold: %s\n", what);
    abort();
}

/* Divergence, shared memory behind a barrier, local memory, atomics. The last cell is a sum. */
static const char kernel_text[] =
    ".version 7.0\n.target sm_20\n.address_size 64\n"
    ".visible .entry mix(.param .u64 cells)\n{\n"
    "    .reg .pred %p<3>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n"
    "    .shared .align 4 .b8 row[384]; .local .align 8 .b8 own[16];\n"
    "    ld.param.u64 %rd1, [cells];\n"
    "    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 96, %r1;\n"
    "    mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "    ld.global.u32 %r4, [%rd3]; and.b32 %r5, %r1, 7;\n"
    "again:\n"
    "    mad.lo.u32 %r4, %r4, 3, 1; sub.u32 %r5, %r5, 1; setp.gt.s32 %p1, %r5, 0; @%p1 bra again;\n"
    "    mov.u32 %r6, row; shl.b32 %r7, %r1, 2; add.u32 %r8, %r6, %r7; st.shared.u32 [%r8], %r4;\n"
    "    bar.sync 0;\n"
    "    add.u32 %r9, %r1, 1; rem.u32 %r9, %r9, 96; shl.b32 %r9, %r9, 2; add.u32 %r9, %r6, %r9;\n"
    "    ld.shared.u32 %r10, [%r9]; st.local.u32 [own+4], %r10; ld.local.u32 %r11, [own+4];\n"
    "    xor.b32 %r12, %r11, %r3; st.global.u32 [%rd3], %r12; red.global.add.u32 [%rd1+2304], %r12;\n"
    "    ret;\n}\n";

/* -- what an input says -- */

/* Invariant: `at` of `size` bytes have been read; behind them all are 0. */
typedef struct Input {
    const uint8_t *data;
    size_t size, at;
} Input;

static uint64_t take(Input *input, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value = value << 8 | (input->at < input->size ? input->data[input->at++] : 0);
    return value;
}

typedef struct Setting {
    const char *knob;
    char value[64];
} Setting;

typedef struct Plan {
    const char *gpu;
    int what; /* one of runs[]; -1: the kernel */
    size_t mode;
    Setting settings[MOST_KNOBS];
    unsigned count;
} Plan;

static const char *const gpus[] = {"gtx480", "titanv", "h200", "gtx970"};
static const char *const runs[] = {"dtbl/join_uniform", "dtbl/amr", "wireframe/sor", "wireframe/sw"};
enum { GPUS = sizeof gpus / sizeof *gpus, RUNS = sizeof runs / sizeof *runs };

static uint64_t number_for(const Knob *knob, Input *input)
{
    const uint64_t span = knob->maximum - knob->minimum;
    const uint64_t bits = take(input, 8);
    switch (take(input, 1) % 8) {
    case 0:
        return knob->minimum;
    case 1:
        return knob->maximum;
    case 2:
        return knob->minimum - 1; /* which may be the largest number of all */
    case 3:
        return knob->maximum + 1;
    case 4:
        return knob->minimum + bits % 16;
    case 5:
        return span == UINT64_MAX ? bits : knob->minimum + bits % (span + 1);
    case 6:
        return UINT64_C(1) << bits % 64;
    default:
        return bits >> (bits % 64);
    }
}

/* The names of policies are what knobs of texts take. */
static const char *text_for(uint64_t bits)
{
    static const char *const texts[] = {"gto",        "lrr",    "two-level",    "oldest",
                                        "grid-order", "always", "random-order", "loose-round-robin",
                                        "lvl",        "lcs",    "bcs",          "no-such-thing",
                                        "",           "*",      "0,16,48"};
    return texts[bits % (sizeof texts / sizeof *texts)];
}

static void make_setting(Input *input, Setting *setting)
{
    const Knob *knob = &config_knobs.rows[take(input, 2) % config_knobs.count];
    setting->knob = knob->name;
    size_t choices = 0;
    switch (knob->kind) {
    case KNOB_KIND_INTEGER:
        snprintf(setting->value, sizeof setting->value, "%" PRIu64, number_for(knob, input));
        break;
    case KNOB_KIND_BOOLEAN:
        snprintf(setting->value, sizeof setting->value, "%s", take(input, 1) & 1 ? "true" : "false");
        break;
    case KNOB_KIND_ENUMERATION:
        while (knob->choices[choices])
            choices++;
        snprintf(setting->value, sizeof setting->value, "%s", knob->choices[take(input, 1) % choices]);
        break;
    case KNOB_KIND_STRING:
        snprintf(setting->value, sizeof setting->value, "%s", text_for(take(input, 1)));
        break;
    }
}

static Plan make_plan(Input *input)
{
    Plan plan = {.gpu = gpus[take(input, 1) % GPUS],
                 .what = (int)(take(input, 1) % (RUNS + 8)),
                 .mode = take(input, 1)};
    plan.what = plan.what < RUNS ? plan.what : -1;
    while (input->at < input->size && plan.count < MOST_KNOBS)
        make_setting(input, &plan.settings[plan.count++]);
    return plan;
}

/* -- a run of it -- */

/* Invariant: `text` is a sentence unless the status is WB_OK. */
typedef struct Outcome {
    WbStatus status;
    char text[2048];
    char names[MOST_STATISTICS][64];
    uint64_t statistics[MOST_STATISTICS];
    size_t statistic_count, records;
} Outcome;

/* What more of these costs in memory and time is no news. */
static const struct {
    const char *knob;
    uint64_t most;
} limits[] = {{"sm_count", 8},
              {"l2_bytes", 8388608},
              {"max_threads_per_sm", 4096},
              {"l2_slices", 96},
              {"dram_channels", 48},
              {"l1_bytes", 1048576},
              {"graph_local_nodes", 4096},
              {"graph_local_edges", 4096},
              {"functional_turn", 4096},
              {"launch_passes", 3}};

static void keep_small(WbGpu *gpu)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        uint64_t value;
        char text[32];
        MUST(wb_gpu_get(gpu, limits[i].knob, &value) == WB_OK);
        snprintf(text, sizeof text, "%" PRIu64, limits[i].most);
        if (value > limits[i].most)
            wb_gpu_set(gpu, limits[i].knob, text); /* may be refused beside others; then those are, too */
    }
}

/* Whoever looks for more would have to know all of them. */
static bool is_sentence(const char *text) { return strlen(text) > 10 && strchr(text, ' '); }

static void ignore_output(void *context, const char *text, size_t length)
{
    (void)context, (void)text, (void)length;
}

/* A value that is refused leaves the knob as it was. */
static void apply(const Plan *plan, const char *threads, WbGpu *gpu)
{
    wb_set_output(gpu, ignore_output, NULL);
    MUST(wb_gpu_set(gpu, "mode", "cycle") == WB_OK);
    for (unsigned i = 0; i < plan->count; i++)
        if (wb_gpu_set(gpu, plan->settings[i].knob, plan->settings[i].value))
            MUST(is_sentence(wb_error(gpu)));
    keep_small(gpu);
    MUST(wb_gpu_set(gpu, "threads", threads) == WB_OK);
    MUST(wb_gpu_set(gpu, "cycle_limit", CYCLES) == WB_OK);
    MUST(wb_gpu_set(gpu, "functional_limit", "200000") == WB_OK);
}

static WbStatus run_kernel(WbGpu *gpu, uint32_t cells[CELLS])
{
    WbModule *module;
    WbKernel *kernel;
    uint64_t address;
    WbStatus status = wb_module_load(gpu, "mix.ptx", kernel_text, sizeof kernel_text - 1, &module);
    if (status == WB_OK)
        status = wb_module_kernel(module, "mix", &kernel);
    if (status == WB_OK)
        status = wb_malloc(gpu, CELLS * 4, &address);
    if (status == WB_OK)
        status = wb_copy_to_device(gpu, address, cells, CELLS * 4);
    const WbArgument argument = {&address, sizeof address};
    if (status == WB_OK)
        status = wb_launch(kernel, &(WbLaunch){.grid = {BLOCKS, 1, 1},
                                               .block = {THREADS, 1, 1},
                                               .arguments = &argument,
                                               .argument_count = 1});
    return status == WB_OK ? wb_copy_from_device(gpu, cells, address, CELLS * 4) : status;
}

/* As the kernel does it, one thread after the other. */
static void compute(uint32_t cells[CELLS])
{
    for (uint32_t b = 0; b < BLOCKS; b++) {
        uint32_t row[THREADS];
        for (uint32_t t = 0; t < THREADS; t++) {
            row[t] = cells[b * THREADS + t];
            for (uint32_t i = 0; i < ((t & 7) ? (t & 7) : 1); i++)
                row[t] = row[t] * 3 + 1;
        }
        for (uint32_t t = 0; t < THREADS; t++) {
            cells[b * THREADS + t] = row[(t + 1) % THREADS] ^ (b * THREADS + t);
            cells[CELLS - 1] += cells[b * THREADS + t];
        }
    }
}

static WbStatus check_kernel(WbGpu *gpu)
{
    uint32_t cells[CELLS] = {0}, right[CELLS] = {0};
    for (uint32_t i = 0; i + 1 < CELLS; i++)
        cells[i] = right[i] = i * 2654435761u;
    const WbStatus status = run_kernel(gpu, cells);
    compute(right);
    if (status == WB_OK)
        MUST(memcmp(cells, right, sizeof cells) == 0);
    return status;
}

static WbStatus check_workload(const Plan *plan, WbGpu *gpu, char text[2048])
{
    Workload workload;
    Host host;
    MUST(workload_find(runs[plan->what], &workload));
    const bool right = workload_run(&workload, plan->mode % workload.mode_count, INPUT_TINY, gpu,
                                    SOURCE_DIRECTORY "/workloads", &host);
    const WbStatus status = host.status;
    snprintf(text, 2048, "%s", host.error);
    if (!right)
        MUST(is_sentence(host.error) && !strstr(host.error, "computed without the GPU"));
    host_end(&host);
    return right ? WB_OK : status ? status : WB_ERROR_ARGUMENT;
}

static void note_statistics(WbGpu *gpu, Outcome *outcome)
{
    outcome->records = wb_record_count(gpu);
    outcome->statistic_count = wb_stat_count(gpu);
    MUST(outcome->statistic_count <= MOST_STATISTICS);
    for (size_t i = 0; i < outcome->statistic_count; i++) {
        WbStat stat;
        MUST(wb_stat_at(gpu, i, &stat) == WB_OK);
        snprintf(outcome->names[i], sizeof outcome->names[i], "%s", stat.name);
        outcome->statistics[i] = stat.value;
    }
}

static void run(const Plan *plan, const char *threads, Outcome *outcome)
{
    WbGpu *gpu;
    MUST(wb_gpu_open(plan->gpu, &gpu, outcome->text, sizeof outcome->text) == WB_OK);
    apply(plan, threads, gpu);
    *outcome = (Outcome){0};
    if (plan->what < 0) {
        outcome->status = check_kernel(gpu);
        snprintf(outcome->text, sizeof outcome->text, "%s", outcome->status ? wb_error(gpu) : "");
    } else {
        outcome->status = check_workload(plan, gpu, outcome->text);
    }
    if (outcome->status)
        MUST(is_sentence(outcome->text));
    note_statistics(gpu, outcome);
    wb_gpu_close(gpu);
}

static void tell(const Plan *plan)
{
    fprintf(stderr, "warpbeam run %s --gpu %s", plan->what < 0 ? "(the kernel)" : runs[plan->what],
            plan->gpu);
    for (unsigned i = 0; i < plan->count; i++)
        fprintf(stderr, " --set %s=%s", plan->settings[i].knob, plan->settings[i].value);
    fprintf(stderr, "   (mode %zu)\n", plan->mode);
}

static void compare(const Outcome *one, const Outcome *two)
{
    if (one->status != two->status || strcmp(one->text, two->text) != 0)
        fprintf(stderr, "one thread: %s\ntwo threads: %s\n", one->text, two->text);
    MUST(one->status == two->status && strcmp(one->text, two->text) == 0);
    MUST(one->records == two->records && one->statistic_count == two->statistic_count);
    for (size_t i = 0; i < one->statistic_count; i++)
        if (one->statistics[i] != two->statistics[i]) {
            fprintf(stderr, "%s: %" PRIu64 " and %" PRIu64 "\n", one->names[i], one->statistics[i],
                    two->statistics[i]);
            stop("one thread and two count the same");
        }
}

/* Small changes of an input are mostly the same run again: every other input is new. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    enum { PLAN_BYTES = 3, SETTING_BYTES = 11 };
    uint32_t state = seed;
    if (random_next(&state) >> 31)
        return LLVMFuzzerMutate(data, size, most);
    const size_t wanted = PLAN_BYTES + SETTING_BYTES * (1 + (random_next(&state) >> 16) % MOST_KNOBS);
    size = wanted < most ? wanted : most;
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)(random_next(&state) >> 24);
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Outcome one, two;
    Input input = {data, size, 0};
    const Plan plan = make_plan(&input);
    if (getenv("FUZZ_TELL"))
        tell(&plan);
    run(&plan, "1", &one);
    run(&plan, "2", &two);
    if (getenv("FUZZ_TELL"))
        fprintf(stderr, "%s\n", one.status ? one.text : "right");
    compare(&one, &two);
    return 0;
}
