// Arrays, textures and surfaces of the driver API, read by a kernel.
// nvcc: -lcuda
#include "check_driver.h"

enum { WIDTH = 8, HEIGHT = 4 };

__global__ void sample(cudaTextureObject_t texture, float *out)
{
    out[threadIdx.y * WIDTH + threadIdx.x] = tex2D<float>(texture, threadIdx.x + 1.0f, threadIdx.y + 0.5f);
}

__global__ void write(cudaSurfaceObject_t surface)
{
    surf2Dwrite(threadIdx.x + 100.0f * threadIdx.y, surface, threadIdx.x * 4, threadIdx.y);
}

int main()
{
    CUDA(cudaFree(nullptr));
    CUdevice device;
    int peer = 1;
    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    CU(cuDeviceCanAccessPeer(&peer, device, device));
    CHECK_EQUAL(peer, 0);

    CUDA_ARRAY3D_DESCRIPTOR shape = {};
    shape.Width = WIDTH;
    shape.Height = HEIGHT;
    shape.Format = CU_AD_FORMAT_FLOAT;
    shape.NumChannels = 1;
    shape.Flags = CUDA_ARRAY3D_SURFACE_LDST;
    CUarray array;
    CU(cuArray3DCreate(&array, &shape));
    CUDA_ARRAY_DESCRIPTOR back;
    CU(cuArrayGetDescriptor(&back, array));
    CHECK(back.Width == WIDTH && back.Height == HEIGHT && back.Format == CU_AD_FORMAT_FLOAT);

    CUDA_RESOURCE_DESC resource = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    CUsurfObject surface;
    CU(cuSurfObjectCreate(&surface, &resource));
    write<<<1, dim3(WIDTH, HEIGHT)>>>(surface);
    CUDA(cudaDeviceSynchronize());
    CU(cuSurfObjectDestroy(surface));

    CUDA_TEXTURE_DESC how = {};
    for (CUaddress_mode &mode : how.addressMode)
        mode = CU_TR_ADDRESS_MODE_CLAMP;
    how.filterMode = CU_TR_FILTER_MODE_LINEAR;
    CUtexObject texture;
    CU(cuTexObjectCreate(&texture, &resource, &how, nullptr));
    float *out, host[HEIGHT][WIDTH];
    CUDA(cudaMalloc(&out, sizeof host));
    sample<<<1, dim3(WIDTH, HEIGHT)>>>(texture, out);
    CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            CHECK_EQUAL(host[y][x], 100.0f * y + (x == WIDTH - 1 ? x : x + 0.5f));
    CU(cuTexObjectDestroy(texture));
    CU(cuArrayDestroy(array));

    CUDA_ARRAY_DESCRIPTOR plain = {WIDTH, HEIGHT, CU_AD_FORMAT_UNSIGNED_INT8, 4};
    CU(cuArrayCreate(&array, &plain));
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = host;
    copy.srcPitch = sizeof host[0];
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = sizeof host[0];
    copy.Height = HEIGHT;
    CU(cuMemcpy2D(&copy));
    float again[HEIGHT][WIDTH] = {};
    CU(cuMemcpyAtoH(again[1], array, 0, sizeof again[1]));
    CHECK(memcmp(again[1], host[0], sizeof again[1]) == 0);
    CU(cuArrayDestroy(array));
    return check_result();
}
