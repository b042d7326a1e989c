/* What the programs are written with. The order of calls is that of the programs measured: arrays are made in
 * their order, then filled and copied in theirs, then come the launches. */
#ifndef WORKLOADS_POLYBENCH_PROGRAM_H
#define WORKLOADS_POLYBENCH_PROGRAM_H

#include <math.h>
#include <string.h>

#include "polybench/polybench.h"
#include "polybench/sizes.h"

void polybench_adi(PolybenchRun *run);
void polybench_atax(PolybenchRun *run);
void polybench_bicg(PolybenchRun *run);
void polybench_conv2d(PolybenchRun *run);
void polybench_conv3d(PolybenchRun *run);
void polybench_correlation(PolybenchRun *run);
void polybench_covariance(PolybenchRun *run);
void polybench_doitgen(PolybenchRun *run);
void polybench_fdtd(PolybenchRun *run);
void polybench_gemm(PolybenchRun *run);
void polybench_gemver(PolybenchRun *run);
void polybench_gesummv(PolybenchRun *run);
void polybench_gramschmidt(PolybenchRun *run);
void polybench_jacobi1d(PolybenchRun *run);
void polybench_jacobi2d(PolybenchRun *run);
void polybench_lu(PolybenchRun *run);
void polybench_mm2(PolybenchRun *run);
void polybench_mm3(PolybenchRun *run);
void polybench_mvt(PolybenchRun *run);
void polybench_syr2k(PolybenchRun *run);
void polybench_syrk(PolybenchRun *run);

/* Zeroes on the host; the device's are not defined until they are copied there. */
PolybenchArray *polybench_array(PolybenchRun *run, size_t count);
void polybench_copy(PolybenchRun *run, PolybenchArray *array);
/* Launches and waits. False: nothing was launched since the run is at its end. */
bool polybench_launch(PolybenchRun *run, const char *kernel, WbDim3 grid, WbDim3 block,
                      const WbArgument *arguments, size_t count);

#define LAUNCH(run, kernel, grid, block, ...)                                                                \
    polybench_launch((run), (kernel), (grid), (block), (const WbArgument[]){__VA_ARGS__},                    \
                     sizeof((const WbArgument[]){__VA_ARGS__}) / sizeof(WbArgument))

/* Gives array[i * stride + j] its value; if there was no memory, the host knows. */
#define FILL(array, rows, columns, stride, value)                                                            \
    for (int i = 0; (array)->at && i < (rows); i++)                                                          \
        for (int j = 0; j < (columns); j++)                                                                  \
    (array)->at[i * (stride) + j] = (value)

/* What a loop runs to: all, or less than a row, and no multiple of a warp. */
static inline int sized(const PolybenchRun *run, int measured)
{
    return run->host->measured_size ? measured : measured / 8 + 3;
}

static inline uint32_t covering(int count, int size) { return (uint32_t)((count + size - 1) / size); }
/* Blocks of 32 x 8 threads, and of 256, that have a thread for each item. */
static inline WbDim3 grid_of(int columns, int rows)
{
    return dim(covering(columns, 32), covering(rows, 8), 1);
}
static inline WbDim3 line_of(int count) { return dim(covering(count, 256), 1, 1); }
#define FLAT dim(32, 8, 1)
#define LINE dim(256, 1, 1)

#endif
