// What goes before the kernel of a run of halves: exchanged sequences are filled, as prepare.cu does. Values
// move as they are, so this serves both types.
#include "job.h"

namespace {

// No half is stored as one of the two that stand for none.
__device__ uint32_t written(uint16_t value) { return value == 0xffff ? 0x7fff : value; }

// Number of the unit at a position, of `units` in all; ~0: there is none.
__device__ uint32_t unit_at(uint32_t position, uint32_t slice, uint32_t units, uint32_t groups)
{
    const uint32_t of_group = units / groups, place = position % slice;
    return place < of_group ? position / slice * of_group + place : ~0u;
}

__device__ uint4 unwritten()
{
    return make_uint4(JOB_UNWRITTEN, JOB_UNWRITTEN, JOB_UNWRITTEN, JOB_UNWRITTEN);
}

// One unit's values of the eight sequences of a tile.
__device__ uint4 gather(const uint16_t *from, uint32_t tile, uint32_t batch, uint64_t sequence_stride)
{
    uint32_t value[JOB_HALF_BATCH];
    for (uint32_t i = 0; i < JOB_HALF_BATCH; i++) {
        const uint32_t sequence = tile * JOB_HALF_BATCH + i;
        value[i] = sequence < batch ? written(from[sequence * sequence_stride]) : 0;
    }
    return make_uint4(value[0] | value[1] << 16, value[2] | value[3] << 16, value[4] | value[5] << 16,
                      value[6] | value[7] << 16);
}

// A layer's own sequence: slot by slot and tile by tile.
__device__ void fill_own(const RnnPrepare &job, uint32_t layer, uint32_t slot, uint32_t tile)
{
    const uint32_t positions = job.groups * job.slice;
    uint4 *own = reinterpret_cast<uint4 *>(job.own[layer]) + uint64_t(tile) * positions;
    const uint64_t slot_size = uint64_t(job.tiles) * positions;
    const uint16_t *h0 = reinterpret_cast<const uint16_t *>(job.h0);
    if (slot && slot == job.previous) // whoever copies from there marks it
        return;
    for (uint32_t position = threadIdx.x; position < positions; position += blockDim.x) {
        const uint32_t unit = unit_at(position, job.slice, job.hidden, job.groups);
        uint4 value = make_uint4(0, 0, 0, 0);
        if (unit != ~0u && slot)
            value = unwritten();
        else if (unit != ~0u && job.previous) {
            uint4 *last = own + job.previous * slot_size + position;
            value = *last;
            if (job.previous <= job.steps)
                *last = unwritten();
        } else if (unit != ~0u && h0)
            value = gather(h0 + uint64_t(layer) * job.batch * job.hidden + unit, tile, job.batch, job.hidden);
        own[slot * slot_size + position] = value;
    }
}

// The input's sequence: x of step t is in slot t + 1.
__device__ void fill_input(const RnnPrepare &job, uint32_t slot, uint32_t tile)
{
    const uint32_t positions = job.groups * job.slice;
    uint4 *to = reinterpret_cast<uint4 *>(job.below) + (uint64_t(slot) * job.tiles + tile) * positions;
    const uint16_t *x = reinterpret_cast<const uint16_t *>(job.x);
    for (uint32_t position = threadIdx.x; position < positions; position += blockDim.x) {
        const uint32_t unit = unit_at(position, job.slice, job.input, job.groups);
        uint4 value = make_uint4(0, 0, 0, 0);
        if (unit != ~0u && slot)
            value = gather(x + uint64_t(slot - 1) * job.x_step + unit, tile, job.batch, job.x_sequence);
        to[position] = value;
    }
}

} // namespace

extern "C" __global__ void __launch_bounds__(JOB_THREADS)
    rnn_prepare_half(const __grid_constant__ RnnPrepare job)
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
    if (threadIdx.x < job.tiles * JOB_HALF_BATCH)
        reinterpret_cast<uint32_t *>(job.lengths)[threadIdx.x] = job.length[threadIdx.x];
    if (threadIdx.x == 0 && !job.previous)
        *reinterpret_cast<RnnStuck *>(job.stuck) = RnnStuck{};
}
