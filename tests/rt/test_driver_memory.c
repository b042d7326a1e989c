/* Memory in the driver API: allocations, copies, arrays, textures, and virtual memory management. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"

enum { MEMORY_HOST = 1, MEMORY_DEVICE, MEMORY_ARRAY };
enum { MEBIBYTE = 1 << 20 };

/* Layouts of CUDA_MEMCPY2D and CUDA_MEMCPY3D. */
typedef struct FlatSide {
    size_t x, y;
    int memory;
    void *host;
    uint64_t device;
    void *array;
    size_t pitch;
} FlatSide;
typedef struct FlatCopy {
    FlatSide source, destination;
    size_t width, height;
} FlatCopy;
typedef struct BoxSide {
    size_t x, y, z, level;
    int memory;
    void *host;
    uint64_t device;
    void *array, *reserved;
    size_t pitch, height;
} BoxSide;
typedef struct BoxCopy {
    BoxSide source, destination;
    size_t width, height, depth;
} BoxCopy;
_Static_assert(sizeof(FlatCopy) == 128 && sizeof(BoxCopy) == 200, "as CUDA has it");
/* Layout of CUDA_ARRAY_DESCRIPTOR; format 0x20 is float. */
typedef struct ArrayDescriptor {
    size_t width, height;
    int format;
    unsigned channels;
} ArrayDescriptor;
/* Layouts of CUmemAllocationProp and CUmemAccessDesc. */
typedef struct Properties {
    int type, handles, location, device;
    void *data;
    uint64_t flags;
} Properties;
typedef struct Access {
    int location, device, flags;
} Access;

static const Properties on_device = {.type = 1, .location = 1};
static const Access both = {.location = 1, .flags = 3};

/* Adds 1 to `count` words from `first` on, a thread for each. */
static const char ptx[] =
    ".version 7.2\n.target sm_70\n.address_size 64\n"
    ".visible .entry add_one(.param .u64 first)\n{\n"
    "  .reg .b32 %r<6>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [first]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "  mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %d2, %r4, 4; add.u64 %d3, %d1, %d2;\n"
    "  ld.global.u32 %r5, [%d3]; add.u32 %r5, %r5, 1; st.global.u32 [%d3], %r5; ret;\n}\n";
static void *add_one;

static int begin(void **state)
{
    (void)state;
    void *context, *module;
    setenv("WARPBEAM_GPU", "titanv", 1);
    setenv("WARPBEAM_FUNCTIONAL", "1", 1);
    int error = cuInit(0);
    if (!error)
        error = cuCtxCreate_v4(&context, NULL, 0, 0);
    if (!error)
        error = cuModuleLoadData(&module, ptx);
    return error ? error : cuModuleGetFunction(&add_one, module, "add_one");
}

static uint32_t word_at(uint64_t address)
{
    uint32_t word;
    OK(cuMemcpyDtoH_v2(&word, address, 4));
    return word;
}

static void copies_bytes(void **state)
{
    (void)state;
    uint8_t sent[64], got[64];
    uint64_t first, second, base;
    size_t size;
    void *stream, *pinned;
    for (int i = 0; i < 64; i++)
        sent[i] = (uint8_t)(i * 3);
    OK(cuMemAlloc_v2(&first, 64));
    OK(cuMemAlloc_v2(&second, 64));
    OK(cuMemHostAlloc(&pinned, 64, 0));
    OK(cuStreamCreate(&stream, 0));
    OK(cuMemcpyHtoD_v2(first, sent, 64));
    OK(cuMemcpyDtoD_v2(second, first, 64));
    OK(cuMemcpyDtoHAsync_v2(pinned, second, 64, stream));
    OK(cuStreamSynchronize(stream));
    assert_memory_equal(pinned, sent, 64);
    OK(cuMemcpyDtoH_v2(got, second + 32, 32));
    assert_memory_equal(got, sent + 32, 32);
    assert_int_equal(cuMemcpyHtoD_v2(first + 32, sent, 33), INVALID_VALUE);
    assert_int_equal(cuMemcpyHtoD_v2(64, sent, 1), INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoD_v2(second, (uintptr_t)sent, 64), INVALID_VALUE);
    OK(cuMemGetAddressRange_v2(&base, &size, first + 5));
    assert_int_equal(base, first);
    assert_int_equal(size, 64);
    OK(cuMemFree_v2(first));
    assert_int_equal(cuMemFree_v2(first), INVALID_VALUE);
    assert_int_equal(cuMemGetAddressRange_v2(&base, &size, first), NOT_FOUND);
    assert_int_equal(cuMemAlloc_v2(&first, 0), INVALID_VALUE);
    assert_int_equal(cuMemAlloc_v2(&first, (size_t)1 << 60), OUT_OF_MEMORY);
    OK(cuMemFree_v2(second));
    OK(cuMemFreeHost(pinned));
    OK(cuStreamDestroy_v2(stream));
}

