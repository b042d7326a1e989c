/* The mathematics of CUDA C for clang, which has no device library: part of warpbeam_device.h.
 *
 * Square roots, fused multiply-add, minima, rounding and division are instructions. The rest are our own
 * single-precision implementations, a few units in the last place from the true value; powf computes in
 * double precision, since the exponent multiplies the error of the logarithm. */
#ifndef WARPBEAM_DEVICE_MATH_H
#define WARPBEAM_DEVICE_MATH_H

#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))

/* ---- instructions ---- */

WB_DEVICE float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
WB_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
WB_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WB_DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
WB_DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
WB_DEVICE float fabsf(float x) { return __builtin_fabsf(x); }
WB_DEVICE float floorf(float x) { return __builtin_floorf(x); }
WB_DEVICE float ceilf(float x) { return __builtin_ceilf(x); }
WB_DEVICE float truncf(float x) { return __builtin_truncf(x); }
WB_DEVICE float rintf(float x) { return __builtin_rintf(x); }
WB_DEVICE float copysignf(float x, float sign) { return __builtin_copysignf(x, sign); }
WB_DEVICE float roundf(float x)
{
    float whole = truncf(x);
    return copysignf(fabsf(x - whole) >= 0.5f ? whole + copysignf(1.0f, x) : whole, x);
}
WB_DEVICE double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
WB_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
WB_DEVICE double fmin(double a, double b) { return __builtin_fmin(a, b); }
WB_DEVICE double fmax(double a, double b) { return __builtin_fmax(a, b); }
WB_DEVICE double fabs(double x) { return __builtin_fabs(x); }
WB_DEVICE double floor(double x) { return __builtin_floor(x); }
WB_DEVICE double ceil(double x) { return __builtin_ceil(x); }
WB_DEVICE double trunc(double x) { return __builtin_trunc(x); }
WB_DEVICE double rint(double x) { return __builtin_rint(x); }
WB_DEVICE float min(float a, float b) { return fminf(a, b); }
WB_DEVICE float max(float a, float b) { return fmaxf(a, b); }
WB_DEVICE double min(double a, double b) { return fmin(a, b); }
WB_DEVICE double max(double a, double b) { return fmax(a, b); }
WB_DEVICE float abs(float x) { return fabsf(x); }
WB_DEVICE double abs(double x) { return fabs(x); }
WB_DEVICE bool isnan(float x) { return x != x; }
WB_DEVICE bool isinf(float x) { return fabsf(x) == INFINITY; }

