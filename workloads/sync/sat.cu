/* Summed area table in one pass: A[i,j] = P[i,j] + A[i-1,j] + A[i,j-1] - A[i-1,j-1] [sync-thesis (6.1)]. A
 * tile needs its north and west neighbours and, through these, the one between them. */
#include "tiles.cuh"

struct Sum {
    enum { AHEAD = false };
    const unsigned *image;
    unsigned *table;
    Square square;

    __device__ unsigned own(int row, int column) const { return image[square.cell(row, column)]; }
    __device__ unsigned before(int row, int column) const { return __ldcg(&table[square.cell(row, column)]); }
    __device__ unsigned rest(const unsigned *cell) const { return *cell; }
    __device__ unsigned sum(unsigned rest, unsigned up, unsigned left, unsigned corner) const
    {
        return rest - corner + left + up;
    }
    __device__ void store(int row, int column, unsigned value) const
    {
        table[square.cell(row, column)] = value;
    }
};

#define PARAMETERS const unsigned *image, unsigned *table, Square square

/* A launch for every wave: a block for each of its tiles. */
TILE_KERNEL sat_rekl(PARAMETERS, int wave)
{
    __shared__ Chunk chunk;
    const int y = square.top(wave) + blockIdx.x;
    compute(Sum{image, table, square}, chunk, {wave - y, y}, crew_of_block());
}

/* A block for every tile, and a flag. */
TILE_KERNEL sat_flags(PARAMETERS, unsigned *flags)
{
    __shared__ Chunk chunk;
    const Spot spot = spot_of_block();
    unsigned *const own = &flags[square.rank(spot)];
    if (threadIdx.x == 0) {
        if (spot.x > 0)
            await(own - 1, 1);
        if (spot.y > 0)
            await(own - square.tiles, 1);
    }
    awaited();
    compute(Sum{image, table, square}, chunk, spot, crew_of_block());
    raise(own, 1);
}

extern "C" __global__ void sat_peerwave(PARAMETERS, Peers peers)
{
    sweep_bands(Sum{image, table, square}, square, peers, 1);
}

/* How many call wait and signal for a tile's event: its neighbours above and to the left, and itself. */
__device__ __forceinline__ unsigned callers(Spot spot) { return 1 + (spot.x > 0) + (spot.y > 0); }

/* A block for every tile; a tile waits for an event of its own number [fig. 36]. */
TILE_KERNEL sat_ws(PARAMETERS)
{
    __shared__ Chunk chunk;
    const Spot own = spot_of_block();
    if (callers(own) > 1)
        wb_wait(square.rank(own), callers(own));
    const Spot spot = spot_of_block(), east = {spot.x + 1, spot.y}, south = {spot.x, spot.y + 1};
    compute(Sum{image, table, square}, chunk, spot, crew_of_block());
    if (east.x < square.tiles)
        wb_signal(square.rank(east), callers(east));
    if (south.y < square.tiles)
        wb_signal(square.rank(south), callers(south));
}
