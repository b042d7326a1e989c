// A kernel that uses memory after it was freed: on a GPU anything may happen, Warpbeam says what did.
#include "capture.h"

__global__ void use_after_free(int *memory) { memory[5] = 1; }

int main()
{
    int *memory;
    CUDA(cudaMalloc(&memory, 4096));
    CUDA(cudaFree(memory));
    if (!simulated())
        return check_result();
    std::string text = captured(2, [&] {
        use_after_free<<<1, 1>>>(memory);
        CHECK_EQUAL(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    });
    char address[32];
    snprintf(address, sizeof address, "%llx", (unsigned long long)(size_t)(memory + 5));
    CHECK(contains(text, "use_after_free"));
    CHECK(contains(text, address));
    if (check_failures)
        printf("%s", text.c_str());
    return check_result();
}
