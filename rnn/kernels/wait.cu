/* Wait-signal: one kernel for all layers that are in flight. Each layer has blocks of its own, which hold its
 * weights from the first step to the last and wait for the blocks they need: those of their own layer for the
 * step before, those of the layer below for this step [sync thesis 5.1].
 *
 * A warp has some units all for itself: it multiplies, adds up over its lanes, computes the cell and
 * publishes the result. The block's threads only share what has come from others, in shared memory, and so
 * need one barrier a step:
 *
 *     wait for the state of the step before, and for the input of the next step; stage both; barrier
 *     S W; cell; publish        the critical path
 *     O U of the next step      while the state travels
 *
 * which is how S W and O U overlap when one block does both. A layer is two steps behind the one below. With
 * job.split they have blocks of their own, as in the thesis [5.1.1]: those of O U hand preactivations over.
 *
 * Weights lie in registers. Where both matrices need more than there are, the second half of each lies in
 * shared memory: a product then keeps arithmetic and shared memory busy in equal parts. Such layers are wide,
 * and their slots take long to read: they are copied early and asynchronously, and looked at when they are
 * needed. Where 32 lanes split a sum, two warps of 16 lanes share two units, for lanes in pairs take half as
 * long to read operands.
 *
 * Where this differs from the thesis: one block for both products is the default, for it needs no hand-over;
 * in Fig 29 (b) the entry counts steps instead of being reset, for a reset is safe only for readers of the
 * layer itself. */
#include "cell.cuh"
#include "operands.cuh"
#ifdef WBRNN_HARDWARE
#include "events.cuh"
#endif

/* A block's view of its work. Invariant: `states` has an entry for each unit of the block and sequence of all
 * batch tiles; a warp uses those of its own units alone. */
template <class Cell, int LANES, int DEPTH, int WARPS, bool SHARED>
struct Worker : Operands<LANES * WARPS * DEPTH> {
    typedef Operands<LANES * WARPS * DEPTH> Base;
    using Base::job;
    using Base::layer_index;
    using Base::left;
    using Base::phase;
    using Base::positions;
    using Base::quads;

    static constexpr int rows = Cell::rows;
    static constexpr int stride = LANES * WARPS; /* lanes of all warps that split a sum */
    static constexpr uint32_t slice = stride * DEPTH;
    static constexpr uint32_t warp_units = 32 / LANES * Cell::units;
    static constexpr uint32_t block_units = JOB_WARPS / WARPS * warp_units;
    static constexpr int depth = SHARED ? DEPTH / 2 : DEPTH; /* of it in registers */
    static constexpr uint32_t tile_quads = DEPTH / 4 * rows * 32; /* weights of a warp tile */
    static constexpr uint32_t rest_quads = SHARED ? tile_quads / 2 : 0; /* of them in shared memory */
    static constexpr int held = Lanes<LANES>::held;
    typedef Weights<rows, depth> Matrix;

    const RnnLayer &layer;
    const uint32_t block; /* of the layer's group of blocks */
    const bool is_input;  /* split: this block is of O U */
    float4 *const stage_state, *const stage_input; /* two buffers each */
    float2 *const states;
    float4 *const rest_state, *const rest_input; /* this lane's weights that are not in registers */
    float *const partial; /* WARPS > 1: sums of the second warp */
    const uint32_t share; /* which of WARPS this warp is */

    uint32_t unit, position, staged_at, state_at;
    bool stores; /* this lane writes its unit's values */

    /* Shared memory: staged states, staged inputs, cells' states, weights, flags, partial sums. */
    static __device__ __forceinline__ float4 *weights_at(const RnnJob &job, float4 *shared)
    {
        return shared + 4 * job.groups * slice + job.tiles * block_units * 2;
    }

