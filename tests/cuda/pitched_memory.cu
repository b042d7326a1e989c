// Rows with a pitch: cudaMallocPitch and the 2D copies.
#include <vector>

#include "check.h"

__global__ void number(float *base, size_t pitch, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        ((float *)((char *)base + y * pitch))[x] = y * 1000 + x;
}

int main()
{
    const int width = 77, height = 33;
    const size_t row = width * sizeof(float);
    float *device, *other;
    size_t pitch, other_pitch;
    CUDA(cudaMallocPitch(&device, &pitch, row, height));
    CUDA(cudaMallocPitch(&other, &other_pitch, 2 * row, height));
    CHECK(pitch >= row && pitch % 32 == 0);
    CHECK((size_t)device % 256 == 0);
    number<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(device, pitch, width, height);
    CUDA(cudaGetLastError());

    std::vector<float> host(width * height, -1.0f);
    CUDA(cudaMemcpy2D(host.data(), row, device, pitch, row, height, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            CHECK_EQUAL(host[y * width + x], y * 1000 + x);

    // A window of 10 columns and 5 rows, from (3, 2) to (20, 7) of the other; the rest stays zero.
    CUDA(cudaMemset2D(other, other_pitch, 0, 2 * row, height));
    CUDA(cudaMemcpy2D((char *)other + 7 * other_pitch + 20 * sizeof(float), other_pitch,
                      (char *)device + 2 * pitch + 3 * sizeof(float), pitch, 10 * sizeof(float), 5,
                      cudaMemcpyDeviceToDevice));
    std::vector<float> wide(2 * width * height, -1.0f);
    CUDA(cudaMemcpy2DAsync(wide.data(), 2 * row, other, other_pitch, 2 * row, height, cudaMemcpyDefault));
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < height; y++)
        for (int x = 0; x < 2 * width; x++) {
            bool inside = x >= 20 && x < 30 && y >= 7 && y < 12;
            CHECK_EQUAL(wide[y * 2 * width + x], inside ? (y - 5) * 1000 + x - 17 : 0);
        }

    for (float &value : host)
        value = -value;
    CUDA(cudaMemcpy2D(device, pitch, host.data(), row, row, height, cudaMemcpyHostToDevice));
    float last;
    CUDA(cudaMemcpy(&last, (char *)device + (height - 1) * pitch + (width - 1) * sizeof(float), sizeof last,
                    cudaMemcpyDeviceToHost));
    CHECK_EQUAL(last, -((height - 1) * 1000 + width - 1));

    CUDA_FAILS(cudaErrorInvalidPitchValue,
               cudaMemcpy2D(device, row - 4, host.data(), row, row, height, cudaMemcpyHostToDevice));
    CUDA(cudaFree(device));
    CUDA(cudaFree(other));
    return check_result();
}
