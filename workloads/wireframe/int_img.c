/* The integral image of random pixels. */
#include "wireframe/wireframe.h"

#include <stdlib.h>

enum { BRIGHTNESSES = 256 };

/* By sums of rows, another way than the kernel's. */
static void find_sums(const uint8_t *pixels, WavefrontShape shape, uint32_t *sums)
{
    const size_t width = shape.width;
    for (size_t y = 0; y < shape.height; y++) {
        uint32_t row = 0;
        for (size_t x = 0; x < width; x++) {
            row += pixels[y * width + x];
            sums[y * width + x] = row + (y ? sums[(y - 1) * width + x] : 0);
        }
    }
}

bool int_img_run(Host *host, const WireframeRun *run, WavefrontShape shape)
{
    const size_t cells = wavefront_cells(shape);
    uint8_t *pixels = wavefront_bytes(host, cells, BRIGHTNESSES, wavefront_seed(run));
    uint32_t *expected = host_array(host, cells, sizeof *expected);
    bool right = false;
    if (host->status == WB_OK) {
        uint64_t image = host_buffer(host, pixels, cells);
        uint64_t sums = host_buffer(host, NULL, cells * sizeof *expected);
        WAVEFRONT_LAUNCH(host, "int_img", run, shape, WB_ARG(image), WB_ARG(sums));
        if (host->status == WB_OK)
            find_sums(pixels, shape, expected);
        right = host_equals(host, sums, expected, cells * sizeof *expected);
        host_free(host, image), host_free(host, sums);
    }
    free(pixels), free(expected);
    return right;
}
