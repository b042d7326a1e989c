/* Rows: one figure of ours beside the measured one, and the run that has all of them. */
#ifndef FIDELITY_ROW_H
#define FIDELITY_ROW_H

#include "base/vec.h"
#include "counter.h"
#include "options.h"

enum { JOB_ROWS = 8 };

/* Rows of a set that were drawn apart, so that no rule of the model is made by looking at the unseen ones. */
typedef enum Half { HALF_NONE, HALF_SEEN, HALF_UNSEEN, HALF_COUNT } Half;

extern const char *const half_names[HALF_COUNT];

/* Our side of a row. */
struct Outcome {
    bool right; /* it ran, and its results are right; else the rest means nothing */
    double value, instructions, seconds;
    double counters[COUNTER_COUNT]; /* NAN: there is none */
};

struct Row {
    const Set *set;
    size_t index;     /* what the set knows it by */
    size_t job;       /* rows of a set behind each other with one number run as one job, at most JOB_ROWS */
    char name[64];
    const char *unit, *note; /* a note says what is special about the row; null: nothing is */
    const char *class; /* of rows of one kind; null: the set has no classes */
    Half half;
    const char *gpu;  /* configuration that it runs on; null: the one of the options */
    double expected;  /* NAN: not measured */
    double expected_instructions;
    double counters[COUNTER_COUNT]; /* as measured; NAN: not so */
    Outcome outcome;
    char error[2048]; /* why it is not right */
};

/* Rows that run in one process. */
typedef struct RowJob {
    size_t first, count;
} RowJob;

struct Run {
    Options options;
    VEC(Row) rows;
    VEC(RowJob) jobs;
};

/* Adds the row unless the options leave it out, with what was measured. The set fills what comes before
 * `expected`. */
void rows_add(Run *run, Row row);
/* Adds the rows of all sets that are wanted. */
void rows_add_all(Run *run);
/* The file that has what was measured for a row of the set. */
void rows_data_path(const Run *run, const Row *row, char *path, size_t size);
void rows_free(Run *run);

#endif
