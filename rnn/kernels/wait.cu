/* Wait-signal: one kernel for all layers that are in flight. Each layer has blocks of its own, which hold its
 * weights from the first step to the last and wait for the blocks they need: those of their own layer for the
 * step before, those of the layer below for this step [sync thesis 5.1].
 *
 * A warp has some units all for itself: it multiplies, adds up over its lanes, computes the cell and publishes
 * the result. The block's threads only share what has come from others, in shared memory, and so need one
 * barrier a step:
 *
 *     wait for the state of the step before, and for the input of the next step; stage both; barrier
 *     S W; cell; publish        the critical path
 *     O U of the next step      while the state travels
 *
 * which is how S W and O U overlap when one block does both. A layer is two steps behind the one below. With job.split they have blocks of their own, as
 * in the thesis [5.1.1]: those of O U hand preactivations over.
 *
 * Where this differs from the thesis: a block of both products is the default, for it needs no hand-over; in
 * Fig 29 (b) the entry counts steps instead of being reset, for a reset is safe only for readers of the layer
 * itself. */
#include "cell.cuh"
#include "sync.cuh"

/* A block's view of its work. Invariant: `states` has an entry for each unit of the block and sequence of all
 * batch tiles; a warp uses those of its own units alone. */
template <class Cell, int LANES, int DEPTH, bool SHARED_INPUT> struct Worker {
    static constexpr int rows = Cell::rows;
    static constexpr uint32_t slice = LANES * DEPTH;
    static constexpr int quads = slice > JOB_THREADS ? slice / JOB_THREADS : 1; /* of a thread, at least */
    static constexpr uint32_t warp_units = 32 / LANES * Cell::units;
    static constexpr int held = Lanes<LANES>::held;

    const RnnJob &job;
    const RnnLayer &layer;
    const uint32_t layer_index, block; /* of the layer's group of blocks */
    const uint32_t positions;
    float4 *const stage_state, *const stage_input; /* two buffers each */
    float2 *const states;
    float4 *const input_weights; /* SHARED_INPUT */
    uint32_t *const left;        /* two flags: a thread of the block has given up, by parity of the phase */
    uint32_t phase = 0;

    uint32_t unit, position, group_at, state_at;
    bool stores;

    __device__ Worker(const RnnJob &job, uint32_t layer_index, uint32_t block, float4 *shared)
        : job(job), layer(job.layer[layer_index]), layer_index(layer_index), block(block),
          positions(job.groups * slice), stage_state(shared), stage_input(shared + 2 * positions),
          states((float2 *)(shared + 4 * positions)),
          input_weights(shared + 4 * positions + job.tiles * JOB_WARPS * warp_units * 2),
          left((uint32_t *)(input_weights + (SHARED_INPUT ? JOB_WARPS * DEPTH / 4 * rows * 32 : 0)))
    {
        const uint32_t warp = threadIdx.x / 32, row = Lanes<LANES>::row();
        const uint32_t in_warp = Lanes<LANES>::unit() * Cell::units + (Cell::units > 1 ? row : 0);
        const uint32_t group_units = job.hidden / job.groups;
        unit = (block * JOB_WARPS + warp) * warp_units + in_warp;
        const uint32_t group = unit < job.hidden ? unit / group_units : 0;
        group_at = Cell::units > 1 ? 0 : group * slice;
        position = group * slice + unit % group_units;
        state_at = (warp * warp_units + in_warp) * 4 + Lanes<LANES>::sequence();
        stores = unit < job.hidden && Lanes<LANES>::is_first() && (Cell::units > 1 || row == 0);
        if (threadIdx.x < 2)
            left[threadIdx.x] = 0;
    }

    __device__ __forceinline__ size_t slot(uint32_t step_slot, uint32_t tile) const
    {
        return ((size_t)step_slot * job.tiles + tile) * positions;
    }

    /* Reads this thread's quads of a slot without waiting for them. */
    __device__ __forceinline__ void look(const float4 *from, float4 (&quad)[quads]) const
    {
#pragma unroll
        for (int i = 0; i < quads; i++)
            if (slice >= JOB_THREADS || threadIdx.x < positions)
                quad[i] = quad_read(from + i * JOB_THREADS + threadIdx.x);
    }

    __device__ __forceinline__ void stage_one(const float4 *from, float4 *to, uint32_t at, float4 quad,
                                              uint32_t step, uint32_t what)
    {
        if (!is_written(quad)) {
            Watch watch{layer_index, step, what};
            do {
                quad = quad_read(from + at);
                if (watch.is_over(job)) {
                    left[phase & 1] = 1;
                    break;
                }
            } while (!is_written(quad));
        }
        to[at] = quad;
    }

    /* Puts a slot's quads into shared memory as they come. */
    __device__ __forceinline__ void stage(const float4 *from, float4 *to, float4 (&quad)[quads], uint32_t step,
                                          uint32_t what)
    {
#pragma unroll
        for (int i = 0; i < quads; i++)
            if (slice >= JOB_THREADS || threadIdx.x < positions)
                stage_one(from, to, i * JOB_THREADS + threadIdx.x, quad[i], step, what);
        for (uint32_t at = quads * JOB_THREADS + threadIdx.x; at < positions; at += JOB_THREADS)
            stage_one(from, to, at, quad_read(from + at), step, what);
    }

    /* All threads of the block have staged their quads. False: one has given up. */
    __device__ __forceinline__ bool staged()
    {
        __syncthreads();
        return !left[phase++ & 1];
    }

    /* What flags and events add: waits for the cell, with a barrier. */
    __device__ __forceinline__ bool wait(bool own, uint32_t step, uint32_t tile)
    {
        const uint32_t producer = own ? layer_index : layer_index - 1;
        if (!own && layer_index == 0)
            return true; /* the input is there */
#ifdef WBRNN_HARDWARE
        wb_wait(event(own, producer, step, tile), 2 * job.blocks);
        return true;
#else
        bool go_on = true;
        if (threadIdx.x == 0)
            go_on = flags_wait(job, LayerFlags(job, producer), own, block, step * job.tiles + tile,
                               Watch{layer_index, step, own ? 1u * WAITED_OWN : 1u * WAITED_BELOW});
        return all_go_on(go_on);
#endif
    }

    /* The event of a cell. Those for the own layer are used again: who signals has waited for the last use.
     * The next layer may be far behind, so for it each cell has its own. */
    __device__ __forceinline__ uint32_t event(bool own, uint32_t producer, uint32_t step, uint32_t tile) const
    {
        if (own)
            return producer * job.tiles + tile;
        return (JOB_LAYERS + producer * job.steps + step) * job.tiles + tile;
    }

    __device__ __forceinline__ void signal(uint32_t step, uint32_t tile)
    {
#ifdef WBRNN_HARDWARE
        if (step + 1 < job.steps)
            wb_signal(event(true, layer_index, step, tile), 2 * job.blocks);
        if (layer_index + 1 < job.layers)
            wb_signal(event(false, layer_index, step, tile), 2 * job.blocks);
#else
        __syncthreads();
        if (threadIdx.x == 0)
            flags_signal(job, LayerFlags(job, layer_index), block, step * job.tiles + tile);
#endif
    }

    __device__ void begin_states()
    {
        const uint32_t sequence = Lanes<LANES>::sequence();
        for (uint32_t tile = 0; tile < job.tiles; tile++)
#pragma unroll
            for (int i = 0; i < held; i++)
                if (stores) {
                    const uint32_t b = tile * JOB_BATCH + sequence + i;
                    const float *own = (const float *)((const float4 *)layer.own + slot(0, tile) + position);
                    const bool has_c = layer.c0 && b < job.batch;
                    states[tile * JOB_WARPS * warp_units * 4 + state_at + i] =
                        make_float2(has_c ? ((const float *)layer.c0)[b * job.hidden + unit] : 0.0f,
                                    own[sequence + i]);
                }
        __syncthreads();
    }

    __device__ void end_states()
    {
        for (uint32_t tile = 0; tile < job.tiles; tile++)
#pragma unroll
            for (int i = 0; i < held; i++) {
                const uint32_t b = tile * JOB_BATCH + Lanes<LANES>::sequence() + i;
                if (!stores || b >= job.batch)
                    continue;
                const float2 state = states[tile * JOB_WARPS * warp_units * 4 + state_at + i];
                if (layer.cn)
                    ((float *)layer.cn)[b * job.hidden + unit] = state.x;
                if (layer.hn)
                    ((float *)layer.hn)[b * job.hidden + unit] = state.y;
            }
    }

    /* The cell of this lane's unit, published. */
    __device__ __forceinline__ void finish(const Sums &sums, float bias, const float2 (&before)[held],
                                           const uint32_t (&length)[held], uint32_t step, uint32_t tile)
    {
        const uint32_t row = Lanes<LANES>::row(), sequence = Lanes<LANES>::sequence();
        float2 *const state = states + tile * JOB_WARPS * warp_units * 4 + state_at;
        float *const own = (float *)((float4 *)layer.own + slot(step + 1, tile) + position) + sequence;
#pragma unroll
        for (int i = 0; i < held; i++) {
            const uint32_t b = tile * JOB_BATCH + sequence + i, at = job.first_step + step;
            const float2 old = before[i];
            CellContext context = {row, job.kind, 0.0f, nullptr};
            if (layer.extra) {
                context.extra = (const float *)layer.extra + (unit < job.hidden ? unit : 0) * 8;
                context.time = job.times && b < job.batch
                                   ? ((const float *)job.times)[(size_t)at * job.batch + b]
                                   : (float)at;
            }
            CellState now = Cell::template finish<LANES>(sums[i] + bias, CellState{old.x, old.y}, context);
            const bool lives = at < length[i];
            if (!lives)
                now = CellState{old.x, old.y};
            if (!stores)
                continue;
            word_write(own + i, now.h);
            if (layer.y && b < job.batch)
                ((float *)layer.y)[(size_t)at * job.y_step + (size_t)b * job.y_sequence + unit] =
                    lives ? now.h : 0.0f;
            state[i] = make_float2(now.c, now.h);
        }
    }

    __device__ __forceinline__ void add_input(Sums &sums, const Weights<rows, SHARED_INPUT ? 4 : DEPTH> &weights,
                                              const float4 *staged)
    {
        staged += group_at + Lanes<LANES>::k();
        if (SHARED_INPUT) {
            const float4 *from = input_weights + (threadIdx.x / 32) * (DEPTH / 4) * rows * 32 + threadIdx.x % 32;
            add_from_memory<rows, LANES, Cell::last_input>(sums, from, DEPTH, staged);
        } else {
            add_from_registers<rows, LANES, SHARED_INPUT ? 4 : DEPTH, Cell::last_input>(sums, weights, staged);
        }
    }

    /* Preactivations of the first layer that were computed before. */
    __device__ __forceinline__ void add_ahead(Sums &sums, uint32_t step, uint32_t tile) const
    {
        if (unit >= job.hidden)
            return;
        const uint32_t in_unit = Cell::units > 1 ? Lanes<LANES>::sequence() : Lanes<LANES>::k() % 16 * held;
        const float *from = (const float *)layer.ahead +
                            (slot(step + 1, tile) + position) * (Cell::units > 1 ? 4 : 16) + in_unit;
#pragma unroll
        for (int i = 0; i < held; i++)
            sums[i] += from[i];
    }

    __device__ void run()
    {
        const uint32_t warp_tile = block * JOB_WARPS + threadIdx.x / 32;
        const uint32_t k = Lanes<LANES>::k(), row = Lanes<LANES>::row();
        const uint32_t cells = job.steps * job.tiles;
        const bool data = job.sync == SYNC_DATA;
        const bool ahead = layer.ahead != 0;
        Weights<rows, DEPTH> state_weights;
        Weights<rows, SHARED_INPUT ? 4 : DEPTH> in_registers;
        state_weights.load(layer.w_state, warp_tile);
        if (SHARED_INPUT && !ahead) {
            const uint32_t count = JOB_WARPS * (DEPTH / 4) * rows * 32;
            const float4 *from = (const float4 *)layer.w_input + (size_t)block * count;
            for (uint32_t i = threadIdx.x; i < count; i += JOB_THREADS)
                input_weights[i] = __ldg(from + i);
        } else if (!ahead) {
            in_registers.load(layer.w_input, warp_tile);
        }
        const float bias =
            unit < job.hidden ? ((const float *)layer.bias)[unit * 4 + (Cell::units > 1 ? 0 : row)] : 0.0f;
        begin_states();

        Sums sums = {};
        float4 state_quad[quads], input_quad[quads];
        const float4 *const below = (const float4 *)layer.below, *const own = (const float4 *)layer.own;
        if (!ahead) {
            if (!data && !wait(false, 0, 0))
                return;
            look(below + slot(1, 0), input_quad);
            stage(below + slot(1, 0), stage_input, input_quad, 0, WAITED_BELOW);
            if (!staged())
                return;
            add_input(sums, in_registers, stage_input);
        }
        uint32_t step = 0, tile = 0;
        for (uint32_t cell = 0; cell < cells; cell++) {
            const bool more = cell + 1 < cells && !ahead;
            const uint32_t next_tile = tile + 1 == job.tiles ? 0 : tile + 1;
            const uint32_t next_step = next_tile ? step : step + 1;
            float4 *const state = stage_state + (cell & 1) * positions;
            float4 *const input = stage_input + ((cell + 1) & 1) * positions;
            const float4 *const from = own + slot(step, tile), *const next = below + slot(next_step + 1, next_tile);
            if (!data && ((step > 0 && !wait(true, step - 1, tile)) || (more && !wait(false, next_step, next_tile))))
                return;
            look(from, state_quad);
            if (more)
                look(next, input_quad);
            stage(from, state, state_quad, step, WAITED_OWN);
            if (more)
                stage(next, input, input_quad, next_step, WAITED_BELOW);
            if (!staged())
                return;
            float2 before[held];
            uint32_t length[held];
#pragma unroll
            for (int i = 0; i < held; i++) {
                before[i] = states[tile * JOB_WARPS * warp_units * 4 + state_at + i];
                length[i] = __ldg((const uint32_t *)job.lengths + tile * JOB_BATCH + Lanes<LANES>::sequence() + i);
            }
            add_from_registers<rows, LANES, DEPTH, Cell::last_state>(sums, state_weights, state + group_at + k);
            reduce<LANES>(sums);
            if (ahead)
                add_ahead(sums, step, tile);
            finish(sums, bias, before, length, step, tile);
            if (!data)
                signal(step, tile);
#pragma unroll
            for (int i = 0; i < 16; i++)
                sums[i] = 0.0f;
            if (more)
                add_input(sums, in_registers, input);
            step = next_step;
            tile = next_tile;
        }
        end_states();
    }
};

