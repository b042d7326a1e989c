// cuGetProcAddress, and the runtime's way to the same functions.
// nvcc: -lcuda
#include "check_driver.h"

typedef CUresult (*Init)(unsigned);
typedef CUresult (*DeviceGet)(CUdevice *, int);
typedef CUresult (*MemAlloc)(CUdeviceptr *, size_t);
typedef CUresult (*MemFree)(CUdeviceptr);
typedef CUresult (*Memset)(CUdeviceptr, unsigned, size_t);
typedef CUresult (*CopyOut)(void *, CUdeviceptr, size_t);

template <typename Function> static Function find(const char *name, int version)
{
    void *function = nullptr;
    CUdriverProcAddressQueryResult found;
    CU(cuGetProcAddress(name, &function, version, CU_GET_PROC_ADDRESS_DEFAULT, &found));
    CHECK_EQUAL(found, CU_GET_PROC_ADDRESS_SUCCESS);
    CHECK(function != nullptr);
    return (Function)function;
}

int main()
{
    CU(find<Init>("cuInit", 12000)(0));
    CUdevice device = -1;
    CU(find<DeviceGet>("cuDeviceGet", 2000)(&device, 0));
    CHECK_EQUAL(device, 0);
    CUcontext context;
    CU(cuCtxCreate(&context, nullptr, 0, device));

    // Unsuffixed names with a version give the newest of that version.
    CUdeviceptr memory;
    unsigned value = 0;
    CU(find<MemAlloc>("cuMemAlloc", 13000)(&memory, 64));
    CU(find<Memset>("cuMemsetD32", 12000)(memory, 0xabcd, 16));
    CU(find<CopyOut>("cuMemcpyDtoH", 11040)(&value, memory, sizeof value));
    CHECK_EQUAL(value, 0xabcd);
    CU(find<MemFree>("cuMemFree", 13000)(memory));

    void *function = (void *)1;
    CUdriverProcAddressQueryResult found;
    // With somewhere to say so, not finding one is no error.
    CU(cuGetProcAddress("cuThereIsNoSuchFunction", &function, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &found));
    CHECK_EQUAL(found, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    CHECK(function == nullptr);
    // A function that came later than the version that is asked for.
    CUresult result = cuGetProcAddress("cuStreamBeginCaptureToGraph", &function, 10000,
                                       CU_GET_PROC_ADDRESS_DEFAULT, &found);
    CHECK(result != CUDA_SUCCESS || found == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);

    cudaDriverEntryPointQueryResult entry;
    CUDA(cudaGetDriverEntryPointByVersion("cuMemAlloc", &function, 12000, cudaEnableDefault, &entry));
    CHECK_EQUAL(entry, cudaDriverEntryPointSuccess);
    CU(((MemAlloc)function)(&memory, 64));
    CU(cuMemFree(memory));
    return check_result();
}
