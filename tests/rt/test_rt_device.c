/* The device: its attributes come from the configuration, its settings are checked and kept. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define CUDART_MAJOR 13
#include "rt/cudart/abi.h"

enum { SUCCESS = 0, INVALID_VALUE = 1, INVALID_DEVICE = 101, UNSUPPORTED_LIMIT = 215, INVALID_HANDLE = 400 };

int cudaGetDeviceCount(int *count);
int cudaGetDevice(int *device);
int cudaSetDevice(int device);
int cudaChooseDevice(int *device, const void *properties);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaGetDeviceProperties(void *place, int device);
int cudaDeviceGetPCIBusId(char *name, int size, int device);
int cudaDeviceGetByPCIBusId(int *device, const char *name);
int cudaDeviceGetLimit(size_t *value, int limit);
int cudaDeviceSetLimit(int limit, size_t value);
int cudaSetDeviceFlags(unsigned flags);
int cudaGetDeviceFlags(unsigned *flags);
int cudaDeviceSetCacheConfig(int preference);
int cudaDeviceGetCacheConfig(int *preference);
int cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
int cudaDeviceCanAccessPeer(int *can, int device, int peer);
int cudaDeviceEnablePeerAccess(int peer, unsigned flags);
int cudaDeviceGetP2PAttribute(int *value, int attribute, int source, int destination);
int cudaDriverGetVersion(int *version);
int cudaRuntimeGetVersion(int *version);
int cudaDeviceReset(void);
int cudaMallocArray(void **array, const ChannelFormat *format, size_t width, size_t height, unsigned flags);
int cudaFreeArray(void *array);
int cudaStreamCreate(void **stream);
int cudaStreamDestroy(void *stream);
int cudaEventCreate(void **event);
int cudaEventDestroy(void *event);
int cudaMalloc(void **pointer, size_t size);
int cudaFree(void *pointer);
int cudaMemGetInfo(size_t *free, size_t *total);

static void there_is_one_device(void **state)
{
    (void)state;
    int value = -1;
    assert_int_equal(cudaGetDeviceCount(&value), SUCCESS);
    assert_int_equal(value, 1);
    assert_int_equal(cudaGetDeviceCount(NULL), INVALID_VALUE);
    assert_int_equal(cudaSetDevice(0), SUCCESS);
    assert_int_equal(cudaSetDevice(1), INVALID_DEVICE);
    assert_int_equal(cudaSetDevice(-1), INVALID_DEVICE);
    assert_int_equal(cudaGetDevice(&value), SUCCESS);
    assert_int_equal(value, 0);
    assert_int_equal(cudaDeviceCanAccessPeer(&value, 0, 0), SUCCESS);
    assert_int_equal(value, 0);
    assert_int_equal(cudaDeviceCanAccessPeer(&value, 0, 1), INVALID_DEVICE);
    assert_int_equal(cudaDeviceEnablePeerAccess(0, 0), INVALID_DEVICE);
    assert_int_equal(cudaDeviceGetP2PAttribute(&value, 1, 0, 0), INVALID_DEVICE);
}

static int attribute(int number)
{
    int value = -99;
    assert_int_equal(cudaDeviceGetAttribute(&value, number, 0), SUCCESS);
    return value;
}

static void attributes_are_the_configurations(void **state)
{
    (void)state;
    int value;
    assert_int_equal(attribute(1), 1024);
    assert_int_equal(attribute(8), 48 * 1024);
    assert_int_equal(attribute(10), 32);
    assert_int_equal(attribute(13), 1980000);
    assert_int_equal(attribute(16), 132);
    assert_int_equal(attribute(32), 1);
    assert_int_equal(attribute(37), 6016);
    assert_int_equal(attribute(38), 60 << 20); /* as of 96 slices, of which 94 are used */
    assert_int_equal(attribute(96), 1);
    assert_int_equal(attribute(107), 1);
    assert_int_equal(attribute(75), 9);
    assert_int_equal(attribute(76), 0);
    assert_int_equal(attribute(87), 2);
    assert_int_equal(attribute(97), 227 * 1024);
    assert_int_equal(attribute(134), -1);
    for (int number = 1; number <= 147; number++)
        attribute(number);
    assert_int_equal(cudaDeviceGetAttribute(&value, 0, 0), INVALID_VALUE);
    assert_int_equal(cudaDeviceGetAttribute(&value, 148, 0), INVALID_VALUE);
    assert_int_equal(cudaDeviceGetAttribute(&value, 1, 1), INVALID_DEVICE);
    assert_int_equal(cudaDeviceGetAttribute(NULL, 1, 0), INVALID_VALUE);
}

