// Children that go wrong end everything, as kernels of the host do. Each does so in a process of its own, for
// no GPU comes back from that.
// nvcc: -rdc=true
#include <cassert>
#include <spawn.h>
#include <sys/wait.h>

#include "capture.h"

extern char **environ;

enum { WRITE_NULL, MISALIGNED, TRAP, ASSERT, NO_FUNCTION, FAULTS };

static const cudaError_t expected[FAULTS] = {cudaErrorIllegalAddress, cudaErrorMisalignedAddress,
                                             cudaErrorLaunchFailure, cudaErrorAssert,
                                             cudaErrorIllegalAddress};

__global__ void child(int fault, char *memory)
{
    if (fault == WRITE_NULL)
        *(volatile int *)nullptr = 1;
    if (fault == MISALIGNED)
        *(volatile int *)(memory + 2) = 1;
    if (fault == TRAP)
        __trap();
    assert(fault != ASSERT);
}

__device__ void (*nothing)(int, char *);

__global__ void parent(int fault, char *memory)
{
    if (fault == NO_FUNCTION)
        nothing<<<1, 1>>>(fault, memory);
    else
        child<<<1, 1>>>(fault, memory);
}

static int commit(int fault)
{
    char *memory;
    CUDA(cudaMalloc(&memory, 256));
    parent<<<1, 1>>>(fault, memory);
    CUDA(cudaGetLastError());
    int error = cudaDeviceSynchronize(), later = cudaMalloc(&memory, 16);
    printf("errors %d %d\n", error, later);
    return 0;
}

int main(int count, char **arguments)
{
    if (count > 1)
        return commit(atoi(arguments[1]));
    for (int fault = 0; fault < FAULTS; fault++) {
        std::string text = captured(1, [&] {
            pid_t process;
            int status;
            char number[2] = {(char)('0' + fault), 0};
            char *again[] = {arguments[0], number, nullptr};
            CHECK_EQUAL(posix_spawn(&process, arguments[0], nullptr, nullptr, again, environ), 0);
            waitpid(process, &status, 0);
        });
        int error = 0, later = 0;
        sscanf(text.c_str(), "errors %d %d", &error, &later);
        CHECK_EQUAL(error, expected[fault]);
        CHECK_EQUAL(later, expected[fault]);
    }
    return check_result();
}