template <class Cell, int LANES, int DEPTH, bool SHARED_INPUT>
static __device__ __forceinline__ void wait_signal(const RnnJob &job)
{
    extern __shared__ float4 shared[];
    const uint32_t workers = job.layers * job.blocks;
    if (blockIdx.x == job.leave)
        return;
    if (blockIdx.x >= workers) {
        flags_collect(job, blockIdx.x - workers, job.steps * job.tiles);
        return;
    }
    Worker<Cell, LANES, DEPTH, SHARED_INPUT> worker(job, blockIdx.x / job.blocks, blockIdx.x % job.blocks, shared);
    worker.run();
}

#define KERNEL(NAME, CELL, LANES, DEPTH, SHARED_INPUT)                                                       \
    extern "C" __global__ void __launch_bounds__(JOB_THREADS, 1)                                             \
        rnn_wait_##NAME##_##LANES##x##DEPTH(const __grid_constant__ RnnJob job)                              \
    {                                                                                                        \
        wait_signal<CELL, LANES, DEPTH, SHARED_INPUT>(job);                                                  \
    }
#ifndef INSTANCES
#define INSTANCES(NAME, CELL)                                                                                \
    KERNEL(NAME, CELL, 8, 8, false)                                                                          \
    KERNEL(NAME, CELL, 8, 16, false)                                                                         \
    KERNEL(NAME, CELL, 8, 32, true)                                                                          \
    KERNEL(NAME, CELL, 16, 8, false)                                                                         \
    KERNEL(NAME, CELL, 16, 16, false)                                                                        \
    KERNEL(NAME, CELL, 16, 32, true)                                                                         \
    KERNEL(NAME, CELL, 32, 4, false)                                                                         \
    KERNEL(NAME, CELL, 32, 8, false)                                                                         \
    KERNEL(NAME, CELL, 32, 16, false)                                                                        \
    KERNEL(NAME, CELL, 32, 32, true)
#endif

/* Compiled once for each cell (build.sh): a program loads the kernels of its cell alone. */
#ifdef CELL_BASIC
INSTANCES(basic, BasicCell)
#endif
#ifdef CELL_LSTM
INSTANCES(lstm, LstmCell)
#endif
#ifdef CELL_GRU
INSTANCES(gru, GruCell)
#endif
#ifdef CELL_PHASED
INSTANCES(phased, PhasedCell)
#endif
