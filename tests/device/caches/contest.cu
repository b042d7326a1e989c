/* What happens on an H200 if SMs of both halves of L2 store to the same word, to it and to others that load from its
 * slice.
 *
 *     nvcc -O3 -arch=sm_90 contest.cu -o contest && ./contest > h200-contest.csv
 *
 * A thread on each of some SMs acts every `gap` cycles, for 30,000 cycles: on one word, on words or lines in turn. Which
 * SMs are near the word, in its half, the latency of an atomic tells. Meanwhile a thread of another SM, near or far,
 * loads (ld.cg) one line after the other: of the same slice, of the slice opposite, or of others. Which lines are in
 * the slice is seen by how long they wait while 48 SMs add to the word. Columns: what; who acts; SMs that act; gap; who loads;
 * which lines; stores (or sums) that were done; cycles for each, of all, of near SMs' and of far SMs'; loads; their
 * cycles: mean, a tenth, middle, nine tenths, most. */
#include <algorithm>
#include <vector>

#include "caches.cuh"

enum { SMS = 132, SHARED = 200 << 10, LINES = 65536, HAMMERS = 48, HOT = 5, CYCLES = 30000, FAR = 400, WAITS = 620 };
enum Act { STORE, SUM, LINES_OF_SLICE, WORDS, TWO_LINES, EIGHT_LINES, ACTS };
static const char *const act_names[] = {"store", "red", "store to lines of the slice", "store to 32 words of the line",
                                        "store to two lines", "store to eight lines"};
static const char *const who_names[] = {"near", "far", "both"};
static const char *const line_names[] = {"slice", "opposite", "elsewhere"};
#define USE(v) asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(v) : "memory")

struct Control {
    uint32_t done, ready, met;
};

static __device__ __forceinline__ uint32_t now()
{
    uint32_t t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}

static __device__ __forceinline__ uint32_t sm()
{
    uint32_t s;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
    return s;
}

static __device__ uint32_t time_of_atomic(uint32_t *word)
{
    const uint32_t start = now(), value = atomicAdd(word, 0);
    USE(value);
    return now() - start;
}

/* How long lines take while others add to one word. */
__global__ void beside_hammers(uint32_t *region, uint32_t *took, Control *control)
{
    volatile Control *shared = control;
    if (threadIdx.x % 32)
        return;
    if (blockIdx.x < HAMMERS) {
        for (bool first = true; shared->done < SMS - HAMMERS; first = false) {
            for (int i = 0; i < 16; i++)
                asm volatile("red.global.add.u32 [%0], 1;" ::"l"(region + HOT * 32) : "memory");
            if (first && threadIdx.x == 0)
                atomicAdd(&control->ready, 1);
        }
        return;
    }
    if (threadIdx.x)
        return;
    while (shared->ready < HAMMERS)
        ;
    for (int round = 0; round < 3; round++)
        for (uint32_t i = blockIdx.x - HAMMERS; i < LINES; i += SMS - HAMMERS) {
            const uint32_t cycles = time_of_atomic(region + i * 32);
            took[i] = round ? min(took[i], cycles) : cycles;
        }
    atomicAdd(&control->done, 1);
}

/* How long lines take from SM 0 alone. */
__global__ void alone(uint32_t *region, uint32_t *took)
{
    if (threadIdx.x || sm() != 0)
        return;
    for (int round = 0; round < 3; round++)
        for (uint32_t i = 0; i < LINES; i++) {
            const uint32_t cycles = time_of_atomic(region + i * 32);
            took[i] = round ? min(took[i], cycles) : cycles;
        }
}

/* How long the word takes from each SM. */
__global__ void distance(uint32_t *word, uint32_t *took)
{
    if (threadIdx.x)
        return;
    uint32_t best = ~0u;
    for (int i = 0; i < 16; i++) {
        best = min(best, time_of_atomic(word));
        __nanosleep(1000 + sm() * 20);
    }
    took[sm()] = best;
}

struct Lists {
    uint32_t *region;
    const uint32_t *slice, *loaded;
    uint32_t slice_count, loaded_count;
};

