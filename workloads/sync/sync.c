#include "sync/sync.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODE(name) (1u << SYNC_##name)
#define WAVES (MODE(REKL) | MODE(FLAGS) | MODE(PEERWAVE) | MODE(WS) | MODE(WS_ORDER))
#define PATH_MODES (MODE(REKL) | MODE(DP_LEVELS) | MODE(FLAGS_WS) | MODE(WS))
#define BFS_MODES (PATH_MODES | MODE(DP) | MODE(MUTEX) | MODE(FLAGS) | MODE(GSYNC) | MODE(PT_QUEUE))

const SyncBenchmark sync_benchmarks[SYNC_BENCHMARKS] = {
    {"stencil2d", "Five-point stencil until it converges", "stencil2d.ptx",
     MODE(REKL) | MODE(DP) | MODE(MUTEX) | MODE(FLAGS) | MODE(PT_NEIGHBOUR) | MODE(PT_INTERLEAVED) |
         MODE(GSYNC),
     stencil2d_run},
    {"cnn", "A layer of a convolutional network, 6 kernels or one", "cnn.ptx",
     MODE(REKL) | MODE(FLAGS) | MODE(GSYNC), cnn_run},
    {"rnn", "A recurrent network over several steps", "rnn.ptx", MODE(REKL) | MODE(FLAGS) | MODE(GSYNC),
     rnn_run},
    {"sat", "Summed area table of an image", "sat.ptx", WAVES, sat_run},
    {"sor", "Ten sweeps of successive over-relaxation", "sor.ptx", WAVES, sor_sweeps_run},
    {"lud", "LU decomposition in tiles", "lud.ptx", WAVES, lud_run},
    {"bfs_1m", "Breadth-first search in a random graph", "bfs.ptx", BFS_MODES, bfs_1m_run},
    {"bfs_ny", "Breadth-first search in roads of New York", "bfs.ptx", BFS_MODES, bfs_ny_run},
    {"bfs_sf", "Breadth-first search in roads of San Francisco", "bfs.ptx", BFS_MODES, bfs_sf_run},
    {"bfs_ut", "Breadth-first search in roads of Utah", "bfs.ptx", BFS_MODES, bfs_ut_run},
    {"sssp_1m", "Widest paths in a random graph", "sssp.ptx", PATH_MODES, sssp_1m_run},
    {"sssp_ny", "Widest paths in roads of New York", "sssp.ptx", PATH_MODES, sssp_ny_run},
    {"sssp_sf", "Widest paths in roads of San Francisco", "sssp.ptx", PATH_MODES, sssp_sf_run},
    {"sssp_ut", "Widest paths in roads of Utah", "sssp.ptx", PATH_MODES, sssp_ut_run},
    {"shortest_1m", "Shortest paths in a random graph", "sssp.ptx", PATH_MODES, shortest_1m_run},
    {"shortest_ny", "Shortest paths in roads of New York", "sssp.ptx", PATH_MODES, shortest_ny_run},
    {"shortest_sf", "Shortest paths in roads of San Francisco", "sssp.ptx", PATH_MODES, shortest_sf_run},
    {"shortest_ut", "Shortest paths in roads of Utah", "sssp.ptx", PATH_MODES, shortest_ut_run},
    {"apsp_1m", "Shortest paths of all pairs in a random graph", "apsp.ptx", PATH_MODES, apsp_1m_run},
    {"apsp_ny", "Shortest paths of all pairs in roads of New York", "apsp.ptx", PATH_MODES, apsp_ny_run},
    {"apsp_sf", "Shortest paths of all pairs in roads of San Francisco", "apsp.ptx", PATH_MODES, apsp_sf_run},
    {"apsp_ut", "Shortest paths of all pairs in roads of Utah", "apsp.ptx", PATH_MODES, apsp_ut_run},
};

const char *const sync_mode_names[SYNC_MODES] = {
    [SYNC_REKL] = "rekl",
    [SYNC_DP] = "dp",
    [SYNC_MUTEX] = "mutex",
    [SYNC_FLAGS] = "flags",
    [SYNC_PT_NEIGHBOUR] = "pt-neighbour",
    [SYNC_PT_INTERLEAVED] = "pt-interleaved",
    [SYNC_PT_QUEUE] = "pt-queue",
    [SYNC_PEERWAVE] = "peerwave",
    [SYNC_GSYNC] = "gsync",
    [SYNC_WS] = "ws",
    [SYNC_WS_ORDER] = "ws-order",
    [SYNC_DP_LEVELS] = "dp-levels",
    [SYNC_FLAGS_WS] = "flags-ws",
};

const SyncBenchmark *sync_find(const char *name)
{
    for (size_t i = 0; i < SYNC_BENCHMARKS; i++)
        if (strcmp(sync_benchmarks[i].name, name) == 0)
            return &sync_benchmarks[i];
    return NULL;
}

bool sync_run(const SyncBenchmark *benchmark, const SyncRun *run, WbGpu *gpu, const char *directory,
              Host *host)
{
    *host = host_begin(gpu, directory, benchmark->file);
    const bool right = host->status == WB_OK && benchmark->run(host, run) && host->status == WB_OK;
    if (!right && host->status == WB_OK)
        snprintf(host->error, sizeof host->error,
                 "The result of %s (%s) is not the one computed without the GPU.", benchmark->name,
                 sync_mode_names[run->mode]);
    return right;
}

const char *sync_kernel(const char *base, SyncMode mode, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s_%s", base, sync_mode_names[mode]);
    for (char *at = buffer; *at; at++)
        if (*at == '-')
            *at = '_';
    return buffer;
}

static void keep(Host *host, WbStatus status)
{
    if (status == WB_OK || host->status != WB_OK)
        return;
    host->status = status;
    snprintf(host->error, sizeof host->error, "%s", wb_error(host->gpu));
}

uint32_t sync_resident(Host *host, const char *name, uint32_t threads, uint32_t shared_bytes)
{
    WbKernel *kernel = NULL;
    uint32_t blocks = 0;
    uint64_t sms = 0;
    if (host->status == WB_OK)
        keep(host, wb_module_kernel(host->module, name, &kernel));
    if (host->status == WB_OK)
        keep(host, wb_kernel_occupancy(kernel, threads, shared_bytes, &blocks));
    if (host->status == WB_OK)
        keep(host, wb_gpu_get(host->gpu, "sm_count", &sms));
    return host->status == WB_OK ? blocks * (uint32_t)sms : 0;
}

uint64_t sync_barrier(Host *host, uint32_t blocks)
{
    const size_t bytes = ((size_t)blocks * 2 + 1) * sizeof(uint32_t);
    void *zeros = host_array(host, bytes, 1);
    const uint64_t address = zeros ? host_buffer(host, zeros, bytes) : 0;
    free(zeros);
    return address;
}

void sync_begin_time(Host *host) { host->timed = wb_time(host->gpu); }

void sync_end_time(Host *host)
{
    host_finish(host);
    host->total_time = wb_time(host->gpu) - host->timed;
}
