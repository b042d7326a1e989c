/* Puts weights into the order in which lanes of warps read them: a lane's 16-byte loads of consecutive lanes
 * lie side by side. */
#include "pack.h"

enum { WARP_LANES = 32, QUAD = 4 };

size_t pack_tiles(const WbRnnShape *shape, const RnnPlan *plan)
{
    const size_t blocks = (shape->hidden + plan->block_units - 1) / plan->block_units;
    return blocks * (plan->block_units / plan->warp_units);
}

static size_t tile_count(const RnnPlan *plan)
{
    return (size_t)plan->depth * plan->rows * WARP_LANES;
}

size_t pack_count(const WbRnnShape *shape, const RnnPlan *plan)
{
    return pack_tiles(shape, plan) * tile_count(plan);
}

/* One lane's weights of one row: every `lanes`-th of the matrix' row from the lane's own place on. */
static void pack_lane(const RnnPlan *plan, uint32_t width, uint32_t k_lane, const float *from, float *to)
{
    const size_t quad = (size_t)plan->rows * WARP_LANES * QUAD; /* from one q / 4 to the next */
    for (uint32_t q = 0; q < plan->depth; q++) {
        const uint32_t position = q * plan->lanes + k_lane;
        to[q / QUAD * quad + q % QUAD] = from && position < width ? from[position] : 0;
    }
}

void pack_matrix(const WbRnnShape *shape, const RnnPlan *plan, uint32_t inputs, const float *from, float *to)
{
    const uint32_t hidden = shape->hidden, width = inputs / (shape->groups ? shape->groups : 1);
    const uint32_t threads = WARP_LANES / plan->lanes; /* threads, with different units, of a tile */
    const size_t tiles = pack_tiles(shape, plan);
    for (size_t tile = 0; tile < tiles; tile++)
        for (uint32_t row = 0; row < plan->rows; row++)
            for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
                const size_t thread = tile * threads + lane % threads;
                /* Rows of a thread are gates of its unit, or its units. */
                const size_t unit = thread * plan->thread_units + row % plan->thread_units;
                const size_t gate = row / plan->thread_units;
                const float *matrix_row = unit < hidden ? from + (gate * hidden + unit) * width : NULL;
                pack_lane(plan, width, lane / threads, matrix_row,
                          to + tile * tile_count(plan) + ((size_t)row * WARP_LANES + lane) * QUAD);
            }
}

static float bias_at(const float *bias, size_t index)
{
    return bias ? bias[index] : 0;
}

void pack_bias(const WbRnnShape *shape, const float *b_input, const float *b_state, float *to)
{
    const size_t hidden = shape->hidden;
    const bool basic = shape->kind == WBRNN_TANH || shape->kind == WBRNN_RELU;
    const bool gru = shape->kind == WBRNN_GRU;
    const size_t sums = basic ? 1 : gru ? 2 : 4;
    for (size_t unit = 0; unit < hidden; unit++, to += 4) {
        for (size_t gate = 0; gate < 4; gate++) {
            const size_t index = gate * hidden + unit;
            to[gate] = gate < sums ? bias_at(b_input, index) + bias_at(b_state, index) : 0;
        }
        if (gru) {
            to[2] = bias_at(b_input, 2 * hidden + unit);
            to[3] = bias_at(b_state, 2 * hidden + unit);
        }
    }
}

void pack_extra(const WbRnnShape *shape, const WbRnnWeights *weights, float *to)
{
    const size_t hidden = shape->hidden;
    for (size_t unit = 0; unit < hidden; unit++, to += 8) {
        to[0] = weights->period[unit];
        to[1] = weights->shift[unit];
        to[2] = weights->open[unit];
        to[3] = weights->leak;
        for (size_t gate = 0; gate < 3; gate++)
            to[4 + gate] = bias_at(weights->peephole, gate * hidden + unit);
        to[7] = 0;
    }
}
