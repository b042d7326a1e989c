// The two halves of an L2, and what launches cost: latency by SM and line, ping-pong of pairs of SMs, atomic
// counters by number and half of SMs, atomics beside pollers, barriers by blocks and places, home halves by address, L2
// bandwidth, events.
// Build: nvcc -O3 -arch=sm_90 halves.cu -o halves      Run: ./halves; h200-halves.csv is a digest of what it prints
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <chrono>
#include <vector>
#define CK(x)                                                                                                \
    do {                                                                                                     \
        cudaError_t e = (x);                                                                                 \
        if (e) {                                                                                             \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(e));                                        \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)
typedef unsigned u32;
typedef volatile unsigned vu32;
typedef long long ll;
__device__ u32 smid()
{
    u32 s;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
    return s;
}
enum { OPS = 9, LINES = 24, N = 48 };
template <int OP> __device__ float one(u32 *p)
{
    u32 x = 0;
    ll t = 0;
    for (int k = -8; k < N; k++) {
        if (k == 0)
            t = clock64();
        u32 *q = p + (x >> 31);
        if (OP == 0)
            x = *(vu32 *)q;
        if (OP == 1)
            x = atomicAdd(q, 0);
        if (OP == 2) {
            atomicAdd(q, 1);
            x = *(vu32 *)q;
        }
        if (OP == 3) {
            *(vu32 *)q = k + 9;
            x = *(vu32 *)q;
        }
        if (OP == 4) {
            asm volatile("red.global.add.u32 [%0], 1;" ::"l"(q) : "memory");
            x = *(vu32 *)q;
        }
        if (OP == 5) {
            __threadfence();
            atomicAdd(q, 1);
            x = *(vu32 *)q;
        }
        if (OP == 8) {
            *(vu32 *)q = k + 9;
            __threadfence();
        }
        if (OP == 6) {
            atomicAdd(q, 0);
            x = *(vu32 *)q;
        }
        if (OP == 7) {
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(q) : "memory");
        }
    }
    return (float)(clock64() - t + (x >> 31)) / N;
}
__global__ void matrix(u32 *p, float *out, u32 sm)
{
    if (smid() != sm)
        return;
    for (int l = 0; l < LINES; l++, p += 32) {
        float *o = out + (sm * LINES + l) * OPS;
        *p = 0;
        __threadfence();
        o[0] = one<0>(p);
        o[1] = one<1>(p);
        o[2] = one<2>(p);
        o[3] = one<3>(p);
        o[4] = one<4>(p);
        o[5] = one<5>(p);
        o[6] = one<6>(p);
        o[7] = one<7>(p);
        o[8] = one<8>(p);
    }
}
// ping-pong by stores, and by atomics, of two SMs
__global__ void pair(u32 *p, float *out, u32 a, u32 b)
{
    u32 me = smid();
    if (me != a && me != b)
        return;
    bool first = me == a;
    vu32 *mine = p + (first ? 0 : 64), *theirs = p + (first ? 64 : 0);
    ll t = 0;
    for (u32 k = 1; k <= 120; k++) {
        if (k == 21)
            t = clock64();
        if (first) {
            *mine = k;
            while (*theirs < k)
                ;
        } else {
            while (*theirs < k)
                ;
            *mine = k;
        }
    }
    if (first)
        out[0] = (float)(clock64() - t) / 200;
    for (u32 k = 121; k <= 240; k++) {
        if (k == 141)
            t = clock64();
        if (first) {
            atomicAdd((u32 *)mine, 1);
            while (*theirs < k)
                ;
        } else {
            while (*theirs < k)
                ;
            atomicAdd((u32 *)mine, 1);
        }
    }
    if (first)
        out[1] = (float)(clock64() - t) / 200;
}
// all SMs of a set: atomic counter barrier; returns time from atomic to seeing
__global__ void count(u32 *p, const unsigned char *in, u32 members, float *out)
{
    u32 me = smid();
    if (!in[me])
        return;
    ll sum = 0, polls = 0;
    for (u32 k = 1; k <= 200; k++) {
        __threadfence();
        ll t = clock64();
        atomicAdd(p, 1);
        while (polls++, *(vu32 *)p < k * members)
            ;
        ll e = clock64();
        __threadfence();
        if (k > 20)
            sum += e - t;
    }
    out[me * 2] = sum / 180.f;
    out[me * 2 + 1] = polls / 200.f;
}
static void mixes(const std::vector<int> &half, u32 *p, float *out);
static void halves()
{

    u32 *buf;
    float *out;
    CK(cudaMalloc(&buf, 64 << 20));
    CK(cudaMalloc(&out, 1 << 20));
    CK(cudaMemset(buf, 0, 64 << 20));
    std::vector<float> h(132 * LINES * OPS);
    for (int r = 0; r < 2; r++)
        for (u32 s = 0; s < 132; s++) {
            matrix<<<132, 1, 200 * 1024 * 0>>>(buf, out, s);
            CK(cudaDeviceSynchronize());
        }
    CK(cudaMemcpy(h.data(), out, h.size() * 4, cudaMemcpyDeviceToHost));
    FILE *f = stdout;
    const char *row = "matrix";
    for (int s = 0; s < 132; s++)
        for (int l = 0; l < LINES; l++) {
            fprintf(f, "%s,%d,%d", row, s, l);
            for (int o = 0; o < OPS; o++)
                fprintf(f, ",%.1f", h[(s * LINES + l) * OPS + o]);
            fprintf(f, "\n");
        }

    // halves by atomic latency on line 0 against its mean over SMs
    std::vector<int> half(132, 0);
    for (int l = 0; l < LINES; l++) {
        double m = 0;
        for (int s = 0; s < 132; s++)
            m += h[(s * LINES + l) * OPS + 1] / 132;
        int agree = 0;
        for (int s = 0; s < 132; s++)
            agree += ((h[(s * LINES + l) * OPS + 1] > m) == (h[l * OPS + 1] > m)) ? 0 : 1;
        printf("line %d mean atomic %.1f, SMs unlike SM 0: %d\n", l, m, agree);
        for (int s = 0; s < 132; s++)
            half[s] += ((h[(s * LINES + l) * OPS + 1] > m) == (h[l * OPS + 1] > m)) ? 1 : -1;
    }
    printf("likeness to SM 0:");
    for (int s = 0; s < 132; s++)
        printf(" %d", half[s]);
    printf("\n");
    for (int o = 0; o < OPS; o++) {
        std::vector<float> v;
        for (int s = 0; s < 132; s++)
            for (int l = 0; l < LINES; l++)
                v.push_back(h[(s * LINES + l) * OPS + o]);
        std::sort(v.begin(), v.end());
        printf("op %d:", o);
        for (int q = 0; q <= 20; q++)
            printf(" %.0f", v[std::min(v.size() - 1, v.size() * q / 20)]);
        printf("\n");
    }
    row = "pairs";
    for (u32 a : {0u, 1u})
        for (u32 b = 0; b < 132; b++)
            if (b != a)
                for (int l = 0; l < 6; l++) {
                    u32 *p = buf + (1 << 20) + l * 32;
                    float r[2];
                    CK(cudaMemset(buf + (1 << 20), 0, 65536));
                    pair<<<132, 1>>>(p, out, a, b);
                    CK(cudaMemcpy(r, out, 8, cudaMemcpyDeviceToHost));
                    fprintf(f, "%s,%u,%u,%d,%.1f,%.1f\n", row, a, b, l, r[0], r[1]);
                }

    unsigned char *in;
    CK(cudaMalloc(&in, 132));
    row = "count";
    for (int which = 0; which < 3; which++)
        for (int n : {1, 2, 4, 8, 16, 32, 48, 64, 96, 132})
            for (int l = 0; l < 4; l++) {
                std::vector<unsigned char> set(132, 0);
                int c = 0;
                for (int s = 0; s < 132 && c < n; s++)
                    if (which == 2 || (half[s] > 0) == (which == 0)) {
                        set[s] = 1;
                        c++;
                    }
                if (c < n)
                    continue;
                CK(cudaMemcpy(in, set.data(), 132, cudaMemcpyHostToDevice));
                CK(cudaMemset(buf + (3 << 20), 0, 4096));
                count<<<132, 1>>>(buf + (3 << 20) + l * 32, in, n, out);
                std::vector<float> r(264);
                CK(cudaMemcpy(r.data(), out, 1056, cudaMemcpyDeviceToHost));
                double m = 0, po = 0;
                for (int s = 0; s < 132; s++)
                    if (set[s]) {
                        m += r[2 * s] / n;
                        po += r[2 * s + 1] / n;
                    }
                fprintf(f, "%s,%d,%d,%d,%.1f,%.2f\n", row, which, n, l, m, po);
            }

    mixes(half, buf + (4 << 20), out);
}

