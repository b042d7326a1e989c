// A kernel that reads a little beside its allocations, as real programs do: a GPU lets it pass inside of a mapped
// page of 2 MB. Warpbeam does, too, and says so once a line, however often it runs.
#include "capture.h"

__global__ void blur(const int *from, int *to, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = from[i] + from[i + 1]; // the last thread's neighbour is none of ours
}

int main()
{
    enum { COUNT = 1000 };
    int host[COUNT], *from, *to;
    for (int i = 0; i < COUNT; i++)
        host[i] = i;
    CUDA(cudaMalloc(&from, sizeof host));
    CUDA(cudaMalloc(&to, sizeof host));
    CUDA(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
    std::string text = captured(2, [&] {
        for (int round = 0; round < 3; round++)
            blur<<<4, 256>>>(from, to, COUNT);
        CUDA(cudaDeviceSynchronize());
    });
    CUDA(cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT - 1; i++)
        CHECK_EQUAL(host[i], 2 * i + 1);
    if (!simulated())
        return check_result();
    CHECK_EQUAL(host[COUNT - 1], COUNT - 1);
    const size_t first = text.find("warpbeam: kernel 'blur'");
    CHECK(first != std::string::npos);
    CHECK(text.find("warpbeam: kernel", first + 1) == std::string::npos);
    CHECK(contains(text, "the nearest is the allocation of 4000 bytes"));
    CHECK(contains(text, "memory_check=allocation"));
    if (check_failures)
        printf("%s", text.c_str());
    return check_result();
}
