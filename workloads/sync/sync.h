/* The benchmarks of the synchronization thesis [sync-thesis §4.5, §6.4]: computations whose thread blocks
 * wait for each other, each in several modes that are variants of one source, compared with results computed
 * here.
 *
 * Time is that of the host's timeline from the first launch until the host knows the result: launches,
 * synchronization and copies of flags included [§4.5.1]. Inputs go to the device before, and results come back
 * behind. */
#ifndef WORKLOADS_SYNC_H
#define WORKLOADS_SYNC_H

#include "common/host.h"
#include "graphs/generate.h"

/* How blocks synchronize. */
typedef enum SyncMode {
    SYNC_REKL,           /* repeated kernel launch: the host launches anew where blocks have to meet */
    SYNC_DP,             /* dynamic parallelism: a kernel does so on the device */
    SYNC_MUTEX,          /* one launch; a barrier that counts blocks by an atomic, which they poll */
    SYNC_FLAGS,          /* one launch; a barrier of flags in memory without locks, a pair for each block */
    SYNC_PT_NEIGHBOUR,   /* persistent threads: as many blocks as fit, a thread has items side by side */
    SYNC_PT_INTERLEAVED, /* the same, a thread has every so-manyth item */
    SYNC_PT_QUEUE,       /* the same, blocks take jobs from a queue */
    SYNC_PEERWAVE,       /* the same, rows of tiles, blocks wait for the row above by flags */
    SYNC_GSYNC,          /* one launch; wb_global_sync() */
    SYNC_WS,             /* one launch; wb_wait() and wb_signal() */
    SYNC_WS_ORDER,       /* the same, and blocks are dispatched in the order of their dependencies */
    SYNC_DP_LEVELS,      /* as SYNC_DP by one thread, where SYNC_DP launches a kernel for each item */
    SYNC_FLAGS_WS,       /* one launch; as SYNC_WS, but flags in memory are polled */
    SYNC_MODES
} SyncMode;

/* {0} is a run on the small input with repeated launches. */
typedef struct SyncRun {
    SyncMode mode;
    InputSize size;
    uint32_t side;     /* of the data, in what the benchmark counts; 0: as `size` has it */
    uint32_t each;     /* items of a thread, where that can be chosen; 0: as `size` has it */
    uint32_t seed;     /* of the input; 0: 1 */
    const char *graph; /* a graph file instead of the generated one, where the input is a graph */
    /* Of the wavefronts SAT, SOR and LUD. */
    uint32_t interval; /* SYNC_PEERWAVE: steps between two looks at flags; 0: 1 */
    uint32_t group;    /* LUD with events: tiles that share one; 0: 1 */
    bool apart;        /* SOR with SYNC_REKL: a sweep begins when the one before has ended */
} SyncRun;

typedef struct SyncBenchmark {
    const char *name;  /* in small letters: stencil2d */
    const char *about; /* one line */
    const char *file;  /* PTX, in workloads/sync */
    unsigned modes;    /* those that it has: bits 1 << SyncMode; SYNC_REKL is one of them */
    /* Makes the input, runs on host->gpu until the end, and compares. True: the result is right.
     * host->status tells failures of the machine itself. */
    bool (*run)(Host *host, const SyncRun *run);
} SyncBenchmark;

enum { SYNC_BENCHMARKS = 22 };
extern const SyncBenchmark sync_benchmarks[SYNC_BENCHMARKS];
extern const char *const sync_mode_names[SYNC_MODES];

/* Null: there is none of that name. */
const SyncBenchmark *sync_find(const char *name);
static inline bool sync_has(const SyncBenchmark *benchmark, SyncMode mode)
{
    return benchmark->modes >> mode & 1;
}
/* Loads the benchmark's PTX from `directory` and runs it. False: host->error says why. The caller ends the
 * host. */
bool sync_run(const SyncBenchmark *benchmark, const SyncRun *run, WbGpu *gpu, const char *directory,
              Host *host);

/* -- for the benchmarks -- */

static inline uint32_t sync_seed(const SyncRun *run) { return run->seed ? run->seed : 1; }

/* The kernel `base` in the run's mode: "base_gsync", "base_pt_queue". */
const char *sync_kernel(const char *base, SyncMode mode, char *buffer, size_t size);
/* Blocks of a kernel that are resident at once, for persistent threads. 0: the host keeps the sentence. */
uint32_t sync_resident(Host *host, const char *kernel, uint32_t threads, uint32_t shared_bytes);
/* Zeroed memory for so many blocks' Barrier (barriers.cuh); host_free() frees it. */
uint64_t sync_barrier(Host *host, uint32_t blocks);

/* The time of the run begins and ends: between these two lies what host->total_time tells. */
void sync_begin_time(Host *host);
void sync_end_time(Host *host);

/* -- one row each of sync_benchmarks, defined by its file -- */

bool stencil2d_run(Host *host, const SyncRun *run);
bool cnn_run(Host *host, const SyncRun *run);
bool rnn_run(Host *host, const SyncRun *run);
bool sat_run(Host *host, const SyncRun *run);
bool sor_sweeps_run(Host *host, const SyncRun *run);
bool lud_run(Host *host, const SyncRun *run);
bool bfs_1m_run(Host *host, const SyncRun *run);
bool bfs_ny_run(Host *host, const SyncRun *run);
bool bfs_sf_run(Host *host, const SyncRun *run);
bool bfs_ut_run(Host *host, const SyncRun *run);
bool sssp_1m_run(Host *host, const SyncRun *run);
bool sssp_ny_run(Host *host, const SyncRun *run);
bool sssp_sf_run(Host *host, const SyncRun *run);
bool sssp_ut_run(Host *host, const SyncRun *run);
bool shortest_1m_run(Host *host, const SyncRun *run);
bool shortest_ny_run(Host *host, const SyncRun *run);
bool shortest_sf_run(Host *host, const SyncRun *run);
bool shortest_ut_run(Host *host, const SyncRun *run);
bool apsp_1m_run(Host *host, const SyncRun *run);
bool apsp_ny_run(Host *host, const SyncRun *run);
bool apsp_sf_run(Host *host, const SyncRun *run);
bool apsp_ut_run(Host *host, const SyncRun *run);

/* Events that LUD needs with so many tiles on a side, if so many tiles share one. */
uint32_t lud_events(uint32_t tiles, uint32_t group);

#endif
