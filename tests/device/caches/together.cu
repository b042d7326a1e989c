/* How SMs of a GPC share loads that go to L2 at about the same time: how long another can join, how many can,
 * which loads do, and when the answer comes.
 *
 *     nvcc -O3 -arch=sm_90 together.cu -o together && ./together > launches.csv
 *     ncu --clock-control none --cache-control none --csv --log-file sectors.csv \
 *         --metrics lts__t_sectors_srcunit_tex_op_read.sum,lts__t_requests_srcunit_tex_op_read.sum ./together
 *
 * One cluster of some blocks, each on an SM of its own, all of one GPC. For each line they meet at the cluster's
 * barrier, which lets all go in the same few cycles; block r then waits for r * `late` cycles and loads. Each
 * block has `warps` warps with a line each at a time. Where a line belongs to DRAM no launch loads it twice. `counts.py`
 * puts both files together (l2_sectors, l2_requests). Columns: what; kind of load; SMs; warps; late; lines; cycles
 * from the barrier to the load in the second block and in the last; cycles of the load in the first block, in the
 * second, in the last; SM of the first; sectors and requests that L2 read. */
#include "caches.cuh"

enum Kind { PLAIN, RELAXED, VOLATILE, CONSTANT, PAST_L1, ATOMIC, KINDS };
enum Part { SAME, OWN_SECTOR, FIRST_ONE, FIRST_ALL };
static const char *const KIND_NAMES[] = {"plain", "relaxed", "volatile", "nc", "cg", "atomic"};
static const int LINES = 2048, MOST = 16;
static uint32_t *data, *out;
static uint64_t *times;
static size_t next_line;

static __device__ uint32_t ticks()
{
    uint32_t now;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
    return now;
}

template <int KIND> __device__ uint32_t load(uint32_t *p)
{
    uint32_t got;
    if (KIND == PLAIN)
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(got) : "l"(p) : "memory");
    if (KIND == RELAXED)
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(got) : "l"(p) : "memory");
    if (KIND == VOLATILE)
        asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(got) : "l"(p) : "memory");
    if (KIND == CONSTANT)
        asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(got) : "l"(p) : "memory");
    if (KIND == PAST_L1)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(got) : "l"(p) : "memory");
    if (KIND == ATOMIC)
        asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(got) : "l"(p) : "memory");
    return got;
}

template <int KIND>
__global__ void go(uint32_t *data, int rounds, int late, int part, uint64_t *times, uint32_t *out)
{
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    const int warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const bool one = part == FIRST_ONE ? rank == 0 : rank != 0;
    const int word = part == SAME ? lane : part == OWN_SECTOR ? rank % 4 * 8 + lane % 8 : one ? lane % 8 : lane;
    uint64_t waited = 0, loaded = 0;
    uint32_t sum = 0;
    for (int i = 0; i < rounds; i++) {
        uint32_t *p = data + (size_t)(i * warps + warp) * 32 + word + (sum >> 31);
        asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
        const uint32_t from = ticks();
        uint32_t start = ticks();
        while (start - from < rank * late)
            start = ticks();
        const uint32_t got = load<KIND>(p);
        asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(got) : "memory");
        const uint32_t end = ticks();
        sum |= got;
        waited += start - from, loaded += end - start;
    }
    if (threadIdx.x == 0)
        times[2 * rank] = waited, times[2 * rank + 1] = loaded;
    if (threadIdx.x == 0 && rank == 0)
        asm volatile("{ .reg .u32 sm; mov.u32 sm, %%smid; st.global.u32 [%0], sm; }" ::"l"(out + 1) : "memory");
    if (sum == 0xdeadbeef)
        *out = sum;
}