static void fills(void **state)
{
    (void)state;
    uint64_t memory;
    size_t pitch;
    uint8_t bytes[8];
    OK(cuMemAllocPitch_v2(&memory, &pitch, 8, 3, 4));
    OK(cuMemsetD8_v2(memory, 0xAB, pitch * 3));
    OK(cuMemsetD16_v2(memory, 0x1234, 2));
    assert_int_equal(word_at(memory), 0x12341234);
    OK(cuMemsetD2D32_v2(memory, pitch, 0x01020304, 1, 3));
    OK(cuMemcpyDtoH_v2(bytes, memory + 2 * pitch, 8));
    assert_memory_equal(bytes, "\x04\x03\x02\x01\xab\xab\xab\xab", 8);
    OK(cuStreamWriteValue64_v2(NULL, memory, 0x1122334455667788, 0));
    assert_int_equal(word_at(memory + 4), 0x11223344);
    assert_int_equal(cuMemsetD32_v2(memory + 2, 0, 1), INVALID_VALUE);
    assert_int_equal(cuMemsetD32_v2(memory, 0, pitch), INVALID_VALUE);
    assert_int_equal(cuMemAllocPitch_v2(&memory, &pitch, 8, 3, 5), INVALID_VALUE);
    OK(cuMemFree_v2(memory));
}

static void knows_pointers(void **state)
{
    (void)state;
    enum { MEMORY_TYPE = 2, IS_MANAGED = 8, RANGE_SIZE = 12 };
    uint64_t memory, managed;
    int type = 0, is_managed = 7;
    size_t size = 0;
    int attributes[] = {MEMORY_TYPE, RANGE_SIZE};
    void *answers[] = {&type, &size};
    OK(cuMemAlloc_v2(&memory, 24));
    OK(cuMemAllocManaged(&managed, 8, 1));
    *(uint32_t *)(uintptr_t)managed = 77; /* the host's, too */
    assert_int_equal(word_at(managed), 77);
    OK(cuPointerGetAttribute(&is_managed, IS_MANAGED, memory));
    assert_int_equal(is_managed, 0);
    OK(cuPointerGetAttribute(&is_managed, IS_MANAGED, managed + 4));
    assert_int_equal(is_managed, 1);
    OK(cuPointerGetAttributes(2, attributes, answers, memory + 8));
    assert_int_equal(type, MEMORY_DEVICE);
    assert_int_equal(size, 24);
    assert_int_equal(cuPointerGetAttribute(&type, MEMORY_TYPE, (uintptr_t)&type), INVALID_VALUE);
    OK(cuPointerGetAttributes(2, attributes, answers, (uintptr_t)&type));
    assert_int_equal(type, 0);
    OK(cuMemFree_v2(managed));
    OK(cuMemFree_v2(memory));
}

static void copies_boxes(void **state)
{
    (void)state;
    float sent[6] = {1, 2, 3, 4, 5, 6}, got[6] = {0};
    uint64_t memory;
    void *array;
    const ArrayDescriptor descriptor = {.width = 3, .height = 2, .format = 0x20, .channels = 1};
    OK(cuArrayCreate_v2(&array, &descriptor));
    OK(cuMemAlloc_v2(&memory, 256));
    FlatCopy to_array = {.source = {.memory = MEMORY_HOST, .host = sent, .pitch = 12},
                         .destination = {.memory = MEMORY_ARRAY, .array = array},
                         .width = 12,
                         .height = 2};
    OK(cuMemcpy2D_v2(&to_array));
    /* The right four of the six, to the second slice of a box of pitch 16. */
    const BoxCopy to_memory = {
        .source = {.x = 4, .memory = MEMORY_ARRAY, .array = array},
        .destination = {.z = 1, .memory = MEMORY_DEVICE, .device = memory, .pitch = 16, .height = 2},
        .width = 8,
        .height = 2,
        .depth = 1};
    OK(cuMemcpy3D_v2(&to_memory));
    OK(cuMemcpyDtoH_v2(got, memory + 32 + 16, 8));
    assert_float_equal(got[0], 5, 0);
    assert_float_equal(got[1], 6, 0);
    OK(cuMemcpyHtoA_v2(array, 4, sent, 8));
    OK(cuMemcpyAtoH_v2(got, array, 0, 12));
    assert_float_equal(got[0], 1, 0);
    assert_float_equal(got[1], 1, 0);
    to_array.width = 16;
    assert_int_equal(cuMemcpy2D_v2(&to_array), INVALID_VALUE);
    to_array.width = 12;
    OK(cuArrayDestroy(array));
    assert_int_equal(cuMemcpy2D_v2(&to_array), INVALID_HANDLE);
    OK(cuMemFree_v2(memory));
}

