/* LU decomposition in place, without pivoting, in tiles of 16 x 16 [Rodinia's lud; sync-thesis §6.2, figs 39
 * and 40]. In step k the diagonal tile (k, k) is decomposed; then the perimeter, tiles to the right of it and
 * below it, which need it; then every internal tile (x, y), x and y > k, which needs the two of the perimeter
 * in its column and in its row.
 *
 * A tile of 16 x 16 threads has an element each. Whoever has a tile when, an element sees its operations in
 * the same order: minus l * u of every step before, and at last a division by the diagonal. */
#include "barriers.cuh"

constexpr int SIDE = 16, CELLS = SIDE * SIDE;
/* Of kernels with a block for a tile: registers for as many blocks as an SM has threads for. */
#define TILE_KERNEL extern "C" __global__ void __launch_bounds__(CELLS, 8)
constexpr int MOST_AT_ONCE = 4; /* tiles that a persistent block has at once, as the host has it */

typedef float Tile[SIDE][SIDE + 1];

/* A thread's place in its tile. */
struct Place {
    int row, column;
};
__device__ __forceinline__ Place place()
{
    return {(int)threadIdx.x % CELLS / SIDE, (int)threadIdx.x % SIDE};
}

/* As the host has it: a matrix of so many tiles on each side. */
struct Square {
    int tiles;

    __device__ size_t cell(int x, int y) const
    {
        return (size_t)(y * SIDE + place().row) * (tiles * SIDE) + x * SIDE + place().column;
    }
};

/* What other blocks may have written is read past the L1 cache. */
__device__ __forceinline__ float load(const float *matrix, Square square, int x, int y)
{
    return __ldcg(&matrix[square.cell(x, y)]);
}

/* -- the three kinds of tiles; `own` is the thread's element. Tiles in shared memory are read between
 *    barriers that their callers have put there, and all threads of the block come -- */

__device__ __forceinline__ float decompose(Tile &tile, float own)
{
    const Place at = place();
    tile[at.row][at.column] = own;
    __syncthreads();
#pragma unroll 1
    for (int p = 0; p + 1 < SIDE; p++) {
        if (at.row > p && at.column == p)
            tile[at.row][p] = own = own / tile[p][p];
        __syncthreads();
        if (at.row > p && at.column > p)
            tile[at.row][at.column] = own = fmaf(-tile[at.row][p], tile[p][at.column], own);
        __syncthreads();
    }
    return own;
}

/* To the right of the diagonal tile. */
__device__ __forceinline__ float solve_right(Tile &tile, const Tile &diagonal, float own)
{
    const Place at = place();
    tile[at.row][at.column] = own;
    __syncthreads();
#pragma unroll 1
    for (int p = 0; p + 1 < SIDE; p++) {
        if (at.row > p)
            tile[at.row][at.column] = own = fmaf(-diagonal[at.row][p], tile[p][at.column], own);
        __syncthreads();
    }
    return own;
}

/* Below it. */
__device__ __forceinline__ float solve_below(Tile &tile, const Tile &diagonal, float own)
{
    const Place at = place();
#pragma unroll 1
    for (int p = 0; p < SIDE; p++) {
        if (at.column == p)
            tile[at.row][p] = own = own / diagonal[p][p];
        __syncthreads();
        if (at.column > p)
            own = fmaf(-tile[at.row][p], diagonal[p][at.column], own);
    }
    return own;
}

__device__ __forceinline__ float multiply(const Tile &below, const Tile &right, float own)
{
    const Place at = place();
#pragma unroll
    for (int p = 0; p < SIDE; p++)
        own = fmaf(-below[at.row][p], right[p][at.column], own);
    return own;
}

/* -- steps of a block that has one tile -- */

struct Tiles {
    Tile own, below, right;
};

__device__ __forceinline__ float internal_step(Tiles &tiles, const float *matrix, Square square, int x, int y,
                                               int k, float own)
{
    const Place at = place();
    const float below = load(matrix, square, k, y), right = load(matrix, square, x, k);
    __syncthreads(); /* the step before has been read */
    tiles.below[at.row][at.column] = below;
    tiles.right[at.row][at.column] = right;
    __syncthreads();
    return multiply(tiles.below, tiles.right, own);
}

