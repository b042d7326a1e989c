/* Weights on their way to the device: read from wherever the user has them, made floats, packed, written. NaN
 * and infinity are values like others. */
#include "pack.h"
#include "network.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

/* Floats of one layer on their way. All may be null. */
typedef struct Staged {
    float *w_input, *w_state, *b_input, *b_state;
    WbRnnWeights extra; /* period, shift, open, peephole and leak, on the host */
    float *extras[4];
} Staged;

static size_t matrix_count(const WbRnn *rnn, uint32_t inputs)
{
    return (size_t)plan_gates(rnn->shape.kind) * rnn->shape.hidden * (inputs / rnn->shape.groups);
}

static size_t bias_count(const WbRnn *rnn)
{
    return (size_t)plan_gates(rnn->shape.kind) * rnn->shape.hidden;
}

/* Whether a layer's input matrix stays as the user gave it. */
static bool is_plain(const WbRnn *rnn, uint32_t layer)
{
    return rnn->plan.inputs_ahead || (layer == 0 && rnn->plan.input_ahead);
}

/* Elements of a packed matrix. */
static size_t packed_count(const WbRnn *rnn)
{
    return rnn->shape.type == WBRNN_F32 ? pack_count(&rnn->shape, &rnn->plan) : pack_half_count(&rnn->plan);
}

static size_t input_elements(const WbRnn *rnn, uint32_t layer)
{
    return is_plain(rnn, layer) ? matrix_count(rnn, network_inputs(rnn, layer)) : packed_count(rnn);
}

/* -- memory -- */

WbRnnStatus weights_allocate(WbRnn *rnn)
{
    RnnDevice *device = rnn->device;
    const size_t bytes = network_type_bytes(rnn), packed = packed_count(rnn) * bytes;
    WbRnnStatus status = WBRNN_OK;
    for (uint32_t layer = 0; layer < rnn->shape.layers && !status; layer++) {
        RnnWeightsAt *at = &rnn->weights[layer];
        status = device->calls->allocate(device, input_elements(rnn, layer) * bytes, &at->w_input);
        if (!status)
            status = device->calls->allocate(device, packed, &at->w_state);
        if (!status)
            status =
                device->calls->allocate(device, (size_t)rnn->shape.hidden * 4 * sizeof(float), &at->bias);
        if (!status && rnn->shape.kind == WBRNN_PHASED_LSTM)
            status =
                device->calls->allocate(device, (size_t)rnn->shape.hidden * 8 * sizeof(float), &at->extra);
    }
    return network_device(rnn, status);
}

void weights_release(WbRnn *rnn)
{
    for (uint32_t layer = 0; layer < JOB_LAYERS; layer++) {
        const RnnWeightsAt *at = &rnn->weights[layer];
        const uint64_t parts[] = {at->w_input, at->w_state, at->bias, at->extra};
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (parts[i])
                rnn->device->calls->release(rnn->device, parts[i]);
    }
}

/* -- reading -- */

/* Reads `count` floats; *floats is null where `from` is. */
static WbRnnStatus read_floats(WbRnn *rnn, const void *from, size_t count, float **floats)
{
    if (!from)
        return WBRNN_OK;
    *floats = malloc(count * sizeof **floats);
    if (!*floats)
        return network_fail(rnn, WBRNN_MEMORY, "There is no memory for %zu weights.", count);
    return network_device(rnn, rnn->device->calls->read(rnn->device, *floats, from, count * sizeof **floats));
}

/* The same, of the network's type. Halves are read into the end of the floats and grow from there. */
static WbRnnStatus read_values(WbRnn *rnn, const void *from, size_t count, float **floats)
{
    if (rnn->shape.type == WBRNN_F32 || !from)
        return read_floats(rnn, from, count, floats);
    *floats = malloc(count * sizeof **floats);
    if (!*floats)
        return network_fail(rnn, WBRNN_MEMORY, "There is no memory for %zu weights.", count);
    uint16_t *halves = (uint16_t *)*floats + count;
    const WbRnnStatus status = rnn->device->calls->read(rnn->device, halves, from, count * sizeof *halves);
    for (size_t i = 0; i < count && !status; i++) {
        uint16_t bits;
        memcpy(&bits, &halves[i], sizeof bits);
        const float value = reference_from_half(rnn->shape.type, bits);
        memcpy(&(*floats)[i], &value, sizeof value);
    }
    return network_device(rnn, status);
}

