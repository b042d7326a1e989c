// Managed memory: host and kernels take turns at one pointer; advice and prefetching change nothing.
#include "check.h"

struct Node {
    int value;
    Node *next;
};

__global__ void add_one(int *values, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        values[i]++;
}

__global__ void sum_list(const Node *node, int *sum)
{
    for (*sum = 0; node; node = node->next)
        *sum += node->value;
}

int main()
{
    const int count = 3000;
    const size_t bytes = count * sizeof(int);
    int *values;
    CUDA(cudaMallocManaged(&values, bytes));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < count; i++)
            values[i] = round * 1000 + i;
        add_one<<<(count + 255) / 256, 256>>>(values, count);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < count; i++)
            CHECK_EQUAL(values[i], round * 1000 + i + 1);
    }
    cudaPointerAttributes attributes;
    CUDA(cudaPointerGetAttributes(&attributes, values));
    CHECK_EQUAL(attributes.type, cudaMemoryTypeManaged);

    // Pointers inside the memory mean the same on both sides.
    Node *nodes;
    CUDA(cudaMallocManaged(&nodes, 10 * sizeof(Node), cudaMemAttachGlobal));
    for (int i = 0; i < 10; i++) {
        nodes[i].value = i + 1;
        nodes[i].next = i < 9 ? &nodes[i + 1] : nullptr;
    }
    sum_list<<<1, 1>>>(nodes, values);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(values[0], 55);

    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    CUDA(cudaMemAdvise(values, bytes, cudaMemAdviseSetReadMostly, device));
    CUDA(cudaMemPrefetchAsync(values, bytes, device, 0, 0));
    CUDA(cudaMemPrefetchAsync(values, bytes, host, 0, 0));
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(values[0], 55);

    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaStreamAttachMemAsync(stream, values, 0, cudaMemAttachSingle));
    CUDA(cudaStreamSynchronize(stream));
    add_one<<<1, 32, 0, stream>>>(values, 1);
    CUDA(cudaStreamSynchronize(stream));
    CHECK_EQUAL(values[0], 56);

    CUDA(cudaMemset(values, 0, bytes));
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(values[count - 1], 0);
    int copy;
    values[5] = 77;
    CUDA(cudaMemcpy(&copy, values + 5, sizeof copy, cudaMemcpyDefault));
    CHECK_EQUAL(copy, 77);
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(values));
    CUDA(cudaFree(nodes));
    return check_result();
}
