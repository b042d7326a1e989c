/* The library of recurrent networks through the driver API: results of all kinds beside a reference in
 * double precision, long runs in chunks and layers in passes, captured runs, networks that want the same
 * SMs, and what it says of input that cannot work. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "network.h"
#include "reference.h"

enum { HIDDEN = 64, STEPS = 6 };

/* A network with made-up weights, its input and states on the device, and room for results. */
typedef struct Net {
    WbRnnShape shape;
    uint32_t steps;
    ReferenceData data;
    WbRnn *rnn;
    uint64_t x, h0, c0, y, hn, cn; /* on the device */
} Net;

static size_t state_count(const WbRnnShape *shape)
{
    return (size_t)shape->layers * shape->batch * shape->hidden;
}

static uint64_t to_device(const float *values, size_t count)
{
    uint64_t address = 0;
    OK(cuMemAlloc_v2(&address, count * sizeof *values));
    if (values)
        OK(cuMemcpyHtoD_v2(address, values, count * sizeof *values));
    return address;
}

static WbRnnWeights weights_of(const Net *net, uint32_t layer)
{
    const ReferenceData *data = &net->data;
    return (WbRnnWeights){.w_input = data->w_input[layer], .w_state = data->w_state[layer],
                          .b_input = data->b_input[layer], .b_state = data->b_state[layer],
                          .w_input_count = data->w_input_count[layer],
                          .w_state_count = data->w_state_count[layer], .bias_count = data->bias_count,
                          .period = data->period[layer], .shift = data->shift[layer],
                          .open = data->open[layer], .peephole = data->peephole[layer], .leak = data->leak};
}

#define WORKS(net, call)                                                                                     \
    do {                                                                                                     \
        const WbRnnStatus status_ = call;                                                                    \
        if (status_)                                                                                         \
            fail_msg("%s: %d: %s", #call, status_, wbrnn_error((net)->rnn));                                 \
    } while (0)

static void open_net(Net *net, WbRnnShape shape, uint32_t steps, const WbRnnOptions *options)
{
    *net = (Net){.shape = shape, .steps = steps};
    assert_true(reference_data(&shape, steps, 7 + shape.kind, &net->data));
    WORKS(net, wbrnn_create(&shape, options, &net->rnn));
    for (uint32_t layer = 0; layer < shape.layers; layer++) {
        const WbRnnWeights weights = weights_of(net, layer);
        WORKS(net, wbrnn_set_weights(net->rnn, layer, &weights));
    }
    const size_t states = state_count(&shape), row = (size_t)steps * shape.batch;
    net->x = to_device(net->data.x, row * shape.input);
    net->h0 = to_device(net->data.h0, states);
    net->c0 = to_device(net->data.c0, states);
    net->y = to_device(NULL, row * shape.hidden);
    net->hn = to_device(NULL, states);
    net->cn = to_device(NULL, states);
}

static void close_net(Net *net)
{
    const uint64_t memory[] = {net->x, net->h0, net->c0, net->y, net->hn, net->cn};
    wbrnn_destroy(net->rnn);
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        OK(cuMemFree_v2(memory[i]));
    reference_free(&net->data);
}

static WbRnnRun run_of(const Net *net, const uint32_t *lengths)
{
    const bool cells = network_has_cells(net->shape.kind);
    return (WbRnnRun){.steps = net->steps, .x = (void *)net->x, .h0 = (void *)net->h0, .y = (void *)net->y,
                      .hn = (void *)net->hn, .lengths = lengths, .c0 = cells ? (void *)net->c0 : NULL,
                      .cn = cells ? (void *)net->cn : NULL};
}

static void compare(const char *what, const WbRnnShape *shape, uint64_t address, const double *expected,
                    size_t count)
{
    float *values = malloc(count * sizeof *values);
    OK(cuMemcpyDtoH_v2(values, address, count * sizeof *values));
    for (size_t i = 0; i < count; i++)
        if (!(fabs(values[i] - expected[i]) < 1e-5))
            fail_msg("%s of %s, element %zu: %g instead of %g", what, wbrnn_kind_name(shape->kind), i,
                     (double)values[i], expected[i]);
    free(values);
}

/* The device has what the reference says. */
static void check_results(const Net *net, const uint32_t *lengths)
{
    const WbRnnShape *shape = &net->shape;
    const size_t rows = (size_t)net->steps * shape->batch * shape->hidden, states = state_count(shape);
    double *y = malloc(rows * sizeof *y), *hn = malloc(states * sizeof *hn),
           *cn = malloc(states * sizeof *cn);
    assert_true(reference_run_data(shape, &net->data, net->steps, lengths, y, hn, cn));
    compare("y", shape, net->y, y, rows);
    compare("hn", shape, net->hn, hn, states);
    if (network_has_cells(shape->kind))
        compare("cn", shape, net->cn, cn, states);
    free(y);
    free(hn);
    free(cn);
}

static void run_and_check(Net *net, const uint32_t *lengths)
{
    const WbRnnRun run = run_of(net, lengths);
    WORKS(net, wbrnn_run(net->rnn, &run, NULL));
    WORKS(net, wbrnn_wait(net->rnn));
    check_results(net, lengths);
}

static WbRnnShape shape_of(WbRnnKind kind, uint32_t layers, uint32_t input, uint32_t batch)
{
    return (WbRnnShape){.kind = kind, .layers = layers, .hidden = HIDDEN, .input = input, .batch = batch,
                        .groups = kind == WBRNN_GROUPED_LSTM ? 2 : 0};
}

/* -- results -- */

static void every_kind_computes_what_the_reference_does(void **state)
{
    (void)state;
    const uint32_t lengths[] = {6, 1, 4, 6, 3};
    for (int kind = 0; kind < WBRNN_KINDS; kind++) {
        Net net;
        open_net(&net, shape_of((WbRnnKind)kind, 2, 40, 5), STEPS, NULL);
        run_and_check(&net, lengths);
        close_net(&net);
    }
}

static void wide_inputs_are_multiplied_ahead(void **state)
{
    (void)state;
    const WbRnnKind kinds[] = {WBRNN_RELU, WBRNN_GRU, WBRNN_GROUPED_LSTM};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        Net net;
        open_net(&net, shape_of(kinds[i], 1, 330, 6), STEPS, NULL);
        assert_true(net.rnn->plan.input_ahead);
        run_and_check(&net, NULL);
        close_net(&net);
    }
}

