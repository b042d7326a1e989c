/* What a rank has of its own, and what MPI's library needs to know (mpi/rank.h). */
#include "cli/run_ranks.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Slurm numbers the only task of a job, too, which is no rank. */
static const char *rank_text(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return getenv(names[i]);
    return tasks && atoi(tasks) > 1 ? getenv("SLURM_PROCID") : NULL;
}

int ranks_own(void)
{
    const char *text = rank_text();
    char *end;
    const long rank = text ? strtol(text, &end, 10) : -1;
    return text && *text && !*end && rank >= 0 && rank < INT_MAX ? (int)rank : -1;
}

static const char *name_file(int rank, const char *path, RankPaths *made)
{
    if (!path)
        return NULL;
    const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');
    const size_t size = strlen(path) + 32, before = dot ? (size_t)(dot - path) : strlen(path);
    char *own = xmalloc(size);
    snprintf(own, size, "%.*s.rank%d%s", (int)before, path, rank, path + before);
    VEC_PUSH(made, own);
    return own;
}

void ranks_name_files(int rank, Running *running, RankPaths *made)
{
    running->stats = name_file(rank, running->stats, made);
    running->timeline = name_file(rank, running->timeline, made);
    running->page = name_file(rank, running->page, made);
    running->profile = name_file(rank, running->profile, made);
}

static uint64_t knob(WbGpu *gpu, const char *name)
{
    uint64_t value = 0;
    wb_gpu_get(gpu, name, &value);
    return value;
}

void ranks_pass_network(WbGpu *gpu)
{
    char text[4096] = "";
    size_t length = 0;
#define KNOB_INTEGER(field, initial, minimum, maximum, unit, description)                                    \
    length += (size_t)snprintf(text + length, sizeof text - length, "%s=%llu\n", #field,                     \
                               (unsigned long long)knob(gpu, #field));
#define KNOB_BOOLEAN(field, initial, description)                                                            \
    length += (size_t)snprintf(text + length, sizeof text - length, "%s=%s\n", #field,                       \
                               knob(gpu, #field) ? "true" : "false");
#include "conduct/network.def"
#undef KNOB_INTEGER
#undef KNOB_BOOLEAN
    setenv("WARPBEAM_NETWORK", text, 1);
}

/* Ranks of one machine share its processors; the result does not depend on it. */
static void share_processors(void)
{
    const char *ranks = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    const long count = ranks ? atol(ranks) : 1,
               share = sysconf(_SC_NPROCESSORS_ONLN) / (count > 0 ? count : 1);
    char text[32];
    snprintf(text, sizeof text, "%ld", share > 1 ? share < 64 ? share : 64 : 1);
    if (count > 1)
        setenv("WARPBEAM_THREADS", text, 0);
}

bool ranks_preload(int rank, const char *libraries)
{
    char path[PATH_MAX], both[PATH_MAX * 2], number[16];
    const char *old = getenv("LD_PRELOAD");
    snprintf(path, sizeof path, "%s/libwarpbeam_mpi.so", libraries);
    if (access(path, R_OK)) {
        fail("%s is not there, which programs under mpirun need: install Open MPI's headers (libopenmpi-dev) "
             "and "
             "build again.",
             path);
        return false;
    }
    snprintf(both, sizeof both, old && *old ? "%s:%s" : "%s", path, old);
    setenv("LD_PRELOAD", both, 1);
    snprintf(number, sizeof number, "%d", rank);
    setenv("WARPBEAM_RANK", number, 1);
    share_processors();
    return true;
}
