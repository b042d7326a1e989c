/* Wait-signal for layers whose weights fit into no registers: as wait.cu, but packed weights are read in each
 * step: as much of them as fits from shared memory, where they are put at the start, the rest from global
 * memory, which L2 serves as far as it can. A block has any number of warp tiles, which go round over its
 * warps, and a layer any width: 32 lanes share a sum, as deep as it is; of few tiles several warps share one.
 *
 * Shared memory has room for one batch tile of a slot. States and inputs take turns in it:
 *
 *     wait for the state of the step before; stage it; barrier
 *     of each tile: S W, and O U from before; cell; publish        the critical path
 *     barrier; wait for the input of the next step; stage it; barrier
 *     of each tile: O U, which waits in memory for its S W         while the state travels
 *     barrier
 *
 * h of the step before is what was staged; c lies in shared or global memory. With job.split blocks have one
 * of the two products each, as in wait.cu. */
#include "cell.cuh"
#include "sync.cuh"
#ifdef WBRNN_HARDWARE
#include "events.cuh"
#endif

/* RnnPlace, as far as it concerns these kernels: anything else is global memory. */
enum { PLACE_SHARED = 1 };

/* A block's view of its work. Invariant: `stage` holds the positions of the groups that the block's units
 * belong to, from `first_group` on; a tile n of the block is computed by warp n % 8 alone. */
