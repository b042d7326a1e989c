// Kernel arguments: many, of odd sizes and alignments, and more than 4 KiB of them.
#include "check.h"

struct Large {
    int values[2500]; // 10,000 bytes
};

struct Odd {
    char bytes[3];
};

struct alignas(16) Aligned {
    float first;
};

__global__ void mixed(char a, double b, short c, Odd d, Aligned e, bool f, long long g, float3 h, double *out)
{
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d.bytes[0] + d.bytes[1] * 10 + d.bytes[2] * 100;
    out[4] = e.first;
    out[5] = f;
    out[6] = (double)g;
    out[7] = h.x + h.y * 10 + h.z * 100;
}

__global__ void large(const __grid_constant__ Large argument, int first, long long *sum)
{
    long long mine = 0;
    for (int i = first + threadIdx.x; i < 2500; i += blockDim.x)
        mine += argument.values[i];
    atomicAdd((unsigned long long *)sum, (unsigned long long)mine);
}

int main()
{
    double *out;
    long long *sum;
    CUDA(cudaMallocManaged(&out, 8 * sizeof *out));
    CUDA(cudaMallocManaged(&sum, sizeof *sum));
    mixed<<<1, 1>>>('x', 0.125, -5, Odd{{1, 2, 3}}, Aligned{2.5f}, true, 1LL << 50, make_float3(1, 2, 3),
                    out);
    CUDA(cudaDeviceSynchronize());
    const double expected[] = {'x', 0.125, -5, 321, 2.5, 1, (double)(1LL << 50), 321};
    for (int i = 0; i < 8; i++)
        CHECK_EQUAL(out[i], expected[i]);

    static Large argument;
    long long all = 0;
    for (int i = 0; i < 2500; i++) {
        argument.values[i] = i * i - 1000;
        all += i >= 7 ? argument.values[i] : 0;
    }
    *sum = 0;
    large<<<1, 128>>>(argument, 7, sum);
    CUDA(cudaGetLastError());
    argument.values[2499] = 0; // the launch has its own copy
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(*sum, all);
    return check_result();
}
