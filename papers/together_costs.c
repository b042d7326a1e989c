/* What two mechanisms give together, and what each takes of the chip.
 *
 * Bytes are those that papers and files of mechanisms count: tables, buffers, counters and queues. Logic is
 * not counted, nor is the core of the aggregator beside its caches. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/gpu.h"
#include "grid/graph_buffer.h"
#include "grid/graph_order.h"
#include "grid/group_table.h"
#include "grid/policy.h"
#include "papers/together.h"
#include "sm/sched/registry.h"

/* -- pairs -- */

typedef struct Pair {
    const char *name;
    TogetherMode mode;
    TogetherColumn with;
} Pair;

/* Those that the study was asked for. */
static const Pair pairs[] = {
    {"DATS (LRR) with CLASO", TOGETHER_LRR, TG_CLASO},
    {"DATS (LVL) with CLASO", TOGETHER_LVL, TG_CLASO},
    {"wait-signal with SAWS", TOGETHER_WS, TG_SAWS},
    {"ordered wait-signal with SAWS", TOGETHER_WS_ORDER, TG_SAWS},
    {"DTBL with CLASO", TOGETHER_DTBL, TG_CLASO},
};

static void add_pair(Sheet *sheet, const Results *results, const Pair *pair, size_t problem)
{
    const double first = together_speedup(results, problem, pair->mode, TG_POLICY_GPU);
    const double second = together_speedup(results, problem, TOGETHER_HOST, pair->with);
    const double both = together_speedup(results, problem, pair->mode, pair->with);
    char name[96];
    snprintf(name, sizeof name, "%s: %s", pair->name, together_problems[problem].name);
    sheet_text(sheet, name);
    sheet_number(sheet, first, 2);
    sheet_number(sheet, second, 2);
    sheet_number(sheet, first * second, 2);
    sheet_number(sheet, both, 2);
}

Sheet together_pairs(const Results *results)
{
    Sheet sheet = {.name = "pairs",
                   .title = "Two together on gtx970: speedups over launches by the host with the GPU's own "
                            "policies",
                   .plotted = true};
    sheet_column(&sheet, "pair");
    sheet_column_in(&sheet, "mechanism alone", "times");
    sheet_column_in(&sheet, "policy alone", "times");
    sheet_column_in(&sheet, "product of both", "times");
    sheet_column_in(&sheet, "together", "times");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (size_t problem = 0; problem < TOGETHER_PROBLEMS; problem++)
            if (results_at(results, problem, (int)(pairs[i].mode * TG_COLUMNS + pairs[i].with)))
                add_pair(&sheet, results, &pairs[i], problem);
    return sheet;
}

/* One after the other is the sum of two runs that the study has anyway. */
Sheet together_side_by_side(const Results *results)
{
    Sheet sheet = {.name = "side",
                   .title = "Channels with wait-signal: the tree by channels and the stencil by waits and "
                            "signals, in two streams of one GPU"};
    sheet_column(&sheet, "GPU");
    sheet_column_in(&sheet, "tree", "us");
    sheet_column_in(&sheet, "stencil", "us");
    sheet_column_in(&sheet, "one after the other", "us");
    sheet_column_in(&sheet, "at once", "us");
    sheet_column_in(&sheet, "speedup", "times");
    for (TogetherColumn gpu = 0; gpu < TG_GPUS; gpu++) {
        const RunResult *run = results_at(results, TOGETHER_STENCIL, (int)(TG_SIDE + (size_t)gpu));
        const double tree = together_time(results, TOGETHER_TREE, TOGETHER_CHANNELS, gpu);
        const double stencil = together_time(results, TOGETHER_STENCIL, TOGETHER_WS, gpu);
        const double both = run ? run->nanoseconds / 1e3 : NAN;
        sheet_text(&sheet, together_columns[gpu]);
        sheet_number(&sheet, tree, 1);
        sheet_number(&sheet, stencil, 1);
        sheet_number(&sheet, tree + stencil, 1);
        sheet_number(&sheet, both, 1);
        sheet_number(&sheet, quotient(tree + stencil, both), 2);
    }
    return sheet;
}

/* -- bytes -- */

