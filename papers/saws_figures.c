/* The thesis's figures as tables: a row for each benchmark with barriers, or without, and what the text says
 * of it beside our numbers. */
#include "papers/saws.h"

#include <math.h>
#include <string.h>

typedef enum Rows { WITH_BARRIERS, WITHOUT_BARRIERS, ALL_BENCHMARKS } Rows;

typedef struct Table {
    const char *name, *title;
    Rows rows;
    Column columns[FIGURE_COLUMNS + 1]; /* a null name behind the last one */
    Words words[FIGURE_WORDS];          /* a null row behind the last ones */
    bool of_wait;                       /* values are in percent of what barriers take with 2-GTO */
    bool plotted;
} Table;

#define CYCLES(mode)                                                                                         \
    {                                                                                                        \
        SMT_CYCLES, mode, ALONE, 0                                                                           \
    }
/* By how much performance is more than that of the other mode, %. */
#define MORE(mode, other)                                                                                    \
    {                                                                                                        \
        SMT_SPEED, mode, RISE, other                                                                         \
    }
#define OF(metric, mode)                                                                                     \
    {                                                                                                        \
        metric, mode, ALONE, 0                                                                               \
    }

static const Table tables[SAWS_FIGURES] = {
    {.name = "cycles",
     .title = "Cycles, thousands",
     .rows = ALL_BENCHMARKS,
     .columns = {{"1 GTO", CYCLES(SM_1_GTO), 1, "thousands"},
                 {"1 CATLS", CYCLES(SM_1_CATLS), 1, "thousands"},
                 {"2 GTO", CYCLES(SM_2_GTO), 1, "thousands"},
                 {"2 CATLS", CYCLES(SM_2_CATLS), 1, "thousands"},
                 {"2 SAWS", CYCLES(SM_2_SAWS), 1, "thousands"},
                 {"2 SAWS untoggled", CYCLES(SM_2_UNTOGGLED), 1, "thousands"},
                 {"4 GTO", CYCLES(SM_4_GTO), 1, "thousands"},
                 {"4 CATLS", CYCLES(SM_4_CATLS), 1, "thousands"},
                 {"4 SAWS", CYCLES(SM_4_SAWS), 1, "thousands"}}},
    {.name = "figure49",
     .title = "Figure 49. Performance with two schedulers over that with one, %: benchmarks with barriers",
     .rows = WITH_BARRIERS,
     .columns = {{"GTO", MORE(SM_2_GTO, SM_1_GTO), 1, "%"}, {"CATLS", MORE(SM_2_CATLS, SM_1_CATLS), 1, "%"}},
     .words = {{"sgemm", "GTO -18, CATLS -11"},
               {"lps", "GTO -13, CATLS -13"},
               {"average", "GTO -7, CATLS -9"}}},
    {.name = "figure50",
     .title = "Figure 50. Performance with two schedulers over that with one, %: benchmarks without barriers",
     .rows = WITHOUT_BARRIERS,
     .columns = {{"GTO", MORE(SM_2_GTO, SM_1_GTO), 1, "%"}, {"CATLS", MORE(SM_2_CATLS, SM_1_CATLS), 1, "%"}},
     .words = {{"average", "GTO 2, CATLS 0"}}},
    {.name = "figure53",
     .plotted = true,
     .title = "Figure 53. Performance over GTO with two schedulers, %",
     .rows = WITH_BARRIERS,
     .columns = {{"CATLS", MORE(SM_2_CATLS, SM_2_GTO), 1, "%"}, {"SAWS", MORE(SM_2_SAWS, SM_2_GTO), 1, "%"}},
     .words = {{"sad", "CATLS above SAWS"},
               {"bfs", "CATLS below GTO"},
               {"ray", "CATLS below GTO"},
               {"average", "CATLS -1, SAWS 9"}}},
    {.name = "figure54",
     .plotted = true,
     .title =
         "Figure 54. Time from the first warp at a barrier to the last, split into p1 and p2, % of GTO's; "
         "two schedulers",
     .rows = WITH_BARRIERS,
     .columns = {{"GTO p1", OF(SMT_P1, SM_2_GTO), 1, "%"},
                 {"GTO p2", OF(SMT_P2, SM_2_GTO), 1, "%"},
                 {"CATLS p1", OF(SMT_P1, SM_2_CATLS), 1, "%"},
                 {"CATLS p2", OF(SMT_P2, SM_2_CATLS), 1, "%"},
                 {"SAWS p1", OF(SMT_P1, SM_2_SAWS), 1, "%"},
                 {"SAWS p2", OF(SMT_P2, SM_2_SAWS), 1, "%"}},
     .words = {{"average", "GTO p1 85, GTO p2 15, CATLS p1 92, CATLS p2 10, SAWS p1 78, SAWS p2 7"}},
     .of_wait = true},
    {.name = "figure55",
     .title = "Figure 55. Performance of SAWS over GTO without and with toggling of promotions, %; two "
              "schedulers",
     .rows = WITH_BARRIERS,
     .columns = {{"without", MORE(SM_2_UNTOGGLED, SM_2_GTO), 1, "%"},
                 {"with", MORE(SM_2_SAWS, SM_2_GTO), 1, "%"}},
     .words = {{"lud", "with above without"},
               {"ray", "with above without"},
               {"sad", "with above without"},
               {"lps", "with above without"},
               {"average", "without 7, with 9"}}},
    {.name = "rates",
     .title =
         "Section 7.4.3. Standard deviation of the blocks' rates of clearing barriers, % of the mean rate; "
         "two schedulers",
     .rows = WITH_BARRIERS,
     .columns = {{"GTO", OF(SMT_SPREAD, SM_2_GTO), 1, "%"},
                 {"CATLS", OF(SMT_SPREAD, SM_2_CATLS), 1, "%"},
                 {"SAWS untoggled", OF(SMT_SPREAD, SM_2_UNTOGGLED), 1, "%"},
                 {"SAWS", OF(SMT_SPREAD, SM_2_SAWS), 1, "%"}}},
    {.name = "waits",
     .title = "Two schedulers: cycles from the first warp at a barrier to the last, on average; cycles of "
              "schedulers in which warps that could have issued were all at barriers, %; and because of "
              "memory, %",
     .rows = WITH_BARRIERS,
     .columns = {{"GTO", OF(SMT_WAIT_EACH, SM_2_GTO), 0, "cycles"},
                 {"CATLS", OF(SMT_WAIT_EACH, SM_2_CATLS), 0, "cycles"},
                 {"SAWS", OF(SMT_WAIT_EACH, SM_2_SAWS), 0, "cycles"},
                 {"GTO at barriers", OF(SMT_BARRIER_SHARE, SM_2_GTO), 1, "%"},
                 {"CATLS at barriers", OF(SMT_BARRIER_SHARE, SM_2_CATLS), 1, "%"},
                 {"SAWS at barriers", OF(SMT_BARRIER_SHARE, SM_2_SAWS), 1, "%"},
                 {"GTO memory", OF(SMT_MEMORY_SHARE, SM_2_GTO), 1, "%"},
                 {"CATLS memory", OF(SMT_MEMORY_SHARE, SM_2_CATLS), 1, "%"},
                 {"SAWS memory", OF(SMT_MEMORY_SHARE, SM_2_SAWS), 1, "%"}}},
    {.name = "schedulers",
     .title =
         "Performance over GTO with as many schedulers, %: two and four that share one set of pipes, and "
         "four with a set each, as gtx970 has them",
     .rows = WITH_BARRIERS,
     .columns = {{"2 CATLS", MORE(SM_2_CATLS, SM_2_GTO), 1, "%"},
                 {"2 SAWS", MORE(SM_2_SAWS, SM_2_GTO), 1, "%"},
                 {"4 CATLS", MORE(SM_4_CATLS, SM_4_GTO), 1, "%"},
                 {"4 SAWS", MORE(SM_4_SAWS, SM_4_GTO), 1, "%"},
                 {"own CATLS", MORE(SM_OWN_CATLS, SM_OWN_GTO), 1, "%"},
                 {"own SAWS", MORE(SM_OWN_SAWS, SM_OWN_GTO), 1, "%"}}},
};

