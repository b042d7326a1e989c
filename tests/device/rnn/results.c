/* Results beside the reference in double precision. */
#include "groups.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first is what a user gets who asks for nothing. */
const Way ways[] = {
    {"auto", {.method = WBRNN_AUTO}},
    {"arrays", {.method = WBRNN_WAIT_SIGNAL, .sync = WBRNN_SYNC_ARRAYS}},
    {"entry", {.method = WBRNN_WAIT_SIGNAL, .sync = WBRNN_SYNC_ENTRY}},
    {"counter", {.method = WBRNN_WAIT_SIGNAL, .sync = WBRNN_SYNC_COUNTER}},
    {"data", {.method = WBRNN_WAIT_SIGNAL, .sync = WBRNN_SYNC_DATA}},
    {"persistent", {.method = WBRNN_PERSISTENT}},
    {"stream", {.method = WBRNN_STREAM}},
    {"stream graph", {.method = WBRNN_STREAM, .graph = true}},
    {"split data", {.method = WBRNN_WAIT_SIGNAL, .sync = WBRNN_SYNC_DATA, .split = true}},
    {"split arrays", {.method = WBRNN_WAIT_SIGNAL, .sync = WBRNN_SYNC_ARRAYS, .split = true}},
    {"split entry", {.method = WBRNN_WAIT_SIGNAL, .sync = WBRNN_SYNC_ENTRY, .split = true}},
    {"split counter", {.method = WBRNN_WAIT_SIGNAL, .sync = WBRNN_SYNC_COUNTER, .split = true}},
};
const size_t way_count = sizeof ways / sizeof *ways;

enum { MOST_STUCK = 3, MOST_WAYS = 32 };
static uint32_t stuck[MOST_WAYS];

static size_t index_of(const Way *way)
{
    size_t i = 0;
    while (i + 1 < way_count && strcmp(ways[i].name, way->name))
        i++;
    return i;
}

bool is_given_up(const Way *way)
{
    return stuck[index_of(way)] >= MOST_STUCK;
}

void note_stuck(const Way *way, const Net *net)
{
    if (net->status == WBRNN_STUCK && ++stuck[index_of(way)] == MOST_STUCK)
        printf("%s is tried no more: it was stuck %d times\n", way->name, MOST_STUCK);
}

static WbRnnShape shape_of(WbRnnKind kind, WbRnnType type, uint32_t layers, uint32_t hidden, uint32_t input,
                           uint32_t batch)
{
    uint32_t groups = 0;
    if (kind == WBRNN_GROUPED_LSTM)
        groups = hidden % 4 == 0 && input % 4 == 0 ? 4 : 1;
    return (WbRnnShape){.kind = kind, .type = type, .layers = layers, .hidden = hidden, .input = input,
                        .batch = batch, .groups = groups};
}

/* One network by one way; `lengths` may be null. Two groups of blocks may be too many for a GPU. */
static void compare(Program *program, WbRnnShape shape, uint32_t steps, const Way *way,
                    const uint32_t *lengths)
{
    Net net;
    if (is_given_up(way)) {
        program->failed++;
        return;
    }
    if (net_open(&net, program, shape, steps, way->options)) {
        const double error = net_error(&net, lengths);
        check(program, error <= net_bound(&shape), "%s by %s: error %.1e, at most %.1e%s%s",
              name_of(&shape, steps), way->name, error, net_bound(&shape), *net.why ? ": " : "", net.why);
    } else if (way->options.split && net.status == WBRNN_TOO_SMALL) {
        skip(program, "%s by %s: %s", name_of(&shape, steps), way->name, net.why);
    } else {
        check(program, false, "%s by %s: %s", name_of(&shape, steps), way->name, net.why);
    }
    note_stuck(way, &net);
    net_close(&net);
}

void test_ways(Program *program)
{
    static const uint32_t lengths[] = {7, 1, 5, 7, 3};
    for (size_t i = 0; i < way_count; i++)
        for (uint32_t kind = 0; kind < WBRNN_KINDS; kind++)
            for (uint32_t type = 0; type < WBRNN_TYPES; type++) {
                const WbRnnShape tiny = shape_of(kind, type, 2, 64, 48, 5);
                if (type != WBRNN_F32 && (ways[i].options.split || (program->small && kind % 3)))
                    continue; /* halves are not split; of what is small and alike a third is enough */
                compare(program, tiny, program->small ? 3 : 7, &ways[i], program->small ? NULL : lengths);
                if (program->small)
                    continue;
                compare(program, shape_of(kind, type, 3, 128, 128, 4), 12, &ways[i], NULL);
                compare(program, shape_of(kind, type, 1, 256, 100, 1), 9, &ways[i], NULL);
            }
}

/* -- layouts -- */