template <int KIND> static bool launch(cudaLaunchConfig_t *config, uint32_t *from, int rounds, int late, int part)
{
    CHECK(cudaFuncSetAttribute(go<KIND>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    CHECK(cudaFuncSetAttribute(go<KIND>, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    return cudaLaunchKernelEx(config, go<KIND>, from, rounds, late, part, times, out) == cudaSuccess;
}

static void run(const char *what, int kind, int part, int sms, int warps, int late)
{
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = sms, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = sms, config.blockDim = 32 * warps, config.dynamicSmemBytes = 200 << 10;
    config.attrs = &cluster, config.numAttrs = 1;
    const bool is_new = what[0] == 'd';
    const int rounds = LINES / warps;
    uint32_t *from = data + (is_new ? next_line * 32 : 0);
    next_line += is_new ? LINES : 0;
    static bool (*const launches[])(cudaLaunchConfig_t *, uint32_t *, int, int, int) = {
        launch<PLAIN>, launch<RELAXED>, launch<VOLATILE>, launch<CONSTANT>, launch<PAST_L1>, launch<ATOMIC>};
    if (!launches[kind](&config, from, rounds, late, part)) { /* no such cluster: no row, no launch */
        cudaGetLastError();
        return;
    }
    CHECK(cudaDeviceSynchronize());
    uint64_t t[2 * MOST];
    uint32_t sm;
    CHECK(cudaMemcpy(&sm, out + 1, sizeof sm, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(t, times, sizeof t, cudaMemcpyDeviceToHost));
    const double n = rounds;
    const int last = sms - 1, second = sms > 1;
    printf("%s,%s,%d,%d,%d,%d,%.1f,%.1f,%.1f,%.1f,%.1f,%u\n", what, KIND_NAMES[kind], sms, warps, late, LINES,
           t[2 * second] / n, t[2 * last] / n, t[1] / n, t[2 * second + 1] / n, t[2 * last + 1] / n, sm);
}

int main()
{
    const size_t lines = 4 << 20;
    CHECK(cudaMalloc(&data, lines * 128));
    CHECK(cudaMalloc(&out, 64));
    CHECK(cudaMalloc(&times, 2 * MOST * sizeof *times));
    CHECK(cudaMemset(data, 0, lines * 128));
    CHECK(cudaMemset(data + lines / 2 * 32, 0, lines / 2 * 128)); /* the first half is in DRAM only */
    next_line = LINES;
    printf("what,kind,sms,warps,late,lines,second_waits,last_waits,first_loads,second_loads,last_loads,first_sm\n");
    run("l2", PLAIN, SAME, 1, 1, 0); /* brings the lines to L2 */
    for (int again = 0; again < 2; again++)
        for (int late = 0; late <= 400; late += late < 160 ? 8 : 20)
            run("l2", PLAIN, SAME, 2, 1, late);
    for (int part : {SAME, OWN_SECTOR})
        for (int sms = 1; sms <= MOST; sms++)
            run(part == SAME ? "l2" : "l2 own_sector", PLAIN, part, sms, 1, 0);
    for (int sms : {3, 4, 8})
        for (int late : {10, 20, 40, 80})
            run("l2", PLAIN, SAME, sms, 1, late);
    for (int kind = 0; kind < KINDS; kind++)
        for (int late : {0, 40, 200})
            run("l2", kind, SAME, 2, 1, late);
    for (int late : {0, 40, 200}) {
        run("l2 own_sector", PLAIN, OWN_SECTOR, 2, 1, late);
        run("l2 first_one_sector", PLAIN, FIRST_ONE, 2, 1, late);
        run("l2 first_all_sectors", PLAIN, FIRST_ALL, 2, 1, late);
    }
    for (int warps : {2, 4, 8, 16, 32})
        for (int sms : {1, 2, 4, 16})
            for (int late : {0, 20})
                run("l2", PLAIN, SAME, sms, warps, late);
    for (int late = 0; late <= 1000; late += late < 200 ? 20 : 50)
        run("dram", PLAIN, SAME, 2, 1, late);
    for (int sms : {1, 4, 8, 16})
        run("dram", PLAIN, SAME, sms, 1, 0);
    return 0;
}
