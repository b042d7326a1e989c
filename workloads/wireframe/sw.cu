/* Smith-Waterman local alignment of two strings with a linear cost of gaps: every cell's best score of an
 * alignment that ends there. */
#include "wavefront.cuh"

constexpr int MATCH = 2, MISMATCH = -1, GAP = 1; /* as in the host's reference */

struct Alignment {
    typedef int Value;
    enum { USES_OWN = false, LOOKS_AHEAD = false };
    const unsigned char *across, *down;
    int *scores;
    int width;

    __device__ int before(int row, int column) const
    {
        return row < 0 || column < 0 ? 0 : __ldcg(&scores[(size_t)row * width + column]);
    }
    __device__ int own(int, int) const { return 0; }
    __device__ int next(const Around<int> &around, int row, int column) const
    {
        const int aligned = around.corner + (down[row] == across[column] ? MATCH : MISMATCH);
        return max(max(0, aligned), max(around.up, around.left) - GAP);
    }
    __device__ void store(int row, int column, int score) const
    {
        scores[(size_t)row * width + column] = score;
    }
};

extern "C" __global__ void sw(const unsigned char *across, const unsigned char *down, int *scores,
                              Tiling tiling)
{
    sweep(Alignment{across, down, scores, tiling.width}, tile_of_block(tiling));
}

NESTED(sw, (const unsigned char *across, const unsigned char *down, int *scores, Tiling tiling, int threads),
       across, down, scores)
