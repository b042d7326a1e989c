// Allocation in stream order: the default pool, pools of one's own, and their bookkeeping.
#include "check.h"

__global__ void fill(int *values, int count, int number)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        values[i] = number + i;
}

int main()
{
    const int count = 5000;
    const size_t bytes = count * sizeof(int);
    int host[count];
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    for (int round = 0; round < 3; round++) {
        int *values;
        CUDA(cudaMallocAsync(&values, bytes, stream));
        fill<<<1, 256, 0, stream>>>(values, count, round);
        CUDA(cudaMemcpyAsync(host, values, bytes, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaFreeAsync(values, stream));
        CUDA(cudaStreamSynchronize(stream));
        for (int i = 0; i < count; i++)
            CHECK_EQUAL(host[i], round + i);
    }

    cudaMemPool_t pool, current;
    CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
    CUDA(cudaDeviceGetMemPool(&current, 0));
    CHECK(pool == current);
    unsigned long long threshold = ~0ull, used = 1, high = 0;
    CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    threshold = 0;
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    CHECK(threshold == ~0ull);
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK_EQUAL(used, 0);
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high));
    CHECK(high >= bytes);
    CUDA(cudaMemPoolTrimTo(pool, 0));

    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, 0};
    cudaMemPool_t own;
    CUDA(cudaMemPoolCreate(&own, &properties));
    int *values;
    CUDA(cudaMallocFromPoolAsync((void **)&values, bytes, own, stream));
    fill<<<1, 256, 0, stream>>>(values, count, 9);
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used >= bytes);
    CUDA(cudaFree(values)); // ordinary freeing works, too
    CUDA(cudaDeviceSetMemPool(0, own));
    CUDA(cudaDeviceGetMemPool(&current, 0));
    CHECK(current == own);
    CUDA(cudaDeviceSetMemPool(0, pool));
    cudaMemAccessFlags access;
    CUDA(cudaMemPoolGetAccess(&access, own, &properties.location));
    CHECK_EQUAL(access, cudaMemAccessFlagsProtReadWrite);
    cudaMemAccessDesc permission = {properties.location, cudaMemAccessFlagsProtReadWrite};
    CUDA(cudaMemPoolSetAccess(own, &permission, 1));
    CUDA(cudaMemPoolDestroy(own));
    CUDA_FAILS(cudaErrorMemoryAllocation, cudaMallocAsync(&values, 1ull << 50, stream));
    CUDA(cudaStreamDestroy(stream));
    return check_result();
}
