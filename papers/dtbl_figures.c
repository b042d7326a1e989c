/* The paper's figures as tables, with what its prose says of them beside the benchmarks. */
#include "papers/dtbl.h"

#include <math.h>
#include <string.h>

enum { FIGURE_COLUMNS = 9, FIGURE_WORDS = 6 };

typedef struct Column {
    const char *name;
    DtblQuantity quantity;
    int decimals;
} Column;

/* What the paper says of a benchmark, or of the average. */
typedef struct Words {
    const char *row, *text;
} Words;

typedef struct Figure {
    const char *name, *title;
    Column columns[FIGURE_COLUMNS]; /* a null name behind the last one */
    Words words[FIGURE_WORDS];      /* a null row behind the last ones */
    bool without_average, geometric;
} Figure;

#define FLAT DTBL_FLAT
#define CDPI DTBL_CDP_IDEAL
#define DTBLI DTBL_DTBL_IDEAL
#define CDP DTBL_CDP
#define DTBL DTBL_DTBL

/* "A over B" of cycles is B's speedup over A. */
static const Figure figures[DTBL_FIGURES] = {
    {.name = "cycles",
     .title = "Cycles of all kernels that the host launches",
     .columns = {{"flat", {METRIC_CYCLES, FLAT, ALONE, 0}, 0},
                 {"CDPI", {METRIC_CYCLES, CDPI, ALONE, 0}, 0},
                 {"DTBLI", {METRIC_CYCLES, DTBLI, ALONE, 0}, 0},
                 {"CDP", {METRIC_CYCLES, CDP, ALONE, 0}, 0},
                 {"DTBL", {METRIC_CYCLES, DTBL, ALONE, 0}, 0},
                 {"DTBL512", {METRIC_CYCLES, DTBL_DTBL_512, ALONE, 0}, 0},
                 {"DTBL2048", {METRIC_CYCLES, DTBL_DTBL_2048, ALONE, 0}, 0}},
     .without_average = true},
    {.name = "figure6",
     .title = "Figure 6. Warp activity: active threads of a warp, %, and its rise over flat in points and in "
              "percent",
     .columns = {{"flat", {METRIC_ACTIVITY, FLAT, ALONE, 0}, 1},
                 {"CDP", {METRIC_ACTIVITY, CDP, ALONE, 0}, 1},
                 {"DTBL", {METRIC_ACTIVITY, DTBL, ALONE, 0}, 1},
                 {"CDP points", {METRIC_ACTIVITY, CDP, POINTS, FLAT}, 1},
                 {"DTBL points", {METRIC_ACTIVITY, DTBL, POINTS, FLAT}, 1},
                 {"CDP percent", {METRIC_ACTIVITY, CDP, RISE, FLAT}, 1},
                 {"DTBL percent", {METRIC_ACTIVITY, DTBL, RISE, FLAT}, 1}},
     .words = {{"amr", "+45.3"},
               {"join_gaussian", "+21.3"},
               {"clr_graph500", "no obvious change"},
               {"clr_cage15", "-5.9"},
               {"average", "+10.7, both"}}},
    {.name = "figure7",
     .title = "Figure 7. DRAM efficiency: reads and writes in a tick of a channel that has a request",
     .columns = {{"flat", {METRIC_DRAM, FLAT, ALONE, 0}, 3},
                 {"CDP", {METRIC_DRAM, CDP, ALONE, 0}, 3},
                 {"DTBL", {METRIC_DRAM, DTBL, ALONE, 0}, 3},
                 {"CDP/flat", {METRIC_DRAM, CDP, OVER, FLAT}, 2},
                 {"DTBL/flat", {METRIC_DRAM, DTBL, OVER, FLAT}, 2},
                 {"DTBL/CDP", {METRIC_DRAM, DTBL, OVER, CDP}, 2}},
     .words = {{"clr_cage15", "one of the two highest rises"},
               {"sssp_cage15", "one of the two highest rises"},
               {"average", "CDP/flat 1.14, DTBL/flat 1.27, DTBL/CDP 1.08"}}},
    {.name = "figure8",
     .title = "Figure 8. SMX occupancy: resident warps of 64, %; what launch latency takes away, in percent",
     .columns = {{"CDPI", {METRIC_OCCUPANCY, CDPI, ALONE, 0}, 1},
                 {"DTBLI", {METRIC_OCCUPANCY, DTBLI, ALONE, 0}, 1},
                 {"CDP", {METRIC_OCCUPANCY, CDP, ALONE, 0}, 1},
                 {"DTBL", {METRIC_OCCUPANCY, DTBL, ALONE, 0}, 1},
                 {"DTBLI/CDPI", {METRIC_OCCUPANCY, DTBLI, OVER, CDPI}, 2},
                 {"DTBL/CDP", {METRIC_OCCUPANCY, DTBL, OVER, CDP}, 2},
                 {"CDP loss", {METRIC_OCCUPANCY, CDP, REDUCTION, CDPI}, 1},
                 {"DTBL loss", {METRIC_OCCUPANCY, DTBL, REDUCTION, DTBLI}, 1}},
     .words = {{"bht", "DTBLI/CDPI 1.38, the highest"},
               {"regx_string", "DTBLI/CDPI 1.14, DTBL/CDP 1.48"},
               {"pre_movielens", "DTBLI/CDPI 1.01"},
               {"average", "DTBLI/CDPI 1.24, CDP loss 13.5, DTBL loss 7.6"}}},
    {.name = "figure9",
     .title = "Figure 9. Waiting time: cycles from a launch to its first block, mean over launches; its "
              "reduction, %",
     .columns = {{"CDPI", {METRIC_WAIT, CDPI, ALONE, 0}, 0},
                 {"DTBLI", {METRIC_WAIT, DTBLI, ALONE, 0}, 0},
                 {"CDP", {METRIC_WAIT, CDP, ALONE, 0}, 0},
                 {"DTBL", {METRIC_WAIT, DTBL, ALONE, 0}, 0},
                 {"DTBLI from CDPI", {METRIC_WAIT, DTBLI, REDUCTION, CDPI}, 1},
                 {"DTBL from CDP", {METRIC_WAIT, DTBL, REDUCTION, CDP}, 1}},
     .words = {{"clr_graph500", "little change by latency"},
               {"regx_string", "41.8, the highest"},
               {"pre_movielens", "DTBLI from CDPI: little"},
               {"join_uniform", "DTBLI from CDPI: little"},
               {"average", "DTBLI from CDPI 18.8, DTBL from CDP 24.1"}}},
    {.name = "figure10",
     .title = "Figure 10. Memory footprint: most bytes reserved for launches that have not begun; its "
              "reduction, %",
     .columns = {{"CDP", {METRIC_FOOTPRINT, CDP, ALONE, 0}, 0},
                 {"DTBL", {METRIC_FOOTPRINT, DTBL, ALONE, 0}, 0},
                 {"DTBL from CDP", {METRIC_FOOTPRINT, DTBL, REDUCTION, CDP}, 1}},
     .words = {{"clr_graph500", "none"}, {"regx_string", "51.2"}, {"average", "25.6"}}},
    {.name = "figure11",
     .title = "Figure 11. Speedup over flat",
     .columns = {{"CDPI", {METRIC_CYCLES, FLAT, OVER, CDPI}, 2},
                 {"DTBLI", {METRIC_CYCLES, FLAT, OVER, DTBLI}, 2},
                 {"CDP", {METRIC_CYCLES, FLAT, OVER, CDP}, 2},
                 {"DTBL", {METRIC_CYCLES, FLAT, OVER, DTBL}, 2},
                 {"DTBL/CDP", {METRIC_CYCLES, CDP, OVER, DTBL}, 2}},
     .words = {{"bfs_usa_road", "DTBL: very little change"},
               {"clr_graph500", "DTBL 0.97"},
               {"regx_string", "CDPI 2.73, DTBLI 3.10, DTBL 0.95"},
               {"sssp_flight", "DTBL: very little change"},
               {"average", "CDPI 1.43, DTBLI 1.63, CDP 1/1.16, DTBL 1.21, DTBL/CDP 1.40"}},
     .geometric = true},
    {.name = "figure12",
     .title = "Figure 12. Speed with a table of so many groups, over that of the DTBL runs (1024)",
     .columns = {{"512", {METRIC_CYCLES, DTBL, OVER, DTBL_DTBL_512}, 3},
                 {"2048", {METRIC_CYCLES, DTBL, OVER, DTBL_DTBL_2048}, 3}},
     .words = {{"bht", "among the more sensitive"},
               {"regx_darpa", "among the more sensitive"},
               {"regx_string", "among the more sensitive"},
               {"average", "512: 1/1.31, 2048: 1.20"}}},
    {.name = "launches",
     .title = "Launches by kernels: how many, threads of one in whole blocks, and what became of groups, %",
     .columns = {{"CDP", {METRIC_LAUNCHES, CDP, ALONE, 0}, 0},
                 {"DTBL", {METRIC_LAUNCHES, DTBL, ALONE, 0}, 0},
                 {"CDP threads", {METRIC_THREADS, CDP, ALONE, 0}, 1},
                 {"DTBL threads", {METRIC_THREADS, DTBL, ALONE, 0}, 1},
                 {"joined", {METRIC_JOINED, DTBL, ALONE, 0}, 1},
                 {"overflowed", {METRIC_OVERFLOWED, DTBL, ALONE, 0}, 1}},
     .words = {{"bht", "33.4 threads"},
               {"bfs_usa_road", "very few launches"},
               {"pre_movielens", "1527.9 threads"},
               {"sssp_flight", "very few launches"},
               {"average", "around 40 threads; joined 98"}}},
};

