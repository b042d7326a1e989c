// Empty kernels, which show what a launch and a block cost, and one kernel for each class of instruction or
// memory pattern; host code: launch.c. They compute what the kernels computed whose counters on a real
// H200 are in h200.csv. Compiled by: ../build_ptx.sh launch

extern "C" __global__ void empty() {}

extern "C" __global__ void tiny(int *out)
{
    if (out)
        out[blockIdx.x] = 1;
}

template <int STRIDE> __device__ __forceinline__ void read_shared(float *out)
{
    __shared__ float words[4096];
    int t = threadIdx.x;
    for (int i = t; i < 4096; i += blockDim.x)
        words[i] = i;
    __syncthreads();
    float sum = 0;
    int at = (t * STRIDE) & 4095;
    for (int k = 0; k < 1024; k++) {
        sum += words[at];
        at = (at + 32 * STRIDE) & 4095;
    }
    out[blockIdx.x * blockDim.x + t] = sum;
}

extern "C" __global__ void shared_stride1(float *out) { read_shared<1>(out); }
extern "C" __global__ void shared_stride2(float *out) { read_shared<2>(out); }
extern "C" __global__ void shared_stride4(float *out) { read_shared<4>(out); }
extern "C" __global__ void shared_stride8(float *out) { read_shared<8>(out); }
extern "C" __global__ void shared_stride32(float *out) { read_shared<32>(out); }

extern "C" __global__ void shared_atomic(unsigned *out, int stride)
{
    __shared__ unsigned counters[1024];
    counters[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 256; k++)
        atomicAdd(&counters[(threadIdx.x * stride + k) & 1023], 1u);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = counters[threadIdx.x];
}

// Four independent chains of multiply-adds or of sines.
template <typename T> __device__ __forceinline__ void multiply_add(T *out, T a, T b, int steps)
{
    T x = threadIdx.x, y = x + 1, z = x + 2, w = x + 3;
    for (int k = 0; k < steps; k++) {
        x = x * a + b;
        y = y * a + b;
        z = z * a + b;
        w = w * a + b;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x + y + z + w;
}

extern "C" __global__ void imad4(int *out, int a, int b) { multiply_add(out, a, b, 1000); }
extern "C" __global__ void dfma4(double *out, double a, double b) { multiply_add(out, a, b, 500); }

extern "C" __global__ void mufu4(float *out)
{
    float x = threadIdx.x, y = x + 1, z = x + 2, w = x + 3;
    for (int k = 0; k < 500; k++) {
        x = __sinf(x);
        y = __sinf(y);
        z = __sinf(z);
        w = __sinf(w);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x + y + z + w;
}

extern "C" __global__ void l1_read(const float4 *data, float *out)
{
    float sum = 0;
    for (int k = 0; k < 256; k++) {
        float4 v = data[(threadIdx.x + k * 32) & 1023];
        sum += v.x + v.y + v.z + v.w;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void l2_read(const float4 *data, float *out, int count)
{
    float sum = 0;
    for (int k = 0; k < 64; k++) {
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x + k * gridDim.x * blockDim.x;
        float4 v = __ldcg(&data[i % count]);
        sum += v.x + v.y + v.z + v.w;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
