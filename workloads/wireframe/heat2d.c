/* A step of heat in a plate of random temperatures. */
#include "wireframe/wireframe.h"

#include <stdlib.h>
#include <string.h>

static void make_step(float *heat, WavefrontShape shape)
{
    const size_t width = shape.width, height = shape.height;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            float *cell = &heat[y * width + x];
            const float up = y ? cell[-(ptrdiff_t)width] : 1, left = x ? cell[-1] : 0;
            const float right = x + 1 < width ? cell[1] : 0, down = y + 1 < height ? cell[width] : 0;
            *cell = 0.5f * *cell + 0.125f * ((up + left) + (right + down));
        }
}

bool heat2d_run(Host *host, const WireframeRun *run, WavefrontShape shape)
{
    const size_t bytes = wavefront_cells(shape) * sizeof(float);
    const size_t below = shape.width * sizeof(float); /* a row of nothing, which the kernel reads */
    float *cells = host_floats(host, wavefront_cells(shape) + shape.width, wavefront_seed(run));
    bool right = false;
    if (host->status == WB_OK) {
        memset(cells + wavefront_cells(shape), 0, below);
        uint64_t heat = host_buffer(host, cells, bytes + below);
        WAVEFRONT_LAUNCH(host, "heat2d", run, shape, WB_ARG(heat));
        if (host->status == WB_OK)
            make_step(cells, shape);
        right = host_equals(host, heat, cells, bytes);
        host_free(host, heat);
    }
    free(cells);
    return right;
}
