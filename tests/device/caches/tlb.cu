/* How far address translation reaches, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 tlb.cu -o tlb && ./tlb > h200-tlb.csv
 *
 * One thread follows pointers through a buffer, one line in every `stride` bytes, in an order without a
 * pattern. There are at most 48 Ki lines, so that all of them stay in L2: what is more than an L2 hit is due
 * to translation. `first` is the mean of the first visit of all lines after 64 MiB elsewhere were read,
 * `again` the mean of the third. `first_kernel` is the same for the first kernel that ever uses the pages. */
#include <algorithm>
#include <vector>

#include "caches.cuh"

static const size_t KIB = 1 << 10, MIB = 1 << 20, GIB = 1 << 30;
enum { MOST_LINES = 48 * 1024 };

/* Writes the chain: order[i] is followed by order[i + 1]. */
__global__ void lay(char *buffer, const uint32_t *order, uint32_t count, size_t stride)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const uint32_t here = order[i], next = order[(i + 1) % count];
        *(uint64_t *)(buffer + here * stride + here * 128 % stride) = next * stride + next * 128 % stride;
    }
}

__global__ void follow(const char *buffer, uint64_t offset, uint32_t count, int visits, float *means,
                       int is_l1)
{
    for (int visit = 0; visit < visits; visit++) {
        const long long start = clock64();
        for (uint32_t i = 0; i < count; i++) {
            if (is_l1)
                asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(offset) : "l"(buffer + offset));
            else
                asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(offset) : "l"(buffer + offset));
        }
        means[visit] = (float)(clock64() - start + (offset & 7)) / count;
    }
}

static char *buffer, *other;
static uint32_t *orders, *sink;
static float *means;

static void measure(size_t stride, uint32_t count, int is_l1)
{
    std::vector<uint32_t> order(count);
    uint64_t random = 12345;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count - 1; i > 0; i--) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        std::swap(order[i], order[(random >> 33) % (i + 1)]);
    }
    CHECK(cudaMemcpy(orders, order.data(), count * 4, cudaMemcpyHostToDevice));
    lay<<<132, 256>>>(buffer, orders, count, stride);
    read_all<<<1056, 256>>>((const uint4 *)other, 16 * MIB / 16, sink);
    follow<<<1, 1>>>(buffer, order[0] * stride + order[0] * 128 % stride, count, 3, means, is_l1);
    CHECK(cudaDeviceSynchronize());
    printf("%s,%zu,%u,%g,%.1f,%.1f\n", is_l1 ? "ca" : "cg", stride / KIB, count, (double)stride * count / MIB,
           means[0], means[2]);
    fflush(stdout);
}

/* A kernel that is the first to use memory: a page each access. */
static void measure_first(size_t stride, uint32_t count)
{
    char *fresh;
    CHECK(cudaMalloc(&fresh, stride * count));
    CHECK(cudaMemset(fresh, 0, stride * count));
    std::vector<uint32_t> order(count);
    for (uint32_t i = 0; i < count; i++)
        order[i] = (i * 7919u) % count;
    CHECK(cudaMemcpy(orders, order.data(), count * 4, cudaMemcpyHostToDevice));
    lay<<<1, 256>>>(fresh, orders, count, stride);
    CHECK(cudaDeviceSynchronize());
    follow<<<1, 1>>>(fresh, order[0] * stride + order[0] * 128 % stride, count, 3, means, 0);
    CHECK(cudaDeviceSynchronize());
    printf("first_kernel,%zu,%u,%g,%.1f,%.1f\n", stride / KIB, count, (double)stride * count / MIB, means[0],
           means[2]);
    CHECK(cudaFree(fresh));
}

int main()
{
    const size_t bytes = 96 * GIB;
    CHECK(cudaMalloc(&buffer, bytes));
    CHECK(cudaMalloc(&other, 64 * MIB));
    CHECK(cudaMalloc(&orders, MOST_LINES * 4));
    CHECK(cudaMalloc(&sink, 4));
    CHECK(cudaMallocManaged(&means, 16));
    printf("load,stride_KiB,lines,MiB,first,again\n");
    const size_t strides[] = {64 * KIB, 512 * KIB, 2 * MIB, 16 * MIB, 64 * MIB};
    for (const int is_l1 : {0, 1})
        for (const size_t stride : strides)
            for (uint32_t count = 8; count <= MOST_LINES && count * stride <= bytes;
                 count += (count / 2 + 3) & ~3u)
                measure(stride, count, is_l1);
    for (const uint32_t count : {1u, 4u, 16u, 64u, 512u})
        measure_first(2 * MIB, count);
    return 0;
}
