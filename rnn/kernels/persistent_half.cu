/* Persistent, for halves: as persistent.cu, one kernel whose blocks compute every cell together, layer by
 * layer and step by step, with a barrier of all blocks behind each step; on tensor cores, with weights in
 * shared and global memory.
 *
 *     wait for the barrier; of each batch tile: stage the state; S W; cell; publish; O U of the next cell
 *     arrive at the barrier behind the last one, before the next step's O U */
#include "half_memory.cuh"

/* A block's work in one layer. `finished` counts steps of all layers that the block has arrived behind. */
template <class Cell> struct HalfMember : HalfMemory<Cell> {
    using HalfMemory<Cell>::job;
    using HalfMemory<Cell>::layer;
    uint32_t finished;

    __device__ HalfMember(const RnnJob &job, uint32_t layer, float4 *shared, uint32_t finished)
        : HalfMemory<Cell>(job, layer, blockIdx.x, 0, shared), finished(finished)
    {
    }

    __device__ __forceinline__ void arrive()
    {
        __syncthreads();
        if (threadIdx.x == 0)
            flag_add(LayerFlags(job, 0).counter);
        finished++;
    }

    /* False: the watchdog. */
    __device__ __forceinline__ bool all_arrived(uint32_t step)
    {
        bool go_on = true;
        if (threadIdx.x == 0) {
            const uint32_t *counter = LayerFlags(job, 0).counter;
            Watch watch{this->layer_index, step, WAITED_ALL};
            while (go_on && flag_acquire(counter) < finished * gridDim.x)
                go_on = !watch.is_over(job);
        }
        return all_go_on(go_on);
    }

    __device__ __forceinline__ void input(uint32_t step, uint32_t tile)
    {
        __syncthreads(); /* nobody reads what was staged before */
        this->stage_slot((const float4 *)layer.below + half_slot(job, step + 1, tile), step, WAITED_BELOW);
        this->add_inputs();
    }

    __device__ __forceinline__ void cell(const HalfStep &at)
    {
        __syncthreads();
        this->stage_slot((const float4 *)layer.own + half_slot(job, at.step, at.tile), at.step, WAITED_OWN);
        this->finish_tiles(at);
    }

    /* False: a block has given up. */
    __device__ __forceinline__ bool run()
    {
        HalfStep at = {};
        this->keep_weights();
        if (!all_arrived(0))
            return false;
        if (!layer.ahead)
            input(0, 0);
        for (; at.step < job.steps; at.step++) {
            if (at.step && !all_arrived(at.step))
                return false;
            for (at.tile = 0; at.tile < job.tiles; at.tile++) {
                const bool last = at.tile + 1 == job.tiles;
                cell(at);
                if (last)
                    arrive();
                if (!layer.ahead && at.step + last < job.steps)
                    input(at.step + last, last ? 0 : at.tile + 1);
            }
        }
        return true;
    }
};

template <class Cell> static __device__ __forceinline__ void persistent(const RnnJob &job)
{
    extern __shared__ float4 shared[];
    if (blockIdx.x == job.leave)
        return;
    for (uint32_t layer = 0; layer < job.layers; layer++) {
        HalfMember<Cell> member(job, layer, shared, layer * job.steps);
        if (!member.run())
            return;
        __syncthreads(); /* the next layer's weights go where this one's lay */
    }
}

#ifdef WBRNN_BF16
#define NAMED(NAME) rnn_persistent_bf16_##NAME
#else
#define NAMED(NAME) rnn_persistent_fp16_##NAME
#endif
#define KERNEL(NAME, CELL)                                                                                   \
    extern "C" __global__ void __launch_bounds__(JOB_THREADS, 2)                                             \
        NAMED(NAME)(const __grid_constant__ RnnTogether together)                                            \
    {                                                                                                        \
        persistent<CELL>(together.job);                                                                      \
    }
KERNEL(basic, HalfBasic)
KERNEL(lstm, HalfLstm)
KERNEL(gru, HalfGru)
KERNEL(phased, HalfPhased)