    __device__ Worker(const RnnJob &job, uint32_t layer_index, uint32_t block, bool is_input, float4 *shared)
        : Base(job, layer_index, (uint32_t *)(weights_at(job, shared) + JOB_WARPS * rest_quads * 2)),
          layer(job.layer[layer_index]), block(block), is_input(is_input), stage_state(shared),
          stage_input(shared + 2 * positions), states((float2 *)(shared + 4 * positions)),
          rest_state(weights_at(job, shared) + threadIdx.x / 32 * rest_quads + threadIdx.x % 32),
          rest_input(rest_state + JOB_WARPS * rest_quads), partial((float *)(left + 4)),
          share(threadIdx.x / 32 % WARPS)
    {
        const uint32_t row = Lanes<LANES>::row();
        const uint32_t in_block = threadIdx.x / 32 / WARPS * warp_units + Lanes<LANES>::unit() * Cell::units +
                                  (Cell::units > 1 ? row : 0);
        const uint32_t group_units = job.hidden / job.groups;
        unit = block * block_units + in_block;
        const uint32_t group = unit < job.hidden ? unit / group_units : 0;
        position = group * slice + unit % group_units;
        staged_at = (Cell::units > 1 ? 0 : group * slice) + share * LANES + Lanes<LANES>::k();
        state_at = in_block * 4 + Lanes<LANES>::sequence();
        stores = share == 0 && unit < job.hidden && Lanes<LANES>::is_first() && (Cell::units > 1 || row == 0);
    }

    __device__ __forceinline__ size_t slot(uint32_t step_slot, uint32_t tile) const
    {
        return ((size_t)step_slot * job.tiles + tile) * positions;
    }

    __device__ __forceinline__ float2 *state_of(uint32_t tile) const
    {
        return states + tile * block_units * 4 + state_at;
    }

    /* Where this lane's preactivations of a cell are handed over: basic RNNs have one row a unit. */
    __device__ __forceinline__ float *ahead_of(uint32_t step, uint32_t tile) const
    {
        const uint32_t values = Cell::units > 1 ? 4 : 16; /* of a position */
        const uint32_t in_unit = Cell::units > 1 ? Lanes<LANES>::sequence() : Lanes<LANES>::k() % 16 * held;
        return (float *)layer.ahead + (slot(step + 1, tile) + position) * values + in_unit;
    }

    /* Where a block is in its work. Cells go over batch tiles, then over steps. */
    struct Place {
        uint32_t cell, step, tile;
        uint32_t next_step, next_tile;
        bool more_input; /* this block multiplies the next cell's input */

        __device__ __forceinline__ Place(const RnnJob &job, uint32_t cell, uint32_t step, uint32_t tile,
                                         bool input)
            : cell(cell), step(step), tile(tile), next_step(tile + 1 == job.tiles ? step + 1 : step),
              next_tile(tile + 1 == job.tiles ? 0 : tile + 1),
              more_input(input && cell + 1 < job.steps * job.tiles)
        {
        }
    };

    /* -- flags and events, where values do not carry their own -- */

#ifdef WBRNN_HARDWARE
    /* Before a cell there is one wait for all that it needs. */
    const Events events = Events(job, layer_index, is_input);

    __device__ __forceinline__ bool wait_first() const
    {
        events.wait(0, 0);
        return true;
    }
    __device__ __forceinline__ bool wait_for(const Place &at) const
    {
        events.wait(is_input ? at.cell : at.cell + 1, at.tile);
        return true;
    }
    __device__ __forceinline__ bool wait_between(uint32_t, uint32_t) const { return true; }
    __device__ __forceinline__ void signal(uint32_t step, uint32_t tile) const
    {
        events.signal(step * job.tiles + tile, tile);
    }
    __device__ __forceinline__ void signal_between(uint32_t step, uint32_t tile) const { signal(step, tile); }
#else
    /* Waits for a cell of the own layer or of the one below, with a barrier. False: the watchdog. */
    __device__ bool wait(bool own, uint32_t step, uint32_t tile)
    {
        const uint32_t producer = own ? layer_index : layer_index - 1;
        if (!own && layer_index == 0)
            return true; /* the input is there */
        const Watch watch{layer_index, step, own ? 1u * WAITED_OWN : 1u * WAITED_BELOW};
        bool go_on = true;
        if (threadIdx.x == 0)
            go_on = flags_wait(job, LayerFlags(job, producer), own, block, step * job.tiles + tile, watch);
        return all_go_on(go_on);
    }

