// Tensor cores through mma.h and inline mma, and copies that run beside the computation.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

// C = A * B + C by tiles of 16: one warp a tile.
extern "C" __global__ void gemm_half(const __half *a, const __half *b, float *c, int n)
{
    int row = (int)blockIdx.y * 16, column = (int)blockIdx.x * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(sum, c + row * n + column, (unsigned)n, wmma::mem_row_major);
    for (int k = 0; k < n; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
        wmma::load_matrix_sync(left, a + row * n + k, (unsigned)n);
        wmma::load_matrix_sync(right, b + k * n + column, (unsigned)n);
        wmma::mma_sync(sum, left, right, sum);
    }
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] *= 0.5f;
    wmma::store_matrix_sync(c + row * n + column, sum, (unsigned)n, wmma::mem_row_major);
}

extern "C" __global__ void gemm_bytes(const signed char *a, const signed char *b, int *c, int n)
{
    int row = (int)blockIdx.y * 16, column = (int)blockIdx.x * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
    wmma::fill_fragment(sum, 3);
    for (int k = 0; k < n; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> right;
        wmma::load_matrix_sync(left, a + row * n + k, (unsigned)n);
        wmma::load_matrix_sync(right, b + column * n + k, (unsigned)n);
        wmma::mma_sync(sum, left, right, sum);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, (unsigned)n, wmma::mem_row_major);
}

#if __CUDA_ARCH__ >= 800
// ldmatrix and mma of inline assembly, as libraries write them: a 16 x 8 tile of A * B.
extern "C" __global__ void inline_mma(const __half *a, const __half *b, float *c)
{
    __shared__ __align__(16) __half left[16 * 16], right[16 * 8];
    unsigned lane = threadIdx.x;
    for (unsigned i = lane; i < 256; i += 32)
        left[i] = a[i];
    for (unsigned i = lane; i < 128; i += 32)
        right[i] = b[i];
    __syncwarp();
    unsigned fa[4], fb[2];
    unsigned at = (unsigned)__cvta_generic_to_shared(&left[lane % 16 * 16 + lane / 16 * 8]);
    unsigned bt = (unsigned)__cvta_generic_to_shared(&right[lane % 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(fb[0]), "=r"(fb[1]) : "r"(bt));
    float d[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    unsigned row = lane / 4, column = lane % 4 * 2;
    c[row * 8 + column] = d[0];
    c[row * 8 + column + 1] = d[1];
    c[(row + 8) * 8 + column] = d[2];
    c[(row + 8) * 8 + column + 1] = d[3];
}

// Two stages: while one is summed, the next is on its way.
extern "C" __global__ void pipelined(const float4 *in, float *out, int tiles)
{
    __shared__ float4 stage[2][64];
    unsigned t = threadIdx.x;
    const float4 *mine = in + blockIdx.x * (unsigned)tiles * 64 + t;
    __pipeline_memcpy_async(&stage[0][t], mine, sizeof(float4));
    __pipeline_commit();
    float sum = 0;
    for (int i = 0; i < tiles; i++) {
        if (i + 1 < tiles)
            __pipeline_memcpy_async(&stage[(i + 1) % 2][t], mine + (i + 1) * 64, sizeof(float4));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        float4 v = stage[i % 2][63 - t];
        sum += v.x + v.y * 2 + v.z * 3 + v.w * 4;
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = sum;
}

// The same by hand, with bytes left out and filled with zeros.
extern "C" __global__ void zero_filled(const int *in, int *out, int count)
{
    __shared__ __align__(16) int buffer[64];
    unsigned t = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(&buffer[t]);
    buffer[t] = -1;
    int bytes = (int)t < count ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(in + ((int)t < count ? t : 0)), "r"(bytes));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    out[t] = buffer[63 - t];
}
#endif
