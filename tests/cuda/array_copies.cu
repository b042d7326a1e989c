// Copies to, from and between arrays, by bytes, rectangles and boxes.
// nvcc: -Wno-deprecated-declarations
#include "texture.h"

enum { WIDTH = 16, HEIGHT = 6 };

int main()
{
    short image[HEIGHT][WIDTH], back[HEIGHT][WIDTH];
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        image[i / WIDTH][i % WIDTH] = 3 * i - 50;
    const size_t row = sizeof image[0];
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<short>();
    CHECK(channel.x == 16 && channel.y == 0 && channel.f == cudaChannelFormatKindSigned);
    cudaArray_t array, other;
    CUDA(cudaMallocArray(&array, &channel, WIDTH, HEIGHT));
    CUDA(cudaMallocArray(&other, &channel, WIDTH, HEIGHT));

    // As one run of bytes, which goes on in the next row.
    CUDA(cudaMemcpyToArray(array, 0, 0, image, sizeof image, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpyFromArray(back, array, 0, 0, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(memcmp(back, image, sizeof back) == 0);
    CUDA(cudaMemcpyToArray(other, 0, 0, image, sizeof image, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpyToArray(other, row - 4, 1, image, 8, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpyFromArray(back, other, 0, 0, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(back[1][WIDTH - 2] == image[0][0] && back[1][WIDTH - 1] == image[0][1]);
    CHECK(back[2][0] == image[0][2] && back[2][1] == image[0][3] && back[2][2] == image[2][2]);

    // A rectangle of 5 by 3 from device memory, between arrays, and out again.
    short *device;
    CUDA(cudaMalloc(&device, sizeof image));
    CUDA(cudaMemset(device, 0x11, sizeof image));
    CUDA(cudaMemcpy2DToArray(array, 4, 1, device, row, 10, 3, cudaMemcpyDeviceToDevice));
    CUDA(cudaMemcpy2DArrayToArray(other, 0, 0, array, 2, 0, 14, 5, cudaMemcpyDeviceToDevice));
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMemcpy2DFromArrayAsync(back, row, other, 0, 0, row, HEIGHT, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 7; x++) {
            bool inside = x >= 1 && x < 6 && y >= 1 && y < 4;
            CHECK_EQUAL(back[y][x], inside ? 0x1111 : image[y][x + 1]);
        }

    // From array to array as a box; positions are in elements there.
    cudaMemcpy3DParms box = {};
    box.srcArray = array;
    box.srcPos = make_cudaPos(2, 1, 0);
    box.dstArray = other;
    box.dstPos = make_cudaPos(10, 4, 0);
    box.extent = make_cudaExtent(3, 2, 1);
    box.kind = cudaMemcpyDeviceToDevice;
    CUDA(cudaMemcpy3D(&box));
    CUDA(cudaMemcpy2DFromArray(back, row, other, 20, 4, 6, 2, cudaMemcpyDeviceToHost));
    CHECK(back[0][0] == 0x1111 && back[1][2] == 0x1111);

    CUDA_FAILS(cudaErrorInvalidValue,
               cudaMemcpy2DToArray(array, 0, 0, image, row, row + 2, 1, cudaMemcpyHostToDevice));
    CUDA_FAILS(cudaErrorInvalidValue,
               cudaMemcpy2DToArray(array, 0, 4, image, row, row, 3, cudaMemcpyHostToDevice));
    CUDA(cudaFreeArray(array));
    CUDA(cudaFreeArray(other));
    CUDA(cudaFreeArray(nullptr));
    CUDA(cudaStreamDestroy(stream));
    return check_result();
}
