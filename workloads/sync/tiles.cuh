/* What SAT and SOR have in common: a matrix of words in which a cell needs its upper and left neighbours, cut
 * into tiles of 16 x 16 cells [sync-thesis §6.1.1, fig. 35 (a)].
 *
 * A block of 16 x 16 threads has a tile. Its threads read a cell each into shared memory, one warp computes
 * the tile along its antidiagonals, a lane for a row, and all write a cell each. In the persistent mode a
 * block has a band of rows of tiles, a warp for each, and a warp is a tile behind the one above it.
 *
 * The matrix has a frame of zeroes, so that no cell is a special case. What other blocks may have written is
 * read past the L1 cache. */
#ifndef SYNC_TILES_CUH
#define SYNC_TILES_CUH

#include "barriers.cuh"

constexpr int LANES = 32, SIDE = 16, CELLS = SIDE * SIDE;
constexpr int MOST_STRIPS = 8; /* rows of tiles in a band, as the host has it */
constexpr int FRAME = 8;       /* words to the left and to the right of a row: a sector */

/* Of kernels with a block for a tile: registers for as many blocks as an SM has threads for. */
#define TILE_KERNEL extern "C" __global__ void __launch_bounds__(CELLS, 8)

/* A tile with the cells around it; row 0 and column 0 lie above and to the left. What lies behind may be
 * read, but is not used. */
constexpr int PITCH = SIDE + 2;
typedef unsigned Chunk[SIDE + 3][PITCH];

struct Spot {
    int x, y; /* in tiles */
};

/* The same, but unknown to the compiler: what follows from it is computed again, not kept in registers while
 * the block waits. */
__device__ __forceinline__ Spot again(Spot spot)
{
    asm volatile("" : "+r"(spot.x), "+r"(spot.y));
    return spot;
}
__device__ __forceinline__ Spot spot_of_block() { return again({(int)blockIdx.x, (int)blockIdx.y}); }

/* As the host has it: tiles on each side of the matrix. */
struct Square {
    int tiles;

    __device__ int pitch() const { return tiles * SIDE + 2 * FRAME; }
    __device__ size_t cell(int row, int column) const
    {
        return (size_t)(row + 1) * pitch() + column + FRAME;
    }
    __device__ int rank(Spot spot) const { return spot.y * tiles + spot.x; }
    __device__ int waves() const { return 2 * tiles - 1; }
    /* Of the tiles with x + y = wave. */
    __device__ int top(int wave) const { return max(0, wave - (tiles - 1)); }
    __device__ int in_wave(int wave) const
    {
        return wave < 0 || wave >= waves() ? 0 : min(wave, tiles - 1) - top(wave) + 1;
    }
};

/* The threads that have a tile together: a block of 16 x 16, or a warp. */
struct Crew {
    int rank, count;
};
__device__ __forceinline__ Crew crew_of_block() { return {(int)threadIdx.x, CELLS}; }
__device__ __forceinline__ Crew crew_of_warp() { return {(int)threadIdx.x % LANES, LANES}; }

__device__ __forceinline__ void meet(Crew crew)
{
    if (crew.count == LANES)
        __syncwarp();
    else
        __syncthreads();
}

/* `Cells` is a class with
 *   AHEAD                                 whether rest() uses cells below and to the right
 *   unsigned own(int row, int column)     of a cell that is not computed yet
 *   unsigned before(int row, int column)  of a cell above or to the left
 *   unsigned rest(const unsigned *cell)   what a cell in a chunk has of cells that are not computed yet
 *   unsigned sum(unsigned rest, unsigned up, unsigned left, unsigned corner)   its value
 *   void store(int row, int column, unsigned) */
template <class Cells>
__device__ __forceinline__ void stage(const Cells &cells, Chunk &chunk, Spot spot, Crew crew)
{
    const int row = spot.y * SIDE, column = spot.x * SIDE;
    unsigned values[CELLS / LANES];
#pragma unroll
    for (int i = 0; i < CELLS / LANES; i++) {
        const int at = crew.rank + i * crew.count;
        if (at < CELLS)
            values[i] = cells.own(row + at / SIDE, column + at % SIDE);
    }
    for (int at = crew.rank; at < 4 * SIDE + 1; at += crew.count) {
        const int i = at % SIDE;
        if (at < SIDE)
            chunk[0][i + 1] = cells.before(row - 1, column + i);
        else if (at < 2 * SIDE)
            chunk[i + 1][0] = cells.before(row + i, column - 1);
        else if (at == 4 * SIDE)
            chunk[0][0] = cells.before(row - 1, column - 1);
        else if (Cells::AHEAD && at < 3 * SIDE)
            chunk[SIDE + 1][i + 1] = cells.own(row + SIDE, column + i);
        else if (Cells::AHEAD)
            chunk[i + 1][SIDE + 1] = cells.own(row + i, column + SIDE);
    }
#pragma unroll
    for (int i = 0; i < CELLS / LANES; i++) {
        const int at = crew.rank + i * crew.count;
        if (at < CELLS)
            chunk[at / SIDE + 1][at % SIDE + 1] = values[i];
    }
}