/* The same values with the sequences first; to be freed. */
static float *turn(const float *from, uint32_t steps, uint32_t batch, uint32_t width)
{
    float *to = malloc((size_t)steps * batch * width * sizeof *to);
    if (!to)
        abort();
    for (size_t t = 0; t < steps; t++)
        for (size_t b = 0; b < batch; b++)
            memcpy(to + (b * steps + t) * width, from + (t * batch + b) * width, width * sizeof *to);
    return to;
}

/* y of batch_first is y of the other order, turned; both of one network. */
static void compare_batch_first(Program *program, WbRnnShape shape, const Way *way)
{
    enum { STEPS = 5 };
    Net net;
    if (!net_open(&net, program, shape, STEPS, way->options) || !isfinite(net_error(&net, NULL))) {
        check(program, false, "batch first of %s by %s: %s", name_of(&shape, STEPS), way->name, net.why);
        net_close(&net);
        return;
    }
    size_t bytes;
    float *y = net_results(&net, &bytes), *expected = turn(y, STEPS, shape.batch, shape.hidden);
    float *x = turn(net.data.x, STEPS, shape.batch, shape.input);
    net_write(&net, net.x, x, (size_t)STEPS * shape.batch * shape.input);
    const WbRnnRun run = {.steps = STEPS, .batch_first = true, .x = (void *)(uintptr_t)net.x,
                          .y = (void *)(uintptr_t)net.y, .h0 = (void *)(uintptr_t)net.h0,
                          .c0 = network_has_cells(shape.kind) ? (void *)(uintptr_t)net.c0 : NULL};
    const bool ran = !wbrnn_run(net.rnn, &run, NULL) && !wbrnn_wait(net.rnn);
    float *turned = net_results(&net, &bytes);
    const size_t y_bytes = (size_t)STEPS * shape.batch * shape.hidden * sizeof *y;
    check(program, ran && memcmp(turned, expected, y_bytes) == 0,
          "batch first of %s by %s differs: %s", name_of(&shape, STEPS), way->name, wbrnn_error(net.rnn));
    free(turned);
    free(x);
    free(expected);
    free(y);
    net_close(&net);
}

/* All weights as cuDNN packs them, on the host; to be freed. */
static float *cudnn_buffer(const Net *net, size_t *count)
{
    const ReferenceData *data = &net->data;
    const uint32_t layers = net->shape.layers;
    *count = layers * 2 * data->bias_count;
    for (uint32_t layer = 0; layer < layers; layer++)
        *count += data->w_input_count[layer] + data->w_state_count[layer];
    float *buffer = malloc(*count * sizeof *buffer), *to = buffer;
    if (!buffer)
        abort();
    for (uint32_t part = 0; part < 2 * layers; part++) {
        const uint32_t layer = part / 2;
        const size_t size = part % 2 ? data->w_state_count[layer] : data->w_input_count[layer];
        memcpy(to, part % 2 ? data->w_state[layer] : data->w_input[layer], size * sizeof *to);
        to += size;
    }
    for (uint32_t part = 0; part < 2 * layers; part++, to += data->bias_count)
        memcpy(to, part % 2 ? data->b_state[part / 2] : data->b_input[part / 2],
               data->bias_count * sizeof *to);
    return buffer;
}

static void compare_cudnn(Program *program, WbRnnShape shape)
{
    Net net;
    bool holds = net_open(&net, program, shape, 4, ways[0].options);
    size_t count, bytes, again_bytes;
    if (holds) {
        net_error(&net, NULL);
        void *first = net_results(&net, &bytes);
        float *buffer = cudnn_buffer(&net, &count);
        holds = !wbrnn_set_weights_cudnn(net.rnn, buffer, count) && isfinite(net_error(&net, NULL));
        void *again = net_results(&net, &again_bytes);
        holds = holds && memcmp(first, again, bytes) == 0;
        free(again);
        free(buffer);
        free(first);
    }
    check(program, holds, "weights in cuDNN's buffer of %s: %s", name_of(&shape, 4),
          net.rnn ? wbrnn_error(net.rnn) : net.why);
    net_close(&net);
}

void test_layouts(Program *program)
{
    const size_t step = program->small ? 5 : 1;
    for (size_t i = 0; i < way_count; i += step)
        if (!is_given_up(&ways[i]))
            compare_batch_first(program, shape_of(WBRNN_LSTM, WBRNN_F32, 2, 64, 70, 3), &ways[i]);
    compare_batch_first(program, shape_of(WBRNN_GRU, WBRNN_F32, 1, 64, 200, 5), &ways[0]);
    const WbRnnKind kinds[] = {WBRNN_TANH, WBRNN_LSTM, WBRNN_GRU};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        compare_cudnn(program, shape_of(kinds[i], WBRNN_F32, 2, 64, 36, 2));
}

/* -- sizes -- */

