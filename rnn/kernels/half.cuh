/* Halves on tensor cores: mma.m16n8k16 multiplies 16 rows of weights by 16 positions of eight sequences and
 * adds up in single precision. Compiled once for binary16, and once for bfloat16 with WBRNN_BF16.
 *
 * The 16 rows of a tile are four rows each of four units (i f g o; r z and n's two sums), row = gate x 4 +
 * unit, or 16 units of basic RNNs. A lane then has sums of the rows `lane / 4` and 8 more, of sequences
 * 2 (lane % 4) and the next one. Of a gated unit two lanes have two gates each, and trade: each gets all four
 * of one sequence. */
#ifndef WBRNN_HALF_CUH
#define WBRNN_HALF_CUH

#include "cell.cuh"

/* A lane's sums of a tile: [row or row + 8][sequence or the next one]. */
typedef float4 TileSums;

static __device__ __forceinline__ uint32_t half_lane() { return threadIdx.x % 32; }

/* Two values in a word; the first one in its lower half. */
static __device__ __forceinline__ uint32_t half_pack(float low, float high)
{
    uint32_t word;
#ifdef WBRNN_BF16
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
#else
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
#endif
    return word;
}

static __device__ __forceinline__ float half_value(uint16_t bits)
{
#ifdef WBRNN_BF16
    return __uint_as_float((uint32_t)bits << 16);
#else
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
#endif
}

static __device__ __forceinline__ uint16_t half_bits(float value) { return (uint16_t)half_pack(value, 0.0f); }

/* A word for others to see: two halves that are both all ones would stand for none. */
static __device__ __forceinline__ void half_write(uint32_t *at, uint32_t word)
{
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;"
                 :
                 : "l"(at), "r"(word == JOB_UNWRITTEN ? 0x7fff7fffu : word)
                 : "memory");
}

/* Operands of two k16 steps: 32 positions that lie side by side in shared memory. `row` is the address of
 * this lane's position. The transposed load gives each lane neighbouring positions of one sequence. */
static __device__ __forceinline__ uint4 half_operands(uint32_t row)
{
    uint4 v;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(row)
                 : "memory");
    return v;
}

/* The same of one step, of whose positions lanes below 16 have the addresses. */
static __device__ __forceinline__ uint2 half_operands_one(uint32_t row)
{
    uint2 v;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(v.x), "=r"(v.y)
                 : "r"(row)
                 : "memory");
    return v;
}

static __device__ __forceinline__ uint32_t half_shared(const void *at)
{
    return (uint32_t)__cvta_generic_to_shared(at);
}

/* sums += 16 rows x 16 positions */
static __device__ __forceinline__ void half_multiply(TileSums &sums, uint4 rows, uint32_t low, uint32_t high)
{
#ifdef WBRNN_BF16
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
#else
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
#endif
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums.x), "+f"(sums.y), "+f"(sums.z), "+f"(sums.w)
        : "r"(rows.x), "r"(rows.y), "r"(rows.z), "r"(rows.w), "r"(low), "r"(high));
}

