/* The host's part of Laplace's equation.
 *
 * GPGPU-Sim's input has 100 x 100 x 100 cells, so 4 x 25 blocks of 128 threads, which all fit on gtx970 at
 * once, and 100 planes of two barriers: the full size. The small size has twice as many blocks as fit, 8 x
 * 52 with 16 on an SM, and 16 planes. In the tiny one some threads have no cell. */
#include <stdlib.h>

#include "saws/saws.h"

enum { WIDTH = 32, HEIGHT = 4 }; /* as in lps.cu, and so is Size */
typedef struct Size {
    int x, y, z;
} Size;
static const Size sizes[INPUT_SIZES] = {
    [INPUT_TINY] = {40, 11, 5}, [INPUT_SMALL] = {256, 208, 16}, [INPUT_FULL] = {100, 100, 100}};

static bool is_border(int at, int length) { return at == 0 || at == length - 1; }

/* Cells see the same operations in the same order as in lps.cu. */
static void relax(const float *from, float *to, Size size)
{
    const size_t pitch = (size_t)size.x, plane = pitch * (size_t)size.y;
    for (int z = 0; z < size.z; z++)
        for (int y = 0; y < size.y; y++)
            for (int x = 0; x < size.x; x++, from++, to++) {
                if (is_border(x, size.x) || is_border(y, size.y) || is_border(z, size.z))
                    *to = *from;
                else
                    *to =
                        (from[-1] + from[1] + *(from - pitch) + from[pitch] + *(from - plane) + from[plane]) *
                        (1.0f / 6.0f);
            }
}

bool saws_lps_run(Host *host, const BenchmarkRun *run)
{
    Size size = sizes[run->size];
    const uint32_t across = (uint32_t)(size.x + WIDTH - 1) / WIDTH;
    const uint32_t down = benchmark_rows(run, across, (uint32_t)(size.y + HEIGHT - 1) / HEIGHT);
    size.y = run->blocks ? (int)down * HEIGHT : size.y;
    const size_t count = (size_t)size.x * (size_t)size.y * (size_t)size.z, bytes = count * sizeof(float);
    float *cells = host_floats(host, 2 * count, benchmark_seed(run));
    if (!cells)
        return false;
    const uint64_t from = host_buffer(host, cells, bytes), to = host_buffer(host, NULL, bytes);
    HOST_LAUNCH(host, "lps", dim(across, down, 1), dim(WIDTH, HEIGHT, 1), WB_ARG(from), WB_ARG(to),
                WB_ARG(size));
    relax(cells, cells + count, size);
    const bool right = host_equals(host, to, cells + count, bytes);
    host_free(host, from), host_free(host, to);
    free(cells);
    return right;
}