/* Of the perimeter. */
__device__ __forceinline__ float last_step(Tiles &tiles, const float *matrix, Square square, int x, int y,
                                           float own)
{
    const Place at = place();
    const int k = min(x, y);
    const float diagonal = load(matrix, square, k, k);
    __syncthreads();
    tiles.below[at.row][at.column] = diagonal;
    __syncthreads();
    return x > y ? solve_right(tiles.own, tiles.below, own) : solve_below(tiles.own, tiles.below, own);
}

/* -- repeated kernel launch: three kernels a step, a block for every tile of the kind -- */

#define PARAMETERS float *matrix, Square square

TILE_KERNEL lud_diagonal(PARAMETERS, int k)
{
    __shared__ Tile tile;
    matrix[square.cell(k, k)] = decompose(tile, load(matrix, square, k, k));
}

TILE_KERNEL lud_perimeter(PARAMETERS, int k)
{
    __shared__ Tiles tiles;
    const int away = k + 1 + blockIdx.x / 2;
    const int x = blockIdx.x % 2 ? k : away, y = blockIdx.x % 2 ? away : k;
    matrix[square.cell(x, y)] = last_step(tiles, matrix, square, x, y, load(matrix, square, x, y));
}

TILE_KERNEL lud_internal(PARAMETERS, int k)
{
    __shared__ Tiles tiles;
    const int x = k + 1 + blockIdx.x, y = k + 1 + blockIdx.y;
    const float own = load(matrix, square, x, y);
    matrix[square.cell(x, y)] = internal_step(tiles, matrix, square, x, y, k, own);
}

/* -- one launch: a block has a tile until it is done, and waits for those that it needs -- */

/* Until the number there is at least this one. */
__device__ __forceinline__ void await(const unsigned *flag, unsigned least)
{
    if (threadIdx.x == 0) {
        while (poll(flag) < least) {
        }
        __threadfence();
    }
    __syncthreads();
}

/* Flags in memory, one for each tile. */
struct Flags {
    unsigned *flags;
    int tiles;

    __device__ void begin_step(int) {}
    __device__ void wait_perimeter(int x, int y, int k)
    {
        await(&flags[k * tiles + x], 1);
        await(&flags[y * tiles + k], 1);
    }
    __device__ void wait_diagonal(int k) { await(&flags[k * tiles + k], 1); }
    __device__ void done(int x, int y) { raise(&flags[y * tiles + x], 1); }
};

/* Events, one for each tile, or one for every `group` tiles side by side in a step's row or column [§6.1.1]:
 * then who needs one of them waits for all. Those of a step are numbered from `first` on: that of the
 * diagonal, then groups to the right, then groups below. All that call wait or signal for an event are the
 * tiles of its group and those that need one of them. */
struct Events {
    int tiles, group;
    int first;

    __device__ int groups(int k) const { return (tiles - 1 - k + group - 1) / group; }
    __device__ void begin_step(int k) { first = k == 0 ? 0 : first + 1 + 2 * groups(k - 1); }
    __device__ unsigned right(int x, int k) const { return first + 1 + (x - k - 1) / group; }
    __device__ unsigned below(int y, int k) const { return first + 1 + groups(k) + (y - k - 1) / group; }
    /* Of the group of the tile that lies `away` tiles from the diagonal: as many tiles need each. */
    __device__ unsigned callers(int away, int k) const
    {
        const int members = min(group, tiles - 1 - k - (away - 1) / group * group);
        return members * (tiles - k);
    }
    __device__ unsigned diagonal_callers(int k) const { return 1 + 2 * (tiles - 1 - k); }
    __device__ void wait_perimeter(int x, int y, int k)
    {
        wb_wait(right(x, k), callers(x - k, k));
        wb_wait(below(y, k), callers(y - k, k));
    }
    __device__ void wait_diagonal(int k) { wb_wait(first, diagonal_callers(k)); }
    __device__ void done(int x, int y)
    {
        if (x > y)
            wb_signal(right(x, y), callers(x - y, y));
        else if (x < y)
            wb_signal(below(y, x), callers(y - x, x));
        else if (x + 1 < tiles)
            wb_signal(first, diagonal_callers(x));
    }
};

/* The three kernels combined [fig. 40 (b)]: the tile is loaded to shared memory while those that it needs are
 * under way [§6.4.3], and stays there until it is done. */
