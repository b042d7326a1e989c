/* Six small programs, each run on a GPU and compared with a result computed here: the measure of speed. */
#ifndef WORKLOADS_SIX_H
#define WORKLOADS_SIX_H

#include "common/host.h"

typedef struct SixProgram {
    const char *name, *about; /* and one line */
    int size;   /* as measured on the peer simulator */
    int second; /* second argument where there is one */
    /* True: the result is right. host->status tells failures of the machine itself. */
    bool (*run)(Host *host, int size, int second);
} SixProgram;

enum { SIX_COUNT = 6 };
extern const SixProgram six_programs[SIX_COUNT];

/* Loads the program's PTX from `directory` and runs it. False: host->error says why. The caller ends
 * the host. */
bool six_run(const SixProgram *program, WbGpu *gpu, const char *directory, int size, Host *host);

#endif
