/* Packed weights of recurrent networks: every weight is at the place that pack.h says, once, and what lanes
 * compute of them is the matrix product. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pack.h"
#include "reference.h"

enum { WARPS = 8 };

static RnnPlan plan_of(WbRnnKind kind, uint32_t lanes, uint32_t depth)
{
    const uint32_t units = kind == WBRNN_TANH || kind == WBRNN_RELU ? 4 : 1;
    const uint32_t warp = 32 / lanes * units;
    return (RnnPlan){.rows = kind == WBRNN_GRU ? 3 : 4, .lanes = lanes, .depth = depth, .thread_units = units,
                     .warp_units = warp, .block_units = WARPS * warp, .slice = lanes * depth};
}

static void *get(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    assert_non_null(memory);
    return memory;
}

/* Every place of the packed matrix against the formula. The matrix holds 1, 2, 3, ..., so that a number says
 * where it was. */
static void check_places(const WbRnnShape *shape, const RnnPlan *plan, uint32_t inputs)
{
    const uint32_t hidden = shape->hidden, width = inputs / (shape->groups ? shape->groups : 1);
    const uint32_t blocks = (hidden + plan->block_units - 1) / plan->block_units;
    const size_t weights = (size_t)plan_gates(shape->kind) * hidden * width;
    const size_t tiles = pack_tiles(shape, plan), count = pack_count(shape, plan);
    assert_int_equal(tiles, blocks * WARPS);
    assert_int_equal(count, tiles * plan->depth * plan->rows * 32);
    float *from = get(weights, sizeof *from), *to = get(count, sizeof *to);
    for (size_t i = 0; i < weights; i++)
        from[i] = (float)(i + 1);
    memset(to, 0xff, count * sizeof *to);
    pack_matrix(shape, plan, inputs, from, to);
    size_t seen = 0;
    const float *next = to;
    for (uint32_t tile = 0; tile < tiles; tile++)
        for (uint32_t q4 = 0; q4 < plan->depth / 4; q4++)
            for (uint32_t row = 0; row < plan->rows; row++)
                for (uint32_t lane = 0; lane < 32; lane++)
                    for (uint32_t q = q4 * 4; q < q4 * 4 + 4; q++) {
                        const bool basic = plan->thread_units == 4;
                        const uint32_t thread = tile * (32 / plan->lanes) + lane % (32 / plan->lanes);
                        const uint32_t unit = basic ? thread * 4 + row : thread, gate = basic ? 0 : row;
                        const uint32_t k = q * plan->lanes + lane / (32 / plan->lanes);
                        const bool there = unit < hidden && k < width;
                        const float expected = there ? (float)((gate * hidden + unit) * width + k + 1) : 0;
                        assert_true(*next++ == expected);
                        seen += there;
                    }
    assert_int_equal(seen, weights);
    free(from);
    free(to);
}

static void every_weight_is_at_its_place(void **state)
{
    (void)state;
    for (WbRnnKind kind = 0; kind < WBRNN_KINDS; kind++)
        for (uint32_t lanes = 8; lanes <= 32; lanes *= 2)
            for (uint32_t depth = 4; depth <= 12; depth += 4) {
                const RnnPlan plan = plan_of(kind, lanes, depth);
                WbRnnShape shape = {.kind = kind, .hidden = 32}; /* whole tiles */
                check_places(&shape, &plan, 32);
                shape.hidden = 27; /* a part of the last tile, and of the last position */
                check_places(&shape, &plan, 27);
                check_places(&shape, &plan, 1);
                shape.hidden = plan.block_units + 1; /* a block more */
                check_places(&shape, &plan, 5);
            }
}