template <class Cell> struct Worker {
    static constexpr int rows = Cell::rows;
    static constexpr bool gated = Cell::units == 1; /* else a row is a unit */
    static constexpr int stage_ahead = 8;           /* quads of a thread in flight */

    const RnnJob &job;
    const RnnLayer &layer;
    const uint32_t layer_index, block; /* of the layer's group of blocks */
    const bool is_input;               /* split: this block is of O U */
    const uint32_t group_units, depth;
    const uint32_t tile_quads; /* of a packed tile */
    const uint32_t parts;      /* of a tile's depth: so many warps share it */
    const uint32_t first_tile; /* of the layer's */
    uint32_t tiles;            /* of this block that have units */
    uint32_t first_group, positions; /* staged */
    float4 *stage, *state_weights, *input_weights; /* the last two: what shared memory has of them */
    float *cells;                                  /* c, [batch tile][tile][4], or null */
    float *sums;                                   /* S W, [warp][16], where warps share tiles */
    float *partial;                                /* O U, [tile][part][16] */

    __device__ Worker(const RnnJob &job, uint32_t layer_index, uint32_t block, bool is_input, float4 *shared)
        : job(job), layer(job.layer[layer_index]), layer_index(layer_index), block(block), is_input(is_input),
          group_units(job.hidden / job.groups), depth(job.slice / 32), tile_quads(depth / 4 * rows * 32),
          parts(count_parts(job.memory.block_tiles, depth / 4)), first_tile(block * job.memory.block_tiles)
    {
        const uint32_t layer_tiles = (job.hidden + Cell::units - 1) / Cell::units;
        tiles = min(job.memory.block_tiles, layer_tiles - first_tile);
        const uint32_t last_unit = min((first_tile + tiles) * Cell::units, job.hidden) - 1;
        first_group = first_tile * Cell::units / group_units;
        positions = (last_unit / group_units - first_group + 1) * job.slice;
        const bool keeps_c = job.memory.cell_place == PLACE_SHARED;
        stage = shared;
        cells = keeps_c ? (float *)(stage + job.groups * job.slice) : nullptr;
        sums = (float *)(stage + job.groups * job.slice +
                         (keeps_c ? job.tiles * job.memory.block_tiles * Cell::units * 2 : 0));
        state_weights = (float4 *)(sums + (parts > 1 ? JOB_WARPS * 16 : 0));
        input_weights = state_weights;
        if (!job.split) /* else a block has one of the two */
            input_weights += job.memory.block_tiles * kept_quads(job.memory.state_kept);
        partial = (float *)job.memory.partial +
                  ((size_t)layer_index * job.blocks * job.memory.block_tiles + first_tile) * parts * 16;
    }

    /* As plan_warps_per_tile(). */
    static __device__ __forceinline__ uint32_t count_parts(uint32_t tiles, uint32_t quads)
    {
        uint32_t parts = 1;
        while (parts * 2 * tiles <= JOB_WARPS && parts * 2 <= quads)
            parts *= 2;
        return parts;
    }

    __device__ __forceinline__ size_t slot(uint32_t step_slot, uint32_t tile) const
    {
        return ((size_t)step_slot * job.tiles + tile) * job.groups * job.slice;
    }

    /* float4s of a tile's packed weights in so many quads of a lane and row. */
    static __device__ __forceinline__ uint32_t kept_quads(uint32_t kept) { return kept * rows * 32; }

    __device__ __forceinline__ void keep(float4 *to, uint64_t packed, uint32_t kept) const
    {
        const float4 *from = (const float4 *)packed + (size_t)first_tile * tile_quads;
        const uint32_t count = kept_quads(kept);
        for (uint32_t n = 0; n < tiles; n++)
#pragma unroll 4
            for (uint32_t i = threadIdx.x; i < count; i += JOB_THREADS)
                to[n * count + i] = __ldg(from + (size_t)n * tile_quads + i);
    }

    /* -- staging -- */

    /* Puts the block's positions of a slot into shared memory as they come. All of a thread's that are still
     * missing are asked for at once: asked for one by one, each would take a way to L2 and back of its own.
     * False: the watchdog. */
    __device__ __forceinline__ bool stage_slot(const float4 *from, uint32_t step, uint32_t what)
    {
        bool go_on = true;
        from += first_group * job.slice;
        Watch watch{layer_index, step, what};
        for (uint32_t first = threadIdx.x; first < positions && go_on; first += stage_ahead * JOB_THREADS) {
            float4 quad[stage_ahead];
            uint32_t missing = 0;
#pragma unroll
            for (int i = 0; i < stage_ahead; i++)
                missing |= first + i * JOB_THREADS < positions ? 1u << i : 0;
            while (missing && go_on) {
#pragma unroll
                for (int i = 0; i < stage_ahead; i++)
                    if (missing & 1u << i)
                        quad[i] = quad_read(from + first + i * JOB_THREADS);
#pragma unroll
                for (int i = 0; i < stage_ahead; i++)
                    if ((missing & 1u << i) && is_written(quad[i])) {
                        stage[first + i * JOB_THREADS] = quad[i];
                        missing &= ~(1u << i);
                    }
                go_on = !missing || !watch.is_over(job);
            }
        }
        return all_go_on(go_on);
    }

    /* -- flags and events, unless values say themselves whether they are there -- */

#ifdef WBRNN_HARDWARE
    const Events events = Events(job, layer_index, is_input);

    /* With a cell's state the next one's input is waited for, too, and what O U hands over. */
    __device__ __forceinline__ void wait(bool own, uint32_t step, uint32_t tile) const
    {
        const uint32_t cell = step * job.tiles + tile;
        if (own || is_input || cell == 0)
            events.wait(own ? cell + 1 : cell, tile);
    }

    __device__ __forceinline__ void signal(uint32_t step, uint32_t tile) const
    {
        events.signal(step * job.tiles + tile, tile);
    }
    __device__ __forceinline__ void signal_between(uint32_t step, uint32_t tile) const { signal(step, tile); }
#else
    __device__ __forceinline__ bool wait(bool own, uint32_t step, uint32_t tile)
    {
        if (job.sync == SYNC_DATA || (!own && layer_index == 0))
            return true;
        const uint32_t producer = own ? layer_index : layer_index - 1;
        bool go_on = true;
        if (threadIdx.x == 0)
            go_on = flags_wait(job, LayerFlags(job, producer), own, block, step * job.tiles + tile,
                               Watch{layer_index, step, own ? 1u * WAITED_OWN : 1u * WAITED_BELOW});
        return all_go_on(go_on);
    }

    __device__ __forceinline__ void signal(uint32_t step, uint32_t tile)
    {
        if (job.sync == SYNC_DATA)
            return;
        __syncthreads();
        if (threadIdx.x == 0)
            flags_signal(job, LayerFlags(job, layer_index), block, step * job.tiles + tile);
    }

    /* Split: a block of O U and the block of S W with the same units. */
    __device__ __forceinline__ bool wait_between(uint32_t step, uint32_t tile)
    {
        if (job.sync == SYNC_DATA || !is_handed())
            return true;
        bool go_on = true;
        Watch watch{layer_index, step, WAITED_BELOW};
        const uint32_t *handed = LayerFlags(job, layer_index).of_tile(job, tile).handed + block;
        while (threadIdx.x == 0 && go_on && flag_acquire(handed) < step + 1)
            go_on = !watch.is_over(job);
        return all_go_on(go_on);
    }

    __device__ __forceinline__ void signal_between(uint32_t step, uint32_t tile)
    {
        if (job.sync == SYNC_DATA)
            return;
        __syncthreads();
        if (threadIdx.x == 0)
            flag_add(LayerFlags(job, layer_index).of_tile(job, tile).handed + block);
    }
#endif

    /* Blocks of O U hand preactivations over while the kernel runs. */
    __device__ __forceinline__ bool is_handed() const { return job.split && layer.w_input; }

    /* -- products -- */

    /* This lane's sum of a part of tile n with what is staged: of row k / 4 and sequence k % 4, k the lane
     * below 16. Of the tile's depth shared memory has the first `kept` quads. */
    template <int LAST>
    __device__ __forceinline__ float product(uint32_t n, uint32_t part, const float4 *weights,
                                             uint64_t packed, uint32_t kept)
    {
        const uint32_t begin = depth / 4 * part / parts, end = depth / 4 * (part + 1) / parts;
        const uint32_t kept_end = min(max(kept, begin), end); /* of this part */
        const uint32_t lane = threadIdx.x % 32;
        const uint32_t group = gated ? (first_tile + n) / group_units - first_group : 0;
        const float4 *staged = stage + group * job.slice + lane;
        Sums sums = {};
        const float4 *rest = (const float4 *)packed + (size_t)(first_tile + n) * tile_quads + lane;
        add_from_memory<rows, 32, LAST, true>(sums, rest + kept_quads(kept_end), (end - kept_end) * 4,
                                              staged + kept_end * 128);
        weights += n * kept_quads(kept) + lane;
        add_from_memory<rows, 32, LAST>(sums, weights + kept_quads(begin), (kept_end - begin) * 4,
                                        staged + begin * 128);
        reduce<32>(sums);
        return sums[0];
    }

    /* O U of what is staged, of all tiles of this warp. */
    __device__ __forceinline__ void keep_inputs()
    {
        for (uint32_t i = threadIdx.x / 32; i < tiles * parts; i += JOB_WARPS) {
            const float sum = product<Cell::last_input>(i / parts, i % parts, input_weights, layer.w_input,
                                                        job.memory.input_kept);
            if (Lanes<32>::is_first())
                partial[i * 16 + Lanes<32>::k()] = sum;
        }
    }

    /* Tile n: this warp's product, or with those of the warps that share the tile. Then it is the first of
     * them whose sum is whole, behind a barrier of the block. */
    template <int LAST>
    __device__ __forceinline__ float tile_sum(uint32_t n, const float4 *weights, uint64_t packed,
                                              uint32_t kept)
    {
        const uint32_t warp = threadIdx.x / 32, k = Lanes<32>::k() % 16;
        float sum = product<LAST>(n, warp % parts, weights, packed, kept);
        if (parts == 1)
            return sum;
        if (Lanes<32>::is_first())
            sums[warp * 16 + k] = sum;
        __syncthreads();
        for (uint32_t part = 1; part < parts && warp % parts == 0; part++)
            sum += sums[(warp + part) * 16 + k];
        return sum;
    }

    __device__ __forceinline__ bool is_whole() const { return threadIdx.x / 32 % parts == 0; }

    /* -- cells -- */

    /* This lane's unit of tile n. Pads, which basic RNNs have, are 0: what they compute nobody sees. */
    __device__ __forceinline__ uint32_t unit_of(uint32_t n, bool &exists) const
    {
        const uint32_t unit = (first_tile + n) * Cell::units + (gated ? 0 : Lanes<32>::row());
        exists = unit < job.hidden;
        return exists ? unit : 0;
    }

    /* Where this lane's preactivation is that others compute. */
    __device__ __forceinline__ float *ahead_of(uint32_t unit, uint32_t step, uint32_t tile) const
    {
        const uint32_t position = unit / group_units * job.slice + unit % group_units;
        return (float *)layer.ahead + (slot(step + 1, tile) + position) * (gated ? 16 : 4) +
               (gated ? Lanes<32>::k() % 16 : Lanes<32>::sequence());
    }

    /* O U of this lane's row and sequence: computed before by this block or by the kernel before, or handed
     * over, perhaps not yet. */
    __device__ __forceinline__ float input_sum(uint32_t n, uint32_t unit, uint32_t step, uint32_t tile) const
    {
        const uint32_t k = Lanes<32>::k() % 16;
        if (!layer.ahead) {
            float sum = 0.0f;
            for (uint32_t part = 0; part < parts; part++)
                sum += partial[(n * parts + part) * 16 + k];
            return sum;
        }
        return word_read(ahead_of(unit, step, tile));
    }

    /* The same when it is there. If the watchdog gives up, nobody looks at what becomes of it. */
    __device__ __forceinline__ float input_handed(float input, uint32_t unit, uint32_t step,
                                                  uint32_t tile) const
    {
        Watch watch{layer_index, step, WAITED_BELOW};
        while (is_handed() && !is_written(input) && !watch.is_over(job))
            input = word_read(ahead_of(unit, step, tile));
        return input;
    }

    /* Split, a block of O U: a cell's preactivations. */
    __device__ __forceinline__ void hand_over(uint32_t n, uint32_t step, uint32_t tile)
    {
        bool exists;
        const uint32_t unit = unit_of(n, exists);
        const float sum = tile_sum<Cell::last_input>(n, input_weights, layer.w_input, job.memory.input_kept);
        if (exists && Lanes<32>::is_first() && is_whole())
            word_write(ahead_of(unit, step, tile), sum);
    }

    __device__ __forceinline__ float *cell_of(uint32_t n, uint32_t unit, uint32_t tile,
                                              uint32_t sequence) const
    {
        if (cells)
            return cells + (tile * job.memory.block_tiles + n) * 4 + sequence;
        return (float *)layer.carry + (size_t)(tile * JOB_BATCH + sequence) * job.hidden + unit;
    }

    __device__ __forceinline__ float read_c(uint32_t n, uint32_t unit, uint32_t step, uint32_t tile) const
    {
        const uint32_t sequence = Lanes<32>::sequence(), b = tile * JOB_BATCH + sequence;
        if (!layer.carry || b >= job.batch)
            return 0.0f;
        if (step)
            return *cell_of(n, unit, tile, sequence);
        return layer.c0 ? ((const float *)layer.c0)[(size_t)b * job.hidden + unit] : 0.0f;
    }

    /* Publishes a unit's state, and keeps what the next step needs. `h_out` is what the user sees of it. */
    __device__ __forceinline__ void store(uint32_t n, uint32_t unit, CellState now, float h_out,
                                          uint32_t step, uint32_t tile)
    {
        const uint32_t sequence = Lanes<32>::sequence(), b = tile * JOB_BATCH + sequence;
        const uint32_t position = unit / group_units * job.slice + unit % group_units;
        word_write((float *)((float4 *)layer.own + slot(step + 1, tile) + position) + sequence, now.h);
        if (b >= job.batch)
            return;
        const bool last = step + 1 == job.steps;
        const size_t at = (size_t)b * job.hidden + unit, run_step = job.first_step + step;
        if (layer.y)
            ((float *)layer.y)[run_step * job.y_step + (size_t)b * job.y_sequence + unit] = h_out;
        if (layer.carry && !last)
            *cell_of(n, unit, tile, sequence) = now.c;
        if (layer.cn && last)
            ((float *)layer.cn)[at] = now.c;
        if (layer.hn && last)
            ((float *)layer.hn)[at] = now.h;
    }

    /* S W of tile n, and its cell. */
    __device__ __forceinline__ void finish(uint32_t n, uint32_t step, uint32_t tile)
    {
        const uint32_t row = Lanes<32>::row(), sequence = Lanes<32>::sequence();
        bool exists;
        const uint32_t unit = unit_of(n, exists);
        const uint32_t b = tile * JOB_BATCH + sequence, at = job.first_step + step;
        const float input = input_sum(n, unit, step, tile);
        const float bias = __ldg((const float *)layer.bias + unit * 4 + (gated ? row : 0));
        const uint32_t length = __ldg((const uint32_t *)job.lengths + b);
        const float4 *own = stage + (unit / group_units - first_group) * job.slice + unit % group_units;
        const float h = exists ? ((const float *)own)[sequence] : 0.0f;
        const CellState old = {read_c(n, unit, step, tile), h};
        CellContext context = {row, job.kind, (float)at, nullptr};
        if (layer.extra) {
            context.extra = (const float *)layer.extra + unit * 8;
            if (job.times && b < job.batch)
                context.time = __ldg((const float *)job.times + (size_t)at * job.batch + b);
        }
        float sum = tile_sum<Cell::last_state>(n, state_weights, layer.w_state, job.memory.state_kept);
        sum += input_handed(input, unit, step, tile) + bias;
        CellState now = Cell::template finish<32>(sum, old, context);
        const bool lives = at < length;
        if (!lives)
            now = old;
        if (exists && Lanes<32>::is_first() && (!gated || row == 0) && is_whole())
            store(n, unit, now, lives ? now.h : 0.0f, step, tile);
    }

    /* Waits for a cell's input or for the state before it, and stages it. False: the watchdog. */
    __device__ __forceinline__ bool fetch(bool own, uint32_t step, uint32_t tile)
    {
        const float4 *from = own ? (const float4 *)layer.own + slot(step, tile)
                                 : (const float4 *)layer.below + slot(step + 1, tile);
        __syncthreads(); /* nobody reads what was staged before */
#ifdef WBRNN_HARDWARE
        wait(own, step, tile);
#else
        const bool is_there = own && step == 0;
        if (!is_there && !wait(own, own ? step - 1 : step, tile))
            return false;
        if (own && !wait_between(step, tile))
            return false;
#endif
        return stage_slot(from, step, own ? 1u * WAITED_OWN : 1u * WAITED_BELOW);
    }

    /* A cell of all tiles, or what O U has for it. */
    __device__ __forceinline__ void compute(uint32_t step, uint32_t tile)
    {
        const uint32_t first = threadIdx.x / 32 / parts;
        for (uint32_t n = first; n < tiles; n += JOB_WARPS / parts)
            if (is_input)
                hand_over(n, step, tile);
            else
                finish(n, step, tile);
        if (parts > 1 && first >= tiles)
            __syncthreads(); /* the one of tile_sum() */
        if (is_input)
            signal_between(step, tile);
        else
            signal(step, tile);
    }

    __device__ __forceinline__ void run()
    {
        const bool alone = is_input || layer.ahead; /* this block has one product */
        if (!is_input)
            keep(state_weights, layer.w_state, job.memory.state_kept);
        if (is_input || !alone)
            keep(input_weights, layer.w_input, job.memory.input_kept);
        uint32_t step = 0, tile = 0;
        bool own = layer.ahead != 0; /* whose turn it is: the state's or the input's */
        while (step < job.steps) {
            if (!fetch(own && !is_input, step, tile))
                return;
            if (!own) {
                keep_inputs();
                own = true;
                continue;
            }
            compute(step, tile);
            own = alone;
            tile = tile + 1 == job.tiles ? 0 : tile + 1;
            step += tile == 0;
        }
    }
};

