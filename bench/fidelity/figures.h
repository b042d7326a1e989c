/* How far our values are from measured ones, over some rows. */
#ifndef FIDELITY_FIGURES_H
#define FIDELITY_FIGURES_H

#include "base/vec.h"
#include "row.h"

/* How a value is compared. */
typedef struct Scale {
    bool is_difference; /* an error is ours less theirs; else that over theirs, in per cent */
    double least;       /* of the latter: less counts as this much, so that almost nothing is near to nothing */
} Scale;

/* A row's value of some kind. */
typedef struct Point {
    const Row *row;
    double theirs, ours;
} Point;

typedef VEC(Point) Points;

enum { WORST_POINTS = 3 };

/* Over `count` points; figures of none, and correlations of fewer than two, are NAN. */
typedef struct Figures {
    size_t count;
    double mean_error; /* of absolute values */
    double correlation, log_correlation; /* the latter of points with both values above 0 */
    const Point *worst[WORST_POINTS];    /* furthest first, none as far as another; null: there are no more */
} Figures;

/* Whether the values can be compared at all. */
bool point_is_comparable(Scale scale, const Point *point);
double point_error(Scale scale, const Point *point);
Figures figures_of(const Points *points, Scale scale);
/* Points whose error is at most that. */
size_t figures_within(const Points *points, Scale scale, double error);
/* Points whose values differ at most by that factor. */
size_t figures_within_factor(const Points *points, double factor);

/* -- points of rows -- */

/* What rows are compared by: those of the set that are right and were measured. */
Points points_of(const Run *run, const Set *set);
size_t rows_of(const Run *run, const Set *set);

#endif
