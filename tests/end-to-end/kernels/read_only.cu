// Kernels whose blocks leave their SM at a global sync, with shared memory that repeats global memory, or does
// not quite: test_read_only.c.
#include "warpbeam_device.h"

constexpr int WORDS = 256, THREADS = 64;

// Rounds of sums over w, with a sync between; what they leave in t depends on all rounds before.
__device__ __forceinline__ void work(const int *w, int *t, int *out, int rounds)
{
    const int me = threadIdx.x;
    t[me] = 0;
    for (int round = 0; round < rounds; round++) {
        wb_global_sync();
        __syncthreads();
        int sum = t[(me + 1) % THREADS];
        for (int i = 0; i < 8; i++)
            sum += w[(me * 7 + i * 31 + round) % WORDS];
        __syncthreads();
        t[me] = sum;
    }
    __syncthreads();
    out[blockIdx.x * THREADS + me] = t[(me + 2) % THREADS];
}

// w is read-only, and the analysis finds it.
extern "C" __global__ void found(const int *in, int *out, int rounds)
{
    __shared__ int w[WORDS], t[THREADS];
    for (int i = threadIdx.x; i < WORDS; i += THREADS)
        w[i] = in[(blockIdx.x * 3 + i) % WORDS];
    work(w, t, out, rounds);
}

// The same, but w is written once more behind the first sync.
extern "C" __global__ void written_later(const int *in, int *out, int rounds)
{
    __shared__ int w[WORDS], t[THREADS];
    for (int i = threadIdx.x; i < WORDS; i += THREADS)
        w[i] = in[(blockIdx.x * 3 + i) % WORDS];
    wb_global_sync();
    if (threadIdx.x == 0)
        w[5] = in[(blockIdx.x * 3 + 5) % WORDS];
    work(w, t, out, rounds);
}

// Dynamic memory holds both, so that the kernel has to say it; `shift` makes it say something wrong.
extern "C" __global__ void hinted(const int *in, int *out, int rounds, int shift)
{
    extern __shared__ int memory[];
    int *w = memory + THREADS;
    for (int i = threadIdx.x; i < WORDS; i += THREADS)
        w[i] = in[i];
    __syncthreads();
    if (threadIdx.x == 0)
        wb_read_only(w, WORDS * sizeof *w, in + shift);
    work(w, memory, out, rounds);
}
