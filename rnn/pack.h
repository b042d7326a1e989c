/* Weights as kernels in single precision read them. A warp tile is what one warp computes: `warp_units` units
 * side by side (pad units are zeros). Matrices are packed tile by tile:
 *
 *     packed[tile][q / 4][row][lane][q % 4]        q < depth, row < rows, lane < 32
 *
 * lane = k lane x 32/lanes + unit lane; the k lane's q-th product is with position q x lanes + k lane of the
 * unit's group. Row of gated kinds: the gate of unit tile x 32/lanes + unit lane; of basic RNNs, with
 * thread_units 4: unit (tile x 32/lanes + unit lane) x 4 + row. Places behind a group's inputs are zeros.
 *
 * Of a plan it reads rows, lanes, depth, thread_units, warp_units and block_units. */
#ifndef WBRNN_PACK_H
#define WBRNN_PACK_H

#include "plan.h"

/* Tiles of a layer: those of whole blocks, the last block's pad tiles too. */
size_t pack_tiles(const WbRnnShape *shape, const RnnPlan *plan);
/* Elements of one packed matrix. */
size_t pack_count(const WbRnnShape *shape, const RnnPlan *plan);
/* `from` is [gates x hidden][inputs / groups] in PyTorch's order, floats; `to` has pack_count() elements. A
 * group's inputs are at most lanes x depth. */
void pack_matrix(const WbRnnShape *shape, const RnnPlan *plan, uint32_t inputs, const float *from, float *to);
/* The same of halves, for tensor cores: fragments of mma.m16n8k16,
 *
 *     packed[tile][position / 16][lane][8]
 *
 * whose 16 rows are gate x 4 + unit of four units, or 16 units of basic RNNs, and whose tiles lie within a
 * group. A GRU's fourth gate is n's sum of the state: `of_state` says whose matrix it is. The caller
 * rounds. */
size_t pack_half_count(const RnnPlan *plan);
void pack_half_matrix(const WbRnnShape *shape, const RnnPlan *plan, uint32_t inputs, bool of_state,
                      const float *from, float *to);
/* [hidden][4]: sums of both biases; of GRUs the two of n apart: r, z, b_input of n, b_state of n; of basic
 * RNNs the sum and three zeros. A null bias is zeros. */
void pack_bias(const WbRnnShape *shape, const float *b_input, const float *b_state, float *to);
/* Phased LSTM: [hidden][8] as RnnLayer.extra. */
void pack_extra(const WbRnnShape *shape, const WbRnnWeights *weights, float *to);

#endif
