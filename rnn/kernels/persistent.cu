/* Persistent: one kernel whose blocks compute every cell together, one cell behind the other, with a barrier
 * of all blocks behind each [sync thesis 3.2.3.4]. It is what wait-signal is compared with, and so as good as
 * its idea allows:
 *
 *     wait for the barrier; stage the state of the step before
 *     S W; add up over warps; cell; publish; arrive at the barrier
 *     O U of the next step      while the others arrive
 *
 * Cells go layer by layer, a layer's steps in a row. Each order has as many barriers; in this one only the
 * weights of one layer need to be on chip at a time, and O of the layer below is there long before it is
 * needed. W lies in registers as far as it goes, then in shared memory; U in shared memory; the rest is read
 * from L2 in each step.
 *
 * Warps of a tile split its products: a warp has a `warps_per_tile`-th of a matrix, a lane every 32nd
 * position. The quads of all its tiles are a list, whose first ones lie in registers, the next ones in shared
 * memory.
 * Sums of all warps meet in shared memory, where half a warp computes the cell of one tile: 4 rows x 4
 * sequences. */
#include "cell.cuh"
#include "sync.cuh"

namespace {

constexpr int kHeld = 8;       // quads of W that a warp has in registers
constexpr int kQuad = 4 * 32;  // positions of one quad of all lanes
constexpr int kSums = 16;      // of a tile and batch tile
constexpr int kWaiter = JOB_THREADS - 32; // thread for the barrier of all: its warp is the last to get work

template <class Cell> constexpr bool has_time = false;
template <> constexpr bool has_time<PhasedCell> = true;

// From global to shared memory, past L1.
__device__ __forceinline__ void copy_begin(float4 *to, const float4 *from)
{
    const uint32_t at = uint32_t(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(at), "l"(from) : "memory");
}

__device__ __forceinline__ void copies_finish()
{
    asm volatile("cp.async.wait_all;" : : : "memory");
}

// A cell's place in the work of this thread's half warp: one tile and batch tile, this lane's row and
// sequence.
template <class Cell> struct Place {
    uint32_t unit, batch_tile;
    uint32_t position; // in a slot
    uint32_t sequence; // of the batch
    bool is_real;      // not a pad unit
    bool stores;
    float bias;
    float extra[has_time<Cell> ? 8 : 1];
};

// Of a tile's quads, in this order: how many lie in registers, how many in shared memory and where.
struct Spread {
    uint32_t registers, shared;
    float4 *from; // this lane's first
};

// The work of a block. Invariant: a thread uses the same entries of `states` in all steps; `sums` of O U are
// written behind the barrier that the finished cells before them pass.
//
// ON_CHIP: operands, sums and states lie in shared memory. Else all of them lie in global memory, for shapes
// that are too large for the GPU.
template <class Cell, bool ON_CHIP> struct Member {
    static constexpr int rows = Cell::rows;
    static constexpr int held_quads = ON_CHIP ? kHeld : 0;

    const RnnTogether &all;
    const RnnJob &job;
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t positions, tiles, parts, pairs;
    const uint32_t first_quad, quad_count; // of this warp's part of a matrix' tile
    uint32_t *const lengths;
    float4 *const stages;  // two buffers
    float *const sums;     // [pair][O U: part, S W: part][row and sequence]
    float2 *const states;  // [pair][unit][sequence]: c and h
    float4 *const weights; // this warp's [W, U: quad][row][lane]
    uint32_t *const counter;
    uint32_t staged = 0;   // slots so far: buffers are used in turn
    uint32_t cells = 0;    // finished by this block
    float time = 0.0f;
    Place<Cell> mine;      // the first of this half warp
    float4 held[held_quads ? held_quads : 1][rows];

    static __device__ __forceinline__ uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
    static __device__ __forceinline__ uint32_t rest(uint32_t a, uint32_t b) { return a > b ? a - b : 0; }

    static __device__ float4 *outside(const RnnJob &job, uint32_t parts, uint32_t pairs)
    {
        const size_t quads = pairs * (2 * parts * (kSums / 4) + Cell::units * 2);
        return (float4 *)job.memory.partial + blockIdx.x * quads;
    }

    __device__ Member(const RnnTogether &all, float4 *shared)
        : all(all), job(all.job), positions(job.groups * job.slice), tiles(job.memory.block_tiles),
          parts(all.warps_per_tile), pairs(tiles * job.tiles),
          first_quad(least((job.slice / kQuad + parts - 1) / parts * (warp % parts), job.slice / kQuad)),
          quad_count(least((job.slice / kQuad + parts - 1) / parts, job.slice / kQuad - first_quad)),
          lengths((uint32_t *)shared), stages(shared + JOB_SEQUENCES / 4),
          sums((float *)(ON_CHIP ? stages + 2 * positions : outside(job, parts, pairs))),
          states((float2 *)(sums + pairs * 2 * parts * kSums)),
          weights((float4 *)(states + pairs * Cell::units * 4) +
                  warp * (all.state_kept + all.input_kept) * rows * 32 + lane),
          counter(LayerFlags(job, 0).counter)
    {
        if (threadIdx.x < job.tiles * JOB_BATCH)
            lengths[threadIdx.x] = ((const uint32_t *)job.lengths)[threadIdx.x];
    }

    __device__ __forceinline__ size_t slot(uint32_t number) const
    {
        return (size_t)number * job.tiles * positions;
    }

    /* -- what belongs to a layer -- */

    __device__ Place<Cell> place_of(const RnnLayer &layer, uint32_t pair) const
    {
        const uint32_t row = Lanes<16>::row(), group_units = job.hidden / job.groups;
        Place<Cell> place;
        place.batch_tile = pair / tiles;
        place.unit = (blockIdx.x * tiles + pair % tiles) * Cell::units + (Cell::units > 1 ? row : 0);
        place.is_real = pair < pairs && place.unit < job.hidden;
        const uint32_t unit = place.is_real ? place.unit : 0;
        place.position = place.batch_tile * positions + unit / group_units * job.slice + unit % group_units;
        place.sequence = place.batch_tile * JOB_BATCH + Lanes<16>::sequence();
        place.stores = place.is_real && (Cell::units > 1 || row == 0);
        place.bias = ((const float *)layer.bias)[unit * 4 + (Cell::units > 1 ? 0 : row)];
        if (has_time<Cell>)
#pragma unroll
            for (int i = 0; i < 8; i++)
                place.extra[has_time<Cell> ? i : 0] = ((const float *)layer.extra)[unit * 8 + i];
        return place;
    }

    // This lane's first quad of this warp's part of a packed matrix.
    __device__ __forceinline__ const float4 *packed(uint64_t matrix, uint32_t tile) const
    {
        const size_t quad = ((size_t)blockIdx.x * tiles + tile) * (job.slice / kQuad) + first_quad;
        return (const float4 *)matrix + quad * rows * 32 + lane;
    }

    // Where the quads of a tile lie that are `first` and more in the list of this warp.
    template <bool STATE> __device__ __forceinline__ Spread spread(uint32_t first) const
    {
        constexpr uint32_t held = STATE ? held_quads : 0;
        const uint32_t shared = ON_CHIP ? STATE ? all.state_kept : all.input_kept : 0;
        Spread result;
        result.registers = least(rest(held, first), quad_count);
        const uint32_t next = first + result.registers;
        result.shared = least(rest(held + shared, next), quad_count - result.registers);
        result.from = weights + ((STATE ? 0 : all.state_kept) + next - held) * rows * 32;
        return result;
    }

    __device__ __forceinline__ void copy_weights(const Spread &spread, const float4 *from) const
    {
        for (uint32_t i = 0; i < spread.shared * rows; i++)
            copy_begin(spread.from + i * 32, from + (spread.registers * rows + i) * 32);
    }

    __device__ void load_weights(const RnnLayer &layer)
    {
        uint32_t first = 0;
        for (uint32_t tile = warp / parts; tile < tiles; tile += JOB_WARPS / parts, first += quad_count) {
            const Spread state = spread<true>(first);
            const float4 *const from = packed(layer.w_state, tile);
#pragma unroll
            for (int q = 0; q < held_quads; q++)
#pragma unroll
                for (int row = 0; row < rows; row++)
                    if (q >= first && q < first + state.registers)
                        held[q][row] = __ldg(from + ((q - first) * rows + row) * 32);
            copy_weights(state, from);
            if (!layer.ahead)
                copy_weights(spread<false>(first), packed(layer.w_input, tile));
        }
    }

    // All pairs of this half warp: `what` gets the place and its number. All lanes of a warp go along.
    template <class Do> __device__ __forceinline__ void for_pairs(const RnnLayer &layer, Do what)
    {
        for (uint32_t first = warp * 2; first < pairs; first += JOB_WARPS * 2) {
            const uint32_t pair = first + Lanes<16>::unit();
            if (first == warp * 2)
                what(mine, pair);
            else
                what(place_of(layer, pair), pair);
        }
    }

    __device__ __forceinline__ float2 &state_of(uint32_t pair) const
    {
        const uint32_t k = Lanes<16>::k();
        return states[(pair < pairs ? pair : 0) * Cell::units * 4 + (Cell::units > 1 ? k : k % 4)];
    }

    __device__ void begin_states(const RnnLayer &layer)
    {
        for_pairs(layer, [&](const Place<Cell> &place, uint32_t pair) {
            if (!place.stores)
                return;
            const bool has_c = layer.c0 && place.sequence < job.batch;
            const float *own = (const float *)((const float4 *)layer.own + place.position);
            const float *c = (const float *)layer.c0 + place.sequence * job.hidden + place.unit;
            state_of(pair) = make_float2(has_c ? *c : 0.0f, own[place.sequence % JOB_BATCH]);
        });
    }

    __device__ void end_states(const RnnLayer &layer)
    {
        for_pairs(layer, [&](const Place<Cell> &place, uint32_t pair) {
            if (!place.stores || place.sequence >= job.batch)
                return;
            const float2 state = state_of(pair);
            if (layer.cn)
                ((float *)layer.cn)[place.sequence * job.hidden + place.unit] = state.x;
            if (layer.hn)
                ((float *)layer.hn)[place.sequence * job.hidden + place.unit] = state.y;
        });
    }

    /* -- products -- */

    __device__ __forceinline__ void stage(const float4 *from, uint32_t buffer) const
    {
        for (uint32_t i = threadIdx.x; i < positions; i += JOB_THREADS)
            copy_begin(stages + (buffer & 1) * positions + i, from + i);
    }

    // Where the positions of a tile's group begin.
    __device__ __forceinline__ uint32_t group_at(uint32_t tile) const
    {
        const uint32_t unit = blockIdx.x * tiles + tile;
        return job.groups == 1 || unit >= job.hidden ? 0 : unit / (job.hidden / job.groups) * job.slice;
    }

    // What lies in registers of W. The first tile, often the only one, goes without questions.
    __device__ __forceinline__ void add_held(Sums &part, uint32_t count, uint32_t first, const float4 *from)
    {
        if (first == 0) {
#pragma unroll
            for (int q = 0; q < held_quads; q++) {
                if (q == count)
                    break;
                add_quad<rows, 32, Cell::last_state>(part, held[q], from + q * kQuad);
            }
        } else {
#pragma unroll
            for (int q = 1; q < held_quads; q++)
                if (q >= first && q < first + count)
                    add_quad<rows, 32, Cell::last_state>(part, held[q], from + (q - first) * kQuad);
        }
    }

    // This warp's part of S W or O U of a batch tile.
    template <bool STATE>
    __device__ __forceinline__ void multiply(const RnnLayer &layer, const float4 *operands,
                                             uint32_t batch_tile)
    {
        constexpr int last = STATE ? Cell::last_state : Cell::last_input;
        uint32_t first = 0;
        for (uint32_t tile = warp / parts; tile < tiles; tile += JOB_WARPS / parts, first += quad_count) {
            const float4 *const from = operands + group_at(tile) + first_quad * kQuad + lane;
            const Spread lie = spread<STATE>(first);
            Sums part = {};
            if (STATE)
                add_held(part, lie.registers, first, from);
            if (ON_CHIP)
                add_from_memory<rows, 32, last>(part, lie.from, lie.shared * 4, from + lie.registers * kQuad);
            const uint32_t done = lie.registers + lie.shared;
            if (done < quad_count)
                add_from_memory<rows, 32, last>(
                    part, packed(STATE ? layer.w_state : layer.w_input, tile) + done * rows * 32,
                    (quad_count - done) * 4, from + done * kQuad);
            reduce<32>(part);
            if (lane < kSums)
                sums[((batch_tile * tiles + tile) * 2 * parts + (STATE ? parts : 0) + warp % parts) * kSums +
                     lane] = part[0];
        }
    }

    // S W or O U of all batch tiles of a slot; then `next` is on its way. The first tile is on its way for
    // S W; for O U it has come.
    template <bool STATE>
    __device__ __forceinline__ void product(const RnnLayer &layer, const float4 *from, const float4 *next)
    {
        const uint32_t batch_tiles = job.tiles;
        for (uint32_t tile = 0; tile < batch_tiles; tile++, from += positions) {
            const float4 *operands = from;
            if (ON_CHIP) {
                if (STATE || tile) {
                    copies_finish();
                    __syncthreads(); // and nobody uses the other buffer any more
                }
                const float4 *const after = tile + 1 < batch_tiles ? from + positions : next;
                if (after)
                    stage(after, staged + 1);
                operands = stages + (staged++ & 1) * positions;
            }
            multiply<STATE>(layer, operands, tile);
        }
    }

    // The sums of O U that were computed before.
    __device__ void take_ahead(const RnnLayer &layer, uint32_t step)
    {
        for_pairs(layer, [&](const Place<Cell> &place, uint32_t pair) {
            if (pair >= pairs)
                return;
            const size_t at = slot(step + 1) + place.position;
            const float *const ahead = (const float *)layer.ahead + at * (Cell::units > 1 ? 4 : 16) +
                                       (Cell::units > 1 ? Lanes<16>::k() % 4 : Lanes<16>::k());
            float *const to = sums + pair * 2 * parts * kSums + Lanes<16>::k();
            for (uint32_t part = 0; part < parts; part++)
                to[part * kSums] = part == 0 && place.is_real ? *ahead : 0.0f;
        });
    }

    /* -- cells -- */

    __device__ __forceinline__ float time_of(const Place<Cell> &place, uint32_t step) const
    {
        const uint32_t at = job.first_step + step;
        return job.times && place.sequence < job.batch
                   ? ((const float *)job.times)[(size_t)at * job.batch + place.sequence]
                   : (float)at;
    }

    // Writes h to a slot, `to`.
    __device__ __forceinline__ void finish(const RnnLayer &layer, uint32_t step, float4 *to)
    {
        for_pairs(layer, [&](const Place<Cell> &place, uint32_t pair) {
            const float *const from = sums + (pair < pairs ? pair : 0) * 2 * parts * kSums + Lanes<16>::k();
            const float2 old = state_of(pair);
            float value = place.bias;
#pragma unroll 4
            for (uint32_t part = 0; part < 2 * parts; part++)
                value += from[part * kSums];
            CellContext context = {Lanes<16>::row(), job.kind, 0.0f, place.extra};
            if (has_time<Cell>)
                context.time = pair < JOB_WARPS * 2 ? time : time_of(place, step);
            CellState now = Cell::template finish<16>(value, CellState{old.x, old.y}, context);
            __syncwarp(); // all lanes have read the state that one of them writes
            if (job.first_step + step >= lengths[place.sequence % JOB_SEQUENCES])
                now = CellState{old.x, old.y};
            if (!place.stores)
                return;
            word_write((float *)(to + place.position) + Lanes<16>::sequence(), now.h);
            state_of(pair) = make_float2(now.c, now.h);
        });
    }

    __device__ void write_y(const RnnLayer &layer, uint32_t step)
    {
        const uint32_t at = job.first_step + step;
        for_pairs(layer, [&](const Place<Cell> &place, uint32_t pair) {
            if (place.stores && place.sequence < job.batch)
                ((float *)layer.y)[(size_t)at * job.y_step + (size_t)place.sequence * job.y_sequence +
                                   place.unit] = at < lengths[place.sequence] ? state_of(pair).y : 0.0f;
        });
    }

    /* -- the barrier -- */

    // What was copied for the next product has come, too: so the fence holds nobody up but the waiter.
    __device__ __forceinline__ void arrive()
    {
        if (ON_CHIP)
            copies_finish();
        __syncthreads();
        if (threadIdx.x == kWaiter)
            flag_add(counter);
        cells++;
    }

    // False: the watchdog.
    __device__ __forceinline__ bool all_arrived(uint32_t layer, uint32_t step)
    {
        bool go_on = true;
        if (threadIdx.x == kWaiter) {
            Watch watch{layer, step, WAITED_ALL};
            while (go_on && flag_acquire(counter) < cells * gridDim.x)
                go_on = !watch.is_over(job);
        }
        return all_go_on(go_on);
    }

    __device__ void begin_layer(const RnnLayer &layer)
    {
        load_weights(layer);
        mine = place_of(layer, warp * 2 + Lanes<16>::unit());
        begin_states(layer);
        if (ON_CHIP && !layer.ahead)
            stage((const float4 *)layer.below + slot(1), staged);
        if (ON_CHIP)
            copies_finish();
        __syncthreads();
    }

    // O U of a step whose first batch tile has come.
    __device__ __forceinline__ void input(const RnnLayer &layer, uint32_t step, const float4 *below)
    {
        if (layer.ahead)
            take_ahead(layer, step);
        else
            product<false>(layer, below, nullptr);
        if (has_time<Cell>)
            time = time_of(mine, step);
    }

    __device__ bool run_layer(uint32_t number)
    {
        const RnnLayer &layer = job.layer[number];
        // Of a single step O is what the last cell computed.
        if (job.steps == 1 && !all_arrived(number, 0))
            return false;
        begin_layer(layer);
        const size_t stride = slot(1);
        const float4 *below = (const float4 *)layer.below + stride; // slot of the step's input, of its state
        float4 *own = (float4 *)layer.own;
        const uint32_t steps = job.steps;
        const bool ahead = layer.ahead != 0;
        input(layer, 0, below);
        for (uint32_t step = 0; step < steps; step++, own += stride) {
            if (!all_arrived(number, step))
                return false;
            const bool more = step + 1 < steps;
            below += stride;
            if (ON_CHIP)
                stage(own, staged);
            product<true>(layer, own, more && !ahead ? below : nullptr);
            __syncthreads();
            finish(layer, step, own + stride);
            arrive();
            if (layer.y)
                write_y(layer, step);
            if (more)
                input(layer, step + 1, below);
        }
        end_states(layer);
        return true;
    }
};

template <class Cell, bool ON_CHIP> __device__ __forceinline__ void persistent(const RnnTogether &all)
{
    extern __shared__ float4 shared[];
    if (blockIdx.x == all.job.leave)
        return;
    Member<Cell, ON_CHIP> member(all, shared);
    for (uint32_t layer = 0; layer < all.job.layers; layer++)
        if (!member.run_layer(layer))
            return;
}

} // namespace

#define KERNELS(NAME, CELL)                                                                                  \
    extern "C" __global__ void __launch_bounds__(JOB_THREADS, 1)                                             \
        rnn_persistent_##NAME(const __grid_constant__ RnnTogether job)                                       \
    {                                                                                                        \
        persistent<CELL, true>(job);                                                                         \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(JOB_THREADS, 2)                                             \
        rnn_persistent_##NAME##_memory(const __grid_constant__ RnnTogether job)                              \
    {                                                                                                        \
        persistent<CELL, false>(job);                                                                        \
    }

#ifdef CELL_BASIC
KERNELS(basic, BasicCell)
#endif
#ifdef CELL_LSTM
KERNELS(lstm, LstmCell)
#endif
#ifdef CELL_GRU
KERNELS(gru, GruCell)
#endif
#ifdef CELL_PHASED
KERNELS(phased, PhasedCell)
#endif
