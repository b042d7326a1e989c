/* The persistent method of the RNN library: every kind computes what the reference does, wherever weights,
 * sums and states lie, and a barrier that a block does not reach ends by the watchdog. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "driver.h"
#include "rnn_net.h"

static void open_on(Net *net, WbRnnShape shape, uint32_t steps, uint32_t sms)
{
    const WbRnnOptions options = {.method = WBRNN_PERSISTENT, .sm_limit = sms};
    net_open(net, shape, steps, &options);
}

static void every_kind_computes_what_the_reference_does(void **state)
{
    (void)state;
    for (int kind = 0; kind < WBRNN_KINDS; kind++) {
        Net net;
        open_on(&net, net_shape((WbRnnKind)kind, 2, 40, 5), 3, 8);
        net_run_and_check(&net, (const uint32_t[]){3, 1, 2, 3, 2});
        net_close(&net);
        open_on(&net, net_shape((WbRnnKind)kind, 1, HIDDEN, 1), 2, 3);
        assert_true(net.rnn->plan.block_tiles > 1);
        net_run_and_check(&net, NULL);
        net_close(&net);
    }
}

/* A hundred units and more need two quads of a lane: of two warps, or one. */
static void warps_share_the_products_of_a_unit(void **state)
{
    (void)state;
    for (uint32_t sms = 12; sms <= 48; sms *= 4) {
        Net net;
        WbRnnShape shape = net_shape(WBRNN_GRU, 2, 130, 2);
        shape.hidden = 130;
        open_on(&net, shape, 2, sms);
        assert_int_equal(net.rnn->plan.warps_per_tile, sms == 48 ? 2 : 1);
        net_run_and_check(&net, NULL);
        net_close(&net);
    }
}

/* From all of the weights that are not in registers in shared memory down to none. */
static void weights_lie_where_there_is_room(void **state)
{
    (void)state;
    const WbRnnKind kinds[] = {WBRNN_TANH, WBRNN_LSTM};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (uint32_t kept = (uint32_t)i; kept < 4; kept += 2) {
            Net net;
            WbRnnShape shape = net_shape(kinds[i], 1, 140, 2);
            shape.hidden = 140;
            open_on(&net, shape, 2, kinds[i] == WBRNN_TANH ? 1 : 3);
            RnnPlan *plan = &net.rnn->plan;
            assert_true(plan->state_kept >= 2 && plan->input_kept >= 8);
            plan->state_kept = kept == 3 ? plan->state_kept : kept;
            plan->input_kept = kept == 3 ? plan->input_kept : 3 * kept;
            net_run_and_check(&net, NULL);
            net_close(&net);
        }
}

static void what_is_too_large_runs_in_memory(void **state)
{
    (void)state;
    const WbRnnKind kinds[] = {WBRNN_RELU, WBRNN_GRU, WBRNN_GROUPED_LSTM, WBRNN_PHASED_LSTM};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        Net net;
        const WbRnnOptions options = {.method = WBRNN_PERSISTENT, .sm_limit = 7};
        net_open_small(&net, net_shape(kinds[i], 2, 40, 5), 2, &options, 2 << 10);
        assert_non_null(strstr(net.rnn->plan.kernel, "_memory"));
        net_run_and_check(&net, (const uint32_t[]){2, 1, 2, 1, 2});
        net_close(&net);
    }
}

static void wide_inputs_are_multiplied_ahead(void **state)
{
    (void)state;
    const WbRnnKind kinds[] = {WBRNN_RELU, WBRNN_GRU, WBRNN_GROUPED_LSTM};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        Net net;
        open_on(&net, net_shape(kinds[i], 2, 330, 6), 2, 8);
        assert_true(net.rnn->plan.input_ahead);
        net_run_and_check(&net, NULL);
        net_close(&net);
    }
}

/* Chunks of two steps and one of a single step. */
static void long_runs_go_in_chunks(void **state)
{
    (void)state;
    const uint32_t ends[] = {3, 2, 5};
    Net net;
    open_on(&net, net_shape(WBRNN_LSTM, 2, HIDDEN, 3), 5, 8);
    net.rnn->plan.chunk_steps = 2;
    net_run_and_check(&net, ends);
    net_close(&net);
}

static void a_block_that_is_missing_ends_the_run(void **state)
{
    (void)state;
    const WbRnnOptions options = {.method = WBRNN_PERSISTENT, .watchdog_ms = 1, .sm_limit = 8};
    Net net;
    net_open(&net, net_shape(WBRNN_LSTM, 2, HIDDEN, 4), STEPS, &options);
    net.rnn->leave = 3;
    const WbRnnRun run = net_run(&net, NULL);
    WORKS(&net, wbrnn_run(net.rnn, &run, NULL));
    assert_int_equal(wbrnn_wait(net.rnn), WBRNN_STUCK);
    assert_non_null(strstr(wbrnn_error(net.rnn), "in step 1 layer 0 waited for the barrier of all blocks"));
    net.rnn->leave = ~0u;
    net_run_and_check(&net, NULL);
    net_close(&net);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_computes_what_the_reference_does),
        cmocka_unit_test(warps_share_the_products_of_a_unit),
        cmocka_unit_test(weights_lie_where_there_is_room),
        cmocka_unit_test(what_is_too_large_runs_in_memory),
        cmocka_unit_test(wide_inputs_are_multiplied_ahead),
        cmocka_unit_test(long_runs_go_in_chunks),
        cmocka_unit_test(a_block_that_is_missing_ends_the_run),
    };
    return cmocka_run_group_tests(tests, net_begin, net_end);
}
