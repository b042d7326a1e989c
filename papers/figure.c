#include "papers/figure.h"

#include <string.h>

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
    return index < FIGURE_COLUMNS && figure->columns[index].name ? &figure->columns[index] : NULL;
}

static const char *unit_of(const Figure *figure, const Column *column)
{
    static const char *const units[] = {
        [OVER] = "times", [POINTS] = "points", [RISE] = "% more", [REDUCTION] = "% less"};
    if (column->unit)
        return column->unit;
    return column->quantity.relation == ALONE ? figure->unit : units[column->quantity.relation];
}

static void add_benchmark(Sheet *sheet, const Figure *figure, const Results *results, size_t benchmark)
{
    const Column *column;
    const char *name = results->benchmark(benchmark);
    sheet_text(sheet, name);
    for (size_t i = 0; (column = column_at(figure, i)); i++)
        sheet_number(sheet, quantity_value(results, column->quantity, benchmark), column->decimals);
    if (has_words(figure))
        sheet_text(sheet, words_of(figure, name));
}

static void add_mean(Sheet *sheet, const Figure *figure, const Results *results, const char *name,
                     double (*mean)(const Results *, Quantity))
{
    const Column *column;
    sheet_text(sheet, name);
    for (size_t i = 0; (column = column_at(figure, i)); i++)
        sheet_number(sheet, mean(results, column->quantity), column->decimals);
    if (has_words(figure))
        sheet_text(sheet, words_of(figure, name));
}

Sheet figure_sheet(const Figure *figure, const Results *results)
{
    const Column *column;
    Sheet sheet = {.name = figure->name, .title = figure->title, .plotted = figure->plotted};
    sheet_column(&sheet, "benchmark");
    for (size_t i = 0; (column = column_at(figure, i)); i++)
        sheet_column_in(&sheet, column->name, unit_of(figure, column));
    if (has_words(figure))
        sheet_column(&sheet, "published");
    for (size_t i = 0; i < results->benchmark_count; i++)
        if (results_have(results, i))
            add_benchmark(&sheet, figure, results, i);
    if (!figure->without_average)
        add_mean(&sheet, figure, results, "average", quantity_mean);
    if (figure->geometric)
        add_mean(&sheet, figure, results, "geometric mean", quantity_geometric_mean);
    return sheet;
}
