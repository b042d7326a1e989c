/* How long the first load of a line takes, by what was done to the line before, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 firsts.cu -o firsts && ./firsts > h200-firsts.csv
 *
 * Before each row a kernel reads 512 MiB of something else, so that nothing is in L2. One SM, the reader,
 * then loads a word of each line past its L1, one after the other. `near` rows are of lines whose home is in
 * the reader's half of L2, `far` rows of the others: what an atomic takes tells which. `same` is another SM
 * of the reader's half, `other` one of the other half. Columns: what was done; near or far; lines; least, a
 * tenth, the middle, nine tenths, most of their cycles; mean. */
#include <algorithm>
#include <vector>

#include "caches.cuh"

enum { LINES = 2048, LINE = 32 /* words */, SMS = 132 };

static __device__ __forceinline__ uint32_t sm_number()
{
    uint32_t number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

enum What { LOAD, STORE_LINE, STORE_WORD, ATOMIC, LOAD_LINE };

/* The block on SM `sm` does it to all lines, lane 0 or the warp; other blocks end at once. */
__global__ void act(uint32_t *lines, uint32_t sm, What what, uint32_t *cycles, int count)
{
    if (sm_number() != sm)
        return;
    uint32_t sum = 0;
    for (int i = 0; i < count; i++) {
        uint32_t *at = lines + i * LINE, value = 0;
        const uint32_t start = clock();
        if (what == STORE_LINE)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(at + threadIdx.x), "r"(i) : "memory");
        else if (what == LOAD_LINE)
            asm volatile("ld.global.cg.u32 %0, [%1];"
                         : "=r"(value)
                         : "l"(at + threadIdx.x + (sum & 0))
                         : "memory");
        else if (threadIdx.x == 0 && what == STORE_WORD)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(i) : "memory");
        else if (threadIdx.x == 0 && what == ATOMIC)
            value = atomicAdd(at + (sum & 0), 0);
        else if (threadIdx.x == 0)
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at + (sum & 0)) : "memory");
        /* The clock is read when the value is there: nothing passes a branch that hangs on it. */
        asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %1, 0xdeadbeef; @odd trap; add.u32 %0, %0, %1; }"
                     : "+r"(sum)
                     : "r"(value)
                     : "memory");
        const uint32_t took = clock() - start;
        if (cycles && threadIdx.x == 0)
            cycles[i] = took;
    }
    __threadfence();
    if (sum == 0xdeadbeef)
        lines[0] = sum;
}

static uint32_t *lines, *cycles, *flush, *host;
static const size_t FLUSH = (size_t)512 << 20;
static uint32_t reader = 0, same = 0, other = 0;
static std::vector<bool> is_far;

static void act_on(uint32_t sm, What what, uint32_t *into, int count)
{
    act<<<SMS, 32, 200 << 10>>>(lines, sm, what, into, count);
    CHECK(cudaDeviceSynchronize());
}

static void flush_all()
{
    read_all<<<1056, 256>>>((const uint4 *)flush, FLUSH / 16, cycles + LINES);
    CHECK(cudaDeviceSynchronize());
}

/* Half-way between what the nearest and the furthest take. */
static uint32_t between(const std::vector<uint32_t> &took)
{
    return (*std::min_element(took.begin(), took.end()) + *std::max_element(took.begin(), took.end())) / 2;
}

/* What the last of a few atomics takes tells an SM's half, what each takes the lines'. */
static void find_homes()
{
    enum { FEW = 8 };
    std::vector<uint32_t> last;
    for (uint32_t sm = 0; sm < SMS; sm++) {
        act_on(sm, ATOMIC, cycles, FEW);
        act_on(sm, ATOMIC, cycles, FEW);
        last.push_back(cycles[FEW - 1]);
    }
    for (uint32_t sm = 1; sm < SMS; sm++)
        *((last[sm] > between(last)) == (last[reader] > between(last)) ? &same : &other) = sm;
    act_on(reader, ATOMIC, cycles, LINES);
    act_on(reader, ATOMIC, cycles, LINES);
    std::vector<uint32_t> took(cycles, cycles + LINES);
    std::vector<uint32_t> sorted = took;
    std::sort(sorted.begin(), sorted.end());
    const uint32_t limit = (sorted[LINES / 20] + sorted[LINES - 1 - LINES / 20]) / 2;
    is_far.resize(LINES);
    for (int i = 0; i < LINES; i++)
        is_far[i] = took[i] > limit;
}

