/* What the first loads of pages that no kernel has used take, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 fresh.cu -o fresh && ./fresh > h200-fresh.csv
 *
 * Memory is new from cudaMalloc, and one kernel has run before on other memory. A warp on each of `sms` SMs loads a
 * word in each of `lanes` places, `stride` bytes apart, all at once; its own places or, `same`, lines of the same
 * pages as all others. Then other lines of the same pages again. Columns: what; SMs; lanes; bytes of stride; first,
 * again; least, middle, nine tenths, most of the warps' cycles. */
#include <algorithm>
#include <vector>

#include "caches.cuh"

__global__ void load(const char *data, int lanes, size_t stride, bool is_same, size_t offset, uint32_t *cycles)
{
    const int lane = threadIdx.x;
    const size_t place = (is_same ? 0 : (size_t)blockIdx.x * lanes) + lane;
    const char *at = data + place * stride + (is_same ? blockIdx.x * 4096 : 0) + offset;
    uint32_t value = 0;
    __syncwarp();
    const uint32_t start = clock();
    if (lane < lanes)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(value) : "memory");
    __syncwarp();
    if (lane == 0)
        cycles[blockIdx.x] = clock() - start;
}

static void print_row(int sms, int lanes, size_t stride, bool is_same, const char *when, const uint32_t *cycles)
{
    std::vector<uint32_t> took(132);
    CHECK(cudaMemcpy(took.data(), cycles, sms * 4, cudaMemcpyDeviceToHost));
    std::sort(took.begin(), took.begin() + sms);
    printf("%s,%d,%d,%zu,%s,%u,%u,%u,%u\n", is_same ? "same" : "own", sms, lanes, stride, when, took[0], took[sms / 2],
           took[sms * 9 / 10], took[sms - 1]);
}

int main()
{
    uint32_t *cycles;
    char *other;
    CHECK(cudaMalloc(&cycles, 4096));
    CHECK(cudaMalloc(&other, (size_t)132 * 4096 + (32 << 21)));
    load<<<132, 32>>>(other, 32, 1 << 12, true, 0, cycles);
    CHECK(cudaDeviceSynchronize());
    printf("pages,sms,lanes,stride,when,least,middle,nine_tenths,most\n");
    for (int round = 0; round < 2; round++)
        for (int sms : {1, 8, 132})
            for (int lanes : {1, 4, 32})
                for (size_t stride : {(size_t)64 << 10, (size_t)2 << 20})
                    for (bool is_same : {false, true}) {
                        const size_t bytes = (is_same ? lanes : (size_t)sms * lanes) * stride + 132 * 4096 + 4096;
                        char *data;
                        CHECK(cudaMalloc(&data, bytes));
                        load<<<sms, 32>>>(data, lanes, stride, is_same, 0, cycles);
                        CHECK(cudaDeviceSynchronize());
                        print_row(sms, lanes, stride, is_same, "first", cycles);
                        load<<<sms, 32>>>(data, lanes, stride, is_same, 2048, cycles);
                        CHECK(cudaDeviceSynchronize());
                        print_row(sms, lanes, stride, is_same, "again", cycles);
                        load<<<sms, 32>>>(data, lanes, stride, is_same, 2048, cycles);
                        CHECK(cudaDeviceSynchronize());
                        print_row(sms, lanes, stride, is_same, "in_l2", cycles);
                        CHECK(cudaFree(data));
                    }
    return 0;
}