template <class Cell> static __device__ __forceinline__ void wait_signal(const RnnJob &job)
{
    extern __shared__ float4 shared[];
    const uint32_t groups = job.split ? 2 : 1, workers = job.layers * job.blocks * groups;
    if (blockIdx.x == job.leave)
        return;
    if (blockIdx.x >= workers) {
        flags_collect(job, blockIdx.x - workers, job.steps * job.tiles);
        return;
    }
    const uint32_t group = blockIdx.x / job.blocks;
    const bool is_input = job.split && group % 2 == 1;
    if (is_input && !job.layer[group / groups].w_input)
        return; /* its work was done before the launch */
    Worker<Cell> worker(job, group / groups, blockIdx.x % job.blocks, is_input, shared);
    worker.run();
}

/* Two blocks share an SM: one's arithmetic hides the other's loads. */
#define KERNEL(NAME, CELL)                                                                                   \
    extern "C" __global__ void __launch_bounds__(JOB_THREADS, 2)                                             \
        rnn_wait_##NAME##_memory(const __grid_constant__ RnnJob job)                                         \
    {                                                                                                        \
        wait_signal<CELL>(job);                                                                              \
    }
KERNEL(basic, BasicCell)
KERNEL(lstm, LstmCell)
KERNEL(gru, GruCell)
KERNEL(phased, PhasedCell)
