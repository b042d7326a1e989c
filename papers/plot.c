/* Lays a chart out and writes it. All lengths are in pixels; y grows downwards. */
#include "papers/plot.h"

#include <math.h>
#include <string.h>

/* Bars are LEAST wide at least, or the chart gets wider than WIDTH; labels of groups are slanted where they
 * would touch. LETTER is what a character takes at the size of the text, on average. */
enum { WIDTH = 900, LEFT = 64, RIGHT = 14, HEIGHT = 200, TITLE = 34, LINE = 18, GAP = 22 };
static const double LEAST = 4, FILLED = 0.82, LETTER = 6.4, TICKS = 6;
/* The largest number over the smallest from which the axis is logarithmic: below, small bars are seen. */
static const double WIDE_RATIO = 100;

static const char *const colours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9",
                                      "#d55e00", "#8c6bb1", "#7f7f00", "#444444"};
enum { COLOURS = sizeof colours / sizeof *colours };
static const char GREY[] = "#999999";

/* The axis of a panel, from `low` at the bottom to `high` at the top; a logarithmic one has their decimal
 * logarithms. */
typedef struct Axis {
    double low, high, step;
    bool is_log;
} Axis;

typedef struct Layout {
    const Sheet *sheet;
    double width, group; /* of all, and of the group of a row */
    uint32_t rows;
    bool slants;         /* the labels of groups */
    double label_height; /* of these */
    FILE *out;
} Layout;

static uint32_t row_count(const Sheet *sheet)
{
    return sheet->column_count ? sheet->cells.count / sheet->column_count : 0;
}

/* What a row is called. */
static const char *label_of(const Sheet *sheet, uint32_t row)
{
    const char *label = sheet->cells.items[row * sheet->column_count];
    return label ? label : "";
}

void plot_write_text(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
    }
}

/* Characters, not bytes: those of UTF-8 that go on with one are not counted. */
static double text_width(const char *text)
{
    double count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count * LETTER;
}

/* -- the axis -- */

static void stretch(double value, double *least, double *most, double *least_positive)
{
    if (isnan(value))
        return;
    *least = fmin(*least, value);
    *most = fmax(*most, value);
    if (value > 0)
        *least_positive = fmin(*least_positive, value);
}

/* 1, 2 or 5 times a power of ten, so that about TICKS of them make up the length. */
static double nice_step(double length)
{
    const double power = pow(10, floor(log10(length / TICKS))), digits = length / TICKS / power;
    return power * (digits <= 1 ? 1 : digits <= 2 ? 2 : digits <= 5 ? 5 : 10);
}

static Axis axis_of(const PlotPanel *panel, uint32_t rows)
{
    double least = 0, most = 0, least_positive = INFINITY;
    for (uint32_t s = 0; s < panel->series_count; s++)
        for (uint32_t row = 0; row < rows; row++) {
            const double value = panel->series[s].values[row], spread = panel->series[s].spreads[row];
            stretch(value, &least, &most, &least_positive);
            if (!isnan(spread) && !isnan(value)) {
                stretch(value + spread, &least, &most, &least_positive);
                stretch(fmin(value - spread, value), &least, &most, &least_positive);
            }
        }
    if (least >= 0 && most > WIDE_RATIO * least_positive)
        return (Axis){floor(log10(least_positive)), ceil(log10(most)), 1, true};
    if (most - least <= 0)
        most = least + 1;
    const double step = nice_step(most - least);
    return (Axis){floor(least / step) * step, ceil(most / step) * step, step, false};
}

/* Pixels above the bottom of the panel; what a logarithmic axis cannot show lies at the bottom. */
static double place(const Axis *axis, double value)
{
    const double at = !axis->is_log ? value : value > 0 ? log10(value) : axis->low;
    return HEIGHT * fmin(fmax((at - axis->low) / (axis->high - axis->low), 0), 1);
}

