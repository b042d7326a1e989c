/* The thesis's figures as tables. Rows of figures 45 to 47 are sizes of the data, those of figure 48 numbers of
 * counters. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "papers/wait_signal.h"

typedef struct Drawing {
    const char *name, *title;
    const char *workload; /* whose benchmarks are the rows; null: all */
    void (*draw)(Sheet *sheet, const Results *results, const char *workload);
    bool plotted;
} Drawing;

static bool is_row(const Results *results, size_t benchmark, const char *workload)
{
    const WaitSignalBenchmark *row = &wait_signal_benchmarks[benchmark];
    return results_have(results, benchmark) && row->kind == KIND_WAVES &&
           (!workload || strcmp(row->workload, workload) == 0);
}

static uint32_t side_of(const Results *results, size_t benchmark)
{
    return wait_signal_benchmarks[benchmark].sides[results->size];
}

/* The modes that figures 45 to 47 compare. PeerWave is the best of its intervals. */
enum { COMPARED = 5 };
static const char *const compared_names[COMPARED] = {"flags", "PeerWave", "wait-signal", "TB order",
                                                     "TB order kept"};

static int compared(const Results *results, size_t benchmark, size_t index)
{
    const int modes[COMPARED] = {RUN_FLAGS, wait_signal_peerwave(results, benchmark), RUN_WAIT_SIGNAL,
                                 RUN_TB_ORDER, RUN_TB_ORDER_KEPT};
    return modes[index];
}

static void put(Sheet *sheet, const Results *results, size_t benchmark, int mode, double value, int decimals)
{
    if (wait_signal_deadlocked(results, benchmark, mode))
        sheet_text(sheet, "deadlock");
    else
        sheet_number(sheet, value, decimals);
}

static void put_side(Sheet *sheet, const Results *results, size_t benchmark)
{
    char text[64];
    const uint32_t tiles = side_of(results, benchmark);
    snprintf(text, sizeof text, "%u x %u", tiles * 16, tiles * 16);
    sheet_text(sheet, text);
    sheet_number(sheet, (double)tiles * tiles, 0);
}

/* -- figures 45 to 47 -- */

static void draw_speedups(Sheet *sheet, const Results *results, const char *workload, int metric)
{
    const bool sweeps = strcmp(workload, "sor") == 0;
    sheet_column(sheet, "cells");
    sheet_column(sheet, "blocks");
    for (size_t i = 0; i < COMPARED; i++)
        sheet_column_in(sheet, compared_names[i], "times");
    if (sweeps)
        sheet_column_in(sheet, "ReKL sweep by sweep", "times");
    for (size_t b = 0; b < results->benchmark_count; b++) {
        if (!is_row(results, b, workload))
            continue;
        put_side(sheet, results, b);
        for (size_t i = 0; i < COMPARED; i++) {
            const int mode = compared(results, b, i);
            put(sheet, results, b, mode, wait_signal_speedup(results, b, mode, metric), 2);
        }
        if (sweeps)
            sheet_number(sheet, wait_signal_speedup(results, b, RUN_REKL_APART, metric), 2);
    }
}

static void draw_time(Sheet *sheet, const Results *results, const char *workload)
{
    draw_speedups(sheet, results, workload, WS_TIME);
}

/* -- figure 48 -- */

