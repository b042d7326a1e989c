// Latency and throughput of a real GPU's texture unit, all texels in L1: cycles of one access in a dependent
// chain, and cycles between two warp instructions of an SM with 32 warps.
// Build: nvcc -O3 -arch=sm_90 time.cu -o time      Run: ./time > h200-texture-time.csv
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t error, int line)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(error));
        exit(1);
    }
}
#define CHECK(call) check(call, __LINE__)

enum { ROUNDS = 64, UNROLL = 16, SIZE = 8 };

struct Objects {
    cudaTextureObject_t buffer, point, linear, point4, linear4, bytes4, line, volume, cube, layered;
    cudaSurfaceObject_t surface;
    float *memory;
};

// x is where the next access goes: all texels hold 1.5, so that it stays the same and the chain is real.
#define PATTERN(name, expression)                                                                            \
    struct name {                                                                                            \
        static __device__ float access(const Objects &o, float x, float y) { return expression; }            \
    };
PATTERN(Global, __ldca(o.memory + (int)x + (int)y))
PATTERN(Buffer, tex1Dfetch<float>(o.buffer, (int)x + (int)y))
PATTERN(Line, tex1D<float>(o.line, x))
PATTERN(Point, tex2D<float>(o.point, x, y))
PATTERN(Linear, tex2D<float>(o.linear, x, y))
PATTERN(Point4, tex2D<float4>(o.point4, x, y).w)
PATTERN(Linear4, tex2D<float4>(o.linear4, x, y).w)
PATTERN(Bytes4, tex2D<float4>(o.bytes4, x, y).w)
PATTERN(Volume, tex3D<float>(o.volume, x, y, x))
PATTERN(Cube, texCubemap<float>(o.cube, x, y, 2.0f))
PATTERN(Layered, tex2DLayered<float>(o.layered, x, y, 1))
PATTERN(Gather, tex2Dgather<float4>(o.linear, x, y, 0).w)
PATTERN(Surface, surf2Dread<float>(o.surface, (int)x * 4, (int)y))

struct Convert { // what the chains of integer places have besides
    static __device__ float access(const Objects &, float x, float y)
    {
        return (float)((int)x + (int)y) + 0.5f;
    }
};

template <class Pattern> __global__ void chain(Objects o, long long *cycles, float *out, float x, float y)
{
    x += Pattern::access(o, x, y) * 0.0f;
    long long begin = clock64();
    for (int k = 0; k < ROUNDS; k++) {
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            x = Pattern::access(o, x, y);
    }
    long long end = clock64();
    out[threadIdx.x] = x;
    if (threadIdx.x == 0)
        *cycles = end - begin;
}

template <class Pattern> __global__ void flood(Objects o, long long *cycles, float *out, float step)
{
    float x = (float)(threadIdx.x % SIZE) + 0.75f, y = (float)(threadIdx.x / SIZE % 4) + 0.75f, sum = 0;
    sum += Pattern::access(o, x, y);
    __syncthreads();
    long long begin = clock64();
    for (int k = 0; k < ROUNDS; k++) {
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            sum += Pattern::access(o, x, y);
            y += step; // zero, which the compiler does not know
        }
    }
    __syncthreads();
    long long end = clock64();
    out[threadIdx.x] = sum;
    if (threadIdx.x == 0)
        *cycles = end - begin;
}

static cudaTextureObject_t texture(cudaExtent extent, unsigned flags, int bits, int channels, bool linear,
                                   cudaSurfaceObject_t *surface = nullptr)
{
    const cudaChannelFormatKind kind = bits == 8 ? cudaChannelFormatKindUnsigned : cudaChannelFormatKindFloat;
    const int more = channels > 1 ? bits : 0;
    cudaChannelFormatDesc format = cudaCreateChannelDesc(bits, more, more, more, kind);
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
    cudaMemcpy3DParms copy = {};
    copy.extent =
        make_cudaExtent(extent.width, extent.height ? extent.height : 1, extent.depth ? extent.depth : 1);
    std::vector<float> texels(copy.extent.width * copy.extent.height * copy.extent.depth * channels, 1.5f);
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), extent.width * channels * bits / 8, extent.width,
                                      copy.extent.height);
    copy.dstArray = array;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    if (surface)
        CHECK(cudaCreateSurfaceObject(surface, &resource));
    cudaTextureDesc desc = {};
    for (int axis = 0; axis < 3; axis++)
        desc.addressMode[axis] = cudaAddressModeClamp;
    desc.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    desc.readMode = bits == 8 ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    cudaTextureObject_t object;
    CHECK(cudaCreateTextureObject(&object, &resource, &desc, nullptr));
    return object;
}

