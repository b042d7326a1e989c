/* The paper's figures as tables, with what its prose says of them beside the benchmarks. */
#include "papers/wireframe.h"

#include <math.h>
#include <stdio.h>

/* Figures whose rows are no benchmarks are made by functions. */
typedef struct Drawing {
    Figure figure;
    void (*draw)(Sheet *sheet, const Results *results);
} Drawing;

/* "A's rise over B" of time is B's speedup over A in percent. */
#define SPEEDUP(mode, global)                                                                                \
    {                                                                                                        \
        WF_TIME, global, RISE, mode                                                                          \
    }

/* -- over time -- */

static void draw_ranges(Sheet *sheet, const Results *results)
{
    sheet_column(sheet, "time, %");
    for (size_t b = 0; b < results->benchmark_count; b++)
        sheet_column_in(sheet, results->benchmark(b), "levels");
    for (size_t i = 0; i < WIREFRAME_PARTS; i++) {
        char part[32];
        snprintf(part, sizeof part, "%.0f-%.0f", 100.0 * (double)i / WIREFRAME_PARTS,
                 100.0 * (double)(i + 1) / WIREFRAME_PARTS);
        sheet_text(sheet, part);
        for (size_t b = 0; b < results->benchmark_count; b++) {
            const RunResult *result = results_at(results, b, RUN_LRR_9K);
            sheet_number(sheet, result ? result->samples[i] : NAN, 1);
        }
    }
    sheet_text(sheet, "most");
    for (size_t b = 0; b < results->benchmark_count; b++)
        sheet_number(sheet, quantity_value(results, (Quantity){WF_LEVEL_RANGE, RUN_LRR_9K, ALONE, 0}, b), 0);
}

/* -- over sizes of the local arrays -- */

static void draw_sweeps(Sheet *sheet, const Results *results, const WireframeSweep *lrr,
                        const WireframeSweep *lvl)
{
    sheet_column(sheet, "entries");
    sheet_column_in(sheet, "LRR pending", "updates");
    sheet_column_in(sheet, "LVL pending", "updates");
    sheet_column_in(sheet, "LRR IPC", "instructions a cycle");
    sheet_column_in(sheet, "LVL IPC", "instructions a cycle");
    for (size_t i = 0; i < lrr->count; i++) {
        sheet_number(sheet, lrr->entries[i], 0);
        sheet_number(sheet, wireframe_swept(results, lrr, i, WF_PENDING), 0);
        sheet_number(sheet, wireframe_swept(results, lvl, i, WF_PENDING), 0);
        sheet_number(sheet, wireframe_swept_ipc(results, lrr, i), 1);
        sheet_number(sheet, wireframe_swept_ipc(results, lvl, i), 1);
    }
}

static void draw_nodes(Sheet *sheet, const Results *results)
{
    draw_sweeps(sheet, results, &wireframe_sweeps[SWEEP_LRR_NODES], &wireframe_sweeps[SWEEP_LVL_NODES]);
}

static void draw_edges(Sheet *sheet, const Results *results)
{
    draw_sweeps(sheet, results, &wireframe_sweeps[SWEEP_LRR_EDGES], &wireframe_sweeps[SWEEP_LVL_EDGES]);
}

/* -- inputs -- */

static void draw_inputs(Sheet *sheet, const Results *results)
{
    static const int ways[] = {RUN_GLOBAL_1K, RUN_GLOBAL, RUN_GLOBAL_9K};
    static const char *const columns[] = {"1K tile", "4K tile", "9K tile"};
    sheet_column(sheet, "benchmark");
    sheet_column(sheet, "matrix");
    sheet_column_in(sheet, "million cells", "million");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        sheet_column_in(sheet, columns[i], "cells");
    for (size_t b = 0; b < results->benchmark_count; b++) {
        const WireframeBenchmark *benchmark = &wireframe_benchmarks[b];
        char text[64];
        const WavefrontCells cells = benchmark->cells[results->size];
        sheet_text(sheet, benchmark->name);
        snprintf(text, sizeof text, "%u x %u x %u", cells.width, cells.height, benchmark->planes);
        sheet_text(sheet, text);
        sheet_number(sheet, 1e-6 * cells.width * cells.height * benchmark->planes, 1);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            const uint32_t tiles = wireframe_way(ways[i], results->size).tiles;
            snprintf(text, sizeof text, "%.1f x %.1f", (double)cells.width / tiles,
                     (double)cells.height / tiles);
            sheet_text(sheet, text);
        }
    }
}

/* -- as if launches took what was published -- */

