// printf in children: all of it is there when the host has waited for the parent.
// nvcc: -rdc=true
#include "capture.h"

__global__ void child(int parent, int depth)
{
    printf("grid %d depth %d thread %d\n", parent, depth, threadIdx.x);
    if (depth < 3 && threadIdx.x == 0)
        child<<<1, 2>>>(parent, depth + 1);
}

__global__ void parent() { child<<<1, 2>>>(threadIdx.x, 1); }

int main()
{
    std::string text = captured(1, [] {
        parent<<<1, 3>>>();
        CUDA(cudaDeviceSynchronize());
    });
    size_t length = 0;
    for (int thread = 0; thread < 3; thread++)
        for (int depth = 1; depth <= 3; depth++)
            for (int below = 0; below < 2; below++) {
                char line[100];
                snprintf(line, sizeof line, "grid %d depth %d thread %d\n", thread, depth, below);
                CHECK(contains(text, line));
                length += strlen(line);
            }
    CHECK_EQUAL(text.size(), length);
    return check_result();
}
