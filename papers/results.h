/* What the runs of a paper have given, as numbers that figures and claims are made of: a metric of a mode,
 * alone or compared with that of another mode, of one benchmark or as a mean over all. */
#ifndef PAPERS_RESULTS_H
#define PAPERS_RESULTS_H

#include "config/config.h"
#include "papers/runs.h"

/* Modes and metrics are the paper's own enumerations. */
typedef struct Results {
    size_t benchmark_count, mode_count;
    const char *(*benchmark)(size_t index); /* its name */
    /* A number of a run that is right; NAN where there is none. */
    double (*metric)(const struct Results *results, const RunResult *result, int metric);
    const Run **runs; /* [benchmark_count * mode_count], benchmark by benchmark; null: not asked for */
    GpuConfig config; /* that all runs share */
    InputSize size;   /* the same */
    const PaperOptions *options; /* that they were run with; null: none */
} Results;

typedef enum Relation {
    ALONE,
    OVER,      /* times that of the other mode */
    POINTS,    /* by how much it is more */
    RISE,      /* the same in % of the other's */
    REDUCTION, /* by how much it is less, in % of the other's */
} Relation;

typedef struct Quantity {
    int metric, mode;
    Relation relation;
    int other;
} Quantity;

/* Null: it was not asked for, or is not right. */
const RunResult *results_at(const Results *results, size_t benchmark, int mode);
/* Whether there is a run of it. */
bool results_have(const Results *results, size_t benchmark);

/* NAN where its runs are missing or wrong, or have no such metric. */
double quantity_value(const Results *results, Quantity quantity, size_t benchmark);
/* Arithmetic and geometric mean over the benchmarks that have it. */
double quantity_mean(const Results *results, Quantity quantity);
double quantity_geometric_mean(const Results *results, Quantity quantity);
/* The arithmetic mean if the runs that it takes are right for all benchmarks of the paper, else NAN: a mean
 * over some of the benchmarks is none of the paper's. */
double quantity_mean_of_all(const Results *results, Quantity quantity);

/* NAN over nothing. */
double quotient(double over, double under);

#endif
