// cudaMemset of lines, rectangles and boxes, at once and in streams.
#include <vector>

#include "check.h"

static int count_bytes(const std::vector<unsigned char> &bytes, int value)
{
    int count = 0;
    for (unsigned char byte : bytes)
        count += byte == value;
    return count;
}

int main()
{
    const size_t pitch = 64, height = 10, depth = 4;
    std::vector<unsigned char> host(pitch * height * depth);
    unsigned char *device;
    CUDA(cudaMalloc(&device, host.size()));
    auto fetch = [&] { CUDA(cudaMemcpy(host.data(), device, host.size(), cudaMemcpyDeviceToHost)); };

    CUDA(cudaMemset(device, 0xab, host.size()));
    fetch();
    CHECK_EQUAL(count_bytes(host, 0xab), host.size());
    CUDA(cudaMemset(device + 5, 0x11, 7));
    fetch();
    CHECK_EQUAL(count_bytes(host, 0x11), 7);
    CHECK_EQUAL(host[5], 0x11);
    CHECK_EQUAL(host[12], 0xab);
    CUDA(cudaMemset(device, 0x1234, 1)); // only the low byte counts
    fetch();
    CHECK_EQUAL(host[0], 0x34);

    CUDA(cudaMemset2D(device + 3, pitch, 0x22, 10, height));
    fetch();
    CHECK_EQUAL(count_bytes(host, 0x22), 10 * height);
    CHECK_EQUAL(host[9 * pitch + 12], 0x22);
    CHECK_EQUAL(host[9 * pitch + 13], 0xab);

    cudaPitchedPtr box = make_cudaPitchedPtr(device, pitch, pitch, height);
    CUDA(cudaMemset3D(box, 0x33, make_cudaExtent(8, 3, depth)));
    fetch();
    CHECK_EQUAL(count_bytes(host, 0x33), 8 * 3 * depth);
    CHECK_EQUAL(host[(3 * height + 2) * pitch + 7], 0x33);
    CHECK(host[(3 * height + 3) * pitch + 7] != 0x33);

    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMemsetAsync(device, 0, host.size(), stream));
    CUDA(cudaMemset2DAsync(device, pitch, 0x44, 4, 2, stream));
    CUDA(cudaMemset3DAsync(box, 0x55, make_cudaExtent(2, 1, 2), stream));
    CUDA(cudaStreamSynchronize(stream));
    fetch();
    CHECK_EQUAL(count_bytes(host, 0x44), 6);
    CHECK_EQUAL(count_bytes(host, 0x55), 4);
    CHECK_EQUAL(count_bytes(host, 0), host.size() - 10);
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(device));
    return check_result();
}
