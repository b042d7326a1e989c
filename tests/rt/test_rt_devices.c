/* Several devices in one process: contexts, modules and memory of each, and which of them may use whose. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"

enum { DEVICES = 3, ILLEGAL_DEVICE = 101, PEER_NOT_ENABLED = 705 };

int cudaGetDeviceCount(int *count);
int cudaGetDevice(int *device);
int cudaSetDevice(int device);
int cudaDeviceReset(void);
int cudaDeviceSynchronize(void);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaDeviceGetDefaultMemPool(void **pool, int device);
int cudaDeviceSetMemPool(int device, void *pool);
int cudaMemPoolSetAccess(void *pool, const void *accesses, size_t count);
int cudaMallocAsync(void **pointer, size_t size, void *stream);
int cudaFreeAsync(void *pointer, void *stream);
int cudaMalloc(void **pointer, size_t size);
int cudaMemcpy(void *destination, const void *source, size_t size, int kind);
int cuCtxDisablePeerAccess(void *context);
int cuDeviceGetUuid_v2(void *uuid, int device);
int cuMemcpyPeer(uint64_t destination, void *to, uint64_t source, void *from, size_t size);
int cuPointerGetAttribute(void *data, int attribute, uint64_t address);
int cuStreamGetDevice(void *stream, int *device);

static const char ptx[] = ".version 7.2\n.target sm_50\n.address_size 64\n"
                          ".visible .global .u32 own = 7;\n"
                          ".visible .global .attribute(.managed) .u32 common = 5;\n"
                          ".visible .entry put(.param .u64 cell, .param .u32 value)\n{\n"
                          "  .reg .b32 %r<2>; .reg .b64 %d<2>;\n"
                          "  ld.param.u64 %d1, [cell]; ld.param.u32 %r1, [value];\n"
                          "  st.global.u32 [%d1], %r1; ret;\n}\n";

static char path[] = "/tmp/warpbeam-devices-XXXXXX.yaml";

static int begin(void **state)
{
    (void)state;
    const int file = mkstemps(path, 5);
    const char text[] = "gpus:\n  - titanx\n  - gpu: h200\n    sm_count: 9\n  - titanx\nglobal_bytes: 1 GiB\n";
    if (file < 0 || write(file, text, sizeof text - 1) != (ssize_t)sizeof text - 1)
        return -1;
    close(file);
    setenv("WARPBEAM_GPUS", path, 1);
    setenv("WARPBEAM_FUNCTIONAL", "1", 1);
    setenv("WARPBEAM_SET", "memory_check=allocation", 1);
    return cuInit(0);
}

static int end(void **state)
{
    (void)state;
    return unlink(path);
}

static int launch(void *function, uint64_t cell, uint32_t value, void *stream)
{
    void *arguments[] = {&cell, &value};
    return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL);
}

static uint32_t word_at(uint64_t address)
{
    uint32_t value = 0;
    OK(cuMemcpyDtoH_v2(&value, address, sizeof value));
    return value;
}

static void devices_are_those_of_the_file(void **state)
{
    (void)state;
    int count = 0, value = 0;
    char uuids[DEVICES][16];
    OK(cuDeviceGetCount(&count));
    assert_int_equal(count, DEVICES);
    OK(cudaDeviceGetAttribute(&value, 16, 1));
    assert_int_equal(value, 9);
    OK(cudaDeviceGetAttribute(&value, 16, 2));
    assert_int_not_equal(value, 9);
    OK(cuDeviceGetAttribute(&value, 75, 1));
    assert_int_equal(value, 9);
    for (int i = 0; i < DEVICES; i++) {
        size_t bytes = 0;
        OK(cuDeviceTotalMem_v2(&bytes, i));
        assert_int_equal(bytes, 1 << 30);
        OK(cuDeviceGetUuid_v2(uuids[i], i));
        assert_true(i == 0 || memcmp(uuids[i], uuids[i - 1], 16) != 0);
    }
    assert_int_equal(cuDeviceGet(&value, DEVICES), INVALID_DEVICE);
    assert_int_equal(cuDeviceTotalMem_v2(&(size_t){0}, -1), INVALID_DEVICE);
}

static void the_current_context_says_the_device(void **state)
{
    (void)state;
    void *contexts[DEVICES], *current = NULL, *primary;
    int device = -1;
    for (int i = 0; i < DEVICES; i++) {
        OK(cuCtxCreate_v2(&contexts[i], 0, i));
        OK(cuCtxGetDevice(&device));
        assert_int_equal(device, i);
        OK(cudaGetDevice(&device));
        assert_int_equal(device, i);
    }
    OK(cuCtxPopCurrent_v2(&current));
    assert_ptr_equal(current, contexts[2]);
    OK(cuCtxGetDevice(&device));
    assert_int_equal(device, 1);
    OK(cuCtxSetCurrent(contexts[0]));
    OK(cudaGetDevice(&device));
    assert_int_equal(device, 0);
    /* cudaSetDevice replaces the current context by the primary one. */
    OK(cudaSetDevice(2));
    OK(cuCtxGetCurrent(&current));
    OK(cuDevicePrimaryCtxRetain(&primary, 2));
    assert_ptr_equal(current, primary);
    OK(cuDevicePrimaryCtxRelease_v2(2));
    assert_int_equal(cudaSetDevice(DEVICES), ILLEGAL_DEVICE);
    OK(cudaGetDevice(&device));
    assert_int_equal(device, 2);
    for (int i = 0; i < DEVICES; i++)
        OK(cuCtxDestroy_v2(contexts[i]));
    OK(cuCtxSetCurrent(NULL));
    OK(cuCtxSetCurrent(NULL));
    OK(cudaSetDevice(0));
}

