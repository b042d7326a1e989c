/* Ways to place n queens: an item is a board with queens in its first rows, its parts are the columns of the
 * next row. Boards of `spawned` rows have one part: the count of all ways to place the rest, by one thread.
 * A board is three words of bits, columns and diagonals that are taken, and its rows. */
#include "frontier.cuh"

constexpr unsigned UP = 16; /* what diagonals that fall are shifted up by, to have room below */

/* As the host has it. */
struct Problem {
    typedef uint4 Item;
    enum { LEAST = 2, RECURSIVE = true };
    unsigned *ways;
    unsigned n, spawned;

    __device__ unsigned fixed() const { return 0; }
    __device__ unsigned width(uint4 board) const { return board.w == spawned ? 1 : n; }
    __device__ unsigned free_columns(uint4 board) const
    {
        return ((1u << n) - 1) & ~(board.x | board.y | board.z >> UP);
    }
    static __device__ uint4 place(uint4 board, unsigned bit)
    {
        return make_uint4(board.x | bit, (board.y | bit) << 1, (board.z | bit << UP) >> 1, board.w + 1);
    }
    static __device__ uint4 take_off(uint4 board, unsigned bit)
    {
        return make_uint4(board.x ^ bit, board.y >> 1 ^ bit, board.z << 1 ^ bit << UP, board.w - 1);
    }
    /* Each turn places a queen in the first free column, or takes the last one off. */
    __device__ __noinline__ unsigned count(uint4 board) const
    {
        const unsigned first = board.w;
        unsigned long long placed = 0; /* columns of the queens placed here, four bits each */
        unsigned free = free_columns(board), found = 0;
        for (;;) {
            const bool places = free != 0;
            if (!places && board.w == first)
                return found;
            const unsigned bit = places ? free & -free : 1u << (placed & 15);
            board = places ? place(board, bit) : take_off(board, bit);
            placed = places ? placed << 4 | (__ffs(bit) - 1) : placed >> 4;
            free = free_columns(board) & (places ? ~0u : ~(2 * bit - 1));
            found += places && board.w == n;
        }
    }
    template <class Made>
    __device__ __forceinline__ void work(uint4 board, unsigned begin, unsigned end, unsigned step, int,
                                         Made made) const
    {
        if (board.w == spawned) {
            atomicAdd(ways, count(board));
            return;
        }
        const unsigned free = free_columns(board);
#pragma unroll 1
        for (unsigned column = begin; column < end; column += step)
            if (free >> column & 1)
                made(place(board, 1u << column));
    }
};

FRONTIER(tree)

/* A board is an element of the channel of its rows. */
extern "C" __global__ void tree_flow(Problem p)
{
    const unsigned channel = wb_source(), offset = wb_source_offset();
    const uint4 *element = deq(channel, offset);
    const uint4 board = *element;
    p.work(board, 0, p.width(board), 1, 0, [=](uint4 made) {
        uint4 *next = talloc(channel + 1, 1);
        *next = made;
        enq_n(channel + 1, next, 1);
    });
    tfree(channel, offset);
}
