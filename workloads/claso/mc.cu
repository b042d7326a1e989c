/* European options by Monte Carlo, as MonteCarlo of NVIDIA's SDK prices them: one kernel turns evenly
 * spread points into normally distributed samples; the other has a block for each option, whose threads
 * walk over all samples and reduce payoffs and their squares in shared memory. */

constexpr int THREADS = 256, MOST_OPTIONS = 512;

/* As the host has it. */
struct Option {
    float spot, strike, drift, volatility; /* until the option ends */
};
__constant__ Option options[MOST_OPTIONS];

/* The inverse of the normal distribution [Moro, The full Monte, Risk 8(2), 1995]. */
__device__ __forceinline__ float inverse_normal(float p)
{
    const float y = p - 0.5f;
    if (fabsf(y) < 0.42f) {
        const float z = y * y;
        return y * (((-25.44106049637f * z + 41.39119773534f) * z - 18.61500062529f) * z + 2.50662823884f) /
               ((((3.13082909833f * z - 21.06224101826f) * z + 23.08336743743f) * z - 8.4735109309f) * z +
                1.0f);
    }
    const float z = __logf(-__logf(y > 0.0f ? 1.0f - p : p));
    float sum = 0.0000003960315187f;
    sum = sum * z + 0.0000002888167364f;
    sum = sum * z + 0.0000321767881768f;
    sum = sum * z + 0.0003951896511919f;
    sum = sum * z + 0.0038405729373609f;
    sum = sum * z + 0.0276438810333863f;
    sum = sum * z + 0.1607979714918209f;
    sum = sum * z + 0.9761690190917186f;
    sum = sum * z + 0.3374754822726147f;
    return y > 0.0f ? sum : -sum;
}

extern "C" __global__ void __launch_bounds__(128) inverse_normals(float *samples, int paths)
{
    const float distance = 1.0f / (paths + 1);
    for (int path = blockIdx.x * blockDim.x + threadIdx.x; path < paths; path += blockDim.x * gridDim.x)
        samples[path] = inverse_normal((path + 1) * distance);
}

/* The option's mean payoff, and that of its square. The loop is unrolled so far that Fermi has registers
 * for 5 blocks. */
extern "C" __global__ void __launch_bounds__(THREADS)
    option_values(float2 *values, const float *samples, int paths)
{
    __shared__ float sums[THREADS], squares[THREADS];
    const Option option = options[blockIdx.x];
    const int i = threadIdx.x;
    float sum = 0.0f, square = 0.0f;
#pragma unroll 8
    for (int path = i; path < paths; path += THREADS) {
        const float end = option.spot * __expf(option.drift + option.volatility * samples[path]);
        const float payoff = fmaxf(end - option.strike, 0.0f);
        sum += payoff;
        square += payoff * payoff;
    }
    sums[i] = sum;
    squares[i] = square;
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (i < stride) {
            sums[i] += sums[i + stride];
            squares[i] += squares[i + stride];
        }
    }
    if (i == 0)
        values[blockIdx.x] = make_float2(sums[0] / paths, squares[0] / paths);
}
