/* Loads and stores that meet in L1 and L2, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 l1.cu -o l1 && ./l1 > h200-l1.csv
 *
 * `pair` rows: one lane loads or stores twice; cycles from the second access until its value is there. Each
 * is the middle of 31 goes at other lines, which a copy of zeros has left in L2. The address of the second
 * access depends on the first only where the name says "after".
 * `loop` rows: warps of one block, each lane with an element of its own, add to it in memory: cycles of an
 * iteration. `dram` rows: lines that are in no cache; cycles of loads of sectors one after the other. */
#include <algorithm>

#include "caches.cuh"

enum { GOES = 31, LINE = 32 /* words */ };

static __device__ __forceinline__ uint32_t load(const uint32_t *at)
{
    uint32_t value;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

static __device__ __forceinline__ void store(uint32_t *at, uint32_t value)
{
    asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

/* The clock when the value is there: nothing passes a branch that hangs on it. */
static __device__ __forceinline__ uint32_t clock_after(uint32_t value)
{
    uint32_t now;
    asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %1, 0xdeadbeef; @odd trap; mov.u32 %0, %%clock; }"
                 : "=r"(now)
                 : "r"(value)
                 : "memory");
    return now;
}

/* Cycles until the value of a load is there. */
static __device__ __forceinline__ uint32_t timed(const uint32_t *at, uint32_t &sum)
{
    const uint32_t start = clock_after(sum), value = load(at), took = clock_after(value) - start;
    sum += value;
    return took;
}

enum Pair {
    MISS,                  /* alone */
    HIT,                   /* the same word again */
    OTHER_SECTOR,          /* of a line of which one sector was loaded */
    STORE_THEN_LOAD,       /* of a line that is not in L1 */
    STORE_WAIT_LOAD,       /* the same, 2000 cycles later */
    LOAD_STORE_LOAD,       /* of a line that is in L1: at once */
    LOAD_STORE_WAIT_LOAD,  /* the same, 2000 cycles later */
    LOAD_STORE_OTHER_WORD, /* in L1: another word of the sector, 2000 cycles later */
    LOAD_STORE_OTHER_SECTOR,
    STORE_WAIT_OTHER_WORD, /* not in L1: another word of the sector, 2000 cycles later */
    STORE_WAIT_OTHER_SECTOR,
    MISS_THEN_HIT,  /* a hit while another line's miss is under way */
    MISS_THEN_SAME, /* a load of a word that is on its way */
    STORE_THEN_HIT, /* a hit while a store to another line is under way */
    STORE_THEN_MISS,
    PAIRS
};

static const char *const pair_names[PAIRS] = {"miss",
                                              "hit",
                                              "other_sector",
                                              "store_then_load",
                                              "store_wait_load",
                                              "load_store_load",
                                              "load_store_wait_load",
                                              "load_store_wait_other_word",
                                              "load_store_wait_other_sector",
                                              "store_wait_other_word",
                                              "store_wait_other_sector",
                                              "miss_then_hit",
                                              "miss_then_same",
                                              "store_then_hit",
                                              "store_then_miss"};

static __device__ void rest()
{
    const uint32_t start = clock();
    while ((uint32_t)clock() - start < 2000)
        ;
}

__global__ void pairs(uint32_t *lines, uint32_t *cycles, int pair)
{
    uint32_t sum = 0;
    for (int go = 0; go < GOES; go++) {
        uint32_t *line = lines + go * 2 * LINE, *other = line + LINE;
        const int is_loaded = pair == HIT || pair == OTHER_SECTOR ||
                              (pair >= LOAD_STORE_LOAD && pair <= LOAD_STORE_OTHER_SECTOR) ||
                              pair == MISS_THEN_HIT || pair == STORE_THEN_HIT;
        if (is_loaded)
            sum += load(line);
        rest();
        if ((pair >= STORE_THEN_LOAD && pair <= STORE_WAIT_OTHER_SECTOR))
            store(line, sum + go);
        if (pair == STORE_WAIT_LOAD || (pair >= LOAD_STORE_WAIT_LOAD && pair <= STORE_WAIT_OTHER_SECTOR))
            rest();
        uint32_t pending = 0;
        if (pair == MISS_THEN_HIT)
            pending = load(other);
        if (pair == MISS_THEN_SAME)
            pending = load(line);
        if (pair == STORE_THEN_HIT || pair == STORE_THEN_MISS)
            store(other, go);
        const int word =
            pair == LOAD_STORE_OTHER_WORD || pair == STORE_WAIT_OTHER_WORD                               ? 3
            : pair == OTHER_SECTOR || pair == LOAD_STORE_OTHER_SECTOR || pair == STORE_WAIT_OTHER_SECTOR ? 9
                                                                                                         : 0;
        cycles[go] = timed(line + word, sum);
        sum += pending;
    }
    if (sum == 0xdeadbeef)
        cycles[0] = sum;
}

/* c[i] += a * b, with c in memory. */
__global__ void add_in_memory(volatile float *c, float a, int count, uint32_t *cycles)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __syncthreads();
    const uint32_t start = clock();
    for (int k = 0; k < count; k++)
        c[i] = c[i] + a;
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock() - start;
}

