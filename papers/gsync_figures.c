/* The thesis's figures as tables: a row for each input, and what the text says of it beside our numbers. */
#include "papers/gsync.h"

#include <math.h>
#include <string.h>

static const GsyncInput stencils[] = {GS_STENCIL_64, GS_STENCIL_100, GS_STENCIL_256, GS_STENCIL_576,
                                      GS_STENCIL_1024};
static const GsyncInput searches[] = {GS_BFS_NY_20K, GS_BFS_1M, GS_BFS_NY, GS_BFS_SF, GS_BFS_UT};
static const GsyncInput networks[] = {GS_CNN, GS_RNN};
/* Whose blocks do not all fit. */
static const GsyncInput swapping[] = {GS_STENCIL_256, GS_STENCIL_576, GS_STENCIL_1024, GS_BFS_1M,   GS_BFS_NY,
                                      GS_BFS_SF,      GS_BFS_UT,      GS_CNN_LARGE,    GS_RNN_LARGE};
static const GsyncInput all[] = {GS_STENCIL_64,   GS_STENCIL_100, GS_STENCIL_256, GS_STENCIL_576,
                                 GS_STENCIL_1024, GS_BFS_NY_20K,  GS_BFS_1M,      GS_BFS_NY,
                                 GS_BFS_SF,       GS_BFS_UT,      GS_CNN,         GS_RNN,
                                 GS_CNN_LARGE,    GS_RNN_LARGE};

/* A figure: inputs, and quantities of each, whose `other` mode is what a time is compared with. */
typedef struct Table {
    const char *name, *title;
    const GsyncInput *inputs;
    size_t input_count;
    Column columns[FIGURE_COLUMNS + 1]; /* a null name behind the last one */
    Words words[FIGURE_WORDS];          /* a null row behind the last ones */
    bool plotted;
} Table;

#define INPUTS(array) array, sizeof array / sizeof *array
#define TIME(mode)                                                                                           \
    {                                                                                                        \
        GSM_TIME, mode, ALONE, 0                                                                             \
    }
#define SPEEDUP(mode)                                                                                        \
    {                                                                                                        \
        GSM_TIME, GS_REKL, OVER, mode                                                                        \
    }
#define OVER_IDEAL(mode)                                                                                     \
    {                                                                                                        \
        GSM_TIME, mode, OVER, GS_IDEAL                                                                       \
    }
#define OF_GS(metric)                                                                                        \
    {                                                                                                        \
        metric, GS_GSYNC, ALONE, 0                                                                           \
    }

