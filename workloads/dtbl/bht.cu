/* Forces between bodies by a Barnes-Hut tree. The kernels are those of Burtscher and Pingali (GPU Computing
 * Gems, Emerald Edition, 2011): the bounding box, a tree of cells built by inserting all bodies at once,
 * centres of mass from the leaves up, bodies sorted by place in the tree, forces. Their sixth, which moves
 * the bodies, is left out: one step is taken.
 *
 * As published, the 32 bodies of a warp, neighbours after the sort, go through the tree together and open a
 * cell if one of them is too near to it. Flat, the warp keeps a stack and opens one cell after the other;
 * launched, a cell with enough bodies in it becomes a block of one warp, which goes through that part of the
 * tree for the same 32 bodies. So all ways take the same pulls into account, and these are added up in fixed
 * point, in which order does not matter.
 *
 * Bodies are nodes 0 to bodies - 1; cells follow, the root first. */
#include "launch.cuh"

constexpr unsigned WARP = 32, CHILDREN = 8, FORCE_WARPS = 4, DEPTH = 32, ALL_LANES = 0xffffffffu;
constexpr int EMPTY = -1, LOCKED = -2;

/* Laid out as the host has it. */
struct Tree {
    float4 *nodes;       /* x, y, z and mass; of a cell the centre of mass, and no mass until that is known */
    int *children;       /* CHILDREN a cell: a node, EMPTY, or LOCKED while a thread inserts there */
    unsigned *bodies_in; /* of a cell */
    int *starts;         /* of a cell: where its bodies begin after the sort; EMPTY until that is known */
    unsigned *sorted;    /* bodies by place in the tree */
    int *forces;         /* on bodies: all x, all y, all z */
    int *box;            /* lowest x, y, z, then highest, as order() has them */
    unsigned *cells;     /* taken so far */
    unsigned bodies, capacity;
};

/* A number's bits as an integer that compares as the number does; its own inverse. */
__device__ __forceinline__ int order(int bits) { return bits ^ (bits >> 31 & 0x7fffffff); }

extern "C" __global__ void bound(Tree tree)
{
    const unsigned body = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 at = tree.nodes[min(body, tree.bodies - 1)];
    const float axes[3] = {at.x, at.y, at.z};
    for (int axis = 0; axis < 3; axis++) {
        int low = order(__float_as_int(axes[axis])), high = low;
        for (unsigned apart = WARP / 2; apart; apart /= 2) {
            low = min(low, __shfl_xor_sync(ALL_LANES, low, apart));
            high = max(high, __shfl_xor_sync(ALL_LANES, high, apart));
        }
        if (threadIdx.x % WARP == 0) {
            atomicMin(&tree.box[axis], low);
            atomicMax(&tree.box[3 + axis], high);
        }
    }
}

/* The cube of a cell: its middle and half its side. */
struct Cube {
    float x, y, z, half;
};

