// Matrix multiplication on tensor cores: 16-bit floats, bytes, and by hand with mma.
// nvcc: -gencode arch=compute_80,code=compute_80
#include <cuda_fp16.h>
#include <mma.h>

#include "check.h"

using namespace nvcuda;

enum { N = 16 };

__global__ void multiply_halves(const __half *a, const __half *b, float *c)
{
    wmma::fragment<wmma::matrix_a, N, N, N, __half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, N, N, N, __half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, N, N, N, float> sum;
    wmma::load_matrix_sync(left, a, N);
    wmma::load_matrix_sync(right, b, N);
    wmma::fill_fragment(sum, 0.5f);
    wmma::mma_sync(sum, left, right, sum);
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] *= 2.0f;
    wmma::store_matrix_sync(c, sum, N, wmma::mem_row_major);
}

__global__ void multiply_bytes(const signed char *a, const signed char *b, int *c)
{
    wmma::fragment<wmma::matrix_a, N, N, N, signed char, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, N, N, N, signed char, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, N, N, N, int> sum;
    wmma::load_matrix_sync(left, a, N);
    wmma::load_matrix_sync(right, b, N);
    wmma::fill_fragment(sum, 1);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, N, wmma::mem_row_major);
}

/* c (16x8) = a (16x16, rows) * b (16x8, columns), each lane loading its own pairs as PTX lays them out. */
__global__ void multiply_by_hand(const __half *a, const __half *b, float *c)
{
    int group = threadIdx.x / 4, pair = threadIdx.x % 4 * 2;
    auto two = [](const __half *from) { return *(const unsigned *)from; };
    unsigned a0 = two(a + group * N + pair), a1 = two(a + (group + 8) * N + pair);
    unsigned a2 = two(a + group * N + pair + 8), a3 = two(a + (group + 8) * N + pair + 8);
    unsigned b0 = two(b + group * N + pair), b1 = two(b + group * N + pair + 8);
    float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    c[group * 8 + pair] = c0;
    c[group * 8 + pair + 1] = c1;
    c[(group + 8) * 8 + pair] = c2;
    c[(group + 8) * 8 + pair + 1] = c3;
}

template <typename T> static T *managed(int count)
{
    T *memory;
    CUDA(cudaMallocManaged(&memory, count * sizeof(T)));
    return memory;
}

int main()
{
    __half *a = managed<__half>(N * N), *b = managed<__half>(N * N);
    float *c = managed<float>(N * N), *d = managed<float>(N * 8);
    signed char *bytes_a = managed<signed char>(N * N), *bytes_b = managed<signed char>(N * N);
    int *integers = managed<int>(N * N);
    for (int i = 0; i < N * N; i++) {
        bytes_a[i] = i * 7 % 23 - 11;
        bytes_b[i] = i * 5 % 19 - 9;
        a[i] = __float2half(bytes_a[i] * 0.25f);
        b[i] = __float2half(bytes_b[i] * 0.5f);
    }
    multiply_halves<<<1, 32>>>(a, b, c);
    multiply_bytes<<<1, 32>>>(bytes_a, bytes_b, integers);
    multiply_by_hand<<<1, 32>>>(a, b, d);
    CUDA(cudaDeviceSynchronize());
    for (int row = 0; row < N; row++)
        for (int column = 0; column < N; column++) {
            int sum = 0;
            for (int k = 0; k < N; k++)
                sum += bytes_a[row * N + k] * bytes_b[column * N + k];
            CHECK_EQUAL(integers[row * N + column], sum + 1);
            CHECK_EQUAL(c[row * N + column], 2 * (sum * 0.125f + 0.5f));
            if (column < 8)
                CHECK_EQUAL(d[row * 8 + column], sum * 0.125f);
        }
    return check_result();
}
