// Arguments of children: mixed sizes with their alignment, large structures, and none at all.
// nvcc: -rdc=true
#include "check.h"

struct Large {
    int first;
    double values[400];
    char last;
};

struct Larger {
    int values[5000]; // 20,000 bytes
};

struct alignas(16) Vector {
    float x, y, z, w;
};

__device__ int without_arguments;

__global__ void nothing() { atomicAdd(&without_arguments, 1); }

__global__ void mixed(char a, double b, short c, Vector d, int e, float2 f, bool g, double *out)
{
    out[0] = a, out[1] = b, out[2] = c, out[3] = d.x + d.w, out[4] = e, out[5] = f.y, out[6] = g;
}

__global__ void sum(Large large, double *out)
{
    double total = large.first + large.last;
    for (int i = 0; i < 400; i++)
        total += large.values[i];
    out[7] = total;
}

__global__ void sum_larger(Larger larger, double *out)
{
    out[8] = larger.values[0] + larger.values[2500] + larger.values[4999];
}

__global__ void make_larger(double *out)
{
    Larger larger;
    for (int i = 0; i < 5000; i++)
        larger.values[i] = i + 1;
    sum_larger<<<1, 1>>>(larger, out);
}

// Handed down by value through two levels.
__global__ void hand_down(Large large, double *out)
{
    large.first++;
    sum<<<1, 1>>>(large, out);
}

__global__ void parent(Large large, double *out)
{
    mixed<<<1, 1>>>(-3, 2.5, 300, Vector{1, 2, 3, 4}, 1 << 20, make_float2(5, 6), true, out);
    large.values[7] += 1000;
    hand_down<<<1, 1>>>(large, out);
    nothing<<<3, 5>>>();
}

int main()
{
    Large large;
    double *out, total = 0;
    CUDA(cudaMallocManaged(&out, 9 * sizeof *out));
    large.first = 10, large.last = 20;
    for (int i = 0; i < 400; i++)
        total += large.values[i] = i * 0.25;
    parent<<<1, 1>>>(large, out);
    make_larger<<<1, 1>>>(out);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    const double expected[9] = {-3, 2.5, 300, 5, 1 << 20, 6, 1, total + 1000 + 31,
                                1 + 2501 + 5000};
    for (int i = 0; i < 9; i++)
        CHECK_EQUAL(out[i], expected[i]);
    int count;
    CUDA(cudaMemcpyFromSymbol(&count, without_arguments, sizeof count));
    CHECK_EQUAL(count, 15);
    return check_result();
}
