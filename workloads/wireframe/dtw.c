/* Dynamic time warping: costs of two random series, each cell in the order of the kernel. */
#include "wireframe/wireframe.h"

#include <math.h>
#include <stdlib.h>

static void find_costs(const float *across, const float *down, WavefrontShape shape, float *costs)
{
    const size_t width = shape.width;
    for (size_t y = 0; y < shape.height; y++)
        for (size_t x = 0; x < width; x++) {
            const float up = y ? costs[(y - 1) * width + x] : INFINITY;
            const float left = x ? costs[y * width + x - 1] : INFINITY;
            const float corner = x && y ? costs[(y - 1) * width + x - 1] : x || y ? INFINITY : 0;
            const float nearer = up < left ? up : left;
            costs[y * width + x] = fabsf(down[y] - across[x]) + (corner < nearer ? corner : nearer);
        }
}

bool dtw_run(Host *host, const WireframeRun *run, WavefrontShape shape)
{
    const size_t bytes = wavefront_cells(shape) * sizeof(float);
    float *across = host_floats(host, shape.width, wavefront_seed(run));
    float *down = host_floats(host, shape.height, wavefront_seed(run) + 1);
    float *expected = host_array(host, wavefront_cells(shape), sizeof *expected);
    bool right = false;
    if (host->status == WB_OK) {
        uint64_t upper = host_buffer(host, across, shape.width * sizeof *across);
        uint64_t side = host_buffer(host, down, shape.height * sizeof *down);
        uint64_t costs = host_buffer(host, NULL, bytes);
        WAVEFRONT_LAUNCH(host, "dtw", run, shape, WB_ARG(upper), WB_ARG(side), WB_ARG(costs));
        if (host->status == WB_OK)
            find_costs(across, down, shape, expected);
        right = host_equals(host, costs, expected, bytes);
        host_free(host, upper), host_free(host, side), host_free(host, costs);
    }
    free(across), free(down), free(expected);
    return right;
}