void test_sizes(Program *program)
{
    static const struct {
        uint32_t layers, hidden, input, batch, steps;
    } sizes[] = {
        {1, 64, 1, 1, 1},    {2, 65, 3, 1, 4},     {16, 64, 64, 2, 3},   {2, 127, 129, 7, 4},
        {1, 255, 257, 3, 4}, {3, 333, 100, 2, 3},  {1, 511, 1000, 1, 3}, {2, 513, 513, 1, 2},
        {1, 900, 64, 1, 3},  {2, 1024, 1024, 1, 2}, {1, 1025, 10, 1, 2}, {1, 1100, 1100, 2, 2},
        {1, 2047, 31, 1, 2}, {2, 2048, 512, 1, 2}, {1, 64, 8192, 1, 2},  {2, 96, 96, 64, 3},
        {4, 256, 256, 33, 2},
    };
    /* A prime number as the stride: a part of all cases has something of every kind, type and size. */
    enum { SIZES = sizeof sizes / sizeof *sizes, ALL = SIZES * WBRNN_KINDS * WBRNN_TYPES, STRIDE = 101 };
    for (uint32_t n = 0; n < ALL && n < program->cases; n++) {
        const uint32_t at = n * STRIDE % ALL, i = at % SIZES, combination = at / SIZES;
        compare(program, shape_of(combination % WBRNN_KINDS, combination / WBRNN_KINDS, sizes[i].layers,
                                  sizes[i].hidden, sizes[i].input, sizes[i].batch), sizes[i].steps, &ways[0],
                NULL);
    }
    const WbRnnShape large = shape_of(WBRNN_LSTM, WBRNN_F32, 2, 1100, 1100, 5);
    for (size_t i = 0; i < way_count; i++)
        compare(program, large, 2, &ways[i], NULL);
}

/* -- random shapes -- */

static uint32_t draw(uint32_t *state, uint32_t low, uint32_t high)
{
    *state = *state * 1664525u + 1013904223u;
    return low + (uint32_t)((uint64_t)(*state >> 8) * (high - low + 1) >> 24);
}

/* Small numbers are as likely as large ones. */
static uint32_t draw_log(uint32_t *state, uint32_t low, uint32_t high)
{
    const double share = draw(state, 0, 1 << 20) / (double)(1 << 20);
    return (uint32_t)(low * pow((double)high / low, share) + 0.5);
}

/* Products of the reference, which is one thread's work. */
static double work_of(const WbRnnShape *shape, uint32_t steps)
{
    const double first = shape->input + (double)shape->hidden, later = 2.0 * shape->hidden;
    const double groups = shape->groups ? shape->groups : 1;
    return plan_gates(shape->kind) * shape->hidden / groups * shape->batch * steps *
           (first + (shape->layers - 1) * later);
}

void test_random(Program *program)
{
    enum { MOST_WORK = 60000000 };
    uint32_t state = 20, lengths[JOB_SEQUENCES];
    for (uint32_t i = 0; i < program->cases; i++) {
        WbRnnShape shape = shape_of(draw(&state, 0, WBRNN_KINDS - 1), draw(&state, 0, WBRNN_TYPES - 1),
                                    draw_log(&state, 1, 16), draw_log(&state, 64, 1400),
                                    draw_log(&state, 1, 1400), draw_log(&state, 1, 64));
        uint32_t steps = draw_log(&state, 1, 60);
        while (work_of(&shape, steps) > MOST_WORK && steps > 1)
            steps = (steps + 1) / 2;
        while (work_of(&shape, steps) > MOST_WORK && shape.batch > 1)
            shape.batch = (shape.batch + 1) / 2;
        for (uint32_t b = 0; b < shape.batch; b++)
            lengths[b] = draw(&state, 1, steps);
        const size_t way = draw(&state, 0, 1) ? 0 : draw(&state, 0, (uint32_t)way_count - 1);
        Way chosen = ways[way];
        chosen.options.split = false;
        compare(program, shape, steps, &chosen, draw(&state, 0, 3) ? lengths : NULL);
    }
}

void test_long(Program *program)
{
    enum { CHUNK = 7, STEPS = 30 };
    static const uint32_t lengths[] = {30, 2, 17};
    for (uint32_t kind = 0; kind < WBRNN_KINDS; kind++) {
        const WbRnnShape shape = shape_of(kind, WBRNN_F32, 3, 64, 64, 3);
        Net net;
        double error = INFINITY;
        if (net_open(&net, program, shape, STEPS, ways[0].options)) {
            net.rnn->plan.chunk_steps = CHUNK;
            error = net_error(&net, lengths);
        }
        check(program, error <= net_bound(&shape), "%s in launches of %d steps: error %.1e: %s",
              name_of(&shape, STEPS), CHUNK, error, net.why);
        net_close(&net);
        compare(program, shape_of(kind, WBRNN_F32, 1, 64, 64, 2), 3000, &ways[0], NULL);
    }
}
