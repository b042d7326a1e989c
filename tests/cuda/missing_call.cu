// A call that Warpbeam does not have: the program starts, and the call fails with its name.
#include "capture.h"

int main()
{
    std::string text = captured(2, [] {
        cudaExternalSemaphore_t semaphore;
        cudaExternalSemaphoreHandleDesc description = {};
        CHECK(cudaImportExternalSemaphore(&semaphore, &description) != cudaSuccess);
    });
    if (simulated())
        CHECK(contains(text, "cudaImportExternalSemaphore"));
    if (check_failures)
        printf("%s", text.c_str());
    (void)cudaGetLastError();
    void *memory;
    CUDA(cudaMalloc(&memory, 16));
    CUDA(cudaFree(memory));
    return check_result();
}
