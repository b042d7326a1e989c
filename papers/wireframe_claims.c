/* What each claim of the paper is compared with. */
#include "papers/wireframe.h"

#include <math.h>

#define SPEEDUP(mode, global)                                                                                \
    {                                                                                                        \
        WF_TIME, global, RISE, mode                                                                          \
    }

/* -- claims that are no plain mean -- */

/* NAN if either is. */
static double larger(double one, double other) { return isnan(one) || one > other ? one : other; }

/* The highest value of a quantity of all benchmarks; NAN if one has none. */
static double highest(const Results *results, Quantity quantity)
{
    double most = quantity_value(results, quantity, 0);
    for (size_t i = 1; i < results->benchmark_count; i++)
        most = larger(most, quantity_value(results, quantity, i));
    return most;
}

static void fill_best(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = larger(highest(results, (Quantity)SPEEDUP(RUN_LVL_1K, RUN_GLOBAL_1K)),
                       larger(highest(results, (Quantity)SPEEDUP(RUN_LVL, RUN_GLOBAL)),
                              highest(results, (Quantity)SPEEDUP(RUN_LVL_9K, RUN_GLOBAL_9K))));
}

static void fill_most_requests(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = highest(results, (Quantity){WF_REQUESTS, RUN_LVL, ALONE, 0});
}

static void fill_bytes(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = (double)wireframe_buffer_bytes(results, "lvl", false);
}

/* -- figure 13 -- */

/* Whether all its runs are known: right or deadlocked. */
static bool is_complete(const Results *results, const WireframeSweep *sweep)
{
    for (size_t i = 0; i < sweep->count; i++)
        if (isnan(wireframe_swept_ipc(results, sweep, i)))
            return false;
    return true;
}

static void fill_same_pending(const Results *results, const Claim *claim, double *values)
{
    const WireframeSweep *sweep = &wireframe_sweeps[SWEEP_LRR_NODES];
    const Quantity needed = {WF_PENDING, RUN_LVL_NODES_128, ALONE, 0};
    const double most = quantity_value(results, needed, wireframe_swept_benchmark());
    (void)claim;
    for (size_t i = sweep->count; is_complete(results, sweep) && i-- > 0;)
        if (wireframe_swept(results, sweep, i, WF_PENDING) <= most)
            values[0] = sweep->entries[i];
}

/* The fewest entries that reach 99% of the highest IPC; `count` of them if none runs at all. */
static size_t enough(const Results *results, const WireframeSweep *sweep)
{
    double best = 0;
    for (size_t i = 0; i < sweep->count; i++)
        best = fmax(best, wireframe_swept_ipc(results, sweep, i));
    size_t index = 0;
    while (index < sweep->count && (best == 0 || wireframe_swept_ipc(results, sweep, index) < 0.99 * best))
        index++;
    return index;
}

static void fill_edges(const Results *results, const Claim *claim, double *values)
{
    const WireframeSweep *lvl = &wireframe_sweeps[SWEEP_LVL_EDGES];
    const WireframeSweep *lrr = &wireframe_sweeps[SWEEP_LRR_EDGES];
    (void)claim;
    if (!is_complete(results, lvl) || !is_complete(results, lrr))
        return;
    const size_t least_lvl = enough(results, lvl), least_lrr = enough(results, lrr);
    if (least_lvl < lvl->count)
        values[0] = lvl->entries[least_lvl];
    values[1] = least_lrr ? lrr->entries[least_lrr - 1] : 0;
}

/* -- all claims -- */

static const Measure measures[] = {
    {.id = "W1",
     .parts = {{.quantity = SPEEDUP(RUN_CDP, RUN_GLOBAL)}},
     .note = "with all latencies of DTBL's table 3, as 5.1 says"},
    {.id = "W1b", .parts = {{.quantity = SPEEDUP(RUN_CDP_HIDDEN, RUN_GLOBAL)}}},
    {.id = "W2", .parts = {{.quantity = SPEEDUP(RUN_DEPLINKS, RUN_GLOBAL)}}},
    {.id = "W3", .parts = {{.quantity = SPEEDUP(RUN_LRR, RUN_GLOBAL)}}},
    {.id = "W4", .parts = {{.quantity = SPEEDUP(RUN_LVL, RUN_GLOBAL)}}},
    {.id = "W5", .parts = {{.quantity = SPEEDUP(RUN_LVL_1K, RUN_GLOBAL_1K)}}},
    {.id = "W6", .parts = {{.quantity = SPEEDUP(RUN_LVL_9K, RUN_GLOBAL_9K)}}},
    {.id = "W7", .fill = fill_best},
    {.id = "W8", .parts = {{.quantity = {WF_REQUESTS, RUN_LVL, ALONE, 0}}}, .note = "LVL, 4K nodes"},
    {.id = "W9", .fill = fill_most_requests, .note = "LVL, 4K nodes"},
    {.id = "W10", .parts = {{.quantity = {WF_LEVEL_RANGE, RUN_LRR_9K, ALONE, 0}}}, .note = "LRR"},
    {.id = "W11", .parts = {{.quantity = {WF_LEVEL_RANGE, RUN_LVL_9K, ALONE, 0}}}},
    {.id = "W12",
     .parts = {{.quantity = {WF_LEVEL_RANGE, RUN_LRR_9K, ALONE, 0}, .benchmark = "heat2d"}},
     .note = "LRR"},
    {.id = "W13",
     .parts = {{.quantity = {WF_LAUNCH_RATIO, RUN_GLOBAL_1K, ALONE, 0}},
               {.quantity = {WF_LAUNCH_RATIO, RUN_GLOBAL, ALONE, 0}},
               {.quantity = {WF_LAUNCH_RATIO, RUN_GLOBAL_9K, ALONE, 0}}},
     .note = "Global: time without that of launches, over it; an input: kernels were chosen by it"},
    {.id = "W14", .fill = fill_bytes},
    {.id = "W15",
     .parts = {{.quantity = {WF_CYCLES, RUN_LVL, RISE, RUN_LVL_IDEAL}}},
     .note = "mean of cycles more than with the whole graph on the chip and updates that take no time"},
    {.id = "W16",
     .parts = {{.quantity = {WF_PENDING, RUN_LVL_NODES_128, ALONE, 0}, .benchmark = WIREFRAME_SWEPT}},
     .note = "most in use, in " WIREFRAME_SWEPT " with 4K nodes and room for 64"},
    {.id = "W17",
     .fill = fill_same_pending,
     .note = "the fewest of figure 13, 4K nodes, with no more pending updates than W16's"},
    {.id = "W18",
     .parts = {{.quantity = {WF_LEVEL_RANGE, RUN_LRR_9K, ALONE, 0}, .benchmark = "dtw"},
               {.quantity = {WF_LEVEL_RANGE, RUN_LVL_9K, ALONE, 0}, .benchmark = "dtw"},
               {.quantity = {WF_LEVEL_RANGE, RUN_LRR_9K, ALONE, 0}, .benchmark = "sor"},
               {.quantity = {WF_LEVEL_RANGE, RUN_LVL_9K, ALONE, 0}, .benchmark = "sor"}},
     .note = "LRR and LVL, 9K nodes"},
    {.id = "W19",
     .fill = fill_edges,
     .note = "LVL: the fewest of figure 13 with 99% of the best IPC; LRR: the most with less than that or "
             "with a deadlock, 0 if there are none"},
};

Judgement wireframe_judge(const Results *results, const Claim *claim)
{
    return measure_judge(measures, sizeof measures / sizeof *measures, results, claim);
}
