#include "dtbl/dtbl.h"

#include <stdio.h>
#include <string.h>

const DtblBenchmark dtbl_benchmarks[DTBL_WORKLOADS] = {
    {"amr", "Adaptive mesh refinement of a combustion", "amr.ptx", amr_run},
    {"bht", "Barnes-Hut tree of random points", "bht.ptx", bht_run},
    {"bfs_citation", "Breadth-first search in a citation network", "bfs.ptx", bfs_citation_run},
    {"bfs_usa_road", "Breadth-first search in a road network", "bfs.ptx", bfs_road_run},
    {"bfs_cage15", "Breadth-first search in a banded matrix", "bfs.ptx", bfs_cage_run},
    {"clr_citation", "Colouring of a citation network", "clr.ptx", clr_citation_run},
    {"clr_graph500", "Colouring of a Kronecker graph of even degrees", "clr.ptx", clr_graph500_run},
    {"clr_cage15", "Colouring of a banded matrix", "clr.ptx", clr_cage_run},
    {"regx_darpa", "Regular expressions over network packets", "regx.ptx", regx_packets_run},
    {"regx_string", "Regular expressions over random strings", "regx.ptx", regx_string_run},
    {"pre_movielens", "Product recommendation from film ratings", "pre.ptx", pre_movielens_run},
    {"join_uniform", "Relational join of evenly distributed keys", "join.ptx", join_uniform_run},
    {"join_gaussian", "Relational join of normally distributed keys", "join.ptx", join_gaussian_run},
    {"sssp_citation", "Shortest paths in a citation network", "sssp.ptx", sssp_citation_run},
    {"sssp_flight", "Shortest paths in a flight network", "sssp.ptx", sssp_flight_run},
    {"sssp_cage15", "Shortest paths in a banded matrix", "sssp.ptx", sssp_cage_run},
    {"clr_graph500_rmat", "Colouring of a skewed Kronecker graph (R-MAT)", "clr.ptx", clr_rmat_run},
};

static const char *const modes[LAUNCH_MODES] = {"flat", "cdp", "dtbl"};

const DtblBenchmark *dtbl_find(const char *name)
{
    for (size_t i = 0; i < DTBL_WORKLOADS; i++)
        if (strcmp(dtbl_benchmarks[i].name, name) == 0)
            return &dtbl_benchmarks[i];
    return NULL;
}

const char *dtbl_kernel(const char *name, LaunchMode mode, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s_%s", name, modes[mode]);
    return buffer;
}

bool dtbl_run(const DtblBenchmark *benchmark, const DtblRun *run, WbGpu *gpu, const char *directory,
              Host *host)
{
    *host = host_begin(gpu, directory, benchmark->file);
    const bool right = host->status == WB_OK && benchmark->run(host, run) && host->status == WB_OK;
    if (!right && host->status == WB_OK)
        snprintf(host->error, sizeof host->error,
                 "The result of %s (%s) is not the one computed without the GPU.", benchmark->name,
                 modes[run->mode]);
    return right;
}

bool dtbl_describe(const DtblBenchmark *benchmark, const DtblRun *run, DtblShape *shape, Host *host)
{
    DtblRun how = *run;
    *host = (Host){0};
    *shape = (DtblShape){0};
    how.shape = shape;
    return benchmark->run(host, &how);
}
