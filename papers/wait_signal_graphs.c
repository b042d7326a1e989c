/* Graphs in chapter 6 of the synchronization thesis: figures 43 and 44 and claims S1 to S4.
 *
 * Figure 43 has samples of 40,000 vertices in all sizes of the study but tiny, two vertices for each thread so
 * that memory flags can run (sync/search.h). Figure 44 has whole graphs in size full, a vertex for each thread.
 * In size small it has samples of 32,000, also a vertex for each thread: 63 blocks, of which gtx970 holds 52,
 * so that blocks are swapped as with whole graphs, which would take hours. APSP has no whole graph [6.4.2]. */
#include <math.h>
#include <stdio.h>

#include "papers/wait_signal.h"

enum { SWAPPING_SAMPLE = 32000 };

SyncRun wait_signal_graph_way(WaitSignalKind kind, int mode, const PaperOptions *options)
{
    static const SyncMode ways[] = {[RUN_REKL] = SYNC_REKL,
                                    [RUN_DP] = SYNC_DP_LEVELS,
                                    [RUN_FLAGS] = SYNC_FLAGS_WS,
                                    [RUN_WAIT_SIGNAL] = SYNC_WS};
    SyncRun way = {.mode = ways[mode], .size = options->size, .graph = options->graph};
    if (kind == KIND_SAMPLE && options->size != INPUT_TINY)
        way.size = INPUT_SMALL;
    if (kind == KIND_GRAPH && options->size == INPUT_SMALL)
        way.side = SWAPPING_SAMPLE, way.each = 1;
    return way;
}

/* Memory flags deadlock where blocks do not fit, and are left out of figure 44 [6.4.2]. */
bool wait_signal_graph_has(WaitSignalKind kind, int mode)
{
    return mode == RUN_REKL || mode == RUN_DP || mode == RUN_WAIT_SIGNAL ||
           (mode == RUN_FLAGS && kind == KIND_SAMPLE);
}

/* The mean over the benchmarks of a kind of the other mode's time over that of wait-signal. NAN unless all of
 * them have one: a mean over some of them is none of the thesis's. */
static double mean_over(const Results *results, WaitSignalKind kind, int other)
{
    double sum = 0, count = 0;
    for (size_t b = 0; b < results->benchmark_count; b++)
        if (wait_signal_benchmarks[b].kind == kind) {
            sum += quantity_value(results, (Quantity){WS_TIME, other, OVER, RUN_WAIT_SIGNAL}, b);
            count++;
        }
    return quotient(sum, count);
}

void wait_signal_fill_rekl(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = mean_over(results, KIND_SAMPLE, RUN_REKL);
}

void wait_signal_fill_dp(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = mean_over(results, KIND_SAMPLE, RUN_DP);
}

void wait_signal_fill_flags(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = 100 * (mean_over(results, KIND_SAMPLE, RUN_FLAGS) - 1);
}

void wait_signal_fill_graphs(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = (mean_over(results, KIND_GRAPH, RUN_REKL) + mean_over(results, KIND_GRAPH, RUN_DP)) / 2;
}

/* -- tables -- */

static void draw_graphs(Sheet *sheet, const Results *results, WaitSignalKind kind)
{
    static const struct {
        const char *name;
        int mode;
    } columns[] = {{"DP", RUN_DP}, {"memory flags", RUN_FLAGS}, {"wait-signal", RUN_WAIT_SIGNAL}};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    double sums[COLUMNS] = {0}, count = 0;
    sheet_column(sheet, "benchmark");
    for (size_t i = 0; i < COLUMNS; i++)
        if (wait_signal_graph_has(kind, columns[i].mode))
            sheet_column_in(sheet, columns[i].name, "times");
    sheet_column_in(sheet, "ReKL", "us");
    sheet_column(sheet, "launches of ReKL");
    sheet_column(sheet, "swaps of wait-signal");
    for (size_t b = 0; b < results->benchmark_count; b++) {
        if (wait_signal_benchmarks[b].kind != kind || !results_have(results, b))
            continue;
        sheet_text(sheet, results->benchmark(b));
        count++;
        for (size_t i = 0; i < COLUMNS; i++)
            if (wait_signal_graph_has(kind, columns[i].mode)) {
                const double speedup = wait_signal_speedup(results, b, columns[i].mode, WS_TIME);
                sheet_number(sheet, speedup, 2);
                sums[i] += speedup;
            }
        sheet_number(sheet, quantity_value(results, (Quantity){WS_TIME, RUN_REKL, ALONE, 0}, b), 1);
        sheet_number(sheet, quantity_value(results, (Quantity){WS_LAUNCHES, RUN_REKL, ALONE, 0}, b), 0);
        sheet_number(sheet, quantity_value(results, (Quantity){WS_SWAPS, RUN_WAIT_SIGNAL, ALONE, 0}, b), 0);
    }
    sheet_text(sheet, "average");
    for (size_t i = 0; i < COLUMNS; i++)
        if (wait_signal_graph_has(kind, columns[i].mode))
            sheet_number(sheet, quotient(sums[i], count), 2);
    for (int i = 0; i < 3; i++)
        sheet_text(sheet, "");
}

void wait_signal_draw_samples(Sheet *sheet, const Results *results, const char *workload)
{
    (void)workload;
    draw_graphs(sheet, results, KIND_SAMPLE);
}

void wait_signal_draw_graphs(Sheet *sheet, const Results *results, const char *workload)
{
    (void)workload;
    draw_graphs(sheet, results, KIND_GRAPH);
}
