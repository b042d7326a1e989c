// nvcc: -gencode arch=compute_80,code=compute_80
// Pipelines and barriers of libcu++ whose copies are the threads' own (cp.async): what has been copied is there
// when the wait for it ends, with shared state, with several stages, with producers and consumers apart.
#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <vector>

#include "check.h"

namespace cg = cooperative_groups;

constexpr int threads = 128, words = threads * 4, batches = 6;

// One stage after the other, two under way: every thread reads what another one has copied.
template <int stages>
__global__ void shared_pipeline(const int *from, int *to)
{
    __shared__ alignas(16) int box[stages][words];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    const int me = threadIdx.x;
    from += blockIdx.x * batches * words;
    to += blockIdx.x * batches * words;
    int fetched = 0;
    for (int batch = 0; batch < batches; batch++) {
        for (; fetched < batches && fetched < batch + stages; fetched++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&box[fetched % stages][me * 4], from + fetched * words + me * 4,
                               cuda::aligned_size_t<16>(16), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        for (int i = 0; i < 4; i++)
            to[batch * words + i * threads + me] = box[batch % stages][words - 1 - (i * threads + me)];
        pipeline.consumer_release();
    }
}

// The first warps copy for the others.
__global__ void parted_pipeline(const int *from, int *to)
{
    constexpr int stages = 2, producers = 32;
    __shared__ alignas(16) int box[stages][words];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state, producers);
    const int me = threadIdx.x;
    from += blockIdx.x * batches * words;
    to += blockIdx.x * batches * words;
    for (int batch = 0; batch < batches; batch++) {
        if (me < producers) {
            pipeline.producer_acquire();
            for (int i = me; i < words / 4; i += producers)
                cuda::memcpy_async(&box[batch % stages][i * 4], from + batch * words + i * 4,
                                   cuda::aligned_size_t<16>(16), pipeline);
            pipeline.producer_commit();
        } else {
            pipeline.consumer_wait();
            for (int i = me - producers; i < words; i += threads - producers)
                to[batch * words + i] = box[batch % stages][words - 1 - i];
            pipeline.consumer_release();
        }
    }
}

// A barrier that the block's copies arrive at.
__global__ void with_barrier(const int *from, int *to)
{
    __shared__ alignas(16) int box[words];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    auto block = cg::this_thread_block();
    const int me = threadIdx.x;
    if (me == 0)
        init(&barrier, threads);
    block.sync();
    from += blockIdx.x * batches * words;
    to += blockIdx.x * batches * words;
    for (int batch = 0; batch < batches; batch++) {
        cuda::memcpy_async(&box[me * 4], from + batch * words + me * 4, cuda::aligned_size_t<16>(16), barrier);
        barrier.arrive_and_wait();
        for (int i = me; i < words; i += threads)
            to[batch * words + i] = box[words - 1 - i];
        barrier.arrive_and_wait();
    }
}

// The same by the whole block at once.
__global__ void by_group(const int *from, int *to)
{
    __shared__ alignas(16) int box[words];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    auto block = cg::this_thread_block();
    if (threadIdx.x == 0)
        init(&barrier, threads);
    block.sync();
    from += blockIdx.x * batches * words;
    to += blockIdx.x * batches * words;
    for (int batch = 0; batch < batches; batch++) {
        cuda::memcpy_async(block, box, from + batch * words, cuda::aligned_size_t<16>(sizeof box), barrier);
        barrier.arrive_and_wait();
        for (int i = threadIdx.x; i < words; i += threads)
            to[batch * words + i] = box[words - 1 - i];
        barrier.arrive_and_wait();
    }
}

int main()
{
    const int blocks = 3, count = blocks * batches * words;
    std::vector<int> host(count);
    for (int i = 0; i < count; i++)
        host[i] = i * 7 + 1;
    int *from, *to;
    CUDA(cudaMalloc(&from, count * sizeof(int)));
    CUDA(cudaMalloc(&to, count * sizeof(int)));
    CUDA(cudaMemcpy(from, host.data(), count * sizeof(int), cudaMemcpyHostToDevice));
    void (*kernels[])(const int *, int *) = {shared_pipeline<1>, shared_pipeline<2>, shared_pipeline<4>,
                                             parted_pipeline, with_barrier, by_group};
    for (auto kernel : kernels) {
        std::vector<int> got(count);
        CUDA(cudaMemset(to, 0, count * sizeof(int)));
        kernel<<<blocks, threads>>>(from, to);
        CUDA(cudaGetLastError());
        CUDA(cudaMemcpy(got.data(), to, count * sizeof(int), cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int i = 0; i < count; i++)
            wrong += got[i] != host[i / words * words + words - 1 - i % words];
        CHECK_EQUAL(wrong, 0);
    }
    return check_result();
}
