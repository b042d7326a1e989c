/* Sweeps of successive over-relaxation in place: A[i,j] = A[i-1,j] + A[i,j-1] + B[i,j] + B[i+1,j] + B[i,j+1],
 * where B is what A was a sweep before [sync-thesis (6.2)]. The formula has no weights, so that values grow
 * without bound; they are taken modulo 2^32, which costs a GPU the same and makes results exact.
 *
 * In a sweep a tile needs its north and west neighbours of the same sweep, and its south and east neighbours
 * of the one before. So a tile of the sweep s is in wave x + y + 2 s, and sweeps follow each other closely. */
#include "tiles.cuh"

struct Relaxation {
    enum { AHEAD = true };
    unsigned *matrix;
    Square square;

    __device__ unsigned own(int row, int column) const { return __ldcg(&matrix[square.cell(row, column)]); }
    __device__ unsigned before(int row, int column) const { return own(row, column); }
    __device__ unsigned rest(const unsigned *cell) const
    {
        return cell[0] + cell[1] + cell[PITCH];
    }
    __device__ unsigned sum(unsigned rest, unsigned up, unsigned left, unsigned) const
    {
        return rest + left + up;
    }
    __device__ void store(int row, int column, unsigned value) const
    {
        matrix[square.cell(row, column)] = value;
    }
};

#define PARAMETERS unsigned *matrix, Square square

/* A launch for every wave of the sweeps from `sweep` to `end` - 1: a block for each of its tiles, those of
 * later sweeps behind those of earlier ones. */
TILE_KERNEL sor_rekl(PARAMETERS, int wave, int sweep, int end)
{
    __shared__ Chunk chunk;
    int index = blockIdx.x;
    for (; sweep + 1 < end && index >= square.in_wave(wave); sweep++, wave -= 2)
        index -= square.in_wave(wave);
    const int y = square.top(wave) + index;
    compute(Relaxation{matrix, square}, chunk, {wave - y, y}, crew_of_block());
}

/* A block for every tile, which goes through all sweeps; its flag says how many it has done. */
TILE_KERNEL sor_flags(PARAMETERS, int sweeps, unsigned *flags)
{
    __shared__ Chunk chunk;
#pragma unroll 1
    for (int sweep = 0; sweep < sweeps; sweep++) {
        const Spot spot = spot_of_block();
        unsigned *const own = &flags[square.rank(spot)];
        if (threadIdx.x == 0) {
            if (spot.x > 0)
                await(own - 1, sweep + 1);
            if (spot.y > 0)
                await(own - square.tiles, sweep + 1);
            if (spot.x + 1 < square.tiles)
                await(own + 1, sweep);
            if (spot.y + 1 < square.tiles)
                await(own + square.tiles, sweep);
        }
        awaited();
        compute(Relaxation{matrix, square}, chunk, spot, crew_of_block());
        raise(own, sweep + 1);
    }
}

extern "C" __global__ void sor_peerwave(PARAMETERS, int sweeps, Peers peers)
{
    sweep_bands(Relaxation{matrix, square}, square, peers, sweeps);
}

/* How many call wait and signal for a tile's event in a sweep: itself, its neighbours above and to the left,
 * and from the second sweep on those below and to the right. */
__device__ __forceinline__ unsigned callers(Square square, Spot spot, int sweep)
{
    const int before = (spot.x > 0) + (spot.y > 0);
    const int ahead = (spot.x + 1 < square.tiles) + (spot.y + 1 < square.tiles);
    return 1 + before + (sweep > 0 ? ahead : 0);
}

__device__ __forceinline__ void tell(Square square, Spot spot, int sweep)
{
    wb_signal(square.rank(spot), callers(square, spot, sweep));
}

/* A block for every tile, which goes through all sweeps. A tile waits for an event of its own number, which
 * the next sweep has again: neighbours signal for a sweep only when this tile has done the one before. */
TILE_KERNEL sor_ws(PARAMETERS, int sweeps)
{
    __shared__ Chunk chunk;
#pragma unroll 1
    for (int sweep = 0; sweep < sweeps; sweep++) {
        const bool is_last = sweep + 1 == sweeps;
        const Spot own = spot_of_block();
        if (callers(square, own, sweep) > 1)
            wb_wait(square.rank(own), callers(square, own, sweep));
        const Spot spot = spot_of_block();
        compute(Relaxation{matrix, square}, chunk, spot, crew_of_block());
        if (spot.x + 1 < square.tiles)
            tell(square, {spot.x + 1, spot.y}, sweep);
        if (spot.y + 1 < square.tiles)
            tell(square, {spot.x, spot.y + 1}, sweep);
        if (spot.x > 0 && !is_last)
            tell(square, {spot.x - 1, spot.y}, sweep + 1);
        if (spot.y > 0 && !is_last)
            tell(square, {spot.x, spot.y - 1}, sweep + 1);
    }
}
