/* f32 and f64 arithmetic with a directed rounding: the host rounds the way PTX asks for while one loop
 * over the lanes runs.
 *
 * Compilers know nothing of that change unless told, and not all can be told. So the arithmetic is in
 * functions of its own that are never inlined, hold one operation each, and get their operands through
 * memory that escapes to a volatile assembly statement before and after: there is nothing they could fold
 * at compile time or move past the change. -frounding-math for this file is welcome, not needed. */
#include "isa/define.h"
#include "isa/float_bits.h"

/* Only SSE computes here as long as fma is an instruction, and MXCSR is much faster to set than all
 * that fesetround sets; a library's fma would need the rest as well. */
#if defined(__SSE2__) && defined(__FMA__)
#include <xmmintrin.h>

typedef unsigned Direction;

static Direction direction_set(unsigned rounding)
{
    static const unsigned modes[] = {
        [ROUND_NEAREST] = _MM_ROUND_NEAREST,
        [ROUND_ZERO] = _MM_ROUND_TOWARD_ZERO,
        [ROUND_DOWN] = _MM_ROUND_DOWN,
        [ROUND_UP] = _MM_ROUND_UP,
    };
    const Direction before = _mm_getcsr();
    _mm_setcsr((before & ~(unsigned)_MM_ROUND_MASK) | modes[rounding]);
    return before;
}

static void direction_restore(Direction before) { _mm_setcsr(before); }
#else
#include <fenv.h>

typedef int Direction;

static Direction direction_set(unsigned rounding)
{
    static const int modes[] = {
        [ROUND_NEAREST] = FE_TONEAREST,
        [ROUND_ZERO] = FE_TOWARDZERO,
        [ROUND_DOWN] = FE_DOWNWARD,
        [ROUND_UP] = FE_UPWARD,
    };
    const Direction before = fegetround();
    fesetround(modes[rounding]);
    return before;
}

static void direction_restore(Direction before) { fesetround(before); }
#endif

/* One operation over all lanes. Operands that it does not have are not read. */
typedef void Kernel(void *result, const void *first, const void *second, const void *third);

#define KERNEL(name, T, expression)                                                                          \
    __attribute__((noinline)) static void name(void *result, const void *first, const void *second,          \
                                               const void *third)                                            \
    {                                                                                                        \
        const T *const a = first, *const b = second, *const c = third;                                       \
        T *const r = result;                                                                                 \
        (void)b, (void)c;                                                                                    \
        for (int i = 0; i < LANES; i++)                                                                      \
            r[i] = expression;                                                                               \
    }

KERNEL(kernel_add_f32, f32, a[i] + b[i])
KERNEL(kernel_sub_f32, f32, a[i] - b[i])
KERNEL(kernel_mul_f32, f32, a[i] * b[i])
KERNEL(kernel_div_f32, f32, a[i] / b[i])
KERNEL(kernel_fma_f32, f32, __builtin_fmaf(a[i], b[i], c[i]))
KERNEL(kernel_rcp_f32, f32, 1.0f / a[i])
KERNEL(kernel_sqrt_f32, f32, __builtin_sqrtf(a[i]))
KERNEL(kernel_add_f64, f64, a[i] + b[i])
KERNEL(kernel_sub_f64, f64, a[i] - b[i])
KERNEL(kernel_mul_f64, f64, a[i] * b[i])
KERNEL(kernel_div_f64, f64, a[i] / b[i])
KERNEL(kernel_fma_f64, f64, __builtin_fma(a[i], b[i], c[i]))
KERNEL(kernel_rcp_f64, f64, 1.0 / a[i])
KERNEL(kernel_sqrt_f64, f64, __builtin_sqrt(a[i]))

static void run_kernel(Kernel *kernel, unsigned rounding, void *result, const void *const operands[3])
{
    const Direction before = direction_set(rounding);
    __asm__ volatile("" : : "r"(result), "r"(operands[0]), "r"(operands[1]), "r"(operands[2]) : "memory");
    kernel(result, operands[0], operands[1], operands[2]);
    __asm__ volatile("" : : "r"(result) : "memory");
    direction_restore(before);
}

/* Factors of the operands that make the result 2^24 times as large, for finish_scaled32(). Sums and roots
 * are never rounded up to the smallest normal number and have none. */
