/* Papers whose measurements can be repeated here. Each is one row of `papers`: it runs what the paper ran,
 * shows its figures, and sets what it claims (claims.csv) beside what was measured. */
#ifndef PAPERS_PAPER_H
#define PAPERS_PAPER_H

#include <stdio.h>

#include "base/error.h"
#include "graphs/generate.h"

typedef struct PaperOptions {
    InputSize size;
    const char *const *only;     /* benchmarks to run */
    size_t only_count;           /* 0: all */
    const char *graph;           /* a file for benchmarks whose input is a graph; null: the paper's own */
    uint64_t seed;               /* of inputs that are made by chance; 0: 1 */
    uint32_t least;              /* elements from which threads launch them; 0: the benchmarks' own */
    const char *const *settings; /* "knob=value", on top of the paper's own */
    size_t setting_count;
    const char *threads;  /* of each run; null: its share of the processors */
    int jobs;             /* runs at once */
    const char *from;     /* runs.csv of runs that were measured before; null: they are run */
    const char *out;      /* folder for files; null: none are written */
    const char *markdown; /* file whose generated part is replaced; null: none */
    const char *html;     /* file for one page with all tables and charts; null: none */
    FILE *to;             /* where tables go */
    const struct PaperSweep *sweep; /* the database that keeps runs (papers/kept.h); null: none does */
    const char *one;                /* BENCHMARK/MODE: that run alone is done, and no table made; null: all */
    const char *one_to;             /* where its numbers go */
} PaperOptions;

typedef struct Paper {
    const char *name, *title;
    const char *remark;                     /* what holds for all tables, such as how averages are made */
    bool has_seed, has_least;               /* its inputs have a seed, and a threshold of launches */
    const char *(*benchmark)(size_t index); /* null behind the last one */
    /* False: something failed, or a signal came (WB_ERROR_INTERRUPTED); `error` has the sentence, and what
     * could be measured has been shown and written. */
    bool (*run)(const PaperOptions *options, Error *error);
} Paper;

extern const Paper paper_channels, paper_claso, paper_dtbl, paper_gsync, paper_multi_gpu, paper_rnn,
    paper_saws, paper_together, paper_wait_signal, paper_wireframe;
extern const char *const paper_sizes[INPUT_SIZES]; /* their names */

/* By index; null behind the last one. */
const Paper *paper_at(size_t index);
/* Null: there is none of that name. */
const Paper *paper_find(const char *name);

/* Whether the options ask for that benchmark. */
bool paper_wants(const PaperOptions *options, const char *benchmark);
/* The path of a file or folder that comes with the simulator, such as "papers/claims.csv": beside the sources
 * while developing, under the prefix once installed. */
const char *paper_data(const char *name, char *path, size_t size);

#endif
