// A program with the static runtime: it works on a GPU, and Warpbeam says which flag helps.
// nvcc: -cudart static
#include "capture.h"

__global__ void answer(int *out) { *out = 42; }

int main()
{
    int *device = nullptr, host = 0;
    cudaError_t error;
    std::string text = captured(2, [&] { error = cudaMalloc(&device, sizeof *device); });
    if (simulated()) {
        CHECK(error != cudaSuccess);
        CHECK(contains(text, "-cudart shared"));
        if (check_failures)
            printf("%s", text.c_str());
        return check_result();
    }
    CUDA(error);
    answer<<<1, 1>>>(device);
    CUDA(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host, 42);
    return check_result();
}
