// Records what a real GPU's texture unit answers: every case of cases.h, one file of results.
// Build: nvcc -O1 -arch=sm_90 texture.cu -o texture      Run: ./texture h200-texture.bin
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "cases.h"

static bool failed(cudaError_t error, const Case &c, const char *what)
{
    if (error == cudaSuccess)
        return false;
    fprintf(stderr, "%s (shape %d, kind %d, %d x %d bits): %s: %s\n", c.instruction, c.shape, c.kind,
            c.channels, c.bits, what, cudaGetErrorString(error));
    cudaGetLastError();
    return true;
}

// A texture or surface object on memory that holds the case's texels.
struct Object {
    const Case &c;
    cudaArray_t array = nullptr;
    void *memory = nullptr;
    size_t pitch = 0;
    unsigned long long handle = 0;

    explicit Object(const Case &of) : c(of) {}
    cudaChannelFormatDesc format() const
    {
        const cudaChannelFormatKind kinds[] = {cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned,
                                               cudaChannelFormatKindFloat};
        return cudaCreateChannelDesc(c.bits, c.channels > 1 ? c.bits : 0, c.channels > 2 ? c.bits : 0,
                                     c.channels > 2 ? c.bits : 0, kinds[c.kind]);
    }
    bool is_array() const { return c.shape != SHAPE_BUFFER && c.shape != SHAPE_PITCH; }
    bool copy(void *host, bool to_host) const;
    bool create_array();
    bool create();
    ~Object()
    {
        if (handle)
            case_is_surface(&c) ? cudaDestroySurfaceObject(handle) : cudaDestroyTextureObject(handle);
        cudaFreeArray(array);
        cudaFree(memory);
    }
};

bool Object::copy(void *host, bool to_host) const
{
    const Extent e = shape_extent(c.shape);
    const size_t row = e.width * case_element_bytes(&c);
    cudaMemcpy3DParms p = {};
    cudaPitchedPtr pitched = make_cudaPitchedPtr(host, row, e.width, e.height);
    p.extent = make_cudaExtent(e.width, e.height, e.depth);
    p.kind = to_host ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    (to_host ? p.srcArray : p.dstArray) = array;
    (to_host ? p.dstPtr : p.srcPtr) = pitched;
    return !failed(cudaMemcpy3D(&p), c, "copy");
}

bool Object::create_array()
{
    const Extent e = shape_extent(c.shape);
    const bool is_line = c.shape == SHAPE_1D || c.shape == SHAPE_A1D;
    const bool is_flat = c.shape == SHAPE_1D || c.shape == SHAPE_2D;
    unsigned flags = 0;
    if (c.shape == SHAPE_A1D || c.shape == SHAPE_A2D || c.shape == SHAPE_ACUBE)
        flags |= cudaArrayLayered;
    if (c.shape == SHAPE_CUBE || c.shape == SHAPE_ACUBE)
        flags |= cudaArrayCubemap;
    if (case_is_surface(&c))
        flags |= cudaArraySurfaceLoadStore;
    if (!strncmp(c.instruction, "tld4", 4))
        flags |= cudaArrayTextureGather;
    const cudaChannelFormatDesc desc = format();
    const cudaExtent extent = make_cudaExtent(e.width, is_line ? 0 : e.height, is_flat ? 0 : e.depth);
    return !failed(cudaMalloc3DArray(&array, &desc, extent, flags), c, "array");
}

