/* The double-precision reference of recurrent networks: against values that were computed by hand, and
 * against itself where two networks must be the same. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

enum { MOST = 4096 }; /* doubles of a result here */

typedef struct Result {
    double y[MOST], hn[MOST], cn[MOST];
} Result;

static Result one, other;

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9))
        fail_msg("%.12g instead of %.12g", value, expected);
}

static double sigma(double x)
{
    return 1 / (1 + exp(-x));
}

static void run(const WbRnnShape *shape, const ReferenceData *data, uint32_t steps, const uint32_t *lengths,
                Result *result)
{
    memset(result, 0xff, sizeof *result);
    assert_true(reference_run_data(shape, data, steps, lengths, result->y, result->hn, result->cn));
}

/* hidden 1, input 1, batch 1: the formulas with numbers in them. */
static void basic_cells_are_as_by_hand(void **state)
{
    (void)state;
    const double w = 0.5, u = 2, b_input = 0.25, b_state = -1, x[] = {1, -3, 0.5};
    const ReferenceWeights weights = {.w_input = &u, .w_state = &w, .b_input = &b_input, .b_state = &b_state};
    double y[3], hn;
    const ReferenceRun plain = {.steps = 3, .x = x, .y = y, .hn = &hn};
    WbRnnShape shape = {.kind = WBRNN_RELU, .layers = 1, .hidden = 1, .input = 1, .batch = 1};
    assert_true(reference_run(&shape, &weights, &plain));
    assert_near(y[0], 1.25);  /* 2 x 1 - 0.75 */
    assert_near(y[1], 0);     /* 0.5 x 1.25 - 6 - 0.75 is below 0 */
    assert_near(y[2], 0.25);  /* 1 - 0.75 */
    assert_near(hn, 0.25);
    shape.kind = WBRNN_TANH;
    assert_true(reference_run(&shape, &weights, &plain));
    assert_near(y[0], 0.848283639958);
    assert_near(y[1], -0.999993595901);
    assert_near(y[2], -0.244915652428);
}

/* Two units that see each other, and a start state: rows are units, columns what they read. */
static void matrices_are_read_row_by_row(void **state)
{
    (void)state;
    const double w[] = {0, 1, 10, 0}, u[] = {1, 2, 3, 100, 200, 300}, x[] = {1, 0, 0, 0, 0, 1};
    const double h0[] = {5, 7};
    const ReferenceWeights weights = {.w_input = u, .w_state = w};
    double y[4], hn[2];
    const ReferenceRun plain = {.steps = 2, .x = x, .h0 = h0, .y = y, .hn = hn};
    const WbRnnShape shape = {.kind = WBRNN_RELU, .layers = 1, .hidden = 2, .input = 3, .batch = 1};
    assert_true(reference_run(&shape, &weights, &plain));
    assert_near(y[0], 8);   /* 1 + 7 */
    assert_near(y[1], 150); /* 100 + 10 x 5 */
    assert_near(y[2], 153); /* 3 + 150 */
    assert_near(y[3], 380); /* 300 + 10 x 8 */
    assert_memory_equal(hn, y + 2, sizeof hn);
}

/* All gates differ, so that none can be taken for another. */
static void lstm_cell_is_as_by_hand(void **state)
{
    (void)state;
    const double u[] = {1, 2, 3, 4}, w[] = {0.5, 0.25, -1, 2}, b[] = {0.1, 0.2, 0.3, 0.4}, x = 0.5;
    const double h0 = 0.3, c0 = -0.6, c[] = {0, 1, 0, -1};
    const ReferenceWeights weights = {.w_input = u, .w_state = w, .b_input = b, .b_state = c};
    double y, cn;
    const WbRnnShape shape = {.kind = WBRNN_LSTM, .layers = 1, .hidden = 1, .input = 1, .batch = 1};
    const ReferenceRun plain = {.steps = 1, .x = &x, .h0 = &h0, .c0 = &c0, .y = &y, .cn = &cn};
    assert_true(reference_run(&shape, &weights, &plain));
    const double i = 0.5 + 0.15 + 0.1, f = 1 + 0.075 + 0.2 + 1, g = 1.5 - 0.3 + 0.3, o = 2 + 0.6 + 0.4 - 1;
    assert_near(cn, sigma(f) * -0.6 + sigma(i) * tanh(g));
    assert_near(cn, 0.070686247320);
    assert_near(y, sigma(o) * tanh(cn));
    assert_near(y, 0.062156751547);
}

