/* How far our values are from measured ones, over some rows. */
#ifndef FIDELITY_FIGURES_H
#define FIDELITY_FIGURES_H

#include "base/vec.h"
#include "row.h"

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

/* Which rows: those of a set, of a class unless it is null, of a half unless it is HALF_NONE. */
typedef struct Selection {
    const Set *set;
    const char *class;
    Half half;
} Selection;

bool selection_has(Selection selection, const Row *row);
size_t rows_of(const Run *run, Selection selection);
/* What rows are compared by: those that are right and were measured. */
Points points_of(const Run *run, Selection selection);
/* The same of a counter. */
Points points_of_counter(const Run *run, Selection selection, CounterNumber counter);

#endif
