/* Networks of halves through the library, on the simulator's tensor cores: results beside a reference in
 * double precision whose inputs and weights are rounded to the type. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "rnn_net.h"

static WbRnnShape half_shape(WbRnnKind kind, WbRnnType type, uint32_t input, uint32_t batch)
{
    WbRnnShape shape = net_shape(kind, 2, input, batch);
    shape.type = type;
    return shape;
}

/* Two tiles of the batch, in which sequences end at different steps; inputs that fill no step of 16. */
static void every_kind_and_type_computes_what_the_reference_does(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {2, 1, 2, 2, 2, 1, 2, 1, 1};
    for (int kind = 0; kind < WBRNN_KINDS; kind++)
        for (int type = WBRNN_F16; type < WBRNN_TYPES; type++) {
            if (type == WBRNN_BF16 && (kind == WBRNN_TANH || kind == WBRNN_GROUPED_LSTM))
                continue; /* the same kernels as those of the kind beside it */
            Net net;
            WbRnnShape shape = half_shape((WbRnnKind)kind, (WbRnnType)type, 38, 9);
            shape.layers = 1 + (uint32_t)(kind + type) % 2;
            net_open(&net, shape, 2, NULL);
            net_run_and_check(&net, lengths);
            net_close(&net);
        }
}

/* Ways to cut a matrix: sums of one warp or of several, U in registers or shared memory. */
static void warps_share_the_sums_of_a_tile(void **state)
{
    (void)state;
    static const struct {
        WbRnnKind kind;
        WbRnnType type;
        uint32_t hidden, batch, steps, sms;
        const char *kernel;
    } cases[] = {
        {WBRNN_LSTM, WBRNN_F16, 100, 1, 2, 0, "rnn_wait_fp16_lstm_2x4"},
        {WBRNN_TANH, WBRNN_BF16, 250, 4, 2, 0, "rnn_wait_bf16_basic_4x4"},
        {WBRNN_PHASED_LSTM, WBRNN_F16, 120, 3, 2, 4, "rnn_wait_fp16_phased_1x8"},
        {WBRNN_GRU, WBRNN_BF16, 260, 1, 1, 9, "rnn_wait_bf16_gru_1x32"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const WbRnnShape shape = {.kind = cases[i].kind, .type = cases[i].type, .layers = 1,
                                  .hidden = cases[i].hidden, .input = 60, .batch = cases[i].batch};
        const WbRnnOptions options = {.sm_limit = cases[i].sms};
        Net net;
        net_open(&net, shape, cases[i].steps, &options);
        assert_string_equal(net.rnn->plan.kernel, cases[i].kernel);
        net_run_and_check(&net, NULL);
        net_close(&net);
    }
}

static void wide_inputs_are_multiplied_ahead(void **state)
{
    (void)state;
    static const WbRnnKind kinds[] = {WBRNN_RELU, WBRNN_GRU, WBRNN_GROUPED_LSTM};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        Net net;
        WbRnnShape shape = half_shape(kinds[i], i % 2 ? WBRNN_BF16 : WBRNN_F16, 170, 10);
        shape.layers = 1;
        net_open(&net, shape, 2, NULL);
        assert_true(net.rnn->plan.input_ahead);
        net_run_and_check(&net, NULL);
        net_close(&net);
    }
}

/* c keeps its precision from chunk to chunk, in floats. */
static void long_runs_go_in_chunks_and_layers_in_passes(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {5, 2, 7};
    static const WbRnnKind kinds[] = {WBRNN_LSTM, WBRNN_GRU};
    for (size_t i = 0; i < 2; i++) {
        Net net;
        net_open(&net, half_shape(kinds[i], WBRNN_F16, HIDDEN, 3), 7, NULL);
        net.rnn->plan.layers_in_flight = 1;
        net.rnn->plan.passes = 2;
        net.rnn->plan.chunk_steps = 2;
        net_run_and_check(&net, lengths);
        net_close(&net);
    }
}

static void blocks_tell_each_other_by_flags_too(void **state)
{
    (void)state;
    static const WbRnnSync syncs[] = {WBRNN_SYNC_ARRAYS, WBRNN_SYNC_ENTRY, WBRNN_SYNC_COUNTER};
    for (size_t i = 0; i < sizeof syncs / sizeof *syncs; i++) {
        const WbRnnOptions options = {.sync = syncs[i]};
        Net net;
        net_open(&net, half_shape(WBRNN_LSTM, WBRNN_F16, HIDDEN, 9), 2, &options);
        net_run_and_check(&net, NULL);
        net_close(&net);
    }
}

/* A block that leaves at once is missed; the next run is as good as any. */
static void the_watchdog_ends_runs_of_halves(void **state)
{
    (void)state;
    const WbRnnOptions options = {.watchdog_ms = 1};
    Net net;
    net_open(&net, half_shape(WBRNN_LSTM, WBRNN_F16, HIDDEN, 4), 2, &options);
    net.rnn->leave = 1;
    const WbRnnRun run = net_run(&net, NULL);
    WORKS(&net, wbrnn_run(net.rnn, &run, NULL));
    assert_int_equal(wbrnn_wait(net.rnn), WBRNN_STUCK);
    net.rnn->leave = ~0u;
    net_run_and_check(&net, NULL);
    net_close(&net);
}

/* -- weights in memory -- */

