// Cube maps: a direction picks a face and a place on it; and cubes in layers.
#include "texture.h"

enum { SIZE = 8, FACES = 6, CUBES = 2 };

/* The direction to the centre of an element, as CUDA orders faces and their axes. */
static __host__ __device__ float3 direction(int face, int i, int j)
{
    float s = 2 * (i + 0.5f) / SIZE - 1, t = 2 * (j + 0.5f) / SIZE - 1;
    switch (face) {
    case 0:
        return make_float3(1, -t, -s);
    case 1:
        return make_float3(-1, -t, s);
    case 2:
        return make_float3(s, 1, t);
    case 3:
        return make_float3(s, -1, -t);
    case 4:
        return make_float3(s, -t, 1);
    default:
        return make_float3(-s, -t, -1);
    }
}

__global__ void sample(cudaTextureObject_t texture, float *out, float scale)
{
    int i = threadIdx.x, j = threadIdx.y, face = blockIdx.x;
    float3 d = direction(face, i, j);
    out[(face * SIZE + j) * SIZE + i] = texCubemap<float>(texture, scale * d.x, scale * d.y, scale * d.z);
}

__global__ void sample_layered(cudaTextureObject_t texture, float *out)
{
    int i = threadIdx.x, j = threadIdx.y, face = blockIdx.x, cube = blockIdx.y;
    float3 d = direction(face, i, j);
    out[((cube * FACES + face) * SIZE + j) * SIZE + i] =
        texCubemapLayered<float>(texture, d.x, d.y, d.z, cube);
}

static cudaArray_t cube_array(const std::vector<float> &data, int faces, unsigned flags)
{
    cudaArray_t array;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    CUDA(cudaMalloc3DArray(&array, &channel, make_cudaExtent(SIZE, SIZE, faces), flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr((void *)data.data(), SIZE * sizeof(float), SIZE, SIZE);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(SIZE, SIZE, faces);
    copy.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&copy));
    return array;
}

int main()
{
    std::vector<float> data(CUBES * FACES * SIZE * SIZE), result(data.size());
    for (size_t i = 0; i < data.size(); i++)
        data[i] = i;
    const size_t one = FACES * SIZE * SIZE;
    float *out;
    CUDA(cudaMalloc(&out, data.size() * sizeof(float)));
    cudaTextureDesc description = texture_description(cudaAddressModeClamp, cudaFilterModePoint, true);

    cudaArray_t array = cube_array(data, FACES, cudaArrayCubemap);
    cudaTextureObject_t texture = texture_of(array, description);
    for (float scale : {1.0f, 0.25f, 16.0f}) { // only the direction counts
        CUDA(cudaMemset(out, 0, one * sizeof(float)));
        sample<<<FACES, dim3(SIZE, SIZE)>>>(texture, out, scale);
        CUDA(cudaMemcpy(result.data(), out, one * sizeof(float), cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < one; i++)
            CHECK_EQUAL(result[i], data[i]);
    }
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeArray(array));

    array = cube_array(data, CUBES * FACES, cudaArrayCubemap | cudaArrayLayered);
    texture = texture_of(array, description);
    sample_layered<<<dim3(FACES, CUBES), dim3(SIZE, SIZE)>>>(texture, out);
    CUDA(cudaMemcpy(result.data(), out, data.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < data.size(); i++)
        CHECK_EQUAL(result[i], data[i]);
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeArray(array));
    return check_result();
}