static __device__ __forceinline__ TileSums half_add(TileSums a, TileSums b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/* Sums of one tile in CHAINS parts: products that follow each other would wait for each other. */
template <int CHAINS> struct HalfSums {
    TileSums part[CHAINS];

    __device__ __forceinline__ void begin(TileSums first)
    {
        part[0] = first;
#pragma unroll
        for (int i = 1; i < CHAINS; i++)
            part[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }

    /* Two steps, s and s + 1; s is a constant. */
    __device__ __forceinline__ void add(int s, uint4 rows, uint4 next_rows, uint32_t staged)
    {
        const uint4 b = half_operands(staged);
        half_multiply(part[s % CHAINS], rows, b.x, b.y);
        half_multiply(part[(s + 1) % CHAINS], next_rows, b.z, b.w);
    }

    __device__ __forceinline__ void add_one(uint4 rows, uint32_t staged)
    {
        const uint2 b = half_operands_one(staged);
        half_multiply(part[0], rows, b.x, b.y);
    }

    __device__ __forceinline__ TileSums all() const
    {
        TileSums sums = part[0];
        if (CHAINS == 2)
            sums = half_add(part[0], part[1]);
        if (CHAINS == 4)
            sums =
                half_add(half_add(part[0], part[1 % CHAINS]), half_add(part[2 % CHAINS], part[3 % CHAINS]));
        return sums;
    }
};

/* 1 / (1 + exp2(x)), within 2e-7: 1 and 0 at the ends. */
static __device__ __forceinline__ float half_step(float x)
{
    float power, inverse;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(power + 1.0f));
    return inverse;
}

/* tanh. Bfloat16 has eight bits, of which the machine's own loses none. Of binary16 what counts is the
 * absolute error, which is far below its rounding of anything but the smallest values. */
static __device__ __forceinline__ float half_squash(float x)
{
#ifdef WBRNN_BF16
    float y;
    asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return fmaf(-2.0f, half_step(x * 2.88539008f), 1.0f); /* 2 / ln 2 */
#endif
}

static __device__ __forceinline__ float half_logistic(float x)
{
#ifdef WBRNN_BF16
    return fmaf(0.5f, half_squash(0.5f * x), 0.5f);
#else
    return half_step(x * -1.44269504f);                   /* 1 / ln 2 */
#endif
}

/* What becomes of one unit's four sums and its state. `basic` cells have one sum, the first. */
struct HalfBasic {
    static constexpr bool basic = true, phased = false;
    static __device__ __forceinline__ CellState finish(float4 sum, CellState, const CellContext &context)
    {
        /* 1 is WBRNN_RELU; a NaN stays one */
        return {0.0f, context.kind == 1 ? (sum.x < 0.0f ? 0.0f : sum.x) : half_squash(sum.x)};
    }
};

struct HalfLstm {
    static constexpr bool basic = false, phased = false;
    static __device__ __forceinline__ CellState finish(float4 sum, CellState old, const CellContext &)
    {
        const float i = half_logistic(sum.x), f = half_logistic(sum.y), g = half_squash(sum.z);
        const float c = fmaf(f, old.c, i * g);
        return {c, half_logistic(sum.w) * half_squash(c)};
    }
};

struct HalfGru {
    static constexpr bool basic = false, phased = false;
    static __device__ __forceinline__ CellState finish(float4 sum, CellState old, const CellContext &)
    {
        const float r = half_logistic(sum.x), z = half_logistic(sum.y);
        const float n = half_squash(fmaf(r, sum.w, sum.z));
        return {0.0f, fmaf(z, old.h - n, n)};
    }
};

struct HalfPhased {
    static constexpr bool basic = false, phased = true;
    static __device__ __forceinline__ CellState finish(float4 sum, CellState old, const CellContext &context)
    {
        const float i = half_logistic(fmaf(context.extra[4], old.c, sum.x));
        const float f = half_logistic(fmaf(context.extra[5], old.c, sum.y));
        const float c = fmaf(f, old.c, i * half_squash(sum.z));
        const float o = half_logistic(fmaf(context.extra[6], c, sum.w));
        const float k = PhasedCell::opened(context);
        return {fmaf(k, c, (1.0f - k) * old.c), fmaf(k, o * half_squash(c), (1.0f - k) * old.h)};
    }
};

/* The two lanes of a gated unit trade: from two gates of two sequences each to four gates of one. */
static __device__ __forceinline__ float4 half_trade(TileSums sums)
{
    const bool upper = half_lane() & 16;
    const float first = __shfl_xor_sync(~0u, upper ? sums.x : sums.y, 16);
    const float second = __shfl_xor_sync(~0u, upper ? sums.z : sums.w, 16);
    return upper ? make_float4(first, sums.y, second, sums.w) : make_float4(sums.x, first, sums.z, second);
}

#endif
