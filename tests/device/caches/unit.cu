/* What a request takes of a single slice of L2, and what waits for what there, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 unit.cu -o unit && ./unit > h200-unit.csv
 *
 * First it finds 16 KiB of a buffer of which the same slice has a half: sums to two words in turn take twice as long
 * if both are there. All that is timed goes to lines of that slice, each warp to one line at a time.
 *   rate: 8 warps of each SM of a set (`who`: all, or those whose half of L2 has the slice, or the others) do 64
 *     requests each. `sectors` of a line with `words` each are taken, or all 32 lanes have one word (words 0).
 *     Lines by chance among `lines`, which lie together (4 of the same KiB) or apart. Columns: rate, what, who, sectors,
 *     words, lines, how they lie, cycles a request.
 *   mix: for 200,000 cycles 16 warps of some SMs (`doers`) do atomics on a word by one lane, those of others (`pollers`)
 *     load a word, each the next when the last has come. The word of the pollers is the `same`, another of its
 *     `sector`, of its `line`, of the line's `neighbour`, or of another `kib`. Columns: mix, what doers do, how pollers
 *     load, which word, doers and their half, pollers and theirs, cycles of a doer's and of a poller's request,
 *     requests of all doers and of all pollers in 1,000 cycles. */
#include <algorithm>
#include <vector>

#include "caches.cuh"

enum What { RED, ATOM, CAS, STORE, LOAD, VOLATILE, WHATS };
static const char *const names[] = {"red", "atom", "cas", "store", "load", "volatile"};
enum { SMS = 132, TIMES = 64, PAIRS = 16, KIB = 16, LINES = 4 * KIB, SPAN = 200000 };
typedef uint32_t *Line;

static __device__ uint32_t sm(void)
{
    uint32_t number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

/* What is returned is waited for. */
template <int WHAT> static __device__ __forceinline__ uint32_t request(uint32_t *at)
{
    uint32_t value = 0;
    if (WHAT == RED)
        asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
    if (WHAT == ATOM)
        asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(value) : "l"(at) : "memory");
    if (WHAT == CAS)
        asm volatile("atom.global.cas.b32 %0, [%1], 0xffffffff, 1;" : "=r"(value) : "l"(at) : "memory");
    if (WHAT == STORE)
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(1) : "memory");
    if (WHAT == LOAD)
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    if (WHAT == VOLATILE)
        asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(value) : "memory");
    return value;
}

__global__ void pair(uint32_t *first, uint32_t *second, uint32_t *cycles)
{
    if (threadIdx.x % 32)
        return;
    const uint32_t start = clock();
    for (int i = 0; i < PAIRS; i++)
        request<RED>((threadIdx.x / 32 + blockIdx.x) % 2 ? second : first);
    __threadfence();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock() - start;
}

/* What an atomic takes, by SM. */
__global__ void latency(uint32_t *word, uint32_t *cycles)
{
    for (uint32_t turn = 0; turn < SMS; turn++) {
        for (int i = 0; i < 4 && turn == sm() && threadIdx.x == 0; i++) {
            const uint32_t start = clock();
            request<ATOM>(word);
            cycles[turn] = clock() - start;
        }
        __nanosleep(4000);
    }
}

struct Shape {
    uint32_t sectors, words; /* words 0: all lanes at one */
};

template <int WHAT>
__global__ void rate(const Line *lines, uint32_t mask, Shape shape, const uint8_t *takes_part, uint32_t *cycles)
{
    __shared__ Line own[LINES];
    const uint32_t lane = threadIdx.x % 32, warp = blockIdx.x * blockDim.x / 32 + threadIdx.x / 32;
    for (uint32_t i = threadIdx.x; i < LINES; i += blockDim.x)
        own[i] = lines[i];
    __syncthreads();
    if (!takes_part[sm()] || (shape.words && lane >= shape.sectors * shape.words))
        return;
    const uint32_t offset = shape.words ? lane / shape.words * 8 + lane % shape.words : 0;
    const uint32_t start = clock();
    for (uint32_t i = 0; i < TIMES; i++) {
        uint32_t chance = (warp * TIMES + i) * 0x9e3779b9u;
        chance = (chance ^ chance >> 15) * 0x7feb352du;
        request<WHAT>(own[chance >> 16 & mask] + offset);
    }
    __threadfence();
    if (lane == 0)
        atomicMax(&cycles[sm()], (uint32_t)clock() - start);
}