/* The state's bias of n is inside of r's product. */
static void gru_cell_is_as_by_hand(void **state)
{
    (void)state;
    const double u[] = {1, 2, 3}, w[] = {0.5, 0.25, -1}, b[] = {0.1, 0.2, 0.3}, c[] = {-0.4, 0.5, 0.6};
    const double x = 0.5, h0 = 0.3;
    const ReferenceWeights weights = {.w_input = u, .w_state = w, .b_input = b, .b_state = c};
    double y;
    const WbRnnShape shape = {.kind = WBRNN_GRU, .layers = 1, .hidden = 1, .input = 1, .batch = 1};
    assert_true(reference_run(&shape, &weights, &(ReferenceRun){.steps = 1, .x = &x, .h0 = &h0, .y = &y}));
    const double r = sigma(0.5 + 0.1 + 0.15 - 0.4), z = sigma(1 + 0.2 + 0.075 + 0.5);
    const double n = tanh(1.5 + 0.3 + r * (-0.3 + 0.6));
    assert_near(y, (1 - z) * n + z * 0.3);
    assert_near(y, 0.395980299708);
}

/* One step of a phased LSTM with all weights 0 but the peepholes and g's bias, at a given time. */
static void phased_step(double time, double leak, double *y, double *cn)
{
    const double zeros[4] = {0}, b[] = {0, 0, 1, 0}, peephole[] = {1, 2, 3}, h0 = 0.25, c0 = 0.5, x = 0;
    const double period = 8, shift = 3, open = 0.5;
    const ReferenceWeights weights = {.w_input = zeros, .w_state = zeros, .b_input = b, .period = &period,
                                      .shift = &shift, .open = &open, .peephole = peephole, .leak = leak};
    const WbRnnShape shape = {.kind = WBRNN_PHASED_LSTM, .layers = 1, .hidden = 1, .input = 1, .batch = 1};
    const ReferenceRun plain = {.steps = 1, .x = &x, .h0 = &h0, .c0 = &c0, .times = &time, .y = y, .cn = cn};
    assert_true(reference_run(&shape, &weights, &plain));
}

