/* A figure whose rows are benchmarks and whose columns are quantities, as a table, with what the paper's
 * prose says beside them. */
#ifndef PAPERS_FIGURE_H
#define PAPERS_FIGURE_H

#include "papers/results.h"
#include "papers/sheet.h"

enum { FIGURE_COLUMNS = 11, FIGURE_WORDS = 8 };

typedef struct Column {
    const char *name;
    Quantity quantity;
    int decimals;
    const char *unit; /* null: the figure's, or what the quantity's relation gives */
} Column;

/* What the paper says of a benchmark, or of the average. Numbers that stand behind a column's name, as in
 * "CDP 6.87, LVL 31.81", are drawn beside ours (web/src/paper.ts). */
typedef struct Words {
    const char *row, *text;
} Words;

typedef struct Figure {
    const char *name, *title;
    const char *unit;               /* of quantities that stand alone; null: a plain number */
    Column columns[FIGURE_COLUMNS]; /* a null name behind the last one */
    Words words[FIGURE_WORDS];      /* a null row behind the last ones */
    bool without_average, geometric;
    bool plotted; /* drawn below its table, too */
} Figure;

Sheet figure_sheet(const Figure *figure, const Results *results);

#endif
