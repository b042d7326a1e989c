/* Wait-signal for halves, on tensor cores: as wait.cu, with other sums. A warp has a tile of 16 rows, or
 * PARTS warps share one: then each multiplies a part of the positions, and the first of them adds up and
 * computes the cells.
 *
 *     wait for the state of the step before, and for the input of the next step; stage both; barrier
 *     S W; [parts to the tile's first warp]; cell; publish      the critical path
 *     O U of the next step                                      while the state travels
 *
 * Weights are fragments of mma in registers, those of U in shared memory when both are too many. */
#include "half_block.cuh"

template <class Cell, int PARTS, int STEPS, bool SHARED_INPUT> struct HalfWorker : HalfBlock {
    typedef HalfPlace<Cell> Place;
    static constexpr uint32_t slice = 16 * PARTS * STEPS, block_tiles = JOB_WARPS / PARTS;
    /* Positions that a thread looks at before it waits for the first. */
    static constexpr int quads = slice > 4 * JOB_THREADS ? 4 : slice > JOB_THREADS ? slice / JOB_THREADS : 1;
    static constexpr int chains = STEPS < 8 ? 2 : 4;
    static constexpr int cells = Place::cells;
    static constexpr uint32_t state_count = block_tiles * cells * 32; /* of a batch tile */

    float4 *const stage_state, *const stage_input; /* two buffers each */
    float2 *const states;                          /* [batch tile][tile of the block][cell][lane] */
    uint4 *const input_weights;                    /* SHARED_INPUT */
    float4 *const parts;                           /* [tile of the block][part - 1][lane] */
    const uint32_t tile, part;                     /* of this warp: a tile of the block, a part of its sums */
    const Place place;

    __device__ HalfWorker(const RnnJob &job, uint32_t layer_index, uint32_t block, float4 *shared)
        : HalfWorker(job, layer_index, block, shared,
                     shared + 4 * job.groups * slice + job.tiles * state_count / 2)
    {
    }

    __device__ HalfWorker(const RnnJob &job, uint32_t layer_index, uint32_t block, float4 *shared,
                          float4 *rest)
        : HalfBlock(job, layer_index, block,
                    (uint32_t *)(rest + (SHARED_INPUT ? block_tiles * slice * 2 : 0) +
                                 (PARTS > 1 ? JOB_WARPS * 32 : 0))),
          stage_state(shared), stage_input(shared + 2 * positions),
          states((float2 *)(shared + 4 * positions)), input_weights((uint4 *)rest),
          parts(rest + (SHARED_INPUT ? block_tiles * slice * 2 : 0)), tile(threadIdx.x / 32 / PARTS),
          part(threadIdx.x / 32 % PARTS), place(job, block * block_tiles + tile)
    {
    }

    /* Reads this thread's quads of a slot without waiting for them. */
    __device__ __forceinline__ void look(const float4 *from, float4 (&quad)[quads]) const
    {
#pragma unroll
        for (int i = 0; i < quads; i++)
            if (slice >= JOB_THREADS || threadIdx.x < positions)
                quad[i] = quad_read(from + i * JOB_THREADS + threadIdx.x);
    }

    /* Puts a slot's quads into shared memory as they come. */
    __device__ __forceinline__ void stage(const float4 *from, float4 *to, float4 (&quad)[quads],
                                          uint32_t step, uint32_t what)
    {
        if (quads > 1)
            stage_several(from, to, threadIdx.x, quad, step, what);
        else if (slice >= JOB_THREADS || threadIdx.x < positions)
            stage_one(from, to, threadIdx.x, quad[0], step, what);
        for (uint32_t at = quads * JOB_THREADS + threadIdx.x; at < positions; at += JOB_THREADS)
            stage_one(from, to, at, quad_read(from + at), step, what);
    }

    /* This lane's fragments of the warp's part of a tile. */
    __device__ __forceinline__ void load(uint64_t packed, uint4 (&weights)[STEPS]) const
    {
        const uint4 *from = (const uint4 *)packed +
                            (((size_t)(block * block_tiles + tile) * PARTS + part) * STEPS) * 32 +
                            half_lane();
#pragma unroll
        for (int s = 0; s < STEPS; s++)
            weights[s] = __ldg(from + s * 32);
    }

    __device__ __forceinline__ uint32_t operands(const float4 *staged) const
    {
        return half_shared(staged + place.group_at + part * STEPS * 16 + half_lane());
    }

    __device__ __forceinline__ void add(HalfSums<chains> &sums, const uint4 (&weights)[STEPS],
                                        const float4 *staged)
    {
        const uint32_t from = operands(staged);
#pragma unroll
        for (int s = 0; s < STEPS; s += 2)
            sums.add(s, weights[s], weights[s + 1], from + s * 256);
    }

    __device__ __forceinline__ void add_shared(HalfSums<chains> &sums, const float4 *staged)
    {
        const uint32_t from = operands(staged);
        const uint4 *weights = input_weights + (tile * PARTS + part) * STEPS * 32 + half_lane();
#pragma unroll
        for (int s = 0; s < STEPS; s += 2)
            sums.add(s, weights[s * 32], weights[(s + 1) * 32], from + s * 256);
    }

    /* Brings the parts of a tile to its first warp. Who is not the first goes on at once: it writes the next
     * part behind a barrier of the block at which the first one has read this. */
    __device__ __forceinline__ TileSums gather(TileSums sums)
    {
        if (PARTS == 1)
            return sums;
        float4 *const from = parts + tile * (PARTS - 1) * 32 + half_lane();
        if (part) {
            from[(part - 1) * 32] = sums;
            asm volatile("bar.arrive %0, %1;" : : "r"(tile + 1), "n"(PARTS * 32) : "memory");
            return sums;
        }
        asm volatile("bar.sync %0, %1;" : : "r"(tile + 1), "n"(PARTS * 32) : "memory");
#pragma unroll
        for (int i = 0; i < PARTS - 1; i++)
            sums = half_add(sums, from[i * 32]);
        return sums;
    }

    __device__ __forceinline__ float2 *state_of(uint32_t batch_tile) const
    {
        return states + batch_tile * state_count + tile * cells * 32 + half_lane();
    }

    __device__ void begin_states()
    {
        for (uint32_t batch_tile = 0; batch_tile < job.tiles && part == 0; batch_tile++)
#pragma unroll
            for (int i = 0; i < cells; i++)
                state_of(batch_tile)[i * 32] = half_begin<Cell>(job, layer, place, i, batch_tile);
        __syncthreads();
    }

    __device__ void end_states()
    {
        for (uint32_t batch_tile = 0; batch_tile < job.tiles && part == 0; batch_tile++)
#pragma unroll
            for (int i = 0; i < cells; i++)
                half_end<Cell>(job, layer, place, i, batch_tile, state_of(batch_tile)[i * 32]);
    }

    /* What the sums of a step begin with, besides its products. */
    __device__ __forceinline__ TileSums first_sums(TileSums bias, uint32_t step, uint32_t batch_tile) const
    {
        if (part)
            return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        return layer.ahead ? half_add(bias, half_ahead<Cell>(job, layer, place, step, batch_tile)) : bias;
    }

    __device__ void load_input(uint4 (&weights)[SHARED_INPUT ? 1 : STEPS])
    {
        if constexpr (SHARED_INPUT) {
            const uint32_t count = block_tiles * slice * 2;
            const uint4 *from = (const uint4 *)layer.w_input + (size_t)block * count;
            for (uint32_t i = threadIdx.x; i < count; i += JOB_THREADS)
                input_weights[i] = __ldg(from + i);
        } else {
            load(layer.w_input, weights);
        }
    }

    __device__ __forceinline__ void add_input(HalfSums<chains> &sums,
                                              const uint4 (&weights)[SHARED_INPUT ? 1 : STEPS],
                                              const float4 *staged)
    {
        if constexpr (SHARED_INPUT)
            add_shared(sums, staged);
        else
            add(sums, weights, staged);
    }

    /* The first cell's O U. False: a thread has given up. */
    __device__ __forceinline__ bool begin(HalfSums<chains> &sums,
                                          const uint4 (&weights)[SHARED_INPUT ? 1 : STEPS])
    {
        const float4 *const from = (const float4 *)layer.below + half_slot(job, 1, 0);
        float4 quad[quads];
        if (layer.ahead)
            return true;
        if (job.sync != SYNC_DATA && !wait(false, 0, 0))
            return false;
        look(from, quad);
        stage(from, stage_input, quad, 0, WAITED_BELOW);
        if (!staged())
            return false;
        add_input(sums, weights, stage_input);
        return true;
    }

    /* Stages the state that a cell needs, and the input of the next one where there is one. False: a thread
     * has given up. */
    __device__ __forceinline__ bool receive(const HalfStep &at, uint32_t next_step, uint32_t next_tile,
                                            bool input, uint32_t parity)
    {
        const float4 *const state = (const float4 *)layer.own + half_slot(job, at.step, at.tile);
        const float4 *const below = (const float4 *)layer.below + half_slot(job, next_step + 1, next_tile);
        float4 state_quad[quads], input_quad[quads];
        if (job.sync != SYNC_DATA && ((at.step > 0 && !wait(true, at.step - 1, at.tile)) ||
                                      (input && !wait(false, next_step, next_tile))))
            return false;
        look(state, state_quad);
        if (input)
            look(below, input_quad);
        stage(state, stage_state + parity * positions, state_quad, at.step, WAITED_OWN);
        if (input)
            stage(below, stage_input + (parity ^ 1) * positions, input_quad, next_step, WAITED_BELOW);
        return staged();
    }

    /* S W, and the cells. */
    __device__ __forceinline__ void compute(HalfSums<chains> &sums, const uint4 (&weights)[STEPS],
                                            const HalfStep &at, uint32_t parity)
    {
        float2 state[cells];
        uint32_t length[cells];
        if (part == 0)
#pragma unroll
            for (int i = 0; i < cells; i++) {
                state[i] = state_of(at.tile)[i * 32];
                length[i] =
                    __ldg((const uint32_t *)job.lengths + at.tile * JOB_HALF_BATCH + place.sequence_of(i));
            }
        add(sums, weights, stage_state + parity * positions);
        const TileSums all = gather(sums.all());
        if (part)
            return;
        half_finish<Cell>(job, layer, place, all, length, at, state);
#pragma unroll
        for (int i = 0; i < cells; i++)
            state_of(at.tile)[i * 32] = state[i];
    }

    __device__ void run()
    {
        const uint32_t count = job.steps * job.tiles;
        uint4 state_weights[STEPS], weights[SHARED_INPUT ? 1 : STEPS];
        load(layer.w_state, state_weights);
        if (!layer.ahead)
            load_input(weights);
        const TileSums bias = half_bias<Cell>(layer, place);
        HalfStep at = {};
        half_extra<Cell>(layer, place, at);
        begin_states();
        HalfSums<chains> sums;
        sums.begin(first_sums(bias, 0, 0));
        if (!begin(sums, weights))
            return;
        for (uint32_t cell = 0; cell < count; cell++) {
            const bool more = cell + 1 < count, input = more && !layer.ahead;
            const uint32_t next_tile = at.tile + 1 == job.tiles ? 0 : at.tile + 1;
            const uint32_t next_step = next_tile ? at.step : at.step + 1;
            if (!receive(at, next_step, next_tile, input, cell & 1))
                return;
            compute(sums, state_weights, at, cell & 1);
            if (job.sync != SYNC_DATA)
                signal(at.step, at.tile);
            if (more)
                sums.begin(first_sums(bias, next_step, next_tile));
            if (input)
                add_input(sums, weights, stage_input + ((cell + 1) & 1) * positions);
            at.step = next_step;
            at.tile = next_tile;
        }
        end_states();
    }
};

