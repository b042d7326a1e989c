/* The host's part of mandelbrot [CUDA SDK].
 *
 * The SDK draws 800 x 600 pixels with 512 iterations at most, the whole set at first, in blocks of 16 x 16
 * threads: one for each part of the image in the first versions, as here, a few that take parts in turn in
 * later ones. Full is that, once. Small has 400 x 304 pixels, 475 blocks, four to five rounds on 13 SMs with
 * 8 blocks each, and 128 iterations. Sums are fused and in one order, so that results are equal to the last
 * bit. */
#include "saws/saws.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE = 16 }; /* of a block */

static const struct {
    uint32_t width, height;
    int limit;
} sizes[INPUT_SIZES] = {
    [INPUT_TINY] = {40, 24, 20}, [INPUT_SMALL] = {400, 304, 128}, [INPUT_FULL] = {800, 600, 512}};

typedef struct Color {
    uint8_t red, green, blue, alpha;
} Color;

static Color color(float c_x, float c_y, int limit)
{
    float x = 0, y = 0, xx = 0, yy = 0;
    int left_over = limit;
    while (--left_over && xx + yy < 4) {
        y = fmaf(x + x, y, c_y);
        x = xx - yy + c_x;
        yy = y * y;
        xx = x * x;
    }
    return (Color){(uint8_t)(3 * left_over), (uint8_t)(5 * left_over), (uint8_t)(7 * left_over), 0};
}

bool saws_mandelbrot_run(Host *host, const BenchmarkRun *run)
{
    const uint32_t width = sizes[run->size].width, across = (width + SIDE - 1) / SIDE;
    const uint32_t down = (run->blocks + across - 1) / across,
                   height = run->blocks ? down * SIDE : sizes[run->size].height;
    const int limit = sizes[run->size].limit;
    const float scale = 3.2f / (float)width, left = -2.1f, top = -0.5f * scale * (float)height;
    const size_t pixels = (size_t)width * height;
    Color *expected = host_array(host, pixels, sizeof *expected);
    if (!expected)
        return false;
    for (uint32_t i = 0; i < pixels; i++)
        expected[i] =
            color(fmaf((float)(i % width), scale, left), fmaf((float)(i / width), scale, top), limit);
    const uint64_t image = host_buffer(host, NULL, pixels * sizeof *expected);
    HOST_LAUNCH(host, "mandelbrot", dim(across, (height + SIDE - 1) / SIDE, 1), dim(SIDE, SIDE, 1),
                WB_ARG(image), WB_ARG(width), WB_ARG(height), WB_ARG(limit), WB_ARG(left), WB_ARG(top),
                WB_ARG(scale));
    const bool right = host_equals(host, image, expected, pixels * sizeof *expected);
    host_free(host, image);
    free(expected);
    return right;
}
