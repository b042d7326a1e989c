/* The host's part of the stencil in three dimensions.
 *
 * Table 2: 1 kernel, 128 blocks of 128 threads, 8 of them on an SM. Parboil's default grid of 128 x 128 x
 * 32 cells in tiles of 32 x 4 makes 128 blocks, so that is both sizes small and full; its launches are
 * many, one for each step, of which the table counts one. The weights are Parboil's: the centre 1/6, its
 * neighbours 1/36. */
#include "claso/claso.h"

#include <stdlib.h>

enum { WIDTH = 32, HEIGHT = 4 }; /* of a tile, as in st.cu */

/* Cells on each side. */
typedef struct Box {
    int x, y, z;
} Box;
static const Box boxes[INPUT_SIZES] = {
    [INPUT_TINY] = {64, 8, 5}, [INPUT_SMALL] = {128, 128, 32}, [INPUT_FULL] = {128, 128, 32}};
static const float centre = 1.0f / 6, around = 1.0f / 36;

/* Cells on the faces stay zero. */
static void step(const Box *box, const float *from, float *to)
{
    const int row = box->x, plane = box->x * box->y;
    for (int z = 1; z < box->z - 1; z++)
        for (int y = 1; y < box->y - 1; y++)
            for (int x = 1; x < box->x - 1; x++) {
                const float *at = &from[z * plane + y * row + x];
                to[z * plane + y * row + x] =
                    (at[-plane] + at[plane] + at[-1] + at[1] + at[-row] + at[row]) * around - at[0] * centre;
            }
}

static bool compute(Host *host, const Box *box, const float *cells, float *expected)
{
    const size_t count = (size_t)box->x * (size_t)box->y * (size_t)box->z, bytes = count * sizeof *cells;
    const uint64_t from = host_buffer(host, cells, bytes), to = host_buffer(host, expected, bytes);
    HOST_LAUNCH(host, "stencil", dim((uint32_t)box->x / WIDTH, (uint32_t)box->y / HEIGHT, 1),
                dim(WIDTH, HEIGHT, 1), WB_ARG(from), WB_ARG(to), WB_ARG(box->x), WB_ARG(box->y),
                WB_ARG(box->z), WB_ARG(centre), WB_ARG(around));
    step(box, cells, expected);
    const bool right = benchmark_near(host, to, expected, count, 1e-6f);
    host_free(host, from), host_free(host, to);
    return right;
}

bool claso_st_run(Host *host, const BenchmarkRun *run)
{
    Box box = boxes[run->size];
    const uint32_t across = (uint32_t)box.x / WIDTH;
    if (run->blocks)
        box.y = (int)((run->blocks + across - 1) / across) * HEIGHT;
    const size_t count = (size_t)box.x * (size_t)box.y * (size_t)box.z;
    float *cells = host_floats(host, count, benchmark_seed(run));
    float *expected = host_array(host, count, sizeof *expected);
    const bool right = cells && expected && compute(host, &box, cells, expected);
    free(cells), free(expected);
    return right;
}