bool Object::create()
{
    const Extent e = shape_extent(c.shape);
    const size_t row = e.width * case_element_bytes(&c);
    std::vector<uint8_t> texels(case_memory_bytes(&c));
    case_fill(&c, texels.data());
    if (c.action == ACTION_SURFACE_WRITE)
        memset(texels.data(), 0, texels.size());
    cudaResourceDesc resource = {};
    cudaTextureDesc desc = {};
    if (is_array()) {
        if (!create_array() || !copy(texels.data(), false))
            return false;
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
    } else if (c.shape == SHAPE_BUFFER) {
        if (failed(cudaMalloc(&memory, row), c, "memory") ||
            failed(cudaMemcpy(memory, texels.data(), row, cudaMemcpyHostToDevice), c, "copy"))
            return false;
        resource.resType = cudaResourceTypeLinear;
        resource.res.linear.devPtr = memory;
        resource.res.linear.desc = format();
        resource.res.linear.sizeInBytes = row;
    } else {
        if (failed(cudaMallocPitch(&memory, &pitch, row, e.height), c, "memory") ||
            failed(cudaMemcpy2D(memory, pitch, texels.data(), row, row, e.height, cudaMemcpyHostToDevice), c,
                   "copy"))
            return false;
        resource.resType = cudaResourceTypePitch2D;
        resource.res.pitch2D.devPtr = memory;
        resource.res.pitch2D.desc = format();
        resource.res.pitch2D.width = e.width;
        resource.res.pitch2D.height = e.height;
        resource.res.pitch2D.pitchInBytes = pitch;
    }
    if (case_is_surface(&c))
        return !failed(cudaCreateSurfaceObject(&handle, &resource), c, "surface");
    const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                            cudaAddressModeBorder};
    for (int axis = 0; axis < 3; axis++)
        desc.addressMode[axis] = modes[c.address];
    desc.filterMode = c.linear ? cudaFilterModeLinear : cudaFilterModePoint;
    desc.readMode = c.normalized_values ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    desc.sRGB = c.srgb;
    desc.normalizedCoords = c.normalized_places;
    memcpy(desc.borderColor, case_border, sizeof desc.borderColor);
    return !failed(cudaCreateTextureObject(&handle, &resource, &desc, nullptr), c, "texture");
}

// Where kernels find their points and leave their results.
struct Buffers {
    Point *points;
    uint32_t *results, *values;
    Buffers()
    {
        std::vector<uint32_t> words(POINTS * 4);
        for (int n = 0; n < POINTS * 4; n++)
            words[n] = write_word(n / 4, n % 4);
        cudaMalloc(&points, POINTS * sizeof(Point));
        cudaMalloc(&results, POINTS * RESULT_WORDS * 4);
        cudaMalloc(&values, words.size() * 4);
        cudaMemcpy(values, words.data(), words.size() * 4, cudaMemcpyHostToDevice);
    }
};

static bool run(const Case &c, cudaKernel_t kernel, Buffers &buffers, std::vector<uint8_t> &result)
{
    Object object(c);
    if (!object.create())
        return false;
    std::vector<Point> points;
    for (int n = 0; n < POINTS; n++)
        points.push_back(case_point(&c, n));
    cudaMemcpy(buffers.points, points.data(), POINTS * sizeof(Point), cudaMemcpyHostToDevice);
    cudaMemset(buffers.results, 0xCC, POINTS * RESULT_WORDS * 4);
    void *arguments[] = {&object.handle, &buffers.points, &buffers.results, &buffers.values};
    const dim3 block(c.action == ACTION_SURFACE_WRITE ? 1 : 32);
    if (failed(cudaLaunchKernel((const void *)kernel, dim3(1), block, arguments, 0, 0), c, "launch") ||
        failed(cudaDeviceSynchronize(), c, "kernel"))
        return false;
    if (c.action == ACTION_SURFACE_WRITE)
        return object.copy(result.data(), true);
    return !failed(cudaMemcpy(result.data(), buffers.results, result.size(), cudaMemcpyDeviceToHost), c,
                   "results");
}

int main(int argc, char **argv)
{
    static Cases cases;
    cases_list(&cases);
    std::string text = ".version 7.8\n.target sm_75\n.address_size 64\n";
    std::vector<char> kernel(TEXT_BYTES);
    for (int n = 0; n < cases.count; n++)
        text.append(kernel.data(), case_kernel(&cases.list[n], n, kernel.data()));
    if (FILE *file = argc > 2 ? fopen(argv[2], "w") : nullptr) {
        fputs(text.c_str(), file);
        fclose(file);
    }
    cudaLibrary_t library;
    const cudaError_t loaded =
        cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (loaded != cudaSuccess) {
        fprintf(stderr, "the kernels do not compile: %s\n", cudaGetErrorString(loaded));
        return 1;
    }
    FILE *file = fopen(argc > 1 ? argv[1] : "h200-texture.bin", "wb");
    Buffers buffers;
    int missing = 0;
    for (int n = 0; n < cases.count; n++) {
        cudaKernel_t entry;
        const std::string name = "case_" + std::to_string(n);
        std::vector<uint8_t> result(case_result_bytes(&cases.list[n]), 0xEE);
        if (cudaLibraryGetKernel(&entry, library, name.c_str()) != cudaSuccess ||
            !run(cases.list[n], entry, buffers, result))
            missing++;
        fwrite(result.data(), 1, result.size(), file);
    }
    fclose(file);
    printf("%d cases, %d without results\n", cases.count, missing);
    return 0;
}
