/* Prices of European options by the formula of Black and Scholes, as the SDK's BlackScholes: a thread takes
 * every so-manyth option; three inputs, two outputs, all in global memory; approximate functions of the
 * hardware. The cumulative normal distribution is the polynomial 26.2.17 of Abramowitz and Stegun. */

__device__ __forceinline__ float normal(float d)
{
    const float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
    float sum = 1.330274429f;
    sum = -1.821255978f + k * sum;
    sum = 1.781477937f + k * sum;
    sum = -0.356563782f + k * sum;
    sum = 0.31938153f + k * sum;
    const float tail = 0.39894228040143267794f * __expf(-0.5f * d * d) * k * sum;
    return d > 0 ? 1.0f - tail : tail;
}

/* At most 32 registers: as many as 8 blocks of 128 threads have on Fermi. */
extern "C" __global__ __maxnreg__(32) void bs_price(float *call, float *put, const float *price,
                                                    const float *strike, const float *years, float riskless,
                                                    float volatility, int count)
{
    const int threads = blockDim.x * gridDim.x;
    for (int option = blockIdx.x * blockDim.x + threadIdx.x; option < count; option += threads) {
        const float s = price[option], x = strike[option], t = years[option];
        const float root = sqrtf(t), spread = volatility * root;
        const float d1 = __fdividef(__logf(s / x) + (riskless + 0.5f * volatility * volatility) * t, spread);
        const float in1 = normal(d1), in2 = normal(d1 - spread);
        const float discounted = x * __expf(-riskless * t);
        call[option] = s * in1 - discounted * in2;
        put[option] = discounted * (1.0f - in2) - s * (1.0f - in1);
    }
}