    /* For the first cell's input. */
    __device__ __forceinline__ bool wait_first() { return wait(false, 0, 0); }

    /* For what a cell begins with. */
    __device__ __forceinline__ bool wait_for(const Place &at)
    {
        if (is_input ? !wait(false, at.step, at.tile) : at.step > 0 && !wait(true, at.step - 1, at.tile))
            return false;
        return !at.more_input || wait(false, at.next_step, at.next_tile);
    }

    __device__ void signal(uint32_t step, uint32_t tile)
    {
        __syncthreads();
        if (threadIdx.x == 0)
            flags_signal(job, LayerFlags(job, layer_index), block, step * job.tiles + tile);
    }

    /* Split: a block of O U and the block of S W with the same units. */
    __device__ bool wait_between(uint32_t step, uint32_t tile)
    {
        bool go_on = true;
        Watch watch{layer_index, step, WAITED_BELOW};
        if (threadIdx.x == 0) {
            const uint32_t *handed = LayerFlags(job, layer_index).of_tile(job, tile).handed + block;
            while (go_on && flag_acquire(handed) < step + 1)
                go_on = !watch.is_over(job);
        }
        return all_go_on(go_on);
    }

    __device__ void signal_between(uint32_t step, uint32_t tile)
    {
        __syncthreads();
        if (threadIdx.x == 0)
            flag_add(LayerFlags(job, layer_index).of_tile(job, tile).handed + block);
    }
#endif