static void makes_textures(void **state)
{
    (void)state;
    enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2 };
    const ArrayDescriptor descriptor = {.width = 4, .height = 4, .format = 1, .channels = 1};
    struct {
        int kind;
        union {
            void *array;
            int reserved[32];
        } of;
        unsigned flags;
    } resource = {0};
    struct {
        int addressing[3], filter;
        unsigned flags;
        int rest[21];
    } description = {.addressing = {1, 1, 1}}, found;
    void *array;
    uint64_t texture;
    _Static_assert(sizeof resource == 144 && sizeof description == 104, "as CUDA has it");
    OK(cuArrayCreate_v2(&array, &descriptor));
    resource.of.array = array;
    description.flags = READ_AS_INTEGER | NORMALIZED_COORDINATES;
    OK(cuTexObjectCreate(&texture, &resource, &description, NULL));
    assert_true(texture != 0);
    OK(cuTexObjectGetTextureDesc(&found, texture));
    assert_memory_equal(&found, &description, sizeof found);
    OK(cuTexObjectDestroy(texture));
    assert_int_equal(cuTexObjectDestroy(texture), INVALID_VALUE);
    OK(cuArrayDestroy(array));
}

static void adds_one(uint64_t first, unsigned blocks)
{
    void *pointers[] = {&first};
    OK(cuLaunchKernel(add_one, blocks, 1, 1, 256, 1, 1, 0, NULL, pointers, NULL));
}

/* Two pieces of physical memory side by side are one range, for kernels and for copies. */
static void maps_memory(void **state)
{
    (void)state;
    enum { PIECE = 2 * MEBIBYTE };
    uint64_t address, pieces[2], flags;
    size_t granularity, before, after, total;
    const uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t got[8];
    OK(cuMemGetAllocationGranularity(&granularity, &on_device, 0));
    assert_int_equal(granularity, PIECE);
    OK(cuMemGetInfo_v2(&before, &total));
    OK(cuMemAddressReserve(&address, 2 * PIECE, 0, 0, 0));
    for (int i = 0; i < 2; i++) {
        OK(cuMemCreate(&pieces[i], PIECE, &on_device, 0));
        OK(cuMemMap(address + (uint64_t)i * PIECE, PIECE, 0, pieces[i], 0));
        OK(cuMemRelease(pieces[i])); /* the mapping keeps it */
    }
    OK(cuMemGetInfo_v2(&after, &total));
    assert_int_equal(before - after, 2 * PIECE);
    assert_int_equal(cuMemcpyHtoD_v2(address, bytes, 8), INVALID_VALUE); /* no access yet */
    OK(cuMemSetAccess(address, 2 * PIECE, &both, 1));
    OK(cuMemGetAccess(&flags, &on_device.location, address));
    assert_int_equal(flags, 3);
    OK(cuMemcpyHtoD_v2(address + PIECE - 4, bytes, 8));
    adds_one(address + PIECE - 512, 1);
    OK(cuMemcpyDtoH_v2(got, address + PIECE - 4, 8));
    assert_memory_equal(got, "\x02\x02\x03\x04\x06\x06\x07\x08", 8);
    OK(cuMemsetD8_v2(address, 9, 2 * PIECE));
    assert_int_equal(word_at(address + 2 * PIECE - 4), 0x09090909);
    assert_int_equal(cuMemAddressFree(address, 2 * PIECE), INVALID_VALUE); /* still mapped */
    assert_int_equal(cuMemFree_v2(address), INVALID_VALUE);
    OK(cuMemUnmap(address, 2 * PIECE));
    OK(cuMemGetInfo_v2(&after, &total));
    assert_int_equal(before, after);
    assert_int_equal(cuMemcpyHtoD_v2(address, bytes, 8), INVALID_VALUE);
    OK(cuMemAddressFree(address, 2 * PIECE));
}