static void draw_axis(const Layout *layout, const Axis *axis, const char *unit, double top)
{
    const int ticks = (int)lround((axis->high - axis->low) / axis->step);
    for (int i = 0; i <= ticks; i++) {
        const double at = axis->low + i * axis->step, value = axis->is_log ? pow(10, at) : at;
        const double y = top + HEIGHT - place(axis, value);
        fprintf(layout->out, "<path d=\"M%d %.1fH%.1f\" stroke=\"%s\"/>\n", LEFT, y, layout->width - RIGHT,
                fabs(at) < axis->step / 2 && !axis->is_log ? "#555" : "#ddd");
        fprintf(layout->out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n", LEFT - 6, y + 4,
                fabs(value) < axis->step / 1e6 && !axis->is_log ? 0 : value);
    }
    fprintf(layout->out,
            "<text x=\"14\" y=\"%.1f\" text-anchor=\"middle\" transform=\"rotate(-90 14 %.1f)\">",
            top + HEIGHT / 2.0, top + HEIGHT / 2.0);
    plot_write_text(unit ? unit : "", layout->out);
    fputs("</text>\n", layout->out);
}

/* Where a ratio says that there is no difference. */
static void draw_one(const Layout *layout, const Axis *axis, double top)
{
    const double y = top + HEIGHT - place(axis, 1);
    fprintf(layout->out, "<path d=\"M%d %.1fH%.1f\" stroke=\"#555\" stroke-dasharray=\"4 3\"/>\n", LEFT, y,
            layout->width - RIGHT);
}

/* -- bars -- */

static const char *colour_of(const PlotSeries *series)
{
    return series->column ? colours[(series->column - 1) % COLOURS] : GREY;
}

static const char *look_of(const PlotSeries *series, char look[64])
{
    snprintf(look, 64, "fill=\"%s\" stroke=\"%s\"", series->is_published ? "#fff" : colour_of(series),
             colour_of(series));
    return look;
}

static void draw_spread(const Layout *layout, const Axis *axis, double bottom, double x, double value,
                        double spread)
{
    fprintf(layout->out, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#000\" stroke-width=\"1.4\"/>\n", x,
            bottom - place(axis, value - spread), bottom - place(axis, value + spread));
}

static void draw_bar(const Layout *layout, const Axis *axis, const PlotSeries *series, const char *unit,
                     uint32_t row, double x, double width, double bottom)
{
    const double value = series->values[row], spread = series->spreads[row];
    char look[64];
    if (isnan(value))
        return;
    const double zero = place(axis, 0), end = place(axis, value);
    fprintf(layout->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" %s><title>", x,
            bottom - fmax(zero, end), fmax(width - 1, 1), fabs(end - zero), look_of(series, look));
    plot_write_text(label_of(layout->sheet, row), layout->out);
    fputs(", ", layout->out);
    plot_write_text(series->name, layout->out);
    fprintf(layout->out, "%s: %.6g ", series->is_published && series->column ? ", published" : "", value);
    plot_write_text(unit ? unit : "", layout->out);
    fputs("</title></rect>\n", layout->out);
    if (!isnan(spread))
        draw_spread(layout, axis, bottom, x + width / 2, value, spread);
}

static void draw_bars(const Layout *layout, const Axis *axis, const PlotPanel *panel, double top)
{
    const double slot = layout->group * FILLED / panel->series_count;
    for (uint32_t row = 0; row < layout->rows; row++) {
        const double from = LEFT + layout->group * (row + (1 - FILLED) / 2);
        for (uint32_t s = 0; s < panel->series_count; s++)
            draw_bar(layout, axis, &panel->series[s], panel->unit, row, from + slot * s, slot, top + HEIGHT);
    }
}

