/* What blocks of the half kernels have in common: where a lane's cells lie, how they begin, go on and end,
 * and how a block waits for others, as wait.cu does. */
#ifndef WBRNN_HALF_BLOCK_CUH
#define WBRNN_HALF_BLOCK_CUH

#include "half.cuh"
#include "sync.cuh"

/* The cells of a lane in a tile: one, or of basic RNNs four, of two units and two sequences. */
template <class Cell> struct HalfPlace {
    static constexpr int cells = Cell::basic ? 4 : 1, units = Cell::basic ? 2 : 1;
    static constexpr uint32_t tile_units = Cell::basic ? 16 : 4;

    uint32_t group_at; /* first position of the tile's group: what its operands begin with */
    uint32_t unit[units], position[units];
    bool exists[units];

    /* Tiles do not cross from one group to the next. */
    __device__ __forceinline__ HalfPlace(const RnnJob &job, uint32_t tile)
    {
        const uint32_t width = job.hidden / job.groups, tiles = (width + tile_units - 1) / tile_units;
        const uint32_t group = tile / tiles < job.groups ? tile / tiles : 0;
        group_at = group * job.slice;
#pragma unroll
        for (int i = 0; i < units; i++) {
            const uint32_t row = half_lane() / 4 + i * 8, in_tile = Cell::basic ? row : row % 4;
            const uint32_t place = tile % tiles * tile_units + in_tile;
            exists[i] = tile / tiles < job.groups && place < width;
            unit[i] = exists[i] ? group * width + place : 0;
            position[i] = group_at + (exists[i] ? place : 0);
        }
    }

    static __device__ __forceinline__ int unit_of(int cell) { return Cell::basic ? cell / 2 : 0; }
    static __device__ __forceinline__ uint32_t sequence_of(int cell)
    {
        return half_lane() % 4 * 2 + (Cell::basic ? cell % 2 : half_lane() / 16);
    }
};

static __device__ __forceinline__ size_t half_slot(const RnnJob &job, uint32_t slot, uint32_t tile)
{
    return ((size_t)slot * job.tiles + tile) * job.groups * job.slice;
}

/* c of the first step is the user's; that between launches of a run is in floats. */
static __device__ __forceinline__ float half_c0(const RnnJob &job, const RnnLayer &layer, uint32_t b,
                                                uint32_t unit)
{
    const size_t at = (size_t)b * job.hidden + unit;
    if (!layer.c0 || b >= job.batch)
        return 0.0f;
    return layer.c0 == layer.carry ? ((const float *)layer.c0)[at]
                                   : half_value(((const uint16_t *)layer.c0)[at]);
}

/* A cell's c and h before the first step of a launch. */
template <class Cell>
static __device__ __forceinline__ float2 half_begin(const RnnJob &job, const RnnLayer &layer,
                                                    const HalfPlace<Cell> &place, int cell, uint32_t tile)
{
    const int i = place.unit_of(cell);
    const uint32_t sequence = place.sequence_of(cell), b = tile * JOB_HALF_BATCH + sequence;
    const uint16_t *own =
        (const uint16_t *)layer.own + (half_slot(job, 0, tile) + place.position[i]) * JOB_HALF_BATCH;
    if (!place.exists[i])
        return make_float2(0.0f, 0.0f);
    return make_float2(half_c0(job, layer, b, place.unit[i]), half_value(own[sequence]));
}

/* And behind the last one. */
template <class Cell>
static __device__ __forceinline__ void half_end(const RnnJob &job, const RnnLayer &layer,
                                                const HalfPlace<Cell> &place, int cell, uint32_t tile,
                                                float2 state)
{
    const int i = place.unit_of(cell);
    const uint32_t b = tile * JOB_HALF_BATCH + place.sequence_of(cell);
    const size_t at = (size_t)b * job.hidden + place.unit[i];
    if (!place.exists[i] || b >= job.batch)
        return;
    if (layer.cn && layer.cn == layer.carry)
        ((float *)layer.cn)[at] = state.x;
    else if (layer.cn)
        ((uint16_t *)layer.cn)[at] = half_bits(state.x);
    if (layer.hn)
        ((uint16_t *)layer.hn)[at] = half_bits(state.y);
}