/* What was published of each size: computation over launches, by the claim W13. */
static const struct {
    const char *name;
    int mode, global;
    double ratio;
} weighed[] = {
    {"DepLinks", RUN_DEPLINKS, RUN_GLOBAL, 5}, {"LRR", RUN_LRR, RUN_GLOBAL, 5},
    {"LVL 1K", RUN_LVL_1K, RUN_GLOBAL_1K, 8},  {"LVL 4K", RUN_LVL, RUN_GLOBAL, 5},
    {"LVL 9K", RUN_LVL_9K, RUN_GLOBAL_9K, 3},
};
enum { WEIGHED = sizeof weighed / sizeof *weighed };

/* The ratio that a benchmark is given: the published mean, or one as far from it as here. */
static double ratio_of(const Results *results, size_t column, size_t benchmark, bool is_spread)
{
    const Quantity ratio = {WF_LAUNCH_RATIO, weighed[column].global, ALONE, 0};
    const double part = quotient(quantity_value(results, ratio, benchmark), quantity_mean(results, ratio));
    return weighed[column].ratio * (is_spread ? part : 1);
}

static double weighed_value(const Results *results, size_t column, size_t benchmark, bool is_spread)
{
    return wireframe_speedup_at(results, weighed[column].mode, weighed[column].global,
                                ratio_of(results, column, benchmark, is_spread), benchmark);
}

static double weighed_mean(const Results *results, size_t column, bool is_spread)
{
    double sum = 0, count = 0;
    for (size_t b = 0; b < results->benchmark_count; b++) {
        const double value = weighed_value(results, column, b, is_spread);
        sum += isnan(value) ? 0 : value;
        count += !isnan(value);
    }
    return quotient(sum, count);
}

static void draw_weighed(Sheet *sheet, const Results *results)
{
    static const char *const published =
        "DepLinks 25.07, LRR 29.81, LVL 1K 14.11, LVL 4K 31.81, LVL 9K 45.07";
    sheet_column(sheet, "benchmark");
    for (size_t i = 0; i < WEIGHED; i++)
        sheet_column_in(sheet, weighed[i].name, "% faster");
    sheet_column(sheet, "published");
    for (size_t b = 0; b < results->benchmark_count; b++) {
        sheet_text(sheet, results->benchmark(b));
        for (size_t i = 0; i < WEIGHED; i++)
            sheet_number(sheet, weighed_value(results, i, b, false), 2);
        sheet_text(sheet, "");
    }
    for (int is_spread = 0; is_spread <= 1; is_spread++) {
        sheet_text(sheet, is_spread ? "average, spread" : "average");
        for (size_t i = 0; i < WEIGHED; i++)
            sheet_number(sheet, weighed_mean(results, i, is_spread), 2);
        sheet_text(sheet, is_spread ? "" : published);
    }
    sheet_text(sheet, "launches gone, no more");
    for (size_t i = 0; i < WEIGHED; i++)
        sheet_number(sheet, 100 / weighed[i].ratio, 2);
    sheet_text(sheet, "");
}

/* -- the buffer's size -- */

static void draw_bytes(Sheet *sheet, const Results *results)
{
    static const char *const orders[] = {"lvl", "lrr"}, *const published[] = {"bytes 2304", ""};
    sheet_column(sheet, "policy");
    sheet_column_in(sheet, "bytes", "bytes");
    sheet_column_in(sheet, "in full", "bytes");
    sheet_column(sheet, "published");
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        sheet_text(sheet, orders[i]);
        sheet_number(sheet, (double)wireframe_buffer_bytes(results, orders[i], false), 0);
        sheet_number(sheet, (double)wireframe_buffer_bytes(results, orders[i], true), 0);
        sheet_text(sheet, published[i]);
    }
}

/* -- all tables -- */

