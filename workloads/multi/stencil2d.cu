/* A five-point stencil in the plane, from one matrix into the other and back (Jacobi). The plane is cold
 * around. Its rows are parted among GPUs; the rows next to a GPU's own, its halo, are read from the memory of
 * the GPUs that have them. A block has a tile of 64 columns. */
#include "slabs.cuh"

constexpr int WIDTH = 64, ROWS = 4; /* of a block's threads; as the host has it */

/* Both products are exact, so that it does not matter whether they are rounded before they are added. */
__device__ __forceinline__ float relax(float own, float up, float left, float right, float down)
{
    return 0.5f * own + 0.125f * ((up + left) + (right + down));
}

/* What a thread does in every iteration: every fourth row of a tile's column. */
struct Share {
    int at;         /* the column */
    int first, end; /* of the rows */

    __device__ Share(const Slabs &slabs)
    {
        const int each = (slabs.count + (int)gridDim.y - 1) / (int)gridDim.y;
        const int begin = (int)blockIdx.y * each;
        at = (int)blockIdx.x * WIDTH + (int)threadIdx.x;
        first = begin + (int)threadIdx.y;
        end = min(begin + each, slabs.count);
    }
    __device__ bool has_top() const { return first == 0; }
    __device__ bool has_bottom(int count) const
    {
        return end == count && first < count && (count - 1 - first) % ROWS == 0;
    }
    /* `halo` is null where it has not been fetched. */
    __device__ void iterate(const Slabs &slabs, const Halo *halo) const
    {
        const int x = at, width = slabs.size;
        for (int y = first; y < end; y += ROWS) {
            const float *row = slabs.own[0] + (size_t)y * width;
            const float up = y ? __ldcg(&row[x - width]) : halo ? halo->above : load(slabs.above[0], x);
            const float down = y + 1 < slabs.count ? __ldcg(&row[x + width])
                               : halo              ? halo->below
                                                   : load(slabs.below[0], x);
            const float left = x ? __ldcg(&row[x - 1]) : 0.0f;
            const float right = x + 1 < width ? __ldcg(&row[x + 1]) : 0.0f;
            __stcg(&slabs.own[1][(size_t)y * width + x], relax(__ldcg(&row[x]), up, left, right, down));
        }
    }
};

SLABS_KERNELS(stencil2d)
