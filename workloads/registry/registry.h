/* All workloads that check their own results, under one name each: "wireframe/sor". The tables of their
 * suites declare them; here they get one way to be listed and run. */
#ifndef WORKLOADS_REGISTRY_H
#define WORKLOADS_REGISTRY_H

#include "common/host.h"
#include "graphs/generate.h"

/* A way in which workloads of a suite can run. */
typedef struct WorkloadMode {
    const char *name, *description;
} WorkloadMode;

enum { WORKLOAD_MODES = 16 };

/* Invariant: there is a mode, and the small size. */
typedef struct Workload {
    char name[48]; /* suite/workload */
    const char *description;
    WorkloadMode modes[WORKLOAD_MODES]; /* those of its suite that it has, in that order */
    size_t mode_count;
    bool sizes[INPUT_SIZES];     /* which it has */
    const char *const *settings; /* "knob", "value" pairs that it needs whatever the GPU, ended by null */
    uint32_t most_gpus;          /* that it can run on at once */
    bool has_choice;             /* it takes an InputChoice */
    size_t suite, index;         /* where the registry finds it */
} Workload;

/* What can be chosen of an input beside its size. */
typedef struct InputChoice {
    uint64_t seed;  /* of its chance; 0: the workload's own */
    uint32_t least; /* elements from which threads launch them; 0: the workload's own */
} InputChoice;

extern const char *const input_size_names[INPUT_SIZES];

/* In the order of the suites; false: `index` is behind the last one. */
bool workload_at(size_t index, Workload *workload);
/* How well a text names a workload: as it begins ("wireframe/so", "so"), without its suite ("sor"), fully. */
typedef enum WorkloadNaming {
    NAMED_NOT,
    NAMED_BY_BEGINNING,
    NAMED_WITHOUT_SUITE,
    NAMED_IN_FULL
} WorkloadNaming;

WorkloadNaming workload_naming(const Workload *workload, const char *text);
/* By its full name, or without the suite where only one workload has that name; false: there is none. */
bool workload_find(const char *name, Workload *workload);
/* The modes of all suites, each name once; false: `index` is behind the last one. */
bool workload_mode_at(size_t index, WorkloadMode *mode);
/* Why it does not have a mode that others of its suite have, as the end of a sentence; null: nothing is known
 * of that. */
const char *workload_refusal(const Workload *workload, const char *mode);
/* Runs it on a GPU with files from the folder `workloads`, and compares. False: host->error says why. The
 * caller ends the host. */
bool workload_run(const Workload *workload, size_t mode, InputSize size, WbGpu *gpu, const char *workloads,
                  Host *host);
/* The same on GPUs that were opened together, at most as many as the workload can run on. */
bool workload_run_on(const Workload *workload, size_t mode, InputSize size, WbGpu *const *gpus,
                     uint32_t count, const char *workloads, Host *host);
/* The same with a choice, of workloads that have one. */
bool workload_run_with(const Workload *workload, size_t mode, InputSize size, InputChoice choice,
                       WbGpu *const *gpus, uint32_t count, const char *workloads, Host *host);

#endif
