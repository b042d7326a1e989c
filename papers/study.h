/* How a paper is repeated whose figures compare modes of benchmarks: every benchmark runs in every mode, then
 * figures and claims are made of the results. */
#ifndef PAPERS_STUDY_H
#define PAPERS_STUDY_H

#include "papers/measure.h"

typedef struct StudyMode {
    const char *name;
    const char *settings[RUN_SETTINGS]; /* null behind the last one */
    const char *only;                   /* the benchmark that has it; null: all have */
    const char *gpu;                    /* null: the experiment's */
} StudyMode;

/* A run's index is that of its benchmark times mode_count, plus that of its mode. */
typedef struct Study {
    const Paper *paper;
    Experiment experiment; /* what all runs have in common */
    size_t benchmark_count, mode_count, figure_count;
    const StudyMode *modes;
    /* Whether the benchmark runs in that mode; null: as the mode's `only` has it. */
    bool (*has)(size_t benchmark, size_t mode);
    /* Whose claims are meant, and how their ids begin; null: those of the paper's own name, and all. */
    const char *claims_of, *claims_prefix;
    double (*metric)(const Results *results, const RunResult *result, int metric);
    Sheet (*figure)(const Results *results, size_t index); /* one without columns is not shown */
    Judgement (*judge)(const Results *results, const Claim *claim); /* null: the paper claims nothing */
} Study;

/* False: something failed; `error` has the sentence, and what could be measured has been shown. */
bool study_run(const Study *study, const PaperOptions *options, Error *error);

#endif
