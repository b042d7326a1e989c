// Kernels that launch aggregated groups of blocks, which join a kernel that is under way: warpbeam_device.h
// in an ordinary CUDA program. No GPU has them; there the program only shows that it cannot be loaded.
// nvcc: -I../../include
// gpus: k20c h200
#include "check.h"
#include "warpbeam_device.h"

enum { LISTS = 200, THREADS = 64, LEAST = 48, FIBONACCI = 12 };

// As the parameters of `add` and of `count_leaves` lie in their buffers.
struct AddParameters {
    const int *items;
    int count;
    int *sum;
};
struct CountParameters {
    int number;
    int *leaves;
};

__global__ void add(const int *items, int count, int *sum)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        atomicAdd(sum, items[i]);
}

// A thread adds up a short list itself; blocks of `add` do so with a long one.
__global__ void add_lists(const int *starts, const int *items, int *sums, int *launched)
{
    const int list = blockIdx.x * blockDim.x + threadIdx.x;
    if (list >= LISTS)
        return;
    const int first = starts[list], count = starts[list + 1] - first;
    if (count < LEAST) {
        for (int i = 0; i < count; i++)
            sums[list] += items[first + i];
        return;
    }
    AddParameters *buffer = (AddParameters *)wb_get_parameter_buffer(8, sizeof(AddParameters));
    *buffer = {items + first, count, sums + list};
    const dim3 blocks((count + THREADS - 1) / THREADS);
    if (wb_launch_agg_group((const void *)add, buffer, blocks, dim3(THREADS), 0) == 0)
        atomicAdd(launched, 1);
}

// Groups launch groups of the same kernel: the call tree of the naive Fibonacci function.
__global__ void count_leaves(int number, int *leaves)
{
    if (number < 2 && threadIdx.x == 0)
        atomicAdd(leaves, 1);
    if (number >= 2 && threadIdx.x < 2) {
        CountParameters *buffer = (CountParameters *)wb_get_parameter_buffer(8, sizeof(CountParameters));
        *buffer = {number - 1 - (int)threadIdx.x, leaves};
        if (wb_launch_agg_group((const void *)count_leaves, buffer, dim3(1), dim3(32), 0) != 0)
            __trap();
    }
}

__global__ void launch_too_many_threads(int *error)
{
    AddParameters *buffer = (AddParameters *)wb_get_parameter_buffer(8, sizeof(AddParameters));
    *buffer = {nullptr, 0, nullptr};
    error[0] = wb_launch_agg_group((const void *)add, buffer, dim3(1), dim3(2048), 0);
    error[1] = wb_last_error();
    error[2] = wb_last_error();
}

static void check_lists(cudaStream_t stream)
{
    int starts[LISTS + 1] = {0}, expected_launches = 0;
    for (int i = 0; i < LISTS; i++) {
        const int count = i % 7 == 0 ? i * 3 : i % 5;
        starts[i + 1] = starts[i] + count;
        expected_launches += count >= LEAST;
    }
    int *device_starts, *items, *sums;
    CUDA(cudaMalloc(&device_starts, sizeof starts));
    CUDA(cudaMallocManaged(&items, starts[LISTS] * sizeof *items));
    CUDA(cudaMallocManaged(&sums, (LISTS + 1) * sizeof *sums));
    for (int i = 0; i < starts[LISTS]; i++)
        items[i] = i % 1000 - 300;
    CUDA(cudaMemcpyAsync(device_starts, starts, sizeof starts, cudaMemcpyHostToDevice, stream));
    CUDA(cudaMemsetAsync(sums, 0, (LISTS + 1) * sizeof *sums, stream));
    // Two of them: what the first has launched is complete before the second begins.
    for (int i = 0; i < 2; i++)
        add_lists<<<(LISTS + THREADS - 1) / THREADS, THREADS, 0, stream>>>(device_starts, items, sums,
                                                                           sums + LISTS);
    CUDA(cudaGetLastError());
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < LISTS; i++) {
        int sum = 0;
        for (int k = starts[i]; k < starts[i + 1]; k++)
            sum += 2 * items[k];
        CHECK_EQUAL(sums[i], sum);
    }
    CHECK_EQUAL(sums[LISTS], 2 * expected_launches);
    CUDA(cudaFree(device_starts));
    CUDA(cudaFree(items));
    CUDA(cudaFree(sums));
}

int main()
{
    int *words;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    CUDA(cudaMallocManaged(&words, 3 * sizeof *words));
    words[0] = 0;
    if (!simulated()) {
        count_leaves<<<1, 32>>>(FIBONACCI, words);
        CHECK(cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess);
        return check_result();
    }
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    check_lists(stream);

    CUDA(cudaEventRecord(begin, stream));
    count_leaves<<<1, 32, 0, stream>>>(FIBONACCI, words);
    CUDA(cudaEventRecord(end, stream));
    CUDA(cudaEventSynchronize(end));
    CHECK_EQUAL(words[0], 233);
    float milliseconds = 0;
    CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
    CHECK(milliseconds > 0);

    launch_too_many_threads<<<1, 1>>>(words);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(words[0], cudaErrorInvalidConfiguration);
    CHECK_EQUAL(words[1], cudaErrorInvalidConfiguration);
    CHECK_EQUAL(words[2], cudaSuccess);
    return check_result();
}
