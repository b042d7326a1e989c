/* Tables of a page as bar charts, in SVG: a group of bars for each row, a bar for each column of numbers, and
 * what a paper published beside ours as a hollow bar of the same colour.
 *
 * Nothing but the table's own cells goes into a chart, so that page and chart cannot differ:
 * - the first column names the groups; columns of one unit share a panel, panels lie below each other;
 * - a column "± NAME" is drawn as the error bar of column NAME, not as a bar;
 * - the column "published" has what the paper says: "CDP 6.87, LVL 1/2.1" belongs to columns CDP and LVL, a
 *   number alone is a grey bar of its own in the first panel, and other words are not drawn.
 * The same table gives the same bytes. */
#ifndef PAPERS_PLOT_H
#define PAPERS_PLOT_H

#include "papers/sheet.h"

/* The bars of one colour. Invariant: `values` and `spreads` have a number for each row of the table; NAN:
 * there is none. */
typedef struct PlotSeries {
    const char *name;
    uint32_t column;   /* of the table; 0: published numbers that name no column */
    bool is_published; /* hollow */
    double *values, *spreads;
} PlotSeries;

typedef struct PlotPanel {
    const char *unit; /* null: plain numbers */
    PlotSeries series[2 * SHEET_COLUMNS];
    uint32_t series_count;
} PlotPanel;

/* Text as HTML and SVG have it. */
void plot_write_text(const char *text, FILE *out);
/* Fills in the panels of a table, SHEET_COLUMNS at most, and returns how many there are. */
uint32_t plot_panels(const Sheet *sheet, PlotPanel panels[SHEET_COLUMNS]);
void plot_panels_free(PlotPanel *panels, uint32_t count);

/* The chart. A table without numbers gives its title alone. */
void plot_write(const Sheet *sheet, FILE *out);

#endif