template <class Order> __device__ __forceinline__ void combined(PARAMETERS, Order order)
{
    __shared__ Tiles tiles;
    int x = blockIdx.x, y = blockIdx.y;
    const int last = min(x, y);
    const Place at = place();
    float own;
    tiles.own[at.row][at.column] = load(matrix, square, x, y);
#pragma unroll 1
    for (int k = 0; k < last; k++) {
        asm volatile("" : "+r"(x), "+r"(y)); /* no addresses are kept in registers while the block waits */
        order.begin_step(k);
        order.wait_perimeter(x, y, k);
        own = tiles.own[at.row][at.column];
        tiles.own[at.row][at.column] = internal_step(tiles, matrix, square, x, y, k, own);
    }
    order.begin_step(last);
    own = tiles.own[at.row][at.column];
    if (x == y) {
        own = decompose(tiles.own, own);
    } else {
        order.wait_diagonal(last);
        own = last_step(tiles, matrix, square, x, y, own);
    }
    matrix[square.cell(x, y)] = own;
    order.done(x, y);
}

TILE_KERNEL lud_flags(PARAMETERS, unsigned *flags)
{
    combined(matrix, square, Flags{flags, square.tiles});
}

TILE_KERNEL lud_ws(PARAMETERS, int group)
{
    combined(matrix, square, Events{square.tiles, group, 0});
}

/* -- persistent threads: PeerWave without hyperplanes, rows to SMs
 *    [Belviranli et al., PeerWave, ICS 2015; sync-thesis §6.4.3] -- */

/* As the host has it. */
struct Peers {
    unsigned *progress; /* of each row: tiles from the left that are done; zeroed before */
    int at_once;        /* tiles that a block has at once */
    int interval;       /* how often so many between two looks at another row's progress, and two words */
};

/* The block's tiles, each of 256 threads of it. `x` may lie behind the row: then its threads only come to
 * barriers. */
struct Team {
    float *matrix;
    Square square;
    Peers peers;
    Tiles *tiles; /* [at_once]; `below` of the first, `own` and `right` of all are in use */
    int y;

    __device__ int part() const { return threadIdx.x / CELLS; }

    /* The tiles of the row from `begin` to `end` - 1 in step k: internal ones, or those to the right of the
     * diagonal. The row's tile in column k is shared. */
    __device__ void advance(int begin, int end, int k)
    {
        const Place at = place();
        for (int first = begin; first < end; first += peers.at_once) {
            const int x = first + part();
            const bool is_tile = x < end;
            Tiles &mine = tiles[part()];
            float own = is_tile ? load(matrix, square, x, y) : 0.0f;
            if (y > k) {
                __syncthreads();
                mine.right[at.row][at.column] = is_tile ? load(matrix, square, x, k) : 0.0f;
                __syncthreads();
                own = multiply(tiles[0].below, mine.right, own);
            } else {
                own = solve_right(mine.own, tiles[0].below, own);
                __syncthreads();
            }
            if (is_tile)
                matrix[square.cell(x, y)] = own;
        }
    }

    /* Puts a tile, whose elements the first threads have, where all of the block see it. */
    __device__ void share(float value)
    {
        const Place at = place();
        __syncthreads();
        if (part() == 0)
            tiles[0].below[at.row][at.column] = value;
        __syncthreads();
    }

    /* The row's tile in column k: it needs the diagonal tile above it. */
    __device__ void column_step(int k)
    {
        await(&peers.progress[k], k + 1);
        share(load(matrix, square, k, k));
        const float own = solve_below(tiles[part()].own, tiles[0].below, load(matrix, square, k, y));
        share(own);
        if (part() == 0)
            matrix[square.cell(k, y)] = own;
    }

    __device__ void diagonal_step()
    {
        const float own = decompose(tiles[part()].own, load(matrix, square, y, y));
        share(own);
        if (part() == 0)
            matrix[square.cell(y, y)] = own;
        raise(&peers.progress[y], y + 1);
    }

    __device__ void row()
    {
        const int batch = peers.at_once * peers.interval;
        for (int k = 0; k <= y; k++) {
            if (k < y)
                column_step(k);
            else
                diagonal_step();
            for (int first = k + 1; first < square.tiles; first += batch) {
                const int end = min(first + batch, square.tiles);
                if (k < y)
                    await(&peers.progress[k], end);
                advance(first, end, k);
                if (k == y)
                    raise(&peers.progress[y], end);
            }
        }
    }
};

extern "C" __global__ void __launch_bounds__(MOST_AT_ONCE *CELLS) lud_peerwave(PARAMETERS, Peers peers)
{
    __shared__ Tiles tiles[MOST_AT_ONCE];
    for (int y = blockIdx.x; y < square.tiles; y += gridDim.x)
        Team{matrix, square, peers, tiles, y}.row();
}
