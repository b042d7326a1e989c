/* Scalar products of many pairs of vectors, as scalarProd of NVIDIA's SDK does them: a block takes a pair
 * at a time, adds products up in accumulators in shared memory, and these in a tree with a barrier at each
 * level. */

constexpr int ACCUMULATORS = 1024;

/* At most 20 registers: as many as 6 blocks of 256 threads have on Fermi. */
extern "C" __global__ void __maxnreg__(20)
    scalar_products(const float *a, const float *b, float *products, int vectors, int elements)
{
    __shared__ float sums[ACCUMULATORS];
    for (int vector = blockIdx.x; vector < vectors; vector += gridDim.x) {
        const int begin = vector * elements, end = begin + elements;
#pragma unroll 1
        for (int i = threadIdx.x; i < ACCUMULATORS; i += blockDim.x) {
            float sum = 0.0f;
#pragma unroll 1
            for (int at = begin + i; at < end; at += ACCUMULATORS)
                sum += a[at] * b[at];
            sums[i] = sum;
        }
#pragma unroll 1
        for (int stride = ACCUMULATORS / 2; stride > 0; stride /= 2) {
            __syncthreads();
#pragma unroll 1
            for (int i = threadIdx.x; i < stride; i += blockDim.x)
                sums[i] += sums[stride + i];
        }
        __syncthreads();
        if (threadIdx.x == 0)
            products[vector] = sums[0];
    }
}
