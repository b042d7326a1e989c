// Work within warps; host code: shuffles.c.

extern "C" __global__ void warp_bitonic(unsigned *keys)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned key = keys[i];
#pragma unroll
    for (int size = 2; size <= 32; size *= 2)
#pragma unroll
        for (int o = size / 2; o > 0; o >>= 1) {
            const unsigned other = __shfl_xor_sync(0xffffffffu, key, o);
            const bool low = ((lane & o) == 0) == ((lane & size) == 0);
            key = low ? min(key, other) : max(key, other);
        }
    keys[i] = key;
}

// Four values a lane: item 32 q + lane is in v[q].
extern "C" __global__ void warp_hadamard(int *values, int rounds)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int v[4];
    for (int q = 0; q < 4; q++)
        v[q] = values[warp * 128 + q * 32 + lane];
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int o = 1; o < 32; o *= 2)
#pragma unroll
            for (int q = 0; q < 4; q++) {
                const int other = __shfl_xor_sync(0xffffffffu, v[q], o);
                v[q] = lane & o ? other - v[q] : other + v[q];
            }
        const int a = v[0] + v[1], b = v[0] - v[1], c = v[2] + v[3], d = v[2] - v[3];
        v[0] = a + c, v[1] = b + d, v[2] = a - c, v[3] = b - d;
    }
    for (int q = 0; q < 4; q++)
        values[warp * 128 + q * 32 + lane] = v[q];
}

// A lane has one column; after five exchanges of halves it has one row.
extern "C" __global__ void warp_transpose(const float *in, float *out)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float v[32];
#pragma unroll
    for (int r = 0; r < 32; r++)
        v[r] = in[warp * 1024 + r * 32 + lane];
#pragma unroll
    for (int o = 16; o > 0; o >>= 1)
#pragma unroll
        for (int r = 0; r < 32; r++)
            if ((r & o) == 0) {
                const bool upper = lane & o;
                const float got = __shfl_xor_sync(0xffffffffu, upper ? v[r] : v[r + o], o);
                if (upper)
                    v[r] = got;
                else
                    v[r + o] = got;
            }
#pragma unroll
    for (int r = 0; r < 32; r++)
        out[warp * 1024 + r * 32 + lane] = v[r];
}

// Each warp is a ring of 32 cells.
extern "C" __global__ void warp_stencil(const float *in, float *out, int steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float x = in[i];
    for (int s = 0; s < steps; s++) {
        const float left = __shfl_sync(0xffffffffu, x, (lane + 31) & 31);
        const float right = __shfl_sync(0xffffffffu, x, (lane + 1) & 31);
        x = 0.5f * x + 0.25f * (left + right);
    }
    out[i] = x;
}
