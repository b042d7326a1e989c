/* When loads of one line by several SMs reach L2 as one, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 joined.cu -o joined && ./joined > launches.csv
 *     ncu --clock-control none --cache-control none --csv --log-file sectors.csv \
 *         --metrics lts__t_sectors_srcunit_tex_op_read.sum,l1tex__m_xbar2l1tex_read_sectors.sum ./joined
 *
 * One warp of each of some SMs loads the same 2,048 lines, which are in L2, one after the other; each SM begins `delay`
 * cycles behind the one before. counts.py puts both files together (l1_sectors, l2_sectors): h200-joined.csv. Columns: what; first SM; second SM; SMs
 * in all; delay. `pair`: two SMs; `all`: the first SMs; `twice`: the lines are gone through twice, the second time from L1. */
#include "caches.cuh"

static const int MOST = 132;
enum { COUNT = 2048 };

__global__ void go(const uint32_t *data, int first, int second, int sms, uint32_t delay, uint32_t *met, uint32_t *out)
{
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    const bool is_pair = second >= 0;
    if (is_pair ? (int)sm != first && (int)sm != second : (int)sm >= sms)
        return;
    const uint32_t turn = is_pair ? (int)sm == second : sm, wanted = is_pair ? 2 : sms;
    if (threadIdx.x == 0)
        atomicAdd(met, 1);
    while (*(volatile uint32_t *)met < wanted)
        ;
    const uint32_t start = clock();
    while ((uint32_t)clock() - start < turn * delay)
        ;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t got;
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(got) : "l"(data + i * 32 + threadIdx.x + (sum >> 31)) : "memory");
        asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(got) : "memory");
        sum |= got;
    }
    if (sum == 0xdeadbeef)
        *out = sum;
}

static uint32_t *data, *met;

static void run(const char *what, int first, int second, int sms, uint32_t delay)
{
    CHECK(cudaMemset(met, 0, 4));
    go<<<MOST, 32, 200 << 10>>>(data, first, second, sms, delay, met, met + 1);
    CHECK(cudaDeviceSynchronize());
    printf("%s,%d,%d,%d,%u\n", what, first, second, sms, delay);
}

int main()
{
    CHECK(cudaMalloc(&data, COUNT * 128));
    CHECK(cudaMalloc(&met, 8));
    CHECK(cudaMemset(data, 0, COUNT * 128));
    CHECK(cudaFuncSetAttribute(go, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    printf("what,first,second,sms,delay\n");
    run("all", 0, -1, 1, 0);
    run("all", 0, -1, MOST, 0);
    for (int second = 1; second < MOST; second++)
        run("pair", 0, second, 2, 0);
    for (uint32_t delay : {10u, 30u, 60u, 100u, 150u, 200u, 300u, 500u, 1000u, 5000u})
        run("pair", 0, 1, 2, delay), run("all", 0, -1, MOST, delay);
    for (int sms : {2, 4, 8, 16, 32, 64, 100})
        run("all", 0, -1, sms, 0);
    return 0;
}
