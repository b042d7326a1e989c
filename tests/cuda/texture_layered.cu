// Layered textures of one and two dimensions: layers are never mixed.
#include "texture.h"

enum { WIDTH = 16, HEIGHT = 4, LAYERS = 5 };

__global__ void sample_2d(cudaTextureObject_t texture, float *out)
{
    int x = threadIdx.x, y = threadIdx.y, layer = blockIdx.x;
    out[(layer * HEIGHT + y) * WIDTH + x] = tex2DLayered<float>(texture, x + 1.0f, y + 0.5f, layer);
}

__global__ void sample_1d(cudaTextureObject_t texture, float2 *out)
{
    out[blockIdx.x * WIDTH + threadIdx.x] =
        tex1DLayered<float2>(texture, (threadIdx.x + 0.5f) / WIDTH, blockIdx.x);
}

static cudaArray_t layered(const void *data, cudaChannelFormatDesc channel, int height, size_t element)
{
    cudaArray_t array;
    cudaExtent extent = make_cudaExtent(WIDTH, height, LAYERS);
    CUDA(cudaMalloc3DArray(&array, &channel, extent, cudaArrayLayered));
    int rows = height ? height : 1;
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr((void *)data, WIDTH * element, WIDTH, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(WIDTH, rows, LAYERS);
    copy.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&copy));
    return array;
}

int main()
{
    std::vector<float> data(WIDTH * HEIGHT * LAYERS), result(data.size());
    for (size_t i = 0; i < data.size(); i++)
        data[i] = (i * 41 % 89) * 32.0f;
    float *out;
    CUDA(cudaMalloc(&out, data.size() * sizeof(float)));

    cudaArray_t array = layered(data.data(), cudaCreateChannelDesc<float>(), HEIGHT, sizeof(float));
    cudaTextureObject_t texture =
        texture_of(array, texture_description(cudaAddressModeClamp, cudaFilterModeLinear, false));
    sample_2d<<<LAYERS, dim3(WIDTH, HEIGHT)>>>(texture, out);
    CUDA(cudaMemcpy(result.data(), out, data.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < (int)data.size(); i++) {
        int next = i % WIDTH == WIDTH - 1 ? i : i + 1; // halfway to the right neighbour
        CHECK_EQUAL(result[i], 0.5f * (data[i] + data[next]));
    }
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeArray(array));

    array = layered(data.data(), cudaCreateChannelDesc<float2>(), 0, sizeof(float2));
    texture = texture_of(array, texture_description(cudaAddressModeWrap, cudaFilterModePoint, true));
    sample_1d<<<LAYERS, WIDTH>>>(texture, (float2 *)out);
    CUDA(cudaMemcpy(result.data(), out, data.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2 * WIDTH * LAYERS; i++)
        CHECK_EQUAL(result[i], data[i]);
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeArray(array));
    return check_result();
}
