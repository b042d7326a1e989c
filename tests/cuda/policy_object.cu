// A policy in a shared object, given to a program by `warpbeam run --policy` and by the environment. With room
// for all warps of a scheduler the example active_set takes turns as lrr does, to the cycle. On a GPU only the
// kernel is checked.
#include <string>
#include <unistd.h>

#include "check.h"

__global__ void mix(unsigned *data, int count)
{
    __shared__ unsigned tile[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = i < count ? data[i] : 0;
    for (int turn = 0; turn < 8; turn++) {
        tile[threadIdx.x] = value * 1664525u + 1013904223u;
        __syncthreads();
        value ^= tile[(threadIdx.x * 7 + turn) % 256];
        __syncthreads();
    }
    if (i < count)
        data[i] = value;
}

enum { COUNT = 16384 };

// Runs the kernel, and prints how long it took.
static void run()
{
    static unsigned host[COUNT], expected[COUNT];
    unsigned *device;
    float milliseconds;
    cudaEvent_t begin, end;
    for (int i = 0; i < COUNT; i++)
        host[i] = expected[i] = i * 2654435761u;
    for (int block = 0; block < COUNT; block += 256)
        for (int turn = 0; turn < 8; turn++) {
            unsigned tile[256];
            for (int t = 0; t < 256; t++)
                tile[t] = expected[block + t] * 1664525u + 1013904223u;
            for (int t = 0; t < 256; t++)
                expected[block + t] ^= tile[(t * 7 + turn) % 256];
        }
    CUDA(cudaMalloc(&device, sizeof host));
    CUDA(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    CUDA(cudaEventRecord(begin));
    mix<<<COUNT / 256, 256>>>(device, COUNT);
    CUDA(cudaEventRecord(end));
    CUDA(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
    CHECK(memcmp(host, expected, sizeof host) == 0);
    printf("%.9g\n", milliseconds);
}

// What a command prints; "": it failed.
static std::string output_of(const std::string &command)
{
    char text[4096];
    FILE *pipe = popen(command.c_str(), "r");
    const size_t length = pipe ? fread(text, 1, sizeof text, pipe) : 0;
    return pipe && pclose(pipe) == 0 ? std::string(text, length) : "";
}

static void compare(const std::string &build, const std::string &self)
{
    const std::string program = "'" + build + "/bin/warpbeam' run --quiet --gpu h200 --set sm_count=2 ";
    const std::string object = build + "/policies/active_set.so", child = " -- '" + self + "' child";
    const std::string policy = "--policy '" + object + "' --set warp_scheduler=active-set ";
    const std::string turns = output_of(program + "--set warp_scheduler=lrr" + child);
    const std::string all = policy + "--set active_set_size=16", few = policy + "--set active_set_size=2";
    CHECK(turns != "");
    CHECK(output_of(program + all + " --threads 1" + child) == turns);
    CHECK(output_of(program + all + " --threads 8" + child) == turns);
    const std::string slow = output_of(program + few + " --threads 1" + child);
    CHECK(slow != "" && slow != turns);
    CHECK(output_of(program + few + " --threads 8" + child) == slow);
    CHECK(output_of("WARPBEAM_GPU=h200 WARPBEAM_POLICY='" + object +
                    "' WARPBEAM_SET='sm_count=2;warp_scheduler=active-set;active_set_size=2' '" + self +
                    "' child") == slow);
}

int main(int argc, char **argv)
{
    run();
    const char *libraries = getenv("LD_LIBRARY_PATH");
    const std::string build = std::string(libraries ? libraries : "") + "/..";
    const bool is_there = access((build + "/policies/active_set.so").c_str(), F_OK) == 0;
    if (argc == 1 && !getenv("WARPBEAM_FUNCTIONAL") && is_there)
        compare(build, argv[0]);
    return argc == 1 ? check_result() : check_failures;
}
