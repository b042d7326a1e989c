/* Errors, correlations and the worst of some points. */
#include "figures.h"

#include <math.h>
#include <string.h>

static double at_least(double value, double least) { return value > least ? value : least; }

bool point_is_comparable(Scale scale, const Point *point)
{
    return isfinite(point->theirs) && isfinite(point->ours) &&
           (scale.is_difference || at_least(point->theirs, scale.least) > 0);
}

double point_error(Scale scale, const Point *point)
{
    const double difference = point->ours - point->theirs;
    return scale.is_difference ? difference : 100 * difference / at_least(point->theirs, scale.least);
}

/* By how much a point is off, for the order of the worst: half is as far as twice. */
static double distance(Scale scale, const Point *point)
{
    if (scale.is_difference)
        return fabs(point->ours - point->theirs);
    return fabs(log(at_least(point->ours, scale.least) / at_least(point->theirs, scale.least)));
}

/* -- correlation -- */

typedef struct Sums {
    double n, x, y, xx, yy, xy;
} Sums;

static void sums_add(Sums *sums, double x, double y)
{
    sums->n++;
    sums->x += x, sums->y += y;
    sums->xx += x * x, sums->yy += y * y, sums->xy += x * y;
}

static double sums_correlation(const Sums *sums)
{
    return (sums->n * sums->xy - sums->x * sums->y) /
           sqrt((sums->n * sums->xx - sums->x * sums->x) * (sums->n * sums->yy - sums->y * sums->y));
}

/* -- figures -- */

/* The point furthest off among those that are nearer than `below`; null: none is. */
static const Point *worst_point(const Points *points, Scale scale, double below)
{
    const Point *worst = NULL;
    for (uint32_t i = 0; i < points->count; i++) {
        const Point *point = &points->items[i];
        if (distance(scale, point) < below && (!worst || distance(scale, point) > distance(scale, worst)))
            worst = point;
    }
    return worst;
}

Figures figures_of(const Points *points, Scale scale)
{
    Figures figures = {.count = points->count};
    Sums plain = {0}, logarithms = {0};
    double errors = 0;
    for (uint32_t i = 0; i < points->count; i++) {
        const Point *point = &points->items[i];
        errors += fabs(point_error(scale, point));
        sums_add(&plain, point->theirs, point->ours);
        if (point->theirs > 0 && point->ours > 0)
            sums_add(&logarithms, log(point->theirs), log(point->ours));
    }
    figures.mean_error = errors / (double)points->count;
    figures.correlation = sums_correlation(&plain);
    figures.log_correlation = sums_correlation(&logarithms);
    double below = INFINITY;
    for (int i = 0; i < WORST_POINTS && (figures.worst[i] = worst_point(points, scale, below)); i++)
        below = distance(scale, figures.worst[i]);
    return figures;
}

size_t figures_within(const Points *points, Scale scale, double error)
{
    size_t n = 0;
    for (uint32_t i = 0; i < points->count; i++)
        n += fabs(point_error(scale, &points->items[i])) <= error;
    return n;
}

size_t figures_within_factor(const Points *points, double factor)
{
    size_t n = 0;
    for (uint32_t i = 0; i < points->count; i++)
        n += distance((Scale){0}, &points->items[i]) <= log(factor);
    return n;
}

/* -- points of rows -- */

bool selection_has(Selection selection, const Row *row)
{
    return row->set == selection.set && (!selection.half || row->half == selection.half) &&
           (!selection.class || (row->class && !strcmp(row->class, selection.class)));
}

size_t rows_of(const Run *run, Selection selection)
{
    size_t n = 0;
    for (uint32_t i = 0; i < run->rows.count; i++)
        n += selection_has(selection, &run->rows.items[i]);
    return n;
}

Points points_of(const Run *run, Selection selection)
{
    Points points = {0};
    for (uint32_t i = 0; i < run->rows.count; i++) {
        const Row *row = &run->rows.items[i];
        const Point point = {row, row->expected, row->outcome.value};
        if (selection_has(selection, row) && row->outcome.right && point_is_comparable((Scale){0}, &point))
            VEC_PUSH(&points, point);
    }
    return points;
}

Points points_of_counter(const Run *run, Selection selection, CounterNumber counter)
{
    Points points = {0};
    for (uint32_t i = 0; selection.set->has_counters && i < run->rows.count; i++) {
        const Row *row = &run->rows.items[i];
        const Point point = {row, row->counters[counter], row->outcome.counters[counter]};
        if (selection_has(selection, row) && row->outcome.right &&
            point_is_comparable(counters[counter].scale, &point))
            VEC_PUSH(&points, point);
    }
    return points;
}
