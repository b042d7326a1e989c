// Textures of three dimensions, nearest and filtered.
#include "texture.h"

enum { WIDTH = 8, HEIGHT = 6, DEPTH = 4 };

__global__ void sample(cudaTextureObject_t texture, float *out, float offset)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    out[(z * HEIGHT + y) * WIDTH + x] = tex3D<float>(texture, x + offset, y + offset, z + offset);
}

int main()
{
    const int count = WIDTH * HEIGHT * DEPTH;
    std::vector<float> volume(count), result(count);
    for (int i = 0; i < count; i++)
        volume[i] = (i * 53 % 97) * 512.0f;
    cudaArray_t array;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaExtent extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
    CUDA(cudaMalloc3DArray(&array, &channel, extent));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(volume.data(), WIDTH * sizeof(float), WIDTH, HEIGHT);
    copy.dstArray = array;
    copy.extent = extent; // elements, as an array is part of it
    copy.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&copy));
    cudaChannelFormatDesc channel_back;
    cudaExtent extent_back;
    unsigned flags;
    CUDA(cudaArrayGetInfo(&channel_back, &extent_back, &flags, array));
    CHECK(extent_back.width == WIDTH && extent_back.height == HEIGHT && extent_back.depth == DEPTH);
    CHECK_EQUAL(channel_back.x, 32);

    float *out;
    CUDA(cudaMalloc(&out, count * sizeof(float)));
    cudaTextureDesc description = texture_description(cudaAddressModeClamp, cudaFilterModePoint, false);
    cudaTextureObject_t texture = texture_of(array, description);
    sample<<<1, dim3(WIDTH, HEIGHT, DEPTH)>>>(texture, out, 0.5f);
    CUDA(cudaMemcpy(result.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(result == volume);
    CUDA(cudaDestroyTextureObject(texture));

    // A quarter of the way to the next element in every direction.
    description.filterMode = cudaFilterModeLinear;
    texture = texture_of(array, description);
    sample<<<1, dim3(WIDTH, HEIGHT, DEPTH)>>>(texture, out, 0.75f);
    CUDA(cudaMemcpy(result.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) {
        int x = i % WIDTH, y = i / WIDTH % HEIGHT, z = i / WIDTH / HEIGHT;
        float sum = 0;
        for (int corner = 0; corner < 8; corner++) {
            int right = corner & 1, down = corner >> 1 & 1, back = corner >> 2;
            int from = addressed(x + right, WIDTH, cudaAddressModeClamp) +
                       WIDTH * (addressed(y + down, HEIGHT, cudaAddressModeClamp) +
                                HEIGHT * addressed(z + back, DEPTH, cudaAddressModeClamp));
            sum += volume[from] * (right ? 0.25f : 0.75f) * (down ? 0.25f : 0.75f) * (back ? 0.25f : 0.75f);
        }
        CHECK_EQUAL(result[i], sum);
    }
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeArray(array));
    return check_result();
}
