/* Texture and surface objects as programs of CUDA 13's runtime see them: what they are made of comes back,
 * and what cannot be made is refused. tests/unit/test_texture.c shows that reading them is right. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#define CUDART_MAJOR 13
#include "rt/cudart/abi.h"

enum { SUCCESS = 0, INVALID_VALUE = 1, INVALID_CHANNELS = 20, INVALID_HANDLE = 400, NOT_SUPPORTED = 801 };
enum { ARRAY, MIPMAP, LINEAR, PITCH };
enum { SIGNED, UNSIGNED, FLOAT };
enum { SURFACE_LOAD_STORE = 2, CUBE_MAP = 4 };

/* Layout of cudaResourceDesc. */
typedef struct Resource {
    int kind;
    union {
        void *array;
        struct {
            void *pointer;
            ChannelFormat format;
            size_t bytes;
        } linear;
        struct {
            void *pointer;
            ChannelFormat format;
            size_t width, height, pitch;
        } pitch;
        int reserved[32];
    } of;
    unsigned flags;
} Resource;

/* Layout of cudaTextureDesc. */
typedef struct Sampler {
    int addressing[3], filter, read_mode, srgb;
    float border[4];
    int normalized;
    unsigned anisotropy;
    int mipmap_filter;
    float bias, least, most;
    int keeps_trilinear, is_seamless;
} Sampler;

int cudaMalloc(void **pointer, size_t size);
int cudaFree(void *pointer);
int cudaMallocArray(void **array, const ChannelFormat *format, size_t width, size_t height, unsigned flags);
int cudaMalloc3DArray(void **array, const ChannelFormat *format, Extent extent, unsigned flags);
int cudaFreeArray(void *array);
ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
int cudaGetChannelDesc(ChannelFormat *format, const void *array);
int cudaCreateTextureObject(uint64_t *handle, const Resource *resource, const Sampler *sampler,
                            const void *view);
int cudaDestroyTextureObject(uint64_t handle);
int cudaGetTextureObjectResourceDesc(Resource *resource, uint64_t handle);
int cudaGetTextureObjectTextureDesc(Sampler *sampler, uint64_t handle);
int cudaGetTextureObjectResourceViewDesc(void *view, uint64_t handle);
int cudaCreateSurfaceObject(uint64_t *handle, const Resource *resource);
int cudaDestroySurfaceObject(uint64_t handle);
int cudaGetSurfaceObjectResourceDesc(Resource *resource, uint64_t handle);

static const ChannelFormat one_float = {32, 0, 0, 0, FLOAT};

static Resource array_of(void *array)
{
    Resource resource;
    memset(&resource, 0, sizeof resource);
    resource.of.array = array;
    return resource;
}

static void test_channels(void **state)
{
    void *array;
    ChannelFormat got;
    (void)state;
    const ChannelFormat made = cudaCreateChannelDesc(8, 8, 8, 8, UNSIGNED);
    assert_int_equal(cudaMallocArray(&array, &made, 4, 4, 0), SUCCESS);
    assert_int_equal(cudaGetChannelDesc(&got, array), SUCCESS);
    assert_memory_equal(&got, &made, sizeof got);
    assert_int_equal(cudaGetChannelDesc(NULL, array), INVALID_VALUE);
    assert_int_equal(cudaGetChannelDesc(&got, &got), INVALID_HANDLE);
    assert_int_equal(cudaFreeArray(array), SUCCESS);
}

static void test_descriptions(void **state)
{
    void *memory;
    uint64_t handle;
    Resource resource, got;
    Sampler sampler = {.addressing = {0, 3, 2},
                       .filter = 1,
                       .border = {1, 2, 3, 4},
                       .normalized = 1,
                       .anisotropy = 2,
                       .most = 5};
    Sampler seen;
    (void)state;
    memset(&resource, 0, sizeof resource);
    memset(&seen, 0, sizeof seen);
    assert_int_equal(cudaMalloc(&memory, 4096), SUCCESS);
    resource.kind = PITCH;
    resource.of.pitch.pointer = memory;
    resource.of.pitch.format = one_float;
    resource.of.pitch.width = 60;
    resource.of.pitch.height = 8;
    resource.of.pitch.pitch = 512;
    assert_int_equal(cudaCreateTextureObject(&handle, &resource, &sampler, NULL), SUCCESS);
    assert_int_equal(cudaGetTextureObjectResourceDesc(&got, handle), SUCCESS);
    assert_memory_equal(&got, &resource, sizeof got);
    assert_int_equal(cudaGetTextureObjectTextureDesc(&seen, handle), SUCCESS);
    assert_memory_equal(&seen, &sampler, sizeof seen);
    assert_int_equal(cudaGetTextureObjectResourceViewDesc(&got, handle), INVALID_VALUE);
    assert_int_equal(cudaGetSurfaceObjectResourceDesc(&got, handle), INVALID_VALUE);
    assert_int_equal(cudaDestroySurfaceObject(handle), INVALID_VALUE);
    assert_int_equal(cudaDestroyTextureObject(handle), SUCCESS);
    assert_int_equal(cudaDestroyTextureObject(handle), INVALID_VALUE);
    assert_int_equal(cudaGetTextureObjectTextureDesc(&seen, handle), INVALID_VALUE);
    assert_int_equal(cudaDestroyTextureObject(0), SUCCESS);
    assert_int_equal(cudaFree(memory), SUCCESS);
}

