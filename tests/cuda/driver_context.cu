// The driver API's devices and contexts: one's own, a stack of them, and the primary one.
// nvcc: -lcuda
#include "check_driver.h"

int main()
{
    int count, version;
    CUdevice device;
    CU_FAILS(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
    CU(cuInit(0));
    CU(cuDriverGetVersion(&version));
    CHECK(version >= 13000);
    CU(cuDeviceGetCount(&count));
    CHECK(count >= 1);
    CU(cuDeviceGet(&device, 0));
    CU_FAILS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 1000));
    CU(cuDeviceGet(&device, 0));
    char name[100];
    CU(cuDeviceGetName(name, sizeof name, device));
    CHECK(strlen(name) > 0);
    size_t bytes, available;
    CU(cuDeviceTotalMem(&bytes, device));
    CHECK(bytes > (256u << 20));
    int sms, major;
    CU(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
    CU(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    CHECK(sms > 0 && major > 0);
    CUuuid uuid;
    CU(cuDeviceGetUuid(&uuid, device));

    // Without a context there is no memory.
    CUdeviceptr memory;
    CU_FAILS(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&memory, 16));
    CUcontext first, second, current;
    CU(cuCtxCreate(&first, nullptr, 0, device));
    CU(cuCtxGetCurrent(&current));
    CHECK(current == first);
    CU(cuMemAlloc(&memory, 1 << 20));
    CU(cuMemGetInfo(&available, &bytes));
    CHECK(available < bytes);
    CUdevice of_context;
    CU(cuCtxGetDevice(&of_context));
    CHECK_EQUAL(of_context, device);
    CU(cuMemFree(memory));

    CU(cuCtxCreate(&second, nullptr, CU_CTX_SCHED_BLOCKING_SYNC, device));
    CU(cuCtxGetCurrent(&current));
    CHECK(current == second);
    CU(cuCtxPopCurrent(&current));
    CHECK(current == second);
    CU(cuCtxGetCurrent(&current));
    CHECK(current == first);
    CU(cuCtxPushCurrent(second));
    CU(cuCtxSynchronize());
    CU(cuCtxDestroy(second)); // takes itself off the stack
    CU(cuCtxSetCurrent(first));
    CU(cuCtxSynchronize());
    CU(cuCtxDestroy(first));

    CUcontext primary;
    unsigned flags;
    int active = 1;
    CU(cuDevicePrimaryCtxGetState(device, &flags, &active));
    CHECK_EQUAL(active, 0);
    CU(cuDevicePrimaryCtxRetain(&primary, device));
    CU(cuCtxSetCurrent(primary));
    CU(cuMemAlloc(&memory, 1 << 20));
    CU(cuMemFree(memory));
    CU(cuDevicePrimaryCtxGetState(device, &flags, &active));
    CHECK_EQUAL(active, 1);
    CU(cuDevicePrimaryCtxRelease(device));

    const char *text;
    CU(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
    CHECK(strcmp(text, "out of memory") == 0);
    CU(cuGetErrorName(CUDA_ERROR_INVALID_CONTEXT, &text));
    CHECK(strcmp(text, "CUDA_ERROR_INVALID_CONTEXT") == 0);
    CU_FAILS(CUDA_ERROR_INVALID_VALUE, cuGetErrorName((CUresult)12345, &text));
    return check_result();
}
