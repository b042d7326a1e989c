/* A seven-point stencil in space, from one cube into the other and back (Jacobi). Space is cold around.
 * Planes are parted among GPUs; those next to a GPU's own, its halo, are read from the memory of the GPUs
 * that have them. A block has columns of 32 x 8 cells, and some planes of them. */
#include "slabs.cuh"

constexpr int WIDTH = 32, ROWS = 8; /* of a block's threads; as the host has it */

/* Both products are exact, so that it does not matter whether they are rounded before they are added. */
__device__ __forceinline__ float relax(float own, float around) { return 0.25f * own + 0.125f * around; }

/* What a thread does in every iteration: some planes of a column. */
struct Share {
    int x, y, at;   /* of the column, and where it goes through a plane */
    int first, end; /* of the planes */

    __device__ Share(const Slabs &slabs)
    {
        const int each = (slabs.count + (int)gridDim.z - 1) / (int)gridDim.z;
        x = (int)blockIdx.x * WIDTH + (int)threadIdx.x;
        y = (int)blockIdx.y * ROWS + (int)threadIdx.y;
        at = y * slabs.size + x;
        first = (int)blockIdx.z * each;
        end = min(first + each, slabs.count);
    }
    __device__ bool has_top() const { return first == 0; }
    __device__ bool has_bottom(int count) const { return end == count && first < count; }

    /* `halo` is null where it has not been fetched. */
    __device__ void iterate(const Slabs &slabs, const Halo *halo) const
    {
        const int side = slabs.size;
        const size_t plane = (size_t)side * side;
        if (first >= end)
            return;
        const float *from = slabs.own[0] + first * plane;
        float *to = slabs.own[1] + first * plane;
        float up = first ? __ldcg(&from[at - (int)plane]) : halo ? halo->above : load(slabs.above[0], at);
        float own = __ldcg(&from[at]);
        for (int z = first; z < end; z++, from += plane, to += plane) {
            const float down = z + 1 < slabs.count ? __ldcg(&from[at + plane])
                               : halo              ? halo->below
                                                   : load(slabs.below[0], at);
            const float left = x ? __ldcg(&from[at - 1]) : 0.0f;
            const float right = x + 1 < side ? __ldcg(&from[at + 1]) : 0.0f;
            const float north = y ? __ldcg(&from[at - side]) : 0.0f;
            const float south = y + 1 < side ? __ldcg(&from[at + side]) : 0.0f;
            __stcg(&to[at], relax(own, ((up + down) + (left + right)) + (north + south)));
            up = own, own = down;
        }
    }
};

SLABS_KERNELS(stencil3d)