    /* -- states -- */

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
                    state_of(tile)[i] = make_float2(
                        has_c ? ((const float *)layer.c0)[b * job.hidden + unit] : 0.0f, own[sequence + i]);
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
                const float2 state = state_of(tile)[i];
                if (layer.cn)
                    ((float *)layer.cn)[b * job.hidden + unit] = state.x;
                if (layer.hn)
                    ((float *)layer.hn)[b * job.hidden + unit] = state.y;
            }
    }

    /* -- one cell -- */

    /* What a cell needs beside sums, fetched before its products so that nothing waits for it behind them. */
    struct Before {
        float2 state[held];
        uint32_t length[held];
        float *publish, *y;
        uint32_t at;   /* the step of the run */
        uint32_t left; /* sequences of the batch from this lane's first on */
    };

    __device__ __forceinline__ Before before(uint32_t step, uint32_t tile) const
    {
        const uint32_t sequence = Lanes<LANES>::sequence(), first = tile * JOB_BATCH + sequence;
        Before cell;
        cell.at = job.first_step + step;
        cell.left = first < job.batch ? job.batch - first : 0;
        cell.publish = (float *)((float4 *)layer.own + slot(step + 1, tile) + position) + sequence;
        const size_t y_at = (size_t)cell.at * job.y_step + (size_t)first * job.y_sequence + unit;
        cell.y = layer.y ? (float *)layer.y + y_at : nullptr;
#pragma unroll
        for (int i = 0; i < held; i++) {
            cell.state[i] = state_of(tile)[i];
            cell.length[i] = __ldg((const uint32_t *)job.lengths + first + i);
        }
        return cell;
    }

    /* The cell of this lane's unit, published. */
    __device__ __forceinline__ void finish(const Sums &sums, float bias, const Before &cell, uint32_t tile)
    {
#pragma unroll
        for (int i = 0; i < held; i++) {
            const CellState old = {cell.state[i].x, cell.state[i].y};
            CellContext context = {Lanes<LANES>::row(), job.kind, 0.0f, nullptr};
            if (layer.extra) {
                const uint32_t b = tile * JOB_BATCH + Lanes<LANES>::sequence() + i;
                context.extra = (const float *)layer.extra + (unit < job.hidden ? unit : 0) * 8;
                context.time = job.times && b < job.batch
                                   ? ((const float *)job.times)[(size_t)cell.at * job.batch + b]
                                   : (float)cell.at;
            }
            CellState now = Cell::template finish<LANES>(sums[i] + bias, old, context);
            __syncwarp(); /* all lanes have read the state that one of them writes */
            const bool lives = cell.at < cell.length[i];
            if (!lives)
                now = old;
            if (!stores)
                continue;
            word_write(cell.publish + i, now.h);
            if (cell.y && (uint32_t)i < cell.left)
                cell.y[(size_t)i * job.y_sequence] = lives ? now.h : 0.0f;
            state_of(tile)[i] = make_float2(now.c, now.h);
        }
    }

    /* Preactivations of this lane's row that others have computed. False: the watchdog. */
    __device__ __forceinline__ bool add_ahead(Sums &sums, uint32_t step, uint32_t tile)
    {
        bool go_on = true;
        if (unit >= job.hidden || share)
            return go_on;
        const float *from = ahead_of(step, tile);
#pragma unroll
        for (int i = 0; i < held; i++) {
            float value = word_read(from + i);
            Watch watch{layer_index, step, WAITED_BELOW};
            while (go_on && !is_written(value)) {
                value = word_read(from + i);
                go_on = !watch.is_over(job);
            }
            sums[i] += value;
        }
        return go_on;
    }

    /* Split, a block of O U: hands this lane's sums over. */
    __device__ __forceinline__ void hand_over(const Sums &sums, uint32_t step, uint32_t tile)
    {
        if (unit < job.hidden && share == 0 && Lanes<LANES>::is_first())
#pragma unroll
            for (int i = 0; i < held; i++)
                word_write(ahead_of(step, tile) + i, sums[i]);
        if (job.sync != SYNC_DATA)
            signal_between(step, tile);
    }

    /* Split, a block of O U: its sums have to be where those of an input belong. */
    __device__ __forceinline__ void keep_apart(Sums &sums) const
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float sum = sums[Cell::last_state * 4 + i];
            sums[Cell::last_state * 4 + i] = 0.0f;
            sums[Cell::last_input * 4 + i] = sum;
        }
    }

    /* What follows does not begin before these sums are there: a look that comes too early is a look lost. */
    static __device__ __forceinline__ void hold(Sums &sums)
    {
#pragma unroll
        for (int i = 0; i < 16; i++)
            asm volatile("" : "+f"(sums[i]));
    }

    /* A product of one matrix, of whose weights `rest` are in shared memory; or a part of it. */
    template <int LAST, int BEGIN = 0, int END = depth / 4>
    __device__ __forceinline__ void add(Sums &sums, const Matrix &matrix, const float4 *rest,
                                        const float4 *staged) const
    {
        staged += staged_at;
        if (SHARED)
            add_from_both<rows, stride, depth, LAST, BEGIN, END>(sums, matrix, rest, staged);
        else
            add_from_registers<rows, stride, depth, LAST>(sums, matrix, staged);
    }

    /* Brings sums of all lanes together; of two warps, to the first one. */
    __device__ __forceinline__ void reduce_all(Sums &sums)
    {
        reduce<LANES>(sums);
        if (WARPS == 1)
            return;
        const uint32_t pair = threadIdx.x / 64;
        float *const at = partial + pair * 32 + threadIdx.x % 32;
        if (share) { /* it is read before the block's next barrier, and written behind it */
            *at = sums[0];
            asm volatile("bar.arrive %0, 64;" : : "r"(pair + 1) : "memory");
        } else {
            asm volatile("bar.sync %0, 64;" : : "r"(pair + 1) : "memory");
            sums[0] += *at;
        }
    }

    /* Two warps read the tiles of two units, each of them one half of both tiles' lanes. */
    __device__ __forceinline__ void load(uint64_t packed, Matrix &matrix, float4 *rest) const
    {
        const uint32_t thread = threadIdx.x, units = 32 / LANES;
        const uint32_t tile = WARPS == 1 ? thread / 32 : thread / 64 * 2 + thread % units;
        const uint32_t lane = WARPS == 1 ? thread % 32 : share * LANES + thread % 32 / units;
        const float4 *const from =
            (const float4 *)packed + (size_t)(block * JOB_WARPS + tile) * tile_quads + lane;
        matrix.load(from);
        for (int i = 0; i < (int)rest_quads; i += 32)
            rest[i] = __ldg(from + tile_quads - rest_quads + i);
    }

    /* The end of a cell: its sums become a state, or are handed over. False: the watchdog. */
    __device__ __forceinline__ bool end_cell(Sums &sums, float bias, const Before &known, uint32_t step,
                                             uint32_t tile)
    {
        if (is_input) {
            hand_over(sums, step, tile);
            return true;
        }
        if (layer.ahead) {
            if (job.split && layer.w_input && job.sync != SYNC_DATA && !wait_between(step, tile))
                return false;
            if (!add_ahead(sums, step, tile))
                left[phase & 1] = 1;
        }
        if (share == 0)
            finish(sums, bias, known, tile);
        if (job.sync != SYNC_DATA)
            signal(step, tile);
        return true;
    }

    /* Slots are copied early where they are wide, if values carry their own flags. */
    __device__ __forceinline__ bool copies() const { return SHARED && job.sync == SYNC_DATA; }
    __device__ __forceinline__ float4 *staged_state(uint32_t cell) const
    {
        return stage_state + (cell & 1) * positions;
    }
    __device__ __forceinline__ float4 *staged_input(uint32_t cell) const
    {
        return stage_input + (cell & 1) * positions;
    }
    __device__ __forceinline__ const float4 *input_of(uint32_t cell) const
    {
        return (const float4 *)layer.below + slot(1, 0) + (size_t)cell * positions;
    }
    /* What a cell waits for: the state of the step before; split, a block of O U: its input. */
    __device__ __forceinline__ const float4 *state_before(uint32_t cell) const
    {
        return is_input ? input_of(cell) : (const float4 *)layer.own + (size_t)cell * positions;
    }

    /* The first cell's input, and what the loop expects to be on its way. False: the watchdog. */
    __device__ __forceinline__ bool begin(Sums &sums, const Matrix &matrix)
    {
        if (!layer.ahead) {
            float4 quad[quads];
            if (job.sync != SYNC_DATA && !wait_first())
                return false;
            this->look(input_of(0), quad);
            this->stage(input_of(0), stage_input, quad, 0, WAITED_BELOW);
            if (!this->staged())
                return false;
            add<Cell::last_input>(sums, matrix, rest_input, stage_input);
        }
        if (copies()) {
            this->copy(state_before(0), stage_state);
            if (!layer.ahead && job.steps * job.tiles > 1)
                this->copy(input_of(1), staged_input(1));
        }
        return true;
    }

    /* Waits for a cell's state and the next one's input, and stages both. False: the watchdog. */
    __device__ __forceinline__ bool take(const Place &at)
    {
        const uint32_t what = is_input ? WAITED_BELOW : WAITED_OWN;
        const float4 *const state = state_before(at.cell), *const input = input_of(at.cell + 1);
        if (copies()) {
            quads_arrived();
            this->complete(state, staged_state(at.cell), at.step, what);
            if (at.more_input)
                this->complete(input, staged_input(at.cell + 1), at.next_step, WAITED_BELOW);
        } else {
            float4 state_quad[quads], input_quad[quads];
            if (job.sync != SYNC_DATA && !wait_for(at))
                return false;
            this->look(state, state_quad);
            if (at.more_input)
                this->look(input, input_quad);
            this->stage(state, staged_state(at.cell), state_quad, at.step, what);
            if (at.more_input)
                this->stage(input, staged_input(at.cell + 1), input_quad, at.next_step, WAITED_BELOW);
        }
        return this->staged();
    }

    /* O U of the next cell. Three quarters of it give others time to publish the state that comes next. */
    __device__ __forceinline__ void add_next_input(Sums &sums, const Matrix &matrix, const Place &at)
    {
        constexpr int early = depth / 4 * 3 / 4;
        const float4 *const input = staged_input(at.cell + 1);
        if (!SHARED) {
            if (at.more_input)
                add<Cell::last_input>(sums, matrix, rest_input, input);
            return;
        }
        if (at.more_input)
            add<Cell::last_input, 0, early>(sums, matrix, rest_input, input);
        if (copies() && at.cell + 1 < job.steps * job.tiles) {
            hold(sums);
            this->copy(state_before(at.cell + 1), staged_state(at.cell + 1));
        }
        if (at.more_input)
            add<Cell::last_input, early>(sums, matrix, rest_input, input);
    }

    __device__ void run()
    {
        const uint32_t cells = job.steps * job.tiles;
        const uint32_t bias_at = unit * 4 + (Cell::units > 1 ? 0 : Lanes<LANES>::row());
        const float bias = unit < job.hidden ? ((const float *)layer.bias)[bias_at] : 0.0f;
        Matrix of_state, of_input;
        load(is_input ? layer.w_input : layer.w_state, of_state, rest_state);
        if (!layer.ahead)
            load(layer.w_input, of_input, rest_input);
        begin_states();

        Sums sums = {};
        if (!begin(sums, of_input))
            return;
        uint32_t step = 0, tile = 0;
        for (uint32_t cell = 0; cell < cells; cell++) {
            const Place at(job, cell, step, tile, !layer.ahead);
            if (!take(at))
                return;
            if (copies() && !layer.ahead && cell + 2 < cells)
                this->copy(input_of(cell + 2), staged_input(cell));
            const Before known = before(step, tile);
            add<Cell::last_state>(sums, of_state, rest_state, staged_state(cell));
            if (is_input)
                keep_apart(sums);
            reduce_all(sums);
            if (!end_cell(sums, bias, known, step, tile))
                return;
#pragma unroll
            for (int i = 0; i < 16; i++)
                sums[i] = 0.0f;
            add_next_input(sums, of_input, at);
            step = at.next_step;
            tile = at.next_tile;
        }
        if (!is_input)
            end_states();
    }
};

