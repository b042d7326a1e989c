/* What must not hang or go unsaid: a block that is lost, NaN, and arguments that cannot work. */
#include "groups.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static WbRnnShape shape_of(WbRnnKind kind, uint32_t layers, uint32_t hidden)
{
    return (WbRnnShape){.kind = kind, .layers = layers, .hidden = hidden, .input = hidden, .batch = 3,
                        .groups = kind == WBRNN_GROUPED_LSTM ? 2 : 0};
}

/* -- the watchdog -- */

/* A block leaves at once: the others give up after a while, and the next run is as if nothing had been. */
static void lose_a_block(Program *program, WbRnnShape shape, const Way *way)
{
    enum { STEPS = 6 };
    WbRnnOptions options = way->options;
    options.watchdog_ms = 20;
    Net net;
    if (!net_open(&net, program, shape, STEPS, options)) {
        check(program, false, "a block lost by %s: %s", way->name, net.why);
        net_close(&net);
        return;
    }
    net.rnn->leave = 1;
    const bool stuck = net_run(&net, NULL, NULL) && !net_wait(&net) && net.status == WBRNN_STUCK;
    check(program, stuck && strstr(net.why, "layer") && strstr(net.why, "step"),
          "%s by %s without a block is not given up: %s", name_of(&shape, STEPS), way->name, net.why);
    net.rnn->leave = UINT32_MAX;
    net.status = WBRNN_OK;
    const double error = net_error(&net, NULL);
    check(program, error <= net_bound(&shape), "%s by %s behind a run that was given up: error %.1e: %s",
          name_of(&shape, STEPS), way->name, error, net.why);
    net_close(&net);
}

void test_watchdog(Program *program)
{
    for (size_t i = 0; i < way_count; i++)
        if (ways[i].options.method != WBRNN_STREAM) /* nobody waits inside of its kernels */
            lose_a_block(program, shape_of(WBRNN_LSTM, 2, 64), &ways[i]);
    for (uint32_t kind = 0; kind < WBRNN_KINDS && !program->small; kind++) {
        WbRnnShape shape = shape_of(kind, 4, 128);
        for (uint32_t type = 0; type < WBRNN_TYPES; type++) {
            shape.type = type;
            lose_a_block(program, shape, &ways[0]);
        }
    }
}

/* -- NaN -- */

/* A NaN of these bits among the weights or the values that a run reads. */
static void pass_through(Program *program, WbRnnShape shape, const Way *way, uint32_t bits, int place)
{
    enum { STEPS = 4 };
    static const char *const places[] = {"an input's weight", "a state's weight", "a bias", "x", "h0"};
    if (is_given_up(way)) {
        program->failed++;
        return;
    }
    Net net;
    double error = INFINITY;
    if (net_open(&net, program, shape, STEPS, way->options)) {
        float *const at[] = {net.data.w_input[0] + 5, net.data.w_state[shape.layers - 1] + 7,
                             net.data.b_state[0] + 3, net.data.x + shape.input * 4 + 1, net.data.h0 + 2};
        memcpy(at[place], &bits, sizeof bits);
        for (uint32_t layer = 0; layer < shape.layers; layer++)
            net_set_weights(&net, layer);
        net_write(&net, net.x, net.data.x, (size_t)STEPS * shape.batch * shape.input);
        net_write(&net, net.h0, net.data.h0, (size_t)shape.layers * shape.batch * shape.hidden);
        error = net_error(&net, NULL);
    }
    note_stuck(way, &net);
    check(program, error <= net_bound(&shape), "%s by %s with %08x in %s: error %.1e: %s",
          name_of(&shape, STEPS), way->name, bits, places[place], error, net.why);
    net_close(&net);
}

void test_nan(Program *program)
{
    static const uint32_t patterns[] = {0x7fc00000, 0xffffffff, 0x7f800000};
    for (uint32_t kind = 0; kind < WBRNN_KINDS; kind++)
        for (int place = 0; place < 5; place++)
            for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
                if (!program->small || (place == 3 && i == 1))
                    pass_through(program, shape_of(kind, 2, 64), &ways[0], patterns[i], place);
    if (program->small)
        return;
    for (size_t i = 1; i < way_count; i++)
        for (int place = 0; place < 5; place += 3)
            for (uint32_t type = 0; type < WBRNN_TYPES; type++) {
                WbRnnShape shape = shape_of(WBRNN_LSTM, 2, 64);
                if (type != WBRNN_F32 && ways[i].options.split) /* halves are not split */
                    continue;
                shape.type = type;
                pass_through(program, shape, &ways[i], 0xffffffff, place);
            }
}