/* Offsets of CUDA 13's cudaDeviceProp, which tests/cuda/abi.cu compares with CUDA's header. */
static void properties_are_the_attributes(void **state)
{
    (void)state;
    enum { SIZE = 1008, GUARD = 8 };
    enum { TOTAL = 288, SHARED = 296, MAX_THREADS = 320, MAJOR = 360, PROCESSORS = 384 };
    uint8_t bytes[SIZE + GUARD];
    uint64_t total, shared;
    size_t free, all;
    int number;
    memset(bytes, 0xEE, sizeof bytes);
    assert_int_equal(cudaGetDeviceProperties(bytes, 0), SUCCESS);
    assert_string_equal((char *)bytes, "Warpbeam h200");
    memcpy(&total, bytes + TOTAL, sizeof total);
    assert_int_equal(cudaMemGetInfo(&free, &all), SUCCESS);
    assert_int_equal(total, all);
    memcpy(&shared, bytes + SHARED, sizeof shared);
    assert_int_equal(shared, 48 * 1024);
    memcpy(&number, bytes + MAX_THREADS, sizeof number);
    assert_int_equal(number, 1024);
    memcpy(&number, bytes + MAJOR, sizeof number);
    assert_int_equal(number, 9);
    memcpy(&number, bytes + PROCESSORS, sizeof number);
    assert_int_equal(number, 132);
    for (int i = 0; i < GUARD; i++)
        assert_int_equal(bytes[SIZE + i], 0xEE);
    assert_int_equal(bytes[SIZE - 1], 0);
    assert_int_equal(cudaGetDeviceProperties(bytes, 1), INVALID_DEVICE);
    assert_int_equal(cudaGetDeviceProperties(NULL, 0), INVALID_VALUE);
    assert_int_equal(cudaChooseDevice(&number, bytes), SUCCESS);
    assert_int_equal(number, 0);
}

static void the_bus_has_a_place_for_it(void **state)
{
    (void)state;
    char name[16];
    int device = -1;
    assert_int_equal(cudaDeviceGetPCIBusId(name, sizeof name, 0), SUCCESS);
    assert_string_equal(name, "0000:01:00.0");
    assert_int_equal(cudaDeviceGetPCIBusId(name, 12, 0), INVALID_VALUE);
    assert_int_equal(cudaDeviceGetByPCIBusId(&device, "0000:01:00.0"), SUCCESS);
    assert_int_equal(device, 0);
    assert_int_equal(cudaDeviceGetByPCIBusId(&device, "01:00.0"), SUCCESS);
    assert_int_equal(cudaDeviceGetByPCIBusId(&device, "0000:02:00.0"), INVALID_DEVICE);
    assert_int_equal(cudaDeviceGetByPCIBusId(&device, "here"), INVALID_VALUE);
}

static size_t limit(int number)
{
    size_t value = 0;
    assert_int_equal(cudaDeviceGetLimit(&value, number), SUCCESS);
    return value;
}

