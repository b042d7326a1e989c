// Functions of the library; host code: transcendental.c.

__device__ float normal_distribution(float d)
{
    const float k = 1 / (1 + 0.2316419f * fabsf(d));
    const float sum =
        k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = 0.39894228f * expf(-0.5f * d * d) * sum;
    return d > 0 ? 1 - tail : tail;
}

extern "C" __global__ void black_scholes(const float *price, const float *strike, const float *years,
                                         float *call, float *put, float rate, float volatility, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
    const float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    const float d2 = d1 - volatility * root, discount = expf(-rate * t);
    const float c1 = normal_distribution(d1), c2 = normal_distribution(d2);
    call[i] = s * c1 - x * discount * c2;
    put[i] = x * discount * (1 - c2) - s * (1 - c1);
}

// Some arguments are too large for the short reduction.
extern "C" __global__ void sincos_sum(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float x = in[i];
    float sine, cosine, sum = 0;
    for (int k = 1; k <= 4; k++) {
        sincosf(x * k, &sine, &cosine);
        sum += sine * cosine;
    }
    out[i] = sum;
}

extern "C" __global__ void erf_pow(const float *x, const float *y, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = erff(x[i]) * powf(y[i], 1.7f) + tanhf(x[i]);
}

// 256 threads, 512 complex points; bits are reversed while loading.
extern "C" __global__ void fft_block(const float2 *in, float2 *out)
{
    __shared__ float2 s[512];
    const int t = threadIdx.x;
    const float2 *from = in + blockIdx.x * 512;
    s[__brev(t) >> 23] = from[t];
    s[__brev(t + 256) >> 23] = from[t + 256];
    for (int half = 1; half < 512; half *= 2) {
        __syncthreads();
        const int k = t & (half - 1), low = (t - k) * 2 + k;
        float sine, cosine;
        sincospif(-(float)k / half, &sine, &cosine);
        const float2 a = s[low], b = s[low + half];
        const float2 turned = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
        s[low] = make_float2(a.x + turned.x, a.y + turned.y);
        s[low + half] = make_float2(a.x - turned.x, a.y - turned.y);
    }
    __syncthreads();
    out[blockIdx.x * 512 + t] = s[t];
    out[blockIdx.x * 512 + t + 256] = s[t + 256];
}
