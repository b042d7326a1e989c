/* The host's part of the neural network.
 *
 * Table 2: 4 kernels, 432 blocks, 120.75 threads and 7 blocks on an SM on average. GPGPU-Sim's program has
 * blocks of 169, 25, 1 and 1 threads, 166 blocks an image, and no number of images makes these numbers of
 * that. They come out if a block has ten maps of the second layer instead of one, and a warp of neurons of
 * the others: 169, 250, 32 and 32 threads, and 6 + 5 + 4 + 1 blocks an image, with 27 images. Of 28 blocks
 * on an SM in all, the layers then have 7, 5, 8 and 8. Sizes small and full are this one. Weights and
 * images are random; weights are scaled so that no neuron saturates. */
#include "claso/claso.h"

#include <math.h>
#include <stdlib.h>

/* As in nn.cu. */
enum { IMAGE = 29, MAPS1 = 6, SIDE1 = 13, MAPS2 = 50, SIDE2 = 5, WINDOW = 5, TAPS = WINDOW * WINDOW };
enum { CELLS1 = SIDE1 * SIDE1, CELLS2 = SIDE2 * SIDE2, MAPS_EACH = 10, HIDDEN = 100, DIGITS = 10, WARP = 32 };

static const uint32_t image_counts[INPUT_SIZES] = {[INPUT_TINY] = 1, [INPUT_SMALL] = 27, [INPUT_FULL] = 27};

enum { LAYERS = 4 };
/* Of a layer: weights of a neuron or of a map, besides its bias; these; values that come out of an image. */
static const size_t fans[LAYERS] = {TAPS, TAPS *MAPS1, MAPS2 *CELLS2, HIDDEN};
static const size_t units[LAYERS] = {MAPS1, MAPS2, HIDDEN, DIGITS};
static const size_t sizes[LAYERS] = {MAPS1 * CELLS1, MAPS2 *CELLS2, HIDDEN, DIGITS};

/* Invariant: values[0] are the images, values[i + 1] what layer i makes of values[i]. */
typedef struct Network {
    uint32_t images;
    float *weights[LAYERS], *values[LAYERS + 1];
} Network;

static float activate(double sum) { return (float)(1.7159 * tanh(0.66666667 * sum)); }

/* A cell of a map that sees `maps` maps of `side` cells; weights of the same tap lie side by side. */
static float convolve(const float *window, int side, size_t maps, const float *weights)
{
    double sum = *weights++;
    for (int y = 0; y < WINDOW; y++)
        for (int x = 0; x < WINDOW; x++)
            for (size_t map = 0; map < maps; map++)
                sum += (double)window[map * (size_t)(side * side) + (size_t)(y * side + x)] * *weights++;
    return activate(sum);
}

/* A layer of maps of `to_side` cells on a side, from `maps` maps. */
static void convolve_all(const float *from, int side, size_t maps, const float *weights, size_t to_maps,
                         int to_side, float *to)
{
    for (size_t map = 0; map < to_maps; map++)
        for (int y = 0; y < to_side; y++)
            for (int x = 0; x < to_side; x++)
                *to++ = convolve(&from[2 * y * side + 2 * x], side, maps, &weights[map * (maps * TAPS + 1)]);
}

static void connect_all(const float *from, size_t inputs, const float *weights, size_t neurons, float *to)
{
    for (size_t n = 0; n < neurons; n++) {
        double sum = *weights++;
        for (size_t i = 0; i < inputs; i++)
            sum += (double)from[i] * *weights++;
        to[n] = activate(sum);
    }
}

static void compute(const Network *network)
{
    for (size_t i = 0; i < network->images; i++) {
        float *const layer1 = &network->values[1][i * sizes[0]], *const layer2 =
                                                                     &network->values[2][i * sizes[1]];
        float *const layer3 = &network->values[3][i * sizes[2]], *const layer4 =
                                                                     &network->values[4][i * sizes[3]];
        convolve_all(&network->values[0][i * IMAGE * IMAGE], IMAGE, 1, network->weights[0], MAPS1, SIDE1,
                     layer1);
        convolve_all(layer1, SIDE1, MAPS1, network->weights[1], MAPS2, SIDE2, layer2);
        connect_all(layer2, fans[2], network->weights[2], HIDDEN, layer3);
        connect_all(layer3, fans[3], network->weights[3], DIGITS, layer4);
    }
}

static bool recognize(Host *host, const Network *network)
{
    const uint32_t images = network->images;
    uint64_t weights[LAYERS], values[LAYERS + 1];
    values[0] = host_buffer(host, network->values[0], images * IMAGE * IMAGE * sizeof(float));
    for (size_t i = 0; i < LAYERS; i++) {
        weights[i] = host_buffer(host, network->weights[i], units[i] * (fans[i] + 1) * sizeof(float));
        values[i + 1] = host_buffer(host, NULL, images * sizes[i] * sizeof(float));
    }
    const WbDim3 grids[LAYERS] = {{MAPS1, images, 1},
                                  {MAPS2 / MAPS_EACH, images, 1},
                                  {(HIDDEN + WARP - 1) / WARP, images, 1},
                                  {1, images, 1}};
    const WbDim3 blocks[LAYERS] = {{SIDE1, SIDE1, 1}, {SIDE2, SIDE2, MAPS_EACH}, {WARP, 1, 1}, {WARP, 1, 1}};
    const char *const kernels[LAYERS] = {"layer1", "layer2", "layer3", "layer4"};
    for (size_t i = 0; i < LAYERS; i++)
        HOST_LAUNCH(host, kernels[i], grids[i], blocks[i], WB_ARG(values[i]), WB_ARG(weights[i]),
                    WB_ARG(values[i + 1]));
    compute(network);
    bool right = true;
    for (size_t i = 0; i < LAYERS; i++) {
        right =
            right && benchmark_near(host, values[i + 1], network->values[i + 1], images * sizes[i], 1e-4f);
        host_free(host, weights[i]), host_free(host, values[i + 1]);
    }
    host_free(host, values[0]);
    return right;
}

/* Weights of a neuron that sees many others are small. */
static float *make_weights(Host *host, size_t layer, uint32_t seed)
{
    const size_t count = units[layer] * (fans[layer] + 1);
    float *weights = host_floats(host, count, seed);
    for (size_t i = 0; weights && i < count; i++)
        weights[i] = (2 * weights[i] - 1) * 2 / sqrtf((float)fans[layer]);
    return weights;
}

bool claso_nn_run(Host *host, const BenchmarkRun *run)
{
    const uint32_t blocks_each = MAPS1, seed = benchmark_seed(run);
    Network network = {.images = image_counts[run->size]};
    if (run->blocks)
        network.images = (run->blocks + blocks_each - 1) / blocks_each;
    network.values[0] = host_floats(host, (size_t)network.images * IMAGE * IMAGE, seed);
    bool right = network.values[0] != NULL;
    for (size_t i = 0; i < LAYERS; i++) {
        network.weights[i] = make_weights(host, i, seed + 1 + (uint32_t)i);
        network.values[i + 1] = host_array(host, network.images * sizes[i], sizeof(float));
        right = right && network.weights[i] && network.values[i + 1];
    }
    right = right && recognize(host, &network);
    free(network.values[0]);
    for (size_t i = 0; i < LAYERS; i++)
        free(network.weights[i]), free(network.values[i + 1]);
    return right;
}
