/* The cells in double precision, layer by layer and step by step, as they are written in papers. Sums have a
 * fixed order, so that results are the same on every host that rounds as IEEE 754 says. */
#include "plan.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One layer while it runs. `input` and `output` are [steps][batch][...], states are [batch][hidden], products
 * [batch][gates x hidden] with the bias of their side. */
typedef struct Layer {
    const WbRnnShape *shape;
    const ReferenceWeights *weights;
    const ReferenceRun *run;
    uint32_t gates, inputs, groups;
    const double *input;
    double *output;
    double *h, *c;
    double *input_products, *state_products;
} Layer;

/* Eight sums beside each other: compilers may not do that by themselves, and it is several times as fast. */
static double dot(const double *a, const double *b, size_t count)
{
    enum { SUMS = 8 };
    double sums[SUMS] = {0}, sum = 0;
    size_t k = 0;
    for (; k + SUMS <= count; k += SUMS)
        for (size_t i = 0; i < SUMS; i++)
            sums[i] += a[k + i] * b[k + i];
    for (; k < count; k++)
        sum += a[k] * b[k];
    for (size_t i = 0; i < SUMS; i++)
        sum += sums[i];
    return sum;
}

static bool has_ended(const ReferenceRun *run, uint32_t step, uint32_t sequence)
{
    return run->lengths && step >= run->lengths[sequence];
}