static const char *said_of(const Table *table, const char *row)
{
    for (size_t i = 0; i < FIGURE_WORDS && table->words[i].row; i++)
        if (strcmp(table->words[i].row, row) == 0)
            return table->words[i].text;
    return "";
}

static bool has_row(const Table *table, const Results *results, size_t benchmark)
{
    return results_have(results, benchmark) &&
           (table->rows == ALL_BENCHMARKS ||
            saws_benchmarks[benchmark].has_barriers == (table->rows == WITH_BARRIERS));
}

static double value_of(const Table *table, const Results *results, const Column *column, size_t benchmark)
{
    const double value = quantity_value(results, column->quantity, benchmark);
    if (!table->of_wait)
        return value;
    const Quantity wait = {SMT_WAIT, SM_2_GTO, ALONE, 0};
    return 100 * quotient(value, quantity_value(results, wait, benchmark));
}

/* The mean over the table's benchmarks that have the value. */
static double mean_of(const Table *table, const Results *results, const Column *column)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < results->benchmark_count; i++) {
        const double value = has_row(table, results, i) ? value_of(table, results, column, i) : NAN;
        if (!isnan(value))
            sum += value, count++;
    }
    return count ? sum / count : NAN;
}

Sheet saws_figure(const Results *results, size_t index)
{
    const Table *table = &tables[index];
    Sheet sheet = {.name = table->name, .title = table->title, .plotted = table->plotted};
    const bool has_words = table->words[0].row;
    sheet_column(&sheet, "benchmark");
    for (const Column *column = table->columns; column->name; column++)
        sheet_column_in(&sheet, column->name, column->unit);
    if (has_words)
        sheet_column(&sheet, "published");
    for (size_t i = 0; i < results->benchmark_count; i++) {
        if (!has_row(table, results, i))
            continue;
        sheet_text(&sheet, results->benchmark(i));
        for (const Column *column = table->columns; column->name; column++)
            sheet_number(&sheet, value_of(table, results, column, i), column->decimals);
        if (has_words)
            sheet_text(&sheet, said_of(table, results->benchmark(i)));
    }
    if (table->rows == ALL_BENCHMARKS)
        return sheet;
    sheet_text(&sheet, "average");
    for (const Column *column = table->columns; column->name; column++)
        sheet_number(&sheet, mean_of(table, results, column), column->decimals);
    if (has_words)
        sheet_text(&sheet, said_of(table, "average"));
    return sheet;
}
