/* The benchmarks of the Wireframe paper [Wireframe §5.2]: six computations over matrices in which a tile of
 * cells needs the tiles above and to the left of it, compared with results computed here, bit by bit. */
#ifndef WORKLOADS_WIREFRAME_H
#define WORKLOADS_WIREFRAME_H

#include "common/host.h"
#include "graphs/generate.h"

/* A matrix cut into tiles, whose sides differ by one cell at most. A tile is a block, and a node of the
 * dependency graph. */
typedef struct WavefrontShape {
    uint32_t width, height; /* in cells */
    uint32_t across, down;  /* in tiles */
} WavefrontShape;

/* Who sees to it that tiles come after those that they need [Wireframe §5.1]. */
typedef enum WireframeMode {
    WIREFRAME_GLOBAL,   /* the host: a launch for every wave, which it waits for (Code Block 1) */
    WIREFRAME_CDP,      /* a kernel that does the same on the device (Code Block 3) */
    WIREFRAME_BARRIERS, /* one launch, with a global barrier between waves in its graph [§2.2] */
    WIREFRAME_LRR,      /* one launch, with the parents of every tile in its graph (Code Block 4) */
    WIREFRAME_LVL,      /* the same, and no tile runs ahead by more than a number of levels [§4.3] */
    WIREFRAME_MODES
} WireframeMode;

/* {0} is a run on the small input in 64 x 64 tiles, launched by the host. */
typedef struct WireframeRun {
    WireframeMode mode;
    InputSize size;
    uint32_t tiles; /* on each side: 32, 64 and 96 are the 1K, 4K and 9K nodes of the paper; 0: the usual */
    uint32_t bound; /* of WIREFRAME_LVL, in levels; 0: 3, as in the paper */
    uint32_t seed;  /* of the input; 0: 1 */
} WireframeRun;

typedef struct WavefrontCells {
    uint32_t width, height;
} WavefrontCells;

/* Takes one parent of a tile. */
typedef void WavefrontAdd(void *context, uint32_t x, uint32_t y);

typedef struct WireframeBenchmark {
    const char *name;  /* as in the paper's figures, in small letters: int_img */
    const char *about; /* one line */
    const char *file;  /* PTX, in workloads/wireframe */
    WavefrontCells cells[INPUT_SIZES];
    uint32_t planes; /* of results over the same tiles, one after the other */
    /* Adds the tiles that the tile (x, y) needs. */
    void (*parents)(WavefrontShape shape, uint32_t x, uint32_t y, WavefrontAdd *add, void *context);
    /* How many waves there are; a wave has the tiles with the same x + y, and needs only earlier ones. */
    uint32_t (*waves)(WavefrontShape shape);
    /* Makes the input, runs on host->gpu until the end, and compares. True: the result is right.
     * host->status tells failures of the machine itself. */
    bool (*run)(Host *host, const WireframeRun *run, WavefrontShape shape);
} WireframeBenchmark;

enum { WIREFRAME_BENCHMARKS = 6 };
extern const WireframeBenchmark wireframe_benchmarks[WIREFRAME_BENCHMARKS];

/* Null: there is none of that name. */
const WireframeBenchmark *wireframe_find(const char *name);
/* How a run cuts the benchmark's matrix. */
WavefrontShape wireframe_shape(const WireframeBenchmark *benchmark, const WireframeRun *run);
/* Loads the benchmark's PTX from `directory` and runs it. False: host->error says why. The caller ends the
 * host. */
bool wireframe_run(const WireframeBenchmark *benchmark, const WireframeRun *run, WbGpu *gpu,
                   const char *directory, Host *host);

/* -- for the benchmarks -- */

/* Runs the kernel of the benchmark of that name over all tiles, and waits. It takes the given arguments and
 * then a Tiling (wavefront.cuh). */
void wavefront_launch(Host *host, const char *name, const WireframeRun *run, WavefrontShape shape,
                      const WbArgument *arguments, uint32_t count);

#define WAVEFRONT_LAUNCH(host, name, run, shape, ...)                                                        \
    do {                                                                                                     \
        const WbArgument wavefront_arguments[] = {__VA_ARGS__};                                              \
        wavefront_launch((host), (name), (run), (shape), wavefront_arguments,                                \
                         sizeof wavefront_arguments / sizeof *wavefront_arguments);                          \
    } while (0)

static inline uint32_t wavefront_seed(const WireframeRun *run) { return run->seed ? run->seed : 1; }
static inline size_t wavefront_cells(WavefrontShape shape) { return (size_t)shape.width * shape.height; }

/* Random values from 0 to `limit` - 1, for free(). Null: there is no memory, and the host keeps the
 * sentence. */
uint8_t *wavefront_bytes(Host *host, size_t count, uint32_t limit, uint32_t seed);

/* -- one row each of wireframe_benchmarks, defined by its file -- */

bool dtw_run(Host *host, const WireframeRun *run, WavefrontShape shape);
bool heat2d_run(Host *host, const WireframeRun *run, WavefrontShape shape);
bool hist_run(Host *host, const WireframeRun *run, WavefrontShape shape);
bool int_img_run(Host *host, const WireframeRun *run, WavefrontShape shape);
bool sor_run(Host *host, const WireframeRun *run, WavefrontShape shape);
bool sw_run(Host *host, const WireframeRun *run, WavefrontShape shape);

#endif
