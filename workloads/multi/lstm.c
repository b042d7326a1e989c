/* The host's part of the recurrent network: layers are handed out to GPUs, and all that they give is compared
 * with what they give here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "multi/multi.h"

/* As in lstm.cu. */
typedef struct Layers {
    uint64_t weights, biases, outputs, cells, input;
    int32_t below, first, units, steps;
} Layers;

enum { UNITS = 8, MOST = 512 }; /* as in lstm.cu */

/* Invariant: outputs and the input begin with a step of zeros; weights and biases lie as in lstm.cu, of all
 * layers. */
typedef struct Network {
    uint32_t layers, units, steps;
    float *weights, *biases, *input, *outputs;
} Network;

static size_t layer_weights(const Network *network) { return (size_t)network->units * 8 * network->units; }
static size_t layer_outputs(const Network *network) { return (size_t)(network->steps + 1) * network->units; }

static void free_network(Network *network)
{
    free(network->outputs);
    free(network->input);
    free(network->biases);
    free(network->weights);
}

/* Random numbers from -scale to scale. */
static void fill(float *values, size_t count, float scale, uint32_t *seed)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (2 * random_float(seed) - 1) * scale;
}

/* Weights are so small that the sum of a unit's is about 1. */
static bool make_network(Host *host, Network *network, uint32_t seed)
{
    const size_t weights = network->layers * layer_weights(network);
    const size_t biases = (size_t)network->layers * network->units * 4;
    network->weights = host_array(host, weights, sizeof(float));
    network->biases = host_array(host, biases, sizeof(float));
    network->input = host_array(host, layer_outputs(network), sizeof(float));
    network->outputs = host_array(host, network->layers * layer_outputs(network), sizeof(float));
    if (!network->weights || !network->biases || !network->input || !network->outputs)
        return false;
    fill(network->weights, weights, 1.0f / sqrtf((float)network->units), &seed);
    fill(network->biases, biases, 0.1f, &seed);
    fill(network->input + network->units, layer_outputs(network) - network->units, 1.0f, &seed);
    return true;
}

static float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

static float gate_of(const Network *network, const float *weights, const float *below, const float *before)
{
    float sum = 0;
    for (uint32_t i = 0; i < network->units; i++)
        sum += weights[i] * below[i] + weights[network->units + i] * before[i];
    return sum;
}

/* A layer at all steps; `cells` has a number for each unit. */
static void compute_layer(const Network *network, uint32_t layer, float *cells)
{
    const uint32_t units = network->units;
    float *outputs = network->outputs + layer * layer_outputs(network);
    const float *below = layer ? outputs - layer_outputs(network) : network->input;
    memset(cells, 0, units * sizeof *cells);
    for (uint32_t step = 0; step < network->steps; step++)
        for (uint32_t unit = 0; unit < units; unit++) {
            float gates[4];
            for (uint32_t gate = 0; gate < 4; gate++) {
                const size_t row = ((size_t)layer * units + unit) * 4 + gate;
                gates[gate] = network->biases[row] + gate_of(network, network->weights + row * 2 * units,
                                                             below + (size_t)(step + 1) * units,
                                                             outputs + (size_t)step * units);
            }
            cells[unit] = sigmoid(gates[1]) * cells[unit] + sigmoid(gates[0]) * tanhf(gates[2]);
            outputs[(size_t)(step + 1) * units + unit] = sigmoid(gates[3]) * tanhf(cells[unit]);
        }
}

/* The input of a GPU's first layer: outputs of the GPU below where they lie, or where it is sent them. */
static uint64_t input_of(Multi *multi, const Network *network, uint32_t gpu,
                         const uint64_t outputs[MULTI_GPUS])
{
    const size_t floats = layer_outputs(network), before = network->layers / multi->count - 1;
    if (gpu && multi_is_near(multi, gpu - 1, gpu))
        return outputs[gpu - 1] + before * floats * sizeof(float);
    return multi_buffer(multi, gpu, gpu ? NULL : network->input, floats * sizeof(float));
}

/* inputs[i]: where GPU i is sent its input by a GPU of another node, or 0. */
static void place(Multi *multi, const Network *network, uint64_t addresses[MULTI_GPUS],
                  uint64_t outputs[MULTI_GPUS], uint64_t inputs[MULTI_GPUS])
{
    const uint32_t each = network->layers / multi->count, units = network->units;
    const size_t floats = each * layer_outputs(network);
    for (uint32_t i = 0; i < multi->count; i++) {
        const uint32_t first = i * each;
        outputs[i] = multi_buffer(multi, i, NULL, floats * sizeof(float));
        const Layers layers = {
            .weights = multi_buffer(multi, i, network->weights + first * layer_weights(network),
                                    each * layer_weights(network) * sizeof(float)),
            .biases = multi_buffer(multi, i, network->biases + (size_t)first * units * 4,
                                   (size_t)each * units * 4 * sizeof(float)),
            .outputs = outputs[i],
            .cells = multi_buffer(multi, i, NULL, (size_t)each * units * sizeof(float)),
            .input = input_of(multi, network, i, outputs),
            .below = (int32_t)i - 1,
            .first = (int32_t)first,
            .units = (int32_t)units,
            .steps = (int32_t)network->steps};
        addresses[i] = multi_buffer(multi, i, &layers, sizeof layers);
        inputs[i] = i && !multi_is_near(multi, i - 1, i) ? layers.input : 0;
    }
}

