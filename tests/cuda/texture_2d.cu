// Textures of two dimensions: every addressing mode, nearest and filtered, arrays and pitched memory.
#include "texture.h"

enum { WIDTH = 16, HEIGHT = 8, SAMPLES = 24 };

__global__ void sample(cudaTextureObject_t texture, float *out, float2 origin, float2 step)
{
    int i = threadIdx.x, j = threadIdx.y;
    out[j * SAMPLES + i] = tex2D<float>(texture, origin.x + i * step.x, origin.y + j * step.y);
}

__global__ void sample_bytes(cudaTextureObject_t texture, uchar4 *out)
{
    int i = threadIdx.x, j = threadIdx.y;
    out[j * WIDTH + i] = tex2D<uchar4>(texture, i + 0.5f, j + 0.5f);
}

static void check_samples(cudaTextureObject_t texture, const cudaTextureDesc &description,
                          const std::vector<float> &image, float *out)
{
    // From left of the image to right of it, never on the edge of an element.
    float2 origin = {-6.875f, -4.875f}, step = {1.25f, 0.75f};
    if (description.normalizedCoords) {
        origin = {origin.x / WIDTH, origin.y / HEIGHT};
        step = {step.x / WIDTH, step.y / HEIGHT};
    }
    std::vector<float> result(SAMPLES * SAMPLES);
    sample<<<1, dim3(SAMPLES, SAMPLES)>>>(texture, out, origin, step);
    CUDA(cudaMemcpy(result.data(), out, result.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int j = 0; j < SAMPLES; j++)
        for (int i = 0; i < SAMPLES; i++)
            CHECK_EQUAL(result[j * SAMPLES + i], expected_2d(image, WIDTH, HEIGHT, origin.x + i * step.x,
                                                             origin.y + j * step.y, description));
}

int main()
{
    std::vector<float> image(WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        image[i] = (i * 37 % 101) * 64.0f;
    float *out;
    CUDA(cudaMalloc(&out, SAMPLES * SAMPLES * sizeof(float)));
    cudaArray_t array;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocArray(&array, &channel, WIDTH, HEIGHT));
    CUDA(
        cudaMemcpy2DToArray(array, 0, 0, image.data(), WIDTH * 4, WIDTH * 4, HEIGHT, cudaMemcpyHostToDevice));
    const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                            cudaAddressModeBorder};
    for (cudaTextureAddressMode mode : modes)
        for (cudaTextureFilterMode filter : {cudaFilterModePoint, cudaFilterModeLinear})
            for (bool normalized : {false, true}) {
                cudaTextureDesc description = texture_description(mode, filter, normalized);
                cudaTextureObject_t texture = texture_of(array, description);
                check_samples(texture, description, image, out);
                CUDA(cudaDestroyTextureObject(texture));
            }

    // The same image in pitched memory.
    float *memory;
    size_t pitch;
    CUDA(cudaMallocPitch(&memory, &pitch, WIDTH * 4, HEIGHT));
    CUDA(cudaMemcpy2D(memory, pitch, image.data(), WIDTH * 4, WIDTH * 4, HEIGHT, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = channel;
    resource.res.pitch2D.width = WIDTH;
    resource.res.pitch2D.height = HEIGHT;
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc description = texture_description(cudaAddressModeClamp, cudaFilterModeLinear, true);
    cudaTextureObject_t texture;
    CUDA(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    check_samples(texture, description, image, out);
    cudaResourceDesc back;
    cudaTextureDesc description_back;
    CUDA(cudaGetTextureObjectResourceDesc(&back, texture));
    CHECK(back.resType == cudaResourceTypePitch2D && back.res.pitch2D.devPtr == memory);
    CUDA(cudaGetTextureObjectTextureDesc(&description_back, texture));
    CHECK_EQUAL(description_back.filterMode, cudaFilterModeLinear);
    CUDA(cudaDestroyTextureObject(texture));

    // Bytes stay bytes when they are read as elements; copies within and out of arrays.
    cudaArray_t bytes, copy;
    channel = cudaCreateChannelDesc<uchar4>();
    CUDA(cudaMallocArray(&bytes, &channel, WIDTH, HEIGHT));
    CUDA(cudaMallocArray(&copy, &channel, WIDTH, HEIGHT));
    CUDA(
        cudaMemcpy2DToArray(bytes, 0, 0, image.data(), WIDTH * 4, WIDTH * 4, HEIGHT, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy2DArrayToArray(copy, 0, 0, bytes, 0, 0, WIDTH * 4, HEIGHT, cudaMemcpyDeviceToDevice));
    texture = texture_of(copy, texture_description(cudaAddressModeClamp, cudaFilterModePoint, false));
    sample_bytes<<<1, dim3(WIDTH, HEIGHT)>>>(texture, (uchar4 *)out);
    std::vector<float> result(WIDTH * HEIGHT);
    CUDA(cudaMemcpy(result.data(), out, result.size() * 4, cudaMemcpyDeviceToHost));
    CHECK(memcmp(result.data(), image.data(), result.size() * 4) == 0);
    CUDA(cudaMemcpy2DFromArray(result.data(), 8, copy, 4, 2, 8, 3, cudaMemcpyDeviceToHost));
    CHECK(result[0] == image[2 * WIDTH + 1] && result[5] == image[4 * WIDTH + 2]);
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeArray(array));
    CUDA(cudaFreeArray(bytes));
    CUDA(cudaFreeArray(copy));
    return check_result();
}