/* Groups of nine units: a tile's lanes belong to different groups. */
static void groups_have_columns_of_their_own(void **state)
{
    (void)state;
    for (uint32_t lanes = 8; lanes <= 32; lanes *= 2) {
        const RnnPlan plan = plan_of(WBRNN_GROUPED_LSTM, lanes, 4);
        const WbRnnShape shape = {.kind = WBRNN_GROUPED_LSTM, .hidden = 72, .groups = 8};
        check_places(&shape, &plan, 72);
        check_places(&shape, &plan, 8 * lanes);
        check_places(&shape, &plan, 8);
    }
}

/* What one row of a lane's weights gives with the positions of its unit's group. */
static double lane_sum(const RnnPlan *plan, const float *packed, const float *positions, size_t tile,
                       uint32_t row, uint32_t lane)
{
    double sum = 0;
    for (uint32_t q = 0; q < plan->depth; q++) {
        const size_t quad = ((tile * (plan->depth / 4) + q / 4) * plan->rows + row) * 32 + lane;
        sum += (double)packed[quad * 4 + q % 4] * positions[q * plan->lanes + lane / (32 / plan->lanes)];
    }
    return sum;
}

/* Sums over the lanes of a unit against rows of the plain matrix product, where inputs of a
 * group are padded to its slice. */
static void check_products(const WbRnnShape *shape, const RnnPlan *plan)
{
    const uint32_t groups = shape->groups ? shape->groups : 1, width = shape->input / groups;
    const uint32_t hidden = shape->hidden, gates = plan_gates(shape->kind);
    ReferenceData data;
    assert_true(reference_data(shape, 1, 7, &data));
    float *packed = get(pack_count(shape, plan), sizeof *packed);
    float *positions = get((size_t)groups * plan->slice, sizeof *positions);
    for (uint32_t i = 0; i < shape->input; i++)
        positions[i / width * plan->slice + i % width] = data.x[i];
    pack_matrix(shape, plan, shape->input, data.w_input[0], packed);
    for (uint32_t row = 0; row < gates * hidden; row++) {
        const uint32_t unit = row % hidden, group = unit / (hidden / groups);
        const uint32_t tile = unit / plan->warp_units, threads = 32 / plan->lanes;
        const uint32_t lane_row = gates == 1 ? unit % 4 : row / hidden;
        double sum = 0, expected = 0;
        for (uint32_t lane = unit / plan->thread_units % threads; lane < 32; lane += threads)
            sum += lane_sum(plan, packed, positions + group * plan->slice, tile, lane_row, lane);
        for (uint32_t k = 0; k < width; k++)
            expected += (double)data.w_input[0][row * width + k] * data.x[group * width + k];
        assert_true(fabs(sum - expected) < 1e-12);
    }
    free(packed);
    free(positions);
    reference_free(&data);
}

static void lanes_compute_the_product(void **state)
{
    (void)state;
    for (WbRnnKind kind = 0; kind < WBRNN_KINDS; kind++)
        for (uint32_t lanes = 8; lanes <= 32; lanes *= 2) {
            const RnnPlan plan = plan_of(kind, lanes, 8);
            const WbRnnShape shape = {.kind = kind, .layers = 1, .hidden = 66, .input = 54, .batch = 1,
                                      .groups = kind == WBRNN_GROUPED_LSTM ? 6 : 0};
            check_products(&shape, &plan);
        }
}

/* Every block that a plan has finds all its tiles, and a tile covers a group's states, and its inputs unless
 * their product is computed ahead. */
