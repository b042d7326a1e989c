/* Numbers that fill the unit cube evenly, and the same as samples of a normal distribution, as the SDK's
 * quasirandomGenerator. A number is the exclusive or of a dimension's rows for the bits of its position; the
 * table of rows lies in constant memory. Rows of threads in a block are dimensions. The second kernel inverts
 * the distribution by Moro's approximation, which has another formula for the tails: lanes part there. */
constexpr int DIMENSIONS = 3, BITS = 31; /* as the host has it */
__constant__ unsigned table[DIMENSIONS][BITS];

/* output[DIMENSIONS][count], numbers above 0 and up to 1. */
extern "C" __global__ void __launch_bounds__(128 * DIMENSIONS)
    generate(float *output, unsigned seed, int count)
{
    const unsigned *row = table[threadIdx.y];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        unsigned number = 0, position = seed + i;
        for (int bit = 0; bit < BITS; bit++, position >>= 1)
            if (position & 1)
                number ^= row[bit];
        output[threadIdx.y * count + i] = (float)(number + 1) * (1.0f / 2147483648.0f);
    }
}

/* Where the normal distribution reaches p, 0 < p < 1. */
__device__ __forceinline__ float invert(float p)
{
    const float y = p - 0.5f;
    if (fabsf(y) < 0.42f) {
        const float z = y * y;
        return y * (((-25.44106049637f * z + 41.39119773534f) * z - 18.61500062529f) * z + 2.50662823884f) /
               ((((3.13082909833f * z - 21.06224101826f) * z + 23.08336743743f) * z - 8.47351093090f) * z +
                1);
    }
    float z = __logf(-__logf(y > 0 ? 1 - p : p));
    z = 0.3374754822726147f +
        z * (0.9761690190917186f +
             z * (0.1607979714918209f +
                  z * (0.0276438810333863f +
                       z * (0.0038405729373609f +
                            z * (0.0003951896511919f +
                                 z * (0.0000321767881768f +
                                      z * (0.0000002888167364f + z * 0.0000003960315187f)))))));
    return y > 0 ? z : -z;
}

extern "C" __global__ void __launch_bounds__(128) invert_all(float *output, int count)
{
    const int threads = gridDim.x * blockDim.x;
    const unsigned distance = 4294967295u / (unsigned)(count + 1);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
        const unsigned number = (unsigned)(i + 1) * distance;
        output[i] = invert((float)(number >> 1) * (1.0f / 2147483648.0f));
    }
}