static const char *words_of(const Figure *figure, const char *row)
{
    for (size_t i = 0; i < FIGURE_WORDS && figure->words[i].row; i++)
        if (strcmp(figure->words[i].row, row) == 0)
            return figure->words[i].text;
    return "";
}

static bool has_words(const Figure *figure) { return figure->words[0].row; }

static const Column *column_at(const Figure *figure, size_t index)
{
    const Column *column = &figure->columns[index];
    return index < FIGURE_COLUMNS && column->name ? column : NULL;
}

static bool was_asked_for(const DtblResults *results, size_t benchmark)
{
    return results->runs[benchmark][DTBL_FLAT];
}

static void add_benchmark(Sheet *sheet, const Figure *figure, const DtblResults *results, size_t benchmark)
{
    const Column *column;
    const char *name = dtbl_benchmarks[benchmark].name;
    sheet_text(sheet, name);
    for (size_t i = 0; (column = column_at(figure, i)); i++)
        sheet_number(sheet, dtbl_value(results, column->quantity, benchmark), column->decimals);
    if (has_words(figure))
        sheet_text(sheet, words_of(figure, name));
}

static void add_mean(Sheet *sheet, const Figure *figure, const DtblResults *results, const char *name,
                     double (*mean)(const DtblResults *, DtblQuantity))
{
    const Column *column;
    sheet_text(sheet, name);
    for (size_t i = 0; (column = column_at(figure, i)); i++)
        sheet_number(sheet, mean(results, column->quantity), column->decimals);
    if (has_words(figure))
        sheet_text(sheet, words_of(figure, name));
}

Sheet dtbl_figure(const DtblResults *results, size_t index)
{
    const Figure *figure = &figures[index];
    const Column *column;
    Sheet sheet = {.name = figure->name, .title = figure->title};
    sheet_column(&sheet, "benchmark");
    for (size_t i = 0; (column = column_at(figure, i)); i++)
        sheet_column(&sheet, column->name);
    if (has_words(figure))
        sheet_column(&sheet, "published");
    for (size_t i = 0; i < DTBL_BENCHMARKS; i++)
        if (was_asked_for(results, i))
            add_benchmark(&sheet, figure, results, i);
    if (!figure->without_average)
        add_mean(&sheet, figure, results, "average", dtbl_mean);
    if (figure->geometric)
        add_mean(&sheet, figure, results, "geometric mean", dtbl_geometric_mean);
    return sheet;
}