template <int ACT> static __device__ void act(const Lists *lists, uint32_t n)
{
    uint32_t *word = lists->region + HOT * 32;
    if (ACT == LINES_OF_SLICE)
        word = lists->region + lists->slice[(sm() + n) % lists->slice_count] * 32;
    if (ACT == WORDS)
        word += sm() % 32;
    if (ACT == TWO_LINES)
        word += sm() % 2 * 32;
    if (ACT == EIGHT_LINES)
        word += sm() % 8 * 32;
    if (ACT == SUM)
        asm volatile("red.global.add.u32 [%0], 1;" ::"l"(word) : "memory");
    else
        asm volatile("st.global.u32 [%0], %1;" ::"l"(word), "r"(1) : "memory");
}

/* Roles: 1 acts, 2 loads. */
template <int ACT>
__global__ void contest(Lists lists, uint32_t gap, const uint8_t *roles, uint32_t count, Control *control, uint32_t *took,
                        uint32_t *done)
{
    const uint32_t role = roles[sm()];
    if (threadIdx.x || !role)
        return;
    atomicAdd(&control->met, 1);
    while (((volatile Control *)control)->met < count)
        ;
    const uint32_t start = now();
    if (role == 1) {
        uint32_t next = start + blockIdx.x * 7919u % (gap + 1), n = 0;
        while ((int)(now() - next) < 0)
            ;
        while (now() - start < CYCLES) {
            act<ACT>(&lists, n++);
            next += gap;
            while ((int)(now() - next) < 0)
                ;
        }
        __threadfence();
        done[2 * sm()] = n;
        done[2 * sm() + 1] = now() - start;
        return;
    }
    while (now() - start < CYCLES / 5)
        ;
    for (uint32_t i = 0; i < lists.loaded_count && now() - start < CYCLES - 1000; i++) {
        const uint32_t begin = now(), value = __ldcg(lists.region + lists.loaded[i] * 32);
        USE(value);
        took[i] = now() - begin;
    }
}

typedef void (*Contest)(Lists, uint32_t, const uint8_t *, uint32_t, Control *, uint32_t *, uint32_t *);
static const Contest contests[] = {contest<STORE>, contest<SUM>,       contest<LINES_OF_SLICE>,
                                   contest<WORDS>, contest<TWO_LINES>, contest<EIGHT_LINES>};

static uint32_t *region, *took, *lists_on_gpu[3], *done;
static uint8_t *roles;
static Control *control;
static std::vector<uint32_t> lists[3], distances(SMS);
static std::vector<int> nears, fars;

static std::vector<uint32_t> fetch(const uint32_t *from, size_t count)
{
    std::vector<uint32_t> values(count);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(values.data(), from, count * 4, cudaMemcpyDeviceToHost));
    return values;
}

static void look_around(void)
{
    alone<<<SMS, 32, SHARED>>>(region, took);
    const std::vector<uint32_t> lone = fetch(took, LINES);
    for (int i = 0; i < 2; i++) {
        distance<<<SMS, 32, SHARED>>>(region + HOT * 32, took);
        distances = fetch(took, SMS);
    }
    std::vector<uint32_t> hot;
    for (int i = 0; i < 2; i++) {
        CHECK(cudaMemset(control, 0, sizeof *control));
        beside_hammers<<<SMS, 64, SHARED>>>(region, took, control);
        const std::vector<uint32_t> times = fetch(took, LINES);
        hot = i ? hot : times;
        for (int j = 0; j < LINES; j++)
            hot[j] = std::min(hot[j], times[j]);
    }
    for (uint32_t i = 0; i < LINES; i++)
        if (hot[i] >= WAITS && i != HOT)
            lists[(lone[i] > FAR) != (lone[HOT] > FAR)].push_back(i);
        else if (hot[i] < 600 && i % 97 == 0)
            lists[2].push_back(i);
    for (int i = 0; i < SMS; i++)
        (distances[i] < FAR ? nears : fars).push_back(i);
    printf("# lines: slice %zu, opposite %zu, elsewhere %zu; SMs: near %zu, far %zu\n", lists[0].size(), lists[1].size(),
           lists[2].size(), nears.size(), fars.size());
}

