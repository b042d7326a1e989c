// Tensor cores and copies that shared memory takes by itself; host code: tensor.c.
#include <cuda_fp16.h>
#include <mma.h>

// A warp makes 16 x 16 elements; blocks of four warps, side by side.
extern "C" __global__ void wmma_gemm(const __half *a, const __half *b, float *c, int n, int k)
{
    using namespace nvcuda;
    const int x = (blockIdx.x * 4 + threadIdx.x / 32) * 16, y = blockIdx.y * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(left, a + y * k + i, k);
        wmma::load_matrix_sync(right, b + i * n + x, n);
        wmma::mma_sync(sum, left, right, sum);
    }
    wmma::store_matrix_sync(c + y * n + x, sum, n, wmma::mem_row_major);
}

__device__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

// Blocks of four warps make 64 x 64 elements, a warp 32 x 32.
extern "C" __global__ void mma_ldmatrix(const __half *a, const __half *b, float *c, int n, int k)
{
    __shared__ __align__(16) __half s[64][40], t[32][72];
    const int id = threadIdx.x, lane = id % 32, warp = id / 32;
    const int x = blockIdx.x * 64, y = blockIdx.y * 64, wx = warp % 2 * 32, wy = warp / 2 * 32;
    float sum[2][4][4] = {};
    for (int from = 0; from < k; from += 32) {
        for (int i = id; i < 256; i += 128) {
            *(uint4 *)&s[i / 4][i % 4 * 8] = *(const uint4 *)&a[(y + i / 4) * k + from + i % 4 * 8];
            *(uint4 *)&t[i / 8][i % 8 * 8] = *(const uint4 *)&b[(from + i / 8) * n + x + i % 8 * 8];
        }
        __syncthreads();
#pragma unroll
        for (int step = 0; step < 32; step += 16) {
            unsigned left[2][4], right[4][2];
#pragma unroll
            for (int r = 0; r < 2; r++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(left[r][0]), "=r"(left[r][1]), "=r"(left[r][2]), "=r"(left[r][3])
                             : "r"(shared_address(&s[wy + r * 16 + lane % 16][step + lane / 16 * 8])));
#pragma unroll
            for (int q = 0; q < 4; q++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                             : "=r"(right[q][0]), "=r"(right[q][1])
                             : "r"(shared_address(&t[step + lane % 16][wx + q * 8])));
#pragma unroll
            for (int r = 0; r < 2; r++)
#pragma unroll
                for (int q = 0; q < 4; q++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(sum[r][q][0]), "+f"(sum[r][q][1]), "+f"(sum[r][q][2]),
                                   "+f"(sum[r][q][3])
                                 : "r"(left[r][0]), "r"(left[r][1]), "r"(left[r][2]), "r"(left[r][3]),
                                   "r"(right[q][0]), "r"(right[q][1]));
        }
        __syncthreads();
    }
    for (int r = 0; r < 2; r++)
        for (int q = 0; q < 4; q++) {
            float *to = c + (y + wy + r * 16 + lane / 4) * n + x + wx + q * 8 + lane % 4 * 2;
            *(float2 *)to = make_float2(sum[r][q][0], sum[r][q][1]);
            *(float2 *)(to + 8 * n) = make_float2(sum[r][q][2], sum[r][q][3]);
        }
}

__device__ void copy16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}

__device__ void commit() { asm volatile("cp.async.commit_group;"); }

// Waits until all but the last `N` groups are there.
template <int N> __device__ void wait_but() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

