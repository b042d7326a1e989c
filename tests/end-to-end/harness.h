/* Running one kernel given as PTX text: the shortest way from text to an array of results. */
#ifndef TESTS_HARNESS_H
#define TESTS_HARNESS_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "warpbeam.h"

#define PTX_HEADER ".version 7.8\n.target sm_80\n.address_size 64\n"

/* A GPU; the test fails if it cannot be opened. knobs: "name=value" strings, ended by null. */
WbGpu *harness_open(const char *gpu, const char *const *knobs);

typedef struct HarnessRun {
    WbGpu *gpu;
    const char *ptx;
    const char *kernel;    /* takes one .u64 parameter: the output */
    WbDim3 grid, block;
    uint32_t shared_bytes;
    uint32_t *out;         /* copied to the device, run, copied back */
    size_t words;
} HarnessRun;

/* The status of the first call that failed, or WB_OK; wb_error() has the sentence. */
WbStatus harness_run(const HarnessRun *run);
/* The same, failing the test with the sentence unless all went well. */
void harness_run_ok(const HarnessRun *run);
/* Fails the test unless the run ends with this status and a sentence that holds every given part (ended
 * by null). */
void harness_run_error(const HarnessRun *run, WbStatus status, ...);

/* The report of all that has run, with details and blocks, as text to be freed: everything in it is the same
 * for any number of threads and any window. */
char *harness_report(const WbGpu *gpu);
/* That report has the text, and is the same as the one before, which *first keeps; the caller frees it. */
void harness_same_report(const WbGpu *gpu, const char *text, char **first);

#endif
