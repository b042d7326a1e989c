/* A study: a cross product of GPUs, knobs, workloads, programs and sizes, as its file says it.
 *
 *     gpus: [h200, gtx480]
 *     knobs:
 *       l2_bytes: [1MiB, 2MiB, 4MiB]
 *     workloads:
 *       - name: wireframe/sor
 *         modes: [global, lvl]
 *     programs:
 *       - program: ./stencil
 *         arguments: ["--n", "{n}"]
 *         parameters: {n: [256, 512]}
 *
 * Everything keeps its line, for sentences about it. docs/SWEEP.md describes the file. */
#ifndef SWEEP_STUDY_H
#define SWEEP_STUDY_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

typedef struct StudyText {
    const char *text;
    size_t line;
} StudyText;

typedef VEC(StudyText) StudyTexts;

/* What takes several values: a knob, or a program's parameter. */
typedef struct StudyAxis {
    StudyText name;
    StudyTexts values; /* one at least */
} StudyAxis;

typedef VEC(StudyAxis) StudyAxes;

/* Knobs that change together, under one name. Each has one value. */
typedef struct StudyVariant {
    StudyText name;
    StudyAxes knobs;
} StudyVariant;

/* A workload, or a program. */
typedef struct StudyWork {
    bool is_program;
    StudyText what;
    StudyTexts modes, sizes;      /* of a workload; empty: the study's */
    StudyTexts gpu_counts;        /* empty: the study's */
    StudyTexts arguments, inputs; /* of a program: {NAME} stands for a parameter; files that it reads */
    StudyAxes parameters;         /* of a program */
    StudyAxes knobs;              /* of this one alone, behind those of the study */
} StudyWork;

/* A zeroed one is empty. All texts are in the arena. */
typedef struct SweepStudy {
    Arena arena;
    const char *path, *folder; /* of the file */
    const char *text;          /* the file itself */
    const char *name;          /* that it gives itself, or the file's without its ending */
    StudyTexts gpus, policies;
    StudyTexts modes, sizes;   /* of workloads that do not say their own */
    StudyTexts gpu_counts;     /* GPUs of the system, of what does not say its own; empty: one */
    StudyAxes knobs;
    VEC(StudyVariant) variants;
    VEC(StudyWork) works;
    VEC(StudyAxes) exceptions; /* points that are left out: all names have one of these values */
    bool is_functional;
} SweepStudy;

/* Reads the file. What it names is not looked for yet, for its policies may bring knobs of their own. */
bool study_read(const char *path, SweepStudy *study, Error *error);
void study_free(SweepStudy *study);
/* "FILE:LINE: " in front of the sentence of an error. */
bool study_wrong(const SweepStudy *study, size_t line, Error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