static const Table tables[GSYNC_FIGURES] = {
    {.name = "times",
     .title = "Time, us",
     INPUTS(all),
     .columns = {{"ReKL", TIME(GS_REKL), 1, "us"},
                 {"DP", TIME(GS_DP), 1, "us"},
                 {"mutex", TIME(GS_MUTEX), 1, "us"},
                 {"flags", TIME(GS_FLAGS), 1, "us"},
                 {"PT-neighbour", TIME(GS_PT_NEIGHBOUR), 1, "us"},
                 {"PT-interleaved", TIME(GS_PT_INTERLEAVED), 1, "us"},
                 {"PT-queue", TIME(GS_PT_QUEUE), 1, "us"},
                 {"GS", TIME(GS_GSYNC), 1, "us"},
                 {"GS naive", TIME(GS_NAIVE), 1, "us"},
                 {"GS ideal", TIME(GS_IDEAL), 1, "us"}}},
    {.name = "figure17",
     .title =
         "Figure 17. Left: data loaded anew behind a barrier by repeated launches, which one kernel keeps, "
         "% of all that they load. Right: speedup over them without thrashing",
     INPUTS(networks),
     .columns = {{"reused", {GSM_LOADS, GS_IDEAL, REDUCTION, GS_REKL}, 1, "%"},
                 {"ideal speedup", SPEEDUP(GS_IDEAL), 2, "times"}},
     .words = {{"cnn", "reused 35, ideal speedup 2"}, {"rnn", "reused 80, ideal speedup 10"}}},
    {.name = "figure20",
     .title =
         "Figure 20. What need not be saved of the contexts of blocks that wait, %, by reason, and what is "
         "saved and restored for a barrier",
     INPUTS(swapping),
     .columns = {{"last blocks", OF_GS(GSM_LAST), 1, "%"},
                 {"local", OF_GS(GSM_LOCAL), 1, "%"},
                 {"dead registers", OF_GS(GSM_DEAD), 1, "%"},
                 {"read-only", OF_GS(GSM_READ_ONLY), 1, "%"},
                 {"all", OF_GS(GSM_REDUCTION), 1, "%"},
                 {"dead of registers", OF_GS(GSM_DEAD_SHARE), 1, "%"},
                 {"swapped", OF_GS(GSM_SWAPPED), 2, "MB"}},
     .words = {{"bfs_1m", "all 80"}, {"average", "all: at least 60; dead of registers 60; swapped: 1 to 9"}}},
    {.name = "figure24",
     .plotted = true,
     .title = "Figure 24. Speedup of the stencil over repeated kernel launch",
     INPUTS(stencils),
     .columns = {{"DP", SPEEDUP(GS_DP), 2, "times"},
                 {"mutex", SPEEDUP(GS_MUTEX), 2, "times"},
                 {"flags", SPEEDUP(GS_FLAGS), 2, "times"},
                 {"PT-neighbour", SPEEDUP(GS_PT_NEIGHBOUR), 2, "times"},
                 {"PT-interleaved", SPEEDUP(GS_PT_INTERLEAVED), 2, "times"},
                 {"GS", SPEEDUP(GS_GSYNC), 2, "times"}},
     .words = {{"stencil2d-256", "mutex, flags: deadlock"}, {"average", "GS: 1.1 to 1.8"}}},
    {.name = "figure25",
     .plotted = true,
     .title = "Figure 25. Speedup of BFS over repeated kernel launch",
     INPUTS(searches),
     .columns = {{"DP", SPEEDUP(GS_DP), 2, "times"},
                 {"mutex", SPEEDUP(GS_MUTEX), 2, "times"},
                 {"flags", SPEEDUP(GS_FLAGS), 2, "times"},
                 {"PT-queue", SPEEDUP(GS_PT_QUEUE), 2, "times"},
                 {"GS", SPEEDUP(GS_GSYNC), 2, "times"}},
     .words = {{"average", "GS 2.1"}}},
    {.name = "figure26",
     .plotted = true,
     .title =
         "Figure 26. Time of the stencil over that of an ideal global sync, whose context switches take no "
         "time",
     INPUTS(stencils),
     .columns = {{"partial context switch", OVER_IDEAL(GS_NAIVE), 2, "times"},
                 {"all", OVER_IDEAL(GS_GSYNC), 2, "times"},
                 {"ReKL", OVER_IDEAL(GS_REKL), 2, "times"}},
     .words = {{"average", "all below ReKL; partial context switch above it but for small data"}}},
};

static const char *said_of(const Table *table, const char *row)
{
    for (size_t i = 0; i < FIGURE_WORDS && table->words[i].row; i++)
        if (strcmp(table->words[i].row, row) == 0)
            return table->words[i].text;
    return "";
}

static void put_value(Sheet *sheet, const Results *results, const Column *column, GsyncInput input)
{
    const Quantity quantity = column->quantity;
    const GsyncMode varied = (GsyncMode)(quantity.metric == GSM_TIME && quantity.mode == GS_REKL &&
                                                 quantity.relation == OVER && quantity.other != GS_IDEAL
                                             ? quantity.other
                                             : quantity.mode);
    if (gsync_deadlocked(results, input, varied))
        sheet_text(sheet, "deadlock");
    else
        sheet_number(sheet, quantity_value(results, quantity, input), column->decimals);
}

/* The mean over the table's inputs that have the value. */
static double mean_of(const Results *results, const Table *table, Quantity quantity)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < table->input_count; i++) {
        const double value = quantity_value(results, quantity, table->inputs[i]);
        if (!isnan(value))
            sum += value, count++;
    }
    return quotient(sum, count);
}

static void put_average(Sheet *sheet, const Results *results, const Table *table)
{
    sheet_text(sheet, "average");
    for (const Column *column = table->columns; column->name; column++)
        sheet_number(sheet, mean_of(results, table, column->quantity), column->decimals);
    sheet_text(sheet, said_of(table, "average"));
}

Sheet gsync_figure(const Results *results, size_t index)
{
    const Table *table = &tables[index];
    Sheet sheet = {.name = table->name, .title = table->title, .plotted = table->plotted};
    const bool is_figure = index > 0;
    sheet_column(&sheet, "benchmark");
    for (const Column *column = table->columns; column->name; column++)
        sheet_column_in(&sheet, column->name, column->unit);
    if (is_figure)
        sheet_column(&sheet, "published");
    for (size_t i = 0; i < table->input_count; i++) {
        const char *name = results->benchmark(table->inputs[i]);
        if (!results_have(results, table->inputs[i]))
            continue;
        sheet_text(&sheet, name);
        for (const Column *column = table->columns; column->name; column++)
            put_value(&sheet, results, column, table->inputs[i]);
        if (is_figure)
            sheet_text(&sheet, said_of(table, name));
    }
    if (is_figure)
        put_average(&sheet, results, table);
    return sheet;
}
