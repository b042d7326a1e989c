/* Stream, for halves: as stream.cu, a kernel for O U of each layer and step, and one for S W with the cell;
 * on tensor cores. A warp has a tile of 16 rows for itself, and goes through batch tiles one by one. Nothing
 * stays on chip between kernels; operands go through shared memory, some positions at a time. */
#include "half_block.cuh"

namespace {

constexpr uint32_t kPositions = 1024; // that lie in shared memory at a time

// The kernels of halves know a job, of which a step has all that cells need.
__device__ RnnJob job_of(const RnnStep &step)
{
    RnnJob job = {};
    job.blocks = step.blocks;
    job.hidden = step.hidden;
    job.groups = step.groups;
    job.slice = step.slice;
    job.batch = step.batch;
    job.tiles = step.tiles;
    job.first_step = step.first_step;
    job.kind = step.kind;
    job.y_step = step.y_step;
    job.y_sequence = step.y_sequence;
    job.lengths = step.lengths;
    job.times = step.times;
    return job;
}

template <class Cell> struct Task {
    typedef HalfPlace<Cell> Place;
    static constexpr int cells = Place::cells;

    const RnnStep &step;
    const RnnJob job;
    float4 *const stage;
    const uint32_t warp_tile = blockIdx.x % step.blocks * JOB_WARPS + threadIdx.x / 32;
    const uint32_t across = blockIdx.x / step.blocks; // the first batch tile; the grid's rows are the stride
    const Place place;

    __device__ Task(const RnnStep &step, float4 *stage)
        : step(step), job(job_of(step)), stage(stage), place(job, warp_tile)
    {
    }

    // Adds the product of this warp's tile with `count` positions of its group from `first` on.
    __device__ __forceinline__ void multiply(HalfSums<4> &sums, uint64_t matrix, uint32_t first,
                                             uint32_t count, uint32_t staged_at) const
    {
        const uint4 *const weights =
            (const uint4 *)matrix + ((size_t)warp_tile * (job.slice / 16) + first / 16) * 32 + half_lane();
        const uint32_t staged = half_shared(stage + staged_at + half_lane());
        for (uint32_t s = 0; s < count / 16; s += 4) {
            const uint4 a = __ldg(weights + s * 32), b = __ldg(weights + (s + 1) * 32);
            const uint4 c = __ldg(weights + (s + 2) * 32), d = __ldg(weights + (s + 3) * 32);
            sums.add(0, a, b, staged + s * 256);
            sums.add(2, c, d, staged + s * 256 + 512);
        }
    }

    // The product with a slot's batch tile. All threads of the block call it: they share what they stage.
    // Warps of different groups have their own positions: each goes through all of them and takes its own.
    __device__ __forceinline__ TileSums product(uint64_t matrix, uint64_t sequence, uint32_t number,
                                                uint32_t tile) const
    {
        const float4 *const from = (const float4 *)sequence + half_slot(job, number, tile);
        const uint32_t positions = job.groups * job.slice;
        HalfSums<4> sums;
        sums.begin(make_float4(0.0f, 0.0f, 0.0f, 0.0f));
        for (uint32_t first = 0; first < positions; first += kPositions) {
            const uint32_t end = min(first + kPositions, positions);
            __syncthreads(); // nobody reads what was staged before
            for (uint32_t i = first + threadIdx.x; i < end; i += JOB_THREADS)
                stage[i - first] = from[i];
            __syncthreads();
            const uint32_t low = max(first, place.group_at), high = min(end, place.group_at + job.slice);
            if (low < high)
                multiply(sums, matrix, low - place.group_at, high - low, low - first);
        }
        return sums.all();
    }

    __device__ void input() const
    {
        constexpr int rows = Cell::basic ? 1 : 4, last = Place::units - 1;
        const uint32_t gate = Cell::basic ? 0 : half_lane() / 16, other = Cell::basic ? 0 : gate + 2;
        for (uint32_t tile = across; tile < job.tiles; tile += gridDim.x / step.blocks) {
            const TileSums sums = product(step.layer.w_input, step.layer.below, step.step + 1, tile);
            float *const to = (float *)step.layer.ahead +
                              half_slot(job, step.step + 1, tile) * rows * JOB_HALF_BATCH +
                              half_lane() % 4 * 2;
            if (place.exists[0])
                *(float2 *)(to + ((size_t)place.position[0] * rows + gate) * JOB_HALF_BATCH) =
                    make_float2(sums.x, sums.y);
            if (place.exists[last])
                *(float2 *)(to + ((size_t)place.position[last] * rows + other) * JOB_HALF_BATCH) =
                    make_float2(sums.z, sums.w);
        }
    }

    __device__ __forceinline__ float2 before(int cell, uint32_t tile) const
    {
        const int i = place.unit_of(cell);
        const uint32_t sequence = place.sequence_of(cell);
        const uint16_t *own = (const uint16_t *)step.layer.own +
                              (half_slot(job, step.step, tile) + place.position[i]) * JOB_HALF_BATCH;
        const float c = half_c0(job, step.layer, tile * JOB_HALF_BATCH + sequence, place.unit[i]);
        return place.exists[i] ? make_float2(c, half_value(own[sequence])) : make_float2(0.0f, 0.0f);
    }

    __device__ void state() const
    {
        HalfStep at = {step.step, 0, {}};
        half_extra<Cell>(step.layer, place, at);
        const TileSums bias = half_bias<Cell>(step.layer, place);
        for (at.tile = across; at.tile < job.tiles; at.tile += gridDim.x / step.blocks) {
            const TileSums ahead = half_ahead<Cell>(job, step.layer, place, step.step, at.tile);
            float2 state[cells];
            uint32_t length[cells];
#pragma unroll
            for (int i = 0; i < cells; i++) {
                state[i] = before(i, at.tile);
                length[i] = ((const uint32_t *)job.lengths)[at.tile * JOB_HALF_BATCH + place.sequence_of(i)];
            }
            const TileSums sums = product(step.layer.w_state, step.layer.own, step.step, at.tile);
            half_finish<Cell>(job, step.layer, place, half_add(sums, half_add(bias, ahead)), length, at,
                              state);
#pragma unroll
            for (int i = 0; i < cells; i++)
                half_end<Cell>(job, step.layer, place, i, at.tile, state[i]);
        }
    }
};

} // namespace

#ifdef WBRNN_BF16
#define NAMED(WHAT, NAME) rnn_stream_##WHAT##_bf16_##NAME
#else
#define NAMED(WHAT, NAME) rnn_stream_##WHAT##_fp16_##NAME
#endif
#define KERNEL(WHAT, NAME, CELL)                                                                             \
    extern "C" __global__ void __launch_bounds__(JOB_THREADS, 2)                                             \
        NAMED(WHAT, NAME)(const __grid_constant__ RnnStep step)                                              \
    {                                                                                                        \
        __shared__ float4 stage[kPositions];                                                                 \
        Task<CELL>(step, stage).WHAT();                                                                      \
    }
#define KERNELS(NAME, CELL)                                                                                  \
    KERNEL(input, NAME, CELL)                                                                                \
    KERNEL(state, NAME, CELL)
KERNELS(basic, HalfBasic)
KERNELS(lstm, HalfLstm)
KERNELS(gru, HalfGru)
KERNELS(phased, HalfPhased)
