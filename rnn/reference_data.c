/* Made-up networks, the same on every host, and runs of them. */
#include "plan.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS = 16 }; /* at most, of a network */

static uint32_t next_random(uint32_t *state)
{
    return *state = *state * 1664525u + 1013904223u;
}

static void fill(float *values, size_t count, float bound, uint32_t *state)
{
    for (size_t i = 0; i < count; i++) /* the upper 24 bits are random, and exact in a float */
        values[i] = bound * ((float)(next_random(state) >> 8) * 0x1p-23f - 1);
}

/* Periods of 2 to 16 steps. Periods and shares are multiples of 1/32, shifts odd multiples of 1/64, so that a
 * step never hits an edge of its gate, where a float's error would decide on which side it is. */
static void fill_time_gate(float *period, float *shift, float *open, uint32_t count, uint32_t *state)
{
    for (uint32_t unit = 0; unit < count; unit++) {
        const uint32_t length = 4 * (32 + (next_random(state) >> 16) % 225); /* in 1/64 of a step */
        const uint32_t share = 2 * (length / 16 + (next_random(state) >> 16) % (length / 4));
        period[unit] = (float)length / 64;
        shift[unit] = (float)((next_random(state) >> 16) % (length / 2) * 2 + 1) / 64;
        open[unit] = (float)share / (float)length;
    }
}

/* Takes `count` floats of memory; with none, only counts. */
static float *take(float *memory, size_t *used, size_t count)
{
    float *taken = memory ? memory + *used : NULL;
    *used += count;
    return taken;
}

/* Points everything into `memory`, w_input[0] to its begin, and returns how many floats it is. */
static size_t lay_out(const WbRnnShape *shape, uint32_t steps, float *memory, ReferenceData *data)
{
    const size_t hidden = shape->hidden, groups = shape->groups ? shape->groups : 1;
    const size_t rows = plan_gates(shape->kind) * hidden, states = shape->layers * shape->batch * hidden;
    size_t used = 0;
    data->bias_count = rows;
    for (uint32_t layer = 0; layer < shape->layers; layer++) {
        data->w_input_count[layer] = rows * ((layer ? hidden : shape->input) / groups);
        data->w_state_count[layer] = rows * (hidden / groups);
        data->w_input[layer] = take(memory, &used, data->w_input_count[layer]);
        data->w_state[layer] = take(memory, &used, data->w_state_count[layer]);
        data->b_input[layer] = take(memory, &used, rows);
        data->b_state[layer] = take(memory, &used, rows);
        if (shape->kind != WBRNN_PHASED_LSTM)
            continue;
        data->period[layer] = take(memory, &used, hidden);
        data->shift[layer] = take(memory, &used, hidden);
        data->open[layer] = take(memory, &used, hidden);
        data->peephole[layer] = take(memory, &used, 3 * hidden);
    }
    data->x = take(memory, &used, (size_t)steps * shape->batch * shape->input);
    data->h0 = take(memory, &used, states);
    data->c0 = take(memory, &used, states);
    return used;
}

bool reference_data(const WbRnnShape *shape, uint32_t steps, uint32_t seed, ReferenceData *data)
{
    *data = (ReferenceData){.leak = 0.001f};
    float *memory = malloc(lay_out(shape, steps, NULL, data) * sizeof *memory);
    if (!memory)
        return false;
    lay_out(shape, steps, memory, data);
    const float bound = 1 / sqrtf((float)shape->hidden);
    const size_t states = (size_t)shape->layers * shape->batch * shape->hidden;
    for (uint32_t layer = 0; layer < shape->layers; layer++) {
        fill(data->w_input[layer], data->w_input_count[layer], bound, &seed);
        fill(data->w_state[layer], data->w_state_count[layer], bound, &seed);
        fill(data->b_input[layer], data->bias_count, bound, &seed);
        fill(data->b_state[layer], data->bias_count, bound, &seed);
        if (shape->kind != WBRNN_PHASED_LSTM)
            continue;
        fill_time_gate(data->period[layer], data->shift[layer], data->open[layer], shape->hidden, &seed);
        fill(data->peephole[layer], 3 * (size_t)shape->hidden, bound, &seed);
    }
    fill(data->x, (size_t)steps * shape->batch * shape->input, 1, &seed);
    fill(data->h0, states, 1, &seed);
    fill(data->c0, states, 1, &seed);
    return true;
}

void reference_free(ReferenceData *data)
{
    free(data->w_input[0]);
    *data = (ReferenceData){0};
}

/* Puts rounded values where *to points, and that behind them. Null stays null. */
static const double *round_all(WbRnnType type, const float *from, size_t count, double **to)
{
    if (!from)
        return NULL;
    double *rounded = *to;
    for (size_t i = 0; i < count; i++)
        rounded[i] = reference_round(type, from[i]);
    *to += count;
    return rounded;
}

static ReferenceWeights round_layer(const WbRnnShape *shape, const ReferenceData *data, uint32_t layer,
                                    double **to)
{
    const WbRnnType type = shape->type;
    ReferenceWeights weights = {
        .w_input = round_all(type, data->w_input[layer], data->w_input_count[layer], to),
        .w_state = round_all(type, data->w_state[layer], data->w_state_count[layer], to),
        .b_input = round_all(type, data->b_input[layer], data->bias_count, to),
        .b_state = round_all(type, data->b_state[layer], data->bias_count, to),
        .leak = data->leak,
    };
    if (shape->kind == WBRNN_PHASED_LSTM) { /* these are floats in networks of all types */
        weights.period = round_all(WBRNN_F32, data->period[layer], shape->hidden, to);
        weights.shift = round_all(WBRNN_F32, data->shift[layer], shape->hidden, to);
        weights.open = round_all(WBRNN_F32, data->open[layer], shape->hidden, to);
        weights.peephole = round_all(WBRNN_F32, data->peephole[layer], 3 * (size_t)shape->hidden, to);
    }
    return weights;
}

WbRnnWeights reference_weights(const ReferenceData *data, uint32_t layer)
{
    return (WbRnnWeights){.w_input = data->w_input[layer], .w_state = data->w_state[layer],
                          .b_input = data->b_input[layer], .b_state = data->b_state[layer],
                          .w_input_count = data->w_input_count[layer],
                          .w_state_count = data->w_state_count[layer], .bias_count = data->bias_count,
                          .period = data->period[layer], .shift = data->shift[layer],
                          .open = data->open[layer], .peephole = data->peephole[layer], .leak = data->leak};
}

bool reference_run_data(const WbRnnShape *shape, const ReferenceData *data, uint32_t steps,
                        const uint32_t *lengths, double *y, double *hn, double *cn)
{
    ReferenceData unused = {0};
    double *memory = malloc(lay_out(shape, steps, NULL, &unused) * sizeof *memory), *rest = memory;
    if (!memory)
        return false;
    const size_t states = (size_t)shape->layers * shape->batch * shape->hidden;
    ReferenceWeights weights[LAYERS];
    for (uint32_t layer = 0; layer < shape->layers; layer++)
        weights[layer] = round_layer(shape, data, layer, &rest);
    const size_t x_count = (size_t)steps * shape->batch * shape->input;
    const ReferenceRun run = {.steps = steps, .lengths = lengths, .y = y, .hn = hn, .cn = cn,
                              .x = round_all(shape->type, data->x, x_count, &rest),
                              .h0 = round_all(shape->type, data->h0, states, &rest),
                              .c0 = round_all(shape->type, data->c0, states, &rest)};
    const bool done = reference_run(shape, weights, &run);
    free(memory);
    return done;
}
