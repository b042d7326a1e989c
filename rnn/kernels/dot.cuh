/* Sums of products that lanes of a warp share. A thread has up to four rows and four sequences, sixteen sums;
 * LANES lanes have parts of the same sums, and reduce() brings them together. */
#ifndef WBRNN_DOT_CUH
#define WBRNN_DOT_CUH

#include "job.h"

/* Sixteen sums, [row][sequence]. */
typedef float Sums[16];

/* A lane's weights of a matrix in registers: of the packed order [q / 4][row][lane][q % 4] of a tile. */
template <int ROWS, int DEPTH> struct Weights {
    float4 quad[DEPTH / 4][ROWS];

    /* `from` is the lane's first quad of the tile. */
    __device__ void load(const float4 *from)
    {
#pragma unroll
        for (int q = 0; q < DEPTH / 4; q++)
#pragma unroll
            for (int row = 0; row < ROWS; row++)
                quad[q][row] = __ldg(from + (q * ROWS + row) * 32);
    }
};

/* sums of `row` += weight x one position's four sequences */
static __device__ __forceinline__ void add_product(Sums &sums, int row, float weight, float4 values)
{
    sums[row * 4 + 0] = fmaf(weight, values.x, sums[row * 4 + 0]);
    sums[row * 4 + 1] = fmaf(weight, values.y, sums[row * 4 + 1]);
    sums[row * 4 + 2] = fmaf(weight, values.z, sums[row * 4 + 2]);
    sums[row * 4 + 3] = fmaf(weight, values.w, sums[row * 4 + 3]);
}

/* Four products a row: `staged` is this lane's first of four positions that are LANES apart. LAST is where
 * sums of row 2 go: those of n in GRUs are kept apart for input and state. */
template <int ROWS, int LANES, int LAST>
static __device__ __forceinline__ void add_quad(Sums &sums, const float4 (&quad)[ROWS], const float4 *staged)
{
    const float4 v0 = staged[0], v1 = staged[LANES], v2 = staged[2 * LANES], v3 = staged[3 * LANES];
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        const int to = row == 2 ? LAST : row;
        add_product(sums, to, quad[row].x, v0);
        add_product(sums, to, quad[row].y, v1);
        add_product(sums, to, quad[row].z, v2);
        add_product(sums, to, quad[row].w, v3);
    }
}

/* The sums of weights in registers. */
template <int ROWS, int LANES, int DEPTH, int LAST>
static __device__ __forceinline__ void add_from_registers(Sums &sums, const Weights<ROWS, DEPTH> &weights,
                                                          const float4 *staged)
{
#pragma unroll
    for (int q = 0; q < DEPTH / 4; q++)
        add_quad<ROWS, LANES, LAST>(sums, weights.quad[q], staged + q * 4 * LANES);
}

/* The same of weights in memory; `from` is this lane's first quad of the tile. CONSTANT: they lie in global
 * memory and do not change, else they may lie in either. */
template <int ROWS, int LANES, int LAST, bool CONSTANT = false>
static __device__ __forceinline__ void add_from_memory(Sums &sums, const float4 *from, uint32_t depth,
                                                       const float4 *staged)
{
#pragma unroll 2
    for (uint32_t q = 0; q < depth / 4; q++) {
        float4 quad[ROWS];
#pragma unroll
        for (int row = 0; row < ROWS; row++)
            quad[row] = CONSTANT ? __ldg(from + (q * ROWS + row) * 32) : from[(q * ROWS + row) * 32];
        add_quad<ROWS, LANES, LAST>(sums, quad, staged + q * 4 * LANES);
    }
}

/* The same of a matrix whose first half is in registers and whose second half is in memory: products of one
 * half are computed while the other's operands come. Quads BEGIN to END of each half. */
template <int ROWS, int LANES, int DEPTH, int LAST, int BEGIN, int END>
static __device__ __forceinline__ void add_from_both(Sums &sums, const Weights<ROWS, DEPTH> &weights,
                                                     const float4 *from, const float4 *staged)
{
#pragma unroll
    for (int q = BEGIN; q < END; q++) {
        float4 quad[ROWS];
#pragma unroll
        for (int row = 0; row < ROWS; row++)
            quad[row] = from[(q * ROWS + row) * 32];
        add_quad<ROWS, LANES, LAST>(sums, weights.quad[q], staged + q * 4 * LANES);
        add_quad<ROWS, LANES, LAST>(sums, quad, staged + (DEPTH + q * 4) * LANES);
    }
}

/* How the lanes of a warp stand to each other. Lanes of the same k are neighbours: they read the same staged
 * position, and shared memory serves neighbours at once (16 bytes each: 2 cycles for a warp of an H200
 * instead of 4). */
template <int LANES> struct Lanes {
    static constexpr int units = 32 / LANES;                 /* side by side */
    static constexpr int held = LANES < 16 ? 16 / LANES : 1; /* sums that a lane has after reduce() */
    static constexpr int row_lanes = 4 / held;               /* neighbouring lanes with the same row */
    static __device__ __forceinline__ uint32_t k() { return threadIdx.x % 32 / units; }
    static __device__ __forceinline__ uint32_t unit() { return threadIdx.x % units; }
    static __device__ __forceinline__ uint32_t row() { return k() % 16 * held / 4; }
    static __device__ __forceinline__ uint32_t sequence() { return k() * held % 4; }
    /* The lane's sums are no copy of another's. */
    static __device__ __forceinline__ bool is_first() { return LANES < 32 || k() < 16; }
};

/* Sums [0, 2 x HALF) become HALF: of each pair the lane keeps that of its bit MASK, and gives the other one
 * away. A template, so that sums stay in registers: their numbers are constants. */
template <int HALF, int MASK> static __device__ __forceinline__ void exchange_halves(Sums &sums)
{
    const bool upper = threadIdx.x & MASK;
#pragma unroll
    for (int i = 0; i < HALF; i++) {
        const float low = sums[i], high = sums[i + HALF];
        sums[i] = (upper ? high : low) + __shfl_xor_sync(~0u, upper ? low : high, MASK);
    }
}

/* Adds the parts of all lanes up and leaves sum `k lane x held + i` in sums[i]. Halves of the sums are
 * exchanged at a time, so there are 15 shuffles for 16 lanes. */
template <int LANES> static __device__ __forceinline__ void reduce(Sums &sums)
{
    constexpr int units = Lanes<LANES>::units, widest = (LANES < 16 ? LANES / 2 : 8) * units;
    exchange_halves<8, widest>(sums);
    exchange_halves<4, widest / 2>(sums);
    exchange_halves<2, widest / 4>(sums);
    if (LANES >= 16)
        exchange_halves<1, LANES >= 16 ? units : 32>(sums);
    if (LANES == 32)
        sums[0] += __shfl_xor_sync(~0u, sums[0], 16);
}

#endif
