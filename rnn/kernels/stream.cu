/* Stream: a kernel for O U of each layer and step, and one for S W with the cell [sync thesis 3.2.3.3].
 * Nothing stays on chip between them: each reads its matrix from L2 or memory. So all that counts is to have
 * many loads in flight: a lane loads weights and operands of two quads before it multiplies the first.
 *
 * A warp has a warp tile for itself, and one batch tile or, of large batches, four: each weight it loads
 * serves them all. */
#include "cell.cuh"

namespace {

constexpr int kQuad = 4 * 32; // positions of one quad of all lanes

// A warp's part of a cell.
template <class Cell, int TILES> struct Task {
    static constexpr int rows = Cell::rows;
    static constexpr int loaded = TILES == 1 ? 2 : 1; // quads that are loaded before the first is multiplied

    const RnnStep &job;
    const uint32_t lane = threadIdx.x % 32, positions = job.groups * job.slice;
    const uint32_t across = blockIdx.x / job.blocks; // which batch tiles
    const uint32_t warp_tile = blockIdx.x % job.blocks * JOB_WARPS + threadIdx.x / 32;
    uint32_t unit, group_at, position;
    bool is_real, stores;

    __device__ explicit Task(const RnnStep &job) : job(job)
    {
        const uint32_t row = Lanes<32>::row(), group_units = job.hidden / job.groups;
        unit = warp_tile * Cell::units + (Cell::units > 1 ? row : 0);
        is_real = unit < job.hidden;
        if (!is_real)
            unit = 0;
        group_at = Cell::units > 1 ? 0 : unit / group_units * job.slice;
        position = unit / group_units * job.slice + unit % group_units;
        stores = is_real && Lanes<32>::is_first() && (Cell::units > 1 || row == 0);
    }

    // The last tile stands in for those that are not there.
    __device__ __forceinline__ uint32_t tile_of(int i) const
    {
        const uint32_t tile = across * TILES + i;
        return tile < job.tiles ? tile : job.tiles - 1;
    }

    __device__ __forceinline__ size_t slot(uint32_t number, uint32_t tile) const
    {
        return ((size_t)number * job.tiles + tile) * positions;
    }

    // This lane's preactivation of S W or O U that was computed before.
    __device__ __forceinline__ float *ahead(uint32_t tile) const
    {
        return (float *)job.layer.ahead + (slot(job.step + 1, tile) + position) * (Cell::units > 1 ? 4 : 16) +
               (Cell::units > 1 ? lane % 4 : lane % 16);
    }

    // S W or O U of all tiles.
    template <int LAST>
    __device__ __forceinline__ void multiply(Sums (&sums)[TILES], uint64_t matrix, uint64_t sequence,
                                             uint32_t number) const
    {
        const uint32_t quads = job.slice / kQuad;
        const float4 *const weights = (const float4 *)matrix + (size_t)warp_tile * quads * rows * 32 + lane;
        const float4 *operands[TILES];
#pragma unroll
        for (int i = 0; i < TILES; i++)
            operands[i] = (const float4 *)sequence + slot(number, tile_of(i)) + group_at + lane;
        for (uint32_t first = 0; first < quads; first += loaded) {
            float4 weight[loaded][rows], operand[loaded][4];
#pragma unroll
            for (int q = 0; q < loaded; q++) {
                // The last one stands in for one behind it, which is not multiplied.
                const uint32_t quad = first + q < quads ? first + q : quads - 1;
#pragma unroll
                for (int row = 0; row < rows; row++)
                    weight[q][row] = __ldg(weights + (quad * rows + row) * 32);
#pragma unroll
                for (int n = 0; n < 4; n++)
                    operand[q][n] = operands[0][quad * kQuad + n * 32];
            }
#pragma unroll
            for (int q = 0; q < loaded; q++)
                if (q == 0 || first + q < quads)
                    add_quad<rows, 1, LAST>(sums[0], weight[q], operand[q]);
#pragma unroll
            for (int i = 1; i < TILES; i++)
                add_quad<rows, 32, LAST>(sums[i], weight[0], operands[i] + first * kQuad);
        }
#pragma unroll
        for (int i = 0; i < TILES; i++)
            reduce<32>(sums[i]);
    }

    __device__ void input() const
    {
        Sums sums[TILES] = {};
        multiply<Cell::last_input>(sums, job.layer.w_input, job.layer.below, job.step + 1);
#pragma unroll
        for (int i = 0; i < TILES; i++)
            if (is_real && lane < 16 && across * TILES + i < job.tiles)
                *ahead(tile_of(i)) = sums[i][0];
    }

    // What a cell needs besides S W, on its way while that is computed.
    struct Before {
        float ahead, c, h, time;
        uint32_t length;
    };

    __device__ __forceinline__ Before before(uint32_t tile) const
    {
        const uint32_t sequence = tile * JOB_BATCH + Lanes<32>::sequence(), at = job.first_step + job.step;
        const bool in_batch = sequence < job.batch;
        Before result;
        result.ahead = is_real ? *ahead(tile) : 0.0f;
        const float *const c = (const float *)job.layer.c0 + (size_t)sequence * job.hidden + unit;
        const float4 *const h = (const float4 *)job.layer.own + slot(job.step, tile) + position;
        result.c = job.layer.c0 && in_batch ? *c : 0.0f;
        result.h = ((const float *)h)[lane % 4];
        result.length = ((const uint32_t *)job.lengths)[sequence];
        result.time = job.times && in_batch ? ((const float *)job.times)[(size_t)at * job.batch + sequence] :
                                              (float)at;
        return result;
    }

    __device__ __forceinline__ void publish(CellState now, bool lives, uint32_t tile) const
    {
        const uint32_t sequence = tile * JOB_BATCH + Lanes<32>::sequence(), at = job.first_step + job.step;
        ((float *)((float4 *)job.layer.own + slot(job.step + 1, tile) + position))[lane % 4] = now.h;
        if (sequence >= job.batch)
            return;
        const size_t in_state = (size_t)sequence * job.hidden + unit;
        if (job.layer.cn)
            ((float *)job.layer.cn)[in_state] = now.c;
        if (job.layer.hn)
            ((float *)job.layer.hn)[in_state] = now.h;
        if (job.layer.y)
            ((float *)job.layer.y)[(size_t)at * job.y_step + (size_t)sequence * job.y_sequence + unit] =
                lives ? now.h : 0.0f;
    }

    __device__ void state() const
    {
        const uint32_t row = Lanes<32>::row();
        const float bias = ((const float *)job.layer.bias)[unit * 4 + (Cell::units > 1 ? 0 : row)];
        const float *const extra = (const float *)job.layer.extra + unit * 8;
        Before early[TILES];
#pragma unroll
        for (int i = 0; i < TILES; i++)
            early[i] = before(tile_of(i));
        Sums sums[TILES] = {};
        multiply<Cell::last_state>(sums, job.layer.w_state, job.layer.own, job.step);
#pragma unroll
        for (int i = 0; i < TILES; i++) {
            const CellState old = {early[i].c, early[i].h};
            CellState now = Cell::template finish<32>(sums[i][0] + early[i].ahead + bias, old,
                                                      CellContext{row, job.kind, early[i].time, extra});
            const bool lives = job.first_step + job.step < early[i].length;
            if (!lives)
                now = old;
            if (stores && across * TILES + i < job.tiles)
                publish(now, lives, tile_of(i));
        }
    }
};

} // namespace

#define KERNELS(NAME, CELL, TILES)                                                                           \
    extern "C" __global__ void __launch_bounds__(JOB_THREADS, 2)                                             \
        rnn_stream_input_##NAME(const __grid_constant__ RnnStep job)                                         \
    {                                                                                                        \
        Task<CELL, TILES>(job).input();                                                                      \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(JOB_THREADS, 2)                                             \
        rnn_stream_state_##NAME(const __grid_constant__ RnnStep job)                                         \
    {                                                                                                        \
        Task<CELL, TILES>(job).state();                                                                      \
    }

#ifdef CELL_BASIC
KERNELS(basic, BasicCell, 1)
KERNELS(basic_batch, BasicCell, 4)
#endif
#ifdef CELL_LSTM
KERNELS(lstm, LstmCell, 1)
KERNELS(lstm_batch, LstmCell, 4)
#endif
#ifdef CELL_GRU
KERNELS(gru, GruCell, 1)
KERNELS(gru_batch, GruCell, 4)
#endif
#ifdef CELL_PHASED
KERNELS(phased, PhasedCell, 1)
KERNELS(phased_batch, PhasedCell, 4)
#endif