static void phased_cell_is_as_by_hand(void **state)
{
    (void)state;
    const double full_c = sigma(2 * 0.5) * 0.5 + sigma(0.5) * tanh(1);
    const double full_h = sigma(3 * full_c) * tanh(full_c);
    /* The period of 8 begins at 3: half open at 4, fully at 5, half open at 6, closed from 7 to 11. */
    static const struct {
        double time, leak, k;
    } cases[] = {
        {3, 0, 0},     {4, 0, 0.5},    {5, 0, 1},     {6, 0, 0.5},        {6.5, 0, 0.25}, {7, 0, 0},
        {9, 0, 0},     {11, 0, 0},     {13, 0, 1},    {9, 0.1, 0.1 * 0.75}, {7, 0.1, 0.1 * 0.5},
        {2, 0.1, 0.1 * 0.875}, /* before the shift: 7 of 8 of the period before it */
        {-3, 0, 1},    {5 + 8e6, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double y, cn;
        phased_step(cases[i].time, cases[i].leak, &y, &cn);
        assert_near(cn, cases[i].k * full_c + (1 - cases[i].k) * 0.5);
        assert_near(y, cases[i].k * full_h + (1 - cases[i].k) * 0.25);
    }
}

static WbRnnShape shape_of(WbRnnKind kind)
{
    return (WbRnnShape){.kind = kind, .layers = 3, .hidden = 12, .input = 8, .batch = 3,
                        .groups = kind == WBRNN_GROUPED_LSTM ? 4 : 0};
}

static void one_group_is_an_lstm(void **state)
{
    (void)state;
    WbRnnShape shape = shape_of(WBRNN_LSTM);
    ReferenceData data;
    assert_true(reference_data(&shape, 5, 1, &data));
    run(&shape, &data, 5, NULL, &one);
    shape.kind = WBRNN_GROUPED_LSTM;
    shape.groups = 1;
    run(&shape, &data, 5, NULL, &other);
    assert_memory_equal(&one, &other, sizeof one);
    reference_free(&data);
}

/* Group by group it is an LSTM of a group's weights, inputs and states. */
static void groups_are_lstms_of_their_own(void **state)
{
    (void)state;
    enum { GROUPS = 4, HIDDEN = 12, INPUT = 8, BATCH = 3, STEPS = 4 };
    enum { PART = HIDDEN / GROUPS, IN = INPUT / GROUPS };
    WbRnnShape shape = shape_of(WBRNN_GROUPED_LSTM), part = shape;
    shape.layers = part.layers = 1;
    part.kind = WBRNN_LSTM;
    part.groups = 0;
    part.hidden = PART;
    part.input = IN;
    ReferenceData data, cut;
    assert_true(reference_data(&shape, STEPS, 2, &data) && reference_data(&part, STEPS, 3, &cut));
    data.h0 = data.c0 = cut.h0 = cut.c0 = NULL;
    run(&shape, &data, STEPS, NULL, &one);
    for (size_t group = 0; group < GROUPS; group++) {
        for (size_t row = 0; row < 4 * PART; row++) {
            const size_t from = row / PART * HIDDEN + group * PART + row % PART;
            memcpy(cut.w_input[0] + row * IN, data.w_input[0] + from * IN, IN * sizeof(float));
            memcpy(cut.w_state[0] + row * PART, data.w_state[0] + from * PART, PART * sizeof(float));
            cut.b_input[0][row] = data.b_input[0][from];
            cut.b_state[0][row] = data.b_state[0][from];
        }
        for (size_t vector = 0; vector < STEPS * BATCH; vector++)
            memcpy(cut.x + vector * IN, data.x + vector * INPUT + group * IN, IN * sizeof(float));
        run(&part, &cut, STEPS, NULL, &other);
        for (size_t i = 0; i < STEPS * BATCH * PART; i++)
            assert_near(one.y[i / PART * HIDDEN + group * PART + i % PART], other.y[i]);
    }
    reference_free(&data);
    reference_free(&cut);
}

/* With a period of 1 from 1/2 on, every whole time is where the gate is fully open. */
static void an_open_gate_without_peepholes_is_an_lstm(void **state)
{
    (void)state;
    WbRnnShape shape = shape_of(WBRNN_PHASED_LSTM);
    ReferenceData data;
    assert_true(reference_data(&shape, 5, 4, &data));
    run(&shape, &data, 5, NULL, &other);
    for (uint32_t layer = 0; layer < shape.layers; layer++) {
        data.peephole[layer] = NULL;
        for (uint32_t unit = 0; unit < shape.hidden; unit++) {
            data.period[layer][unit] = data.open[layer][unit] = 1;
            data.shift[layer][unit] = 0.5f;
        }
    }
    run(&shape, &data, 5, NULL, &one);
    assert_memory_not_equal(one.y, other.y, sizeof(double));
    shape.kind = WBRNN_LSTM;
    run(&shape, &data, 5, NULL, &other);
    for (size_t i = 0; i < 5 * 3 * 12; i++)
        assert_near(one.y[i], other.y[i]);
    for (size_t i = 0; i < 3 * 3 * 12; i++) {
        assert_near(one.hn[i], other.hn[i]);
        assert_near(one.cn[i], other.cn[i]);
    }
    reference_free(&data);
}

/* A sequence that ends early has the states of a run of its length; y is 0 behind it. */
static void lengths_are_runs_of_so_many_steps(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {4, 0, 6};
    for (WbRnnKind kind = 0; kind < WBRNN_KINDS; kind++) {
        const WbRnnShape shape = shape_of(kind);
        const size_t hidden = shape.hidden, states = shape.batch * hidden;
        ReferenceData data;
        assert_true(reference_data(&shape, 6, 5 + kind, &data));
        run(&shape, &data, 6, lengths, &one);
        for (uint32_t sequence = 0; sequence < shape.batch; sequence++) {
            run(&shape, &data, lengths[sequence], NULL, &other);
            for (uint32_t layer = 0; layer < shape.layers; layer++) {
                const size_t at = layer * states + sequence * hidden;
                assert_memory_equal(one.hn + at, other.hn + at, hidden * sizeof(double));
                assert_memory_equal(one.cn + at, other.cn + at, hidden * sizeof(double));
            }
            for (size_t step = 0; step < 6; step++)
                for (size_t unit = 0; unit < hidden; unit++) {
                    const size_t at = step * states + sequence * hidden + unit;
                    assert_true(one.y[at] == (step < lengths[sequence] ? other.y[at] : 0));
                }
        }
        reference_free(&data);
    }
}

/* Sequences do not see each other: a NaN in one reaches all its later outputs, and nothing of the others. */
static void sequences_are_independent(void **state)
{
    (void)state;
    for (WbRnnKind kind = 0; kind < WBRNN_KINDS; kind++) {
        const WbRnnShape shape = shape_of(kind);
        const size_t states = shape.batch * shape.hidden;
        ReferenceData data;
        assert_true(reference_data(&shape, 3, 20 + kind, &data));
        run(&shape, &data, 3, NULL, &one);
        for (uint32_t i = 0; i < shape.input; i++)
            data.x[(1 * shape.batch + 1) * shape.input + i] = NAN; /* step 1, sequence 1 */
        run(&shape, &data, 3, NULL, &other);
        for (size_t i = 0; i < 3 * states; i++) {
            const bool follows = i / shape.hidden % shape.batch == 1 && i >= states;
            assert_true(follows ? isnan(other.y[i]) : other.y[i] == one.y[i]);
        }
        reference_free(&data);
    }
}

/* A network is its layers one behind the other. */
static void layers_follow_each_other(void **state)
{
    (void)state;
    enum { HIDDEN = 12, BATCH = 3, STEPS = 4, STATES = BATCH * HIDDEN };
    for (WbRnnKind kind = 0; kind < WBRNN_KINDS; kind++) {
        WbRnnShape shape = shape_of(kind);
        shape.input = HIDDEN;
        ReferenceData data;
        assert_true(reference_data(&shape, STEPS, 30 + kind, &data));
        run(&shape, &data, STEPS, NULL, &one);
        ReferenceData layer = data;
        float x[STEPS * STATES];
        shape.layers = 1;
        for (uint32_t index = 0; index < 3; index++) {
            layer.w_input[0] = data.w_input[index];
            layer.w_state[0] = data.w_state[index];
            layer.b_input[0] = data.b_input[index];
            layer.b_state[0] = data.b_state[index];
            layer.period[0] = data.period[index];
            layer.shift[0] = data.shift[index];
            layer.open[0] = data.open[index];
            layer.peephole[0] = data.peephole[index];
            layer.h0 = data.h0 + index * STATES;
            layer.c0 = data.c0 + index * STATES;
            run(&shape, &layer, STEPS, NULL, &other);
            for (size_t i = 0; i < STATES; i++)
                assert_true(fabs(one.hn[index * STATES + i] - other.hn[i]) < 1e-5);
            for (size_t i = 0; i < STEPS * STATES; i++)
                x[i] = (float)other.y[i];
            layer.x = x;
        }
        for (size_t i = 0; i < STEPS * STATES; i++)
            assert_true(fabs(one.y[i] - other.y[i]) < 1e-5);
        reference_free(&data);
    }
}

/* The second half begins with the states of the first and has times of its own, a whole period later for
 * one of the two sequences. */
static void a_long_run_is_its_halves(void **state)
{
    (void)state;
    enum { HIDDEN = 2, BATCH = 2, STATES = HIDDEN * BATCH };
    const double w[] = {.1, -.2, .3, .4, -.5, .6, .7, -.8, .9, -1, 1.1, 1.2, -1.3, 1.4, 1.5, 1.6};
    const double u[] = {1, -2, .5, .25, .7, -.6, .3, .2}, x[] = {1, 2, -1, .5, .3, -.4, .8, .1};
    const double period[] = {5, 5}, shift[] = {.5, 1.25}, open[] = {.5, .75};
    double times[] = {2, 7, 3, 8};
    const ReferenceWeights weights = {.w_input = u, .w_state = w, .period = period, .shift = shift,
                                      .open = open, .peephole = u, .leak = 0.01};
    const WbRnnShape shape = {.kind = WBRNN_PHASED_LSTM, .layers = 1, .hidden = HIDDEN, .input = 1,
                              .batch = BATCH};
    double y[4 * STATES], h[STATES], c[STATES], later[2 * STATES], end[STATES];
    assert_true(reference_run(&shape, &weights, &(ReferenceRun){.steps = 4, .x = x, .y = y}));
    assert_true(reference_run(&shape, &weights, &(ReferenceRun){.steps = 2, .x = x, .hn = h, .cn = c}));
    const ReferenceRun half = {.steps = 2, .x = x + 2 * BATCH, .h0 = h, .c0 = c, .times = times, .y = later,
                               .hn = end};
    assert_true(reference_run(&shape, &weights, &half));
    for (size_t i = 0; i < 2 * STATES; i++)
        assert_near(later[i], y[2 * STATES + i]);
    assert_memory_equal(end, later + STATES, sizeof end);
    times[3] = 6.5; /* of the second sequence's last step alone */
    assert_true(reference_run(&shape, &weights, &half));
    assert_memory_equal(end, y + 3 * STATES, HIDDEN * sizeof *end);
    assert_true(fabs(end[HIDDEN] - y[3 * STATES + HIDDEN]) > 1e-3);
}

/* Null states and biases are zeros, null results are not written. */
static void what_is_null_is_left_out(void **state)
{
    (void)state;
    const WbRnnShape shape = shape_of(WBRNN_GRU);
    ReferenceData data;
    assert_true(reference_data(&shape, 2, 40, &data));
    memset(data.h0, 0, sizeof(float) * shape.layers * shape.batch * shape.hidden);
    memset(data.b_state[1], 0, sizeof(float) * data.bias_count);
    run(&shape, &data, 2, NULL, &one);
    data.h0 = data.c0 = data.b_state[1] = NULL;
    run(&shape, &data, 2, NULL, &other);
    assert_memory_equal(one.y, other.y, sizeof one.y);
    assert_memory_equal(one.hn, other.hn, sizeof one.hn);
    assert_true(reference_run_data(&shape, &data, 2, NULL, NULL, NULL, NULL));
    reference_free(&data);
}

static void made_up_data_is_random_within_bounds(void **state)
{
    (void)state;
    WbRnnShape shape = shape_of(WBRNN_PHASED_LSTM);
    shape.hidden = 64;
    ReferenceData data, again;
    assert_true(reference_data(&shape, 7, 50, &data) && reference_data(&shape, 7, 50, &again));
    assert_int_equal(data.w_input_count[0], 4 * 64 * 8);
    assert_int_equal(data.w_input_count[2], 4 * 64 * 64);
    assert_memory_equal(data.w_state[2], again.w_state[2], 4 * 64 * 64 * sizeof(float));
    double sum = 0, most = 0;
    for (size_t i = 0; i < 4 * 64 * 64; i++) {
        sum += data.w_state[0][i];
        most = fmax(most, fabs(data.w_state[0][i]));
    }
    assert_true(most <= 0.125 && most > 0.12 && fabs(sum) < 0.125 * 64 * 2);
    for (uint32_t unit = 0; unit < 64; unit++) {
        const float period = data.period[0][unit], shift = data.shift[0][unit], open = data.open[0][unit];
        assert_true(period >= 2 && period <= 16 && shift > 0 && shift < period);
        assert_true(open >= 0.1f && open <= 0.63f);
        for (int time = 0; time < 100; time++) {
            const double phase = fmod(time - (double)shift + 64 * (double)period, period) / period;
            assert_true(phase > 1e-4 && fabs(phase - open) > 1e-4);
        }
    }
    reference_free(&data);
    reference_free(&again);
}

static void halves_round_to_nearest_even(void **state)
{
    (void)state;
    static const struct {
        WbRnnType type;
        float value;
        uint16_t bits;
    } cases[] = {
        {WBRNN_F16, 1, 0x3c00},          {WBRNN_F16, -2, 0xc000},         {WBRNN_F16, 65504, 0x7bff},
        {WBRNN_F16, 65519.9f, 0x7bff},   {WBRNN_F16, 65520, 0x7c00},      {WBRNN_F16, 1e30f, 0x7c00},
        {WBRNN_F16, -INFINITY, 0xfc00},  {WBRNN_F16, 1 + 0x1p-11f, 0x3c00}, {WBRNN_F16, 1 + 0x3p-11f, 0x3c02},
        {WBRNN_F16, 0x1p-24f, 0x0001},   {WBRNN_F16, 0x1p-25f, 0},        {WBRNN_F16, 0x1.8p-24f, 0x0002},
        {WBRNN_F16, -0x1p-14f, 0x8400},  {WBRNN_F16, 0x1.ffffp-15f, 0x0400}, {WBRNN_F16, -0.0f, 0x8000},
        {WBRNN_BF16, 1, 0x3f80},         {WBRNN_BF16, 1 + 0x1p-8f, 0x3f80}, {WBRNN_BF16, 1 + 0x3p-8f, 0x3f82},
        {WBRNN_BF16, -3.4e38f, 0xff80},  {WBRNN_BF16, 0x1p-149f, 0},      {WBRNN_BF16, INFINITY, 0x7f80},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(reference_to_half(cases[i].type, cases[i].value), cases[i].bits);
    for (WbRnnType type = WBRNN_F16; type <= WBRNN_BF16; type++)
        for (uint32_t bits = 0; bits < 0x10000; bits++) {
            const float value = reference_from_half(type, (uint16_t)bits);
            const uint16_t back = reference_to_half(type, value);
            if (isnan(value))
                assert_true(isnan(reference_from_half(type, back)));
            else
                assert_int_equal(back, bits);
        }
    assert_true(reference_from_half(WBRNN_F16, 0x0001) == 0x1p-24f);
    assert_true(reference_from_half(WBRNN_F16, 0xc500) == -5);
    assert_true(isinf(reference_from_half(WBRNN_F16, 0x7c00)) && isnan(reference_round(WBRNN_BF16, NAN)));
    assert_true(reference_round(WBRNN_F32, 0.1f) == 0.1f && reference_round(WBRNN_F16, 0.1f) == 0x1.998p-4f);
}

/* Values of a half network are rounded before they are used. */
static void types_round_what_goes_in(void **state)
{
    (void)state;
    WbRnnShape shape = {.kind = WBRNN_RELU, .type = WBRNN_BF16, .layers = 1, .hidden = 1, .input = 1,
                        .batch = 1};
    ReferenceData data;
    assert_true(reference_data(&shape, 1, 60, &data));
    data.w_input[0][0] = 1 + 0x1p-9f;
    data.x[0] = 3 + 0x1p-9f;
    data.b_input[0][0] = 0x1.01p0f;
    data.b_state[0] = data.h0 = NULL;
    run(&shape, &data, 1, NULL, &one);
    assert_true(one.y[0] == 1 * 3 + 1);
    shape.type = WBRNN_F32;
    run(&shape, &data, 1, NULL, &one);
    assert_true(one.y[0] == (1 + 0x1p-9) * (3 + 0x1p-9) + 0x1.01p0);
    reference_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(basic_cells_are_as_by_hand),
        cmocka_unit_test(matrices_are_read_row_by_row),
        cmocka_unit_test(lstm_cell_is_as_by_hand),
        cmocka_unit_test(gru_cell_is_as_by_hand),
        cmocka_unit_test(phased_cell_is_as_by_hand),
        cmocka_unit_test(one_group_is_an_lstm),
        cmocka_unit_test(groups_are_lstms_of_their_own),
        cmocka_unit_test(an_open_gate_without_peepholes_is_an_lstm),
        cmocka_unit_test(lengths_are_runs_of_so_many_steps),
        cmocka_unit_test(sequences_are_independent),
        cmocka_unit_test(layers_follow_each_other),
        cmocka_unit_test(a_long_run_is_its_halves),
        cmocka_unit_test(what_is_null_is_left_out),
        cmocka_unit_test(made_up_data_is_random_within_bounds),
        cmocka_unit_test(halves_round_to_nearest_even),
        cmocka_unit_test(types_round_what_goes_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