static WbRnnStatus read_extras(WbRnn *rnn, const WbRnnWeights *weights, Staged *staged)
{
    if (rnn->shape.kind != WBRNN_PHASED_LSTM)
        return WBRNN_OK;
    const size_t hidden = rnn->shape.hidden;
    const float *const from[] = {weights->period, weights->shift, weights->open, weights->peephole};
    WbRnnStatus status = WBRNN_OK;
    for (size_t i = 0; i < 4 && !status; i++)
        status = read_floats(rnn, from[i], i == 3 ? 3 * hidden : hidden, &staged->extras[i]);
    staged->extra = (WbRnnWeights){.period = staged->extras[0], .shift = staged->extras[1],
                                   .open = staged->extras[2], .peephole = staged->extras[3],
                                   .leak = weights->leak};
    return status;
}

static WbRnnStatus read_layer(WbRnn *rnn, uint32_t layer, const WbRnnWeights *weights, Staged *staged)
{
    WbRnnStatus status = read_values(rnn, weights->w_input, matrix_count(rnn, network_inputs(rnn, layer)),
                                     &staged->w_input);
    if (!status)
        status = read_values(rnn, weights->w_state, matrix_count(rnn, rnn->shape.hidden), &staged->w_state);
    if (!status)
        status = read_values(rnn, weights->b_input, bias_count(rnn), &staged->b_input);
    if (!status)
        status = read_values(rnn, weights->b_state, bias_count(rnn), &staged->b_state);
    return status ? status : read_extras(rnn, weights, staged);
}

static void free_staged(Staged *staged)
{
    free(staged->w_input);
    free(staged->w_state);
    free(staged->b_input);
    free(staged->b_state);
    for (size_t i = 0; i < 4; i++)
        free(staged->extras[i]);
}

/* -- writing -- */

/* Writes floats as values of the network's type; they are gone afterwards. */
static WbRnnStatus write_values(WbRnn *rnn, uint64_t to, float *floats, size_t count)
{
    const size_t bytes = network_type_bytes(rnn);
    if (bytes != sizeof *floats)
        for (size_t i = 0; i < count; i++) {
            const uint16_t half = reference_to_half(rnn->shape.type, floats[i]);
            memcpy((uint16_t *)floats + i, &half, sizeof half);
        }
    return network_device(rnn, rnn->device->calls->write(rnn->device, to, floats, count * bytes));
}

static WbRnnStatus write_matrix(WbRnn *rnn, uint32_t inputs, bool of_state, const float *from, uint64_t to)
{
    const size_t count = packed_count(rnn);
    float *packed = malloc(count * sizeof *packed);
    if (!packed)
        return network_fail(rnn, WBRNN_MEMORY, "There is no memory to pack %zu weights.", count);
    if (rnn->shape.type == WBRNN_F32)
        pack_matrix(&rnn->shape, &rnn->plan, inputs, from, packed);
    else
        pack_half_matrix(&rnn->shape, &rnn->plan, inputs, of_state, from, packed);
    const WbRnnStatus status = write_values(rnn, to, packed, count);
    free(packed);
    return status;
}

/* Biases and what a phased LSTM has besides: floats whatever the type is. */
static WbRnnStatus write_units(WbRnn *rnn, const RnnWeightsAt *at, const Staged *staged)
{
    const size_t hidden = rnn->shape.hidden;
    float *units = malloc(hidden * 8 * sizeof *units);
    if (!units)
        return network_fail(rnn, WBRNN_MEMORY, "There is no memory to pack %zu biases.", hidden * 4);
    pack_bias(&rnn->shape, staged->b_input, staged->b_state, units);
    WbRnnStatus status = rnn->device->calls->write(rnn->device, at->bias, units, hidden * 4 * sizeof *units);
    if (!status && at->extra) {
        pack_extra(&rnn->shape, &staged->extra, units);
        status = rnn->device->calls->write(rnn->device, at->extra, units, hidden * 8 * sizeof *units);
    }
    free(units);
    return network_device(rnn, status);
}

static WbRnnStatus write_layer(WbRnn *rnn, uint32_t layer, const Staged *staged)
{
    const RnnWeightsAt *at = &rnn->weights[layer];
    WbRnnStatus status = write_matrix(rnn, rnn->shape.hidden, true, staged->w_state, at->w_state);
    if (!status && is_plain(rnn, layer))
        status = write_values(rnn, at->w_input, staged->w_input, input_elements(rnn, layer));
    else if (!status)
        status = write_matrix(rnn, network_inputs(rnn, layer), false, staged->w_input, at->w_input);
    return status ? status : write_units(rnn, at, staged);
}

/* -- checking -- */

