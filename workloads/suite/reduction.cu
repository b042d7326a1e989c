// Many values to few; host code: reduction.c.

// Every second, fourth, eighth thread works on.
extern "C" __global__ void sum_divergent(const float *in, float *out)
{
    __shared__ float s[256];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int o = 1; o < 256; o *= 2) {
        if (t % (2 * o) == 0)
            s[t] += s[t + o];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__device__ float warp_sum(float value)
{
    for (int o = 16; o > 0; o >>= 1)
        value += __shfl_down_sync(0xffffffffu, value, o);
    return value;
}

__device__ float warp_max(float value)
{
    for (int o = 16; o > 0; o >>= 1)
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, o));
    return value;
}

extern "C" __global__ void sum_shuffle(const float *in, float *out, int n)
{
    __shared__ float s[32];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = warp_sum(threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            out[blockIdx.x] = sum;
    }
}

// Blocks of 256 threads take 2048 items. Of equal items the first counts.
extern "C" __global__ void argmax_block(const float *in, float *values, int *places)
{
    __shared__ float s[256];
    __shared__ int at[256];
    const int t = threadIdx.x;
    int place = blockIdx.x * 2048 + t;
    float value = in[place];
    for (int i = 1; i < 8; i++) {
        const int other = blockIdx.x * 2048 + i * 256 + t;
        const float candidate = in[other];
        if (candidate > value) {
            value = candidate;
            place = other;
        }
    }
    s[t] = value;
    at[t] = place;
    __syncthreads();
    for (int o = 128; o > 0; o >>= 1) {
        if (t < o && (s[t + o] > s[t] || (s[t + o] == s[t] && at[t + o] < at[t]))) {
            s[t] = s[t + o];
            at[t] = at[t + o];
        }
        __syncthreads();
    }
    if (t == 0) {
        values[blockIdx.x] = s[0];
        places[blockIdx.x] = at[0];
    }
}

// Blocks of 128 threads.
extern "C" __global__ void softmax_rows(const float *in, float *out, int columns)
{
    __shared__ float s[4];
    const float *row = in + (size_t)blockIdx.x * columns;
    float most = -1e30f, sum = 0;
    for (int i = threadIdx.x; i < columns; i += 128)
        most = fmaxf(most, row[i]);
    most = warp_max(most);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = most;
    __syncthreads();
    most = fmaxf(fmaxf(s[0], s[1]), fmaxf(s[2], s[3]));
    __syncthreads();
    for (int i = threadIdx.x; i < columns; i += 128)
        sum += expf(row[i] - most);
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = sum;
    __syncthreads();
    const float scale = 1 / (s[0] + s[1] + s[2] + s[3]);
    for (int i = threadIdx.x; i < columns; i += 128)
        out[(size_t)blockIdx.x * columns + i] = expf(row[i] - most) * scale;
}