template <class Cell, int LANES, int DEPTH, int WARPS, bool SHARED>
static __device__ __forceinline__ void wait_signal(const RnnJob &job)
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
    Worker<Cell, LANES, DEPTH, WARPS, SHARED> worker(job, group / groups, blockIdx.x % job.blocks, is_input,
                                                     shared);
    worker.run();
}

/* Compiled once for each cell (build.sh): a program loads the kernels of its cell alone. */
#if defined CELL_BASIC
#define CELL BasicCell
#define NAMED(LANES, DEPTH) rnn_wait_basic_##LANES##x##DEPTH
#elif defined CELL_LSTM
#define CELL LstmCell
#define NAMED(LANES, DEPTH) rnn_wait_lstm_##LANES##x##DEPTH
#elif defined CELL_GRU
#define CELL GruCell
#define NAMED(LANES, DEPTH) rnn_wait_gru_##LANES##x##DEPTH
#elif defined CELL_PHASED
#define CELL PhasedCell
#define NAMED(LANES, DEPTH) rnn_wait_phased_##LANES##x##DEPTH
#endif

enum { PLACE_REGISTERS, PLACE_SHARED };
#define INSTANCE(LANES, DEPTH, PLACE)                                                                        \
    extern "C" __global__ void __launch_bounds__(JOB_THREADS, 1)                                             \
        NAMED(LANES, DEPTH)(const __grid_constant__ RnnJob job)                                              \
    {                                                                                                        \
        constexpr int warps = (LANES) == 32 && PLACE_##PLACE == PLACE_SHARED ? 2 : 1;                        \
        wait_signal<CELL, LANES / warps, DEPTH, warps, PLACE_##PLACE == PLACE_SHARED>(job);                  \
    }
#include "instances.def"