/* One warp, a lane for a row: in a step a lane is a column behind the lane above it, whose last value it gets
 * from that lane. Nothing else of a step waits for the one before: cells that are not computed yet are read a
 * step ahead, before the lane below writes them a step later. No lane branches: one that has no cell in a step
 * computes with what lies beside its row, and writes to the chunk's last corner, which nobody reads. */
template <class Cells> __device__ __forceinline__ void pass_diagonals(const Cells &cells, Chunk &chunk)
{
    constexpr int NEVER = 4 * SIDE;
    const int lane = threadIdx.x % LANES, row = lane % SIDE + 1, y = lane < SIDE ? lane : NEVER;
    const unsigned first_left = chunk[row][0], first_corner = chunk[row - 1][0];
    unsigned *const own = &chunk[row][1 - lane % SIDE], *const nowhere = &chunk[SIDE + 1][SIDE + 1];
    unsigned value = 0, above = 0, rest = cells.rest(own);
#pragma unroll 8
    for (int step = 0; step < 2 * SIDE; step++) { /* the last one does nothing, but makes their number even */
        const unsigned next = cells.rest(own + step + 1), edge = (&chunk[0][0])[step + 1];
        const unsigned shifted = __shfl_up_sync(~0u, value, 1), up = y == 0 ? edge : shifted;
        const unsigned left = y == step ? first_left : value, corner = y == step ? first_corner : above;
        value = cells.sum(rest, up, left, corner);
        *((unsigned)(step - y) < SIDE ? own + step : nowhere) = value;
        above = up;
        rest = next;
    }
}

template <class Cells>
__device__ __forceinline__ void compute(const Cells &cells, Chunk &chunk, Spot spot, Crew crew)
{
    stage(cells, chunk, spot, crew);
    meet(crew);
    if (crew.rank < LANES)
        pass_diagonals(cells, chunk);
    meet(crew);
#pragma unroll
    for (int at = crew.rank; at < CELLS; at += crew.count)
        cells.store(spot.y * SIDE + at / SIDE, spot.x * SIDE + at % SIDE,
                    chunk[at / SIDE + 1][at % SIDE + 1]);
}

/* -- flags in memory, polled by one thread -- */

/* Until the number there is at least this one. */
__device__ __forceinline__ void await(const unsigned *flag, unsigned least)
{
    while (poll(flag) < least) {
    }
}

/* Behind waiting: all threads of the block see what was written before the flags were. */
__device__ __forceinline__ void awaited()
{
    if (threadIdx.x == 0)
        __threadfence();
    __syncthreads();
}

/* -- persistent threads: PeerWave without hyperplanes, bands to SMs
 *    [Belviranli et al., PeerWave, ICS 2015; sync-thesis §6.4.3] -- */

/* As the host has it. */
struct Peers {
    unsigned *progress; /* of each band: steps that are done, of all sweeps; zeroed before */
    int strips;         /* rows of tiles in a band: warps of a block */
    int interval;       /* steps between two looks at the neighbours' progress, and two words of one's own */
};

/* In a step every warp of a band has a tile; the band's last row is `strips` - 1 steps behind its first. */
template <class Cells>
__device__ __forceinline__ void band_step(const Cells &cells, Chunk *chunks, Square square, int band,
                                          int strips, int step)
{
    const int warp = threadIdx.x / LANES, x = step - warp, y = band * strips + warp;
    if (x >= 0 && x < square.tiles && y < square.tiles)
        compute(cells, chunks[warp], {x, y}, crew_of_warp());
    __syncthreads();
}

/* Before the steps [step, end) of a sweep: those of the band above that they need, and those of the sweep
 * before of the band below. */
__device__ __forceinline__ void await_peers(Peers peers, Square square, int bands, int band, int sweep,
                                            int step, int end, bool ahead)
{
    const int steps = square.tiles + peers.strips - 1, last = min(end - 1, square.tiles - 1);
    const int below = min(end - peers.strips, square.tiles - 1);
    if (threadIdx.x == 0) {
        if (band > 0 && step < square.tiles)
            await(&peers.progress[band - 1], sweep * steps + last + peers.strips);
        if (ahead && sweep > 0 && band + 1 < bands && below >= 0)
            await(&peers.progress[band + 1], (sweep - 1) * steps + below + 1);
    }
    awaited();
}

template <class Cells>
__device__ __forceinline__ void sweep_bands(const Cells &cells, Square square, Peers peers, int sweeps)
{
    __shared__ Chunk chunks[MOST_STRIPS];
    const int bands = (square.tiles + peers.strips - 1) / peers.strips;
    const int steps = square.tiles + peers.strips - 1;
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (int band = blockIdx.x; band < bands; band += gridDim.x)
            for (int step = 0; step < steps; step += peers.interval) {
                const int end = min(step + peers.interval, steps);
                await_peers(peers, square, bands, band, sweep, step, end, Cells::AHEAD);
                for (int i = step; i < end; i++)
                    band_step(cells, chunks, square, band, peers.strips, i);
                raise(&peers.progress[band], sweep * steps + end);
            }
}

#endif
