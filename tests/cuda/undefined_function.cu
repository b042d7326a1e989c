// A kernel that calls a device function that nobody defines: the launch fails with its name.
#include "capture.h"

extern "C" __device__ int nobody_defines_this(int value);

__global__ void call(int *out) { *out = nobody_defines_this(3); }

int main()
{
    int *out;
    CUDA(cudaMalloc(&out, sizeof *out));
    std::string text = captured(2, [&] {
        call<<<1, 1>>>(out);
        CHECK(cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess);
    });
    if (simulated())
        CHECK(contains(text, "nobody_defines_this"));
    if (check_failures)
        printf("%s", text.c_str());
    return check_result();
}
