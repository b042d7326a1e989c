/* The host's part of back propagation: a forward step on the GPU, what the one output says of it on the host,
 * a backward step on the GPU.
 *
 * Table 2: 2 kernels, 256 blocks of 256 threads; of the first 6 fit on an SM, of the second 5. Rodinia's
 * program has 16 hidden units and a block for every 16 inputs, so there are 2,048 inputs. Small is full. */
#include "claso/claso.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 16, ROW = SIDE + 1 }; /* as in bp.cu */
static const float rate = 0.3f, momentum = 0.3f;
static const uint32_t blocks[INPUT_SIZES] = {[INPUT_TINY] = 3, [INPUT_SMALL] = 128, [INPUT_FULL] = 128};

/* Invariant: inputs and rows of weights come behind the bias's, whose input is 1. */
typedef struct Layer {
    uint32_t blocks;
    size_t inputs;            /* without the bias */
    float *values;            /* [inputs + 1] */
    float *weights, *changes; /* [inputs + 1][ROW] to hidden units; column 0 is not used */
    float *sums;              /* [blocks][SIDE] */
    float *out;               /* [ROW] weights of hidden units to the output */
} Layer;

static float squash(float x) { return 1 / (1 + expf(-x)); }

static void sum_blocks(const Layer *layer)
{
    for (size_t i = 0; i < layer->inputs; i++)
        for (size_t hidden = 0; hidden < SIDE; hidden++)
            layer->sums[i / SIDE * SIDE + hidden] +=
                layer->values[i + 1] * layer->weights[(i + 1) * ROW + hidden + 1];
}

/* How wrong hidden units are, if the output should be `target`. */
static void find_deltas(const Layer *layer, float target, float *deltas)
{
    float hidden[ROW] = {1}, sum = layer->out[0];
    for (size_t j = 1; j < ROW; j++) {
        float input = layer->weights[j];
        for (size_t block = 0; block < layer->blocks; block++)
            input += layer->sums[block * SIDE + j - 1];
        hidden[j] = squash(input);
        sum += layer->out[j] * hidden[j];
    }
    const float output = squash(sum), wrong = output * (1 - output) * (target - output);
    deltas[0] = 0;
    for (size_t j = 1; j < ROW; j++)
        deltas[j] = hidden[j] * (1 - hidden[j]) * wrong * layer->out[j];
}

static void adjust(const Layer *layer, const float *deltas)
{
    for (size_t i = 0; i <= layer->inputs; i++)
        for (size_t j = 1; j < ROW; j++) {
            float *change = &layer->changes[i * ROW + j];
            *change = rate * deltas[j] * layer->values[i] + momentum * *change;
            layer->weights[i * ROW + j] += *change;
        }
}

static bool learn(Host *host, const Layer *layer)
{
    const size_t rows = layer->inputs + 1, bytes = rows * ROW * sizeof(float);
    const size_t sums = (size_t)layer->blocks * SIDE;
    float deltas[ROW];
    const uint64_t inputs = host_buffer(host, layer->values, rows * sizeof(float));
    const uint64_t weights = host_buffer(host, layer->weights, bytes);
    const uint64_t changes = host_buffer(host, layer->changes, bytes);
    const uint64_t partial = host_buffer(host, NULL, sums * sizeof(float));
    const uint64_t wrong = host_buffer(host, NULL, sizeof deltas);
    host_registers(host, "bp_adjust", 24); /* 22 to 25: 5 blocks of 256 threads on Fermi */
    HOST_LAUNCH(host, "bp_forward", dim(1, layer->blocks, 1), dim(SIDE, SIDE, 1), WB_ARG(inputs),
                WB_ARG(weights), WB_ARG(partial));
    sum_blocks(layer);
    bool right = benchmark_near(host, partial, layer->sums, sums, 1e-5f);
    find_deltas(layer, 0.1f, deltas);
    host_write(host, wrong, deltas, sizeof deltas);
    host_write(host, weights, layer->weights, bytes);
    HOST_LAUNCH(host, "bp_adjust", dim(1, layer->blocks, 1), dim(SIDE, SIDE, 1), WB_ARG(wrong),
                WB_ARG(inputs), WB_ARG(weights), WB_ARG(changes));
    adjust(layer, deltas);
    right = right && benchmark_near(host, weights, layer->weights, rows * ROW, 1e-5f) &&
            benchmark_near(host, changes, layer->changes, rows * ROW, 1e-5f);
    host_free(host, inputs), host_free(host, weights), host_free(host, changes);
    host_free(host, partial), host_free(host, wrong);
    return right;
}

bool claso_bp_run(Host *host, const BenchmarkRun *run)
{
    const uint32_t grid = run->blocks ? run->blocks : blocks[run->size];
    const size_t inputs = (size_t)grid * SIDE, rows = inputs + 1, weights = rows * ROW;
    float *values = host_floats(host, rows + 2 * weights + ROW, benchmark_seed(run));
    float *sums = host_array(host, inputs, sizeof *sums);
    bool right = false;
    if (values && sums) {
        const Layer layer = {
            grid, inputs, values, values + rows, values + rows + weights, sums, values + rows + 2 * weights};
        for (size_t i = rows; i < rows + 2 * weights; i++)
            values[i] = (values[i] - 0.5f) / 8; /* small, so that no hidden unit is sure of itself */
        values[0] = 1;
        right = learn(host, &layer);
    }
    free(sums);
    free(values);
    return right;
}
