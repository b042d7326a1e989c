/* Which stores of an SM an H200 makes one of before they go to L2.
 *
 *     nvcc -O3 -arch=sm_90 combine.cu -o combine && ./combine > launches.csv
 *     ncu --clock-control none --cache-control none --csv --log-file counts.csv \
 *         --metrics lts__t_requests_srcunit_tex_op_write.sum,lts__t_sectors_srcunit_tex_op_write.sum ./combine
 *
 * Some warps store 240 times between them, each every `gap` cycles and in turns, so that a store comes every
 * gap/warps cycles; with a gap of 0 each as fast as it can. One lane stores unless `what` says otherwise. `counts.py` puts both files together (requests, sectors);
 * its columns are: what; SMs; warps of each; gap; stores; requests and sectors that L2 wrote for them. */
#include <vector>

#include "caches.cuh"

enum What { WORD, WORDS_OF_SECTOR, WORDS_OF_LINE, TWO_LINES, FAR_LINES, LINE_EACH, WHOLE_LINE, VOLATILE, EIGHT_LINES,
            LOAD_BETWEEN, RELAXED, HALVES, CHANGED, LINE_OF_TWO, LINE_OF_APART, WHATS };
static const char *const names[] = {"word", "words of a sector", "words of a line", "two lines in turn",
                                    "two lines 16 KiB apart in turn", "line for each warp", "whole line", "volatile word",
                                    "eight lines in turn", "word and a load of another line", "relaxed word",
                                    "first and last sector in turn", "word and a load of it",
                                    "line for two warps", "line for two warps that are not next to each other"};
enum { STORES = 240, MOST = 132 };
static uint32_t *data;

template <int WHAT> __global__ void combine(uint32_t *p, uint32_t gap, uint32_t times)
{
    const uint32_t warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
    uint32_t next = clock() + 2000 + warp * gap / warps;
    if (lane && WHAT != WHOLE_LINE)
        return;
    for (uint32_t i = 0; i < times; i++) {
        while (gap && (int)(clock() - next) < 0)
            ;
        uint32_t *at = p;
        at += WHAT == WORDS_OF_SECTOR ? i % 8 : WHAT == WORDS_OF_LINE ? i % 32 : WHAT == TWO_LINES ? i % 2 * 32 : 0;
        at += WHAT == FAR_LINES ? i % 2 * 4096 : WHAT == LINE_EACH ? warp * 32 : WHAT == WHOLE_LINE ? lane : 0;
        at += WHAT == LINE_OF_TWO ? warp / 2 * 32 : WHAT == LINE_OF_APART && warps > 1 ? warp % (warps / 2) * 32 : 0;
        at += WHAT == EIGHT_LINES ? i % 8 * 32 : WHAT == HALVES ? i % 2 * 24 : 0;
        if (WHAT == VOLATILE)
            asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(at), "r"(i) : "memory");
        else if (WHAT == RELAXED)
            asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(i) : "memory");
        else
            asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(i) : "memory");
        if (WHAT == LOAD_BETWEEN || WHAT == CHANGED) {
            uint32_t value;
            asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(WHAT == CHANGED ? p : p + 8192) : "memory");
            asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(value) : "memory");
        }
        next += gap;
    }
}

template <int WHAT> static void launch(int blocks)
{
    for (int warps : WHAT == WORD ? std::vector<int>{1, 2, 4, 8, 16} : std::vector<int>{1, 4, 8})
        for (int gap : {0, 20, 40, 60, 80, 100, 120, 160, 200, 300, 400, 600, 1000}) {
            combine<WHAT><<<blocks, warps * 32>>>(data, gap, STORES / warps);
            CHECK(cudaGetLastError());
            CHECK(cudaDeviceSynchronize());
            printf("\"%s\",%d,%d,%d,%d\n", names[WHAT], blocks, warps, gap, STORES * blocks);
        }
}

int main()
{
    CHECK(cudaMalloc(&data, 1 << 20));
    printf("what,sms,warps,gap,stores\n");
    launch<WORD>(1), launch<WORDS_OF_SECTOR>(1), launch<WORDS_OF_LINE>(1), launch<TWO_LINES>(1), launch<FAR_LINES>(1);
    launch<LINE_EACH>(1), launch<WHOLE_LINE>(1), launch<VOLATILE>(1), launch<EIGHT_LINES>(1), launch<LOAD_BETWEEN>(1);
    launch<RELAXED>(1), launch<HALVES>(1), launch<CHANGED>(1), launch<LINE_OF_TWO>(1), launch<LINE_OF_APART>(1);
    launch<WORD>(MOST), launch<WHOLE_LINE>(MOST);
    return 0;
}
