/* Tables of counters and classes. Where a set has halves, each has its own columns, and single rows are named
 * only of the seen one. */
#include "summary.h"

#include <math.h>
#include <string.h>

#include "print.h"

/* -- cells -- */

typedef struct Writer {
    FILE *out;
    bool is_aligned;
} Writer;

static void cell(const Writer *to, int width, const char *text)
{
    fprintf(to->out, " %*s |", to->is_aligned ? width : 0, text);
}

static void number_cell(const Writer *to, const char *format, double value)
{
    char text[32] = "";
    if (!isnan(value))
        snprintf(text, sizeof text, format, value);
    cell(to, 8, text);
}

static void begin_line(const Writer *to, const char *name)
{
    fprintf(to->out, "|");
    cell(to, -20, name);
}

/* -- heads -- */

static void write_head(const Writer *to, const Selection *groups, size_t count, const char *first,
                       const char *last)
{
    char head[64];
    fprintf(to->out, "\n");
    begin_line(to, first);
    for (size_t i = 0; i < count; i++) {
        snprintf(head, sizeof head, "%s%srows", half_names[groups[i].half], groups[i].half ? ": " : "");
        cell(to, 6, head);
        cell(to, 8, "error");
        cell(to, 8, "within 10%");
        cell(to, 8, "correlation");
    }
    if (last)
        cell(to, -20, last);
    fprintf(to->out, "\n|---|");
    for (size_t i = 0; i < 4 * count; i++)
        fprintf(to->out, "---:|");
    fprintf(to->out, last ? "---|\n" : "\n");
}

/* -- counters -- */

/* Counts range over powers of ten, so their logarithms are correlated; shares and stalls are as they are. */
static double correlation_of(const Counter *counter, const Figures *figures)
{
    return counter->scale.is_difference ? figures->correlation : figures->log_correlation;
}

static void write_figures(const Writer *to, const Run *run, Selection group, CounterNumber number)
{
    const Counter *counter = &counters[number];
    Points points = points_of_counter(run, group, number);
    const Figures figures = figures_of(&points, counter->scale);
    char text[32];
    snprintf(text, sizeof text, "%zu", figures.count);
    cell(to, 6, text);
    cell(to, 8, figures.count ? error_text(counter, figures.mean_error, true).text : "");
    snprintf(text, sizeof text, "%zu", figures_within(&points, counter->scale, 10));
    cell(to, 8, counter->scale.is_difference && counter->unit[0] != '%' ? "" : text);
    number_cell(to, "%.3f", figures.count > 2 ? correlation_of(counter, &figures) : NAN);
    VEC_FREE(&points);
}

static void write_worst(const Writer *to, const Run *run, Selection group, CounterNumber number)
{
    char text[512] = "";
    Points points = points_of_counter(run, group, number);
    const Figures figures = figures_of(&points, counters[number].scale);
    for (int i = 0; i < WORST_POINTS && figures.worst[i] && group.half != HALF_UNSEEN; i++) {
        const size_t length = strlen(text);
        const double error = point_error(counters[number].scale, figures.worst[i]);
        snprintf(text + length, sizeof text - length, "%s%s %s", i ? ", " : "", figures.worst[i]->row->name,
                 error_text(&counters[number], error, false).text);
    }
    cell(to, -20, text);
    VEC_FREE(&points);
}

static bool is_measured(const Run *run, const Set *set, CounterNumber number)
{
    Points points = points_of_counter(run, (Selection){.set = set}, number);
    const bool any = points.count > 0;
    VEC_FREE(&points);
    return any;
}

static void write_counters(const Writer *to, const Run *run, const Set *set)
{
    Selection groups[SUMMARY_GROUPS];
    const size_t count = summary_groups(run, set, groups);
    write_head(to, groups, count, "counter", "furthest off");
    for (CounterNumber i = 0; i < COUNTER_COUNT; i++) {
        if (!is_measured(run, set, i))
            continue;
        begin_line(to, counters[i].name);
        for (size_t k = 0; k < count; k++)
            write_figures(to, run, groups[k], i);
        write_worst(to, run, groups[0], i);
        fprintf(to->out, "\n");
    }
}

/* -- classes -- */

/* Whether no row of the set before this one has its class. */
static bool opens_class(const Run *run, const Row *row)
{
    for (const Row *before = run->rows.items; before < row; before++)
        if (before->set == row->set && !strcmp(before->class, row->class))
            return false;
    return true;
}

static void write_classes(const Writer *to, const Run *run, const Set *set)
{
    Selection groups[SUMMARY_GROUPS];
    const size_t count = summary_groups(run, set, groups);
    bool any = false;
    for (uint32_t i = 0; i < run->rows.count; i++) {
        const Row *row = &run->rows.items[i];
        if (row->set != set || !row->class || !opens_class(run, row))
            continue;
        if (!any)
            write_head(to, groups, count, "class, by cycles", NULL);
        any = true;
        begin_line(to, row->class);
        for (size_t k = 0; k < count; k++)
            write_figures(to, run, (Selection){set, row->class, groups[k].half}, COUNTER_cycles);
        fprintf(to->out, "\n");
    }
}

/* -- all of it -- */

size_t summary_groups(const Run *run, const Set *set, Selection groups[SUMMARY_GROUPS])
{
    size_t count = 0;
    for (Half half = HALF_SEEN; half < HALF_COUNT; half++)
        if (rows_of(run, (Selection){.set = set, .half = half}))
            groups[count++] = (Selection){.set = set, .half = half};
    if (!count)
        groups[count++] = (Selection){.set = set};
    return count;
}

void summary_write(const Run *run, const Set *set, bool is_aligned, FILE *out)
{
    const Writer to = {out, is_aligned};
    if (!set->has_counters || run->options.functional)
        return;
    write_classes(&to, run, set);
    write_counters(&to, run, set);
}
