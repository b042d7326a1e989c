/* Several GPUs of one host and of several nodes (sections 8.1 and 8.2 of the synchronization thesis): its
 * programs on one to eight GPUs, in all ways in which GPUs can meet. The thesis has no measurements of these, and nobody else has: the tables
 * stand alone. */
#ifndef PAPERS_MULTI_GPU_H
#define PAPERS_MULTI_GPU_H

#include "multi/multi.h"
#include "papers/results.h"
#include "papers/sheet.h"

/* What runs, each of a size of its own. The first ones scale strongly, each followed by its weak fellow. */
typedef enum MultiGpuInput {
    MG_STENCIL2D,
    MG_STENCIL2D_WEAK,
    MG_STENCIL3D,
    MG_STENCIL3D_WEAK,
    MG_BFS,
    MG_BFS_WEAK,
    MG_LSTM,
    MG_LSTM_WEAK,
    MG_MEET,
    MG_RING,
    MG_TREE,
    MG_ONESHOT,
    MG_TWOSHOT,
    MG_INPUTS
} MultiGpuInput;
enum { MG_SCALING = MG_MEET };

/* How GPUs meet, over which links, and how many there are: 1, 2, 4 or 8. */
typedef enum MultiGpuWay {
    MG_HOST,
    MG_FLAGS,
    MG_PREFETCH,
    MG_PUSH,
    MG_HARDWARE,
    MG_PCIE_HOST,
    MG_PCIE_FLAGS,
    MG_NETWORK, /* one node */
    MG_NODES_2,
    MG_NODES_4,
    MG_WAYS
} MultiGpuWay;
enum { MG_COUNTS = 4, MG_MODES = MG_WAYS * MG_COUNTS };

/* Microseconds; NAN: no such run. */
double multi_gpu_time(const Results *results, MultiGpuInput input, MultiGpuWay way, size_t count);
/* Times that GPUs meet in a run of an input; 0: it depends on the input. */
uint32_t multi_gpu_meetings(const Results *results, MultiGpuInput input, size_t count);
extern const char *const multi_gpu_ways[MG_WAYS];

enum { MULTI_GPU_FIGURES = 5 };
Sheet multi_gpu_figure(const Results *results, size_t index);

#endif
