// Boxes of memory: cudaMalloc3D and cudaMemcpy3D with positions and extents.
#include <vector>

#include "check.h"

enum { WIDTH = 20, HEIGHT = 9, DEPTH = 5 };

__global__ void number(cudaPitchedPtr box)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    char *slice = (char *)box.ptr + z * box.pitch * HEIGHT;
    ((int *)(slice + y * box.pitch))[x] = z * 10000 + y * 100 + x;
}

int main()
{
    cudaExtent extent = make_cudaExtent(WIDTH * sizeof(int), HEIGHT, DEPTH);
    cudaPitchedPtr box, second;
    CUDA(cudaMalloc3D(&box, extent));
    CUDA(cudaMalloc3D(&second, extent));
    CHECK(box.pitch >= WIDTH * sizeof(int));
    CHECK_EQUAL(box.xsize, WIDTH * sizeof(int));
    CHECK_EQUAL(box.ysize, HEIGHT);
    number<<<DEPTH, dim3(WIDTH, HEIGHT)>>>(box);
    CUDA(cudaGetLastError());

    std::vector<int> host(WIDTH * HEIGHT * DEPTH, -1);
    cudaMemcpy3DParms out = {};
    out.srcPtr = box;
    out.dstPtr = make_cudaPitchedPtr(host.data(), WIDTH * sizeof(int), WIDTH * sizeof(int), HEIGHT);
    out.extent = extent;
    out.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&out));
    for (int i = 0; i < WIDTH * HEIGHT * DEPTH; i++)
        CHECK_EQUAL(host[i], i / (WIDTH * HEIGHT) * 10000 + i / WIDTH % HEIGHT * 100 + i % WIDTH);

    // A smaller box from (2, 1, 1) to (5, 3, 2).
    CUDA(cudaMemset3D(second, 0, extent));
    cudaMemcpy3DParms part = {};
    part.srcPtr = box;
    part.srcPos = make_cudaPos(2 * sizeof(int), 1, 1);
    part.dstPtr = second;
    part.dstPos = make_cudaPos(5 * sizeof(int), 3, 2);
    part.extent = make_cudaExtent(4 * sizeof(int), 3, 2);
    part.kind = cudaMemcpyDeviceToDevice;
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMemcpy3DAsync(&part, stream));
    out.srcPtr = second;
    CUDA(cudaMemcpy3DAsync(&out, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                bool inside = x >= 5 && x < 9 && y >= 3 && y < 6 && z >= 2 && z < 4;
                CHECK_EQUAL(host[(z * HEIGHT + y) * WIDTH + x],
                            inside ? (z - 1) * 10000 + (y - 2) * 100 + x - 3 : 0);
            }
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(box.ptr));
    CUDA(cudaFree(second.ptr));
    return check_result();
}
