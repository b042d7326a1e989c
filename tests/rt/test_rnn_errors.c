/* What the library of recurrent networks says of input that cannot work, of SMs that others have, and of runs
 * that do not come to their end. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "rnn_net.h"

static void assert_says(const WbRnn *rnn, const char *part)
{
    if (!strstr(wbrnn_error(rnn), part))
        fail_msg("no \"%s\" in \"%s\"", part, wbrnn_error(rnn));
}

/* -- creation -- */

static void assert_refused(WbRnnShape shape, const WbRnnOptions *options, WbRnnStatus status,
                           const char *part)
{
    WbRnn *rnn = NULL;
    char text[512];
    assert_int_equal(wbrnn_create(&shape, options, &rnn), status);
    assert_non_null(rnn);
    assert_says(rnn, part);
    assert_true(wbrnn_explain(rnn, text, sizeof text) > 0);
    assert_string_equal(text, wbrnn_error(rnn));
    assert_int_equal(wbrnn_run(rnn, &(WbRnnRun){.steps = 1, .x = text}, NULL), WBRNN_INVALID);
    assert_int_equal(wbrnn_set_weights(rnn, 0, &(WbRnnWeights){.leak = 0}), WBRNN_INVALID);
    assert_int_equal(wbrnn_wait(rnn), WBRNN_INVALID);
    assert_says(rnn, part);
    wbrnn_destroy(rnn);
}

static void shapes_that_cannot_work_get_a_sentence(void **state)
{
    (void)state;
    WbRnnShape shape = net_shape(WBRNN_LSTM, 2, HIDDEN, 4);
    shape.hidden = 0;
    assert_refused(shape, NULL, WBRNN_INVALID, "0");
    shape = net_shape(WBRNN_LSTM, 0, HIDDEN, 4);
    assert_refused(shape, NULL, WBRNN_INVALID, "0");
    shape = net_shape(WBRNN_LSTM, 2, 0, 4);
    assert_refused(shape, NULL, WBRNN_INVALID, "0");
    shape = net_shape(WBRNN_LSTM, 2, HIDDEN, 0);
    assert_refused(shape, NULL, WBRNN_INVALID, "0");
    shape = net_shape(WBRNN_LSTM, 2, HIDDEN, 65);
    assert_refused(shape, NULL, WBRNN_INVALID, "65");
    WbRnn *rnn = NULL;
    assert_int_equal(wbrnn_create(NULL, NULL, &rnn), WBRNN_INVALID);
    assert_says(rnn, "shape");
    wbrnn_destroy(rnn);
    assert_int_equal(wbrnn_create(&shape, NULL, NULL), WBRNN_INVALID);
    assert_int_equal(wbrnn_wait(NULL), WBRNN_INVALID);
    assert_says(NULL, "none was given");
}

static void a_gpu_that_is_too_small_gets_a_sentence(void **state)
{
    (void)state;
    const WbRnnOptions options = {.sync = WBRNN_SYNC_ARRAYS, .split = true, .sm_limit = 1};
    assert_refused(net_shape(WBRNN_LSTM, 2, HIDDEN, 4), &options, WBRNN_TOO_SMALL,
                   "A layer of 64 units split over two groups of blocks with a block that collects flags does "
                   "not fit into 1 SM of");
}

static void kernels_that_are_not_there_are_named(void **state)
{
    (void)state;
    const WbRnnOptions options = {.kernels = "/nonexistent"};
    assert_refused(net_shape(WBRNN_LSTM, 1, HIDDEN, 4), &options, WBRNN_GPU,
                   "/nonexistent, has neither wait_lstm.cubin nor wait_lstm.ptx");
}

static void kernels_come_from_a_folder(void **state)
{
    (void)state;
    const WbRnnOptions options = {.kernels = SOURCE_DIRECTORY "/rnn/kernels"};
    Net net;
    net_open(&net, net_shape(WBRNN_RELU, 1, HIDDEN, 4), STEPS, &options);
    net_run_and_check(&net, NULL);
    net_close(&net);
}

/* -- weights -- */

static void weights_of_the_wrong_length_are_refused(void **state)
{
    (void)state;
    Net net;
    net_open(&net, net_shape(WBRNN_PHASED_LSTM, 2, 40, 4), STEPS, NULL);
    WbRnn *rnn = net.rnn;
    WbRnnWeights weights = net_weights(&net, 1);
    assert_int_equal(wbrnn_set_weights(rnn, 2, &weights), WBRNN_INVALID);
    assert_says(rnn, "no layer 2; the network has layers 0 to 1");
    assert_int_equal(wbrnn_set_weights(rnn, 0, &weights), WBRNN_INVALID);
    assert_says(rnn,
                "w_input of layer 0 has 16384 elements, but a phased-lstm with 64 units and 40 inputs has "
                "10240.");
    weights.w_state_count--;
    assert_int_equal(wbrnn_set_weights(rnn, 1, &weights), WBRNN_INVALID);
    assert_says(rnn, "w_state of layer 1 has 16383 elements");
    weights = net_weights(&net, 1);
    weights.bias_count = 64;
    assert_int_equal(wbrnn_set_weights(rnn, 1, &weights), WBRNN_INVALID);
    assert_says(rnn, "bias of layer 1 has 64 elements");
    weights = net_weights(&net, 1);
    weights.w_state = NULL;
    assert_int_equal(wbrnn_set_weights(rnn, 1, &weights), WBRNN_INVALID);
    assert_says(rnn, "both matrices");
    weights = net_weights(&net, 1);
    weights.shift = NULL;
    assert_int_equal(wbrnn_set_weights(rnn, 1, &weights), WBRNN_INVALID);
    assert_says(rnn, "period, shift and open");
    assert_int_equal(wbrnn_set_weights(rnn, 1, NULL), WBRNN_INVALID);
    assert_int_equal(wbrnn_set_weights_cudnn(rnn, net.data.x, 1), WBRNN_INVALID);
    assert_says(rnn, "cuDNN has no phased LSTMs");
    net_run_and_check(&net, NULL);
    net_close(&net);
}