static WbRnnStatus check_count(WbRnn *rnn, uint32_t layer, const char *what, size_t count, size_t needed)
{
    if (count == needed)
        return WBRNN_OK;
    return network_fail(rnn, WBRNN_INVALID,
                        "%s of layer %u has %zu elements, but a %s with %u units and %u inputs has %zu.",
                        what, layer, count, wbrnn_kind_name(rnn->shape.kind), rnn->shape.hidden,
                        network_inputs(rnn, layer), needed);
}

static WbRnnStatus check_layer(WbRnn *rnn, uint32_t layer, const WbRnnWeights *weights)
{
    if (layer >= rnn->shape.layers)
        return network_fail(rnn, WBRNN_INVALID, "There is no layer %u; the network has layers 0 to %u.",
                            layer, rnn->shape.layers - 1);
    if (!weights || !weights->w_input || !weights->w_state)
        return network_fail(rnn, WBRNN_INVALID, "Layer %u needs both matrices, w_input and w_state.", layer);
    if (rnn->shape.kind == WBRNN_PHASED_LSTM && (!weights->period || !weights->shift || !weights->open))
        return network_fail(rnn, WBRNN_INVALID,
                            "Layer %u of a phased LSTM needs period, shift and open of its time gates.",
                            layer);
    WbRnnStatus status = check_count(rnn, layer, "w_input", weights->w_input_count,
                                     matrix_count(rnn, network_inputs(rnn, layer)));
    if (!status)
        status = check_count(rnn, layer, "w_state", weights->w_state_count,
                             matrix_count(rnn, rnn->shape.hidden));
    if (!status && (weights->b_input || weights->b_state))
        status = check_count(rnn, layer, "A bias", weights->bias_count, bias_count(rnn));
    return status;
}

/* -- calls -- */

WbRnnStatus wbrnn_set_weights(WbRnn *rnn, uint32_t layer, const WbRnnWeights *weights)
{
    if (!rnn || !rnn->ready)
        return WBRNN_INVALID;
    WbRnnStatus status = check_layer(rnn, layer, weights);
    if (status)
        return status;
    Staged staged = {0};
    status = read_layer(rnn, layer, weights, &staged);
    if (!status && rnn->has_run) /* which reads the weights that this overwrites */
        status = network_device(rnn, rnn->device->calls->event_finish(rnn->device, rnn->end));
    if (!status)
        status = write_layer(rnn, layer, &staged);
    if (!status)
        rnn->weights[layer].set = true;
    free_staged(&staged);
    return status;
}

static size_t cudnn_count(const WbRnn *rnn)
{
    size_t count = rnn->shape.layers * 2 * bias_count(rnn);
    for (uint32_t layer = 0; layer < rnn->shape.layers; layer++)
        count += matrix_count(rnn, network_inputs(rnn, layer)) + matrix_count(rnn, rnn->shape.hidden);
    return count;
}

WbRnnStatus wbrnn_set_weights_cudnn(WbRnn *rnn, const void *buffer, size_t count)
{
    if (!rnn || !rnn->ready)
        return WBRNN_INVALID;
    if (rnn->shape.kind == WBRNN_PHASED_LSTM || rnn->shape.groups > 1)
        return network_fail(
            rnn, WBRNN_INVALID,
            "cuDNN has no phased LSTMs and no groups; use wbrnn_set_weights() for this network.");
    if (!buffer)
        return network_fail(rnn, WBRNN_INVALID, "No buffer of weights was given.");
    const size_t needed = cudnn_count(rnn);
    if (count != needed)
        return network_fail(
            rnn, WBRNN_INVALID,
            "The buffer has %zu weights, but cuDNN has %zu for this network, biases included.", count,
            needed);
    const size_t bytes = network_type_bytes(rnn), biases = bias_count(rnn);
    const char *matrix = buffer, *bias = matrix + (needed - rnn->shape.layers * 2 * biases) * bytes;
    WbRnnStatus status = WBRNN_OK;
    for (uint32_t layer = 0; layer < rnn->shape.layers && !status; layer++) {
        WbRnnWeights weights = {.w_input_count = matrix_count(rnn, network_inputs(rnn, layer)),
                                .w_state_count = matrix_count(rnn, rnn->shape.hidden),
                                .bias_count = biases,
                                .w_input = matrix,
                                .b_input = bias,
                                .b_state = bias + biases * bytes};
        weights.w_state = matrix + weights.w_input_count * bytes;
        status = wbrnn_set_weights(rnn, layer, &weights);
        matrix += (weights.w_input_count + weights.w_state_count) * bytes;
        bias += 2 * biases * bytes;
    }
    return status;
}