__global__ void empty() {}
__global__ void empty3(const float4 *p, size_t n, float *out)
{
    if (n == 12345)
        *out = p->x;
}
__global__ void atom_thr(unsigned *p, int n, int stride)
{
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    for (int k = 0; k < n; k++)
        atomicAdd(p + i, 1u);
}
__global__ void atom_own(unsigned *p, int n, int stride, long long *c)
{
    long long t = clock64();
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    for (int k = 0; k < n; k++)
        atomicAdd(p + i, 1u);
    __threadfence();
    if (threadIdx.x == 0)
        c[blockIdx.x] = clock64() - t;
}
__global__ void rd(const float4 *p, size_t n, float *out)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float s = 0;
    for (; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float4 v = p[i];
        s += v.x + v.y + v.z + v.w;
    }
    if (s == 12345.678f)
        *out = s;
}
template <class F> float ms(F f, int rep = 9)
{
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    f();
    CK(cudaDeviceSynchronize());
    std::vector<float> v;
    for (int i = 0; i < rep; i++) {
        cudaEventRecord(a);
        f();
        cudaEventRecord(b);
        CK(cudaEventSynchronize(b));
        float t;
        cudaEventElapsedTime(&t, a, b);
        v.push_back(t);
    }
    std::sort(v.begin(), v.end());
    return v[rep / 2];
}
template <class F> float graph(F f, int n)
{
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaGraph_t g;
    cudaGraphExec_t ge;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    for (int i = 0; i < n; i++)
        f(s);
    cudaStreamEndCapture(s, &g);
    CK(cudaGraphInstantiate(&ge, g, 0));
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    std::vector<float> v;
    for (int r = 0; r < 9; r++) {
        cudaEventRecord(a, s);
        cudaGraphLaunch(ge, s);
        cudaEventRecord(b, s);
        CK(cudaEventSynchronize(b));
        float t;
        cudaEventElapsedTime(&t, a, b);
        v.push_back(t);
    }
    std::sort(v.begin(), v.end());
    return v[4];
}
// Some SMs do atomics at a word, others poll it: how many cycles each takes of the other.
__global__ void mix(u32 *p, const unsigned char *role, float *out, int warps, int rounds)
{
    u32 me = smid(), r = role[me], x = 0;
    if (!r || (int)threadIdx.x / 32 >= warps || threadIdx.x % 32)
        return;
    ll t = clock64();
    if (r == 1)
        for (int k = 0; k < rounds; k++)
            x += atomicAdd(p, 1) & 1;
    if (r == 2)
        for (int k = 0; k < rounds; k++)
            x += *(vu32 *)p >> 31;
    if (r == 3)
        for (int k = 0; k < rounds; k++)
            asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p) : "memory");
    if (r == 3)
        __threadfence();
    if (threadIdx.x == 0)
        out[me] = (float)(clock64() - t + (x >> 31)) / rounds;
}
static void mixes(const std::vector<int> &half, u32 *p, float *out)
{
    unsigned char *in;
    CK(cudaMalloc(&in, 132));
    for (int line = 0; line < 2; line++)
        for (int doer : {1, 3})
            for (int a : {0, 1, 8, 33, 60})
                for (int b : {0, 1, 8, 33, 60})
                    for (int where = 0; where < 4; where++) {
                        std::vector<unsigned char> role(132, 0);
                        int na = 0, nb = 0; // doers in half where & 1, pollers in half where >> 1
                        for (int s = 0; s < 132; s++) {
                            if ((half[s] > 0) == !(where & 1) && na < a) {
                                role[s] = doer;
                                na++;
                            }
                        }
                        for (int s = 131; s >= 0; s--) {
                            if ((half[s] > 0) == !(where >> 1) && nb < b && !role[s]) {
                                role[s] = 2;
                                nb++;
                            }
                        }
                        if (na < a || nb < b || a + b == 0)
                            continue;
                        CK(cudaMemcpy(in, role.data(), 132, cudaMemcpyHostToDevice));
                        CK(cudaMemset(p, 0, 4096));
                        mix<<<132, 128>>>(p + line * 32, in, out, 4, 400);
                        std::vector<float> r(132);
                        CK(cudaMemcpy(r.data(), out, 528, cudaMemcpyDeviceToHost));
                        double ma = 0, mb = 0;
                        for (int s = 0; s < 132; s++) {
                            if (role[s] == doer)
                                ma += r[s] / na;
                            if (role[s] == 2)
                                mb += r[s] / nb;
                        }
                        printf("mix,line,%d,%s,doers,%d,half,%d,pollers,%d,half,%d,cycles_do,%.1f,cycles_"
                               "poll,%.1f\n",
                               line, doer == 1 ? "atom" : "red", a, where & 1, b, where >> 1, ma, mb);
                    }
}
// To which half blocks of memory belong: atomics of one SM at them, by their latency.
__global__ void home(u32 *p, float *out, size_t step, int n, u32 sm)
{
    if (smid() != sm)
        return;
    for (int i = 0; i < n; i++, p += step / 4) {
        u32 x = atomicAdd(p, 0);
        ll t = clock64();
        for (int k = 0; k < 6; k++)
            x = atomicAdd(p + (x >> 31), 0);
        out[i] = (float)(clock64() - t + (x >> 31)) / 6;
    }
}
// On which SMs the blocks of a grid begin, in launches one after the other.
__global__ void where(unsigned *p)
{
    if (threadIdx.x == 0)
        p[blockIdx.x] = smid();
}
// L2 bandwidth: ld.cg of 16 bytes a lane, consecutive, over `n` vectors again and again; blocks of SMs not taken end.
__global__ void l2bw(const float4 *p, float *o, int n, int rounds, int taken)
{
    if ((int)smid() % 132 >= taken)
        return;
    float v = 0;
    for (int k = 0; k < rounds; k++) {
        float4 q = __ldcg(&p[(blockIdx.x * blockDim.x + threadIdx.x + k * gridDim.x * blockDim.x) % n]);
        v += q.x + q.y + q.z + q.w;
    }
    if (v == 12345.f)
        *o = v;
}
// An atomic barrier with several blocks an SM: cycles from the atomic to the poll that sees the last one, and polls.
template <int RELAXED> __global__ void blocks_count(u32 *c, float *out, int n)
{
    ll spin = 0;
    u32 polls = 0, x;
    for (int k = 1; k <= n; k++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            ll t = clock64();
            atomicAdd(c, 1u);
            do {
                polls++;
                if (RELAXED)
                    asm volatile("ld.relaxed.gpu.global.u32 %0,[%1];" : "=r"(x) : "l"(c) : "memory");
                else
                    x = *(vu32 *)c;
            } while (x < (u32)k * gridDim.x);
            spin += clock64() - t;
            __threadfence();
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x * 2] = (float)spin / n;
        out[blockIdx.x * 2 + 1] = (float)polls / n;
    }
}
// A flag for each block to say that it is there and one to be told to go on, as workloads/micro has it.
__global__ void flag_barrier(int n, vu32 *arrived, vu32 *go)
{
    for (int k = 1; k <= n; k++) {
        __syncthreads();
        if (blockIdx.x == 0) {
            if (threadIdx.x == 0) {
                __threadfence();
                arrived[0] = k;
            }
            for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x)
                while (arrived[b] < (u32)k)
                    ;
            __syncthreads();
            for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x)
                go[b] = k;
        } else if (threadIdx.x == 0) {
            __threadfence();
            arrived[blockIdx.x] = k;
            while (go[blockIdx.x] < (u32)k)
                ;
            __threadfence();
        }
        __syncthreads();
    }
}
static void barriers()
{
    static const int places[8] = {0, 4096, 16384, 32768, 65536, 131072, 262144, 1048576};
    u32 *p, *q;
    float *out;
    CK(cudaMalloc(&p, 1 << 22));
    CK(cudaMalloc(&q, 1 << 22));
    CK(cudaMalloc(&out, 1 << 16));
    for (int relaxed = 0; relaxed < 2; relaxed++)
        for (int blocks : {1, 16, 66, 132, 198, 264, 396, 528}) {
            std::vector<float> r(blocks * 2);
            double spin = 0, polls = 0;
            CK(cudaMemset(p, 0, 4096));
            if (relaxed)
                blocks_count<1><<<blocks, 256>>>(p, out, 300);
            else
                blocks_count<0><<<blocks, 256>>>(p, out, 300);
            CK(cudaMemcpy(r.data(), out, blocks * 8, cudaMemcpyDeviceToHost));
            for (int b = 0; b < blocks; b++)
                spin += r[b * 2] / blocks, polls += r[b * 2 + 1] / blocks;
            printf("blocks_count,%s,blocks,%d,cycles,%.0f,polls,%.2f\n", relaxed ? "relaxed" : "volatile", blocks,
                   spin, polls);
        }
    for (int blocks : {132, 264, 528})
        for (int i = 0; i < 8; i++) {
            float t[2];
            for (int run = 0; run < 2; run++)
                t[run] = ms([&] {
                    cudaMemsetAsync(p, 0, 1 << 22);
                    cudaMemsetAsync(q, 0, 1 << 22);
                    flag_barrier<<<blocks, 256>>>(run ? 1100 : 100, p + places[i] / 4, q + places[i * 3 % 8] / 4);
                });
            printf("flag_barrier_at,%d,%d,blocks,%d,us,%.3f\n", places[i], places[i * 3 % 8], blocks, t[1] - t[0]);
        }
}
int main()
{
    barriers();
    {
        unsigned *w, h[132];
        CK(cudaMalloc(&w, 1024));
        for (int blocks : {1, 1, 1, 2, 2, 5, 1, 132, 1, 132}) {
            where<<<blocks, 32>>>(w);
            CK(cudaMemcpy(h, w, blocks * 4, cudaMemcpyDeviceToHost));
            printf("where,%d", blocks);
            for (int i = 0; i < blocks; i++)
                printf(",%u", h[i]);
            printf("\n");
        }
    }
    {
        unsigned *p;
        float *o, h[1024];
        CK(cudaMalloc(&p, 256 << 20));
        CK(cudaMemset(p, 0, 256 << 20));
        CK(cudaMalloc(&o, 4096));
        for (size_t step : {256, 512, 1024, 4096, 65536}) {
            home<<<132, 1>>>(p, o, step, 1024, 0);
            CK(cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost));
            printf("home,step,%zu,", step);
            for (float x : h)
                printf("%d", x > 400);
            printf("\n");
        }
        CK(cudaFree(p));
    }
    halves();
    unsigned *big;
    float *df;
    long long *c;
    CK(cudaMalloc(&big, (size_t)2 << 30));
    CK(cudaMemset(big, 0, (size_t)2 << 30));
    CK(cudaMalloc(&df, 4));
    CK(cudaMalloc(&c, 8192));
    const int SM = 132;
    printf("events_nothing,us,%.3f\n", ms([&] {}) * 1e3);
    printf("events_empty_1,us,%.3f\n", ms([&] { empty<<<1, 32>>>(); }) * 1e3);
    printf("events_empty_528,us,%.3f\n", ms([&] { empty<<<528, 256>>>(); }) * 1e3);
    for (int n : {0, 1, 4, 16, 64, 128, 256, 512, 1024}) {
        float t = ms([&] { atom_thr<<<SM * 4, 256>>>(big, n, 1); });
        float u = ms([&] { atom_own<<<SM * 4, 256>>>(big, n, 1, c); });
        long long h[528], m = 0;
        CK(cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost));
        for (auto x : h)
            m = std::max(m, x);
        printf("atom_thr,rounds,%d,us,%.3f,with_clock,us,%.3f,longest_block,cycles,%lld\n", n, t * 1e3,
               u * 1e3, m);
    }
    for (int k : {20, 1000}) {
        printf("launches_empty_0,%d,us,%.3f\n", k,
               ms([&] {
                   for (int i = 0; i < k; i++)
                       empty<<<SM * 8, 512>>>();
               }) * 1e3 /
                   k);
        printf("launches_empty_3,%d,us,%.3f\n", k,
               ms([&] {
                   for (int i = 0; i < k; i++)
                       empty3<<<SM * 8, 512>>>((float4 *)big, 1, df);
               }) * 1e3 /
                   k);
    }
    {
        auto t = std::chrono::steady_clock::now();
        for (int i = 0; i < 500; i++)
            empty3<<<1, 32>>>((float4 *)big, 1, df);
        auto e = std::chrono::steady_clock::now();
        CK(cudaDeviceSynchronize());
        printf("host_launch_3,us,%.3f\n", std::chrono::duration<double>(e - t).count() * 1e6 / 500);
    }
    for (size_t mb : {1, 2, 4, 8, 16, 20, 24}) {
        size_t b = mb << 20;
        printf("rd,MiB,%zu,stream20,us,%.3f,graph20,us,%.3f,graph100,us,%.3f\n", mb,
               ms([&] {
                   for (int r = 0; r < 20; r++)
                       rd<<<SM * 8, 512>>>((float4 *)big, b / 16, df);
               }) * 1e3 /
                   20,
               graph([&](cudaStream_t s) { rd<<<SM * 8, 512, 0, s>>>((float4 *)big, b / 16, df); }, 20) *
                   1e3 / 20,
               graph([&](cudaStream_t s) { rd<<<SM * 8, 512, 0, s>>>((float4 *)big, b / 16, df); }, 100) *
                   1e3 / 100);
    }
    printf("graph_empty_1056x512,us,%.3f\n",
           graph([&](cudaStream_t s) { empty<<<SM * 8, 512, 0, s>>>(); }, 100) * 10);
    printf("graph_empty_1x32,us,%.3f\n", graph([&](cudaStream_t s) { empty<<<1, 32, 0, s>>>(); }, 100) * 10);
    for (int mib : {1, 2, 4, 8, 16, 24})
        for (int taken : {1, 16, 66, 132}) {
            float a = ms([&] { l2bw<<<264, 1024>>>((float4 *)big, df, mib << 16, 256, taken); }),
                  b = ms([&] { l2bw<<<264, 1024>>>((float4 *)big, df, mib << 16, 768, taken); });
            printf("l2bw,MiB,%d,SMs,%d,bytes_per_us,%.0f,bytes_per_cycle_and_SM,%.2f\n", mib, taken,
                   2048.0 * taken * 512 * 16 / ((b - a) * 1e3),
                   2048.0 * 512 * 16 / ((b - a) * 1e-3 * 1.98e9));
        }
}