/* Three layers one by one, two steps at a time. */
static void long_runs_go_in_chunks_and_layers_in_passes(void **state)
{
    (void)state;
    const uint32_t lengths[] = {5, 2, 7};
    const WbRnnOptions options = {.sm_limit = 8};
    Net net;
    open_net(&net, shape_of(WBRNN_LSTM, 3, HIDDEN, 3), 7, &options);
    net.rnn->plan.layers_in_flight = 1;
    net.rnn->plan.passes = 3;
    net.rnn->plan.chunk_steps = 2;
    run_and_check(&net, lengths);
    close_net(&net);
}

static void x_and_y_may_be_batch_first(void **state)
{
    (void)state;
    Net net, turned;
    open_net(&net, shape_of(WBRNN_GRU, 1, HIDDEN, 2), STEPS, NULL);
    run_and_check(&net, NULL);
    open_net(&turned, net.shape, STEPS, NULL);
    float x[2][STEPS][HIDDEN], y[STEPS][2][HIDDEN], y_turned[2][STEPS][HIDDEN];
    for (size_t t = 0; t < STEPS; t++)
        for (size_t b = 0; b < 2; b++)
            memcpy(x[b][t], net.data.x + (t * 2 + b) * HIDDEN, sizeof x[b][t]);
    OK(cuMemcpyHtoD_v2(turned.x, x, sizeof x));
    WbRnnRun run = run_of(&turned, NULL);
    run.batch_first = true;
    WORKS(&turned, wbrnn_run(turned.rnn, &run, NULL));
    OK(cuMemcpyDtoH_v2(y, net.y, sizeof y));
    OK(cuMemcpyDtoH_v2(y_turned, turned.y, sizeof y_turned));
    for (size_t t = 0; t < STEPS; t++)
        for (size_t b = 0; b < 2; b++)
            assert_memory_equal(y[t][b], y_turned[b][t], sizeof y[t][b]);
    close_net(&turned);
    close_net(&net);
}

/* -- weights -- */

/* All weights in cuDNN's order, in memory of the device. */
static uint64_t cudnn_buffer(const Net *net, size_t *count)
{
    const ReferenceData *data = &net->data;
    float *buffer = malloc(1 << 20), *to = buffer;
    for (uint32_t layer = 0; layer < net->shape.layers; layer++) {
        memcpy(to, data->w_input[layer], data->w_input_count[layer] * sizeof *to);
        to += data->w_input_count[layer];
        memcpy(to, data->w_state[layer], data->w_state_count[layer] * sizeof *to);
        to += data->w_state_count[layer];
    }
    for (uint32_t layer = 0; layer < net->shape.layers; layer++)
        for (int i = 0; i < 2; i++, to += data->bias_count)
            memcpy(to, i ? data->b_state[layer] : data->b_input[layer], data->bias_count * sizeof *to);
    *count = (size_t)(to - buffer);
    const uint64_t address = to_device(buffer, *count);
    free(buffer);
    return address;
}

static void weights_come_from_a_buffer_of_cudnn_on_the_device(void **state)
{
    (void)state;
    Net net;
    size_t count;
    open_net(&net, shape_of(WBRNN_LSTM, 2, 24, 1), STEPS, NULL);
    const uint64_t buffer = cudnn_buffer(&net, &count);
    float *zeros = calloc(net.data.w_input_count[0] + net.data.w_state_count[0], sizeof *zeros);
    for (uint32_t layer = 0; layer < 2; layer++) {
        WbRnnWeights weights = weights_of(&net, layer);
        weights.w_input = weights.w_state = weights.b_input = weights.b_state = zeros;
        WORKS(&net, wbrnn_set_weights(net.rnn, layer, &weights));
    }
    free(zeros);
    WORKS(&net, wbrnn_set_weights_cudnn(net.rnn, (void *)buffer, count));
    run_and_check(&net, NULL);
    assert_int_equal(wbrnn_set_weights_cudnn(net.rnn, (void *)buffer, count - 1), WBRNN_INVALID);
    assert_non_null(strstr(wbrnn_error(net.rnn), "cuDNN has"));
    OK(cuMemFree_v2(buffer));
    close_net(&net);
}