static void draw_events(Sheet *sheet, const Results *results, const char *workload)
{
    (void)workload;
    sheet_column(sheet, "counters on chip");
    sheet_column_in(sheet, "virtualization", "times");
    sheet_column_in(sheet, "grouping", "times");
    sheet_column(sheet, "tiles of an event");
    sheet_column(sheet, "events");
    sheet_column_in(sheet, "misses with virtualization", "%");
    for (size_t b = 0; b < results->benchmark_count; b++) {
        if (wait_signal_benchmarks[b].kind != KIND_EVENTS || !results_have(results, b))
            continue;
        for (size_t i = 0; i < WAIT_SIGNAL_SWEEP; i++) {
            const WaitSignalSweep *sweep = &wait_signal_sweep[i];
            const uint32_t counters = wait_signal_counters(side_of(results, b), sweep->part);
            const uint32_t group = wait_signal_group(side_of(results, b), counters);
            sheet_number(sheet, counters, 0);
            sheet_number(sheet, wait_signal_speedup(results, b, sweep->virtual, WS_TIME), 3);
            sheet_number(sheet, wait_signal_speedup(results, b, sweep->grouped, WS_TIME), 3);
            sheet_number(sheet, group, 0);
            sheet_number(sheet, lud_events(side_of(results, b), group), 0);
            sheet_number(sheet, quantity_value(results, (Quantity){WS_MISSES, sweep->virtual, ALONE, 0}, b),
                         1);
        }
    }
}

/* -- all benchmarks -- */

static void draw_alone(Sheet *sheet, const Results *results, int metric, const char *unit, int decimals)
{
    sheet_column(sheet, "benchmark");
    sheet_column(sheet, "cells");
    sheet_column(sheet, "blocks");
    sheet_column_in(sheet, "ReKL", unit);
    for (size_t i = 0; i < COMPARED; i++)
        sheet_column_in(sheet, compared_names[i], unit);
    for (size_t b = 0; b < results->benchmark_count; b++) {
        if (!is_row(results, b, NULL))
            continue;
        sheet_text(sheet, results->benchmark(b));
        put_side(sheet, results, b);
        sheet_number(sheet, quantity_value(results, (Quantity){metric, RUN_REKL, ALONE, 0}, b), decimals);
        for (size_t i = 0; i < COMPARED; i++) {
            const int mode = compared(results, b, i);
            put(sheet, results, b, mode, quantity_value(results, (Quantity){metric, mode, ALONE, 0}, b),
                decimals);
        }
    }
}

static void draw_times(Sheet *sheet, const Results *results, const char *workload)
{
    (void)workload;
    draw_alone(sheet, results, WS_TIME, "us", 1);
}

static void draw_kernels(Sheet *sheet, const Results *results, const char *workload)
{
    (void)workload;
    draw_alone(sheet, results, WS_KERNELS, "us", 1);
}

static void draw_swaps(Sheet *sheet, const Results *results, const char *workload)
{
    (void)workload;
    draw_alone(sheet, results, WS_SWAPS, "blocks", 0);
}

static const Drawing drawings[WAIT_SIGNAL_FIGURES] = {
    {"times", "Time, us. PeerWave has the best of its intervals", NULL, draw_times, false},
    {"kernels", "Time of kernels alone, us", NULL, draw_kernels, false},
    {"figure43", "Figure 43. Graphs that fit on the GPU: speedup over ReKL", NULL, wait_signal_draw_samples,
     true},
    {"figure44", "Figure 44. Graphs that do not: speedup over ReKL", NULL, wait_signal_draw_graphs, true},
    {"figure45", "Figure 45. SAT: speedup over ReKL by size of the data", "sat", draw_time, true},
    {"figure46",
     "Figure 46. SOR: speedup over ReKL by size of the data. ReKL has tiles of all sweeps in a wave", "sor",
     draw_time, true},
    {"figure47", "Figure 47. LUD: speedup over ReKL by size of the data", "lud", draw_time, true},
    {"figure48",
     "Figure 48. LUD with TB order: speedup over ReKL by counters on chip, with events that have counters in "
     "memory, or with as few events as there are counters",
     NULL, draw_events, false},
    {"swaps", "Blocks that left their SMs while they waited", NULL, draw_swaps, false},
};

Sheet wait_signal_figure(const Results *results, size_t index)
{
    const Drawing *drawing = &drawings[index];
    Sheet sheet = {.name = drawing->name, .title = drawing->title, .plotted = drawing->plotted};
    drawing->draw(&sheet, results, drawing->workload);
    return sheet;
}