/* The plan has room for all in shared memory, and for less as well: k16 steps of both matrices. */
static void run_from_memory(WbRnnShape shape, uint32_t kept, RnnPlace cells)
{
    static const uint32_t lengths[] = {2, 1, 2, 2, 1, 2, 1, 2, 1, 1, 2};
    const WbRnnOptions options = {.sm_limit = 1};
    Net net;
    net_open(&net, shape, 2, &options);
    RnnPlan *plan = &net.rnn->plan;
    assert_non_null(strstr(plan->kernel, "_memory"));
    assert_true(plan->state_kept == plan->depth && plan->state_kept >= kept);
    plan->state_kept = kept;
    plan->input_kept = kept / 2;
    plan->cell_place = cells;
    net_run_and_check(&net, lengths);
    net_close(&net);
}

/* On so few SMs no kernel with weights in registers has room for its blocks. */
static void every_kind_reads_weights_from_either_memory(void **state)
{
    (void)state;
    for (int kind = 0; kind < WBRNN_KINDS; kind++) {
        WbRnnShape shape = half_shape((WbRnnKind)kind, kind % 2 ? WBRNN_F16 : WBRNN_BF16, 60,
                                      kind == WBRNN_LSTM ? 11 : 3);
        shape.layers = 1;
        shape.hidden = kind == WBRNN_TANH || kind == WBRNN_RELU ? 140 : 66;
        static const uint32_t kept[] = {8, 3, 0};
        run_from_memory(shape, kept[kind % 3], kind % 3 == 1 ? PLACE_GLOBAL : PLACE_SHARED);
    }
}

/* Two tiles a block, as wide layers have them: four warps share the sums of each. */
static void warps_share_sums_of_weights_in_memory(void **state)
{
    (void)state;
    static const WbRnnSync syncs[] = {WBRNN_SYNC_AUTO, WBRNN_SYNC_ARRAYS};
    for (size_t i = 0; i < sizeof syncs / sizeof *syncs; i++) {
        const WbRnnOptions options = {.sm_limit = 1 + (syncs[i] == WBRNN_SYNC_ARRAYS), .sync = syncs[i]};
        WbRnnShape shape = half_shape(WBRNN_GRU, WBRNN_F16, HIDDEN, 3);
        shape.hidden = 72;
        Net net;
        net_open(&net, shape, 2, &options);
        RnnPlan *plan = &net.rnn->plan;
        assert_string_equal(plan->kernel, "rnn_wait_fp16_gru_memory");
        assert_int_equal(plan->layer_tiles, 18);
        plan->block_tiles = 2;
        plan->warps_per_tile = 4;
        plan->layer_blocks = 9;
        plan->state_kept = 2;
        plan->input_kept = 1;
        net_run_and_check(&net, NULL);
        net_close(&net);
    }
}

/* One layer at a time with U out of the way: what it is multiplied with is computed before. */
static void layers_one_by_one_are_multiplied_ahead(void **state)
{
    (void)state;
    const WbRnnOptions options = {.sm_limit = 1};
    WbRnnShape shape = half_shape(WBRNN_LSTM, WBRNN_F16, 64, 2);
    shape.hidden = 150;
    Net net;
    net_open(&net, shape, 2, &options);
    assert_true(net.rnn->plan.inputs_ahead);
    net_run_and_check(&net, NULL);
    net_close(&net);
}

/* -- the other methods -- */

/* Every kind, alternating types, by another method; long runs in chunks. */
static void run_by(const WbRnnOptions *options)
{
    static const uint32_t lengths[] = {3, 1, 3, 2, 3, 3, 3, 1, 3};
    for (int kind = 0; kind < WBRNN_KINDS; kind++) {
        Net net;
        const uint32_t batch = kind == WBRNN_GRU ? 9 : 4;
        WbRnnShape shape = half_shape((WbRnnKind)kind, kind % 2 ? WBRNN_BF16 : WBRNN_F16, 70, batch);
        shape.layers = kind == WBRNN_LSTM || kind == WBRNN_GRU ? 2 : 1;
        net_open(&net, shape, 3, options);
        if (kind == WBRNN_GRU)
            net.rnn->plan.state_kept = net.rnn->plan.input_kept = 1;
        if (kind == WBRNN_LSTM)
            net.rnn->plan.chunk_steps = 2;
        net_run_and_check(&net, lengths);
        net_close(&net);
    }
}

static void a_persistent_kernel_computes_the_same(void **state)
{
    (void)state;
    run_by(&(WbRnnOptions){.method = WBRNN_PERSISTENT, .sm_limit = 3});
}

static void kernels_on_streams_compute_the_same(void **state)
{
    (void)state;
    run_by(&(WbRnnOptions){.method = WBRNN_STREAM});
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_kind_and_type_computes_what_the_reference_does),
    cmocka_unit_test(warps_share_the_sums_of_a_tile),
    cmocka_unit_test(wide_inputs_are_multiplied_ahead),
    cmocka_unit_test(long_runs_go_in_chunks_and_layers_in_passes),
    cmocka_unit_test(blocks_tell_each_other_by_flags_too),
    cmocka_unit_test(the_watchdog_ends_runs_of_halves),
    cmocka_unit_test(every_kind_reads_weights_from_either_memory),
    cmocka_unit_test(warps_share_sums_of_weights_in_memory),
    cmocka_unit_test(layers_one_by_one_are_multiplied_ahead),
    cmocka_unit_test(a_persistent_kernel_computes_the_same),
    cmocka_unit_test(kernels_on_streams_compute_the_same),
};

int main(void)
{
    return cmocka_run_group_tests(tests, net_begin, NULL);
}
