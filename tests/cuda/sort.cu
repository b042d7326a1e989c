// A bitonic sort in shared memory, and a radix sort with a histogram and a scatter for every digit.
#include <algorithm>
#include <vector>

#include "check.h"

enum { COUNT = 1024, DIGITS = 16 };

__global__ void bitonic(unsigned *values)
{
    __shared__ unsigned memory[COUNT];
    int i = threadIdx.x;
    memory[i] = values[i];
    for (int size = 2; size <= COUNT; size *= 2)
        for (int distance = size / 2; distance > 0; distance /= 2) {
            __syncthreads();
            int other = i ^ distance;
            if (other > i && (memory[i] > memory[other]) == ((i & size) == 0)) {
                unsigned swap = memory[i];
                memory[i] = memory[other];
                memory[other] = swap;
            }
        }
    __syncthreads();
    values[i] = memory[i];
}

/* One warp for each digit's place: stable, since a warp goes through the values in order. */
__global__ void radix_pass(const unsigned *in, unsigned *out, int shift)
{
    __shared__ int counts[DIGITS];
    int lane = threadIdx.x;
    if (lane < DIGITS)
        counts[lane] = 0;
    __syncwarp();
    for (int i = lane; i < COUNT; i += 32)
        atomicAdd(&counts[in[i] >> shift & (DIGITS - 1)], 1);
    __syncwarp();
    if (lane == 0)
        for (int digit = 0, sum = 0; digit < DIGITS; digit++) {
            int count = counts[digit];
            counts[digit] = sum;
            sum += count;
        }
    __syncwarp();
    for (int i = lane; i < COUNT; i += 32) {
        unsigned value = in[i], digit = value >> shift & (DIGITS - 1);
        unsigned same = __match_any_sync(0xffffffffu, digit);
        int before = __popc(same & ((1u << lane) - 1));
        out[counts[digit] + before] = value;
        __syncwarp();
        if (before == 0)
            counts[digit] += __popc(same);
        __syncwarp();
    }
}

int main()
{
    std::vector<unsigned> host(COUNT), sorted, result(COUNT);
    for (unsigned i = 0; i < COUNT; i++)
        host[i] = i * 2654435761u >> 8;
    sorted = host;
    std::sort(sorted.begin(), sorted.end());
    unsigned *a, *b;
    const size_t bytes = COUNT * sizeof(unsigned);
    CUDA(cudaMalloc(&a, bytes));
    CUDA(cudaMalloc(&b, bytes));
    CUDA(cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice));
    bitonic<<<1, COUNT>>>(a);
    CUDA(cudaMemcpy(result.data(), a, bytes, cudaMemcpyDeviceToHost));
    CHECK(result == sorted);
    CUDA(cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice));
    for (int shift = 0; shift < 24; shift += 4) {
        radix_pass<<<1, 32>>>(a, b, shift);
        std::swap(a, b);
    }
    CUDA(cudaMemcpy(result.data(), a, bytes, cudaMemcpyDeviceToHost));
    CHECK(result == sorted);
    return check_result();
}
