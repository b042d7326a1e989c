/* The host's part of a layer of a convolutional network: 6 launches, which it waits for at the end, or one. */
#include "sync/sync.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE = 16, CHANNELS = 3, TAPS = 9, DEPTH = CHANNELS * TAPS }; /* as in cnn.cu */

/* The first layer of Tiny YOLO (the network that the thesis names; 16 filters of 3 x 3 on three colours), on an
 * image of so many pixels on a side: the small one fits on the chip [sync-thesis fig. 17], a block for 16
 * pixels; of the full one only every eighth block does. */
static const uint32_t sides[INPUT_SIZES] = {[INPUT_TINY] = 12, [INPUT_SMALL] = 32, [INPUT_FULL] = 112};

/* As in cnn.cu. */
typedef struct Layer {
    uint64_t image, padded, columns, filters, mean, factor, gain, bias, out;
    int side;
} Layer;

/* What the layer is computed from here. Invariant: `image` has CHANNELS x side x side bytes; of filters there
 * are SIDE. */
typedef struct Model {
    size_t side;
    uint8_t *image;
    float *filters, *mean, *factor, *gain, *bias;
} Model;

static float pixel(const Model *model, size_t channel, ptrdiff_t x, ptrdiff_t y)
{
    const ptrdiff_t side = (ptrdiff_t)model->side;
    const bool is_inside = x >= 0 && y >= 0 && x < side && y < side;
    return is_inside ? (float)model->image[(ptrdiff_t)channel * side * side + y * side + x] / 256 : 0;
}

static float convolve(const Model *model, size_t filter, size_t x, size_t y)
{
    float sum = 0;
    for (size_t i = 0; i < DEPTH; i++) {
        const size_t tap = i % TAPS;
        sum = fmaf(model->filters[filter * DEPTH + i],
                   pixel(model, i / TAPS, (ptrdiff_t)(x + tap % 3) - 1, (ptrdiff_t)(y + tap / 3) - 1), sum);
    }
    return sum;
}

static void compute(const Model *model, float *out)
{
    for (size_t filter = 0; filter < SIDE; filter++)
        for (size_t y = 0; y < model->side; y++)
            for (size_t x = 0; x < model->side; x++) {
                const float centred = convolve(model, filter, x, y) - model->mean[filter];
                const float normal = centred * model->factor[filter];
                const float value = fmaf(normal, model->gain[filter], model->bias[filter]);
                *out++ = value > 0 ? value : 0.125f * value;
            }
}

static void launch_six(Host *host, const Layer *layer)
{
    const uint32_t side = (uint32_t)layer->side, pixels = side * side, wide = side + 2, threads = SIDE * SIDE;
    const struct {
        const char *kernel;
        uint32_t blocks;
    } steps[] = {{"cnn_pad", (CHANNELS * wide * wide + threads - 1) / threads},
                 {"cnn_im2col", (CHANNELS * pixels + threads - 1) / threads},
                 {"cnn_multiply", pixels / SIDE},
                 {"cnn_normalize", pixels / SIDE},
                 {"cnn_scale", pixels / SIDE},
                 {"cnn_activate", pixels / SIDE}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        host_enqueue(host, steps[i].kernel,
                     &(WbLaunch){.grid = dim(steps[i].blocks, 1, 1),
                                 .block = dim(SIDE, SIDE, 1),
                                 .arguments = (const WbArgument[]){WB_ARG(*layer)},
                                 .argument_count = 1});
}

static void launch_one(Host *host, const Layer *layer, SyncMode mode, uint64_t barrier)
{
    char kernel[32];
    const uint32_t pixels = (uint32_t)(layer->side * layer->side);
    const WbArgument arguments[] = {WB_ARG(*layer), WB_ARG(barrier)};
    host_enqueue(host, sync_kernel("cnn", mode, kernel, sizeof kernel),
                 &(WbLaunch){.grid = dim(pixels / SIDE, 1, 1),
                             .block = dim(SIDE, SIDE, 1),
                             .arguments = arguments,
                             .argument_count = 2});
}

static void run_layer(Host *host, const Layer *layer, SyncMode mode)
{
    const uint64_t barrier = sync_barrier(host, (uint32_t)(layer->side * layer->side) / SIDE);
    sync_begin_time(host);
    if (mode == SYNC_REKL)
        launch_six(host, layer);
    else
        launch_one(host, layer, mode, barrier);
    sync_end_time(host);
    host_free(host, barrier);
}

static bool run_model(Host *host, const Model *model, SyncMode mode, float *expected)
{
    const size_t pixels = model->side * model->side, of_filters = SIDE * sizeof(float);
    const size_t bytes = pixels * of_filters;
    const Layer layer = {
        .image = host_buffer(host, model->image, CHANNELS * pixels),
        .padded = host_buffer(host, NULL, CHANNELS * (model->side + 2) * (model->side + 2) * sizeof(float)),
        .columns = host_buffer(host, NULL, DEPTH * pixels * sizeof(float)),
        .filters = host_buffer(host, model->filters, DEPTH * of_filters),
        .mean = host_buffer(host, model->mean, of_filters),
        .factor = host_buffer(host, model->factor, of_filters),
        .gain = host_buffer(host, model->gain, of_filters),
        .bias = host_buffer(host, model->bias, of_filters),
        .out = host_buffer(host, NULL, bytes),
        .side = (int)model->side};
    const uint64_t buffers[] = {layer.image,  layer.padded, layer.columns, layer.filters, layer.mean,
                                layer.factor, layer.gain,   layer.bias,    layer.out};
    run_layer(host, &layer, mode);
    compute(model, expected);
    const bool right = host_equals(host, layer.out, expected, bytes);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        host_free(host, buffers[i]);
    return right;
}

bool cnn_run(Host *host, const SyncRun *run)
{
    const uint32_t wanted = run->side ? run->side : sides[run->size], seed = sync_seed(run);
    const size_t side = (wanted + 3) / 4 * 4, pixels = side * side; /* blocks take 16 pixels */
    uint32_t state = seed;
    float *values = host_floats(host, SIDE * (DEPTH + 4), seed);
    float *expected = host_array(host, SIDE * pixels, sizeof *expected);
    uint8_t *image = host_array(host, CHANNELS * pixels, 1);
    bool right = false;
    if (values && expected && image) {
        for (size_t i = 0; i < CHANNELS * pixels; i++)
            image[i] = (uint8_t)(random_next(&state) >> 24);
        for (size_t i = 0; i < SIDE * DEPTH; i++)
            values[i] -= 0.5f;
        float *rest = values + SIDE * DEPTH;
        const Model model = {side, image, values, rest, rest + SIDE, rest + SIDE * 2, rest + SIDE * 3};
        right = run_model(host, &model, run->mode, expected);
    }
    free(image);
    free(expected);
    free(values);
    return right;
}
