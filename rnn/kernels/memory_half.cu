/* Wait-signal for layers of halves whose weights fit into no registers: as memory.cu, on tensor cores. */
#include "half_memory.cuh"

template <class Cell> struct HalfWaiter : HalfMemory<Cell> {
    using HalfMemory<Cell>::job;
    using HalfMemory<Cell>::layer;
    using HalfMemory<Cell>::HalfMemory;

    /* Waits for a cell, unless its values say themselves whether they are there. */
    __device__ __forceinline__ bool ready(bool own, uint32_t step, uint32_t tile)
    {
        return job.sync == SYNC_DATA || this->wait(own, step, tile);
    }

    __device__ __forceinline__ bool input(uint32_t step, uint32_t tile)
    {
        const float4 *from = (const float4 *)layer.below + half_slot(job, step + 1, tile);
        if (!ready(false, step, tile) || !this->stage_slot(from, step, WAITED_BELOW))
            return false;
        this->add_inputs();
        return true;
    }

    __device__ __forceinline__ bool cell(const HalfStep &at)
    {
        const float4 *from = (const float4 *)layer.own + half_slot(job, at.step, at.tile);
        __syncthreads(); /* nobody reads what was staged before */
        if (at.step > 0 && !ready(true, at.step - 1, at.tile))
            return false;
        if (!this->stage_slot(from, at.step, WAITED_OWN))
            return false;
        this->finish_tiles(at);
        if (job.sync != SYNC_DATA)
            this->signal(at.step, at.tile);
        return true;
    }

    __device__ __forceinline__ void run()
    {
        HalfStep at = {};
        this->keep_weights();
        if (!layer.ahead && !input(0, 0))
            return;
        while (at.step < job.steps) {
            const uint32_t next_tile = at.tile + 1 == job.tiles ? 0 : at.tile + 1;
            const uint32_t next_step = next_tile ? at.step : at.step + 1;
            if (!cell(at))
                return;
            if (!layer.ahead && next_step < job.steps) {
                __syncthreads();
                if (!input(next_step, next_tile))
                    return;
            }
            at.step = next_step;
            at.tile = next_tile;
        }
    }
};

template <class Cell> static __device__ __forceinline__ void wait_signal(const RnnJob &job)
{
    extern __shared__ float4 shared[];
    const uint32_t workers = job.layers * job.blocks;
    if (blockIdx.x == job.leave)
        return;
    if (blockIdx.x >= workers) {
        half_collect(job, blockIdx.x - workers);
        return;
    }
    const uint32_t layer = blockIdx.x / job.blocks;
    HalfWaiter<Cell> waiter(job, layer, blockIdx.x % job.blocks, layer, shared);
    waiter.run();
}

#ifdef WBRNN_BF16
#define NAMED(NAME) rnn_wait_bf16_##NAME##_memory
#else
#define NAMED(NAME) rnn_wait_fp16_##NAME##_memory
#endif
/* Two blocks share an SM: one's arithmetic hides the other's loads. */
#define KERNEL(NAME, CELL)                                                                                   \
    extern "C" __global__ void __launch_bounds__(JOB_THREADS, 2)                                             \
        NAMED(NAME)(const __grid_constant__ RnnJob job)                                                      \
    {                                                                                                        \
        wait_signal<CELL>(job);                                                                              \
    }
KERNEL(basic, HalfBasic)
KERNEL(lstm, HalfLstm)
KERNEL(gru, HalfGru)
KERNEL(phased, HalfPhased)