static void launch_all(Multi *multi, const Network *network, const uint64_t layers[MULTI_GPUS],
                       const uint64_t inputs[MULTI_GPUS])
{
    char kernel[32];
    uint64_t groups[MULTI_GPUS] = {0};
    const bool by_host = multi->run->mode == MULTI_HOST;
    const uint32_t argument_count = by_host ? 2 : multi->run->mode == MULTI_NETWORK ? 4 : 3;
    const int32_t waves = (int32_t)(network->layers + network->steps - 1);
    const WbDim3 grid = dim(network->units / UNITS, network->layers / multi->count, 1);
    multi_kernel(multi, "lstm", kernel, sizeof kernel);
    if (!by_host)
        multi_groups(multi, groups);
    multi_begin_time(multi);
    for (int32_t wave = 0; wave < (by_host ? waves : 1); wave++) {
        for (uint32_t i = 0; i < multi->count; i++) {
            const uint64_t to = i + 1 < multi->count ? inputs[i + 1] : 0;
            const WbArgument arguments[] = {WB_ARG(layers[i]), by_host ? WB_ARG(wave) : WB_ARG(waves),
                                            WB_ARG(groups[i]), WB_ARG(to)};
            multi_launch(multi, i, kernel, grid, dim(UNITS * 32, 1, 1), arguments, argument_count);
        }
        multi_wait(multi);
    }
    multi_end_time(multi);
}

/* The GPU adds up in another order and approximates functions. */
static bool is_near(Multi *multi, uint32_t gpu, uint64_t address, const float *expected, size_t count)
{
    float *got = host_array(&multi->parts[gpu], count, sizeof *got);
    bool near = got != NULL;
    if (got)
        host_read(&multi->parts[gpu], got, address, count * sizeof *got);
    for (size_t i = 0; near && i < count; i++)
        near = fabsf(got[i] - expected[i]) <= 1e-4f;
    free(got);
    return near && multi->parts[gpu].status == WB_OK;
}

static bool run_network(Multi *multi, Network *network)
{
    uint64_t layers[MULTI_GPUS], outputs[MULTI_GPUS], inputs[MULTI_GPUS];
    const uint32_t each = network->layers / multi->count;
    float *cells = host_array(&multi->parts[0], network->units, sizeof *cells);
    bool right = cells && make_network(&multi->parts[0], network, multi_seed(multi));
    if (right) {
        place(multi, network, layers, outputs, inputs);
        launch_all(multi, network, layers, inputs);
        for (uint32_t layer = 0; layer < network->layers; layer++)
            compute_layer(network, layer, cells);
    }
    for (uint32_t i = 0; right && i < multi->count; i++)
        right = multi_is_fine(multi) &&
                is_near(multi, i, outputs[i], network->outputs + i * each * layer_outputs(network),
                        each * layer_outputs(network));
    free(cells);
    free_network(network);
    return right;
}

/* So many layers that GPUs divide them: eight, or two for each GPU. */
bool multi_lstm_run(Multi *multi)
{
    static const uint32_t layers[INPUT_SIZES] = {[INPUT_TINY] = 8, [INPUT_SMALL] = 8, [INPUT_FULL] = 8};
    static const uint32_t units[INPUT_SIZES] = {[INPUT_TINY] = 16, [INPUT_SMALL] = 256, [INPUT_FULL] = 512};
    static const uint32_t steps[INPUT_SIZES] = {[INPUT_TINY] = 3, [INPUT_SMALL] = 16, [INPUT_FULL] = 64};
    const MultiRun *run = multi->run;
    const uint32_t wanted = run->side ? run->side : units[run->size];
    const uint32_t all = multi->program->is_weak ? layers[run->size] / 4 * multi->count : layers[run->size];
    Network network = {.layers = (all + multi->count - 1) / multi->count * multi->count,
                       .units = wanted > MOST ? MOST : (wanted + UNITS - 1) / UNITS * UNITS,
                       .steps = run->steps ? run->steps : steps[run->size]};
    return run_network(multi, &network);
}
