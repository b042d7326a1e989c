/* Programs for several GPUs of one host or of several nodes [sync-thesis §8.1, §8.2]: data is parted among
 * GPUs, which meet behind every step and read what others have where it lies. Between nodes (knob node_gpus)
 * nothing can be read: there only MULTI_NETWORK runs, which sends. Each program comes in several modes, which
 * differ in how GPUs meet, and compares its result with one computed here.
 *
 * Time is that of the host's timeline from the first launch until the host knows that all has ended. Inputs
 * go to the devices before, and results come back behind.
 *
 * Inputs are made here, and chosen before anything was measured:
 *
 *   stencil2d  random cells; 8 iterations, enough that a halo's way is not lost in launching. The small
 *              plane, 1,024 x 1,024, keeps 132 SMs busy on one GPU and leaves 128 rows to each of eight.
 *   stencil3d  random cells; 6 iterations. The small cube has 128 cells a side: halos of 64 KiB.
 *   bfs        a random graph, 4 neighbours a vertex on average: of all parted graphs one whose edges mostly
 *              lead to other GPUs. The search begins at vertex 0.
 *   lstm       8 layers, one for each of eight GPUs, of 256 units in the small network, 16 steps: weights and
 *              input random, so that gates are neither open nor shut.
 *   ring, tree, oneshot, twoshot
 *              all-reduce of 1 MiB in the small size, the size at which one and two shots are equally good in
 *              what others measured (bench/links/published.csv); numbers are 0 to 15.
 *   pingpong, meet, chase, peer, peer_all
 *              links by themselves.
 *
 * Strong scaling parts one input among more GPUs; the programs whose names end in _weak give every GPU as
 * much as one GPU has of a quarter of the input. */
#ifndef WORKLOADS_MULTI_H
#define WORKLOADS_MULTI_H

#include "common/host.h"
#include "graphs/generate.h"

enum { MULTI_GPUS = 8, MULTI_LINE = 32 }; /* as in group.cuh */

/* How GPUs meet, or for links who moves the words. */
typedef enum MultiMode {
    MULTI_HOST,     /* a kernel for each step on each GPU; the host waits for all */
    MULTI_FLAGS,    /* one kernel on each GPU, which polls the other GPUs' flags */
    MULTI_PREFETCH, /* the same, and a neighbour's data is read as soon as its flag is there */
    MULTI_PUSH,     /* one kernel on each GPU; flags are written to those who wait */
    MULTI_HARDWARE, /* one kernel on each GPU; the GPUs' units tell each other over the links */
    MULTI_NETWORK,  /* as MULTI_PUSH; to GPUs of other nodes data and flags are messages (wb_put) */
    MULTI_COPY,     /* words: by copies that the host asks for */
    MULTI_READ,     /* by a kernel of the GPU that gets them */
    MULTI_WRITE,    /* by a kernel of the GPU that has them */
    MULTI_MODES
} MultiMode;

/* Where flags of MULTI_FLAGS and MULTI_PREFETCH lie. */
typedef enum MultiFlags {
    MULTI_FLAGS_USUAL, /* over PCIe in the host's memory, else in the memory of the GPU that sets them */
    MULTI_FLAGS_DEVICE,
    MULTI_FLAGS_HOST
} MultiFlags;

/* {0} is a run on the small input, by the host. */
typedef struct MultiRun {
    MultiMode mode;
    InputSize size;
    MultiFlags flags;
    uint32_t side;   /* of the data, in what the program counts; 0: as `size` has it */
    uint32_t steps;  /* iterations, time steps, rounds or hops; 0: as `size` has it */
    uint32_t blocks; /* of each GPU's launches of an all-reduce or copy; 0: as published programs have it */
    uint32_t seed;   /* of the input; 0: 1 */
} MultiRun;

typedef struct Multi Multi;

typedef struct MultiProgram {
    const char *name, *about;
    const char *file; /* PTX, in workloads/multi */
    unsigned modes;   /* those that it has: bits 1 << MultiMode */
    bool is_weak;     /* every GPU has as much, however many there are */
    /* Makes the input, runs until the end, and compares. True: the result is right. */
    bool (*run)(Multi *multi);
} MultiProgram;

enum { MULTI_PROGRAMS = 17 };
extern const MultiProgram multi_programs[MULTI_PROGRAMS];
extern const char *const multi_mode_names[MULTI_MODES];

