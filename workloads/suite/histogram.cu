// Counting values; host code: histogram.c.

// 256 threads; words of four pixels.
extern "C" __global__ void bins_shared(const unsigned *in, unsigned *bins, int words)
{
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < words; i += gridDim.x * 256) {
        const unsigned four = in[i];
        atomicAdd(&s[four & 255], 1u);
        atomicAdd(&s[four >> 8 & 255], 1u);
        atomicAdd(&s[four >> 16 & 255], 1u);
        atomicAdd(&s[four >> 24], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

extern "C" __global__ void bins_global(const unsigned *in, unsigned *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i] & 16383], 1u);
}

// 128 threads, each with a byte for each of 64 bins and 16 words of four values.
extern "C" __global__ void bins_private(const unsigned *in, unsigned *bins)
{
    __shared__ unsigned char s[64][128];
    const int t = threadIdx.x;
    for (int i = t; i < 64 * 128 / 4; i += 128)
        ((unsigned *)s)[i] = 0;
    __syncthreads();
    for (int k = 0; k < 16; k++) {
        const unsigned four = in[(blockIdx.x * 16 + k) * 128 + t];
        s[four & 63][t]++;
        s[four >> 8 & 63][t]++;
        s[four >> 16 & 63][t]++;
        s[four >> 24 & 63][t]++;
    }
    __syncthreads();
    if (t < 64) {
        unsigned sum = 0;
        for (int i = 0; i < 128; i++)
            sum += s[t][(i + t * 4) & 127];
        atomicAdd(&bins[t], sum);
    }
}

// 256 threads; each of the eight warps has bins of its own.
extern "C" __global__ void bins_skewed(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned s[8][256];
    for (int i = 0; i < 8; i++)
        s[i][threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&s[threadIdx.x / 32][in[i]], 1u);
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < 8; i++)
        sum += s[i][threadIdx.x];
    if (sum)
        atomicAdd(&bins[threadIdx.x], sum);
}
