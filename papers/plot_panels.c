/* Which numbers of a table are drawn where. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/plot.h"

static const char PUBLISHED[] = "published", SPREAD[] = "± ";

static uint32_t row_count(const Sheet *sheet)
{
    return sheet->column_count ? sheet->cells.count / sheet->column_count : 0;
}

/* NAN: the text is no number. */
static double number_in(const char *text)
{
    char *end;
    if (!text || !*text)
        return NAN;
    const double value = strtod(text, &end);
    return *end ? NAN : value;
}

static double number_at(const Sheet *sheet, uint32_t row, uint32_t column)
{
    return number_in(sheet->cells.items[row * sheet->column_count + column]);
}

/* 0: there is none, since the first column has names. */
static uint32_t find_column(const Sheet *sheet, const char *name, size_t length)
{
    for (uint32_t i = 1; i < sheet->column_count; i++)
        if (strlen(sheet->columns[i]) == length && memcmp(sheet->columns[i], name, length) == 0)
            return i;
    return 0;
}

static bool is_spread(const Sheet *sheet, uint32_t column)
{
    return strncmp(sheet->columns[column], SPREAD, strlen(SPREAD)) == 0;
}

/* The column of its error bars; 0: it has none. */
static uint32_t spread_of(const Sheet *sheet, uint32_t column)
{
    for (uint32_t i = 1; i < sheet->column_count; i++)
        if (is_spread(sheet, i) && strcmp(sheet->columns[i] + strlen(SPREAD), sheet->columns[column]) == 0)
            return i;
    return 0;
}

/* -- what was published -- */

/* "7", "-1.5", "1/2.1" from `text` to `end`, with spaces around; NAN: it is none of these. */
static double published_number(const char *text, const char *end)
{
    char copy[64], *rest;
    while (text < end && *text == ' ')
        text++;
    snprintf(copy, sizeof copy, "%.*s", (int)(end - text), text);
    for (size_t length = strlen(copy); length && copy[length - 1] == ' '; length--)
        copy[length - 1] = '\0';
    const double value = strtod(copy, &rest);
    if (rest == copy)
        return NAN;
    return *rest == '/' ? value / number_in(rest + 1) : *rest ? NAN : value;
}

/* Of one part between commas: the number behind the column's name; column 0: a number alone. */
static double published_in(const Sheet *sheet, uint32_t column, const char *part, const char *end)
{
    const char *behind = end;
    while (part < end && *part == ' ')
        part++;
    while (behind > part && behind[-1] != ' ')
        behind--;
    if (!column || behind == part)
        return column ? NAN : published_number(part, end);
    const size_t length = (size_t)(behind - part) - 1;
    return find_column(sheet, part, length) == column ? published_number(behind, end) : NAN;
}

static double published_at(const Sheet *sheet, uint32_t row, uint32_t column)
{
    const uint32_t words = find_column(sheet, PUBLISHED, strlen(PUBLISHED));
    const char *text = words ? sheet->cells.items[row * sheet->column_count + words] : NULL;
    double found = NAN;
    while (text && isnan(found)) {
        const char *end = text + strcspn(text, ",;");
        found = published_in(sheet, column, text, end);
        text = *end ? end + 1 : NULL;
    }
    return found;
}

/* -- series -- */

static bool has_number(const double *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            return true;
    return false;
}

/* A series without any number is left out. */
static void add_series(PlotPanel *panel, const Sheet *sheet, uint32_t column, bool is_published)
{
    const uint32_t rows = row_count(sheet), spread = is_published ? 0 : spread_of(sheet, column);
    PlotSeries series = {.name = column ? sheet->columns[column] : PUBLISHED,
                         .column = column,
                         .is_published = is_published,
                         .values = xcalloc(rows + 1, sizeof(double)),
                         .spreads = xcalloc(rows + 1, sizeof(double))};
    for (uint32_t row = 0; row < rows; row++) {
        series.values[row] =
            is_published ? published_at(sheet, row, column) : number_at(sheet, row, column);
        series.spreads[row] = spread ? number_at(sheet, row, spread) : NAN;
    }
    if (has_number(series.values, rows)) {
        panel->series[panel->series_count++] = series;
        return;
    }
    xfree(series.values);
    xfree(series.spreads);
}

static bool is_unit(const char *one, const char *other)
{
    return strcmp(one ? one : "", other ? other : "") == 0;
}

/* Whether an earlier column of numbers has the unit, and with it the panel. */
static bool is_taken(const PlotPanel *panels, uint32_t count, const char *unit)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_unit(panels[i].unit, unit))
            return true;
    return false;
}

static void fill_panel(PlotPanel *panel, const Sheet *sheet)
{
    for (uint32_t column = 1; column < sheet->column_count; column++) {
        if (!is_unit(sheet->units[column], panel->unit) || is_spread(sheet, column))
            continue;
        const uint32_t before = panel->series_count;
        add_series(panel, sheet, column, false);
        if (panel->series_count > before)
            add_series(panel, sheet, column, true);
    }
}

uint32_t plot_panels(const Sheet *sheet, PlotPanel panels[SHEET_COLUMNS])
{
    const uint32_t words = find_column(sheet, PUBLISHED, strlen(PUBLISHED));
    uint32_t count = 0;
    for (uint32_t column = 1; column < sheet->column_count; column++) {
        const char *unit = sheet->units[column];
        if (column == words || is_spread(sheet, column) || is_taken(panels, count, unit))
            continue;
        panels[count] = (PlotPanel){.unit = unit};
        fill_panel(&panels[count], sheet);
        if (panels[count].series_count && !count)
            add_series(&panels[count], sheet, 0, true);
        count += panels[count].series_count > 0;
    }
    return count;
}

void plot_panels_free(PlotPanel *panels, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t s = 0; s < panels[i].series_count; s++) {
            xfree(panels[i].series[s].values);
            xfree(panels[i].series[s].spreads);
        }
}