template <class Cell, int PARTS, int STEPS, bool SHARED_INPUT>
static __device__ __forceinline__ void wait_signal(const RnnJob &job)
{
    extern __shared__ float4 shared[];
    const uint32_t workers = job.layers * job.blocks;
    if (blockIdx.x == job.leave)
        return;
    if (blockIdx.x >= workers) {
        half_collect(job, blockIdx.x - workers);
        return;
    }
    HalfWorker<Cell, PARTS, STEPS, SHARED_INPUT> worker(job, blockIdx.x / job.blocks, blockIdx.x % job.blocks,
                                                        shared);
    worker.run();
}

/* Compiled once for each type and cell (build.sh). */
#if defined CELL_BASIC
#define CELL HalfBasic
#define CELL_NAME basic
#elif defined CELL_GRU
#define CELL HalfGru
#define CELL_NAME gru
#elif defined CELL_PHASED
#define CELL HalfPhased
#define CELL_NAME phased
#else
#define CELL HalfLstm
#define CELL_NAME lstm
#endif
#ifdef WBRNN_BF16
#define TYPE_NAME bf16
#else
#define TYPE_NAME fp16
#endif

#define REGISTERS false
#define SHARED true
#define NAMED(TYPE, NAME, WARPS, STEPS) rnn_wait_##TYPE##_##NAME##_##WARPS##x##STEPS
#define KERNEL(TYPE, NAME, WARPS, STEPS, PLACE)                                                              \
    extern "C" __global__ void __launch_bounds__(JOB_THREADS, 1)                                             \
        NAMED(TYPE, NAME, WARPS, STEPS)(const __grid_constant__ RnnJob job)                                  \
    {                                                                                                        \
        wait_signal<CELL, WARPS, STEPS, PLACE>(job);                                                         \
    }
#define HALF_INSTANCE(WARPS, STEPS, PLACE) KERNEL(TYPE_NAME, CELL_NAME, WARPS, STEPS, PLACE)
#include "half_instances.def"