// A block of 16 x 16 threads makes 64 x 64 elements.
extern "C" __global__ void async_gemm(const float *a, const float *b, float *c, int n, int k)
{
    __shared__ __align__(16) float s[2][64][20], t[2][16][64];
    const int id = threadIdx.x, tx = id % 16, ty = id / 16;
    const int x = blockIdx.x * 64, y = blockIdx.y * 64;
    float sum[4][4] = {};
    const float *left = a + (y + id / 4) * k + id % 4 * 4, *right = b + ty * n + x + tx * 4;
    copy16(&s[0][id / 4][id % 4 * 4], left);
    copy16(&t[0][ty][tx * 4], right);
    commit();
    for (int from = 0, now = 0; from < k; from += 16, now ^= 1) {
        if (from + 16 < k) {
            copy16(&s[now ^ 1][id / 4][id % 4 * 4], left + from + 16);
            copy16(&t[now ^ 1][ty][tx * 4], right + (from + 16) * n);
        }
        commit();
        wait_but<1>();
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++) {
            const float4 v = *(const float4 *)&t[now][i][tx * 4];
#pragma unroll
            for (int r = 0; r < 4; r++) {
                const float u = s[now][ty * 4 + r][i];
                sum[r][0] += u * v.x;
                sum[r][1] += u * v.y;
                sum[r][2] += u * v.z;
                sum[r][3] += u * v.w;
            }
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        *(float4 *)&c[(y + ty * 4 + r) * n + x + tx * 4] =
            make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

__constant__ float async_taps[9];

__device__ void bring(float *to, const float *from)
{
    copy16(to + threadIdx.x * 4, from + threadIdx.x * 4);
    if (threadIdx.x < 2)
        copy16(to + 512 + threadIdx.x * 4, from + 512 + threadIdx.x * 4);
}

// 128 threads; a chunk of 512 results needs 520 values.
extern "C" __global__ void async_filter(const float *in, float *out, int chunks)
{
    __shared__ __align__(16) float s[4][520];
    const size_t begin = (size_t)blockIdx.x * chunks * 512;
    for (int i = 0; i < 3; i++) {
        if (i < chunks)
            bring(s[i], in + begin + i * 512);
        commit();
    }
    for (int i = 0; i < chunks; i++) {
        wait_but<2>();
        __syncthreads();
        const float *values = s[i % 4];
        for (int o = threadIdx.x; o < 512; o += 128) {
            float sum = 0;
#pragma unroll
            for (int tap = 0; tap < 9; tap++)
                sum += async_taps[tap] * values[o + tap];
            out[begin + i * 512 + o] = sum;
        }
        if (i + 3 < chunks)
            bring(s[(i + 3) % 4], in + begin + (i + 3) * 512);
        commit();
    }
}

// Rows of a and columns of b have k bytes; a warp makes 16 x 32 elements, a block of four warps 64 x 32.
extern "C" __global__ void mma_int8(const unsigned *a, const unsigned *b, int *c, int n, int k)
{
    const int lane = threadIdx.x % 32, group = lane / 4, word = lane % 4, words = k / 4;
    const int x = blockIdx.x * 32, y = blockIdx.y * 64 + threadIdx.x / 32 * 16;
    int sum[4][4] = {};
    for (int i = 0; i < words; i += 8) {
        const unsigned *row = a + (y + group) * words + i + word, *lower = row + 8 * words;
        const unsigned a0 = row[0], a1 = lower[0], a2 = row[4], a3 = lower[4];
#pragma unroll
        for (int q = 0; q < 4; q++) {
            const unsigned *column = b + (x + q * 8 + group) * words + i + word;
            asm volatile(
                "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                "{%8, %9}, {%0, %1, %2, %3};"
                : "+r"(sum[q][0]), "+r"(sum[q][1]), "+r"(sum[q][2]), "+r"(sum[q][3])
                : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(column[0]), "r"(column[4]));
        }
    }
    for (int q = 0; q < 4; q++) {
        int *to = c + (y + group) * n + x + q * 8 + word * 2;
        to[0] = sum[q][0];
        to[1] = sum[q][1];
        to[8 * n] = sum[q][2];
        to[8 * n + 1] = sum[q][3];
    }
}

// Every warp has a 16 x 8 matrix and four of 8 x 8, and adds up their products again and again.
extern "C" __global__ void mma_tf32(const float *a, const float *b, float *c, int times)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const int group = lane / 4, t = lane % 4;
    const float *left = a + warp * 128, *right = b + warp * 256;
    const unsigned a0 = __float_as_uint(left[group * 8 + t]), a1 = __float_as_uint(left[(group + 8) * 8 + t]),
                   a2 = __float_as_uint(left[group * 8 + t + 4]),
                   a3 = __float_as_uint(left[(group + 8) * 8 + t + 4]);
    unsigned b0[4], b1[4];
    float sum[4][4] = {};
    for (int q = 0; q < 4; q++) {
        b0[q] = __float_as_uint(right[q * 64 + t * 8 + group]);
        b1[q] = __float_as_uint(right[q * 64 + (t + 4) * 8 + group]);
    }
    for (int i = 0; i < times; i++)
#pragma unroll
        for (int q = 0; q < 4; q++)
            asm volatile(
                "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                "{%8, %9}, {%0, %1, %2, %3};"
                : "+f"(sum[q][0]), "+f"(sum[q][1]), "+f"(sum[q][2]), "+f"(sum[q][3])
                : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0[q]), "r"(b1[q]));
    for (int q = 0; q < 4; q++) {
        float *to = c + warp * 512 + q * 128 + group * 8 + t * 2;
        to[0] = sum[q][0];
        to[1] = sum[q][1];
        to[64] = sum[q][2];
        to[65] = sum[q][3];
    }
}
