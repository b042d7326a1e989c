/* Blocks whose tiles are more than registers hold: packed weights of halves are read in each step, as much
 * of them as fits from shared memory, where they are put at the start, the rest from global memory, which L2
 * serves as far as it can. A block has any number of tiles, which go round over its warps; when there are
 * fewer tiles than warps, several warps share the sums of one.
 *
 * Shared memory has room for one batch tile of a slot. States and inputs take turns in it:
 *
 *     wait for the state of the step before; stage it; barrier
 *     of each tile: S W, and O U from before; cell; publish
 *     barrier; wait for the input of the next step; stage it; barrier
 *     of each tile: O U, which waits in registers or memory for its S W
 *
 * h of the step before is what was staged; c lies in shared or global memory. */
#ifndef WBRNN_HALF_MEMORY_CUH
#define WBRNN_HALF_MEMORY_CUH

#include "half_block.cuh"

/* RnnPlace, as far as it concerns these kernels: anything else is global memory. */
enum { PLACE_SHARED = 1 };

/* Adds the product of some steps of a tile with what is staged; both are this lane's first. */
static __device__ __forceinline__ void half_product(HalfSums<4> &sums, const uint4 *weights, uint32_t steps,
                                                    uint32_t staged)
{
    uint32_t s = 0;
#pragma unroll 2
    for (; s + 4 <= steps; s += 4) {
        const uint4 a = weights[s * 32], b = weights[(s + 1) * 32];
        const uint4 c = weights[(s + 2) * 32], d = weights[(s + 3) * 32];
        sums.add(0, a, b, staged + s * 256);
        sums.add(2, c, d, staged + s * 256 + 512);
    }
    for (; s + 2 <= steps; s += 2)
        sums.add(0, weights[s * 32], weights[(s + 1) * 32], staged + s * 256);
    if (s < steps)
        sums.add_one(weights[s * 32], staged + s * 256);
}

/* A block's view of its work in one layer. Invariant: the sums of a tile are computed by warps of the same
 * numbers in all steps, so what a lane leaves for itself it finds again. */
