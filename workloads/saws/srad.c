/* The host's part of speckle-reducing anisotropic diffusion.
 *
 * Rodinia's example has 2,048 x 2,048 pixels, two rounds, lambda 0.5, and takes the statistics of speckle
 * from the 128 x 128 pixels in the corner: the full size. The small one has 320 x 320 pixels: 400 blocks a
 * launch, about four times as many as 13 SMs hold. Pixels are e to the power of values from 0 to 1, as in
 * the program. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "saws/saws.h"

enum { SIDE = 16, ROUNDS = 2, SAMPLE = 128 };
static const int sides[INPUT_SIZES] = {[INPUT_TINY] = 48, [INPUT_SMALL] = 320, [INPUT_FULL] = 2048};
static const float lambda = 0.5f;

/* Invariant: `expected` and `scratch` have as many pixels as `pixels`. */
typedef struct Image {
    int columns, rows;
    float *pixels, *expected, *scratch;
} Image;

/* Variance over squared mean of a corner. */
static float speckle(const Image *image, const float *pixels)
{
    const int width = image->columns < SAMPLE ? image->columns : SAMPLE;
    const int height = image->rows < SAMPLE ? image->rows : SAMPLE;
    double sum = 0, squares = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const double pixel = pixels[y * image->columns + x];
            sum += pixel;
            squares += pixel * pixel;
        }
    const double count = (double)width * height, mean = sum / count;
    return (float)((squares / count - mean * mean) / (mean * mean));
}

/* Differences to the neighbours: north, south, west, east; none at the border. */
static void look_around(const Image *image, const float *pixels, int x, int y, double differences[4])
{
    const int columns = image->columns, at = y * columns + x;
    const double own = pixels[at];
    differences[0] = y > 0 ? pixels[at - columns] - own : 0;
    differences[1] = y < image->rows - 1 ? pixels[at + columns] - own : 0;
    differences[2] = x > 0 ? pixels[at - 1] - own : 0;
    differences[3] = x < columns - 1 ? pixels[at + 1] - own : 0;
}

static double coefficient(const Image *image, const float *pixels, int x, int y, double q0)
{
    double d[4];
    look_around(image, pixels, x, y, d);
    const double own = pixels[y * image->columns + x];
    const double gradient = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + d[3] * d[3]) / (own * own);
    const double laplace = (d[0] + d[1] + d[2] + d[3]) / own, base = 1 + 0.25 * laplace;
    const double q = (0.5 * gradient - laplace * laplace / 16) / (base * base);
    return fmin(fmax(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0), 1);
}

/* A round on `expected`, by way of `scratch`. */
static void diffuse(const Image *image)
{
    const float *pixels = image->expected;
    const double q0 = speckle(image, pixels);
    for (int y = 0; y < image->rows; y++)
        for (int x = 0; x < image->columns; x++) {
            const int below = y < image->rows - 1 ? y + 1 : y, beside = x < image->columns - 1 ? x + 1 : x;
            double d[4];
            look_around(image, pixels, x, y, d);
            const double change = coefficient(image, pixels, x, y, q0) * (d[0] + d[2]) +
                                  coefficient(image, pixels, x, below, q0) * d[1] +
                                  coefficient(image, pixels, beside, y, q0) * d[3];
            const int at = y * image->columns + x;
            image->scratch[at] = (float)(pixels[at] + 0.25 * lambda * change);
        }
    memcpy(image->expected, image->scratch,
           (size_t)image->columns * (size_t)image->rows * sizeof *image->expected);
}

static bool reduce(Host *host, const Image *image)
{
    const size_t count = (size_t)image->columns * (size_t)image->rows, bytes = count * sizeof(float);
    const WbDim3 grid = dim((uint32_t)image->columns / SIDE, (uint32_t)image->rows / SIDE, 1);
    const uint64_t pixels = host_buffer(host, image->pixels, bytes);
    const uint64_t coefficients = host_buffer(host, NULL, bytes);
    struct {
        uint64_t north, south, west, east;
    } differences = {host_buffer(host, NULL, bytes), host_buffer(host, NULL, bytes),
                     host_buffer(host, NULL, bytes), host_buffer(host, NULL, bytes)};
    for (int i = 0; i < ROUNDS; i++) {
        const float q0 = speckle(image, image->pixels);
        HOST_LAUNCH(host, "srad_coefficients", grid, dim(SIDE, SIDE, 1), WB_ARG(pixels), WB_ARG(coefficients),
                    WB_ARG(differences), WB_ARG(image->columns), WB_ARG(image->rows), WB_ARG(q0));
        HOST_LAUNCH(host, "srad_update", grid, dim(SIDE, SIDE, 1), WB_ARG(pixels), WB_ARG(coefficients),
                    WB_ARG(differences), WB_ARG(image->columns), WB_ARG(image->rows), WB_ARG(lambda));
        host_read(host, image->pixels, pixels, bytes);
        diffuse(image);
    }
    const bool right = benchmark_near(host, pixels, image->expected, count, 1e-4f);
    host_free(host, pixels), host_free(host, coefficients);
    host_free(host, differences.north), host_free(host, differences.south);
    host_free(host, differences.west), host_free(host, differences.east);
    return right;
}

bool saws_srad_run(Host *host, const BenchmarkRun *run)
{
    Image image = {.columns = sides[run->size], .rows = sides[run->size]};
    const uint32_t across = (uint32_t)image.columns / SIDE;
    if (run->blocks)
        image.rows = (int)((run->blocks + across - 1) / across) * SIDE;
    const size_t count = (size_t)image.columns * (size_t)image.rows;
    image.pixels = host_floats(host, count, benchmark_seed(run));
    image.expected = host_array(host, count, sizeof *image.expected);
    image.scratch = host_array(host, count, sizeof *image.scratch);
    bool right = image.pixels && image.expected && image.scratch;
    for (size_t i = 0; right && i < count; i++)
        image.expected[i] = image.pixels[i] = expf(image.pixels[i]);
    right = right && reduce(host, &image);
    free(image.pixels), free(image.expected), free(image.scratch);
    return right;
}