/* What a lane's sums begin with: biases, and what was computed ahead. */
template <class Cell>
static __device__ __forceinline__ TileSums half_bias(const RnnLayer &layer, const HalfPlace<Cell> &place)
{
    const float *bias = (const float *)layer.bias;
    const uint32_t gate = half_lane() / 16;
    const int last = HalfPlace<Cell>::units - 1;
    const float low = place.exists[0] ? bias[place.unit[0] * 4 + (Cell::basic ? 0 : gate)] : 0.0f;
    const float high = place.exists[last] ? bias[place.unit[last] * 4 + (Cell::basic ? 0 : gate + 2)] : 0.0f;
    return make_float4(low, low, high, high);
}

template <class Cell>
static __device__ __forceinline__ TileSums half_ahead(const RnnJob &job, const RnnLayer &layer,
                                                      const HalfPlace<Cell> &place, uint32_t step,
                                                      uint32_t tile)
{
    constexpr int rows = Cell::basic ? 1 : 4, last = HalfPlace<Cell>::units - 1;
    const float *from = (const float *)layer.ahead + half_slot(job, step + 1, tile) * rows * JOB_HALF_BATCH +
                        half_lane() % 4 * 2;
    const uint32_t gate = Cell::basic ? 0 : half_lane() / 16, other = Cell::basic ? 0 : gate + 2;
    float2 low = {0.0f, 0.0f}, high = {0.0f, 0.0f};
    if (place.exists[0])
        low = *(const float2 *)(from + ((size_t)place.position[0] * rows + gate) * JOB_HALF_BATCH);
    if (place.exists[last])
        high = *(const float2 *)(from + ((size_t)place.position[last] * rows + other) * JOB_HALF_BATCH);
    return make_float4(low.x, low.y, high.x, high.y);
}

/* A step of a lane's cells. */
struct HalfStep {
    uint32_t step, tile;
    float extra[7]; /* of phased LSTMs */
};

template <class Cell>
static __device__ __forceinline__ CellState half_cell(const RnnJob &job, float4 sum, float2 old,
                                                      uint32_t length, uint32_t b, const HalfStep &at)
{
    const uint32_t now = job.first_step + at.step;
    CellContext context = {0, job.kind, 0.0f, at.extra};
    if (Cell::phased)
        context.time =
            job.times && b < job.batch ? ((const float *)job.times)[(size_t)now * job.batch + b] : (float)now;
    const CellState state = Cell::finish(sum, CellState{old.x, old.y}, context);
    return now < length ? state : CellState{old.x, old.y};
}

/* y is 0 behind a sequence's end. */
template <class Cell>
static __device__ __forceinline__ void half_output(const RnnJob &job, const RnnLayer &layer,
                                                   const HalfPlace<Cell> &place, int cell, uint32_t length,
                                                   const HalfStep &at, float h)
{
    const int i = place.unit_of(cell);
    const uint32_t b = at.tile * JOB_HALF_BATCH + place.sequence_of(cell), now = job.first_step + at.step;
    if (place.exists[i] && b < job.batch)
        ((uint16_t *)layer.y)[(size_t)now * job.y_step + (size_t)b * job.y_sequence + place.unit[i]] =
            now < length ? half_bits(h) : (uint16_t)0;
}

/* The cells of a lane: computed, published, and left in `state`. h is what others see of it, rounded. */
template <class Cell>
static __device__ __forceinline__ void half_finish(const RnnJob &job, const RnnLayer &layer,
                                                   const HalfPlace<Cell> &place, TileSums sums,
                                                   const uint32_t (&length)[HalfPlace<Cell>::cells],
                                                   const HalfStep &at,
                                                   float2 (&state)[HalfPlace<Cell>::cells])
{
    constexpr int cells = HalfPlace<Cell>::cells;
    const float own[4] = {sums.x, sums.y, sums.z, sums.w};
    float h[cells];
    if (!Cell::basic)
        sums = half_trade(sums);
#pragma unroll
    for (int i = 0; i < cells; i++) {
        const CellState now =
            half_cell<Cell>(job, Cell::basic ? make_float4(own[i], 0.0f, 0.0f, 0.0f) : sums, state[i],
                            length[i], at.tile * JOB_HALF_BATCH + place.sequence_of(i), at);
        state[i].x = now.c;
        h[i] = now.h;
    }
    uint32_t *const words =
        (uint32_t *)((uint4 *)layer.own + half_slot(job, at.step + 1, at.tile)) + half_lane() % 4;
    if (Cell::basic) {
#pragma unroll
        for (int i = 0; i < cells / 2; i++) /* a unit each */
            if (place.exists[i])
                half_write(words + place.position[i] * 4, half_pack(h[2 * i], h[(2 * i + 1) % cells]));
    } else {
        const float other = __shfl_xor_sync(~0u, h[0], 16);
        if (half_lane() < 16 && place.exists[0])
            half_write(words + place.position[0] * 4, half_pack(h[0], other));
    }
#pragma unroll
    for (int i = 0; i < cells; i++) {
        state[i].y = half_value(half_bits(h[i]));
        if (layer.y)
            half_output<Cell>(job, layer, place, i, length[i], at, h[i]);
    }
}