/* The inner loop of a matrix product that keeps its sum in memory. */
__global__ void product_in_memory(const float *a, const float *b, float *c, int n, int count,
                                  uint32_t *cycles)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    __syncthreads();
    const uint32_t start = clock();
    for (int k = 0; k < count; k++)
        c[y * n + x] += a[y * n + k] * b[k * n + x];
    if (threadIdx.x == 0 && threadIdx.y == 0)
        cycles[blockIdx.y * gridDim.x + blockIdx.x] = clock() - start;
}

/* The sum of a column, kept in memory; and in a register. */
__global__ void column_in_memory(const float *a, float *sums, int n, int rows, uint32_t *cycles)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    __syncthreads();
    const uint32_t start = clock();
    for (int k = 0; k < rows; k++)
        sums[x] += a[k * n + x];
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock() - start;
}

__global__ void sectors(const uint32_t *lines, uint32_t *cycles, const int *order, int words)
{
    uint32_t sum = 0;
    for (int go = 0; go < GOES; go++)
        for (int i = 0; i < words; i++)
            cycles[go * words + i] = timed(lines + go * 4096 * 4 + order[i] + (sum & 0), sum);
    if (sum == 0xdeadbeef)
        cycles[0] = sum;
}

static uint32_t *cycles, *memory, *flush;
static const size_t FLUSH = (size_t)512 << 20;

static uint32_t middle(int first, int step)
{
    uint32_t all[GOES];
    for (int go = 0; go < GOES; go++)
        all[go] = cycles[first + go * step];
    std::sort(all, all + GOES);
    return all[GOES / 2];
}

static void measure_pairs()
{
    for (int pair = 0; pair < PAIRS; pair++) {
        for (int i = 0; i < 2; i++) { /* the first has the code fetched */
            CHECK(cudaMemset(memory, 0, 1 << 20));
            pairs<<<1, 1>>>(memory, cycles, pair);
            CHECK(cudaDeviceSynchronize());
        }
        printf("pair,%s,%u\n", pair_names[pair], middle(0, 1));
    }
}

static double mean(int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += cycles[i];
    return sum / count;
}

static void measure_loops()
{
    enum { COUNT = 128 };
    for (int warps = 1; warps <= 32; warps *= 2) {
        for (int i = 0; i < 2; i++) {
            CHECK(cudaMemset(memory, 0, 1 << 20));
            add_in_memory<<<1, warps * 32>>>((float *)memory, 1, COUNT, cycles);
            CHECK(cudaDeviceSynchronize());
        }
        printf("loop,add_in_memory_%d_warps,%.1f\n", warps, mean(1) / COUNT);
    }
    float *a = (float *)memory, *b = a + 256 * 256, *c = b + 256 * 256;
    for (int n = 128; n <= 256; n *= 2) {
        for (int i = 0; i < 2; i++) {
            CHECK(cudaMemset(memory, 0, 1 << 20));
            product_in_memory<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, c, n, n, cycles);
            CHECK(cudaDeviceSynchronize());
        }
        printf("loop,product_in_memory_%d,%.1f\n", n, mean(n / 32 * n / 8) / n);
    }
    for (int warps = 1; warps <= 8; warps *= 2) {
        for (int i = 0; i < 2; i++) {
            CHECK(cudaMemset(memory, 0, 2 << 20));
            column_in_memory<<<2, warps * 32>>>(a, (float *)memory + (1 << 19), 512, 512, cycles);
            CHECK(cudaDeviceSynchronize());
        }
        printf("loop,column_in_memory_%d_warps,%.1f\n", warps, mean(2) / 512);
    }
}

/* The order in which words of a page are loaded, behind a flush. */
static void measure_sectors(const char *name, const int *order, int words)
{
    int *orders;
    CHECK(cudaMallocManaged(&orders, words * sizeof *orders));
    for (int go = 0; go < 2; go++) {
        std::copy(order, order + words, orders);
        read_all<<<1056, 256>>>((const uint4 *)flush, FLUSH / 16, cycles + 8192);
        sectors<<<1, 1>>>(memory, cycles, orders, words);
        CHECK(cudaDeviceSynchronize());
    }
    printf("dram,%s", name);
    for (int i = 0; i < words; i++)
        printf(",%u", middle(i, words));
    printf("\n");
    CHECK(cudaFree(orders));
}

int main()
{
    CHECK(cudaMallocManaged(&cycles, 65536));
    CHECK(cudaMalloc(&memory, 8 << 20));
    CHECK(cudaMalloc(&flush, FLUSH));
    CHECK(cudaMemset(flush, 0, FLUSH));
    measure_pairs();
    measure_loops();
    static const int sectors_of_line[] = {0, 8, 16, 24}, backwards[] = {24, 16, 8, 0};
    static const int neighbours[] = {0, 32, 64, 128, 256, 512, 1024, 2048};
    measure_sectors("sectors_0_1_2_3", sectors_of_line, 4);
    measure_sectors("sectors_3_2_1_0", backwards, 4);
    measure_sectors("lines_0_1_2_4_8_16_32_64", neighbours, 8);
    return 0;
}