struct Mix {
    uint32_t *word[2];
    uint8_t part[SMS]; /* 1: does, 2: polls */
};

template <int DO, int POLL> __global__ void mix(Mix mix, uint32_t *took, uint32_t *done)
{
    const uint32_t part = mix.part[sm()];
    if (!part || threadIdx.x % 32)
        return;
    uint32_t count = 0, now;
    const uint32_t start = clock();
    do {
        if (part == 1)
            request<DO>(mix.word[0]);
        else
            request<POLL>(mix.word[1]);
        count++;
        now = clock();
    } while (now - start < SPAN);
    atomicAdd(&done[part - 1], count);
    atomicAdd(&took[part - 1], (now - start) / 1024);
}

static uint32_t *cycles, *buffer;
static Line *lines;
static uint8_t *takes_part;
static std::vector<Line> found;
static std::vector<bool> is_near(SMS);

static bool same_slice(uint32_t *one, uint32_t *other)
{
    std::vector<uint32_t> took(SMS);
    pair<<<SMS, 256>>>(one, other, cycles);
    CHECK(cudaMemcpy(took.data(), cycles, SMS * 4, cudaMemcpyDeviceToHost));
    return *std::max_element(took.begin(), took.end()) > 1.1 * SMS * 8 * PAIRS;
}

