/* What workloads need of a GPU (common/host.h), by the CUDA driver. Before a module is loaded, L2 is
 * filled with other lines, none of which has to be written back: a kernel finds there what its own copies
 * left, whatever ran before. */
#include "record/host_cuda.h"

#include "common/host.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES = 4096, ARGUMENTS = 32, OTHER_BYTES = 256 << 20, PIECE_BYTES = 1 << 20 };

/* The driver's functions that are used, by the names in its library. */
#define DRIVER_FUNCTIONS(X)                                                                                  \
    X(cuInit, cuInit)                                                                                        \
    X(cuDeviceGet, cuDeviceGet)                                                                              \
    X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain)                                                    \
    X(cuCtxSetCurrent, cuCtxSetCurrent)                                                                      \
    X(cuCtxSynchronize, cuCtxSynchronize)                                                                    \
    X(cuModuleLoad, cuModuleLoad)                                                                            \
    X(cuModuleUnload, cuModuleUnload)                                                                        \
    X(cuModuleGetFunction, cuModuleGetFunction)                                                              \
    X(cuModuleGetGlobal, cuModuleGetGlobal_v2)                                                               \
    X(cuMemAlloc, cuMemAlloc_v2)                                                                             \
    X(cuMemFree, cuMemFree_v2)                                                                               \
    X(cuMemcpyHtoD, cuMemcpyHtoD_v2)                                                                         \
    X(cuMemcpyDtoH, cuMemcpyDtoH_v2)                                                                         \
    X(cuMemcpyDtoD, cuMemcpyDtoD_v2)                                                                         \
    X(cuLaunchKernel, cuLaunchKernel)                                                                        \
    X(cuGetErrorString, cuGetErrorString)

#undef cuModuleGetGlobal
#undef cuMemAlloc
#undef cuMemFree
#undef cuMemcpyHtoD
#undef cuMemcpyDtoH
#undef cuMemcpyDtoD

static struct {
#define DECLARE(name, symbol) __typeof__(symbol) *name;
    DRIVER_FUNCTIONS(DECLARE)
    bool is_open;
    CUdeviceptr other;
    const char *launches[LAUNCHES]; /* names, copied */
    size_t launch_count;
} driver;

const char *host_cuda_launch(size_t index)
{
    return index < driver.launch_count ? driver.launches[index] : NULL;
}

static void fail(Host *host, const char *what, const char *why)
{
    if (host->status != WB_OK)
        return;
    host->status = WB_ERROR_EXECUTION;
    snprintf(host->error, sizeof host->error, "%s: %s.", what, why);
}

static void check(Host *host, const char *what, CUresult result)
{
    const char *why = "unknown error";
    if (result == CUDA_SUCCESS)
        return;
    driver.cuGetErrorString(result, &why);
    fail(host, what, why);
}

static void open_driver(Host *host)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        fail(host, "There is no CUDA driver", dlerror());
        return;
    }