/* The fast forms: one instruction of the special-function unit. */
WB_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
WB_DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
WB_DEVICE float __expf(float x) { return __nvvm_ex2_approx_f(x * 1.4426950408889634f); }
WB_DEVICE float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
WB_DEVICE float __logf(float x) { return __nvvm_lg2_approx_f(x) * 0.6931471805599453f; }
WB_DEVICE float __powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
WB_DEVICE float __fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
WB_DEVICE float __frcp_rn(float x) { return __nvvm_rcp_rn_f(x); }
WB_DEVICE float __fsqrt_rn(float x) { return __nvvm_sqrt_rn_f(x); }
WB_DEVICE float __fmaf_rn(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
WB_DEVICE float __fadd_rn(float a, float b) { return __nvvm_add_rn_f(a, b); }
WB_DEVICE float __fmul_rn(float a, float b) { return __nvvm_mul_rn_f(a, b); }

/* ---- exponentials ---- */

WB_DEVICE float exp2f(float x) { return __nvvm_ex2_approx_f(x); }

/* 2^n for n of -126 to 127. */
WB_DEVICE float wb_power_of_two(int n) { return __int_as_float((n + 127) << 23); }

/* e^x = 2^n e^r with r within half of ln 2; 2^n in two factors, so that it may be subnormal. */
WB_DEVICE float expf(float x)
{
    float bounded = fminf(fmaxf(x, -150.0f), 130.0f);
    float n = rintf(bounded * 1.4426950408889634f);
    float r = fmaf(n, -0x1.62e4p-1f, bounded);
    r = fmaf(n, -0x1.7f7d1cp-20f, r);
    float p = fmaf(0.00139262034f, r, 0.00836319488f);
    p = fmaf(p, r, 0.0416665545f);
    p = fmaf(p, r, 0.166665769f);
    p = fmaf(p, r, 0.5f);
    p = fmaf(p * r, r, r) + 1.0f;
    int whole = (int)n, half = whole / 2;
    float result = p * wb_power_of_two(half) * wb_power_of_two(whole - half);
    return x != x ? x : result;
}

/* ---- logarithms ---- */

/* x = m 2^k with m between sqrt(1/2) and sqrt(2), for positive finite x. */
WB_DEVICE float wb_split(float x, int *k)
{
    bool subnormal = x < 0x1p-126f;
    int bits = __float_as_int(subnormal ? x * 0x1p24f : x);
    int exponent = (bits - 0x3f3504f3) >> 23;
    *k = exponent - (subnormal ? 24 : 0);
    return __int_as_float(bits - (exponent << 23));
}

/* log(m) = log(1 + f) = f - f*f/2 + s (f*f/2 + R), with s = f / (2 + f) and R from the series of atanh. */
WB_DEVICE float wb_log_near_one(float m)
{
    float f = m - 1.0f;
    float s = f / (2.0f + f), z = s * s;
    float series = fmaf(z, 2.0f / 11, 2.0f / 9);
    series = fmaf(z, series, 2.0f / 7);
    series = fmaf(z, series, 2.0f / 5);
    series = z * fmaf(z, series, 2.0f / 3);
    float half = 0.5f * f * f;
    return f - (half - s * (half + series));
}

/* What the logarithms give where the argument is not a positive finite number. */
WB_DEVICE float wb_log_special(float x) { return x == 0.0f ? -INFINITY : x < 0.0f ? NAN : x; }

WB_DEVICE float logf(float x)
{
    if (!(x > 0.0f && x < INFINITY))
        return wb_log_special(x);
    int k;
    float m = wb_split(x, &k);
    return fmaf((float)k, 0x1.62e4p-1f, fmaf((float)k, 0x1.7f7d1cp-20f, wb_log_near_one(m)));
}

WB_DEVICE float log2f(float x)
{
    if (!(x > 0.0f && x < INFINITY))
        return wb_log_special(x);
    int k;
    float log = wb_log_near_one(wb_split(x, &k));
    /* 1 / ln 2 in two parts. */
    return fmaf(log, 0x1.715476p+0f, log * 0x1.4ae0cp-26f) + (float)k;
}

WB_DEVICE float log10f(float x) { return logf(x) * 0.4342944819032518f; }

/* ---- powers ---- */

WB_DEVICE double wb_log2_double(float x)
{
    int k;
    double m = wb_split(x, &k);
    double s = (m - 1.0) / (m + 1.0), z = s * s;
    double series = 1.0 / 17;
    for (int n = 15; n >= 1; n -= 2)
        series = fma(series, z, 1.0 / n);
    return fma(2.8853900817779268 * s, series, (double)k); /* 2 / ln 2 */
}

WB_DEVICE float wb_exp2_double(double x)
{
    double bounded = fmin(fmax(x, -200.0), 200.0);
    double n = rint(bounded), r = (bounded - n) * 0.6931471805599453;
    double p = 1.0;
    for (int i = 10; i >= 1; i--)
        p = fma(p, r * (1.0 / i), 1.0);
    return (float)(p * __longlong_as_double((long long)((int)n + 1023) << 52));
}

WB_DEVICE float powf(float x, float y)
{
    if (y == 0.0f || x == 1.0f)
        return 1.0f;
    if (x != x || y != y)
        return x + y;
    bool whole = truncf(y) == y;
    bool odd = whole && fabsf(y) < 0x1p24f && ((int)y & 1);
    float magnitude = fabsf(x), result;
    if (magnitude == 0.0f || magnitude == INFINITY)
        result = (magnitude == 0.0f) == (y > 0.0f) ? 0.0f : INFINITY;
    else if (magnitude == 1.0f)
        result = 1.0f;
    else if (fabsf(y) == INFINITY)
        result = (magnitude < 1.0f) == (y > 0.0f) ? 0.0f : INFINITY;
    else
        result = wb_exp2_double((double)y * wb_log2_double(magnitude));
    if (x < 0.0f && !whole && magnitude != INFINITY)
        return NAN;
    return __float_as_int(x) < 0 && odd ? -result : result;
}

/* ---- trigonometry ---- */

/* The quadrant and remainder of large arguments: the mantissa times those bits of 2/pi that decide. */
static __device__ __noinline__ __attribute__((unused)) float wb_reduce_large(float x, int *quadrant)
{
    static const unsigned two_over_pi[] = {0xfe5163abu, 0x3c439041u, 0xdb629599u, 0xf534ddc0u,
                                           0xfc2757d1u, 0x4e441529u, 0xa2f9836eu};
    unsigned bits = __float_as_uint(x);
    int exponent = (int)(bits >> 23 & 0xff) - 127;
    unsigned long long mantissa = (bits << 8) | 0x80000000u;
    unsigned product[8];
    unsigned long long carry = 0;
    for (int i = 0; i < 7; i++) {
        carry += mantissa * two_over_pi[i];
        product[i] = (unsigned)carry;
        carry >>= 32;
    }
    product[7] = (unsigned)carry;
    /* The binary point is at bit 255 - exponent; take two bits above it and 62 below. */
    int low = 193 - exponent, word = low >> 5, shift = low & 31;
    unsigned long long field = (unsigned long long)product[word + 1] << 32 | product[word];
    field = shift ? field >> shift | (unsigned long long)product[word + 2] << (64 - shift) : field;
    long long fraction = (long long)(field << 2);
    *quadrant = (int)(field >> 62) + (fraction < 0);
    float r = (float)((double)fraction * 0x1.921fb54442d18p-64);
    if (x < 0.0f) {
        *quadrant = -*quadrant;
        r = -r;
    }
    return r;
}

/* x = quadrant * pi/2 + r with |r| at most about pi/4. */
WB_DEVICE float wb_reduce(float x, int *quadrant)
{
    if (!(fabsf(x) < 100000.0f))
        return fabsf(x) < INFINITY ? wb_reduce_large(x, quadrant) : (*quadrant = 0, NAN);
    float n = rintf(x * 0.6366197723675814f);
    *quadrant = (int)n;
    float r = fmaf(n, -0x1.921fb6p+0f, x);
    r = fmaf(n, 0x1.777a5cp-25f, r);
    return fmaf(n, 0x1.ee59dap-50f, r);
}

WB_DEVICE float wb_sin_near_zero(float r)
{
    float z = r * r;
    float p = fmaf(z, 2.7557319e-6f, -1.9841270e-4f);
    p = fmaf(z, p, 8.3333333e-3f);
    p = fmaf(z, p, -0.16666667f);
    return fmaf(r * z, p, r);
}

WB_DEVICE float wb_cos_near_zero(float r)
{
    float z = r * r;
    float p = fmaf(z, -2.7557319e-7f, 2.4801587e-5f);
    p = fmaf(z, p, -1.3888889e-3f);
    p = fmaf(z, p, 4.1666667e-2f);
    p = fmaf(z, p, -0.5f);
    return fmaf(z, p, 1.0f);
}

WB_DEVICE float wb_sin_of_quadrant(float r, int quadrant)
{
    float value = quadrant & 1 ? wb_cos_near_zero(r) : wb_sin_near_zero(r);
    return quadrant & 2 ? -value : value;
}

WB_DEVICE float sinf(float x)
{
    int quadrant;
    float r = wb_reduce(x, &quadrant);
    return wb_sin_of_quadrant(r, quadrant);
}

WB_DEVICE float cosf(float x)
{
    int quadrant;
    float r = wb_reduce(x, &quadrant);
    return wb_sin_of_quadrant(r, quadrant + 1);
}

WB_DEVICE void sincosf(float x, float *sine, float *cosine)
{
    int quadrant;
    float r = wb_reduce(x, &quadrant);
    *sine = wb_sin_of_quadrant(r, quadrant);
    *cosine = wb_sin_of_quadrant(r, quadrant + 1);
}

WB_DEVICE float tanf(float x)
{
    float sine, cosine;
    sincosf(x, &sine, &cosine);
    return sine / cosine;
}

/* Below 0.55 a polynomial, which keeps the relative error; above it the exponential. */
WB_DEVICE float tanhf(float x)
{
    float a = fabsf(x), z = x * x;
    if (a < 0.547f) {
        float p = fmaf(z, -0.00662641736f, 0.0213179558f);
        p = fmaf(z, p, -0.0539108185f);
        p = fmaf(z, p, 0.133331208f);
        p = fmaf(z, p, -0.333333321f);
        return fmaf(x * z, p, x);
    }
    return copysignf(1.0f - 2.0f / (expf(2.0f * a) + 1.0f), x);
}

/* ---- remainders ---- */

/* Exact: subtracts the largest doubling of the divisor that fits, until none does. */
WB_DEVICE float fmodf(float x, float y)
{
    float rest = fabsf(x), divisor = fabsf(y);
    if (!(rest < INFINITY) || divisor == 0.0f || divisor != divisor)
        return NAN;
    while (rest >= divisor) {
        float scaled = divisor;
        while (scaled <= rest * 0.5f)
            scaled *= 2.0f;
        rest -= scaled;
    }
    return copysignf(rest, x);
}

#endif