/* A NaN in layer 0 is in every result, and nobody waits for it. */
static void nan_in_weights_passes_through(void **state)
{
    (void)state;
    Net net;
    open_net(&net, shape_of(WBRNN_TANH, 2, HIDDEN, 1), STEPS, NULL);
    const uint32_t bits = JOB_UNWRITTEN; /* a NaN, too */
    for (size_t i = 0; i < net.data.w_input_count[0]; i++)
        memcpy(net.data.w_input[0] + i, &bits, sizeof bits);
    const WbRnnWeights weights = weights_of(&net, 0);
    WORKS(&net, wbrnn_set_weights(net.rnn, 0, &weights));
    const WbRnnRun run = run_of(&net, NULL);
    WORKS(&net, wbrnn_run(net.rnn, &run, NULL));
    WORKS(&net, wbrnn_wait(net.rnn));
    float y[STEPS * HIDDEN];
    OK(cuMemcpyDtoH_v2(y, net.y, sizeof y));
    for (size_t i = 0; i < STEPS * HIDDEN; i++)
        assert_true(isnan(y[i]));
    close_net(&net);
}

/* -- streams -- */

static void a_captured_run_is_one_graph(void **state)
{
    (void)state;
    Net net;
    void *stream, *graph, *executable;
    open_net(&net, shape_of(WBRNN_GRU, 2, HIDDEN, 4), STEPS, NULL);
    const WbRnnRun run = run_of(&net, NULL);
    OK(cuStreamCreate(&stream, 1));
    OK(cuStreamBeginCapture_v2(stream, 1));
    assert_int_equal(wbrnn_run(net.rnn, &run, stream), WBRNN_INVALID);
    assert_non_null(strstr(wbrnn_error(net.rnn), "before the capture begins"));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphDestroy(graph));
    WORKS(&net, wbrnn_run(net.rnn, &run, stream));
    OK(cuStreamBeginCapture_v2(stream, 1));
    WORKS(&net, wbrnn_run(net.rnn, &run, stream));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphInstantiateWithFlags(&executable, graph, 0));
    for (int i = 0; i < 2; i++) {
        OK(cuMemsetD32_v2(net.y, 0, (size_t)STEPS * 4 * HIDDEN));
        OK(cuGraphLaunch(executable, stream));
        OK(cuStreamSynchronize(stream));
        check_results(&net, NULL);
    }
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cuStreamDestroy_v2(stream));
    close_net(&net);
}

/* Each is told to have all SMs but one, so that they do not fit side by side. */
static void networks_on_two_streams_do_not_starve_each_other(void **state)
{
    (void)state;
    Net nets[2];
    void *streams[2];
    for (int i = 0; i < 2; i++) {
        open_net(&nets[i], shape_of(i ? WBRNN_GRU : WBRNN_LSTM, 2, HIDDEN, 4), STEPS, NULL);
        OK(cuStreamCreate(&streams[i], 1));
    }
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 2; i++) {
            const WbRnnRun run = run_of(&nets[i], NULL);
            WORKS(&nets[i], wbrnn_run(nets[i].rnn, &run, streams[i]));
        }
    for (int i = 0; i < 2; i++) {
        WORKS(&nets[i], wbrnn_wait(nets[i].rnn));
        check_results(&nets[i], NULL);
        OK(cuStreamDestroy_v2(streams[i]));
    }
    close_net(&nets[0]);
    close_net(&nets[1]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_kind_computes_what_the_reference_does),
    cmocka_unit_test(wide_inputs_are_multiplied_ahead),
    cmocka_unit_test(long_runs_go_in_chunks_and_layers_in_passes),
    cmocka_unit_test(x_and_y_may_be_batch_first),
    cmocka_unit_test(weights_come_from_a_buffer_of_cudnn_on_the_device),
    cmocka_unit_test(nan_in_weights_passes_through),
    cmocka_unit_test(a_captured_run_is_one_graph),
    cmocka_unit_test(networks_on_two_streams_do_not_starve_each_other),
};

/* The library finds the driver in the program itself: referring to this pulls all of it in. */
static int begin(void **state)
{
    (void)state;
    void *context, *found;
    int status;
    setenv("WARPBEAM_GPU", "h200", 1);
    setenv("WARPBEAM_FUNCTIONAL", "1", 1);
    if (cuGetProcAddress_v2("cuInit", &found, 12000, 0, &status) || cuInit(0) ||
        cuDevicePrimaryCtxRetain(&context, 0))
        return -1;
    return cuCtxSetCurrent(context);
}

int main(void)
{
    return cmocka_run_group_tests(tests, begin, NULL);
}
