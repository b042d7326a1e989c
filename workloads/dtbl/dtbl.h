/* The benchmarks of the DTBL paper [DTBL table 4]: eight irregular applications on sixteen inputs, each flat,
 * with device-launched kernels and with aggregated groups, compared with results computed here. */
#ifndef WORKLOADS_DTBL_H
#define WORKLOADS_DTBL_H

#include "common/host.h"
#include "graphs/generate.h"

typedef enum LaunchMode { LAUNCH_FLAT, LAUNCH_CDP, LAUNCH_DTBL, LAUNCH_MODES } LaunchMode;

/* An input: how many threads find work in it, and what each of them does alone in the flat program, a list of
 * elements: neighbours, matches, characters, cells, ratings. */
typedef struct DtblShape {
    uint64_t threads;      /* of the largest launch */
    uint64_t lists, elements, longest; /* no lists: the work is no list */
    bool is_real;          /* read from a file */
} DtblShape;

/* {0} is a flat run on the small input, checked. */
typedef struct DtblRun {
    LaunchMode mode;
    InputSize size;
    uint64_t seed;         /* of the input; 0: 1 */
    uint32_t least;        /* a thread launches work of so many elements or more; 0: the benchmark's own */
    const char *graph;     /* a graph file instead of the generated one, where the input is a graph */
    const char *data;      /* folder of real data sets (scripts/fetch-inputs.sh), taken where the input has
                              their size; null: none are */
    DtblShape *shape;      /* gets the input's, and nothing is run; null: it is run */
} DtblRun;

typedef struct DtblBenchmark {
    const char *name;      /* as in the paper's figures: bfs_citation */
    const char *about;     /* one line: application and input */
    const char *file;      /* PTX, in workloads/dtbl */
    /* Makes the input, runs on host->gpu until the end, and compares. True: the result is right.
     * host->status tells failures of the machine itself. */
    bool (*run)(Host *host, const DtblRun *run);
} DtblBenchmark;

/* The paper's come first; behind them are inputs that it could have meant and did not. */
enum { DTBL_BENCHMARKS = 16, DTBL_WORKLOADS };
extern const DtblBenchmark dtbl_benchmarks[DTBL_WORKLOADS];

/* Null: there is none of that name. */
const DtblBenchmark *dtbl_find(const char *name);
/* "name_flat", "name_cdp" or "name_dtbl" in `buffer`. */
const char *dtbl_kernel(const char *name, LaunchMode mode, char *buffer, size_t size);
/* Loads the benchmark's PTX from `directory` and runs it. False: host->error says why. The caller ends the
 * host. */
bool dtbl_run(const DtblBenchmark *benchmark, const DtblRun *run, WbGpu *gpu, const char *directory,
              Host *host);

/* The shape of the input that a run would have. False: host->error says why. */
bool dtbl_describe(const DtblBenchmark *benchmark, const DtblRun *run, DtblShape *shape, Host *host);

/* -- one row each of dtbl_benchmarks, defined by its application's file -- */

bool amr_run(Host *host, const DtblRun *run);
bool bht_run(Host *host, const DtblRun *run);
bool bfs_citation_run(Host *host, const DtblRun *run);
bool bfs_road_run(Host *host, const DtblRun *run);
bool bfs_cage_run(Host *host, const DtblRun *run);
bool clr_citation_run(Host *host, const DtblRun *run);
bool clr_graph500_run(Host *host, const DtblRun *run);
bool clr_rmat_run(Host *host, const DtblRun *run);
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