template <class Cell> struct HalfMemory : HalfBlock {
    typedef HalfPlace<Cell> Place;
    static constexpr int cells = Place::cells;
    static constexpr int stage_ahead = 4; /* quads of a thread in flight */

    const uint32_t tiles;       /* of a block */
    const uint32_t parts, part; /* warps of a tile; which of them this one is */
    const uint32_t steps;       /* k16 steps of a part */
    float4 *const stage;
    float *const kept_c;                        /* [batch tile][tile][cell][lane], or null */
    uint4 *const kept_state, *const kept_input; /* what shared memory has of them: [tile][part][step][lane] */
    float4 *const gathered;                     /* [tile][part - 1][lane] */
    float4 *const partial;                      /* [tile][lane]: O U of tiles behind the warp's first */
    TileSums held;                              /* O U of the warp's first tile */

    /* Where parts of the block's shared memory begin, in quads. */
    struct Layout {
        uint32_t cells, state, input, gathered, left, parts;

        __device__ explicit Layout(const RnnJob &job)
        {
            const RnnMemory &memory = job.memory;
            parts = 1;
            while (parts * 2 * memory.block_tiles <= JOB_WARPS)
                parts *= 2;
            cells = job.groups * job.slice;
            state = cells + (memory.cell_place == PLACE_SHARED
                                 ? job.tiles * memory.block_tiles * Place::tile_units * JOB_HALF_BATCH / 2
                                 : 0);
            input = state + memory.block_tiles * parts * memory.state_kept * 32;
            gathered = input + memory.block_tiles * parts * memory.input_kept * 32;
            left = gathered + (parts > 1 ? JOB_WARPS * 32 : 0);
        }
    };

    /* `row` is the layer's among those that are in flight. */
    __device__ HalfMemory(const RnnJob &job, uint32_t layer_index, uint32_t block, uint32_t row,
                          float4 *shared)
        : HalfMemory(job, layer_index, block, row, shared, Layout(job))
    {
    }

    __device__ HalfMemory(const RnnJob &job, uint32_t layer_index, uint32_t block, uint32_t row,
                          float4 *shared, Layout at)
        : HalfBlock(job, layer_index, block, (uint32_t *)(shared + at.left)), tiles(job.memory.block_tiles),
          parts(at.parts), part(threadIdx.x / 32 % at.parts), steps(job.slice / 16 / at.parts), stage(shared),
          kept_c(job.memory.cell_place == PLACE_SHARED ? (float *)(shared + at.cells) : nullptr),
          kept_state((uint4 *)(shared + at.state)), kept_input((uint4 *)(shared + at.input)),
          gathered(shared + at.gathered),
          partial((float4 *)job.memory.partial +
                  ((size_t)row * job.blocks + block) * job.memory.block_tiles * 32)
    {
    }

    __device__ __forceinline__ uint32_t first_tile() const { return threadIdx.x / 32 / parts; }
    __device__ __forceinline__ uint32_t tile_stride() const { return JOB_WARPS / parts; }

    __device__ __forceinline__ const uint4 *packed(uint64_t matrix) const
    {
        return (const uint4 *)matrix + (size_t)block * tiles * job.slice * 2;
    }

    /* The first steps of each part. */
    __device__ __forceinline__ void keep(uint4 *to, uint64_t matrix, uint32_t kept) const
    {
        const uint32_t count = kept * 32;
        for (uint32_t n = 0; n < tiles * parts; n++)
#pragma unroll 4
            for (uint32_t i = threadIdx.x; i < count; i += JOB_THREADS)
                to[n * count + i] = __ldg(packed(matrix) + n * steps * 32 + i);
    }

    __device__ __forceinline__ void keep_weights() const
    {
        keep(kept_state, layer.w_state, job.memory.state_kept);
        if (!layer.ahead)
            keep(kept_input, layer.w_input, job.memory.input_kept);
    }

    /* Puts a slot's batch tile into shared memory as it comes. False: the watchdog. */
    __device__ __forceinline__ bool stage_slot(const float4 *from, uint32_t step, uint32_t what)
    {
        for (uint32_t first = threadIdx.x; first < positions; first += stage_ahead * JOB_THREADS) {
            float4 quad[stage_ahead];
#pragma unroll
            for (int i = 0; i < stage_ahead; i++)
                if (first + i * JOB_THREADS < positions)
                    quad[i] = quad_read(from + first + i * JOB_THREADS);
            stage_several(from, stage, first, quad, step, what);
        }
        return staged();
    }

    /* This warp's part of tile n. */
    __device__ __forceinline__ TileSums product(uint32_t n, uint32_t group_at, const uint4 *in_shared,
                                                uint64_t matrix, uint32_t kept) const
    {
        const uint32_t staged = half_shared(stage + group_at + part * steps * 16 + half_lane());
        const uint32_t at = n * parts + part;
        HalfSums<4> sums;
        sums.begin(make_float4(0.0f, 0.0f, 0.0f, 0.0f));
        half_product(sums, packed(matrix) + (at * steps + kept) * 32 + half_lane(), steps - kept,
                     staged + kept * 256);
        half_product(sums, in_shared + at * kept * 32 + half_lane(), kept, staged);
        return sums.all();
    }

    /* O U of a cell whose input is staged. */
    __device__ __forceinline__ void add_inputs()
    {
        for (uint32_t n = first_tile(); n < tiles; n += tile_stride()) {
            const Place place(job, block * tiles + n);
            const TileSums sums =
                product(n, place.group_at, kept_input, layer.w_input, job.memory.input_kept);
            if (n == first_tile())
                held = sums;
            else
                partial[n * 32 + half_lane()] = sums;
        }
    }

    /* Parts to the tile's first warp. All of them come: they are the warps of whole tiles. */
    __device__ __forceinline__ TileSums gather(uint32_t n, TileSums sums) const
    {
        if (parts == 1)
            return sums;
        float4 *const from = gathered + n * (parts - 1) * 32 + half_lane();
        if (part)
            from[(part - 1) * 32] = sums;
        asm volatile("bar.sync %0, %1;" : : "r"(n + 1), "r"(parts * 32) : "memory");
        for (uint32_t i = 0; i < parts - 1 && part == 0; i++)
            sums = half_add(sums, from[i * 32]);
        return sums;
    }

    /* -- cells -- */

    __device__ __forceinline__ float *c_at(const Place &place, uint32_t n, int cell, uint32_t tile) const
    {
        if (kept_c)
            return kept_c + ((tile * tiles + n) * cells + cell) * 32 + half_lane();
        const uint32_t b = tile * JOB_HALF_BATCH + place.sequence_of(cell);
        return (float *)layer.carry + (size_t)b * job.hidden + place.unit[place.unit_of(cell)];
    }

    __device__ __forceinline__ bool has_c(const Place &place, int cell, uint32_t tile) const
    {
        return layer.carry && place.exists[place.unit_of(cell)] &&
               tile * JOB_HALF_BATCH + place.sequence_of(cell) < job.batch;
    }

    __device__ __forceinline__ float2 before(const Place &place, uint32_t n, int cell, uint32_t step,
                                             uint32_t tile) const
    {
        const int i = place.unit_of(cell);
        const uint32_t sequence = place.sequence_of(cell);
        const float h = half_value(((const uint16_t *)(stage + place.position[i]))[sequence]);
        float c = 0.0f;
        if (has_c(place, cell, tile))
            c = step ? *c_at(place, n, cell, tile)
                     : half_c0(job, layer, tile * JOB_HALF_BATCH + sequence, place.unit[i]);
        return make_float2(c, place.exists[i] ? h : 0.0f);
    }

    __device__ __forceinline__ void after(const Place &place, uint32_t n, int cell, const HalfStep &at,
                                          float2 state) const
    {
        if (at.step + 1 == job.steps)
            half_end<Cell>(job, layer, place, cell, at.tile, state);
        else if (has_c(place, cell, at.tile))
            *c_at(place, n, cell, at.tile) = state.x;
    }

    /* Tile n's cells, of its first warp. */
    __device__ __forceinline__ void finish(const Place &place, uint32_t n, TileSums sums, HalfStep at) const
    {
        float2 state[cells];
        uint32_t length[cells];
        half_extra<Cell>(layer, place, at);
#pragma unroll
        for (int i = 0; i < cells; i++) {
            state[i] = before(place, n, i, at.step, at.tile);
            length[i] =
                __ldg((const uint32_t *)job.lengths + at.tile * JOB_HALF_BATCH + place.sequence_of(i));
        }
        half_finish<Cell>(job, layer, place, sums, length, at, state);
#pragma unroll
        for (int i = 0; i < cells; i++)
            after(place, n, i, at, state[i]);
    }

    /* S W and the cells of all tiles, whose state is staged. */
    __device__ __forceinline__ void finish_tiles(const HalfStep &at)
    {
        for (uint32_t n = first_tile(); n < tiles; n += tile_stride()) {
            const Place place(job, block * tiles + n);
            TileSums sums = product(n, place.group_at, kept_state, layer.w_state, job.memory.state_kept);
            if (!layer.ahead)
                sums = half_add(sums, n == first_tile() ? held : partial[n * 32 + half_lane()]);
            sums = gather(n, sums);
            if (part)
                continue;
            sums = half_add(sums, half_bias<Cell>(layer, place));
            if (layer.ahead)
                sums = half_add(sums, half_ahead<Cell>(job, layer, place, at.step, at.tile));
            finish(place, n, sums, at);
        }
    }
};

#endif
