/* A sweep of successive over-relaxation over a random matrix. */
#include "wireframe/wireframe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float omega = 1.5f; /* as in sor.cu */

static void relax(float *matrix, WavefrontShape shape)
{
    const size_t width = shape.width, height = shape.height;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            float *cell = &matrix[y * width + x];
            const float up = y ? cell[-(ptrdiff_t)width] : 0, left = x ? cell[-1] : 0;
            const float right = x + 1 < width ? cell[1] : 0, down = y + 1 < height ? cell[width] : 0;
            *cell = fmaf(0.25f * omega, (up + left) + (right + down), (1 - omega) * *cell);
        }
}

bool sor_run(Host *host, const WireframeRun *run, WavefrontShape shape)
{
    const size_t bytes = wavefront_cells(shape) * sizeof(float);
    const size_t below = shape.width * sizeof(float); /* a row of nothing, which the kernel reads */
    float *cells = host_floats(host, wavefront_cells(shape) + shape.width, wavefront_seed(run));
    bool right = false;
    if (host->status == WB_OK) {
        memset(cells + wavefront_cells(shape), 0, below);
        uint64_t matrix = host_buffer(host, cells, bytes + below);
        WAVEFRONT_LAUNCH(host, "sor", run, shape, WB_ARG(matrix));
        if (host->status == WB_OK)
            relax(cells, shape);
        right = host_equals(host, matrix, cells, bytes);
        host_free(host, matrix);
    }
    free(cells);
    return right;
}
