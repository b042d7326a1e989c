// What programs of CUDA 11 and 12 do at their start and for a launch, with the runtime of that version.
// nvcc: -x c++ -cudart none -ldl
// fatbin: parts/scale.cu
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <vector>

#include "check_driver.h"

struct Wrapper {
    int magic, version;
    const void *data;
    void *unused;
};

template <typename Function> static Function find(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol)
        printf("%s is missing\n", name);
    CHECK(symbol != nullptr);
    return (Function)symbol;
}

/* The host's side of the kernel; only its address counts. */
static void scale_stub(float *, float, int) {}
static int launches_stub;

static void use(void *library, const std::vector<char> &image)
{
    auto register_binary = find<void **(*)(void *)>(library, "__cudaRegisterFatBinary");
    auto register_end = find<void (*)(void **)>(library, "__cudaRegisterFatBinaryEnd");
    auto unregister = find<void (*)(void **)>(library, "__cudaUnregisterFatBinary");
    auto register_function = find<void (*)(void **, const char *, char *, const char *, int, uint3 *, uint3 *,
                                           dim3 *, dim3 *, int *)>(library, "__cudaRegisterFunction");
    auto register_variable = find<void (*)(void **, char *, char *, const char *, int, size_t, int, int)>(
        library, "__cudaRegisterVar");
    auto push = find<unsigned (*)(dim3, dim3, size_t, void *)>(library, "__cudaPushCallConfiguration");
    auto pop = find<int (*)(dim3 *, dim3 *, size_t *, void *)>(library, "__cudaPopCallConfiguration");
    auto launch =
        find<int (*)(const void *, dim3, dim3, void **, size_t, void *)>(library, "cudaLaunchKernel");
    auto allocate = find<int (*)(void **, size_t)>(library, "cudaMalloc");
    auto release = find<int (*)(void *)>(library, "cudaFree");
    auto copy = find<int (*)(void *, const void *, size_t, int)>(library, "cudaMemcpy");
    auto copy_from_symbol =
        find<int (*)(void *, const void *, size_t, size_t, int)>(library, "cudaMemcpyFromSymbol");
    if (check_failures)
        return;

    Wrapper wrapper = {0x466243b1, 1, image.data(), nullptr};
    void **handle = register_binary(&wrapper);
    char name[] = "scale", variable[] = "launches";
    register_function(handle, (const char *)scale_stub, name, name, -1, nullptr, nullptr, nullptr, nullptr,
                      nullptr);
    register_variable(handle, (char *)&launches_stub, variable, variable, 0, 4, 0, 0);
    register_end(handle);

    float host[64], *values, factor = 3.0f;
    int count = 64, launches = 0;
    for (int i = 0; i < 64; i++)
        host[i] = i;
    CHECK_EQUAL(allocate((void **)&values, sizeof host), 0);
    CHECK_EQUAL(copy(values, host, sizeof host, 1), 0);
    // As <<<2, 32, 128>>> does it.
    CHECK_EQUAL(push(dim3(2), dim3(32), 128, nullptr), 0);
    dim3 grid, block;
    size_t shared;
    void *stream, *arguments[] = {&values, &factor, &count};
    CHECK_EQUAL(pop(&grid, &block, &shared, &stream), 0);
    CHECK_EQUAL(launch((const void *)scale_stub, grid, block, arguments, shared, stream), 0);
    CHECK_EQUAL(copy(host, values, sizeof host, 2), 0);
    for (int i = 0; i < 64; i++)
        CHECK_EQUAL(host[i], 3.0f * i + (i % 2 ? -0.5f : 0.5f));
    CHECK_EQUAL(copy_from_symbol(&launches, &launches_stub, sizeof launches, 0, 2), 0);
    CHECK_EQUAL(launches, 4);
    CHECK_EQUAL(release(values), 0);
    unregister(handle);
}

/* The structure has grown with the versions; these lie where they always were. */
struct Properties {
    char name[256], uuid[16], luid[8];
    unsigned luid_mask;
    size_t global_bytes, shared_bytes;
    int registers, warp_size;
    size_t pitch;
    int block_threads;
    char rest[4096];
};

static void check_properties(void *library, const char *call)
{
    static Properties properties;
    auto get = find<int (*)(Properties *, int)>(library, call);
    if (!get)
        return;
    memset(&properties, 0xee, sizeof properties);
    CHECK_EQUAL(get(&properties, 0), 0);
    CHECK(properties.warp_size == 32 && properties.block_threads == 1024);
    const size_t size = strstr(call, "_v2") ? 1032 : 728;
    const unsigned char *beyond = (const unsigned char *)&properties + size;
    for (int i = 0; i < 1000; i++) // what an old program has no room for stays as it was
        CHECK_EQUAL(beyond[i], 0xee);
}

int main(int, char **arguments)
{
    std::vector<char> image;
    FILE *file = fopen(beside_program(arguments[0], ".fatbin"), "rb");
    if (!file)
        return 1;
    for (int c; (c = fgetc(file)) != EOF;)
        image.push_back((char)c);
    fclose(file);
    const struct {
        const char *library, *properties;
    } versions[] = {{"libcudart.so.12", "cudaGetDeviceProperties_v2"},
                    {"libcudart.so.11.0", "cudaGetDeviceProperties"}};
    for (auto &version : versions) {
        void *library = dlopen(version.library, RTLD_NOW | RTLD_LOCAL);
        if (!library && !simulated()) {
            printf("%s is not installed\n", version.library);
            continue;
        }
        CHECK(library != nullptr);
        if (!library)
            continue;
        use(library, image);
        check_properties(library, version.properties);
    }
    return check_result();
}