static void a_library_is_on_every_device(void **state)
{
    (void)state;
    void *library = NULL, *kernel = NULL;
    uint64_t common[DEVICES], own[DEVICES], cell;
    OK(cudaSetDevice(0));
    OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&kernel, library, "put"));
    for (int i = 0; i < DEVICES; i++) {
        size_t size;
        int device = -1;
        OK(cudaSetDevice(i));
        OK(cuModuleGetGlobal_v2(&common[i], &size, library, "common"));
        OK(cuModuleGetGlobal_v2(&own[i], &size, library, "own"));
        assert_int_equal(common[i], common[0]); /* managed: one for all */
        assert_true(i == 0 || own[i] != own[i - 1]);
        assert_int_equal(word_at(own[i]), 7);
        OK(cuMemAlloc_v2(&cell, 4));
        OK(cuPointerGetAttribute(&device, 9, cell));
        assert_int_equal(device, i);
        OK(launch(kernel, cell, 40 + (uint32_t)i, NULL));
        assert_int_equal(word_at(cell), 40 + i);
        OK(launch(kernel, own[i], (uint32_t)i, NULL));
        OK(launch(kernel, common[i], 90 + (uint32_t)i, NULL));
        OK(cuCtxSynchronize());
        assert_int_equal(*(const uint32_t *)(uintptr_t)common[0], 90 + i);
        OK(cuMemFree_v2(cell));
    }
    for (uint32_t i = 0; i < DEVICES; i++)
        assert_int_equal(word_at(own[i]), i);
    OK(cudaSetDevice(0));
    OK(cuModuleUnload(library));
}

static void a_module_is_of_its_context(void **state)
{
    (void)state;
    void *module = NULL, *function = NULL, *stream = NULL;
    uint64_t cell;
    int device = -1;
    OK(cudaSetDevice(1));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&function, module, "put"));
    OK(cuMemAlloc_v2(&cell, 4));
    OK(cuStreamCreate(&stream, 0));
    OK(launch(function, cell, 3, stream));
    assert_int_equal(word_at(cell), 3);
    OK(cudaSetDevice(2));
    assert_int_equal(launch(function, cell, 4, NULL), INVALID_HANDLE);
    assert_int_equal(launch(function, cell, 4, stream), INVALID_HANDLE);
    OK(cuStreamGetDevice(stream, &device));
    assert_int_equal(device, 1);
    assert_int_equal(word_at(cell), 3); /* a copy reaches every device */
    OK(cuStreamDestroy_v2(stream));
    OK(cuMemFree_v2(cell));
    OK(cuModuleUnload(module));
    OK(cudaSetDevice(0));
}

