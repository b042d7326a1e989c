/* A recurrent network of several LSTM layers, which are parted among GPUs, those of a GPU side by side. What
 * a layer has at a time step needs what the layer below has at that step, and what it had itself at the step
 * before: so all layers work at once, each a step behind the one below, a wave [sync-thesis §5]. The first
 * layer of a GPU reads its input from the memory of the GPU below, or is sent it, if that is on another node.
 *
 * A block has eight units of a layer, a warp each. Behind a wave all GPUs meet. */
#include "group.cuh"

constexpr int UNITS = 8, MOST = 512; /* of a block; of a layer; as the host has it */

/* The layers of one GPU, in its memory; as the host has it. Outputs begin with a step of zeros, that before
 * the first one. */
struct Layers {
    const float *weights; /* [layer][unit][gate][2 x units]: of the input, then of the step before */
    const float *biases;  /* [layer][unit][gate]; gates: input, forget, candidate, output */
    float *outputs;       /* [layer][step + 1][unit] */
    float *cells;         /* [layer][unit] */
    const float *input;   /* of its first layer: [step + 1][unit] */
    int below;            /* the GPU that writes that; -1: the network's own input */
    int first;            /* layer */
    int units, steps;
};

struct Inputs {
    float below[MOST], before[MOST];
};

__device__ __forceinline__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

__device__ __forceinline__ void fetch(float *to, const float *from, int count)
{
    for (int i = (int)thread_rank(); i < count; i += (int)thread_count())
        to[i] = __ldcg(&from[i]);
}

__device__ __forceinline__ float sum_of_warp(float value)
{
    for (int lane = 16; lane; lane /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, lane);
    return value;
}

/* What a block does of a wave: a step of its layer, where there is one. */
struct Part {
    int layer, step;

    __device__ Part(const Layers &layers, int wave)
    {
        layer = (int)blockIdx.y;
        step = wave - layers.first - layer;
    }
    __device__ bool is_one(const Layers &layers) const { return step >= 0 && step < layers.steps; }
    __device__ bool is_from_elsewhere(const Layers &layers) const { return layer == 0 && layers.below >= 0; }
    __device__ const float *below(const Layers &layers) const
    {
        const float *first =
            layer ? layers.outputs + (size_t)(layer - 1) * (layers.steps + 1) * layers.units : layers.input;
        return first + (size_t)(step + 1) * layers.units;
    }
};

/* By a warp: gates of a unit, its cell and its output. */
__device__ __forceinline__ void compute_unit(const Layers &layers, const Part &part, int unit,
                                             const Inputs &inputs)
{
    const int units = layers.units, lane = (int)(thread_rank() % 32);
    const size_t row = (size_t)part.layer * units + unit;
    float gates[4];
    for (int gate = 0; gate < 4; gate++) {
        const float *weights = layers.weights + (row * 4 + gate) * 2 * units;
        float sum = 0;
        for (int i = lane; i < units; i += 32)
            sum += weights[i] * inputs.below[i] + weights[units + i] * inputs.before[i];
        gates[gate] = sum_of_warp(sum) + layers.biases[row * 4 + gate];
    }
    if (lane == 0) {
        float *cell = &layers.cells[row];
        const float next = sigmoid(gates[1]) * *cell + sigmoid(gates[0]) * tanhf(gates[2]);
        float *outputs = layers.outputs + (size_t)part.layer * (layers.steps + 1) * units;
        *cell = next;
        __stcg(&outputs[(size_t)(part.step + 1) * units + unit], sigmoid(gates[3]) * tanhf(next));
    }
}

/* `has_below`: what the layer below has is there already. */
__device__ __forceinline__ void compute(const Layers &layers, const Part &part, Inputs &inputs,
                                        bool has_below)
{
    const int units = layers.units, unit = (int)blockIdx.x * UNITS + (int)(thread_rank() / 32);
    const float *outputs = layers.outputs + (size_t)part.layer * (layers.steps + 1) * units;
    if (!part.is_one(layers))
        return;
    if (!has_below)
        fetch(inputs.below, part.below(layers), units);
    fetch(inputs.before, outputs + (size_t)part.step * units, units);
    __syncthreads();
    compute_unit(layers, part, unit, inputs);
}

/* One wave; the host lets GPUs meet. */
extern "C" __global__ void lstm_host(const Layers *layers, int wave)
{
    __shared__ Inputs inputs;
    compute(*layers, Part(*layers, wave), inputs, false);
}

/* What the GPU's last layer has got in a wave goes to the GPU above, which is on another node. */
__device__ __forceinline__ void send_outputs(const Layers &layers, int wave, float *to)
{
    const int layer = (int)gridDim.y - 1, step = wave - layers.first - layer, units = layers.units;
    const size_t at = (size_t)(step + 1) * units;
    if (to && step >= 0 && step < layers.steps)
        wb_put(to + at, layers.outputs + (size_t)layer * (layers.steps + 1) * units + at,
               units * sizeof(float));
}

/* All waves. With PREFETCH, blocks whose input comes from another GPU read it as soon as that GPU's flag is
 * there, while the others are still waited for. */
template <Mode mode>
__device__ __forceinline__ void lstm(const Layers &layers, int waves, const Group &group, float *to = nullptr)
{
    __shared__ Inputs inputs;
    bool has_below = false;
    for (int wave = 0; wave < waves; wave++) {
        compute(layers, Part(layers, wave), inputs, has_below);
        if (wave + 1 == waves)
            return;
        const Part next(layers, wave + 1);
        has_below = mode == PREFETCH && next.is_one(layers) && next.is_from_elsewhere(layers);
        const auto fetch_below = [&] {
            if (has_below) {
                await(group, layers.below, wave + 1);
                fetch(inputs.below, next.below(layers), layers.units);
            }
        };
        group_sync<mode, false>(group, wave + 1, false, fetch_below, [&](unsigned lane) {
            if (mode == NETWORK && lane == 0)
                send_outputs(layers, wave, to);
        });
    }
}

extern "C" __global__ void lstm_flags(const Layers *layers, int waves, const Group *group)
{
    lstm<FLAGS>(*layers, waves, *group);
}
extern "C" __global__ void lstm_prefetch(const Layers *layers, int waves, const Group *group)
{
    lstm<PREFETCH>(*layers, waves, *group);
}
extern "C" __global__ void lstm_push(const Layers *layers, int waves, const Group *group)
{
    lstm<PUSH>(*layers, waves, *group);
}
extern "C" __global__ void lstm_hardware(const Layers *layers, int waves, const Group *group)
{
    lstm<HARDWARE>(*layers, waves, *group);
}
/* `to`: where the GPU above looks for its input, if it is on another node; else null. */
extern "C" __global__ void lstm_network(const Layers *layers, int waves, const Group *group, float *to)
{
    lstm<NETWORK>(*layers, waves, *group, to);
}
