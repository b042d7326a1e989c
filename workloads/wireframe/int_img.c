/* The integral images of random pixels' colours. */
#include "wireframe/wireframe.h"

#include <stdlib.h>

enum { BRIGHTNESSES = 256, COLOURS = 3 }; /* as in int_img.cu */

/* By sums of rows, another way than the kernel's. */
static void find_sums(const uint8_t *pixels, WavefrontShape shape, int colour, uint32_t *sums)
{
    const size_t width = shape.width;
    for (size_t y = 0; y < shape.height; y++) {
        uint32_t row = 0;
        for (size_t x = 0; x < width; x++) {
            row += pixels[(y * width + x) * COLOURS + (size_t)colour];
            sums[y * width + x] = row + (y ? sums[(y - 1) * width + x] : 0);
        }
    }
}

bool int_img_run(Host *host, const WireframeRun *run, WavefrontShape shape)
{
    const size_t cells = wavefront_cells(shape), all = COLOURS * cells, bytes = all * sizeof(uint32_t);
    uint8_t *pixels = wavefront_bytes(host, all, BRIGHTNESSES, wavefront_seed(run));
    uint32_t *expected = host_array(host, all, sizeof *expected);
    bool right = false;
    if (host->status == WB_OK) {
        uint64_t image = host_buffer(host, pixels, all), sums = host_buffer(host, NULL, bytes);
        WAVEFRONT_LAUNCH(host, "int_img", run, shape, WB_ARG(image), WB_ARG(sums));
        for (int colour = 0; colour < COLOURS && host->status == WB_OK; colour++)
            find_sums(pixels, shape, colour, expected + (size_t)colour * cells);
        right = host_equals(host, sums, expected, bytes);
        host_free(host, image), host_free(host, sums);
    }
    free(pixels), free(expected);
    return right;
}
