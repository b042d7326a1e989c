// A layer's O U of all steps of a launch in halves, on tensor cores, as one product. A block has four
// tiles of 16 rows, a row being a unit's gate or a unit of basic RNNs, and eight columns of eight sequences:
// those of a batch tile in a step. Both operands go through shared memory, 32 inputs at a time.
#include "half.cuh"

namespace {

constexpr int kRows = 64, kColumns = 64, kDepth = 32;
constexpr int kLine = kDepth + 8; // halves: lines are 20 words apart, so that lanes meet in no bank

// Of the block: the units of a group from first_unit on, and columns from first_column on.
struct Place {
    uint32_t group, first_unit, units, width, first_column;
    uint32_t unit_rows; // 4, or 1 of basic RNNs

    __device__ explicit Place(const RnnProduct &job)
        : units(job.hidden / job.groups), width(job.input / job.groups), unit_rows(job.gates == 1 ? 1 : 4)
    {
        const uint32_t tile = kRows / unit_rows, tiles = (units + tile - 1) / tile;
        const uint32_t across = blockIdx.x % (job.groups * tiles);
        group = across / tiles;
        first_unit = across % tiles * tile;
        first_column = blockIdx.x / (job.groups * tiles) * kColumns;
    }

    __device__ uint32_t unit_of(uint32_t row) const
    {
        return first_unit + (unit_rows == 1 ? row : row / 16 * 4 + row % 4);
    }
    __device__ uint32_t gate_of(uint32_t row) const { return unit_rows == 1 ? 0 : row % 16 / 4; }
};

__device__ uint16_t load_w(const RnnProduct &job, const Place &place, uint32_t row, uint32_t k)
{
    const uint32_t unit = place.unit_of(row), gate = place.gate_of(row);
    if (unit >= place.units || gate >= job.gates || k >= place.width)
        return 0;
    const uint64_t at = uint64_t(gate) * job.hidden + place.group * place.units + unit;
    return reinterpret_cast<const uint16_t *>(job.w_input)[at * place.width + k];
}

__device__ uint16_t load_x(const RnnProduct &job, const Place &place, uint32_t column, uint32_t k)
{
    const uint32_t tile = (place.first_column + column) / JOB_HALF_BATCH, step = tile / job.tiles;
    const uint32_t sequence = tile % job.tiles * JOB_HALF_BATCH + column % JOB_HALF_BATCH;
    if (step >= job.steps || sequence >= job.batch || k >= place.width)
        return 0;
    uint64_t at =
        uint64_t(step) * job.x_step + uint64_t(sequence) * job.x_sequence + place.group * place.width + k;
    if (job.exchanged) {
        const uint64_t slot = uint64_t(step + 1) * job.tiles + tile % job.tiles;
        const uint64_t position = (slot * job.groups + place.group) * job.slice + k;
        at = position * JOB_HALF_BATCH + column % JOB_HALF_BATCH;
    }
    return reinterpret_cast<const uint16_t *>(job.x)[at];
}

__device__ uint32_t pair(const uint16_t *at) { return *reinterpret_cast<const uint32_t *>(at); }

__device__ void store_row(const RnnProduct &job, const Place &place, uint32_t row, uint32_t column,
                          float2 sums)
{
    const uint32_t tile = (place.first_column + column) / JOB_HALF_BATCH, unit = place.unit_of(row);
    const uint64_t slot = tile / job.tiles + 1, positions = job.groups * job.slice;
    if (slot > job.steps || unit >= place.units)
        return;
    const uint64_t position =
        (slot * job.tiles + tile % job.tiles) * positions + place.group * job.slice + unit;
    float *to = reinterpret_cast<float *>(job.ahead) +
                (position * place.unit_rows + place.gate_of(row)) * JOB_HALF_BATCH + column % JOB_HALF_BATCH;
    *reinterpret_cast<float2 *>(to) = sums;
}

} // namespace

extern "C" __global__ void __launch_bounds__(JOB_THREADS)
    rnn_product_half(const __grid_constant__ RnnProduct job)
{
    __shared__ __align__(16) uint16_t w[kRows][kLine], x[kColumns][kLine];
    const Place place(job);
    const uint32_t warp = threadIdx.x / 32, across = half_lane() / 4, along = half_lane() % 4 * 2;
    const uint32_t row = warp % 4 * 16 + across, column = warp / 4 * 32 + across;
    TileSums sums[4] = {};
    for (uint32_t first = 0; first < place.width; first += kDepth) {
        for (uint32_t line = warp; line < kRows; line += JOB_WARPS) {
            w[line][half_lane()] = load_w(job, place, line, first + half_lane());
            x[line][half_lane()] = load_x(job, place, line, first + half_lane());
        }
        __syncthreads();
#pragma unroll
        for (uint32_t k = 0; k < kDepth; k += 16) {
            const uint4 rows = make_uint4(pair(&w[row][k + along]), pair(&w[row + 8][k + along]),
                                          pair(&w[row][k + along + 8]), pair(&w[row + 8][k + along + 8]));
#pragma unroll
            for (uint32_t i = 0; i < 4; i++)
                half_multiply(sums[i], rows, pair(&x[column + i * 8][k + along]),
                              pair(&x[column + i * 8][k + along + 8]));
        }
        __syncthreads();
    }
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t to = warp / 4 * 32 + i * 8 + along;
        store_row(job, place, row, to, make_float2(sums[i].x, sums[i].y));
        store_row(job, place, row + 8, to, make_float2(sums[i].z, sums[i].w));
    }
}
