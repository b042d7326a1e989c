// Atomic operations; host code: atomics.c.

extern "C" __global__ void add_spread(const int *places, const float *values, float *sums, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&sums[places[i]], values[i]);
}

// There is no atomic maximum of floats: who still sees less tries again. 64 maxima.
extern "C" __global__ void max_by_cas(const float *in, int *most, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float value = in[i];
        int *to = &most[i / 7 & 63], seen = *to;
        while (__int_as_float(seen) < value) {
            const int before = atomicCAS(to, seen, __float_as_int(value));
            if (before == seen)
                break;
            seen = before;
        }
    }
}

// Slots hold a key or 0; the table has mask + 1 of them.
extern "C" __global__ void hash_insert(const unsigned *keys, unsigned *table, unsigned mask, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const unsigned key = keys[i];
    unsigned slot = (key * 2654435761u >> 7) & mask;
    for (;;) {
        const unsigned before = atomicCAS(&table[slot], 0u, key);
        if (before == 0 || before == key)
            break;
        slot = (slot + 1) & mask;
    }
}

extern "C" __global__ void append_aggregated(const float *in, int *list, int *count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const bool passes = i < n && in[i] > 0.5f;
    const unsigned votes = __ballot_sync(0xffffffffu, passes);
    if (votes == 0)
        return;
    const int leader = __ffs(votes) - 1;
    int base = 0;
    if (lane == leader)
        base = atomicAdd(count, __popc(votes));
    base = __shfl_sync(0xffffffffu, base, leader);
    if (passes)
        list[base + __popc(votes & ((1u << lane) - 1))] = i;
}