enum { CONTEXT_ENTRY = 20 }; /* bytes of a block that is away (docs/CONTEXT_SWITCH.md) */

static uint64_t graph_bytes(const GpuConfig *config, const char *name)
{
    Error error = {0};
    const GraphOrder *order = order_find(name, &error);
    return graph_buffer_bytes_in_full(order_local_nodes(order, config), order_local_edges(order, config),
                                      (uint32_t)config->graph_pending_updates,
                                      (uint32_t)config->graph_id_bits);
}

/* SMs keep account of blocks that wait and have left their places. */
static uint64_t away_bytes(const GpuConfig *config)
{
    return config->sm_count * config->preempted_local * CONTEXT_ENTRY;
}

/* Two counters for each kernel: blocks that have come, and blocks that there are. */
static uint64_t global_sync_bytes(const GpuConfig *config)
{
    return config->concurrent_kernels * 2 * sizeof(uint32_t);
}

/* Counters on chip with the number of their event, and the queue of messages: event, target, SM. */
static uint64_t wait_signal_bytes(const GpuConfig *config)
{
    const uint64_t event = config->wait_signal_event_bits, counter = config->wait_signal_counter_bits;
    const uint64_t message = event + counter + bits_for(config->sm_count);
    return bits_bytes(config->wait_signal_counters * (event + counter)) +
           bits_bytes(config->sm_count * config->wait_signal_queue * message);
}

static uint64_t mechanism_bytes(const GpuConfig *config, TogetherMode mode)
{
    switch (mode) {
    case TOGETHER_DTBL:
        return group_registers_bytes(config) + group_table_bytes(config);
    case TOGETHER_BARRIERS:
    case TOGETHER_LRR:
        return graph_bytes(config, "lrr");
    case TOGETHER_LVL:
        return graph_bytes(config, "lvl");
    case TOGETHER_GSYNC:
        return global_sync_bytes(config) + away_bytes(config);
    case TOGETHER_WS:
    case TOGETHER_WS_ORDER:
        return wait_signal_bytes(config) + away_bytes(config);
    case TOGETHER_CHANNELS:
        return config->aggregator_cache_bytes + config->aggregator_code_bytes;
    default:
        return 0;
    }
}

/* The most bytes of keys that a launch with an order of its blocks held: `small` or whatever was run. */
static double key_bytes(const Results *results, TogetherColumn gpu)
{
    uint64_t most = 0;
    for (size_t problem = 0; problem < TOGETHER_PROBLEMS; problem++) {
        const RunResult *run =
            results_at(results, problem, (int)(TOGETHER_WS_ORDER * TG_COLUMNS + (size_t)gpu));
        const uint64_t keys = run ? run->statistics[TGS_KEYS] : 0;
        most = keys > most ? keys : most;
    }
    return (double)(most * sizeof(int32_t));
}

/* Of a GPU as it is shipped. False: it cannot be opened. */
static bool read_config(const char *name, GpuConfig *config)
{
    WbGpu *gpu;
    char error[256];
    if (wb_gpu_open(name, &gpu, error, sizeof error))
        return false;
    *config = gpu->config;
    wb_gpu_close(gpu);
    return true;
}

Sheet together_hardware(const Results *results)
{
    static const char *const parts[TOGETHER_MODES] = {
        [TOGETHER_HOST] = "nothing",
        [TOGETHER_CDP] = "nothing: launches wait in memory",
        [TOGETHER_DTBL] = "group registers and group table [DTBL 4.3]",
        [TOGETHER_BARRIERS] = "dependency graph buffer [Wireframe 4.2]",
        [TOGETHER_LRR] = "the same",
        [TOGETHER_LVL] = "the same, with its own numbers of nodes and edges",
        [TOGETHER_GSYNC] = "counters of kernels; account of blocks that are away",
        [TOGETHER_WS] = "event counters, queue of messages; account of blocks that are away",
        [TOGETHER_WS_ORDER] = "the same, and the most keys that a run here had at once",
        [TOGETHER_CHANNELS] = "the aggregator's two caches; its core is not counted",
    };
    GpuConfig configs[TG_GPUS];
    Sheet sheet = {.name = "hardware", .title = "Bytes on the chip that each mechanism adds"};
    sheet_column(&sheet, "mechanism");
    for (TogetherColumn gpu = 0; gpu < TG_GPUS; gpu++)
        sheet_column_in(&sheet, together_columns[gpu], "bytes");
    sheet_column(&sheet, "what");
    for (TogetherColumn gpu = 0; gpu < TG_GPUS; gpu++)
        if (!read_config(together_columns[gpu], &configs[gpu]))
            return sheet;
    for (TogetherMode mode = 0; mode < TOGETHER_MODES; mode++) {
        sheet_text(&sheet, together_mode_names[mode]);
        for (TogetherColumn gpu = 0; gpu < TG_GPUS; gpu++)
            sheet_number(&sheet,
                         (double)mechanism_bytes(&configs[gpu], mode) +
                             (mode == TOGETHER_WS_ORDER ? key_bytes(results, gpu) : 0),
                         0);
        sheet_text(&sheet, parts[mode]);
    }
    return sheet;
}

