/* Rows on the terminal, and the paragraph that sums a set up. */
#include "print.h"

#include <math.h>

#include "summary.h"

FigureText figure_text(double value)
{
    FigureText figure = {"-"};
    if (!isnan(value))
        snprintf(figure.text, sizeof figure.text, fabs(value) >= 1000 ? "%.0f" : "%.4g", value);
    return figure;
}

double row_error(const Row *row)
{
    return point_error((Scale){0}, &(Point){row, row->expected, row->outcome.value});
}

FigureText row_error_text(const Row *row)
{
    FigureText error = {"-"};
    if (row->expected > 0)
        snprintf(error.text, sizeof error.text, "%+.1f%%", row_error(row));
    return error;
}

FigureText instructions_text(const Row *row)
{
    FigureText ratio = {""};
    if (row->expected_instructions > 0)
        snprintf(ratio.text, sizeof ratio.text, "%.2f",
                 row->outcome.instructions / row->expected_instructions);
    return ratio;
}

FigureText error_text(const Counter *counter, double error, bool is_absolute)
{
    FigureText made;
    if (!counter->scale.is_difference)
        snprintf(made.text, sizeof made.text, is_absolute ? "%.1f%%" : "%+.0f%%", error);
    else if (counter->unit[0] == '%')
        snprintf(made.text, sizeof made.text, is_absolute ? "%.1f points" : "%+.0f", error);
    else
        snprintf(made.text, sizeof made.text, is_absolute ? "%.2f %s" : "%+.1f", error, counter->unit);
    return made;
}

/* -- summaries -- */

static void print_worst(const Figures *figures, FILE *out)
{
    for (int i = 0; i < WORST_POINTS && figures->worst[i]; i++)
        fprintf(out, "%s %s %+.0f%%", i ? "," : " Furthest off:", figures->worst[i]->row->name,
                row_error(figures->worst[i]->row));
    fprintf(out, figures->worst[0] ? "." : "");
}

static void summarize(const Run *run, Selection selection, FILE *out)
{
    const size_t rows = rows_of(run, selection);
    const Scale scale = {0};
    Points points = points_of(run, selection);
    const Figures figures = figures_of(&points, scale);
    if (!points.count) {
        fprintf(out, "None of %zu rows was measured, and ran.\n", rows);
        return;
    }
    if (selection.set->is_rough)
        fprintf(out, "%zu of %zu within a factor of 2.", figures_within_factor(&points, 2), rows);
    else
        fprintf(out, "%zu of %zu within 5%%, %zu within 10%%; mean absolute error %.1f%%.",
                figures_within(&points, scale, 5), rows, figures_within(&points, scale, 10),
                figures.mean_error);
    if (selection.set->is_correlated)
        fprintf(out, " Correlation of cycles %.4f, of their logarithms %.4f.", figures.correlation,
                figures.log_correlation);
    if (selection.half != HALF_UNSEEN)
        print_worst(&figures, out);
    fprintf(out, "\n");
    VEC_FREE(&points);
}

void print_summary(const Run *run, const Set *set, FILE *out)
{
    Selection groups[SUMMARY_GROUPS];
    const size_t count = summary_groups(run, set, groups);
    for (size_t i = 0; i < count; i++) {
        if (groups[i].half)
            fprintf(out, "%sThe %s half: ", i ? "\n" : "", half_names[groups[i].half]);
        summarize(run, groups[i], out);
    }
}

/* -- rows -- */

static void print_figures(const Row *row)
{
    if (!row->outcome.right)
        printf("%12s  %s\n", "-", row->error);
    else if (row->half == HALF_UNSEEN)
        printf("%12s %8s %9s %8.2f\n", "", "", "", row->outcome.seconds);
    else
        printf("%12s %8s %9s %8.2f\n", figure_text(row->outcome.value).text, row_error_text(row).text,
               instructions_text(row).text, row->outcome.seconds);
}

void print_row(const Run *run, size_t index)
{
    const Row *row = &run->rows.items[index];
    if (index == 0 || row[-1].set != row->set)
        printf("%s%-22s %-7s %12s %12s %8s %9s %8s\n", index ? "\n" : "", row->set->name, "unit", "measured",
               "ours", "error", "warp inst", "seconds");
    printf("%-22s %-7s %12s ", row->name, row->unit,
           row->half == HALF_UNSEEN ? "unseen" : figure_text(row->expected).text);
    print_figures(row);
    if (index + 1 == run->rows.count || row[1].set != row->set) {
        print_summary(run, row->set, stdout);
        summary_write(run, row->set, true, stdout);
    }
    fflush(stdout);
}
