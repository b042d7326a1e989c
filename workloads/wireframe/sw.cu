/* Smith-Waterman local alignment of two strings with a linear cost of gaps: every cell's best score of an
 * alignment that ends there. */
#include "wavefront.cuh"

constexpr int MATCH = 2, MISMATCH = -1, GAP = 1; /* as in the host's reference */

struct Alignment {
    typedef int Value;
    enum { LOOKS_AHEAD = false };
    const unsigned char *across, *down;
    int *scores;
    int width, height;

    __device__ int outside() const { return 0; }
    __device__ int above(int) const { return 0; }
    __device__ int computed(int index) const { return __ldcg(&scores[index]); }
    __device__ int own(int row, int column, int) const
    {
        return __ldg(&down[row]) == __ldg(&across[column]) ? MATCH : MISMATCH;
    }
    __device__ int next(const Around<int> &around) const
    {
        return max(max(0, around.corner + around.own), max(around.up, around.left) - GAP);
    }
    __device__ void store(int index, int score) const { __stcg(&scores[index], score); }
};

extern "C" __global__ void __maxnreg__(REGISTERS)
    sw(const unsigned char *across, const unsigned char *down, int *scores, Tiling tiling)
{
    const Tile tile = tile_of_block(tiling);
    if (is_warp_needed(tile))
        sweep(Alignment{across, down, scores, tiling.width, tiling.height}, tile);
}

NESTED(sw, (const unsigned char *across, const unsigned char *down, int *scores, Tiling tiling, int bytes),
       across, down, scores)