/* Speedups of a mechanism over all problems and GPUs that it has. */
typedef struct Spread {
    double logarithms, count, least, most;
    uint32_t problems;
} Spread;

static Spread spread_of(const Results *results, TogetherMode mode)
{
    Spread spread = {.least = INFINITY, .most = -INFINITY};
    for (size_t problem = 0; problem < TOGETHER_PROBLEMS; problem++) {
        spread.problems += together_has(&together_problems[problem], mode);
        for (TogetherColumn gpu = 0; gpu < TG_GPUS; gpu++) {
            const double speedup = together_speedup(results, problem, mode, gpu);
            if (isnan(speedup))
                continue;
            spread.logarithms += log(speedup);
            spread.count++;
            spread.least = fmin(spread.least, speedup);
            spread.most = fmax(spread.most, speedup);
        }
    }
    return spread;
}

Sheet together_balance(const Results *results)
{
    GpuConfig config = {0};
    Sheet sheet = {.name = "balance",
                   .title = "What a mechanism can express, what it gives over all that (four GPUs), and what "
                            "it takes on gtx970"};
    sheet_column(&sheet, "mechanism");
    sheet_column_in(&sheet, "problems", "problems");
    sheet_column_in(&sheet, "geometric mean", "times");
    sheet_column_in(&sheet, "least", "times");
    sheet_column_in(&sheet, "most", "times");
    sheet_column_in(&sheet, "bytes", "bytes");
    if (!read_config(together_columns[TG_POLICY_GPU], &config))
        return sheet;
    for (TogetherMode mode = 0; mode < TOGETHER_MODES; mode++) {
        const Spread spread = spread_of(results, mode);
        sheet_text(&sheet, together_mode_names[mode]);
        sheet_number(&sheet, spread.problems, 0);
        sheet_number(&sheet, spread.count ? exp(spread.logarithms / spread.count) : NAN, 2);
        sheet_number(&sheet, spread.count ? spread.least : NAN, 2);
        sheet_number(&sheet, spread.count ? spread.most : NAN, 2);
        sheet_number(&sheet, (double)mechanism_bytes(&config, mode), 0);
    }
    return sheet;
}

Sheet together_policy_state(const Results *results)
{
    static const struct {
        const char *name;
        const PolicyKind *kind;
    } rows[] = {{"lrr", &sched_policies},     {"two-level", &sched_policies}, {"saws", &sched_policies},
                {"claso", &admit_policies},   {"dyncta", &admit_policies}};
    Sheet sheet = {.name = "policy_state", .title = "Bytes on the chip that each policy adds"};
    (void)results;
    sheet_column(&sheet, "policy");
    for (TogetherColumn gpu = 0; gpu < TG_GPUS; gpu++)
        sheet_column_in(&sheet, together_columns[gpu], "bytes");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sheet_text(&sheet, rows[i].name);
        for (TogetherColumn gpu = 0; gpu < TG_GPUS; gpu++) {
            GpuConfig config = {0};
            read_config(together_columns[gpu], &config);
            sheet_number(&sheet,
                         (double)bits_bytes(policy_state_bits(rows[i].kind, rows[i].name, &config)), 0);
        }
    }
    return sheet;
}
