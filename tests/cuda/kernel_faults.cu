// What kernels that go wrong end with. Each does so in a process of its own, for no GPU comes back from that.
#include <spawn.h>
#include <sys/wait.h>

#include "capture.h"

extern char **environ;

__device__ int (*nowhere)(int);

__global__ void write_null(int *) { *(volatile int *)nullptr = 1; }
__global__ void write_far(int *memory) { memory[(size_t)1 << 40] = 1; }
__global__ void read_null(int *memory) { *memory = *(volatile int *)8; }
__global__ void misaligned(int *memory) { *(volatile int *)((char *)memory + 2) = 1; }
__global__ void trap(int *) { __trap(); }
__global__ void shared_far(int *memory)
{
    extern __shared__ int small[];
    ((volatile int *)small)[memory[0] + (10 << 20)] = 1;
}
__global__ void call_null(int *memory) { *memory = nowhere(1); }

/* Those that only the simulator tells apart may hang a GPU or end in any way. */
struct Fault {
    const char *name;
    void (*kernel)(int *);
    cudaError_t expected;
    bool only_simulated;
};

static const Fault faults[] = {
    {"write_null", write_null, cudaErrorIllegalAddress},
    {"write_far", write_far, cudaErrorIllegalAddress},
    {"read_null", read_null, cudaErrorIllegalAddress},
    {"misaligned", misaligned, cudaErrorMisalignedAddress},
    {"trap", trap, cudaErrorLaunchFailure},
    {"shared_far", shared_far, cudaErrorIllegalAddress, true},
    {"call_null", call_null, cudaErrorLaunchFailure, true},
};

static int commit(const char *name)
{
    int *memory;
    CUDA(cudaMalloc(&memory, 256));
    CUDA(cudaMemset(memory, 0, 256));
    for (const Fault &fault : faults)
        if (strcmp(fault.name, name) == 0)
            fault.kernel<<<1, 1>>>(memory);
    CUDA(cudaGetLastError());
    printf("error %d\n", (int)cudaDeviceSynchronize());
    return 0;
}

int main(int count, char **arguments)
{
    if (count > 1)
        return commit(arguments[1]);
    for (const Fault &fault : faults) {
        if (fault.only_simulated && !simulated())
            continue;
        std::string text = captured(1, [&] {
            pid_t child;
            int status;
            char *child_arguments[] = {arguments[0], (char *)fault.name, nullptr};
            CHECK_EQUAL(posix_spawn(&child, arguments[0], nullptr, nullptr, child_arguments, environ), 0);
            waitpid(child, &status, 0);
        });
        int error = 0;
        sscanf(text.c_str(), "error %d", &error);
        if (error != fault.expected)
            printf("%s: %s\n", fault.name, text.c_str());
        CHECK_EQUAL(error, fault.expected);
    }
    return check_result();
}
