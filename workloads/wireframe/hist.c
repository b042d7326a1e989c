/* The integral histogram of random pixels: a plane for every bin. */
#include "wireframe/wireframe.h"

#include <stdlib.h>

enum { BRIGHTNESSES = 256 }; /* as in hist.cu */
enum { BINS = 8 }; /* then the planes of the full image take hundreds of megabytes, as the paper's data do */

/* By counts in rows, another way than the kernel's. */
static void find_counts(const uint8_t *pixels, WavefrontShape shape, int bin, int bins, uint32_t *plane)
{
    const size_t width = shape.width;
    for (size_t y = 0; y < shape.height; y++) {
        uint32_t row = 0;
        for (size_t x = 0; x < width; x++) {
            row += pixels[y * width + x] * bins / BRIGHTNESSES == bin;
            plane[y * width + x] = row + (y ? plane[(y - 1) * width + x] : 0);
        }
    }
}

bool hist_run(Host *host, const WireframeRun *run, WavefrontShape shape)
{
    const int bins = BINS;
    const size_t cells = wavefront_cells(shape), all = (size_t)bins * cells, bytes = all * sizeof(uint32_t);
    uint8_t *pixels = wavefront_bytes(host, cells, BRIGHTNESSES, wavefront_seed(run));
    uint32_t *expected = host_array(host, all, sizeof *expected);
    bool right = false;
    if (host->status == WB_OK) {
        uint64_t image = host_buffer(host, pixels, cells), planes = host_buffer(host, NULL, bytes);
        WAVEFRONT_LAUNCH(host, "hist", run, shape, WB_ARG(image), WB_ARG(planes), WB_ARG(bins));
        for (int bin = 0; bin < bins && host->status == WB_OK; bin++)
            find_counts(pixels, shape, bin, bins, expected + (size_t)bin * cells);
        right = host_equals(host, planes, expected, bytes);
        host_free(host, image), host_free(host, planes);
    }
    free(pixels), free(expected);
    return right;
}
