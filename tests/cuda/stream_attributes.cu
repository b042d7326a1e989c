// What streams say of themselves, and the hints that they take.
#include "check.h"

int main()
{
    cudaStream_t first, second;
    CUDA(cudaStreamCreate(&first));
    CUDA(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    unsigned long long first_id, second_id, default_id;
    CUDA(cudaStreamGetId(first, &first_id));
    CUDA(cudaStreamGetId(second, &second_id));
    CUDA(cudaStreamGetId(0, &default_id));
    CHECK(first_id != second_id && first_id != default_id);
    int device = -1;
    CUDA(cudaStreamGetDevice(first, &device));
    CHECK_EQUAL(device, 0);

    void *memory;
    CUDA(cudaMalloc(&memory, 1 << 20));
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.base_ptr = memory;
    value.accessPolicyWindow.num_bytes = 1 << 20;
    value.accessPolicyWindow.hitRatio = 0.5f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    CUDA(cudaStreamSetAttribute(first, cudaStreamAttributeAccessPolicyWindow, &value));
    cudaStreamAttrValue back = {};
    CUDA(cudaStreamGetAttribute(first, cudaStreamAttributeAccessPolicyWindow, &back));
    CHECK(back.accessPolicyWindow.base_ptr == memory && back.accessPolicyWindow.num_bytes == 1 << 20);
    CUDA(cudaStreamCopyAttributes(second, first));
    back = {};
    CUDA(cudaStreamGetAttribute(second, cudaStreamAttributeAccessPolicyWindow, &back));
    CHECK(back.accessPolicyWindow.base_ptr == memory);
    CUDA(cudaCtxResetPersistingL2Cache());
    CUDA(cudaStreamDestroy(first));
    CUDA(cudaStreamDestroy(second));
    return check_result();
}
