/* On which SMs the blocks of a grid begin, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 dealt.cu -o dealt && ./dealt > h200-dealt.csv
 *
 * Each block notes its SM and sleeps for 10 us, so that none ends before the last begins. Columns: blocks; threads of a
 * block; launch; then the SM of each block. */
#include "caches.cuh"

static const int MOST = 1056;

__global__ void go(uint32_t *sms)
{
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0)
        sms[blockIdx.x] = sm;
    __nanosleep(10000);
}

int main()
{
    static uint32_t got[MOST];
    uint32_t *sms;
    CHECK(cudaMalloc(&sms, sizeof got));
    printf("blocks,threads,launch,sms\n");
    for (int threads : {32, 256, 1024})
        for (int blocks : {1, 2, 4, 8, 16, 24, 48, 64, 96, 132, 264, 1056}) {
            if (blocks * threads > 132 * 2048)
                continue;
            for (int launch = 0; launch < 2; launch++) {
                go<<<blocks, threads>>>(sms);
                CHECK(cudaDeviceSynchronize());
                CHECK(cudaMemcpy(got, sms, sizeof got, cudaMemcpyDeviceToHost));
                printf("%d,%d,%d", blocks, threads, launch);
                for (int block = 0; block < blocks; block++)
                    printf(",%d", got[block]);
                printf("\n");
            }
        }
    return 0;
}