static void settings_are_kept_until_a_reset(void **state)
{
    (void)state;
    enum { STACK, PRINTF, HEAP, SYNC_DEPTH, PENDING, PERSISTING = 6, LIMITS };
    unsigned flags;
    int value;
    size_t size;
    assert_int_equal(limit(STACK), 1024);
    assert_int_equal(limit(HEAP), 8 << 20);
    assert_int_equal(cudaDeviceSetLimit(STACK, 100000), SUCCESS);
    assert_int_equal(limit(STACK), 100000);
    assert_int_equal(cudaDeviceSetLimit(HEAP, 64 << 20), SUCCESS);
    assert_int_equal(limit(HEAP), 64 << 20);
    assert_int_equal(limit(PENDING), 2048);
    assert_int_equal(cudaDeviceSetLimit(PENDING, 10000), SUCCESS);
    assert_int_equal(limit(PENDING), 10000);
    assert_int_equal(cudaDeviceSetLimit(PENDING, 1), SUCCESS);
    assert_int_equal(limit(PENDING), 32); /* there is room for some in any case */
    assert_int_equal(cudaDeviceGetLimit(&size, SYNC_DEPTH), UNSUPPORTED_LIMIT);
    assert_int_equal(cudaDeviceSetLimit(SYNC_DEPTH, 4), UNSUPPORTED_LIMIT);
    assert_int_equal(cudaDeviceSetLimit(PERSISTING, SIZE_MAX), INVALID_VALUE);
    assert_int_equal(cudaDeviceSetLimit(LIMITS, 1), UNSUPPORTED_LIMIT);
    assert_int_equal(cudaDeviceGetLimit(&size, -1), UNSUPPORTED_LIMIT);
    assert_int_equal(cudaSetDeviceFlags(4), SUCCESS);
    assert_int_equal(cudaGetDeviceFlags(&flags), SUCCESS);
    assert_int_equal(flags, 12);
    assert_int_equal(cudaSetDeviceFlags(3), INVALID_VALUE);
    assert_int_equal(cudaDeviceSetCacheConfig(2), SUCCESS);
    assert_int_equal(cudaDeviceGetCacheConfig(&value), SUCCESS);
    assert_int_equal(value, 2);
    assert_int_equal(cudaDeviceSetCacheConfig(4), INVALID_VALUE);
    assert_int_equal(cudaDeviceReset(), SUCCESS);
    assert_int_equal(limit(STACK), 1024);
    assert_int_equal(cudaGetDeviceFlags(&flags), SUCCESS);
    assert_int_equal(flags, 8);
}

static void a_reset_ends_all(void **state)
{
    (void)state;
    size_t before, between, after, total;
    void *memory, *array, *stream, *event;
    const ChannelFormat format = {32, 0, 0, 0, 2};
    assert_int_equal(cudaMemGetInfo(&before, &total), SUCCESS);
    assert_int_equal(cudaMalloc(&memory, 1 << 20), SUCCESS);
    assert_int_equal(cudaMemGetInfo(&between, &total), SUCCESS);
    assert_true(between < before);
    assert_int_equal(cudaMallocArray(&array, &format, 64, 64, 0), SUCCESS);
    assert_int_equal(cudaStreamCreate(&stream), SUCCESS);
    assert_int_equal(cudaEventCreate(&event), SUCCESS);
    assert_int_equal(cudaDeviceReset(), SUCCESS);
    assert_int_equal(cudaMemGetInfo(&after, &total), SUCCESS);
    assert_int_equal(after, before);
    assert_int_equal(cudaFree(memory), INVALID_VALUE);
    assert_int_equal(cudaFreeArray(array), INVALID_HANDLE);
    assert_int_equal(cudaStreamDestroy(stream), INVALID_HANDLE);
    assert_int_equal(cudaEventDestroy(event), INVALID_HANDLE);
}

static void versions_are_told(void **state)
{
    (void)state;
    int driver = 0, runtime = 0, least = 9, greatest = 9;
    assert_int_equal(cudaDriverGetVersion(&driver), SUCCESS);
    assert_int_equal(cudaRuntimeGetVersion(&runtime), SUCCESS);
    assert_int_equal(runtime, 13000);
    assert_true(driver >= runtime);
    assert_int_equal(cudaDriverGetVersion(NULL), INVALID_VALUE);
    assert_int_equal(cudaDeviceGetStreamPriorityRange(&least, &greatest), SUCCESS);
    assert_true(least == 0 && greatest < 0);
}

int main(void)
{
    setenv("WARPBEAM_GPU", "h200", 1);
    setenv("WARPBEAM_FUNCTIONAL", "1", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_one_device),
        cmocka_unit_test(attributes_are_the_configurations),
        cmocka_unit_test(properties_are_the_attributes),
        cmocka_unit_test(the_bus_has_a_place_for_it),
        cmocka_unit_test(settings_are_kept_until_a_reset),
        cmocka_unit_test(a_reset_ends_all),
        cmocka_unit_test(versions_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
