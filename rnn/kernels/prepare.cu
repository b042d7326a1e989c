/* What goes before the kernel of a run: exchanged sequences are filled. Values move as they are, so that one
 * source serves single precision, as words, and halves of both types. */
#include "job.h"

namespace {

// How values lie in a position's 16 bytes. Invariant: no value is stored with all bits set, which stands for
// none; such a NaN loses its first bit.
template <class Bits> struct Values {
    static constexpr uint32_t batch = 16 / sizeof(Bits); // sequences of a tile
    static constexpr uint32_t in_word = 4 / sizeof(Bits);

    static __device__ uint32_t written(Bits value) { return value == Bits(~0u) ? Bits(~0u) >> 1 : value; }

    // One unit's values of the sequences of a tile.
    static __device__ uint4 gather(const Bits *from, uint32_t tile, uint32_t batch_size, uint64_t stride)
    {
        uint32_t word[4] = {};
        for (uint32_t i = 0; i < batch; i++) {
            const uint32_t sequence = tile * batch + i;
            const uint32_t value = sequence < batch_size ? written(from[sequence * stride]) : 0;
            word[i / in_word] |= value << (i % in_word * 16);
        }
        return make_uint4(word[0], word[1], word[2], word[3]);
    }
};

__device__ uint4 unwritten()
{
    return make_uint4(JOB_UNWRITTEN, JOB_UNWRITTEN, JOB_UNWRITTEN, JOB_UNWRITTEN);
}

// Number of the unit at a position, of `units` in all; ~0: there is none.
__device__ uint32_t unit_at(uint32_t position, uint32_t slice, uint32_t units, uint32_t groups)
{
    const uint32_t of_group = units / groups, place = position % slice;
    return place < of_group ? position / slice * of_group + place : ~0u;
}

// A layer's own sequence: slot by slot and tile by tile.
template <class Bits>
__device__ void fill_own(const RnnPrepare &job, uint32_t layer, uint32_t slot, uint32_t tile)
{
    const uint32_t positions = job.groups * job.slice;
    uint4 *own = reinterpret_cast<uint4 *>(job.own[layer]) + uint64_t(tile) * positions;
    const uint64_t slot_size = uint64_t(job.tiles) * positions;
    const Bits *h0 = reinterpret_cast<const Bits *>(job.h0) + uint64_t(layer) * job.batch * job.hidden;
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
        } else if (unit != ~0u && job.h0)
            value = Values<Bits>::gather(h0 + unit, tile, job.batch, job.hidden);
        own[slot * slot_size + position] = value;
    }
}

// The input's sequence: x of step t is in slot t + 1.
template <class Bits> __device__ void fill_input(const RnnPrepare &job, uint32_t slot, uint32_t tile)
{
    const uint32_t positions = job.groups * job.slice;
    uint4 *to = reinterpret_cast<uint4 *>(job.below) + (uint64_t(slot) * job.tiles + tile) * positions;
    const Bits *x = reinterpret_cast<const Bits *>(job.x);
    for (uint32_t position = threadIdx.x; position < positions; position += blockDim.x) {
        const uint32_t unit = unit_at(position, job.slice, job.input, job.groups);
        uint4 value = make_uint4(0, 0, 0, 0);
        if (unit != ~0u && slot)
            value = Values<Bits>::gather(x + uint64_t(slot - 1) * job.x_step + unit, tile, job.batch,
                                         job.x_sequence);
        to[position] = value;
    }
}

template <class Bits> __device__ void prepare(const RnnPrepare &job)
{
    const uint32_t rows = (job.steps + 1) * job.tiles;
    const uint32_t all = rows * (job.layers + (job.below ? 1 : 0));
    for (uint32_t i = blockIdx.x; i < all; i += gridDim.x) {
        const uint32_t layer = i / rows, slot = i % rows / job.tiles, tile = i % job.tiles;
        if (layer < job.layers)
            fill_own<Bits>(job, layer, slot, tile);
        else
            fill_input<Bits>(job, slot, tile);
    }
    uint32_t *flags = reinterpret_cast<uint32_t *>(job.flags);
    for (uint64_t i = blockIdx.x * JOB_THREADS + threadIdx.x; i < job.flag_words;
         i += gridDim.x * JOB_THREADS)
        flags[i] = 0;
    if (blockIdx.x)
        return;
    if (threadIdx.x < job.tiles * Values<Bits>::batch)
        reinterpret_cast<uint32_t *>(job.lengths)[threadIdx.x] = job.length[threadIdx.x];
    if (threadIdx.x == 0 && !job.previous)
        *reinterpret_cast<RnnStuck *>(job.stuck) = RnnStuck{};
}

} // namespace

extern "C" __global__ void __launch_bounds__(JOB_THREADS) rnn_prepare(const __grid_constant__ RnnPrepare job)
{
    prepare<uint32_t>(job);
}

extern "C" __global__ void __launch_bounds__(JOB_THREADS)
    rnn_prepare_half(const __grid_constant__ RnnPrepare job)
{
    prepare<uint16_t>(job);
}
