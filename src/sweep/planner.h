/* What makes a plan: the study, what it names once that is found, and the counter that goes through its cross
 * product. Only for the files plan*.c. */
#ifndef SWEEP_PLANNER_H
#define SWEEP_PLANNER_H

#include <limits.h>

#include "config/config.h"
#include "registry/registry.h"
#include "sweep/plan.h"

/* What a digit of the counter stands for. */
typedef enum WheelKind {
    WHEEL_MODE,
    WHEEL_SIZE,
    WHEEL_PARAMETER,
    WHEEL_GPU,
    WHEEL_GPU_COUNT,
    WHEEL_VARIANT,
    WHEEL_KNOB
} WheelKind;

/* Invariant: `values` is not empty, and `at` is one of them. */
typedef struct Wheel {
    WheelKind kind;
    const char *name; /* of the axis */
    StudyTexts values;
    uint32_t at;
} Wheel;

typedef struct Machine {
    char path[PATH_MAX]; /* for --gpu: the name, or the whole path of a file */
    GpuConfig config;
} Machine;

typedef struct Planner {
    const SweepStudy *study;
    const PlanPlaces *places;
    const Store *store;
    Plan *plan;
    Error *error;
    StudyTexts gpus;       /* the study's, or the usual one */
    VEC(Machine) machines; /* of each */
    char kernels[DIGEST_TEXT_SIZE], libraries[DIGEST_TEXT_SIZE], policies[DIGEST_TEXT_SIZE];
    /* The work at hand. */
    const StudyWork *work;
    Workload workload;
    char program[PATH_MAX], program_digest[DIGEST_TEXT_SIZE], inputs[DIGEST_TEXT_SIZE];
    VEC(Wheel) wheels;
} Planner;

#define PLAN_WRONG(planner, line, ...) study_wrong((planner)->study, line, (planner)->error, __VA_ARGS__)

/* A path from the study's folder on, whole. */
const char *planner_path(const Planner *planner, const char *path, char whole[PATH_MAX]);
/* Finds all that is not of one work alone: knobs, GPUs, names that workloads share, points to leave out. */
bool planner_check_study(Planner *planner);
/* Finds the work, and sets the wheels. */
bool planner_begin_work(Planner *planner, const StudyWork *work);
/* Adds the run that the wheels stand at. */
bool planner_add_run(Planner *planner);

#endif
