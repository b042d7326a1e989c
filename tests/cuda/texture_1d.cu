// Textures of one dimension: plain memory by index, arrays by coordinate, integers read as fractions.
#include "texture.h"

__global__ void fetch(cudaTextureObject_t texture, float *out, int count)
{
    int i = threadIdx.x;
    if (i < count)
        out[i] = tex1Dfetch<float>(texture, i);
}

__global__ void fetch_vector(cudaTextureObject_t texture, float4 *out, int count)
{
    int i = threadIdx.x;
    if (i < count)
        out[i] = tex1Dfetch<float4>(texture, i);
}

__global__ void sample(cudaTextureObject_t texture, float *out, const float *x, int count)
{
    int i = threadIdx.x;
    if (i < count)
        out[i] = tex1D<float>(texture, x[i]);
}

__global__ void sample_int2(cudaTextureObject_t texture, int2 *out)
{
    out[threadIdx.x] = tex1D<int2>(texture, threadIdx.x + 0.5f);
}

int main()
{
    enum { COUNT = 64 };
    std::vector<float> data(COUNT), result(COUNT);
    for (int i = 0; i < COUNT; i++)
        data[i] = 16.0f * i;
    float *memory, *out, *coordinates;
    CUDA(cudaMalloc(&memory, COUNT * sizeof(float)));
    CUDA(cudaMalloc(&out, COUNT * sizeof(float4)));
    CUDA(cudaMalloc(&coordinates, COUNT * sizeof(float)));
    CUDA(cudaMemcpy(memory, data.data(), COUNT * sizeof(float), cudaMemcpyHostToDevice));

    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = COUNT * sizeof(float);
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    CUDA(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    fetch<<<1, 64>>>(texture, out, COUNT);
    CUDA(cudaMemcpy(result.data(), out, COUNT * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++)
        CHECK_EQUAL(result[i], data[i]);
    CUDA(cudaDestroyTextureObject(texture));

    // Bytes as fractions of one.
    unsigned char bytes[COUNT][4];
    for (int i = 0; i < COUNT; i++)
        for (int c = 0; c < 4; c++)
            bytes[i][c] = i * 4 + c;
    CUDA(cudaMemcpy(memory, bytes, sizeof bytes, cudaMemcpyHostToDevice));
    resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    description.readMode = cudaReadModeNormalizedFloat;
    CUDA(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    fetch_vector<<<1, 64>>>(texture, (float4 *)out, COUNT);
    std::vector<float4> vectors(COUNT);
    CUDA(cudaMemcpy(vectors.data(), out, COUNT * sizeof(float4), cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++) {
        CHECK(fabsf(vectors[i].x - bytes[i][0] / 255.0f) < 1e-6f);
        CHECK(fabsf(vectors[i].w - bytes[i][3] / 255.0f) < 1e-6f);
    }
    CUDA(cudaDestroyTextureObject(texture));

    // An array, filtered, at eighths of its elements, in every addressing mode.
    cudaArray_t array;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocArray(&array, &channel, COUNT));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, data.data(), COUNT * 4, COUNT * 4, 1, cudaMemcpyHostToDevice));
    const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                            cudaAddressModeBorder};
    for (cudaTextureAddressMode mode : modes) {
        std::vector<float> x(COUNT);
        for (int i = 0; i < COUNT; i++)
            x[i] = (i * 25 - 600 + 1) / 8.0f / COUNT;
        CUDA(cudaMemcpy(coordinates, x.data(), COUNT * sizeof(float), cudaMemcpyHostToDevice));
        description = texture_description(cudaAddressModeClamp, cudaFilterModeLinear, true);
        description.addressMode[0] = mode;
        texture = texture_of(array, description);
        sample<<<1, 64>>>(texture, out, coordinates, COUNT);
        CUDA(cudaMemcpy(result.data(), out, COUNT * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < COUNT; i++) {
            Taps t = taps(x[i], COUNT, description, 0);
            float a = t.first < 0 ? 0 : data[t.first], b = t.second < 0 ? 0 : data[t.second];
            CHECK_EQUAL(result[i], a * (1 - t.weight) + b * t.weight);
        }
        CUDA(cudaDestroyTextureObject(texture));
    }
    CUDA(cudaFreeArray(array));

    // Integers of two channels, exactly.
    channel = cudaCreateChannelDesc<int2>();
    CUDA(cudaMallocArray(&array, &channel, 32));
    int2 pairs[32];
    for (int i = 0; i < 32; i++)
        pairs[i] = {i - 16, 1 << i};
    CUDA(cudaMemcpy2DToArray(array, 0, 0, pairs, sizeof pairs, sizeof pairs, 1, cudaMemcpyHostToDevice));
    texture = texture_of(array, texture_description(cudaAddressModeClamp, cudaFilterModePoint, false));
    sample_int2<<<1, 32>>>(texture, (int2 *)out);
    int2 read[32];
    CUDA(cudaMemcpy(read, out, sizeof read, cudaMemcpyDeviceToHost));
    CHECK(memcmp(read, pairs, sizeof read) == 0);
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeArray(array));
    return check_result();
}
