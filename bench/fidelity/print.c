/* Rows on the terminal, and the paragraph that sums a set up. */
#include "print.h"

#include <math.h>

#include "figures.h"

FigureText figure_text(double value)
{
    FigureText figure;
    snprintf(figure.text, sizeof figure.text, fabs(value) >= 1000 ? "%.0f" : "%.4g", value);
    return figure;
}

FigureText instructions_text(const Row *row)
{
    FigureText ratio = {""};
    if (row->expected_instructions > 0)
        snprintf(ratio.text, sizeof ratio.text, "%.2f",
                 row->outcome.instructions / row->expected_instructions);
    return ratio;
}

double row_error(const Row *row)
{
    return point_error((Scale){0}, &(Point){row, row->expected, row->outcome.value});
}

static void print_worst(const Figures *figures, FILE *out)
{
    for (int i = 0; i < WORST_POINTS && figures->worst[i]; i++)
        fprintf(out, "%s %s %+.0f%%", i ? "," : " Furthest off:", figures->worst[i]->row->name,
                row_error(figures->worst[i]->row));
}

void print_summary(const Run *run, const Set *set, FILE *out)
{
    const size_t rows = rows_of(run, set);
    const Scale scale = {0};
    Points points = points_of(run, set);
    const Figures figures = figures_of(&points, scale);
    if (set->is_rough)
        fprintf(out, "%zu of %zu within a factor of 2.", figures_within_factor(&points, 2), rows);
    else
        fprintf(out, "%zu of %zu within 5%%, %zu within 10%%; mean absolute error %.1f%%.",
                figures_within(&points, scale, 5), rows, figures_within(&points, scale, 10),
                figures.mean_error);
    if (set->is_correlated)
        fprintf(out, " Correlation of cycles %.4f, of their logarithms %.4f.", figures.correlation,
                figures.log_correlation);
    print_worst(&figures, out);
    fprintf(out, ".\n");
    VEC_FREE(&points);
}

void print_row(const Run *run, size_t index)
{
    const Row *row = &run->rows.items[index];
    if (index == 0 || row[-1].set != row->set)
        printf("%s%-22s %-7s %12s %12s %8s %9s %8s\n", index ? "\n" : "", row->set->name, "unit", "measured",
               "ours", "error", "warp inst", "seconds");
    printf("%-22s %-7s %12s ", row->name, row->unit, figure_text(row->expected).text);
    if (row->outcome.right)
        printf("%12s %+7.1f%% %9s %8.2f\n", figure_text(row->outcome.value).text, row_error(row),
               instructions_text(row).text, row->outcome.seconds);
    else
        printf("%12s  %s\n", "-", row->error);
    if (index + 1 == run->rows.count || row[1].set != row->set)
        print_summary(run, row->set, stdout);
    fflush(stdout);
}