static void draw_labels(const Layout *layout, double top)
{
    for (uint32_t row = 0; row < layout->rows; row++) {
        const double x = LEFT + layout->group * (row + 0.5), y = top + HEIGHT + 14;
        if (layout->slants)
            fprintf(layout->out,
                    "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\" transform=\"rotate(-35 %.1f %.1f)\">", x,
                    y, x, y);
        else
            fprintf(layout->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x, y);
        plot_write_text(label_of(layout->sheet, row), layout->out);
        fputs("</text>\n", layout->out);
    }
}

/* -- the legend: in as many lines as it needs -- */

/* Returns its height; `out` null: draws nothing. */
static double draw_legend(const Layout *layout, const PlotPanel *panel, double top, FILE *out)
{
    double x = LEFT, y = top;
    for (uint32_t s = 0; s < panel->series_count; s++) {
        const PlotSeries *series = &panel->series[s];
        char look[64], name[128];
        snprintf(name, sizeof name, "%s%s", series->name,
                 series->is_published && series->column ? ", published" : "");
        const double width = text_width(name) + 30;
        if (x > LEFT && x + width > layout->width - RIGHT)
            x = LEFT, y += LINE;
        if (out) {
            fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" %s/>\n", x, y + 2,
                    look_of(series, look));
            fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">", x + 15, y + 11);
            plot_write_text(name, out);
            fputs("</text>\n", out);
        }
        x += width;
    }
    return y + LINE - top;
}

/* -- all of it -- */

static double draw_panel(const Layout *layout, const PlotPanel *panel, double top)
{
    const Axis axis = axis_of(panel, layout->rows);
    const double bars = top + draw_legend(layout, panel, top, layout->out) + LINE / 2.0;
    draw_axis(layout, &axis, panel->unit, bars);
    draw_bars(layout, &axis, panel, bars);
    if (panel->unit && strcmp(panel->unit, "times") == 0)
        draw_one(layout, &axis, bars);
    draw_labels(layout, bars);
    return bars + HEIGHT + layout->label_height + GAP;
}

static Layout layout_of(const Sheet *sheet, const PlotPanel *panels, uint32_t count, FILE *out)
{
    Layout layout = {.sheet = sheet, .rows = row_count(sheet), .width = WIDTH, .out = out};
    double longest = 0, bars = 1;
    for (uint32_t i = 0; i < count; i++)
        bars = fmax(bars, panels[i].series_count);
    if (layout.rows)
        layout.width = fmax(WIDTH, LEFT + RIGHT + layout.rows * bars * LEAST / FILLED);
    layout.group = (layout.width - LEFT - RIGHT) / fmax(layout.rows, 1);
    for (uint32_t row = 0; row < layout.rows; row++)
        longest = fmax(longest, text_width(label_of(sheet, row)));
    layout.slants = longest + LETTER > layout.group;
    layout.label_height = layout.slants ? 14 + longest * 0.58 : LINE;
    return layout;
}

static double height_of(const Layout *layout, const PlotPanel *panels, uint32_t count)
{
    double height = TITLE;
    for (uint32_t i = 0; i < count; i++)
        height += draw_legend(layout, &panels[i], 0, NULL) + LINE / 2.0 + HEIGHT + layout->label_height + GAP;
    return height;
}

void plot_write(const Sheet *sheet, FILE *out)
{
    PlotPanel panels[SHEET_COLUMNS];
    const uint32_t count = plot_panels(sheet, panels);
    const Layout layout = layout_of(sheet, panels, count, out);
    const double height = height_of(&layout, panels, count);
    double top = TITLE;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
            "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"11\" fill=\"#222\">\n",
            layout.width, height, layout.width, height);
    fprintf(out, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n", layout.width, height);
    fprintf(out, "<text x=\"%d\" y=\"20\" font-size=\"13\" font-weight=\"bold\">", LEFT);
    plot_write_text(sheet->title, out);
    fputs("</text>\n", out);
    for (uint32_t i = 0; i < count; i++)
        top = draw_panel(&layout, &panels[i], top);
    fputs("</svg>\n", out);
    plot_panels_free(panels, count);
}
