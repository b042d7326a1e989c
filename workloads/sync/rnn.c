/* The host's part of the recurrent network: a launch for every step, which it waits for at the end, or one. */
#include "sync/sync.h"

#include <math.h>
#include <stdlib.h>

enum {
    SIDE = 16,
    BATCH = 4
}; /* as in rnn.cu, where a layer has 256 units at most; the batch is the one of sync-thesis §3.2.3.3 */

/* "Miniature versions with smaller sizes for weights so that they can fit on-chip" [sync-thesis fig. 17]:
 * one layer of 256 units takes half a megabyte, in 16 blocks. Of the full one every second block fits. */
static const struct {
    int hidden, layers, times;
} shapes[INPUT_SIZES] = {
    [INPUT_TINY] = {32, 2, 3}, [INPUT_SMALL] = {256, 1, 20}, [INPUT_FULL] = {256, 4, 50}};

/* As in rnn.cu. */
typedef struct Network {
    uint64_t weights, input, states;
    int hidden, layers, times;
} Network;

/* The same in the host's memory. */
typedef struct Model {
    float *weights, *input, *states;
    size_t hidden, layers, times;
} Model;

static float *state(const Model *model, size_t layer, size_t time)
{
    return model->states + (layer * (model->times + 1) + time) * BATCH * model->hidden;
}

/* The sums of slices first, as the threads of a block make them. */
static float multiply(const Model *model, const float *weights, const float *last, const float *below)
{
    float sum = 0;
    for (size_t slice = 0; slice < SIDE; slice++) {
        float part = 0;
        for (size_t row = slice; row < model->hidden * 2; row += SIDE) {
            const float factor = row < model->hidden ? last[row] : below[row - model->hidden];
            part = fmaf(factor, weights[row * model->hidden], part);
        }
        sum += part;
    }
    return fminf(fmaxf(sum, 0), 1);
}

static void compute(const Model *model)
{
    const size_t hidden = model->hidden;
    for (size_t layer = 0; layer < model->layers; layer++)
        for (size_t time = 0; time < model->times; time++)
            for (size_t i = 0; i < BATCH * hidden; i++) {
                const float *below =
                    layer ? state(model, layer - 1, time + 1) : model->input + time * BATCH * hidden;
                const size_t row = i / hidden * hidden;
                state(model, layer, time + 1)[i] =
                    multiply(model, model->weights + layer * 2 * hidden * hidden + i % hidden,
                             state(model, layer, time) + row, below + row);
            }
}

static WbLaunch launch_of(const Network *network)
{
    const uint32_t hidden = (uint32_t)network->hidden;
    return (WbLaunch){.grid = dim(hidden / SIDE, (uint32_t)network->layers, 1),
                      .block = dim(SIDE, SIDE, 1),
                      .shared_bytes = (hidden * 2 * BATCH + BATCH * SIDE * SIDE) * 4,
                      .argument_count = 2};
}

static void launch_steps(Host *host, const Network *network)
{
    for (int step = 0; step < network->times + network->layers - 1; step++) {
        const WbArgument arguments[] = {WB_ARG(*network), WB_ARG(step)};
        WbLaunch launch = launch_of(network);
        launch.arguments = arguments;
        host_enqueue(host, "rnn_rekl", &launch);
    }
}

static void launch_one(Host *host, const Network *network, SyncMode mode, uint64_t barrier)
{
    char kernel[32];
    const WbArgument arguments[] = {WB_ARG(*network), WB_ARG(barrier)};
    WbLaunch launch = launch_of(network);
    launch.arguments = arguments;
    host_enqueue(host, sync_kernel("rnn", mode, kernel, sizeof kernel), &launch);
}

static void run_network(Host *host, const Network *network, SyncMode mode)
{
    const uint64_t barrier = sync_barrier(host, (uint32_t)(network->hidden / SIDE * network->layers));
    sync_begin_time(host);
    if (mode == SYNC_REKL)
        launch_steps(host, network);
    else
        launch_one(host, network, mode, barrier);
    sync_end_time(host);
    host_free(host, barrier);
}

static bool run_model(Host *host, const Model *model, SyncMode mode)
{
    const size_t of_state = BATCH * model->hidden * sizeof(float);
    const size_t bytes = model->layers * (model->times + 1) * of_state;
    const Network network = {
        .weights = host_buffer(host, model->weights,
                               model->layers * 2 * model->hidden * model->hidden * sizeof(float)),
        .input = host_buffer(host, model->input, model->times * of_state),
        .states = host_buffer(host, model->states, bytes),
        .hidden = (int)model->hidden,
        .layers = (int)model->layers,
        .times = (int)model->times};
    run_network(host, &network, mode);
    compute(model);
    const bool right = host_equals(host, network.states, model->states, bytes);
    host_free(host, network.states);
    host_free(host, network.input);
    host_free(host, network.weights);
    return right;
}

/* Weights are small and of both signs, so that states neither end at 0 nor at 1. */
bool rnn_run(Host *host, const SyncRun *run)
{
    const size_t hidden = (size_t)shapes[run->size].hidden, times = (size_t)shapes[run->size].times;
    const size_t layers = run->side ? run->side : (size_t)shapes[run->size].layers;
    const size_t weights = layers * 2 * hidden * hidden;
    Model model = {.weights = host_floats(host, weights, sync_seed(run)),
                   .input = host_floats(host, times * BATCH * hidden, sync_seed(run) + 1),
                   .states = host_array(host, layers * (times + 1) * BATCH * hidden, sizeof(float)),
                   .hidden = hidden,
                   .layers = layers,
                   .times = times};
    const bool has_memory = model.weights && model.input && model.states;
    for (size_t i = 0; has_memory && i < weights; i++)
        model.weights[i] = (model.weights[i] - 0.46f) * (8.0f / (float)hidden);
    const bool right = has_memory && run_model(host, &model, run->mode);
    free(model.states);
    free(model.input);
    free(model.weights);
    return right;
}