static void plans_have_their_tiles(void **state)
{
    (void)state;
    const RnnGpu gpu = {.sms = 132, .shared_block = 227 << 10, .shared_sm = 228 << 10, .registers_sm = 65536,
                        .registers_thread = 255, .l2_bytes = 60 << 20, .capability = 90};
    for (WbRnnMethod method = WBRNN_STREAM; method < WBRNN_METHODS; method++)
        for (WbRnnKind kind = 0; kind < WBRNN_KINDS; kind++)
            for (uint32_t hidden = 64; hidden <= 2048; hidden += 124) {
                const WbRnnShape shape = {.kind = kind, .layers = 2, .hidden = hidden, .input = 300,
                                          .batch = 4, .groups = kind == WBRNN_GROUPED_LSTM ? 4 : 0};
                const WbRnnOptions options = {.method = method};
                const uint32_t groups = shape.groups ? shape.groups : 1;
                RnnPlan plan;
                assert_int_equal(plan_make(&shape, &options, &gpu, &plan), WBRNN_OK);
                const uint32_t blocks = plan.layer_blocks / (plan.split ? 2 : 1);
                assert_int_equal(pack_tiles(&shape, &plan), blocks * plan.block_tiles);
                assert_true(hidden / groups <= plan.lanes * plan.depth && plan.depth % 4 == 0);
                assert_true(plan.input_ahead || shape.input / groups <= plan.lanes * plan.depth);
            }
}

static void biases_are_summed_but_those_of_n(void **state)
{
    (void)state;
    enum { HIDDEN = 3 };
    float input[4 * HIDDEN], states[4 * HIDDEN], to[HIDDEN][4];
    for (int i = 0; i < 4 * HIDDEN; i++) {
        input[i] = (float)(i + 1);
        states[i] = (float)(100 * (i + 1));
    }
    for (WbRnnKind kind = 0; kind < WBRNN_KINDS; kind++) {
        const WbRnnShape shape = {.kind = kind, .hidden = HIDDEN};
        const uint32_t gates = plan_gates(kind);
        for (int given = 0; given < 4; given++) {
            const float *b_input = given & 1 ? input : NULL, *b_state = given & 2 ? states : NULL;
            memset(to, 0xff, sizeof to);
            pack_bias(&shape, b_input, b_state, &to[0][0]);
            for (uint32_t unit = 0; unit < HIDDEN; unit++)
                for (uint32_t gate = 0; gate < 4; gate++) {
                    const bool last = kind == WBRNN_GRU && gate == 3;
                    const uint32_t index = (last ? 2 : gate) * HIDDEN + unit;
                    float expected = 0;
                    if (b_input && gate < gates)
                        expected += input[index];
                    if (b_state && (last || (gate < gates && !(kind == WBRNN_GRU && gate == 2))))
                        expected += states[index];
                    assert_true(to[unit][gate] == expected);
                }
        }
    }
}

/* A basic RNN's biases are [hidden] alone: nothing behind them is read, which the sanitizer sees. */
static void biases_of_basic_cells_are_short(void **state)
{
    (void)state;
    const WbRnnShape shape = {.kind = WBRNN_TANH, .hidden = 5};
    float *bias = get(5, sizeof *bias), to[5][4];
    bias[4] = 2;
    pack_bias(&shape, bias, bias, &to[0][0]);
    assert_true(to[4][0] == 4 && to[4][1] == 0);
    free(bias);
}

static void extras_lie_unit_by_unit(void **state)
{
    (void)state;
    const WbRnnShape shape = {.kind = WBRNN_PHASED_LSTM, .hidden = 2};
    static const float period[] = {1, 2}, shift[] = {3, 4}, open[] = {5, 6};
    static const float peephole[] = {7, 8, 9, 10, 11, 12};
    static const float expected[] = {1, 3, 5, 0.5f, 7, 9, 11, 0, 2, 4, 6, 0.5f, 8, 10, 12, 0};
    static const float without[] = {1, 3, 5, 0.5f, 0, 0, 0, 0, 2, 4, 6, 0.5f, 0, 0, 0, 0};
    WbRnnWeights weights = {.period = period, .shift = shift, .open = open, .peephole = peephole,
                            .leak = 0.5f};
    float to[16];
    pack_extra(&shape, &weights, to);
    assert_memory_equal(to, expected, sizeof to);
    weights.peephole = NULL;
    pack_extra(&shape, &weights, to);
    assert_memory_equal(to, without, sizeof to);
}

/* -- halves -- */