/* -- arguments -- */

/* A sentence: a capital at its beginning, a period at its end, words between. */
static bool is_sentence(const char *text)
{
    const size_t length = strlen(text);
    return length > 20 && text[length - 1] == '.' && (text[0] < 'a' || text[0] > 'z' || strchr(text, '('));
}

static void refuse_shape(Program *program, WbRnnShape shape, WbRnnOptions options, WbRnnStatus expected)
{
    WbRnn *rnn = NULL;
    options.kernels = program->kernels;
    const WbRnnStatus status = wbrnn_create(&shape, &options, &rnn);
    check(program, status == expected && rnn && is_sentence(wbrnn_error(rnn)),
          "%s is not refused well: %d: %s", name_of(&shape, 1), status, wbrnn_error(rnn));
    check(program, wbrnn_run(rnn, &(WbRnnRun){.steps = 1}, NULL) != WBRNN_OK, "a refused network runs");
    wbrnn_destroy(rnn);
}

static void refuse_run(Program *program, Net *net, WbRnnRun run, const char *what)
{
    const WbRnnStatus status = wbrnn_run(net->rnn, &run, NULL);
    check(program, status == WBRNN_INVALID && is_sentence(wbrnn_error(net->rnn)),
          "a run with %s is not refused well: %d: %s", what, status, wbrnn_error(net->rnn));
}

static void refuse_weights(Program *program, Net *net)
{
    WbRnnWeights weights = net_weights(net, 0);
    weights.w_state_count--;
    check(program, wbrnn_set_weights(net->rnn, 0, &weights) == WBRNN_INVALID,
          "weights of a wrong length are taken");
    check(program, strstr(wbrnn_error(net->rnn), "w_state") != NULL, "w_state is not named: %s",
          wbrnn_error(net->rnn));
    weights = net_weights(net, 0);
    check(program, wbrnn_set_weights(net->rnn, 2, &weights) == WBRNN_INVALID, "weights of layer 2 are taken");
    weights.w_input = NULL;
    check(program, wbrnn_set_weights(net->rnn, 0, &weights) == WBRNN_INVALID,
          "a layer without w_input is taken");
    check(program, wbrnn_set_weights_cudnn(net->rnn, net->data.x, 17) == WBRNN_INVALID,
          "a buffer of 17 weights is taken");
}

void test_errors(Program *program)
{
    const WbRnnShape good = shape_of(WBRNN_LSTM, 2, 64);
    WbRnnShape bad[9];
    for (size_t i = 0; i < 9; i++)
        bad[i] = good;
    bad[0].layers = 0;
    bad[1].layers = 17;
    bad[2].hidden = 0;
    bad[3].hidden = 4096;
    bad[4].input = 0;
    bad[5].batch = 0;
    bad[6].batch = 65;
    bad[7].kind = WBRNN_KINDS;
    bad[8].groups = 3;
    for (size_t i = 0; i < 9; i++)
        refuse_shape(program, bad[i], (WbRnnOptions){0}, WBRNN_INVALID);
    if (!program->gpu->gpu.simulated)
        refuse_shape(program, good, (WbRnnOptions){.method = WBRNN_WAIT_SIGNAL, .sync = WBRNN_SYNC_HARDWARE},
                     WBRNN_TOO_SMALL);
    Net net;
    if (net_open(&net, program, good, 4, (WbRnnOptions){0})) {
        const uint32_t none[] = {4, 0, 4}, beyond[] = {4, 5, 4};
        void *x = (void *)(uintptr_t)net.x;
        refuse_run(program, &net, (WbRnnRun){.steps = 4}, "no input");
        refuse_run(program, &net, (WbRnnRun){.x = x}, "no steps");
        refuse_run(program, &net, (WbRnnRun){.steps = 4, .x = x, .lengths = none}, "a length of 0");
        refuse_run(program, &net, (WbRnnRun){.steps = 4, .x = x, .lengths = beyond}, "a length beyond it");
        refuse_weights(program, &net);
        const double error = net_error(&net, NULL);
        check(program, error <= net_bound(&good), "behind refusals the error is %.1e: %s", error, net.why);
    } else {
        check(program, false, "%s: %s", name_of(&good, 4), net.why);
    }
    net_close(&net);
}
