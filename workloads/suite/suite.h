/* Kernels as CUDA programs have them, four or more of each of seventeen classes, to compare simulated
 * counters with those of a real GPU. Each is checked against a result computed here.
 *
 * One half of every class was drawn by lot before anything was measured: the unseen kernels. Who makes or
 * changes a rule of the model looks at the others only; README.md says how. */
#ifndef WORKLOADS_SUITE_H
#define WORKLOADS_SUITE_H

#include "common/host.h"

typedef enum SuiteClass {
#define SUITE_CLASS(name) SUITE_##name,
#include "suite/suite.def"
    SUITE_CLASSES
} SuiteClass;

typedef struct SuiteKernel {
    const char *name;  /* as in h200-seen.csv or h200-unseen.csv, and unique in the suite */
    const char *about; /* one line */
    SuiteClass class;
    /* Launches it, with inputs that are the same every time. host->measured_size chooses the size whose
     * counters are in these files. False: the result is wrong, or host->error says what went wrong. */
    bool (*run)(Host *host);
} SuiteKernel;

enum {
    SUITE_COUNT = 0
#define SUITE_KERNEL(class, name, about) +1
#include "suite/suite.def"
};
/* Kernels of a class stand together. */
extern const SuiteKernel suite_kernels[SUITE_COUNT];

const char *suite_class_name(SuiteClass class);
/* Whether the kernel of this index was drawn into the unseen half of its class. */
bool suite_is_unseen(size_t index);
/* Loads the class's PTX from `directory` and runs the kernel there. Its time is host->total_cycles: some
 * kernels are sequences of launches. False: host->error says why. The caller ends the host. */
bool suite_run(size_t index, WbGpu *gpu, const char *directory, bool measured_size, bool cold, Host *host);

#endif