template <class Cell>
static __device__ __forceinline__ void half_extra(const RnnLayer &layer, const HalfPlace<Cell> &place,
                                                  HalfStep &at)
{
    if (Cell::phased)
#pragma unroll
        for (int i = 0; i < 7; i++)
            at.extra[i] = ((const float *)layer.extra)[place.unit[0] * 8 + i];
}

/* Flags are off the fast path, which has none: kernels of a module share what waits for them. */
static __device__ __noinline__ bool half_wait(const RnnJob &job, uint32_t layer, uint32_t block, bool own,
                                              uint32_t step, uint32_t tile)
{
    bool go_on = true;
    if (threadIdx.x == 0)
        go_on = flags_wait(job, LayerFlags(job, own ? layer : layer - 1), own, block, step * job.tiles + tile,
                           Watch{layer, step, own ? 1u * WAITED_OWN : 1u * WAITED_BELOW});
    return all_go_on(go_on);
}

static __device__ __noinline__ void half_signal(const RnnJob &job, uint32_t layer, uint32_t block,
                                                uint32_t cell)
{
    __syncthreads();
    if (threadIdx.x == 0)
        flags_signal(job, LayerFlags(job, layer), block, cell);
}

static __device__ __noinline__ void half_collect(const RnnJob &job, uint32_t layer)
{
    flags_collect(job, layer, job.steps * job.tiles);
}

/* A block and whom it waits for. */
struct HalfBlock {
    const RnnJob &job;
    const RnnLayer &layer;
    const uint32_t layer_index, block;
    const uint32_t positions;
    uint32_t *const left; /* two flags: a thread of the block has given up, by parity of the phase */
    uint32_t phase = 0;

    __device__ HalfBlock(const RnnJob &job, uint32_t layer_index, uint32_t block, uint32_t *left)
        : job(job), layer(job.layer[layer_index]), layer_index(layer_index), block(block),
          positions(job.groups * job.slice), left(left)
    {
        if (threadIdx.x < 2)
            left[threadIdx.x] = 0;
    }

    /* Puts a position that has been looked at into shared memory, as soon as it is there. */
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

    /* The same of COUNT positions, one in JOB_THREADS. Who waits for several asks for all of them at once:
     * one behind the other would take as many times as long. */
    template <int COUNT>
    __device__ __forceinline__ void stage_several(const float4 *from, float4 *to, uint32_t at,
                                                  float4 (&quad)[COUNT], uint32_t step, uint32_t what)
    {
        bool waits = false;
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            waits |= at + i * JOB_THREADS < positions && !is_written(quad[i]);
        Watch watch{layer_index, step, what};
        while (waits) {
            waits = false;
#pragma unroll
            for (int i = 0; i < COUNT; i++)
                if (at + i * JOB_THREADS < positions && !is_written(quad[i]))
                    quad[i] = quad_read(from + at + i * JOB_THREADS);
#pragma unroll
            for (int i = 0; i < COUNT; i++)
                waits |= at + i * JOB_THREADS < positions && !is_written(quad[i]);
            if (watch.is_over(job)) {
                left[phase & 1] = 1;
                break;
            }
        }
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            if (at + i * JOB_THREADS < positions)
                to[at + i * JOB_THREADS] = quad[i];
    }

    /* All threads of the block have staged their quads. False: one has given up. Lanes may have waited apart
     * from each other; tensor cores want them together. */
    __device__ __forceinline__ bool staged()
    {
        __syncwarp();
        __syncthreads();
        return !left[phase++ & 1];
    }

    /* What flags add: waits for the cell, with a barrier. */
    __device__ __forceinline__ bool wait(bool own, uint32_t step, uint32_t tile)
    {
        if (!own && layer_index == 0)
            return true; /* the input is there */
        return half_wait(job, layer_index, block, own, step, tile);
    }

    __device__ __forceinline__ void signal(uint32_t step, uint32_t tile)
    {
        half_signal(job, layer_index, block, step * job.tiles + tile);
    }
};

#endif