__device__ __forceinline__ Cube root_cube(const Tree &tree)
{
    float low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = __int_as_float(order(tree.box[axis]));
        high[axis] = __int_as_float(order(tree.box[3 + axis]));
    }
    const float side = fmaxf(fmaxf(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    return {0.5f * (low[0] + high[0]), 0.5f * (low[1] + high[1]), 0.5f * (low[2] + high[2]), 0.5f * side};
}

__device__ __forceinline__ unsigned octant(const Cube &cube, const float4 &at)
{
    return (cube.x < at.x) + 2 * (cube.y < at.y) + 4 * (cube.z < at.z);
}

__device__ __forceinline__ Cube octant_cube(const Cube &cube, unsigned octant)
{
    const float half = 0.5f * cube.half;
    return {cube.x + (octant & 1 ? half : -half), cube.y + (octant & 2 ? half : -half),
            cube.z + (octant & 4 ? half : -half), half};
}

/* Puts a body beside another one: cells are taken until the two lie in different octants. The first of those
 * cells. */
__device__ __forceinline__ int part(const Tree &tree, Cube cube, unsigned body, const float4 &at, int other)
{
    const float4 other_at = tree.nodes[other];
    int first = EMPTY;
    for (int slot = 0;;) {
        const unsigned cell = atomicAdd(tree.cells, 1);
        if (cell >= tree.capacity)
            __trap();
        if (first == EMPTY)
            first = tree.bodies + cell;
        else
            tree.children[slot] = tree.bodies + cell;
        const unsigned own = octant(cube, at), others = octant(cube, other_at);
        slot = cell * CHILDREN + own;
        if (own != others) {
            tree.children[cell * CHILDREN + others] = other;
            tree.children[slot] = body;
            return first;
        }
        cube = octant_cube(cube, own);
    }
}

/* A thread tries to insert its body once in each turn of the loop, so that a lane which holds a lock gives it
 * back before others of its warp try again: where lanes that part run one after the other, waiting for it in
 * an inner loop would last forever. */
extern "C" __global__ void build(Tree tree)
{
    const Cube root = root_cube(tree);
    unsigned body = blockIdx.x * blockDim.x + threadIdx.x;
    while (body < tree.bodies) {
        const float4 at = tree.nodes[body];
        Cube cube = root;
        unsigned cell = 0, to = octant(cube, at);
        int child = *(volatile int *)&tree.children[to];
        while (child >= (int)tree.bodies) {
            cell = child - tree.bodies;
            cube = octant_cube(cube, to);
            to = octant(cube, at);
            child = *(volatile int *)&tree.children[cell * CHILDREN + to];
        }
        int *slot = &tree.children[cell * CHILDREN + to];
        if (child != LOCKED && atomicCAS(slot, child, LOCKED) == child) {
            const int put = child == EMPTY ? body : part(tree, octant_cube(cube, to), body, at, child);
            __threadfence();
            *(volatile int *)slot = put;
            body += gridDim.x * blockDim.x;
        }
    }
}

/* A cell's centre of mass as far as it has been worked out: children before `next` are in it. */
struct Summary {
    float x, y, z, mass;
    unsigned bodies_in, next;
};

/* Takes the cell's next child in, if that has its own centre of mass by now. */
__device__ __forceinline__ void take_child(const Tree &tree, unsigned cell, Summary &sum)
{
    const int child = tree.children[cell * CHILDREN + sum.next];
    if (child == EMPTY) {
        sum.next++;
        return;
    }
    const volatile float4 *node = &tree.nodes[child];
    const float mass = node->w;
    if (mass == 0)
        return;
    sum.x = fmaf(node->x, mass, sum.x);
    sum.y = fmaf(node->y, mass, sum.y);
    sum.z = fmaf(node->z, mass, sum.z);
    sum.mass += mass;
    sum.bodies_in +=
        child < (int)tree.bodies ? 1 : *(volatile unsigned *)&tree.bodies_in[child - tree.bodies];
    sum.next++;
}

/* From the last cell to the root: children were taken later than their parents. All blocks must be resident;
 * of a warp's lanes that wait for each other, see build. */
extern "C" __global__ void summarize(Tree tree)
{
    const int threads = gridDim.x * blockDim.x;
    int cell = *tree.cells - 1 - (blockIdx.x * blockDim.x + threadIdx.x);
    Summary sum = {};
    while (cell >= 0) {
        take_child(tree, cell, sum);
        if (sum.next == CHILDREN) {
            float4 *node = &tree.nodes[tree.bodies + cell];
            node->x = sum.x / sum.mass, node->y = sum.y / sum.mass, node->z = sum.z / sum.mass;
            tree.bodies_in[cell] = sum.bodies_in;
            __threadfence();
            *(volatile float *)&node->w = sum.mass;
            sum = {};
            cell -= threads;
        }
    }
}

/* Hands the places of a cell on to its children. */
__device__ __forceinline__ void place(const Tree &tree, unsigned cell, int start)
{
    for (unsigned k = 0; k < CHILDREN; k++) {
        const int child = tree.children[cell * CHILDREN + k];
        if (child == EMPTY)
            continue;
        if (child < (int)tree.bodies) {
            tree.sorted[start++] = child;
        } else {
            *(volatile int *)&tree.starts[child - tree.bodies] = start;
            start += tree.bodies_in[child - tree.bodies];
        }
    }
}

/* From the root to the last cell. All blocks must be resident. */
extern "C" __global__ void sort(Tree tree)
{
    const unsigned count = *tree.cells;
    unsigned cell = blockIdx.x * blockDim.x + threadIdx.x;
    while (cell < count) {
        const int start = cell ? *(volatile int *)&tree.starts[cell] : 0;
        if (start != EMPTY) {
            place(tree, cell, start);
            cell += gridDim.x * blockDim.x;
        }
    }
}

/* A force of 1 in fixed point: none is as large as 32. */
constexpr float ONE = 1 << 26, SOFTENING = 0.05f * 0.05f;

struct Force {
    int x, y, z;
};

/* Opens a cell for the bodies of a warp: adds the pull of the bodies in it and of those cells in it that are
 * at least the root of `near` away from all of them. The other cells, a bit each. */
__device__ __forceinline__ unsigned open(const Tree &tree, unsigned cell, float near, const float4 &at,
                                         bool taken, Force &force)
{
    unsigned near_ones = 0;
    for (unsigned k = 0; k < CHILDREN; k++) {
        const int child = tree.children[cell * CHILDREN + k];
        if (child == EMPTY)
            continue;
        const float4 node = tree.nodes[child];
        const float x = node.x - at.x, y = node.y - at.y, z = node.z - at.z;
        const float square = fmaf(z, z, fmaf(y, y, x * x));
        if (child < (int)tree.bodies || __all_sync(ALL_LANES, square >= near || !taken)) {
            const float inverse = rsqrtf(square + SOFTENING);
            const float pull = ONE * node.w * (inverse * inverse * inverse);
            force.x += __float2int_rn(x * pull);
            force.y += __float2int_rn(y * pull);
            force.z += __float2int_rn(z * pull);
        } else {
            near_ones |= 1u << k;
        }
    }
    return near_ones;
}

extern "C" __global__ void attract_cdp(Tree tree, unsigned first, unsigned cell, float near, unsigned least);
extern "C" __global__ void attract_dtbl(Tree tree, unsigned first, unsigned cell, float near, unsigned least);

/* Launches those children of a cell, given as bits, that have `least` bodies or more. The others. */
template <Mode mode>
__device__ __forceinline__ unsigned launch_large(const Tree &tree, unsigned children, unsigned first,
                                                 unsigned cell, float near, unsigned least)
{
    const unsigned lane = threadIdx.x % WARP;
    unsigned child = 0;
    bool large = false;
    if (children >> lane & 1) {
        child = tree.children[cell * CHILDREN + lane] - tree.bodies;
        large = tree.bodies_in[child] >= least;
    }
    if (large)
        launch<mode>(mode == CDP ? attract_cdp : attract_dtbl, 1, WARP, tree, first, child, near, least);
    return children & ~__ballot_sync(ALL_LANES, large);
}

/* Opens `cell` and what must be opened below it. A cell on the warp's stack has children, a bit each, that
 * wait to be opened. */
template <Mode mode>
__device__ __forceinline__ Force traverse(const Tree &tree, const float4 &at, bool taken, unsigned first,
                                          unsigned cell, float near, unsigned least)
{
    __shared__ unsigned cells[FORCE_WARPS][DEPTH], waiting[FORCE_WARPS][DEPTH];
    const unsigned warp = threadIdx.x / WARP;
    Force force = {0, 0, 0};
    for (unsigned depth = 0;; depth++) {
        unsigned children = open(tree, cell, near, at, taken, force);
        if constexpr (mode != FLAT)
            if (children)
                children = launch_large<mode>(tree, children, first, cell, 0.25f * near, least);
        while (!children) {
            if (depth == 0)
                return force;
            depth--;
            cell = cells[warp][depth], children = waiting[warp][depth], near *= 4;
        }
        __syncwarp();
        if (threadIdx.x % WARP == 0)
            cells[warp][depth] = cell, waiting[warp][depth] = children & (children - 1);
        __syncwarp();
        cell = tree.children[cell * CHILDREN + __ffs(children) - 1] - tree.bodies;
        near *= 0.25f;
    }
}

/* The pull of what is in `cell` on bodies sorted[first] and after, a thread each; its children are opened if
 * one of a warp's bodies is nearer than the root of `near`. */
template <Mode mode>
__device__ __forceinline__ void attract(const Tree &tree, unsigned first, unsigned cell, float near,
                                        unsigned least)
{
    first += blockIdx.x * blockDim.x + threadIdx.x / WARP * WARP;
    const unsigned index = first + threadIdx.x % WARP;
    const unsigned body = tree.sorted[min(index, tree.bodies - 1)];
    const Force force = traverse<mode>(tree, tree.nodes[body], index < tree.bodies, first, cell, near, least);
    if (index >= tree.bodies)
        return;
    int *x = &tree.forces[body], *y = x + tree.bodies, *z = y + tree.bodies;
    if constexpr (mode == FLAT) {
        *x = force.x, *y = force.y, *z = force.z;
    } else {
        atomicAdd(x, force.x), atomicAdd(y, force.y), atomicAdd(z, force.z);
    }
}

MODES(attract, (Tree tree, unsigned first, unsigned cell, float near, unsigned least),
      (tree, first, cell, near, least))
