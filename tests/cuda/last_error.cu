// The last error: kept for the thread until it is asked for; and the names and texts of errors.
#include <thread>

#include "check.h"

__global__ void nothing() {}

int main()
{
    CHECK_EQUAL(cudaGetLastError(), cudaSuccess);
    void *memory;
    CHECK_EQUAL(cudaFree((void *)0x10), cudaErrorInvalidValue);
    CHECK_EQUAL(cudaPeekAtLastError(), cudaErrorInvalidValue);
    CUDA(cudaMalloc(&memory, 16)); // success does not erase it
    CHECK_EQUAL(cudaPeekAtLastError(), cudaErrorInvalidValue);
    std::thread other([] { CHECK_EQUAL(cudaGetLastError(), cudaSuccess); });
    other.join();
    CHECK_EQUAL(cudaMalloc(&memory, (size_t)1 << 50), cudaErrorMemoryAllocation); // a later one replaces it
    CHECK_EQUAL(cudaGetLastError(), cudaErrorMemoryAllocation);
    CHECK_EQUAL(cudaGetLastError(), cudaSuccess);
    CHECK_EQUAL(cudaPeekAtLastError(), cudaSuccess);
    nothing<<<1, 5000>>>(); // launches have no other way to say it
    LAUNCH_IS_REFUSED();
    nothing<<<1, 1>>>();
    CHECK_EQUAL(cudaGetLastError(), cudaSuccess);
    CUDA(cudaDeviceSynchronize());

    CHECK(strcmp(cudaGetErrorName(cudaSuccess), "cudaSuccess") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
    CHECK(strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered") ==
          0);
    CHECK(strcmp(cudaGetErrorString(cudaErrorInvalidConfiguration), "invalid configuration argument") == 0);
    CHECK(strcmp(cudaGetErrorName(cudaErrorAssert), "cudaErrorAssert") == 0);
    CHECK(strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code") == 0);
    CHECK(strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code") == 0);
    return check_result();
}