#define FIND(name, symbol)                                                                                   \
    if (!(driver.name = (__typeof__(driver.name))dlsym(library, #symbol)))                                   \
        fail(host, "libcuda.so.1 has no function", #symbol);
    DRIVER_FUNCTIONS(FIND)
    CUdevice device = 0;
    CUcontext context = NULL;
    if (host->status == WB_OK)
        check(host, "cuInit", driver.cuInit(0));
    if (host->status == WB_OK)
        check(host, "cuDeviceGet", driver.cuDeviceGet(&device, 0));
    if (host->status == WB_OK)
        check(host, "cuDevicePrimaryCtxRetain", driver.cuDevicePrimaryCtxRetain(&context, device));
    if (host->status == WB_OK)
        check(host, "cuCtxSetCurrent", driver.cuCtxSetCurrent(context));
    if (host->status == WB_OK)
        check(host, "cuMemAlloc", driver.cuMemAlloc(&driver.other, OTHER_BYTES));
    driver.is_open = host->status == WB_OK;
}

/* Copies within the device leave their lines in L2 as kernels do (tests/device/caches). All pieces go to
 * one place, so that only its lines are written. */
static void fill_l2(Host *host)
{
    for (size_t at = PIECE_BYTES; host->status == WB_OK && at < OTHER_BYTES; at += PIECE_BYTES)
        check(host, "cuMemcpyDtoD", driver.cuMemcpyDtoD(driver.other, driver.other + at, PIECE_BYTES));
    if (host->status == WB_OK)
        check(host, "cuCtxSynchronize", driver.cuCtxSynchronize());
}

Host host_begin(WbGpu *gpu, const char *directory, const char *file)
{
    Host host = {.gpu = gpu};
    char path[1024];
    CUmodule module = NULL;
    if (!driver.is_open)
        open_driver(&host);
    snprintf(path, sizeof path, "%s/%.*s.cubin", directory, (int)strcspn(file, "."), file);
    if (host.status == WB_OK)
        check(&host, path, driver.cuModuleLoad(&module, path));
    fill_l2(&host);
    host.module = (WbModule *)module;
    return host;
}

void host_end(Host *host)
{
    if (host->module)
        driver.cuModuleUnload((CUmodule)host->module);
    host->module = NULL;
}

uint64_t host_buffer(Host *host, const void *data, size_t bytes)
{
    CUdeviceptr address = 0;
    if (host->status == WB_OK)
        check(host, "cuMemAlloc", driver.cuMemAlloc(&address, bytes));
    if (data)
        host_write(host, address, data, bytes);
    return address;
}

void host_free(Host *host, uint64_t address)
{
    if (address && host->status == WB_OK)
        check(host, "cuMemFree", driver.cuMemFree(address));
}

uint64_t host_symbol(Host *host, const char *name)
{
    CUdeviceptr address = 0;
    size_t bytes;
    if (host->status == WB_OK)
        check(host, name, driver.cuModuleGetGlobal(&address, &bytes, (CUmodule)host->module, name));
    return address;
}

void host_read(Host *host, void *to, uint64_t from, size_t bytes)
{
    memset(to, 0, bytes);
    if (host->status == WB_OK)
        check(host, "cuMemcpyDtoH", driver.cuMemcpyDtoH(to, from, bytes));
}

void host_write(Host *host, uint64_t to, const void *from, size_t bytes)
{
    if (host->status == WB_OK)
        check(host, "cuMemcpyHtoD", driver.cuMemcpyHtoD(to, from, bytes));
}

void host_set(Host *host, const char *variable, const void *from, size_t bytes)
{
    host_write(host, host_symbol(host, variable), from, bytes);
}

/* Only launches with a list of arguments are known here, which is what the workloads that are recorded
 * have. */
void host_launch_as(Host *host, const char *name, const WbLaunch *launch)
{
    void *pointers[ARGUMENTS];
    CUfunction kernel = NULL;
    if (launch->argument_count > ARGUMENTS || driver.launch_count == LAUNCHES)
        fail(host, name, "more arguments or launches than host_cuda.c has room for");
    for (uint32_t i = 0; i < launch->argument_count && i < ARGUMENTS; i++)
        pointers[i] = (void *)(uintptr_t)launch->arguments[i].data;
    if (host->status == WB_OK)
        check(host, name, driver.cuModuleGetFunction(&kernel, (CUmodule)host->module, name));
    if (host->status == WB_OK)
        check(host, name,
              driver.cuLaunchKernel(kernel, launch->grid.x, launch->grid.y, launch->grid.z, launch->block.x,
                                    launch->block.y, launch->block.z, launch->shared_bytes, NULL, pointers,
                                    NULL));
    if (host->status == WB_OK)
        check(host, name, driver.cuCtxSynchronize());
    if (host->status == WB_OK)
        driver.launches[driver.launch_count++] = strdup(name);
}

void host_launch(Host *host, const char *name, WbDim3 grid, WbDim3 block, const WbArgument *arguments,
                 uint32_t count)
{
    const WbLaunch launch = {.grid = grid, .block = block, .arguments = arguments, .argument_count = count};
    host_launch_as(host, name, &launch);
}

/* The GPU leaves no records behind: Nsight Compute counts from outside. */
size_t wb_record_count(const WbGpu *gpu)
{
    (void)gpu;
    return 0;
}

WbStatus wb_record_at(const WbGpu *gpu, size_t index, WbRecord *record)
{
    (void)gpu, (void)index, (void)record;
    return WB_ERROR_NOT_FOUND;
}

WbStatus wb_record_stat(const WbGpu *gpu, size_t index, const char *name, WbStat *stat)
{
    (void)gpu, (void)index, (void)name, (void)stat;
    return WB_ERROR_NOT_FOUND;
}
