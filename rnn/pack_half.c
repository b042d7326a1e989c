/* Puts weights of halves into the order of mma's fragments: a lane's eight weights of a step are one 16-byte
 * load, those of a warp lie side by side. */
#include "pack.h"

enum { WARP_LANES = 32, FRAGMENT = 8 /* weights of a lane in a step */, ROWS = 16, STEP = 16 };

static uint32_t up_to(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit; }

static size_t half_tiles(const RnnPlan *plan)
{
    return (size_t)up_to(plan->layer_tiles, plan->block_tiles) * plan->block_tiles;
}

size_t pack_half_count(const RnnPlan *plan)
{
    return half_tiles(plan) * plan->slice * ROWS;
}

/* The matrix' row that a tile's row stands for; null: zeros. Of GRUs the third row of a unit is n's sum of
 * the input, the fourth one n's sum of the state. */
static const float *half_row(const WbRnnShape *shape, const RnnPlan *plan, size_t tile, uint32_t row,
                             uint32_t width, bool of_state, const float *from)
{
    const uint32_t groups = shape->groups ? shape->groups : 1, of_group = shape->hidden / groups;
    const size_t tiles = up_to(of_group, plan->warp_units), group = tile / tiles;
    const bool basic = plan->warp_units == ROWS, gru = shape->kind == WBRNN_GRU;
    const size_t place = tile % tiles * plan->warp_units + (basic ? row : row % 4);
    size_t gate = basic ? 0 : row / 4;
    if (group >= groups || place >= of_group || (gru && gate == (of_state ? 2 : 3)))
        return NULL;
    if (gru && gate == 3)
        gate = 2;
    return from + (gate * shape->hidden + group * of_group + place) * width;
}

void pack_half_matrix(const WbRnnShape *shape, const RnnPlan *plan, uint32_t inputs, bool of_state,
                      const float *from, float *to)
{
    const uint32_t width = inputs / (shape->groups ? shape->groups : 1);
    const size_t tiles = half_tiles(plan);
    for (size_t tile = 0; tile < tiles; tile++, to += (size_t)plan->slice * ROWS)
        for (uint32_t row = 0; row < ROWS; row++) {
            const float *matrix_row = half_row(shape, plan, tile, row, width, of_state, from);
            for (uint32_t k = 0; k < plan->slice; k++) {
                const uint32_t in_step = k % STEP;
                const uint32_t lane = row % 8 * 4 + in_step % 8 / 2;
                const uint32_t at = in_step / 8 * 4 + row / 8 * 2 + in_step % 2; /* of the fragment */
                to[((size_t)(k / STEP) * WARP_LANES + lane) * FRAGMENT + at] =
                    matrix_row && k < width ? matrix_row[k] : 0;
            }
        }
}