/* Products of one step with one matrix; `vectors` is [batch][width]. A unit sees the part of its group. */
static void multiply(const Layer *layer, uint32_t step, const double *matrix, const double *bias,
                     const double *vectors, uint32_t width, double *products)
{
    const uint32_t hidden = layer->shape->hidden, rows = layer->gates * hidden, part = width / layer->groups;
    for (size_t row = 0; row < rows; row++) {
        const size_t group = row % hidden / (hidden / layer->groups);
        for (uint32_t sequence = 0; sequence < layer->shape->batch; sequence++) {
            if (has_ended(layer->run, step, sequence))
                continue;
            const double *vector = vectors + (size_t)sequence * width + group * part;
            products[(size_t)sequence * rows + row] =
                dot(matrix + row * part, vector, part) + (bias ? bias[row] : 0);
        }
    }
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double peephole_at(const Layer *layer, size_t gate, size_t unit)
{
    return layer->weights->peephole ? layer->weights->peephole[gate * layer->shape->hidden + unit] : 0;
}

/* How far the time gate of a unit is open: it opens and closes in the first part of its period. */
static double time_gate(const ReferenceWeights *weights, size_t unit, double time)
{
    const double period = weights->period[unit], open = weights->open[unit];
    double phase = fmod(time - weights->shift[unit], period);
    if (phase < 0)
        phase += period;
    phase /= period;
    if (phase < open / 2)
        return 2 * phase / open;
    return phase < open ? 2 - 2 * phase / open : weights->leak * phase;
}

/* One unit's gates: sums of both sides. */
static void gate_sums(const Layer *layer, const double *x, const double *s, double *sums)
{
    for (size_t gate = 0; gate < layer->gates; gate++)
        sums[gate] = x[gate * layer->shape->hidden] + s[gate * layer->shape->hidden];
}

static void lstm_cell(const Layer *layer, const double *x, const double *s, double *h, double *c)
{
    double sums[4];
    gate_sums(layer, x, s, sums);
    *c = sigmoid(sums[1]) * *c + sigmoid(sums[0]) * tanh(sums[2]);
    *h = sigmoid(sums[3]) * tanh(*c);
}

static void phased_cell(const Layer *layer, size_t unit, double time, const double *x, const double *s,
                        double *h, double *c)
{
    double sums[4];
    gate_sums(layer, x, s, sums);
    const double i = sigmoid(sums[0] + peephole_at(layer, 0, unit) * *c);
    const double f = sigmoid(sums[1] + peephole_at(layer, 1, unit) * *c);
    const double new_c = f * *c + i * tanh(sums[2]);
    const double o = sigmoid(sums[3] + peephole_at(layer, 2, unit) * new_c);
    const double k = time_gate(layer->weights, unit, time);
    *h = k * (o * tanh(new_c)) + (1 - k) * *h;
    *c = k * new_c + (1 - k) * *c;
}

/* n sees the state's product with its bias through r, as in cuDNN and PyTorch. */
static void gru_cell(const Layer *layer, const double *x, const double *s, double *h)
{
    const size_t hidden = layer->shape->hidden;
    const double r = sigmoid(x[0] + s[0]), z = sigmoid(x[hidden] + s[hidden]);
    const double n = tanh(x[2 * hidden] + r * s[2 * hidden]);
    *h = (1 - z) * n + z * *h;
}

/* x and s are the unit's first gate among the products of its sequence. */
static void compute_cell(const Layer *layer, size_t unit, double time, const double *x, const double *s,
                         double *h, double *c)
{
    switch (layer->shape->kind) {
    case WBRNN_TANH:
        *h = tanh(*x + *s);
        break;
    case WBRNN_RELU:
        *h = *x + *s < 0 ? 0 : *x + *s; /* a NaN stays one */
        break;
    case WBRNN_GRU:
        gru_cell(layer, x, s, h);
        break;
    case WBRNN_PHASED_LSTM:
        phased_cell(layer, unit, time, x, s, h, c);
        break;
    default:
        lstm_cell(layer, x, s, h, c);
    }
}

static void run_step(const Layer *layer, uint32_t step)
{
    const ReferenceWeights *weights = layer->weights;
    const uint32_t hidden = layer->shape->hidden, batch = layer->shape->batch;
    const double *input = layer->input + (size_t)step * batch * layer->inputs;
    multiply(layer, step, weights->w_input, weights->b_input, input, layer->inputs, layer->input_products);
    multiply(layer, step, weights->w_state, weights->b_state, layer->h, hidden, layer->state_products);
    for (uint32_t sequence = 0; sequence < batch; sequence++) {
        double *output = layer->output + ((size_t)step * batch + sequence) * hidden;
        if (has_ended(layer->run, step, sequence)) {
            memset(output, 0, hidden * sizeof *output);
            continue;
        }
        const double *times = layer->run->times;
        const double time = times ? times[(size_t)step * batch + sequence] : step;
        const size_t states = (size_t)sequence * hidden, products = states * layer->gates;
        for (uint32_t unit = 0; unit < hidden; unit++) {
            double *h = layer->h + states + unit;
            compute_cell(layer, unit, time, layer->input_products + products + unit,
                         layer->state_products + products + unit, h, layer->c + states + unit);
            output[unit] = *h;
        }
    }
}

static void copy_states(double *to, const double *from, size_t count)
{
    if (from)
        memcpy(to, from, count * sizeof *to);
    else
        memset(to, 0, count * sizeof *to);
}

/* A layer reads one sequence of outputs and writes the other; `layer` has all but what differs by layer. */
static void run_layers(Layer *layer, const ReferenceWeights *weights, double *sequences[2])
{
    const WbRnnShape *shape = layer->shape;
    const ReferenceRun *run = layer->run;
    const size_t states = (size_t)shape->batch * shape->hidden;
    for (uint32_t index = 0; index < shape->layers; index++) {
        layer->weights = weights + index;
        layer->inputs = index ? shape->hidden : shape->input;
        layer->input = index ? sequences[(index - 1) % 2] : run->x;
        layer->output = sequences[index % 2];
        copy_states(layer->h, run->h0 ? run->h0 + index * states : NULL, states);
        copy_states(layer->c, run->c0 ? run->c0 + index * states : NULL, states);
        for (uint32_t step = 0; step < run->steps; step++)
            run_step(layer, step);
        if (run->hn)
            memcpy(run->hn + index * states, layer->h, states * sizeof *layer->h);
        if (run->cn)
            memcpy(run->cn + index * states, layer->c, states * sizeof *layer->c);
    }
    if (run->y && run->steps)
        memcpy(run->y, layer->output, run->steps * states * sizeof *run->y);
}

bool reference_run(const WbRnnShape *shape, const ReferenceWeights *weights, const ReferenceRun *run)
{
    const size_t states = (size_t)shape->batch * shape->hidden;
    const uint32_t gates = plan_gates(shape->kind);
    double *memory = malloc((2 + 2 * gates + 2 * (size_t)run->steps) * states * sizeof *memory);
    if (!memory)
        return false;
    double *products = memory + 2 * states, *outputs = products + 2 * gates * states;
    double *sequences[2] = {outputs, outputs + run->steps * states};
    Layer layer = {.shape = shape, .run = run, .gates = gates, .groups = shape->groups ? shape->groups : 1,
                   .h = memory, .c = memory + states,
                   .input_products = products, .state_products = products + gates * states};
    run_layers(&layer, weights, sequences);
    free(memory);
    return true;
}
