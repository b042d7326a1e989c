// The math library as nvcc compiles it: software for double, approximations and software for float.
#define APPLY(index, expression) out[(index) * count + t] = (expression);

extern "C" __global__ void doubles(const double *in, double *out, int count)
{
    int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (t >= count)
        return;
    double x = in[t];
    APPLY(0, sin(x)) APPLY(1, cos(x)) APPLY(2, tan(x)) APPLY(3, exp(x)) APPLY(4, log(fabs(x))) APPLY(5, log2(fabs(x)))
    APPLY(6, pow(fabs(x), 1.7)) APPLY(7, sqrt(fabs(x))) APPLY(8, 1 / x) APPLY(9, cbrt(x)) APPLY(10, atan(x))
    APPLY(11, atan2(x, 2.5)) APPLY(12, tanh(x)) APPLY(13, erf(x)) APPLY(14, tgamma(x * 0.1 + 2)) APPLY(15, fmod(x, 0.7))
    APPLY(16, floor(x) + rint(x) * 2 + trunc(x) * 3) APPLY(17, exp2(x)) APPLY(18, expm1(x * 0.01)) APPLY(19, log1p(fabs(x)))
    APPLY(20, hypot(x, 3.0)) APPLY(21, asin(x / (fabs(x) + 1))) APPLY(22, sinh(x * 0.1)) APPLY(23, rsqrt(fabs(x)))
}

extern "C" __global__ void floats(const float *in, float *out, int count)
{
    int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (t >= count)
        return;
    float x = in[t];
    APPLY(0, sinf(x)) APPLY(1, cosf(x)) APPLY(2, tanf(x)) APPLY(3, expf(x)) APPLY(4, logf(fabsf(x))) APPLY(5, log2f(fabsf(x)))
    APPLY(6, powf(fabsf(x), 1.7f)) APPLY(7, sqrtf(fabsf(x))) APPLY(8, 1 / x) APPLY(9, cbrtf(x)) APPLY(10, atanf(x))
    APPLY(11, atan2f(x, 2.5f)) APPLY(12, tanhf(x)) APPLY(13, erff(x)) APPLY(14, lgammaf(fabsf(x) + 3)) APPLY(15, fmodf(x, 0.7f))
    APPLY(16, floorf(x) + rintf(x) * 2 + roundf(x) * 3) APPLY(17, exp2f(x)) APPLY(18, expm1f(x * 0.01f)) APPLY(19, log1pf(fabsf(x)))
    APPLY(20, hypotf(x, 3.0f)) APPLY(21, asinf(x / (fabsf(x) + 1))) APPLY(22, sinhf(x * 0.1f)) APPLY(23, rsqrtf(fabsf(x)))
}

extern "C" __global__ void fast(const float *in, float *out, int count)
{
    int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (t >= count)
        return;
    float x = in[t];
    APPLY(0, __sinf(x)) APPLY(1, __cosf(x)) APPLY(2, __expf(x)) APPLY(3, __logf(fabsf(x))) APPLY(4, __powf(fabsf(x), 1.7f))
    APPLY(5, __fdividef(x, 3.7f)) APPLY(6, __fsqrt_rd(fabsf(x))) APPLY(7, __frcp_ru(x)) APPLY(8, __fmaf_rz(x, x, 1.1f))
    APPLY(9, __saturatef(x)) APPLY(10, __int2float_rd(__float2int_ru(x))) APPLY(11, (float)__double2ll_rn(x * 1e3))
}

extern "C" __global__ void integers(const int *in, int *out, int count)
{
    int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (t >= count)
        return;
    int x = in[t];
    unsigned u = (unsigned)x;
    APPLY(0, __clz(x)) APPLY(1, __popc(u)) APPLY(2, __ffs(x)) APPLY(3, (int)__brev(u)) APPLY(4, (int)__byte_perm(u, ~u, 0x3715))
    APPLY(5, __mulhi(x, 123456789)) APPLY(6, (int)__umulhi(u, 3000000000u)) APPLY(7, (int)__funnelshift_l(u, u * 3, u))
    APPLY(8, (int)__funnelshift_rc(u, 7u, 40)) APPLY(9, (int)__sad(x, 1000, 5u)) APPLY(10, __mul24(x, 12345))
    APPLY(11, (int)__vadd4(u, 0x7f80ff01u)) APPLY(12, (int)__vabsdiffu4(u, 0x10203040u)) APPLY(13, __dp4a(x, 0x01ff7f80, 9))
    APPLY(14, __hadd(x, 77)) APPLY(15, (int)__clzll((long long)x * x)) APPLY(16, abs(x) % 1000 + max(x, 3) - min(x, -3))
    APPLY(17, (int)__vmaxs2(u, 0x8000fffeu)) APPLY(18, (int)__vcmpgtu4(u, 0x80808080u))
}
