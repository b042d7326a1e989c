/* The library of recurrent networks through the driver API: results of all kinds beside a reference in
 * double precision, long runs in chunks and layers in passes, captured runs, networks on several
 * streams. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "rnn_net.h"

/* -- results -- */

static void every_kind_computes_what_the_reference_does(void **state)
{
    (void)state;
    const uint32_t lengths[] = {4, 1, 2, 4, 3};
    for (int kind = 0; kind < WBRNN_KINDS; kind++) {
        Net net;
        net_open(&net, net_shape((WbRnnKind)kind, 2, 40, 5), 4, NULL);
        net_run_and_check(&net, lengths);
        net_close(&net);
    }
}

static void wide_inputs_are_multiplied_ahead(void **state)
{
    (void)state;
    const WbRnnKind kinds[] = {WBRNN_RELU, WBRNN_GRU, WBRNN_GROUPED_LSTM};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        Net net;
        net_open(&net, net_shape(kinds[i], 1, 330, 6), 3, NULL);
        assert_true(net.rnn->plan.input_ahead);
        net_run_and_check(&net, NULL);
        net_close(&net);
    }
}

/* Three layers one by one, two steps at a time. */
static void long_runs_go_in_chunks_and_layers_in_passes(void **state)
{
    (void)state;
    const uint32_t lengths[] = {4, 2, 5};
    const WbRnnOptions options = {.sm_limit = 8};
    Net net;
    net_open(&net, net_shape(WBRNN_LSTM, 3, HIDDEN, 3), 5, &options);
    net.rnn->plan.layers_in_flight = 1;
    net.rnn->plan.passes = 3;
    net.rnn->plan.chunk_steps = 2;
    net_run_and_check(&net, lengths);
    net_close(&net);
}

static void x_and_y_may_be_batch_first(void **state)
{
    (void)state;
    Net net, turned;
    net_open(&net, net_shape(WBRNN_GRU, 1, HIDDEN, 2), STEPS, NULL);
    net_run_and_check(&net, NULL);
    net_open(&turned, net.shape, STEPS, NULL);
    float x[2][STEPS][HIDDEN], y[STEPS][2][HIDDEN], y_turned[2][STEPS][HIDDEN];
    for (size_t t = 0; t < STEPS; t++)
        for (size_t b = 0; b < 2; b++)
            memcpy(x[b][t], net.data.x + (t * 2 + b) * HIDDEN, sizeof x[b][t]);
    OK(cuMemcpyHtoD_v2(turned.x, x, sizeof x));
    WbRnnRun run = net_run(&turned, NULL);
    run.batch_first = true;
    WORKS(&turned, wbrnn_run(turned.rnn, &run, NULL));
    OK(cuMemcpyDtoH_v2(y, net.y, sizeof y));
    OK(cuMemcpyDtoH_v2(y_turned, turned.y, sizeof y_turned));
    for (size_t t = 0; t < STEPS; t++)
        for (size_t b = 0; b < 2; b++)
            assert_memory_equal(y[t][b], y_turned[b][t], sizeof y[t][b]);
    net_close(&turned);
    net_close(&net);
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
    const uint64_t address = net_to_device(buffer, *count);
    free(buffer);
    return address;
}

static void weights_come_from_a_buffer_of_cudnn_on_the_device(void **state)
{
    (void)state;
    Net net;
    size_t count;
    net_open(&net, net_shape(WBRNN_LSTM, 2, 24, 1), STEPS, NULL);
    const uint64_t buffer = cudnn_buffer(&net, &count);
    float *zeros = calloc(net.data.w_input_count[0] + net.data.w_state_count[0], sizeof *zeros);
    for (uint32_t layer = 0; layer < 2; layer++) {
        WbRnnWeights weights = net_weights(&net, layer);
        weights.w_input = weights.w_state = weights.b_input = weights.b_state = zeros;
        WORKS(&net, wbrnn_set_weights(net.rnn, layer, &weights));
    }
    free(zeros);
    WORKS(&net, wbrnn_set_weights_cudnn(net.rnn, (void *)buffer, count));
    net_run_and_check(&net, NULL);
    assert_int_equal(wbrnn_set_weights_cudnn(net.rnn, (void *)buffer, count - 1), WBRNN_INVALID);
    assert_non_null(strstr(wbrnn_error(net.rnn), "cuDNN has"));
    OK(cuMemFree_v2(buffer));
    net_close(&net);
}

/* A NaN in layer 0 is in every result, and nobody waits for it. */
static void nan_in_weights_passes_through(void **state)
{
    (void)state;
    Net net;
    net_open(&net, net_shape(WBRNN_TANH, 2, HIDDEN, 1), STEPS, NULL);
    const uint32_t bits = JOB_UNWRITTEN; /* a NaN, too */
    for (size_t i = 0; i < net.data.w_input_count[0]; i++)
        memcpy(net.data.w_input[0] + i, &bits, sizeof bits);
    const WbRnnWeights weights = net_weights(&net, 0);
    WORKS(&net, wbrnn_set_weights(net.rnn, 0, &weights));
    const WbRnnRun run = net_run(&net, NULL);
    WORKS(&net, wbrnn_run(net.rnn, &run, NULL));
    WORKS(&net, wbrnn_wait(net.rnn));
    float y[STEPS * HIDDEN];
    OK(cuMemcpyDtoH_v2(y, net.y, sizeof y));
    for (size_t i = 0; i < STEPS * HIDDEN; i++)
        assert_true(isnan(y[i]));
    net_close(&net);
}