/* Where mma.m16n8k16 wants a row's weight of a position: of a step the lane, and the half of its eight. */
static size_t fragment_place(const RnnPlan *plan, size_t tile, uint32_t row, uint32_t k)
{
    const uint32_t lane = row % 8 * 4 + k % 8 / 2, registers = k % 16 / 8 * 2 + row / 8;
    return ((tile * (plan->slice / 16) + k / 16) * 32 + lane) * 8 + registers * 2 + k % 2;
}

/* The number of a matrix' row that belongs to a tile's row; ~0: none does. */
static size_t fragment_row(const WbRnnShape *shape, size_t tile, uint32_t row, bool of_state)
{
    const bool basic = shape->kind == WBRNN_TANH, gru = shape->kind == WBRNN_GRU;
    const uint32_t units = basic ? 16 : 4, of_group = shape->hidden / shape->groups;
    const size_t tiles = (of_group + units - 1) / units;
    const size_t place = tile % tiles * units + (basic ? row : row % 4);
    const uint32_t gate = basic ? 0 : row / 4, none = of_state ? 2 : 3;
    if (place >= of_group || tile / tiles >= shape->groups || (gru && gate == none))
        return SIZE_MAX;
    return (size_t)(gru && gate == 3 ? 2 : gate) * shape->hidden + tile / tiles * of_group + place;
}

static void check_fragments(const WbRnnShape *shape, uint32_t inputs, bool of_state)
{
    const bool basic = shape->kind == WBRNN_TANH;
    const uint32_t of_group = shape->hidden / shape->groups, width = inputs / shape->groups;
    const RnnPlan plan = {.warp_units = basic ? 16 : 4, .slice = 64, .block_tiles = 4,
                          .layer_tiles = shape->groups * ((of_group + (basic ? 15 : 3)) / (basic ? 16 : 4))};
    const size_t tiles = (plan.layer_tiles + 3) / 4 * 4, count = tiles * 16 * 64;
    assert_int_equal(pack_half_count(&plan), count);
    const size_t weights = (size_t)plan_gates(shape->kind) * shape->hidden * width;
    float *from = get(weights, sizeof *from), *to = get(count, sizeof *to);
    for (size_t i = 0; i < weights; i++)
        from[i] = (float)(i + 1);
    memset(to, 0xff, count * sizeof *to);
    pack_half_matrix(shape, &plan, inputs, of_state, from, to);
    for (size_t tile = 0; tile < tiles; tile++)
        for (uint32_t row = 0; row < 16; row++)
            for (uint32_t k = 0; k < 64; k++) {
                const size_t matrix_row = fragment_row(shape, tile, row, of_state);
                const bool there = matrix_row != SIZE_MAX && k < width;
                assert_true(to[fragment_place(&plan, tile, row, k)] ==
                            (there ? from[matrix_row * width + k] : 0));
            }
    free(from);
    free(to);
}

static void halves_lie_as_tensor_cores_want_them(void **state)
{
    (void)state;
    static const WbRnnShape shapes[] = {
        {.kind = WBRNN_LSTM, .type = WBRNN_F16, .hidden = 63, .groups = 1},
        {.kind = WBRNN_GRU, .type = WBRNN_BF16, .hidden = 64, .groups = 1},
        {.kind = WBRNN_TANH, .type = WBRNN_F16, .hidden = 50, .groups = 1},
        {.kind = WBRNN_GROUPED_LSTM, .type = WBRNN_F16, .hidden = 66, .groups = 3},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_fragments(&shapes[i], shapes[i].hidden, true);
        check_fragments(&shapes[i], 33, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_weight_is_at_its_place),
        cmocka_unit_test(groups_have_columns_of_their_own),
        cmocka_unit_test(lanes_compute_the_product),
        cmocka_unit_test(plans_have_their_tiles),
        cmocka_unit_test(biases_are_summed_but_those_of_n),
        cmocka_unit_test(biases_of_basic_cells_are_short),
        cmocka_unit_test(extras_lie_unit_by_unit),
        cmocka_unit_test(halves_lie_as_tensor_cores_want_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
