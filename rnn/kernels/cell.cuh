/* What a cell makes of its preactivations: a struct a cell. `finish` is called by all lanes of a warp; a lane
 * has the preactivation of one row and sequence, and all lanes of a unit's sequence get its new state. */
#ifndef WBRNN_CELL_CUH
#define WBRNN_CELL_CUH

#include "dot.cuh"

/* Invariant: c is 0 in cells without it. */
struct CellState {
    float c, h;
};

/* What a cell knows beside preactivations. */
struct CellContext {
    uint32_t row;
    uint32_t kind;      /* WbRnnKind */
    float time;         /* phased LSTM */
    const float *extra; /* phased LSTM: this unit's RnnLayer.extra */
};

/* tanh without branches, within 2 units in the last place: lanes of a warp have all kinds of arguments. Below
 * 0.6 a polynomial, by least squares of the relative error (3e-9); above it 1 - 2 / (exp(2|x|) + 1). */
static __device__ __forceinline__ float squash(float x)
{
    const float size = fabsf(x), z = x * x;
    float power, inverse;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(size * 2.88539008f)); /* 2 / ln 2 */
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(power + 1.0f));
    float series = fmaf(z, -0.00588324642f, 0.0207851595f);
    series = fmaf(z, series, -0.0537804031f);
    series = fmaf(z, series, 0.133318803f);
    series = fmaf(z, series, -0.333332962f);
    series = fmaf(x * z, series, x);
    return size < 0.6f ? series : copysignf(fmaf(-2.0f, inverse, 1.0f), x);
}

/* The logistic function, by tanh: so a warp whose lanes have gates of both kinds does not diverge. */
static __device__ __forceinline__ float gate(float x, bool logistic)
{
    const float y = squash(logistic ? 0.5f * x : x);
    return logistic ? fmaf(0.5f, y, 0.5f) : y;
}

/* The value that the lane with `row` of the same unit and sequence has. */
template <int LANES> static __device__ __forceinline__ float of_row(float value, uint32_t row)
{
    constexpr uint32_t step = Lanes<LANES>::row_lanes * Lanes<LANES>::units;
    const uint32_t lane = threadIdx.x % 32;
    return __shfl_sync(~0u, value, (lane & ~(3 * step)) | (row * step));
}

/* Four units a thread: a row is a unit. */
struct BasicCell {
    static constexpr int rows = 4, units = 4, last_input = 2, last_state = 2;
    template <int LANES>
    static __device__ __forceinline__ CellState finish(float value, CellState, const CellContext &context)
    {
        /* 1 is WBRNN_RELU; a NaN stays one */
        return {0.0f, context.kind == 1 ? (value < 0.0f ? 0.0f : value) : squash(value)};
    }
};

struct LstmCell {
    static constexpr int rows = 4, units = 1, last_input = 2, last_state = 2;
    template <int LANES>
    static __device__ __forceinline__ CellState finish(float value, CellState old, const CellContext &context)
    {
        const float open = gate(value, context.row != 2);
        const float i = of_row<LANES>(open, 0), f = of_row<LANES>(open, 1);
        const float g = of_row<LANES>(open, 2), o = of_row<LANES>(open, 3);
        const float c = fmaf(f, old.c, i * g);
        return {c, o * squash(c)};
    }
};

/* Rows are r, z and the two sums of n: 2 of the input, 3 of the state. */
struct GruCell {
    static constexpr int rows = 3, units = 1, last_input = 2, last_state = 3;
    template <int LANES>
    static __device__ __forceinline__ CellState finish(float value, CellState old, const CellContext &context)
    {
        const float open = context.row < 2 ? gate(value, true) : value;
        const float r = of_row<LANES>(open, 0), z = of_row<LANES>(open, 1);
        const float input = of_row<LANES>(open, 2), state = of_row<LANES>(open, 3);
        const float n = squash(fmaf(r, state, input));
        return {0.0f, fmaf(z, old.h - n, n)};
    }
};

/* [Neil et al. 2016]: the LSTM with peepholes, whose updates a gate lets through at certain times only. */
struct PhasedCell {
    static constexpr int rows = 4, units = 1, last_input = 2, last_state = 2;

    static __device__ __forceinline__ float opened(const CellContext &context)
    {
        const float period = context.extra[0], open = context.extra[2], time = context.time;
        /* Whole periods go first: what is left is small, and subtracting the shift loses nothing. */
        const float turn = (fmaf(-period, floorf(time / period), time) - context.extra[1]) / period;
        const float phase = turn - floorf(turn);
        if (phase < 0.5f * open)
            return 2.0f * phase / open;
        return phase < open ? 2.0f - 2.0f * phase / open : context.extra[3] * phase;
    }

    template <int LANES>
    static __device__ __forceinline__ CellState finish(float value, CellState old, const CellContext &context)
    {
        const float i = gate(fmaf(context.extra[4], old.c, of_row<LANES>(value, 0)), true);
        const float f = gate(fmaf(context.extra[5], old.c, of_row<LANES>(value, 1)), true);
        const float g = squash(of_row<LANES>(value, 2));
        const float c = fmaf(f, old.c, i * g);
        const float o = gate(fmaf(context.extra[6], c, of_row<LANES>(value, 3)), true);
        const float k = opened(context);
        return {fmaf(k, c, (1.0f - k) * old.c), fmaf(k, o * squash(c), (1.0f - k) * old.h)};
    }
};

#endif
