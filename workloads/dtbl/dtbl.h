/* The benchmarks of the DTBL paper [DTBL table 4]: eight irregular applications on sixteen inputs, each flat,
 * with device-launched kernels and with aggregated groups, compared with results computed here. */
#ifndef WORKLOADS_DTBL_H
#define WORKLOADS_DTBL_H

#include "common/host.h"
#include "graphs/generate.h"

typedef enum LaunchMode { LAUNCH_FLAT, LAUNCH_CDP, LAUNCH_DTBL, LAUNCH_MODES } LaunchMode;

/* {0} is a flat run on the small input, checked. */
typedef struct DtblRun {
    LaunchMode mode;
    InputSize size;
    uint64_t seed;         /* of the input; 0: 1 */
    uint32_t least;        /* a thread launches work of so many elements or more; 0: the benchmark's own */
    const char *graph;     /* a graph file instead of the generated one, where the input is a graph */
} DtblRun;

typedef struct DtblBenchmark {
    const char *name;      /* as in the paper's figures: bfs_citation */
    const char *about;     /* one line: application and input */
    const char *file;      /* PTX, in workloads/dtbl */
    /* Makes the input, runs on host->gpu until the end, and compares. True: the result is right.
     * host->status tells failures of the machine itself. */
    bool (*run)(Host *host, const DtblRun *run);
} DtblBenchmark;

enum { DTBL_BENCHMARKS = 16 };
extern const DtblBenchmark dtbl_benchmarks[DTBL_BENCHMARKS];

/* Null: there is none of that name. */
const DtblBenchmark *dtbl_find(const char *name);
/* "name_flat", "name_cdp" or "name_dtbl" in `buffer`. */
const char *dtbl_kernel(const char *name, LaunchMode mode, char *buffer, size_t size);
/* Loads the benchmark's PTX from `directory` and runs it. False: host->error says why. The caller ends the
 * host. */
bool dtbl_run(const DtblBenchmark *benchmark, const DtblRun *run, WbGpu *gpu, const char *directory,
              Host *host);

/* -- one row each of dtbl_benchmarks, defined by its application's file -- */

bool amr_run(Host *host, const DtblRun *run);
bool bht_run(Host *host, const DtblRun *run);
bool bfs_citation_run(Host *host, const DtblRun *run);
bool bfs_road_run(Host *host, const DtblRun *run);
bool bfs_cage_run(Host *host, const DtblRun *run);
bool clr_citation_run(Host *host, const DtblRun *run);
bool clr_graph500_run(Host *host, const DtblRun *run);
bool clr_cage_run(Host *host, const DtblRun *run);
bool regx_packets_run(Host *host, const DtblRun *run);
bool regx_string_run(Host *host, const DtblRun *run);
bool pre_movielens_run(Host *host, const DtblRun *run);
bool join_uniform_run(Host *host, const DtblRun *run);
bool join_gaussian_run(Host *host, const DtblRun *run);
bool sssp_citation_run(Host *host, const DtblRun *run);
bool sssp_flight_run(Host *host, const DtblRun *run);
bool sssp_cage_run(Host *host, const DtblRun *run);

#endif
