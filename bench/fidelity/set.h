/* Sets of rows: what there is to compare with, and how our side of it is found out. A new set is a file with
 * its Set, and a line in sets.def. */
#ifndef FIDELITY_SET_H
#define FIDELITY_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/host.h"

#define WORKLOADS SOURCE_DIRECTORY "/workloads"

typedef struct Run Run;
typedef struct Row Row;
typedef struct Outcome Outcome;
typedef struct Set Set;

struct Set {
    const char *name;    /* on the command line, and of its part of the Markdown file */
    const char *heading; /* of that part */
    const char *data;    /* measured file in workloads/; {gpu} and {half} stand for their names */
    const char *column;  /* of that file, with what rows are compared by */
    const char *theirs;  /* what people call it */
    bool counts_instructions;
    bool has_counters;   /* silicon's, of counter.def, in the same file */
    bool is_rough;       /* rows are told by factors, not by per cents */
    const char *knob;    /* that makes our GPU what it was measured on; null: none does */
    bool is_correlated;  /* rows are of one kind, so that their correlation says something */

    const char *cells;   /* heads of cells that its table has besides; null: it has none */
    void (*write_cells)(const Row *row, FILE *out);

    /* Adds the rows by rows_add(). */
    void (*add)(Run *run, const Set *set);
    /* Runs the rows of one job, which stand behind each other, and fills an outcome for each, all but its
     * `right` and `seconds`. False: host->error says why. The caller ends the host. */
    bool (*run)(const Row *rows, size_t count, WbGpu *gpu, Host *host, Outcome *outcomes);
};

typedef enum SetNumber {
#define SET(name) SET_##name,
#include "sets.def"
#undef SET
    SET_COUNT
} SetNumber;

extern const Set *const sets[SET_COUNT];

/* The outcome of a row by itself: what all launches since the GPU was opened took together. */
void set_take_all(WbGpu *gpu, const Host *host, Outcome *outcome);
/* The outcome of a row that is a kernel of several: the mean over its launches. */
void set_take_kernel(WbGpu *gpu, const char *kernel, Outcome *outcome);

#endif
