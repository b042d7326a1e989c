/* The first layer's product with the input of all steps, where the plan wants it ahead; and those of wide
 * layers that run one by one. */
#include "job.h"

namespace {

constexpr int kTile = 64;  // rows and columns of a block
constexpr int kDepth = 16; // of what lies in shared memory at a time
constexpr int kLine = kTile + 4; // rows of 16 bytes, apart by odd quads
constexpr int kLevel = 8;  // sums of so many times kDepth products go to the total

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

// Four rows, or columns, of the product that a thread reads: every 16th of the block's. Null: there is none.
struct Lines {
    const float *at[4];
    uint32_t stride; // from one k to the next
};

__device__ Lines lines_of_x(const RnnProduct &job, const Place &place)
{
    Lines lines;
    lines.stride = job.exchanged ? JOB_BATCH : 1;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t row = threadIdx.x / kDepth + i * (JOB_THREADS / kDepth);
        const uint32_t quad = (place.first_row + row) / JOB_BATCH;
        const uint32_t step = quad / job.tiles, tile = quad % job.tiles;
        const uint32_t sequence = tile * JOB_BATCH + row % JOB_BATCH;
        const uint64_t slot = (uint64_t(step + 1) * job.tiles + tile) * job.groups + place.group;
        uint64_t at = slot * job.slice * JOB_BATCH + row % JOB_BATCH;
        if (!job.exchanged)
            at = uint64_t(step) * job.x_step + uint64_t(sequence) * job.x_sequence +
                 place.group * place.width;
        const bool exists = step < job.steps && sequence < job.batch;
        lines.at[i] = exists ? reinterpret_cast<const float *>(job.x) + at : nullptr;
    }
    return lines;
}

__device__ Lines lines_of_w(const RnnProduct &job, const Place &place)
{
    Lines lines;
    lines.stride = 1;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t column = threadIdx.x / kDepth + i * (JOB_THREADS / kDepth);
        const uint32_t unit = place.first_unit + column / place.rows, gate = column % place.rows;
        const uint64_t row = uint64_t(gate) * job.hidden + place.group * place.units + unit;
        const bool exists = unit < place.units && gate < job.gates;
        lines.at[i] = exists ? reinterpret_cast<const float *>(job.w_input) + row * place.width : nullptr;
    }
    return lines;
}

__device__ __forceinline__ void read_lines(const Lines &lines, uint32_t k, uint32_t width, float (&values)[4])
{
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
        values[i] = lines.at[i] && k < width ? __ldg(lines.at[i] + uint64_t(k) * lines.stride) : 0.0f;
}

// kDepth products of four columns and four rows; `w` and `x` are the thread's first ones.
__device__ __forceinline__ void add_products(const float (*w)[kLine], const float (*x)[kLine],
                                             float (&sum)[4][4])
{
#pragma unroll
    for (uint32_t k = 0; k < kDepth; k++) {
        const float4 a = *reinterpret_cast<const float4 *>(w[k]), b = *reinterpret_cast<const float4 *>(x[k]);
        const float columns[4] = {a.x, a.y, a.z, a.w}, rows[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
        for (uint32_t i = 0; i < 4; i++)
#pragma unroll
            for (uint32_t j = 0; j < 4; j++)
                sum[i][j] = fmaf(columns[i], rows[j], sum[i][j]);
    }
}

__device__ __forceinline__ void add_sums(float (&total)[4][4], float (&sum)[4][4])
{
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
#pragma unroll
        for (uint32_t j = 0; j < 4; j++) {
            total[i][j] += sum[i][j];
            sum[i][j] = 0.0f;
        }
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

// What the next products need is on its way while these are added up. Sums of many products are added up in
// two levels, so that their rounding errors stay small.
extern "C" __global__ void __launch_bounds__(JOB_THREADS, 3)
    rnn_product(const __grid_constant__ RnnProduct job)
{
    __shared__ __align__(16) float x[kDepth][kLine], w[kDepth][kLine];
    const Place place = place_of(job);
    const Lines lines_x = lines_of_x(job, place), lines_w = lines_of_w(job, place);
    const uint32_t k = threadIdx.x % kDepth, line = threadIdx.x / kDepth;
    const uint32_t column = threadIdx.x % 16 * 4, row = threadIdx.x / 16 * 4;
    float sum[4][4] = {}, total[4][4] = {}, next_x[4], next_w[4];
    read_lines(lines_x, k, place.width, next_x);
    read_lines(lines_w, k, place.width, next_w);
    for (uint32_t first = 0; first < place.width; first += kDepth) {
#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
            x[k][line + i * (JOB_THREADS / kDepth)] = next_x[i];
            w[k][line + i * (JOB_THREADS / kDepth)] = next_w[i];
        }
        __syncthreads();
        read_lines(lines_x, first + kDepth + k, place.width, next_x);
        read_lines(lines_w, first + kDepth + k, place.width, next_w);
        add_products(reinterpret_cast<const float(*)[kLine]>(&w[0][column]),
                     reinterpret_cast<const float(*)[kLine]>(&x[0][row]), sum);
        if (first / kDepth % kLevel == kLevel - 1)
            add_sums(total, sum);
        __syncthreads();
    }
    add_sums(total, sum);
    store_product(job, place, total);
}