static Objects objects()
{
    Objects o;
    const cudaExtent flat = make_cudaExtent(SIZE, SIZE, 0);
    std::vector<float> texels(64, 1.5f);
    CHECK(cudaMalloc(&o.memory, 64 * sizeof(float)));
    CHECK(cudaMemcpy(o.memory, texels.data(), 64 * sizeof(float), cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = o.memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 64 * sizeof(float);
    cudaTextureDesc desc = {};
    CHECK(cudaCreateTextureObject(&o.buffer, &resource, &desc, nullptr));
    o.line = texture(make_cudaExtent(64, 0, 0), 0, 32, 1, true);
    o.point = texture(flat, 0, 32, 1, false);
    o.linear = texture(flat, cudaArrayTextureGather, 32, 1, true);
    o.point4 = texture(flat, 0, 32, 4, false);
    o.linear4 = texture(flat, 0, 32, 4, true);
    o.bytes4 = texture(flat, 0, 8, 4, true);
    o.volume = texture(make_cudaExtent(SIZE, SIZE, SIZE), 0, 32, 1, true);
    o.cube = texture(make_cudaExtent(SIZE, SIZE, 6), cudaArrayCubemap, 32, 1, true);
    o.layered = texture(make_cudaExtent(SIZE, SIZE, 2), cudaArrayLayered, 32, 1, true);
    texture(flat, cudaArraySurfaceLoadStore, 32, 1, false, &o.surface);
    return o;
}

template <class Pattern> static void measure(const char *name, const Objects &o)
{
    long long *cycles;
    float *out;
    CHECK(cudaMallocManaged(&cycles, sizeof *cycles));
    CHECK(cudaMalloc(&out, 1024 * sizeof *out));
    double least[3] = {1e30, 1e30, 1e30};
    for (int repeat = 0; repeat < 5; repeat++)
        for (int mode = 0; mode < 3; mode++) {
            if (mode < 2)
                chain<Pattern><<<1, mode ? 32 : 1>>>(o, cycles, out, 1.5f, 1.5f);
            else
                flood<Pattern><<<1, 1024>>>(o, cycles, out, 0.0f);
            CHECK(cudaDeviceSynchronize());
            const double each = (double)*cycles / (ROUNDS * UNROLL) / (mode == 2 ? 32 : 1);
            least[mode] = each < least[mode] ? each : least[mode];
        }
    printf("%s,%.2f,%.2f,%.2f\n", name, least[0], least[1], least[2]);
}

int main()
{
    const Objects o = objects();
    printf("access,latency of a thread,latency of a warp,cycles between warp instructions\n");
    measure<Convert>("conversions only", o);
    measure<Global>("ld.global", o);
    measure<Buffer>("tex1Dfetch", o);
    measure<Line>("tex1D linear f32", o);
    measure<Point>("tex2D point f32", o);
    measure<Point4>("tex2D point f32x4", o);
    measure<Linear>("tex2D linear f32", o);
    measure<Linear4>("tex2D linear f32x4", o);
    measure<Bytes4>("tex2D linear u8x4", o);
    measure<Gather>("tex2Dgather f32", o);
    measure<Layered>("tex2DLayered linear f32", o);
    measure<Volume>("tex3D linear f32", o);
    measure<Cube>("texCubemap linear f32", o);
    measure<Surface>("surf2Dread f32", o);
    return 0;
}
