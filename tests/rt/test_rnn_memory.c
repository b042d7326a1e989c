/* Layers whose weights fit into no registers: kernels that read them from shared or global memory in each
 * step compute what the reference does, whatever lies where and however blocks tell each other. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "rnn_net.h"

/* Where a test wants things to be: how many quads of W and U in shared memory at most, and where c. */
typedef struct Places {
    uint32_t state, input;
    RnnPlace cell;
} Places;

enum { ALL = 1 << 20 };

static const Places all_shared = {ALL, ALL, PLACE_SHARED};
static const Places all_global = {0, 0, PLACE_GLOBAL};
static const Places mixed = {1, 0, PLACE_GLOBAL};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static WbRnnShape shape_with(WbRnnKind kind, uint32_t layers, uint32_t hidden, uint32_t batch)
{
    return (WbRnnShape){.kind = kind, .layers = layers, .hidden = hidden, .input = hidden, .batch = batch};
}

/* Says where things lie from now on: the plan has room for as much, or for more. Results are forgotten. */
static void put(Net *net, Places places)
{
    const WbRnnShape *shape = &net->shape;
    const size_t row = (size_t)shape->batch * shape->hidden;
    OK(cuMemsetD32_v2(net->y, ~0u, net->steps * row));
    OK(cuMemsetD32_v2(net->hn, ~0u, shape->layers * row));
    OK(cuMemsetD32_v2(net->cn, ~0u, shape->layers * row));
    RnnPlan *plan = &net->rnn->plan;
    plan->state_kept = least(places.state, plan->depth / 4);
    plan->input_kept = least(places.input, plan->depth / 4);
    plan->cell_place = places.cell;
}

/* A network on so few SMs that no kernel with weights in registers has its blocks. */
static void open_few(Net *net, WbRnnShape shape, uint32_t steps, uint32_t sms, WbRnnSync sync, Places places)
{
    const WbRnnOptions options = {.sm_limit = sms, .sync = sync, .method = WBRNN_WAIT_SIGNAL};
    net_open(net, shape, steps, &options);
    const RnnPlan *plan = &net->rnn->plan;
    assert_non_null(strstr(plan->kernel, "_memory"));
    assert_true(plan->state_kept >= least(places.state, plan->depth / 4));
    assert_true(plan->input_kept >= least(places.input, plan->depth / 4));
    assert_true(plan->cell_place == PLACE_SHARED || places.cell == PLACE_GLOBAL);
    put(net, places);
}

static void run_lengths(Net *net)
{
    uint32_t lengths[JOB_SEQUENCES];
    for (uint32_t i = 0; i < JOB_SEQUENCES; i++)
        lengths[i] = i % 3 ? 1 + i * 7 % net->steps : net->steps;
    net_run_and_check(net, lengths);
}

static void run_few(WbRnnShape shape, uint32_t steps, uint32_t sms, WbRnnSync sync, Places places)
{
    Net net;
    open_few(&net, shape, steps, sms, sync, places);
    run_lengths(&net);
    net_close(&net);
}

static void every_kind_reads_weights_from_either_memory(void **state)
{
    (void)state;
    for (int kind = 0; kind < WBRNN_KINDS; kind++) {
        const bool basic = kind == WBRNN_TANH || kind == WBRNN_RELU, grouped = kind == WBRNN_GROUPED_LSTM;
        WbRnnShape shape = shape_with((WbRnnKind)kind, 2, basic ? 257 : grouped ? 116 : 97, kind ? 2 : 5);
        shape.groups = grouped ? 4 : 1;
        Net net;
        open_few(&net, shape, 2, basic ? 4 : 3, WBRNN_SYNC_AUTO, all_shared);
        run_lengths(&net);
        if (kind != WBRNN_RELU) {
            put(&net, kind == WBRNN_LSTM ? mixed : all_global);
            run_lengths(&net);
        }
        net_close(&net);
    }
}

/* Tiles of four sequences: 33 leave three places of the last one empty. */
static void batches_of_many_tiles_work(void **state)
{
    (void)state;
    run_few(shape_with(WBRNN_LSTM, 1, 65, 33), 2, 2, WBRNN_SYNC_AUTO, all_shared);
    run_few(shape_with(WBRNN_GRU, 1, 65, 64), 2, 1, WBRNN_SYNC_AUTO, all_global);
}

static void blocks_tell_each_other_in_every_way(void **state)
{
    (void)state;
    const WbRnnSync syncs[] = {WBRNN_SYNC_ARRAYS, WBRNN_SYNC_ENTRY, WBRNN_SYNC_COUNTER};
    for (size_t i = 0; i < sizeof syncs / sizeof *syncs; i++)
        run_few(shape_with(i ? WBRNN_LSTM : WBRNN_GRU, 2, 65, 6), 4, 2, syncs[i], all_global);
}

/* A layer's blocks of O U hand over to those of S W. */
static void products_have_blocks_of_their_own(void **state)
{
    (void)state;
    const WbRnnSync syncs[] = {WBRNN_SYNC_DATA, WBRNN_SYNC_COUNTER};
    for (size_t i = 0; i < sizeof syncs / sizeof *syncs; i++) {
        const WbRnnOptions options = {.sm_limit = 3, .sync = syncs[i], .split = true};
        Net net;
        net_open(&net, shape_with(i ? WBRNN_GRU : WBRNN_TANH, 2, i ? 97 : 300, 5), 2, &options);
        assert_non_null(strstr(net.rnn->plan.kernel, "_memory"));
        run_lengths(&net);
        net_close(&net);
    }
}

