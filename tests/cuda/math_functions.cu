// Single-precision functions: the accurate ones, the fast ones, and integer intrinsics.
#include <cmath>

#include "check.h"

struct Floats {
    float sine, cosine, exponential, logarithm, power, tangent, root, reciprocal_root, hyperbolic, error,
        gamma;
    float fast_sine, fast_exponential, fast_quotient;
    float rounded, remainder, scaled, saturated;
};

__global__ void compute(Floats *out)
{
    float x = 0.1f + threadIdx.x * 0.13f;
    Floats f;
    f.sine = sinf(x);
    f.cosine = cosf(x * 1000.0f);
    f.exponential = expf(x);
    f.logarithm = logf(x);
    f.power = powf(x, 2.5f);
    f.tangent = tanf(x);
    f.root = sqrtf(x);
    f.reciprocal_root = rsqrtf(x);
    f.hyperbolic = tanhf(x);
    f.error = erff(x);
    f.gamma = lgammaf(x + 1);
    f.fast_sine = __sinf(x);
    f.fast_exponential = __expf(x);
    f.fast_quotient = __fdividef(x, 3.0f);
    f.rounded = rintf(x * 10) + truncf(-x) + roundf(x) + ceilf(x);
    f.remainder = fmodf(x, 0.3f);
    f.scaled = ldexpf(x, 5) + copysignf(1.0f, -x) + fmaxf(x, NAN);
    f.saturated = __saturatef(x);
    out[threadIdx.x] = f;
}

__global__ void bits(unsigned long long *out)
{
    out[0] = __popc(0xf0f0u) + 100 * __clz(1 << 20) + 10000 * __ffs(64);
    out[1] = __brev(1u);
    out[2] = __byte_perm(0x33221100u, 0x77665544u, 0x7520u);
    out[3] = __umulhi(0x80000000u, 6u) + 100 * __mulhi(-1, 5);
    out[4] = __umul64hi(1ull << 63, 10ull);
    out[5] = __funnelshift_l(0x80000000u, 1u, 1);
    out[6] = __popcll(~0ull) + 100 * __clzll(1) + 100000 * __ffsll(1ll << 40);
    out[7] = __vadd4(0x01020304u, 0x10203040u);
    out[8] = __sad(3, 10, 5u);
    out[9] = __dp4a(0x01020304, 0x01010101, 100);
    out[10] = (unsigned)__float_as_int(1.0f);
    out[11] = __float2int_rn(2.5f) + 10 * __float2int_ru(2.1f) + 100 * __float2uint_rz(-5.0f);
}

int main()
{
    Floats *floats;
    unsigned long long *integers;
    CUDA(cudaMallocManaged(&floats, 64 * sizeof *floats));
    CUDA(cudaMallocManaged(&integers, 12 * sizeof *integers));
    compute<<<1, 64>>>(floats);
    bits<<<1, 1>>>(integers);
    CUDA(cudaDeviceSynchronize());
    auto close = [](float actual, double expected, double tolerance = 4e-7) {
        return fabs(actual - expected) <= tolerance * fabs(expected) + 1e-6 * tolerance / 4e-7;
    };
    for (int i = 0; i < 64; i++) {
        float x = fmaf((float)i, 0.13f, 0.1f);
        const Floats &f = floats[i];
        CHECK(close(f.sine, sin((double)x)));
        CHECK(close(f.cosine, cos((double)(x * 1000.0f))));
        CHECK(close(f.exponential, exp((double)x)));
        CHECK(close(f.logarithm, log((double)x)));
        CHECK(close(f.power, pow((double)x, 2.5)));
        CHECK(close(f.tangent, tan((double)x), 1e-6));
        CHECK_EQUAL(f.root, sqrtf(x));
        CHECK(close(f.reciprocal_root, 1 / sqrt((double)x)));
        CHECK(close(f.hyperbolic, tanh((double)x)));
        CHECK(close(f.error, erf((double)x)));
        CHECK(close(f.gamma, lgamma((double)(x + 1)), 1e-6));
        CHECK(close(f.fast_sine, sin((double)x), 4e-6));
        CHECK(close(f.fast_exponential, exp((double)x), 2e-6));
        CHECK(close(f.fast_quotient, x / 3.0));
        CHECK_EQUAL(f.rounded, rintf(x * 10) + truncf(-x) + roundf(x) + ceilf(x));
        CHECK_EQUAL(f.remainder, fmodf(x, 0.3f));
        CHECK(close(f.scaled, x * 33.0 - 1));
        CHECK_EQUAL(f.saturated, x > 1 ? 1 : x);
    }
    const unsigned long long expected[] = {
        8 + 1100 + 70000,    0x80000000u, 0x77552200u, 3u - 100u, 5,           3,
        64 + 6300 + 4100000, 0x11223344u, 12,          110,       0x3f800000u, 2 + 30};
    for (int i = 0; i < 12; i++)
        CHECK_EQUAL(integers[i], i == 3 ? (unsigned)(3 - 100) : expected[i]);
    return check_result();
}
