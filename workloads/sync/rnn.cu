/* A recurrent network of several layers [sync-thesis §3.2.3]: the state of layer i at time t is made of its
 * own at t - 1 and of that of the layer below at t, or of the input,
 *
 *     S(i, t) = f(S(i, t - 1) W(i) + S(i - 1, t) U(i))
 *
 * A step computes all layers at once, layer i at time step - i, and steps need a barrier in between. A block
 * has 16 columns of W and U of a layer in its shared memory: a thread multiplies a slice of one column, for the
 * whole batch. Where one kernel makes all steps, weights are loaded once; else anew in every launch.
 *
 * Sums are fused and in one order, so that results are equal to the last bit. */
#include "barriers.cuh"

constexpr int SIDE = 16, BATCH = 4, MOST = 256; /* the most units of a layer; as the host has it */

/* As the host has it. */
struct Network {
    const float *weights; /* [layers][2 * hidden][hidden]: W above U */
    const float *input;   /* [times][BATCH][hidden] */
    float *states;        /* [layers][times + 1][BATCH][hidden], those at 0 are zeros */
    int hidden, layers, times;
};

/* A block's columns, in shared memory, which stay as they are: 2 * hidden rows. */
typedef float Weights[2 * MOST * SIDE];

/* The rest of shared memory: what weights are multiplied by, and sums of slices. */
__device__ __forceinline__ float4 *factors(const Network &)
{
    extern __shared__ float4 shared[];
    return shared;
}
__device__ __forceinline__ float *sums(const Network &network)
{
    return (float *)(factors(network) + network.hidden * 2);
}

__device__ __forceinline__ void load_weights(const Network &network, Weights &columns)
{
    const int hidden = network.hidden;
    const float *weights = network.weights + (size_t)blockIdx.y * 2 * hidden * hidden + blockIdx.x * SIDE;
#pragma unroll 8
    for (int row = threadIdx.y; row < hidden * 2; row += SIDE)
        columns[row * SIDE + threadIdx.x] = weights[(size_t)row * hidden + threadIdx.x];
}

__device__ __forceinline__ float *state(const Network &network, int layer, int time)
{
    return network.states + ((size_t)layer * (network.times + 1) + time) * BATCH * network.hidden;
}

__device__ __forceinline__ float4 batch_of(const float *from, int hidden, int unit)
{
    static_assert(BATCH == 4, "a row of factors is a float4");
    return {__ldcg(&from[unit]), __ldcg(&from[hidden + unit]), __ldcg(&from[2 * hidden + unit]),
            __ldcg(&from[3 * hidden + unit])};
}

/* [2 * hidden][batch]: the layer's last state, and that of the layer below. */
__device__ __forceinline__ void load_factors(const Network &network, int time)
{
    const int hidden = network.hidden, layer = blockIdx.y;
    const float *last = state(network, layer, time);
    const float *below = layer ? state(network, layer - 1, time + 1)
                               : network.input + (size_t)time * BATCH * hidden;
    for (int unit = thread_rank(); unit < hidden; unit += SIDE * SIDE) {
        factors(network)[unit] = batch_of(last, hidden, unit);
        factors(network)[hidden + unit] = batch_of(below, hidden, unit);
    }
}

/* The sum of a column over all slices, by the threads of the first rows, one for each of the batch. */
__device__ __forceinline__ void add_slices(const Network &network, int time)
{
    float sum = 0;
    if (threadIdx.y >= BATCH)
        return;
    for (int slice = 0; slice < SIDE; slice++)
        sum = __fadd_rn(sum, sums(network)[(threadIdx.y * SIDE + slice) * SIDE + threadIdx.x]);
    state(network, blockIdx.y, time + 1)[threadIdx.y * network.hidden + blockIdx.x * SIDE + threadIdx.x] =
        fminf(fmaxf(sum, 0.0f), 1.0f);
}

__device__ __forceinline__ void compute_step(const Network &network, const Weights &columns, int step)
{
    const int time = step - (int)blockIdx.y, rows = network.hidden * 2;
    float sum[BATCH] = {0};
    if (time < 0 || time >= network.times)
        return;
    load_factors(network, time);
    __syncthreads();
#pragma unroll 8
    for (int row = threadIdx.y; row < rows; row += SIDE) {
        const float weight = columns[row * SIDE + threadIdx.x];
        const float4 factor = factors(network)[row];
        sum[0] = __fmaf_rn(factor.x, weight, sum[0]);
        sum[1] = __fmaf_rn(factor.y, weight, sum[1]);
        sum[2] = __fmaf_rn(factor.z, weight, sum[2]);
        sum[3] = __fmaf_rn(factor.w, weight, sum[3]);
    }
#pragma unroll
    for (int i = 0; i < BATCH; i++)
        sums(network)[(i * SIDE + threadIdx.y) * SIDE + threadIdx.x] = sum[i];
    __syncthreads();
    add_slices(network, time);
}

extern "C" __global__ void rnn_rekl(Network network, int step)
{
    __shared__ Weights columns;
    load_weights(network, columns);
    compute_step(network, columns, step);
}

template <Mode mode> __device__ __forceinline__ void rnn(Network network, Barrier barrier)
{
    __shared__ Weights columns;
    const int steps = network.times + network.layers - 1;
    load_weights(network, columns);
    for (int step = 0; step < steps; step++) {
        compute_step(network, columns, step);
        if (step + 1 < steps)
            grid_barrier<mode>(barrier, step + 1);
    }
}

KERNEL(rnn, flags, FLAGS, (Network network, Barrier barrier), (network, barrier))
KERNEL(rnn, gsync, GSYNC, (Network network, Barrier barrier), (network, barrier))