static void peers_are_contexts_of_other_devices(void **state)
{
    (void)state;
    void *primary[2], *library = NULL, *kernel = NULL;
    uint64_t cells[2];
    for (int i = 0; i < 2; i++) {
        OK(cuDevicePrimaryCtxRetain(&primary[i], i));
        OK(cuCtxSetCurrent(primary[i]));
        OK(cuMemAlloc_v2(&cells[i], 4));
    }
    OK(cuCtxSetCurrent(primary[0]));
    OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&kernel, library, "put"));
    assert_int_equal(cuCtxDisablePeerAccess(primary[1]), PEER_NOT_ENABLED);
    assert_int_equal(cuCtxEnablePeerAccess(primary[0], 0), INVALID_VALUE);
    OK(cuCtxEnablePeerAccess(primary[1], 0));
    assert_int_equal(cuCtxEnablePeerAccess(primary[1], 0), PEER_ALREADY_ENABLED);
    OK(launch(kernel, cells[1], 12, NULL));
    OK(cuCtxSynchronize());
    assert_int_equal(word_at(cells[1]), 12);
    OK(cuMemcpyPeer(cells[0], primary[0], cells[1], primary[1], 4));
    assert_int_equal(word_at(cells[0]), 12);
    OK(cuCtxDisablePeerAccess(primary[1]));
    OK(launch(kernel, cells[1], 13, NULL));
    assert_int_equal(cuCtxSynchronize(), ILLEGAL_ADDRESS);
    for (int i = 0; i < DEVICES; i++) { /* all GPUs have stopped */
        assert_int_equal(cudaSetDevice(i), ILLEGAL_ADDRESS);
        OK(cudaDeviceReset());
    }
    OK(cudaSetDevice(0));
}

static void pools_are_of_a_device(void **state)
{
    (void)state;
    void *pools[2], *memory[2];
    int device = -1;
    for (int i = 0; i < 2; i++) {
        OK(cudaDeviceGetDefaultMemPool(&pools[i], i));
        OK(cudaSetDevice(i));
        OK(cudaMallocAsync(&memory[i], 100, NULL));
        OK(cuPointerGetAttribute(&device, 9, (uint64_t)(uintptr_t)memory[i]));
        assert_int_equal(device, i);
        OK(cudaFreeAsync(memory[i], NULL));
        OK(cudaDeviceSynchronize());
    }
    assert_ptr_not_equal(pools[0], pools[1]);
    assert_int_equal(cudaDeviceSetMemPool(0, pools[1]), INVALID_VALUE);
    OK(cudaMallocAsync(&memory[0], 100, NULL)); /* not what device 0 has freed */
    assert_ptr_equal(memory[0], memory[1]);
    OK(cudaFreeAsync(memory[0], NULL));
    OK(cudaSetDevice(0));
}

/* The device that a pool is on uses its memory, whoever else was given access or lost it. */
static void pools_are_their_devices_own(void **state)
{
    (void)state;
    void *pool, *memory, *library = NULL, *kernel = NULL;
    struct {
        int type, device, flags;
    } access = {1, 2, 3}; /* the device with this number may read and write */
    OK(cudaSetDevice(1));
    OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&kernel, library, "put"));
    OK(cudaDeviceGetDefaultMemPool(&pool, 1));
    OK(cudaMallocAsync(&memory, 4, NULL));
    for (uint32_t i = 0; i < 3; i++) {
        const uint64_t cell = (uint64_t)(uintptr_t)memory;
        OK(launch(kernel, cell, 20 + i, NULL));
        assert_int_equal(word_at(cell), 20 + i);
        access.flags = i == 0 ? 3 : 0;
        OK(cudaMemPoolSetAccess(pool, &access, 1));
    }
    OK(cudaFreeAsync(memory, NULL));
    OK(cudaDeviceSynchronize());
    OK(cuModuleUnload(library));
    OK(cudaSetDevice(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_those_of_the_file),
        cmocka_unit_test(the_current_context_says_the_device),
        cmocka_unit_test(a_library_is_on_every_device),
        cmocka_unit_test(a_module_is_of_its_context),
        cmocka_unit_test(pools_are_of_a_device),
        cmocka_unit_test(pools_are_their_devices_own),
        cmocka_unit_test(peers_are_contexts_of_other_devices),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
