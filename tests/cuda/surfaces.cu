// Surfaces: read and written by kernels in one, two and three dimensions, and read back as textures.
#include "texture.h"

enum { WIDTH = 16, HEIGHT = 8, DEPTH = 3 };

__global__ void write_1d(cudaSurfaceObject_t surface)
{
    surf1Dwrite(make_int2(threadIdx.x, -threadIdx.x), surface, threadIdx.x * sizeof(int2));
}

__global__ void write_2d(cudaSurfaceObject_t surface)
{
    int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite(y * 100.0f + x, surface, x * sizeof(float), y);
    // Outside: nothing happens.
    surf2Dwrite(-1.0f, surface, (x + WIDTH) * sizeof(float), y, cudaBoundaryModeZero);
}

__global__ void increment_2d(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    int x = threadIdx.x, y = threadIdx.y;
    float value = surf2Dread<float>(from, x * sizeof(float), y);
    float outside = surf2Dread<float>(from, (x + WIDTH) * sizeof(float), y, cudaBoundaryModeZero);
    float edge = surf2Dread<float>(from, (x + WIDTH) * sizeof(float), y, cudaBoundaryModeClamp);
    surf2Dwrite(value + 0.5f + outside + edge * 1000, to, x * sizeof(float), y);
}

__global__ void write_3d(cudaSurfaceObject_t surface)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    surf3Dwrite((unsigned short)(z * 1000 + y * 20 + x), surface, x * sizeof(short), y, z);
}

__global__ void read_3d(cudaSurfaceObject_t surface, float *out)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    unsigned short other;
    surf3Dread(&other, surface, (WIDTH - 1 - x) * sizeof(short), y, z);
    out[(z * HEIGHT + y) * WIDTH + x] = other;
}

__global__ void sample(cudaTextureObject_t texture, float *out)
{
    int x = threadIdx.x, y = threadIdx.y;
    out[y * WIDTH + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
}

int main()
{
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<int2>();
    cudaArray_t array, second;
    CUDA(cudaMallocArray(&array, &channel, WIDTH, 0, cudaArraySurfaceLoadStore));
    cudaSurfaceObject_t surface = surface_of(array);
    write_1d<<<1, WIDTH>>>(surface);
    int2 pairs[WIDTH];
    CUDA(cudaMemcpy2DFromArray(pairs, sizeof pairs, array, 0, 0, sizeof pairs, 1, cudaMemcpyDeviceToHost));
    for (int i = 0; i < WIDTH; i++)
        CHECK(pairs[i].x == i && pairs[i].y == -i);
    CUDA(cudaDestroySurfaceObject(surface));
    CUDA(cudaFreeArray(array));

    std::vector<float> result(WIDTH * HEIGHT * DEPTH);
    float *out;
    CUDA(cudaMalloc(&out, result.size() * sizeof(float)));
    channel = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocArray(&array, &channel, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    CUDA(cudaMallocArray(&second, &channel, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    surface = surface_of(array);
    cudaSurfaceObject_t other = surface_of(second);
    write_2d<<<1, dim3(WIDTH, HEIGHT)>>>(surface);
    increment_2d<<<1, dim3(WIDTH, HEIGHT)>>>(surface, other);
    cudaTextureObject_t texture =
        texture_of(second, texture_description(cudaAddressModeClamp, cudaFilterModePoint, false));
    sample<<<1, dim3(WIDTH, HEIGHT)>>>(texture, out);
    CUDA(cudaMemcpy(result.data(), out, WIDTH * HEIGHT * sizeof(float), cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            CHECK_EQUAL(result[y * WIDTH + x], y * 100 + x + 0.5f + (y * 100 + WIDTH - 1) * 1000);
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaDestroySurfaceObject(surface));
    CUDA(cudaDestroySurfaceObject(other));
    CUDA(cudaFreeArray(array));
    CUDA(cudaFreeArray(second));

    channel = cudaCreateChannelDesc<unsigned short>();
    CUDA(cudaMalloc3DArray(&array, &channel, make_cudaExtent(WIDTH, HEIGHT, DEPTH),
                           cudaArraySurfaceLoadStore));
    surface = surface_of(array);
    write_3d<<<DEPTH, dim3(WIDTH, HEIGHT)>>>(surface);
    read_3d<<<DEPTH, dim3(WIDTH, HEIGHT)>>>(surface, out);
    CUDA(cudaMemcpy(result.data(), out, result.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < (int)result.size(); i++)
        CHECK_EQUAL(result[i], i / (WIDTH * HEIGHT) * 1000 + i / WIDTH % HEIGHT * 20 + WIDTH - 1 - i % WIDTH);
    CUDA(cudaDestroySurfaceObject(surface));
    CUDA(cudaFreeArray(array));
    return check_result();
}