static void measure(int what, int who, int sms, uint32_t gap, bool far_loads, int which)
{
    std::vector<uint8_t> role(SMS);
    for (int i = 0; i < sms; i++) {
        if (who != 1)
            role[nears[i]] = 1;
        if (who != 0)
            role[fars[i]] = 1;
    }
    role[far_loads ? fars.back() : nears.back()] = 2;
    const uint32_t count = SMS - (uint32_t)std::count(role.begin(), role.end(), 0);
    CHECK(cudaMemcpy(roles, role.data(), SMS, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(region, 0, LINES * 128));
    CHECK(cudaMemset(took, 0, LINES * 4));
    CHECK(cudaMemset(done, 0, SMS * 8));
    CHECK(cudaMemset(control, 0, sizeof *control));
    const Lists all = {region, lists_on_gpu[0], lists_on_gpu[which], (uint32_t)lists[0].size(),
                       (uint32_t)lists[which].size()};
    contests[what]<<<SMS, 32, SHARED>>>(all, gap, roles, count, control, took, done);
    const std::vector<uint32_t> times = fetch(took, all.loaded_count), counts = fetch(done, 2 * SMS);
    double n[2] = {0}, most[2] = {0}, sum = 0;
    for (int i = 0; i < SMS; i++) {
        const int is_far = distances[i] >= FAR;
        n[is_far] += counts[2 * i];
        most[is_far] = std::max(most[is_far], (double)counts[2 * i + 1]);
    }
    std::vector<uint32_t> loads;
    for (uint32_t cycles : times)
        if (cycles)
            loads.push_back(cycles), sum += cycles;
    std::sort(loads.begin(), loads.end());
    printf("%s,%s,%u,%u,%s,%s,%.0f,%.2f,%.2f,%.2f,%zu", act_names[what], who_names[who], count - 1, gap,
           far_loads ? "far" : "near", line_names[which], n[0] + n[1], std::max(most[0], most[1]) / (n[0] + n[1]),
           n[0] ? most[0] / n[0] : 0, n[1] ? most[1] / n[1] : 0, loads.size());
    if (loads.empty())
        printf(",,,,,\n");
    else
        printf(",%.0f,%u,%u,%u,%u\n", sum / loads.size(), loads[loads.size() / 10], loads[loads.size() / 2],
               loads[loads.size() * 9 / 10], loads.back());
}

int main()
{
    CHECK(cudaMalloc(&region, LINES * 128));
    CHECK(cudaMalloc(&took, LINES * 4));
    CHECK(cudaMalloc(&done, SMS * 8));
    CHECK(cudaMalloc(&roles, SMS));
    CHECK(cudaMalloc(&control, sizeof *control));
    CHECK(cudaMemset(region, 0, LINES * 128));
    for (const void *kernel : {(const void *)beside_hammers, (const void *)alone, (const void *)distance})
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    for (Contest kernel : contests)
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    look_around();
    for (int i = 0; i < 3; i++) {
        CHECK(cudaMalloc(&lists_on_gpu[i], lists[i].size() * 4));
        CHECK(cudaMemcpy(lists_on_gpu[i], lists[i].data(), lists[i].size() * 4, cudaMemcpyHostToDevice));
    }
    printf("what,who,sms,gap,loads_from,lines,done,cycles,near_cycles,far_cycles,loads,mean,tenth,middle,nine_tenths,most\n");
    for (int what : {STORE, SUM, LINES_OF_SLICE})
        for (int which = 0; which < 3; which++)
            for (bool far_loads : {false, true})
                for (int who = 0; who < 3; who++)
                    for (uint32_t gap : {60u, 120u, 150u, 180u, 240u, 360u, 480u, 720u})
                        measure(what, who, 60, gap, far_loads, which);
    for (int what : {WORDS, TWO_LINES, EIGHT_LINES})
        for (int who = 0; who < 3; who++)
            for (uint32_t gap : {60u, 120u, 150u, 180u, 240u, 360u, 480u, 720u})
                measure(what, who, 60, gap, false, 2);
    for (int sms : {1, 2, 4, 8, 16, 32})
        for (uint32_t gap : {60u, 120u, 240u, 480u})
            measure(STORE, 2, sms, gap, false, 0);
    return 0;
}