/* Null: there is none of that name. */
const MultiProgram *multi_find(const char *name);
static inline bool multi_has(const MultiProgram *program, MultiMode mode)
{
    return program->modes >> mode & 1;
}
/* Runs a program of `directory` on GPUs that were opened together, or on one. Every GPU may reach the memory
 * of all others from now on. False: host->error says why. The host is that of the first GPU; the caller ends
 * it. */
bool multi_run(const MultiProgram *program, const MultiRun *run, WbGpu *const *gpus, uint32_t count,
               const char *directory, Host *host);

/* From when the last kernels of all GPUs ran side by side until the last of them had ended, in nanoseconds:
 * what is left of a run with one kernel on each GPU where somebody launches them all at once. GPUs have one
 * clock. */
double multi_together(WbGpu *const *gpus, uint32_t count);

/* -- for the programs -- */

/* The first `count` parts are open, each a GPU with the program's module. */
struct Multi {
    const MultiProgram *program;
    const MultiRun *run;
    uint32_t count;
    uint32_t node_gpus; /* of a node; as many as there are: all are one */
    Host parts[MULTI_GPUS];
    bool flags_in_host;
    void *pinned[MULTI_GPUS]; /* host memory of flags; null: none */
    uint64_t *buffers;        /* what multi_buffer() gave: pairs of GPU and address */
    size_t buffer_count;
};

static inline uint32_t multi_seed(const Multi *multi) { return multi->run->seed ? multi->run->seed : 1; }
/* Whether two GPUs are on one node, and may use each other's memory. */
static inline bool multi_is_near(const Multi *multi, uint32_t gpu, uint32_t other)
{
    return gpu / multi->node_gpus == other / multi->node_gpus;
}
/* No part has failed. */
bool multi_is_fine(const Multi *multi);
/* What the data of a run is counted in, of these for each size: for all GPUs together. */
uint32_t multi_side(const Multi *multi, const uint32_t sides[INPUT_SIZES]);
/* Device memory, which goes with the run. Zeroed, unless filled from `data`. */
uint64_t multi_buffer(Multi *multi, uint32_t gpu, const void *data, size_t bytes);
/* A word for flags that a GPU sets and others poll, in its memory or in the host's; zeroed. */
uint64_t multi_flags(Multi *multi, uint32_t gpu, size_t bytes);
/* Words for the GPUs' launches to meet with (group.cuh), a Group in each one's memory. */
void multi_groups(Multi *multi, uint64_t groups[MULTI_GPUS]);
/* Launches without waiting. */
void multi_launch(Multi *multi, uint32_t gpu, const char *kernel, WbDim3 grid, WbDim3 block,
                  const WbArgument *arguments, uint32_t count);
/* Waits for all GPUs, one after the other. */
void multi_wait(Multi *multi);
/* The kernel of that name in the run's mode: "stencil2d_flags". */
const char *multi_kernel(const Multi *multi, const char *base, char *buffer, size_t size);
/* Blocks that a GPU holds at once, so that those of one launch can wait for each other; 0: it has failed. */
uint32_t multi_resident(Multi *multi, const char *kernel, uint32_t threads);
/* The time of the run begins and ends. */
void multi_begin_time(Multi *multi);
void multi_end_time(Multi *multi);

#define MULTI_LAUNCH(multi, gpu, kernel, grid, block, ...)                                                   \
    do {                                                                                                     \
        const WbArgument launch_arguments[] = {__VA_ARGS__};                                                 \
        multi_launch((multi), (gpu), (kernel), (grid), (block), launch_arguments,                            \
                     sizeof launch_arguments / sizeof *launch_arguments);                                    \
    } while (0)

/* -- one row each of multi_programs, defined by its file -- */

bool multi_stencil2d_run(Multi *multi);
bool multi_stencil3d_run(Multi *multi);
bool multi_bfs_run(Multi *multi);
bool multi_lstm_run(Multi *multi);
bool multi_ring_run(Multi *multi);
bool multi_tree_run(Multi *multi);
bool multi_oneshot_run(Multi *multi);
bool multi_twoshot_run(Multi *multi);
bool multi_pingpong_run(Multi *multi);
bool multi_meet_run(Multi *multi);
bool multi_chase_run(Multi *multi);
bool multi_peer_run(Multi *multi);
bool multi_peer_all_run(Multi *multi);

#endif
