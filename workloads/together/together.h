/* One problem, every mechanism: five computations, each solved by all mechanisms of the simulator that can
 * express it, with the same input and the same result. README.md has the problems, their sizes and why. */
#ifndef WORKLOADS_TOGETHER_H
#define WORKLOADS_TOGETHER_H

#include "common/host.h"
#include "graphs/generate.h"
#include "warpbeam_graph.h"

/* How tasks come after those that they need. */
typedef enum TogetherMode {
    TOGETHER_HOST,     /* the host launches level by level */
    TOGETHER_CDP,      /* kernels launch kernels */
    TOGETHER_DTBL,     /* kernels launch groups of blocks, which join a kernel that is under way */
    TOGETHER_BARRIERS, /* one launch, a dependency graph with barriers between levels */
    TOGETHER_LRR,      /* one launch, a dependency graph of tasks */
    TOGETHER_LVL,      /* the same, no task far ahead of the others */
    TOGETHER_GSYNC,    /* one launch, all blocks meet behind each level */
    TOGETHER_WS,       /* one launch, blocks wait for signals of others */
    TOGETHER_WS_ORDER, /* the same, blocks dispatched in the order of levels */
    TOGETHER_CHANNELS, /* tasks are elements of channels */
    TOGETHER_MODES
} TogetherMode;

typedef void TogetherGo(void *context);

/* {0} is a run of the small input by launches of the host. */
typedef struct TogetherRun {
    TogetherMode mode;
    InputSize size;
    uint32_t seed; /* of the input; 0: 1 */
    /* For two problems at once (side.c): what is called between the launch of levels and the wait for it; and
     * what is called in place of the launch of a flow graph, with that launch, which goes to a stream. */
    TogetherGo *beside;
    void (*around)(void *context, TogetherGo *go, void *go_context);
    void *context; /* of either */
    WbStream *stream;
} TogetherRun;

typedef struct TogetherProblem {
    const char *name, *kind, *about;
    unsigned modes; /* those that can express it: bits 1 << TogetherMode */
    /* Makes the input, runs on host->gpu until the end, and compares. True: the result is right. */
    bool (*run)(Host *host, const TogetherRun *run);
} TogetherProblem;

enum { TOGETHER_WAVE, TOGETHER_STENCIL, TOGETHER_GRAPH, TOGETHER_ROWS, TOGETHER_TREE, TOGETHER_PROBLEMS };
extern const TogetherProblem together_problems[TOGETHER_PROBLEMS];
extern const char *const together_mode_names[TOGETHER_MODES];

bool together_has(const TogetherProblem *problem, TogetherMode mode);
/* Why a problem does not have a mode, as the end of a sentence; null: it has. */
const char *together_refusal(const TogetherProblem *problem, TogetherMode mode);
/* Loads the problem's PTX of `folder` and runs it. False: host->error says why. The caller ends the host. */
bool together_run(const TogetherProblem *problem, const TogetherRun *run, WbGpu *gpu, const char *folder,
                  Host *host);

/* Two mechanisms at once: the tree by channels in one stream, the stencil by waits and signals in another.
 * host->total_time is that of both. */
bool together_side(InputSize size, WbGpu *gpu, const char *folder, Host *host);

/* -- for the problems -- */

static inline uint32_t together_seed(const TogetherRun *run) { return run->seed ? run->seed : 1; }

/* Time begins with the first launch, and ends when the host knows that all is done. */
void together_begin_time(Host *host);
void together_end_time(Host *host);
/* Zeroed device memory. */
uint64_t together_zeros(Host *host, size_t bytes);
/* Blocks of a kernel that are on the GPU at once. 0: the host keeps the sentence. */
uint32_t together_resident(Host *host, const char *kernel, uint32_t threads);
/* A flow graph of one kernel that consumes a stack of channels and fills it: each so wide, with `levels`
 * levels; 1: tasks of all levels lie in one channel. The host puts the first elements in, and waits. */
typedef struct TogetherFlow {
    const char *kernel;
    const WbArgument *arguments;
    uint32_t argument_count, element_bytes, capacity, levels;
    const void *first;
    uint32_t first_count;
    WbStream *stream; /* null: the default one */
} TogetherFlow;
void together_flow(Host *host, const TogetherFlow *flow);

/* Levels of tasks that are known before (levels.cuh). Tasks are numbered from 0 on. */
enum { TOGETHER_PARENTS = 5 };
typedef struct TogetherLevels {
    const char *name;           /* of its kernels, before the underscore */
    WbArgument coarse, fine;    /* the problem as kernels have it: tasks of blocks, and of lanes */
    uint32_t levels, tasks;
    uint32_t fine_tasks, fine_first; /* in all, and in the first level */
    const void *shape;          /* for the two functions */
    WbNodes (*nodes)(const void *shape, uint32_t level);
    uint32_t (*parents)(const void *shape, uint32_t task, uint32_t parents[TOGETHER_PARENTS]);
} TogetherLevels;
void together_levels(Host *host, const TogetherRun *run, const TogetherLevels *levels);

/* Levels of items that are found by running (frontier.cuh). */
typedef struct TogetherFrontier {
    const char *name;
    WbArgument problem;
    uint32_t item_bytes;
    uint32_t most_items, most_levels;
    uint32_t fixed;             /* items of each of most_levels levels; 0: they are found */
    const void *first;          /* the item of level 0, where they are found */
    TogetherFlow flow; /* of modes with channels, without kernel; without arguments: the problem alone */
} TogetherFrontier;
void together_frontier(Host *host, const TogetherRun *run, const TogetherFrontier *frontier);

bool together_wave(Host *host, const TogetherRun *run);
bool together_stencil(Host *host, const TogetherRun *run);
bool together_graph(Host *host, const TogetherRun *run);
bool together_rows(Host *host, const TogetherRun *run);
bool together_tree(Host *host, const TogetherRun *run);
/* The network of graph and rows, of so many vertices. False: the host keeps the sentence. */
bool together_network(Host *host, uint32_t vertices, uint32_t seed, Graph *graph);

#endif