static void wide_inputs_are_multiplied_ahead(void **state)
{
    (void)state;
    const WbRnnKind kinds[] = {WBRNN_RELU, WBRNN_GROUPED_LSTM};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        WbRnnShape shape = shape_with(kinds[i], 2, i ? 100 : 260, 3);
        shape.input = i ? 300 : 400;
        shape.groups = kinds[i] == WBRNN_GROUPED_LSTM ? 2 : 0;
        Net net;
        open_few(&net, shape, 3, 2, WBRNN_SYNC_AUTO, all_global);
        assert_true(net.rnn->plan.input_ahead);
        net_run_and_check(&net, NULL);
        net_close(&net);
    }
}

/* With one layer in flight, O U of each is one product of the sequence that the layer below has left. */
static void layers_one_by_one_have_their_inputs_multiplied_ahead(void **state)
{
    (void)state;
    const uint32_t lengths[] = {3, 1, 2};
    const WbRnnKind kinds[] = {WBRNN_TANH, WBRNN_GROUPED_LSTM};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        WbRnnShape shape = shape_with(kinds[i], 3, i ? 102 : 260, 3);
        shape.input = 90;
        shape.groups = kinds[i] == WBRNN_GROUPED_LSTM ? 3 : 0;
        Net net;
        net_open_small(&net, shape, 3, &(WbRnnOptions){.sm_limit = 1, .method = WBRNN_WAIT_SIGNAL}, 48 << 10);
        assert_non_null(strstr(net.rnn->plan.kernel, "_memory"));
        assert_true(net.rnn->plan.inputs_ahead);
        net.rnn->plan.chunk_steps = 2;
        net_run_and_check(&net, lengths);
        net_close(&net);
    }
}

/* States go from chunk to chunk, and layers one by one, wherever c lies. */
static void long_runs_go_in_chunks(void **state)
{
    (void)state;
    const uint32_t lengths[] = {3, 2, 5};
    Net net;
    open_few(&net, shape_with(WBRNN_LSTM, 2, 65, 3), 5, 2, WBRNN_SYNC_AUTO, all_shared);
    net.rnn->plan.layers_in_flight = 1;
    net.rnn->plan.passes = 2;
    net.rnn->plan.chunk_steps = 2;
    net_run_and_check(&net, lengths);
    put(&net, all_global);
    net_run_and_check(&net, lengths);
    net_close(&net);
}

static void blocks_that_wait_in_vain_give_up(void **state)
{
    (void)state;
    for (uint32_t sync = WBRNN_SYNC_COUNTER; sync <= WBRNN_SYNC_DATA; sync++) {
        Net net;
        open_few(&net, shape_with(WBRNN_LSTM, 1, 65, 2), 3, 2, (WbRnnSync)sync, all_global);
        net.rnn->leave = 0;
        net.rnn->options.watchdog_ms = 1;
        const WbRnnRun run = net_run(&net, NULL);
        WORKS(&net, wbrnn_run(net.rnn, &run, NULL));
        assert_int_equal(wbrnn_wait(net.rnn), WBRNN_STUCK);
        assert_non_null(strstr(wbrnn_error(net.rnn), "layer 0 waited for"));
        net_close(&net);
    }
}

/* As the planner has it on all SMs of an H200. WARPBEAM_RNN_WIDE=1 adds those that take long. */
static void wide_layers_work(void **state)
{
    (void)state;
    const WbRnnShape shapes[] = {
        shape_with(WBRNN_TANH, 1, 1100, 1),          shape_with(WBRNN_LSTM, 1, 1100, 3),
        shape_with(WBRNN_GRU, 2, 2048, 4),           shape_with(WBRNN_LSTM, 1, 2048, 5),
        shape_with(WBRNN_GROUPED_LSTM, 1, 2048, 64), shape_with(WBRNN_PHASED_LSTM, 1, 1025, 9),
    };
    const size_t count = getenv("WARPBEAM_RNN_WIDE") ? sizeof shapes / sizeof *shapes : 1;
    for (size_t i = 0; i < count; i++) {
        WbRnnShape shape = shapes[i];
        shape.groups = shape.kind == WBRNN_GROUPED_LSTM ? 2 : 1;
        Net net;
        net_open(&net, shape, 2, NULL);
        assert_non_null(strstr(net.rnn->plan.kernel, "_memory"));
        assert_true(i > 0 || net.rnn->plan.warps_per_tile > 1); /* and some share tiles */
        net_run_and_check(&net, NULL);
        net_close(&net);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_reads_weights_from_either_memory),
        cmocka_unit_test(batches_of_many_tiles_work),
        cmocka_unit_test(blocks_tell_each_other_in_every_way),
        cmocka_unit_test(products_have_blocks_of_their_own),
        cmocka_unit_test(wide_inputs_are_multiplied_ahead),
        cmocka_unit_test(layers_one_by_one_have_their_inputs_multiplied_ahead),
        cmocka_unit_test(long_runs_go_in_chunks),
        cmocka_unit_test(blocks_that_wait_in_vain_give_up),
        cmocka_unit_test(wide_layers_work),
    };
    return cmocka_run_group_tests(tests, net_begin, net_end);
}
