// A program without PTX, for a GPU that is none of ours: launches fail, and Warpbeam says which flag helps.
// nvcc: -gencode arch=compute_75,code=sm_75
#include "capture.h"

__global__ void nothing() {}

int main()
{
    int major;
    CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    if (major == 7 && !simulated()) // a GPU that runs this machine code
        return check_result();
    std::string text = captured(2, [] {
        nothing<<<1, 1>>>();
        LAUNCH_FAILS(cudaErrorNoKernelImageForDevice);
    });
    if (simulated())
        CHECK(contains(text, "-gencode arch=compute_75,code=compute_75"));
    if (check_failures)
        printf("%s", text.c_str());
    return check_result();
}