static const f32 scale_product[3] = {0x1p24f, 1.0f, 0x1p24f}, scale_reciprocal[3] = {0x1p-24f};

static void run_f32(LaneFrame *frame, Kernel *kernel, unsigned sources, const f32 *scale)
{
    f32 operands[3][LANES], result[LANES], scaled[LANES];
    const void *const pointers[3] = {operands[0], operands[1], operands[2]};
    const bool ftz = frame->mods.ftz, sat = frame->mods.sat;
    for (unsigned k = 0; k < sources; k++) {
        const f32 *const source = frame->src[k];
        for (int i = 0; i < LANES; i++)
            operands[k][i] = flush32(source[i], ftz);
    }
    run_kernel(kernel, frame->mods.rounding, result, pointers);
    f32 *const d = frame->d;
    if (!ftz || !scale) {
        for (int i = 0; i < LANES; i++)
            d[i] = finish32(result[i], ftz, sat);
        return;
    }
    for (unsigned k = 0; k < sources; k++)
        for (int i = 0; i < LANES; i++)
            operands[k][i] *= scale[k];
    run_kernel(kernel, frame->mods.rounding, scaled, pointers);
    for (int i = 0; i < LANES; i++)
        d[i] = finish_scaled32(result[i], scaled[i], ftz, sat);
}

static void run_f64(LaneFrame *frame, Kernel *kernel, unsigned sources)
{
    const f64 *const a = frame->src[0];
    const f64 *const b = sources > 1 ? frame->src[1] : a;
    const f64 *const c = sources > 2 ? frame->src[2] : b;
    const void *const pointers[3] = {a, b, c};
    f64 result[LANES], *const d = frame->d;
    run_kernel(kernel, frame->mods.rounding, result, pointers);
    for (int i = 0; i < LANES; i++)
        d[i] = propagate64(result[i], a[i], b[i], c[i]);
}

static void run_divide64(LaneFrame *frame)
{
    const f64 *const a = frame->src[0], *const b = frame->src[1];
    const void *const pointers[3] = {a, b, b};
    f64 result[LANES], *const d = frame->d;
    run_kernel(kernel_div_f64, frame->mods.rounding, result, pointers);
    for (int i = 0; i < LANES; i++)
        d[i] = propagate_divide64(result[i], a[i], b[i]);
}

void lane_add_f32_rounded(LaneFrame *frame) { run_f32(frame, kernel_add_f32, 2, NULL); }
void lane_sub_f32_rounded(LaneFrame *frame) { run_f32(frame, kernel_sub_f32, 2, NULL); }
void lane_mul_f32_rounded(LaneFrame *frame) { run_f32(frame, kernel_mul_f32, 2, scale_product); }
void lane_fma_f32_rounded(LaneFrame *frame) { run_f32(frame, kernel_fma_f32, 3, scale_product); }
void lane_mad_f32_rounded(LaneFrame *frame) { run_f32(frame, kernel_fma_f32, 3, scale_product); }
void lane_div_f32_rounded(LaneFrame *frame) { run_f32(frame, kernel_div_f32, 2, scale_product); }
void lane_rcp_f32_rounded(LaneFrame *frame) { run_f32(frame, kernel_rcp_f32, 1, scale_reciprocal); }
void lane_sqrt_f32_rounded(LaneFrame *frame) { run_f32(frame, kernel_sqrt_f32, 1, NULL); }

void lane_add_f64_rounded(LaneFrame *frame) { run_f64(frame, kernel_add_f64, 2); }
void lane_sub_f64_rounded(LaneFrame *frame) { run_f64(frame, kernel_sub_f64, 2); }
void lane_mul_f64_rounded(LaneFrame *frame) { run_f64(frame, kernel_mul_f64, 2); }
void lane_fma_f64_rounded(LaneFrame *frame) { run_f64(frame, kernel_fma_f64, 3); }
void lane_mad_f64_rounded(LaneFrame *frame) { run_f64(frame, kernel_fma_f64, 3); }
void lane_div_f64_rounded(LaneFrame *frame) { run_divide64(frame); }
void lane_rcp_f64_rounded(LaneFrame *frame) { run_f64(frame, kernel_rcp_f64, 1); }
void lane_sqrt_f64_rounded(LaneFrame *frame) { run_f64(frame, kernel_sqrt_f64, 1); }