static const Drawing drawings[WIREFRAME_FIGURES] = {
    {.figure = {.name = "inputs",
                .title = "Inputs: cells of the matrix and its planes, and of a tile, by nodes of the graph"},
     .draw = draw_inputs},
    {.figure = {.name = "times",
                .title = "Time, us, with graphs of 4K nodes",
                .unit = "us",
                .columns = {{"Global", {WF_TIME, RUN_GLOBAL, ALONE, 0}, 1},
                            {"CDP", {WF_TIME, RUN_CDP, ALONE, 0}, 1},
                            {"CDP hidden", {WF_TIME, RUN_CDP_HIDDEN, ALONE, 0}, 1},
                            {"DepLinks", {WF_TIME, RUN_DEPLINKS, ALONE, 0}, 1},
                            {"LRR", {WF_TIME, RUN_LRR, ALONE, 0}, 1},
                            {"LVL", {WF_TIME, RUN_LVL, ALONE, 0}, 1},
                            {"LVL ideal", {WF_TIME, RUN_LVL_IDEAL, ALONE, 0}, 1}},
                .without_average = true}},
    {.figure = {.name = "figure4",
                .plotted = true,
                .title = "Figure 4. Range of levels of the nodes that run, LRR, 9K nodes: mean in each part "
                         "of the kernel's time, and the most. Published: heat2d at most 7"},
     .draw = draw_ranges},
    {.figure = {.name = "figure9",
                .plotted = true,
                .title =
                    "Figure 9. Speedup over Global, %, with graphs of 4K nodes. CDP has the latencies of "
                    "DTBL's table 3; hidden: the allocation of parameter buffers takes no time",
                .columns = {{"CDP", SPEEDUP(RUN_CDP, RUN_GLOBAL), 2, "% faster"},
                            {"CDP hidden", SPEEDUP(RUN_CDP_HIDDEN, RUN_GLOBAL), 2, "% faster"},
                            {"DepLinks", SPEEDUP(RUN_DEPLINKS, RUN_GLOBAL), 2, "% faster"},
                            {"LRR", SPEEDUP(RUN_LRR, RUN_GLOBAL), 2, "% faster"},
                            {"LVL", SPEEDUP(RUN_LVL, RUN_GLOBAL), 2, "% faster"}},
                .words = {{"hist", "LVL slightly worse than LRR"},
                          {"average", "CDP 6.87, DepLinks 25.07, LRR 29.81, LVL 31.81"}}}},
    {.figure = {.name = "figure10",
                .plotted = true,
                .title =
                    "Figure 10. Left: memory requests of the block scheduler, % of all others, 4K nodes. "
                    "Right: most levels between nodes that ran at once, 9K nodes",
                .columns = {{"DepLinks requests", {WF_REQUESTS, RUN_DEPLINKS, ALONE, 0}, 3, "%"},
                            {"LRR requests", {WF_REQUESTS, RUN_LRR, ALONE, 0}, 3, "%"},
                            {"LVL requests", {WF_REQUESTS, RUN_LVL, ALONE, 0}, 3, "%"},
                            {"LRR range", {WF_LEVEL_RANGE, RUN_LRR_9K, ALONE, 0}, 1, "levels"},
                            {"LVL range", {WF_LEVEL_RANGE, RUN_LVL_9K, ALONE, 0}, 1, "levels"},
                            {"LRR mean range", {WF_MEAN_RANGE, RUN_LRR_9K, ALONE, 0}, 1, "levels"},
                            {"LVL mean range", {WF_MEAN_RANGE, RUN_LVL_9K, ALONE, 0}, 1, "levels"}},
                .words = {{"dtw", "LRR range 7, LVL range 2"},
                          {"sor", "LRR range 6, LVL range 2"},
                          {"average", "requests 0.12, at most 0.16; LRR range 5, LVL range 2"}}}},
    {.figure = {.name = "figure11",
                .plotted = true,
                .title = "Figure 11. L2 miss rate, %: sectors of loads and stores, 4K nodes",
                .unit = "%",
                .columns = {{"Global", {WF_MISS_RATE, RUN_GLOBAL, ALONE, 0}, 1},
                            {"CDP", {WF_MISS_RATE, RUN_CDP, ALONE, 0}, 1},
                            {"DepLinks", {WF_MISS_RATE, RUN_DEPLINKS, ALONE, 0}, 1},
                            {"LRR", {WF_MISS_RATE, RUN_LRR, ALONE, 0}, 1},
                            {"LVL", {WF_MISS_RATE, RUN_LVL, ALONE, 0}, 1}},
                .words = {{"average", "consistent: DepLinks, LRR, LVL"}}}},
    {.figure = {.name = "figure12",
                .plotted = true,
                .title =
                    "Figure 12. Left: speedup of LVL over Global, %, by nodes. Right: time of computation "
                    "over that of launches in Global",
                .columns = {{"1K", SPEEDUP(RUN_LVL_1K, RUN_GLOBAL_1K), 2, "% faster"},
                            {"4K", SPEEDUP(RUN_LVL, RUN_GLOBAL), 2, "% faster"},
                            {"9K", SPEEDUP(RUN_LVL_9K, RUN_GLOBAL_9K), 2, "% faster"},
                            {"1K ratio", {WF_LAUNCH_RATIO, RUN_GLOBAL_1K, ALONE, 0}, 2, "times"},
                            {"4K ratio", {WF_LAUNCH_RATIO, RUN_GLOBAL, ALONE, 0}, 2, "times"},
                            {"9K ratio", {WF_LAUNCH_RATIO, RUN_GLOBAL_9K, ALONE, 0}, 2, "times"}},
                .words = {{"average",
                           "1K 14.11, 4K 31.81, 9K 45.07, best 65.20; 1K ratio 8, 4K ratio 5, 9K ratio 3"}}}},
    {.figure = {.name = "weighed",
                .plotted = true,
                .title = "Arithmetic, no run: speedup over Global, %, if computation took as long as here, and "
                         "launches weighed as published, a ratio of 8, 5 and 3; spread: benchmarks differ from this "
                         "mean as they do here"},
     .draw = draw_weighed},
    {.figure = {.name = "figure13_nodes",
                .plotted = true,
                .title = "Figure 13, left. " WIREFRAME_SWEPT
                         ", 4K nodes, by entries of the Local Node Array: most "
                         "pending updates, and instructions of threads in a cycle, 0 after a deadlock"},
     .draw = draw_nodes},
    {.figure = {.name = "figure13_edges",
                .plotted = true,
                .title = "Figure 13, right. The same by entries of the Local Edge Array"},
     .draw = draw_edges},
    {.figure = {.name = "scheduler",
                .title =
                    "What LVL's block scheduler did, 4K nodes: lines fetched, most entries in use, updates "
                    "that found the Pending Update Buffer full, %, cycles without a ready node because of "
                    "fetches and because of the bound, %, cycles more than the ideal machine, %",
                .columns = {{"lines", {WF_FETCHES, RUN_LVL, ALONE, 0}, 0, "lines"},
                            {"nodes", {WF_NODES_PEAK, RUN_LVL, ALONE, 0}, 0, "entries"},
                            {"edges", {WF_EDGES_PEAK, RUN_LVL, ALONE, 0}, 0, "entries"},
                            {"pending", {WF_PENDING, RUN_LVL, ALONE, 0}, 0, "entries"},
                            {"overflowed", {WF_OVERFLOWED, RUN_LVL, ALONE, 0}, 2, "%"},
                            {"fetching", {WF_STARVED, RUN_LVL, ALONE, 0}, 2, "%"},
                            {"bound", {WF_BOUND, RUN_LVL, ALONE, 0}, 2, "%"},
                            {"over ideal", {WF_CYCLES, RUN_LVL, RISE, RUN_LVL_IDEAL}, 2}},
                .words = {{"average", "over ideal: below 1"}}}},
    {.figure = {.name = "machine",
                .title = "How full the GPU is, 4K nodes, % of its cycles: SMs with a block; there, warps "
                         "resident; schedulers that issue; and those of LVL that wait for results, at "
                         "barriers, for instructions",
                .unit = "%",
                .columns = {{"Global busy", {WF_BUSY, RUN_GLOBAL, ALONE, 0}, 1},
                            {"LVL busy", {WF_BUSY, RUN_LVL, ALONE, 0}, 1},
                            {"Global warps", {WF_OCCUPANCY, RUN_GLOBAL, ALONE, 0}, 1},
                            {"LVL warps", {WF_OCCUPANCY, RUN_LVL, ALONE, 0}, 1},
                            {"Global issued", {WF_ISSUED, RUN_GLOBAL, ALONE, 0}, 1},
                            {"LVL issued", {WF_ISSUED, RUN_LVL, ALONE, 0}, 1},
                            {"results", {WF_STALL_RESULT, RUN_LVL, ALONE, 0}, 1},
                            {"barriers", {WF_STALL_BARRIER, RUN_LVL, ALONE, 0}, 1},
                            {"instructions", {WF_STALL_FETCH, RUN_LVL, ALONE, 0}, 1}}}},
    {.figure = {.name = "bytes",
                .title =
                    "Bytes of the Dependency Graph Buffer: as the paper counts, and with the block to run "
                    "and the number of children in each node"},
     .draw = draw_bytes},
};

Sheet wireframe_figure(const Results *results, size_t index)
{
    const Drawing *drawing = &drawings[index];
    if (!drawing->draw)
        return figure_sheet(&drawing->figure, results);
    Sheet sheet = {
        .name = drawing->figure.name, .title = drawing->figure.title, .plotted = drawing->figure.plotted};
    drawing->draw(&sheet, results);
    return sheet;
}