/* -- streams -- */

static void a_captured_run_is_one_graph(void **state)
{
    (void)state;
    Net net;
    void *stream, *graph, *executable;
    net_open(&net, net_shape(WBRNN_GRU, 1, HIDDEN, 4), STEPS, NULL);
    const WbRnnRun run = net_run(&net, NULL);
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
        net_check(&net, NULL);
    }
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cuStreamDestroy_v2(stream));
    net_close(&net);
}

/* Two runs each of two networks. `sms`: how many the library believes the GPU to have. */
static void run_on_two_streams(uint32_t sms)
{
    Net nets[2];
    void *streams[2];
    for (int i = 0; i < 2; i++) {
        net_open(&nets[i], net_shape(i ? WBRNN_GRU : WBRNN_LSTM, 1, HIDDEN, 4), 3, NULL);
        nets[i].rnn->device->gpu.sms = sms;
        OK(cuStreamCreate(&streams[i], 1));
    }
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 2; i++) {
            const WbRnnRun run = net_run(&nets[i], NULL);
            WORKS(&nets[i], wbrnn_run(nets[i].rnn, &run, streams[i]));
        }
    for (int i = 0; i < 2; i++) {
        WORKS(&nets[i], wbrnn_wait(nets[i].rnn));
        net_check(&nets[i], NULL);
        OK(cuStreamDestroy_v2(streams[i]));
    }
    net_close(&nets[0]);
    net_close(&nets[1]);
}

static void networks_on_two_streams_run_side_by_side_or_in_turn(void **state)
{
    (void)state;
    run_on_two_streams(132);
    run_on_two_streams(9);
}

/* A thread with no context of its own makes a network, and runs it twice. Null: all went well. */
static void *run_in_thread(void *net_of_thread)
{
    Net *net = net_of_thread;
    WbRnn *rnn;
    WbRnnStatus status = wbrnn_create(&net->shape, NULL, &rnn);
    const WbRnnWeights weights = net_weights(net, 0);
    const WbRnnRun run = net_run(net, NULL);
    if (!status)
        rnn->device->gpu.sms = 9;
    if (!status)
        status = wbrnn_set_weights(rnn, 0, &weights);
    for (int i = 0; i < 2 && !status; i++)
        status = wbrnn_run(rnn, &run, NULL);
    if (!status)
        status = wbrnn_wait(rnn);
    wbrnn_destroy(rnn);
    return status ? net : NULL;
}

static void threads_run_networks_of_their_own(void **state)
{
    (void)state;
    enum { THREADS = 3 };
    Net nets[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        net_open(&nets[i], net_shape(WBRNN_GRU, 1, HIDDEN, 2), 2, NULL);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_in_thread, &nets[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    for (int i = 0; i < THREADS; i++) {
        net_check(&nets[i], NULL);
        net_close(&nets[i]);
    }
}

/* Every way in which blocks tell each other by flags; other tests have them in the data. */
static void flags_of_every_kind_compute_the_same(void **state)
{
    (void)state;
    for (int sync = WBRNN_SYNC_ARRAYS; sync <= WBRNN_SYNC_COUNTER; sync++) {
        const WbRnnOptions options = {.method = WBRNN_WAIT_SIGNAL, .sync = (WbRnnSync)sync};
        Net net;
        net_open(&net, net_shape(WBRNN_LSTM, 2, HIDDEN, 13), 3, &options);
        assert_int_equal(net.rnn->plan.sync, sync);
        net_run_and_check(&net, NULL);
        net_run_and_check(&net, NULL);
        net_close(&net);
    }
}

/* Blocks of S W and of O U apart; the first layer's O U by blocks, and computed before. */
static void blocks_of_both_products_may_be_apart(void **state)
{
    static const WbRnnKind kinds[] = {WBRNN_LSTM, WBRNN_GRU, WBRNN_TANH, WBRNN_PHASED_LSTM};
    (void)state;
    for (int sync = WBRNN_SYNC_ARRAYS; sync <= WBRNN_SYNC_DATA; sync++) {
        const WbRnnOptions options = {.method = WBRNN_WAIT_SIGNAL, .sync = (WbRnnSync)sync, .split = true};
        Net net;
        net_open(&net, net_shape(kinds[sync - WBRNN_SYNC_ARRAYS], 2, sync % 2 ? HIDDEN : 300, 6), 3, &options);
        assert_true(net.rnn->plan.split);
        net_run_and_check(&net, NULL);
        net_run_and_check(&net, NULL);
        net_close(&net);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_kind_computes_what_the_reference_does),
    cmocka_unit_test(wide_inputs_are_multiplied_ahead),
    cmocka_unit_test(blocks_of_both_products_may_be_apart),
    cmocka_unit_test(long_runs_go_in_chunks_and_layers_in_passes),
    cmocka_unit_test(x_and_y_may_be_batch_first),
    cmocka_unit_test(weights_come_from_a_buffer_of_cudnn_on_the_device),
    cmocka_unit_test(nan_in_weights_passes_through),
    cmocka_unit_test(a_captured_run_is_one_graph),
    cmocka_unit_test(networks_on_two_streams_run_side_by_side_or_in_turn),
    cmocka_unit_test(threads_run_networks_of_their_own),
    cmocka_unit_test(flags_of_every_kind_compute_the_same),
};

int main(void)
{
    return cmocka_run_group_tests(tests, net_begin, net_end);
}
