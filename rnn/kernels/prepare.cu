/* What goes before the kernel of a run: exchanged sequences are filled, and the first layer's product
 * with the input is computed where the plan wants it ahead. */
#include "job.h"

namespace {

constexpr int kTile = 64;  // of the product: rows and columns of a block
constexpr int kDepth = 16; // of what lies in shared memory at a time

// No value is stored as the word that stands for none.
__device__ float written(float value)
{
    return __float_as_uint(value) == JOB_UNWRITTEN ? __uint_as_float(0x7fffffffu) : value;
}

// Number of the unit at a position, of `units` in all; ~0: there is none.
__device__ uint32_t unit_at(uint32_t position, uint32_t slice, uint32_t units, uint32_t groups)
{
    const uint32_t of_group = units / groups, place = position % slice;
    return place < of_group ? position / slice * of_group + place : ~0u;
}

// One unit's values of the four sequences of a tile.
__device__ float4 gather(const float *from, uint32_t tile, uint32_t batch, uint64_t sequence_stride)
{
    float value[JOB_BATCH];
    for (uint32_t i = 0; i < JOB_BATCH; i++) {
        const uint32_t sequence = tile * JOB_BATCH + i;
        value[i] = sequence < batch ? written(from[sequence * sequence_stride]) : 0.0f;
    }
    return make_float4(value[0], value[1], value[2], value[3]);
}

// A layer's own sequence: slot by slot and tile by tile.
__device__ void fill_own(const RnnPrepare &job, uint32_t layer, uint32_t slot, uint32_t tile)
{
    const uint32_t positions = job.groups * job.slice;
    const float unwritten = __uint_as_float(JOB_UNWRITTEN);
    float4 *own = reinterpret_cast<float4 *>(job.own[layer]) + uint64_t(tile) * positions;
    const uint64_t slot_size = uint64_t(job.tiles) * positions;
    const float *h0 = reinterpret_cast<const float *>(job.h0);
    if (slot && slot == job.previous) // whoever copies from there marks it
        return;
    for (uint32_t position = threadIdx.x; position < positions; position += blockDim.x) {
        const uint32_t unit = unit_at(position, job.slice, job.hidden, job.groups);
        float4 value = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (unit != ~0u && slot)
            value = make_float4(unwritten, unwritten, unwritten, unwritten);
        else if (unit != ~0u && job.previous) {
            float4 *last = own + job.previous * slot_size + position;
            value = *last;
            if (job.previous <= job.steps)
                *last = make_float4(unwritten, unwritten, unwritten, unwritten);
        } else if (unit != ~0u && h0)
            value = gather(h0 + uint64_t(layer) * job.batch * job.hidden + unit, tile, job.batch, job.hidden);
        own[slot * slot_size + position] = value;
    }
}

// The input's sequence: x of step t is in slot t + 1.
__device__ void fill_input(const RnnPrepare &job, uint32_t slot, uint32_t tile)
{
    const uint32_t positions = job.groups * job.slice;
    float4 *to = reinterpret_cast<float4 *>(job.below) + (uint64_t(slot) * job.tiles + tile) * positions;
    const float *x = reinterpret_cast<const float *>(job.x);
    for (uint32_t position = threadIdx.x; position < positions; position += blockDim.x) {
        const uint32_t unit = unit_at(position, job.slice, job.input, job.groups);
        float4 value = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (unit != ~0u && slot)
            value = gather(x + uint64_t(slot - 1) * job.x_step + unit, tile, job.batch, job.x_sequence);
        to[position] = value;
    }
}

// Where the product reads: a row is a sequence in a step, a column a unit's gate, or a unit of basic RNNs.
struct Place {
    uint32_t group, first_unit, units; // of the block's columns: units of a group from first_unit on
    uint32_t first_row, rows;          // rows of a unit: 4; basic RNNs 1
    uint32_t width;                    // of a group's input
};

__device__ Place place_of(const RnnProduct &job)
{
    Place place;
    place.rows = job.gates == 1 ? 1 : 4;
    place.units = job.hidden / job.groups;
    place.width = job.input / job.groups;
    const uint32_t tile = kTile / place.rows, tiles = (place.units + tile - 1) / tile;
    const uint32_t across = blockIdx.x % (job.groups * tiles);
    place.group = across / tiles;
    place.first_unit = across % tiles * tile;
    place.first_row = blockIdx.x / (job.groups * tiles) * kTile;
    return place;
}

__device__ float load_x(const RnnProduct &job, const Place &place, uint32_t row, uint32_t k)
{
    const uint32_t quad = (place.first_row + row) / JOB_BATCH, step = quad / job.tiles;
    const uint32_t sequence = quad % job.tiles * JOB_BATCH + row % JOB_BATCH;
    if (step >= job.steps || sequence >= job.batch || k >= place.width)
        return 0.0f;
    if (job.exchanged) {
        const uint64_t slot = (uint64_t(step + 1) * job.tiles + quad % job.tiles) * job.groups;
        return reinterpret_cast<const float *>(
            job.x)[((slot + place.group) * job.slice + k) * JOB_BATCH + row % JOB_BATCH];
    }
    return reinterpret_cast<const float *>(job.x)[uint64_t(step) * job.x_step +
                                                  uint64_t(sequence) * job.x_sequence +
                                                  place.group * place.width + k];
}

__device__ float load_w(const RnnProduct &job, const Place &place, uint32_t column, uint32_t k)
{
    const uint32_t unit = place.first_unit + column / place.rows, gate = column % place.rows;
    if (unit >= place.units || gate >= job.gates || k >= place.width)
        return 0.0f;
    const uint64_t row = uint64_t(gate) * job.hidden + place.group * place.units + unit;
    return reinterpret_cast<const float *>(job.w_input)[row * place.width + k];
}

// A thread has four columns, of one unit or of four neighbours, and four rows, the sequences of a tile.
__device__ void store_product(const RnnProduct &job, const Place &place, const float (&sum)[4][4])
{
    const uint32_t column = threadIdx.x % 16 * 4, quad = place.first_row / JOB_BATCH + threadIdx.x / 16;
    const uint32_t unit = place.first_unit + column / place.rows, positions = job.groups * job.slice;
    const uint32_t slot = quad / job.tiles + 1, tile = quad % job.tiles;
    if (slot > job.steps)
        return;
    const uint64_t position =
        (uint64_t(slot) * job.tiles + tile) * positions + place.group * job.slice + unit;
    float4 *to = reinterpret_cast<float4 *>(job.ahead) + position * place.rows;
    for (uint32_t i = 0; i < 4; i++)
        if (unit + (place.rows == 1 ? i : 0) < place.units)
            to[i] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

} // namespace

extern "C" __global__ void __launch_bounds__(JOB_THREADS) rnn_prepare(const __grid_constant__ RnnPrepare job)
{
    const uint32_t rows = (job.steps + 1) * job.tiles;
    const uint32_t all = rows * (job.layers + (job.below ? 1 : 0));
    for (uint32_t i = blockIdx.x; i < all; i += gridDim.x) {
        const uint32_t layer = i / rows, slot = i % rows / job.tiles, tile = i % job.tiles;
        if (layer < job.layers)
            fill_own(job, layer, slot, tile);
        else
            fill_input(job, slot, tile);
    }
    uint32_t *flags = reinterpret_cast<uint32_t *>(job.flags);
    for (uint64_t i = blockIdx.x * JOB_THREADS + threadIdx.x; i < job.flag_words;
         i += gridDim.x * JOB_THREADS)
        flags[i] = 0;
    if (blockIdx.x)
        return;
    if (threadIdx.x < job.tiles * JOB_BATCH)
        reinterpret_cast<uint32_t *>(job.lengths)[threadIdx.x] = job.length[threadIdx.x];
    if (threadIdx.x == 0 && !job.previous)
        *reinterpret_cast<RnnStuck *>(job.stuck) = RnnStuck{};
}

extern "C" __global__ void __launch_bounds__(JOB_THREADS) rnn_product(const __grid_constant__ RnnProduct job)
{
    __shared__ float x[kDepth][kTile + 4], w[kDepth][kTile + 4]; // rows of 16 bytes, apart by odd quads
    const Place place = place_of(job);
    const uint32_t k = threadIdx.x % kDepth, line = threadIdx.x / kDepth;
    const uint32_t column = threadIdx.x % 16 * 4, row = threadIdx.x / 16 * 4;
    float sum[4][4] = {};
    for (uint32_t first = 0; first < place.width; first += kDepth) {
        for (uint32_t i = line; i < kTile; i += JOB_THREADS / kDepth) {
            x[k][i] = load_x(job, place, i, first + k);
            w[k][i] = load_w(job, place, i, first + k);
        }
        __syncthreads();
#pragma unroll
        for (uint32_t inner = 0; inner < kDepth; inner++)
#pragma unroll
            for (uint32_t i = 0; i < 4; i++)
#pragma unroll
                for (uint32_t j = 0; j < 4; j++)
                    sum[i][j] = fmaf(w[inner][column + i], x[inner][row + j], sum[i][j]);
        __syncthreads();
    }
    store_product(job, place, sum);
}