/* Contents belong to the physical memory: they move with it, and show wherever it is mapped. */
static void maps_memory_elsewhere(void **state)
{
    (void)state;
    enum { PIECE = 2 * MEBIBYTE };
    uint64_t first, second, piece, imported;
    Properties shared = on_device;
    int file = -1;
    shared.handles = 1;
    OK(cuMemCreate(&piece, PIECE, &shared, 0));
    OK(cuMemAddressReserve(&first, PIECE, 0, 0, 0));
    OK(cuMemAddressReserve(&second, PIECE, 0, first + PIECE, 0));
    OK(cuMemMap(first, PIECE, 0, piece, 0));
    OK(cuMemSetAccess(first, PIECE, &both, 1));
    OK(cuMemsetD32_v2(first, 5, PIECE / 4));
    OK(cuMemExportToShareableHandle(&file, piece, 1, 0));
    OK(cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)file, 1));
    close(file);
    OK(cuMemMap(second, PIECE, 0, imported, 0));
    OK(cuMemSetAccess(second, PIECE, &both, 1));
    assert_int_equal(word_at(second + 400), 5);
    adds_one(second, 1);
    assert_int_equal(word_at(first + 400), 6);
    OK(cuMemUnmap(first, PIECE));
    OK(cuMemUnmap(second, PIECE));
    OK(cuMemRelease(imported));
    OK(cuMemMap(second, PIECE, 0, piece, 0));
    OK(cuMemSetAccess(second, PIECE, &both, 1));
    assert_int_equal(word_at(second + 400), 6);
    OK(cuMemUnmap(second, PIECE));
    OK(cuMemRelease(piece));
    assert_int_equal(cuMemMap(second, PIECE, 0, piece, 0), INVALID_VALUE);
    OK(cuMemAddressFree(first, PIECE));
    OK(cuMemAddressFree(second, PIECE));
}

static void refuses_bad_mappings(void **state)
{
    (void)state;
    enum { PIECE = 2 * MEBIBYTE };
    uint64_t address, piece;
    Properties elsewhere = on_device;
    elsewhere.device = 3;
    assert_int_equal(cuMemCreate(&piece, PIECE, &elsewhere, 0), INVALID_DEVICE);
    enum { COMPRESSION_IS_SUPPORTED = 107 };
    int is_supported;
    Properties compressible = on_device, told = {0};
    compressible.flags = 1;
    OK(cuMemCreate(&piece, PIECE, &compressible, 0));
    OK(cuMemGetAllocationPropertiesFromHandle(&told, piece));
    OK(cuDeviceGetAttribute(&is_supported, COMPRESSION_IS_SUPPORTED, 0));
    assert_int_equal(told.flags, is_supported); /* those that ask for it on other GPUs do not get it */
    OK(cuMemRelease(piece));
    compressible.flags = 7;
    assert_int_equal(cuMemCreate(&piece, PIECE, &compressible, 0), INVALID_VALUE);
    assert_int_equal(cuMemCreate(&piece, PIECE + 1, &on_device, 0), INVALID_VALUE);
    assert_int_equal(cuMemCreate(&piece, (size_t)1 << 50, &on_device, 0), OUT_OF_MEMORY);
    assert_int_equal(cuMemAddressReserve(&address, 100, 0, 0, 0), INVALID_VALUE);
    OK(cuMemCreate(&piece, PIECE, &on_device, 0));
    OK(cuMemAddressReserve(&address, 2 * PIECE, 0, 0, 0));
    assert_int_equal(cuMemMap(address + 2 * PIECE, PIECE, 0, piece, 0), INVALID_VALUE);
    assert_int_equal(cuMemMap(address, 2 * PIECE, 0, piece, 0), INVALID_VALUE);
    assert_int_equal(cuMemMap(address, PIECE, PIECE, piece, 0), INVALID_VALUE);
    assert_int_equal(cuMemMap(address, PIECE, 0, address, 0), INVALID_VALUE);
    OK(cuMemMap(address, PIECE, 0, piece, 0));
    assert_int_equal(cuMemMap(address, PIECE, 0, piece, 0), INVALID_VALUE);
    assert_int_equal(cuMemSetAccess(address, 2 * PIECE, &both, 1), INVALID_VALUE);
    assert_int_equal(cuMemUnmap(address, 2 * PIECE), INVALID_VALUE);
    assert_int_equal(cuMemExportToShareableHandle(&address, piece, 1, 0), INVALID_VALUE);
    OK(cuMemUnmap(address, PIECE));
    OK(cuMemRelease(piece));
    OK(cuMemAddressFree(address, 2 * PIECE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_bytes),          cmocka_unit_test(fills),
        cmocka_unit_test(knows_pointers),        cmocka_unit_test(copies_boxes),
        cmocka_unit_test(makes_textures),        cmocka_unit_test(maps_memory),
        cmocka_unit_test(maps_memory_elsewhere), cmocka_unit_test(refuses_bad_mappings),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
