// Addresses and memory apart: reserved, created, mapped next to each other, used by kernels, given back.
// nvcc: -lcuda
#include "check_driver.h"

__global__ void number(int *values, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        values[i] = i;
}

int main()
{
    CUDA(cudaFree(nullptr)); // the runtime's primary context
    CUdevice device;
    CU(cuDeviceGet(&device, 0));
    int supported = 0;
    CU(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device));
    CHECK_EQUAL(supported, 1);
    CUmemAllocationProp properties = {};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    size_t granule;
    CU(cuMemGetAllocationGranularity(&granule, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CHECK(granule >= 4096 && (granule & (granule - 1)) == 0);

    CUdeviceptr address;
    CU(cuMemAddressReserve(&address, 4 * granule, 0, 0, 0));
    CHECK_EQUAL(address % granule, 0);
    CUmemGenericAllocationHandle first, second;
    CU(cuMemCreate(&first, granule, &properties, 0));
    CU(cuMemCreate(&second, granule, &properties, 0));
    CU(cuMemMap(address, granule, 0, first, 0));
    CU(cuMemMap(address + granule, granule, 0, second, 0));
    CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CU(cuMemSetAccess(address, 2 * granule, &access, 1));

    // A kernel and copies across the seam.
    int *values = (int *)address, seam[2];
    const int each = granule / sizeof(int), around = 64;
    number<<<2, 64>>>(values + each - around, 2 * around);
    CUDA(cudaMemcpy(seam, values + each - 1, sizeof seam, cudaMemcpyDeviceToHost));
    CHECK(seam[0] == around - 1 && seam[1] == around);
    CU(cuMemsetD32(address + granule - 4, 9, 2));
    CU(cuMemcpyDtoH(seam, address + granule - 4, sizeof seam));
    CHECK(seam[0] == 9 && seam[1] == 9);
    CUmemAllocationProp back;
    CU(cuMemGetAllocationPropertiesFromHandle(&back, first));
    CHECK_EQUAL(back.location.id, device);

    // The second piece again, elsewhere in the reservation: same contents.
    CU(cuMemUnmap(address + granule, granule));
    CU(cuMemMap(address + 3 * granule, granule, 0, second, 0));
    CU(cuMemSetAccess(address + 3 * granule, granule, &access, 1));
    CU(cuMemcpyDtoH(seam, address + 3 * granule, sizeof seam));
    CHECK(seam[0] == 9 && seam[1] == around + 1);
    CU_FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(seam, address + granule, sizeof seam));

    CU(cuMemUnmap(address, granule));
    CU(cuMemUnmap(address + 3 * granule, granule));
    CU(cuMemRelease(first));
    CU(cuMemRelease(second));
    CU(cuMemAddressFree(address, 4 * granule));
    return check_result();
}
