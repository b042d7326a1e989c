/* The benchmarks of "Fine-grain Task Aggregation and Coordination on GPUs" [channels §7.1]: Cilk programs as
 * flow graphs of kernels and channels, written by hand with the paper's transformation (§5.2). Queens and
 * Strassen also run without channels, as conventional GPU programs [table 4].
 *
 * Sizes are those of table 3 at size full. Channels have the knobs' width, form and done counts. */
#ifndef WORKLOADS_CHANNELS_H
#define WORKLOADS_CHANNELS_H

#include "common/host.h"
#include "graphs/generate.h"
#include "warpbeam_flow.h"

/* Tasks through channels, or kernels of blocks. */
typedef enum ChannelsMode { CHANNELS_FLOW, CHANNELS_FLAT, CHANNELS_MODES } ChannelsMode;

/* {0} is a run of the flow graph on the small input. */
typedef struct ChannelsRun {
    ChannelsMode mode;
    InputSize size;
    uint32_t input; /* n, items or rows of a matrix; 0: as `size` has it */
    uint32_t seed;  /* of the input's items; 0: 1 */
} ChannelsRun;

typedef struct ChannelsBenchmark {
    const char *name, *about;
    uint32_t inputs[INPUT_SIZES];
    uint32_t widths[INPUT_SIZES]; /* of channels in the paper; less for less input */
    uint32_t alone;               /* the largest input without yields in channels 64 wide */
    /* True: the result is that of the host. The module is loaded. */
    bool (*flow)(Host *host, uint32_t input, uint32_t seed);
    bool (*flat)(Host *host, uint32_t input, uint32_t seed); /* null: there is none */
    /* What the paper has of the full size [table 3]. */
    uint32_t nodes, waves, wave_cycles;
} ChannelsBenchmark;

enum { CHANNELS_FIB, CHANNELS_QUEENS, CHANNELS_SORT, CHANNELS_STRASSEN, CHANNELS_BENCHMARKS };
extern const ChannelsBenchmark channels_benchmarks[CHANNELS_BENCHMARKS];

bool channels_has(const ChannelsBenchmark *benchmark, ChannelsMode mode);
/* Loads the benchmark's PTX of `folder` and runs it. False: host->error says why. The caller ends the host. */
bool channels_run(const ChannelsBenchmark *benchmark, const ChannelsRun *run, WbGpu *gpu, const char *folder,
                  Host *host);

/* -- for the benchmarks -- */

/* A stack of channels of this element and so many levels; the number of its first channel. */
uint32_t channels_stack(Host *host, WbFlow *flow, const char *name, size_t element, uint32_t levels,
                        bool is_after);
/* A kernel that consumes the stack, and produces for those in `to`. */
void channels_node(Host *host, WbFlow *flow, const char *kernel, const WbArgument *arguments, uint32_t count,
                   uint32_t from, const uint32_t *to, uint32_t to_count);
#define CHANNELS_NODE(host, flow, kernel, from, to, ...)                                                     \
    do {                                                                                                     \
        const WbArgument node_arguments[] = {__VA_ARGS__};                                                   \
        channels_node((host), (flow), (kernel), node_arguments,                                              \
                      sizeof node_arguments / sizeof *node_arguments, (from), (to),                          \
                      sizeof(to) / sizeof *(to));                                                            \
    } while (0)
/* Null: the host has the sentence. */
WbFlow *channels_graph(Host *host);
/* Puts one element into the channel, and runs the graph until its end. Destroys it. */
void channels_execute(Host *host, WbFlow *flow, uint32_t channel, const void *element);

bool channels_fib(Host *host, uint32_t n, uint32_t seed);
bool channels_queens(Host *host, uint32_t n, uint32_t seed);
bool channels_queens_flat(Host *host, uint32_t n, uint32_t seed);
bool channels_sort(Host *host, uint32_t count, uint32_t seed);
bool channels_strassen(Host *host, uint32_t n, uint32_t seed);
bool channels_strassen_flat(Host *host, uint32_t n, uint32_t seed);

/* Ways to place n queens, counted by the host. */
int queens_solutions(uint32_t n);

/* Two square matrices of small whole numbers, so that sums do not depend on their order, and their product. */
typedef struct Matrices {
    float *left, *right, *product;
} Matrices;
/* False: there is no memory, and the host has the sentence. Freed by matrices_free() in any case. */
bool matrices_make(Host *host, Matrices *matrices, uint32_t n, uint32_t seed);
void matrices_free(Matrices *matrices);

#endif