static void test_refused_textures(void **state)
{
    void *memory;
    uint64_t handle;
    Resource resource;
    Sampler sampler = {0};
    (void)state;
    memset(&resource, 0, sizeof resource);
    assert_int_equal(cudaMalloc(&memory, 256), SUCCESS);
    resource.kind = LINEAR;
    resource.of.linear.pointer = memory;
    resource.of.linear.format = one_float;
    resource.of.linear.bytes = 260;
    assert_int_equal(cudaCreateTextureObject(&handle, &resource, &sampler, NULL), INVALID_VALUE);
    resource.of.linear.bytes = 3;
    assert_int_equal(cudaCreateTextureObject(&handle, &resource, &sampler, NULL), INVALID_VALUE);
    resource.of.linear.bytes = 256;
    assert_int_equal(cudaCreateTextureObject(NULL, &resource, &sampler, NULL), INVALID_VALUE);
    assert_int_equal(cudaCreateTextureObject(&handle, NULL, &sampler, NULL), INVALID_VALUE);
    assert_int_equal(cudaCreateTextureObject(&handle, &resource, NULL, NULL), INVALID_VALUE);
    assert_int_equal(cudaCreateTextureObject(&handle, &resource, &sampler, &resource), NOT_SUPPORTED);
    resource.of.linear.format.y = 16;
    assert_int_equal(cudaCreateTextureObject(&handle, &resource, &sampler, NULL), INVALID_CHANNELS);
    resource.of.linear.format = one_float;
    sampler.filter = 1; /* buffers have no filter; it is ignored */
    assert_int_equal(cudaCreateTextureObject(&handle, &resource, &sampler, NULL), SUCCESS);
    assert_int_equal(cudaDestroyTextureObject(handle), SUCCESS);
    resource.kind = MIPMAP;
    assert_int_equal(cudaCreateTextureObject(&handle, &resource, &sampler, NULL), NOT_SUPPORTED);
    resource = array_of(memory);
    assert_int_equal(cudaCreateTextureObject(&handle, &resource, &sampler, NULL), INVALID_HANDLE);
    assert_int_equal(cudaFree(memory), SUCCESS);
}

static void test_arrays(void **state)
{
    const ChannelFormat bytes = {8, 0, 0, 0, UNSIGNED};
    void *plain, *surface, *cube;
    uint64_t handle;
    Resource got;
    Sampler sampler = {.addressing = {1, 1, 4}, .is_seamless = 1};
    (void)state;
    assert_int_equal(cudaMallocArray(&plain, &bytes, 8, 8, 0), SUCCESS);
    assert_int_equal(cudaMallocArray(&surface, &bytes, 8, 8, SURFACE_LOAD_STORE), SUCCESS);
    assert_int_equal(cudaMalloc3DArray(&cube, &one_float, (Extent){4, 4, 6}, CUBE_MAP), SUCCESS);
    Resource of_plain = array_of(plain), of_surface = array_of(surface), of_cube = array_of(cube);
    assert_int_equal(cudaCreateSurfaceObject(&handle, &of_plain), INVALID_VALUE);
    assert_int_equal(cudaCreateSurfaceObject(&handle, &of_surface), SUCCESS);
    assert_int_equal(cudaGetSurfaceObjectResourceDesc(&got, handle), SUCCESS);
    assert_ptr_equal(got.of.array, surface);
    assert_int_equal(cudaDestroySurfaceObject(handle), SUCCESS);
    assert_int_equal(cudaCreateTextureObject(&handle, &of_plain, &sampler, NULL), INVALID_VALUE);
    sampler.addressing[2] = 1;
    sampler.filter = 1;
    assert_int_equal(cudaCreateTextureObject(&handle, &of_plain, &sampler, NULL), INVALID_VALUE);
    sampler.read_mode = 1;
    assert_int_equal(cudaCreateTextureObject(&handle, &of_plain, &sampler, NULL), SUCCESS);
    assert_int_equal(cudaDestroyTextureObject(handle), SUCCESS);
    assert_int_equal(cudaCreateTextureObject(&handle, &of_cube, &sampler, NULL), NOT_SUPPORTED);
    sampler.is_seamless = 0;
    assert_int_equal(cudaCreateTextureObject(&handle, &of_cube, &sampler, NULL), SUCCESS);
    assert_int_equal(cudaDestroyTextureObject(handle), SUCCESS);
    assert_int_equal(cudaFreeArray(plain), SUCCESS);
    assert_int_equal(cudaFreeArray(surface), SUCCESS);
    assert_int_equal(cudaFreeArray(cube), SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_descriptions),
        cmocka_unit_test(test_refused_textures),
        cmocka_unit_test(test_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