static void find_lines(void)
{
    same_slice(buffer, buffer); /* not as the first launch, which fetches code */
    for (int i = 0; (int)found.size() < LINES && i < 1 << 14; i++)
        for (int piece = 0; piece < 2; piece++) {
            uint32_t *at = buffer + i * 256 + piece * 64;
            if ((i || !piece) && (!i || same_slice(buffer, at)))
                found.insert(found.end(), {at, at + 32, at + 128, at + 160});
        }
    if ((int)found.size() < LINES)
        exit(1);
    found.resize(LINES);
    for (int i = 0; i < 2; i++)
        latency<<<SMS, 32>>>(buffer, cycles);
    std::vector<uint32_t> took(SMS);
    CHECK(cudaMemcpy(took.data(), cycles, SMS * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < SMS; i++)
        is_near[i] = took[i] < 400, printf("latency,%d,%u\n", i, took[i]);
}

template <int WHAT> static void measure(const char *who, Shape shape, uint32_t count, bool apart)
{
    std::vector<Line> order = found;
    std::vector<uint8_t> part(SMS);
    std::vector<uint32_t> took(SMS);
    for (int i = 0; apart && i < LINES; i++)
        order[i] = found[i % KIB * 4 + i / KIB];
    int sms = 0;
    for (int i = 0; i < SMS; i++)
        sms += part[i] = *who == 'a' || is_near[i] == (*who == 'n');
    CHECK(cudaMemcpy(lines, order.data(), LINES * sizeof(Line), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(takes_part, part.data(), SMS, cudaMemcpyHostToDevice));
    uint32_t least = UINT32_MAX;
    for (int round = 0; round < 2; round++) {
        CHECK(cudaMemset(cycles, 0, SMS * 4));
        rate<WHAT><<<SMS, 256>>>(lines, count - 1, shape, takes_part, cycles);
        CHECK(cudaMemcpy(took.data(), cycles, SMS * 4, cudaMemcpyDeviceToHost));
        least = std::min(least, *std::max_element(took.begin(), took.end()));
    }
    printf("rate,%s,%s,%u,%u,%u,%s,%.3f\n", names[WHAT], who, shape.sectors, shape.words, count,
           apart ? "apart" : "together", (double)least / (sms * 8 * TIMES));
}

template <int WHAT> static void rates(void)
{
    static const Shape shapes[] = {{1, 0}, {1, 1}, {1, 2}, {1, 4}, {1, 8}, {2, 1}, {2, 8}, {4, 1}, {4, 2}, {4, 8}};
    for (Shape shape : shapes)
        for (uint32_t count : {1u, 2u, 4u, 8u, 16u, 64u}) {
            measure<WHAT>("all", shape, count, false);
            if (count > 1 && count < 64)
                measure<WHAT>("all", shape, count, true);
        }
    for (const char *who : {"near", "far"})
        for (Shape shape : {Shape{1, 1}, Shape{1, 8}, Shape{4, 8}})
            for (uint32_t count : {1u, 4u, 64u})
                measure<WHAT>(who, shape, count, false);
}

template <int DO, int POLL> static void beside(const char *which, int doers, bool do_near, int pollers, bool poll_near)
{
    const int place = *which == 'k' ? 4 : *which == 'n', word = which[1] == 'e' ? 1 : *which == 'l' ? 8 : 0;
    Mix roles = {{found[0], found[place] + word}, {0}};
    int done[2] = {0, 0};
    for (int i = 0; i < SMS; i++)
        if (is_near[i] == do_near && done[0] < doers)
            roles.part[i] = 1, done[0]++;
    for (int i = SMS - 1; i >= 0; i--)
        if (is_near[i] == poll_near && done[1] < pollers && !roles.part[i])
            roles.part[i] = 2, done[1]++;
    if (done[0] < doers || done[1] < pollers)
        return;
    uint32_t sums[4];
    CHECK(cudaMemset(cycles, 0, SMS * 4));
    mix<DO, POLL><<<SMS, 512>>>(roles, cycles, cycles + 2);
    CHECK(cudaMemcpy(sums, cycles, sizeof sums, cudaMemcpyDeviceToHost));
    printf("mix,%s,%s,%s,%d,%s,%d,%s", names[DO], names[POLL], which, doers, do_near ? "near" : "far", pollers,
           poll_near ? "near" : "far");
    for (int i = 0; i < 2; i++)
        printf(",%.1f", sums[2 + i] ? 1024.0 * sums[i] / sums[2 + i] : 0);
    for (int i = 0; i < 2; i++)
        printf(",%.1f", sums[2 + i] * 1e3 / SPAN);
    printf("\n");
}

template <int DO, int POLL> static void mixes(void)
{
    static const int counts[][2] = {{32, 0}, {0, 32}, {32, 32}, {16, 32}, {32, 16}, {4, 32}, {32, 4}, {4, 4}};
    for (const char *which : {"same", "sector", "line", "neighbour", "kib"})
        for (const int *count : counts)
            beside<DO, POLL>(which, count[0], true, count[1], true);
    for (int halves = 1; halves < 4; halves++)
        for (const char *which : {"same", "kib"})
            beside<DO, POLL>(which, 60, !(halves & 1), 60, !(halves & 2));
    beside<DO, POLL>("same", 32, false, 32, false);
}

int main()
{
    CHECK(cudaMalloc(&buffer, 64 << 20));
    CHECK(cudaMemset(buffer, 0, 64 << 20));
    CHECK(cudaMalloc(&cycles, SMS * 4));
    CHECK(cudaMalloc(&lines, LINES * sizeof(Line)));
    CHECK(cudaMalloc(&takes_part, SMS));
    find_lines();
    rates<RED>(), rates<ATOM>(), rates<CAS>(), rates<STORE>(), rates<LOAD>(), rates<VOLATILE>();
    mixes<ATOM, VOLATILE>(), mixes<ATOM, LOAD>(), mixes<RED, VOLATILE>(), mixes<STORE, VOLATILE>();
    return 0;
}