/* -- runs -- */

static void assert_run_refused(Net *net, WbRnnRun run, const char *part)
{
    assert_int_equal(wbrnn_run(net->rnn, &run, NULL), WBRNN_INVALID);
    assert_says(net->rnn, part);
}

static void runs_that_cannot_work_get_a_sentence(void **state)
{
    (void)state;
    const uint32_t none[] = {3, 0}, beyond[] = {STEPS + 1, 1};
    Net net;
    net_open(&net, net_shape(WBRNN_GRU, 1, HIDDEN, 2), STEPS, NULL);
    WbRnnRun run = net_run(&net, NULL);
    run.steps = 0;
    assert_run_refused(&net, run, "0 steps");
    run = net_run(&net, NULL);
    run.x = NULL;
    assert_run_refused(&net, run, "needs x");
    run = net_run(&net, NULL);
    run.cn = (void *)net.cn;
    assert_run_refused(&net, run, "a gru has none");
    assert_run_refused(&net, net_run(&net, none), "Sequence 1 has a length of 0");
    assert_run_refused(&net, net_run(&net, beyond), "Sequence 0 has a length of 5");
    run = net_run(&net, NULL);
    run.batch_first = true;
    run.steps = 1u << 27;
    assert_run_refused(&net, run, "batch_first");
    net.rnn->weights[0].set = false;
    assert_run_refused(&net, net_run(&net, NULL), "Layer 0 has no weights");
    net_close(&net);
}

/* Both want more than half of what the library believes the GPU to have. */
static void a_network_may_refuse_to_wait_for_another(void **state)
{
    (void)state;
    const WbRnnOptions options = {.refuse_if_busy = true};
    Net first, second;
    net_open(&first, net_shape(WBRNN_LSTM, 1, HIDDEN, 4), STEPS, NULL);
    net_open(&second, net_shape(WBRNN_LSTM, 1, HIDDEN, 4), STEPS, &options);
    first.rnn->device->gpu.sms = second.rnn->device->gpu.sms = first.rnn->plan.layer_blocks + 1;
    const WbRnnRun run = net_run(&first, NULL), other = net_run(&second, NULL);
    WORKS(&first, wbrnn_run(first.rnn, &run, NULL));
    assert_int_equal(wbrnn_run(second.rnn, &other, NULL), WBRNN_BUSY);
    assert_says(second.rnn, "SMs, and other networks in flight hold");
    WORKS(&first, wbrnn_wait(first.rnn));
    WORKS(&second, wbrnn_run(second.rnn, &other, NULL));
    WORKS(&second, wbrnn_wait(second.rnn));
    net_check(&first, NULL);
    net_check(&second, NULL);
    net_close(&second);
    net_close(&first);
}

/* -- the watchdog -- */

/* A block that leaves at once is missed in its layer's second step, or by the layer above in its first. */
static void the_watchdog_names_layer_and_step(void **state)
{
    (void)state;
    const WbRnnOptions options = {.watchdog_ms = 1};
    Net net;
    net_open(&net, net_shape(WBRNN_LSTM, 2, HIDDEN, 4), STEPS, &options);
    net.rnn->leave = 1;
    const WbRnnRun run = net_run(&net, NULL);
    WORKS(&net, wbrnn_run(net.rnn, &run, NULL));
    assert_int_equal(wbrnn_wait(net.rnn), WBRNN_STUCK);
    assert_says(net.rnn, "longer than 1 ms");
    if (!strstr(wbrnn_error(net.rnn), "in step 1 layer 0 waited for its own layer"))
        assert_says(net.rnn, "in step 0 layer 1 waited for the layer below");
    /* That was one run; the next one is as good as any, and says nothing of it. */
    net.rnn->leave = ~0u;
    net_run_and_check(&net, NULL);
    net_close(&net);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(shapes_that_cannot_work_get_a_sentence),
    cmocka_unit_test(a_gpu_that_is_too_small_gets_a_sentence),
    cmocka_unit_test(kernels_that_are_not_there_are_named),
    cmocka_unit_test(kernels_come_from_a_folder),
    cmocka_unit_test(weights_of_the_wrong_length_are_refused),
    cmocka_unit_test(runs_that_cannot_work_get_a_sentence),
    cmocka_unit_test(a_network_may_refuse_to_wait_for_another),
    cmocka_unit_test(the_watchdog_names_layer_and_step),
};

int main(void)
{
    return cmocka_run_group_tests(tests, net_begin, net_end);
}
