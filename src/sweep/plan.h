/* The runs of a study: each point of its cross product with the command that runs it, the machine that it
 * runs on, and a hash of all that its result can depend on. Everything that a study names is looked for
 * here, before anything runs. */
#ifndef SWEEP_PLAN_H
#define SWEEP_PLAN_H

#include <jansson.h>

#include "sweep/files.h"
#include "sweep/study.h"

/* What is known of a run before it has run. The run holds its JSON. */
typedef struct PlannedRun {
    char hash[DIGEST_TEXT_SIZE], machine[DIGEST_TEXT_SIZE]; /* of all; of the knobs */
    const char *kind, *what, *mode, *size, *gpu; /* mode and size may be null */
    json_t *arguments, *command, *point, *knobs;
} PlannedRun;

/* Texts are in the arena, or in the study, which must last. */
typedef struct Plan {
    Arena arena;
    char binary[DIGEST_TEXT_SIZE];
    const char *name, *file, *text; /* of the study */
    const char *folder;             /* where runs are run */
    VEC(PlannedRun) runs;           /* in the study's order; some may be the same */
    json_t *machines;               /* knobs of each different one, by their digest */
    json_t *axes;                   /* names of what takes more than one value */
} Plan;

/* Looks for knobs, GPUs, workloads, modes and sizes alone, which needs no database. */
bool study_check(const SweepStudy *study, Error *error);

/* Policies of the study must have been loaded. The store only keeps digests of files. `workloads` and
 * `libraries` are the folders of the workloads' kernels and of the stand-ins for CUDA. */
typedef struct PlanPlaces {
    const char *workloads, *libraries;
} PlanPlaces;

bool study_plan(const SweepStudy *study, const PlanPlaces *places, const Store *store, Plan *plan,
                Error *error);
void study_plan_free(Plan *plan);

/* How many of a study's runs are new, and how many were there. */
typedef struct Planned {
    int64_t study;
    size_t runs, there; /* different ones; of them, with an end */
} Planned;

/* Makes the runs that are not there yet, and the study what the plan says. */
bool study_plan_keep(const Plan *plan, const Store *store, Planned *planned, Error *error);

#endif
