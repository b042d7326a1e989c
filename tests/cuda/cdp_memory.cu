// Memory in kernels: cudaMalloc and cudaFree for children, and copies and memsets in the order of streams.
// nvcc: -rdc=true
#include "check.h"

enum { COUNT = 100, ROOM = 2 << 20 /* bytes of each array, of which it uses few */ };

__global__ void fill(int *values, int first) { values[threadIdx.x] = first + threadIdx.x; }

__global__ void add_to(int *values, int amount) { values[threadIdx.x] += amount; }

__global__ void sum_up(const int *values, int *sum)
{
    for (int i = 0; i < COUNT; i++)
        *sum += values[i];
}

__global__ void release(int *values, int *errors) { *errors |= cudaFree(values); }

// Children fill, copy and add up memory that the parent allocated; the tail frees it.
__global__ void parent(int *sum, int *errors)
{
    int *values, *copy;
    *errors |= cudaMalloc(&values, ROOM);
    *errors |= cudaMalloc(&copy, ROOM);
    fill<<<1, COUNT>>>(values, 7);
    *errors |= cudaMemcpyAsync(copy, values, COUNT * sizeof *copy, cudaMemcpyDeviceToDevice, 0);
    add_to<<<1, COUNT>>>(values, 1000); // the copy came before
    *errors |= cudaMemsetAsync(values, 0, COUNT / 2 * sizeof *values, 0);
    sum_up<<<1, 1>>>(copy, sum);
    sum_up<<<1, 1>>>(values, sum + 1);
    release<<<1, 1, 0, cudaStreamTailLaunch>>>(values, errors);
    release<<<1, 1, 0, cudaStreamTailLaunch>>>(copy, errors);
}

__global__ void failures(int *errors, char *memory)
{
    __shared__ char shared[16];
    char local[16];
    void *untouched = memory, *pointer = memory;
    int n = 0;
    shared[threadIdx.x] = local[threadIdx.x] = *memory;
    errors[n++] = cudaMalloc(&pointer, (size_t)1 << 45); // out of memory
    errors[n++] = cudaMalloc(&pointer, 0);
    errors[n++] = cudaMemcpyAsync(memory, shared, 16, cudaMemcpyDeviceToDevice, 0);
    errors[n++] = cudaMemcpyAsync(memory, local, 16, cudaMemcpyDeviceToDevice, 0);
    errors[n++] = cudaMemcpyAsync(nullptr, memory, 16, cudaMemcpyDeviceToDevice, 0);
    errors[n++] = cudaMemcpyAsync(memory, memory + 16, 16, cudaMemcpyHostToDevice, 0); // wrong directions
    errors[n++] = cudaMemcpyAsync(memory, memory + 16, 16, cudaMemcpyDeviceToHost, 0);
    errors[n++] = cudaMemcpyAsync(memory, memory + 16, 0, cudaMemcpyDeviceToDevice, 0); // fine
    errors[n++] = cudaFree(nullptr);
    errors[n++] = pointer != untouched;
}

__global__ void rectangles(char *to, char *from, int value, int *errors)
{
    *errors |= cudaMemcpyAsync(to, from, 20, cudaMemcpyDefault, cudaStreamFireAndForget);
    *errors |= cudaMemcpy2DAsync(to + 32, 8, from, 5, 3, 4, cudaMemcpyDeviceToDevice, 0);
    cudaMemcpy3DParms box = {};
    box.srcPtr = {from, 6, 6, 3};
    box.dstPtr = {to + 64, 8, 8, 2};
    box.extent = {4, 2, 2};
    box.kind = cudaMemcpyDeviceToDevice;
    *errors |= cudaMemcpy3DAsync(&box, 0);
    *errors |= cudaMemset2DAsync(to + 96, 8, value, 3, 2, 0);
    *errors |= cudaMemset3DAsync({to + 112, 4, 4, 2}, value, {2, 2, 2}, 0);
}

static void check_rectangles(char *to, char *from)
{
    char expected[128];
    const int value = simulated() ? 0x2a5 : 0; // an H200 sets bytes to 0, whatever the value
    for (int i = 0; i < 128; i++)
        from[i] = 100 - i, to[i] = expected[i] = 55;
    memcpy(expected, from, 20);
    for (int row = 0; row < 4; row++)
        memcpy(expected + 32 + row * 8, from + row * 5, 3);
    for (int slice = 0; slice < 2; slice++)
        for (int row = 0; row < 2; row++) {
            memcpy(expected + 64 + (slice * 2 + row) * 8, from + (slice * 3 + row) * 6, 4);
            memset(expected + 112 + (slice * 2 + row) * 4, value, 2);
        }
    memset(expected + 96, value, 3);
    memset(expected + 104, value, 3);
    int *errors;
    CUDA(cudaMallocManaged(&errors, sizeof *errors));
    *errors = 0;
    rectangles<<<1, 1>>>(to, from, value, errors);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(*errors, 0);
    for (int i = 0; i < 128; i++)
        CHECK_EQUAL(to[i], expected[i]);
}

int main()
{
    int *sum, *errors;
    char *memory;
    CUDA(cudaMallocManaged(&sum, 2 * sizeof *sum));
    CUDA(cudaMallocManaged(&errors, 16 * sizeof *errors));
    CUDA(cudaMallocManaged(&memory, 256));
    int expected[2] = {0, 0};
    for (int i = 0; i < COUNT; i++)
        expected[0] += 7 + i, expected[1] += i < COUNT / 2 ? 0 : 1007 + i;
    // Often enough that the heap, which has 8 MiB, must give out again what was freed.
    for (int round = 0; round < 5; round++) {
        sum[0] = sum[1] = errors[0] = 0;
        parent<<<1, 1>>>(sum, errors);
        CUDA(cudaDeviceSynchronize());
        CHECK_EQUAL(errors[0], 0);
        CHECK_EQUAL(sum[0], expected[0]);
        CHECK_EQUAL(sum[1], expected[1]);
    }

    failures<<<1, 1>>>(errors, memory);
    CUDA(cudaDeviceSynchronize());
    const int codes[] = {2, 1, 1, 1, 1, 21, 21, 0, 0, 0};
    for (int i = 0; i < 10; i++)
        CHECK_EQUAL(errors[i], codes[i]);
    check_rectangles(memory, memory + 128);
    return check_result();
}
