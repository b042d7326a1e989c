/* The stream method of the RNN library: a kernel for each layer and step computes what the reference does,
 * and a run that was captured is launched again as a graph, until its arguments change. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "driver.h"
#include "rnn_net.h"

static const WbRnnOptions plain = {.method = WBRNN_STREAM}, graph = {.method = WBRNN_STREAM, .graph = true};
static const uint32_t lengths[] = {1, STEPS};

static void every_kind_computes_what_the_reference_does(void **state)
{
    (void)state;
    for (int kind = 0; kind < WBRNN_KINDS; kind++) {
        Net net;
        net_open(&net, net_shape((WbRnnKind)kind, 2, 40, 5), 2, &plain);
        net_run_and_check(&net, (const uint32_t[]){2, 1, 2, 1, 2});
        net_close(&net);
        net_open(&net, net_shape((WbRnnKind)kind, 2, 130, 1), 2, &plain);
        net_run_and_check(&net, NULL);
        net_close(&net);
    }
}

/* More than four batch tiles, and units with three quads a lane: kernels take four and two at a time. */
static void odd_shapes_work(void **state)
{
    (void)state;
    Net net;
    WbRnnShape shape = net_shape(WBRNN_GRU, 1, 20, 18);
    net_open(&net, shape, 1, &plain);
    net_run_and_check(&net, NULL);
    net_close(&net);
    shape = net_shape(WBRNN_LSTM, 1, 20, 3);
    shape.hidden = 261;
    net_open(&net, shape, 2, &plain);
    net_run_and_check(&net, NULL);
    net_close(&net);
}

static void long_runs_go_in_chunks(void **state)
{
    (void)state;
    const uint32_t ends[] = {3, 2, 5};
    for (int captured = 0; captured < 2; captured++) {
        Net net;
        net_open(&net, net_shape(WBRNN_PHASED_LSTM, 2, HIDDEN, 3), 5, captured ? &graph : &plain);
        net.rnn->plan.chunk_steps = 2;
        net_run_and_check(&net, ends);
        net_close(&net);
    }
}

/* A change of x behind the same address is seen; lengths and addresses are captured anew. */
static void a_graph_is_launched_until_arguments_change(void **state)
{
    (void)state;
    Net net;
    void *stream;
    OK(cuStreamCreate(&stream, 1));
    net_open(&net, net_shape(WBRNN_LSTM, 2, HIDDEN, 2), STEPS, &graph);
    net_run_and_check(&net, NULL);
    const size_t count = (size_t)STEPS * 2 * HIDDEN;
    for (size_t i = 0; i < count; i++)
        net.data.x[i] = -net.data.x[i];
    OK(cuMemcpyHtoD_v2(net.x, net.data.x, count * sizeof(float)));
    const WbRnnRun run = net_run(&net, NULL);
    WORKS(&net, wbrnn_run(net.rnn, &run, stream));
    WORKS(&net, wbrnn_wait(net.rnn));
    net_check(&net, NULL);
    net_run_and_check(&net, lengths);
    const uint64_t old = net.y;
    net.y = net_to_device(NULL, count);
    net_run_and_check(&net, lengths);
    net_close(&net);
    OK(cuMemFree_v2(old));
    OK(cuStreamDestroy_v2(stream));
}

static void a_run_becomes_part_of_a_graph_of_the_user(void **state)
{
    (void)state;
    Net net;
    void *stream, *made, *executable;
    net_open(&net, net_shape(WBRNN_GRU, 2, HIDDEN, 4), STEPS, &graph);
    const WbRnnRun run = net_run(&net, NULL);
    OK(cuStreamCreate(&stream, 1));
    WORKS(&net, wbrnn_run(net.rnn, &run, stream));
    OK(cuStreamBeginCapture_v2(stream, 1));
    WORKS(&net, wbrnn_run(net.rnn, &run, stream));
    OK(cuStreamEndCapture(stream, &made));
    OK(cuGraphInstantiateWithFlags(&executable, made, 0));
    OK(cuMemsetD32_v2(net.y, 0, (size_t)STEPS * 4 * HIDDEN));
    OK(cuGraphLaunch(executable, stream));
    OK(cuStreamSynchronize(stream));
    net_check(&net, NULL);
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(made));
    OK(cuStreamDestroy_v2(stream));
    net_close(&net);
}

static WbRnnStatus refuse_to_launch(RnnDevice *device, RnnKernel *kernel, const RnnLaunch *launch, void *stream)
{
    (void)kernel, (void)launch, (void)stream;
    device->error[0] = 0;
    return WBRNN_GPU;
}

/* Nothing is left of a capture that failed: the next run is captured again, whatever its arguments. */
static void a_graph_that_was_not_finished_is_forgotten(void **state)
{
    (void)state;
    Net net;
    net_open(&net, net_shape(WBRNN_LSTM, 1, HIDDEN, 2), STEPS, &graph);
    net_run_and_check(&net, NULL);
    const RnnDeviceCalls *calls = net.rnn->device->calls;
    RnnDeviceCalls failing = *calls;
    failing.launch = refuse_to_launch;
    net.rnn->device->calls = &failing;
    const WbRnnRun other = net_run(&net, lengths);
    assert_int_equal(wbrnn_run(net.rnn, &other, NULL), WBRNN_GPU);
    net.rnn->device->calls = calls;
    OK(cuMemsetD32_v2(net.y, 0, (size_t)STEPS * 2 * HIDDEN));
    net_run_and_check(&net, NULL);
    net_close(&net);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_computes_what_the_reference_does),
        cmocka_unit_test(odd_shapes_work),
        cmocka_unit_test(long_runs_go_in_chunks),
        cmocka_unit_test(a_graph_is_launched_until_arguments_change),
        cmocka_unit_test(a_run_becomes_part_of_a_graph_of_the_user),
        cmocka_unit_test(a_graph_that_was_not_finished_is_forgotten),
    };
    return cmocka_run_group_tests(tests, net_begin, net_end);
}