static void print_row(const char *name, bool far)
{
    std::vector<uint32_t> all;
    double sum = 0;
    for (int i = 0; i < LINES; i++)
        if (is_far[i] == far)
            all.push_back(cycles[i]), sum += cycles[i];
    std::sort(all.begin(), all.end());
    const size_t n = all.size();
    if (n == 0)
        return;
    printf("%s,%s,%zu,%u,%u,%u,%u,%u,%.1f\n", name, far ? "far" : "near", n, all[0], all[n / 10], all[n / 2],
           all[n * 9 / 10], all[n - 1], sum / n);
    fflush(stdout);
}

template <class Prepare> static void measure(const char *name, Prepare prepare)
{
    flush_all();
    prepare();
    act_on(reader, LOAD, cycles, LINES);
    print_row(name, false);
    print_row(name, true);
}

int main()
{
    const size_t bytes = LINES * LINE * 4;
    CHECK(cudaFuncSetAttribute(act, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    CHECK(cudaMallocManaged(&cycles, 65536));
    CHECK(cudaMalloc(&lines, bytes));
    CHECK(cudaMalloc(&flush, FLUSH));
    CHECK(cudaMallocHost(&host, bytes));
    CHECK(cudaMemset(flush, 0, FLUSH));
    CHECK(cudaMemset(lines, 0, bytes));
    find_homes();
    fprintf(stderr, "same %u other %u\n", same, other);
    printf("after,home,lines,least,tenth,middle,nine_tenths,most,mean\n");
    measure("nothing", [] {});
    measure("load_by_reader", [] { act_on(reader, LOAD, NULL, LINES); });
    measure("load_by_same", [] { act_on(same, LOAD, NULL, LINES); });
    measure("load_by_other", [] { act_on(other, LOAD, NULL, LINES); });
    measure("store_line_by_reader", [] { act_on(reader, STORE_LINE, NULL, LINES); });
    measure("store_line_by_same", [] { act_on(same, STORE_LINE, NULL, LINES); });
    measure("store_line_by_other", [] { act_on(other, STORE_LINE, NULL, LINES); });
    measure("store_word_by_same", [] { act_on(same, STORE_WORD, NULL, LINES); });
    measure("store_word_by_other", [] { act_on(other, STORE_WORD, NULL, LINES); });
    measure("load_by_same_store_line_by_other", [] {
        act_on(same, LOAD_LINE, NULL, LINES);
        act_on(other, STORE_LINE, NULL, LINES);
    });
    measure("load_by_other_store_line_by_same", [] {
        act_on(other, LOAD_LINE, NULL, LINES);
        act_on(same, STORE_LINE, NULL, LINES);
    });
    measure("atomic_by_same", [] { act_on(same, ATOMIC, NULL, LINES); });
    measure("atomic_by_other", [] { act_on(other, ATOMIC, NULL, LINES); });
    measure("memset", [=] {
        CHECK(cudaMemset(lines, 0, bytes));
        CHECK(cudaDeviceSynchronize());
    });
    measure("copy_from_host", [=] {
        CHECK(cudaMemcpy(lines, host, bytes, cudaMemcpyHostToDevice));
        CHECK(cudaDeviceSynchronize());
    });
    measure("copy_from_host_load_by_other", [=] {
        CHECK(cudaMemcpy(lines, host, bytes, cudaMemcpyHostToDevice));
        act_on(other, LOAD, NULL, LINES);
    });
    measure("copy_to_host", [=] { CHECK(cudaMemcpy(host, lines, bytes, cudaMemcpyDeviceToHost)); });
    return 0;
}
