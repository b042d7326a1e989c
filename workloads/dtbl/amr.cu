/* Adaptive mesh refinement of a flame, cell by cell [DTBL §4.1, fig. 2a].
 *
 * A thread takes one cell of the initial grid: it works out the temperature there after a step of diffusion
 * and reaction, and if the temperature differs too much across the cell, that becomes a patch of 8 x 8 finer
 * cells, each of which is treated alike, down to the finest level. Flat, the thread walks through all cells
 * below its own, one after the other; launched, a patch is a block of the same kernel, a thread a cell. Blocks
 * of the first launch hold several patches side by side.
 *
 * Cells are kept patch by patch, and the initial grid is cut into patches, too, so that all levels look the
 * same. Every product that meets a sum is an explicit fmaf: the host gets the same bits. */
#include "launch.cuh"

constexpr unsigned SIDE = 8, SIDE_BITS = 3, CELLS = SIDE * SIDE, LEVELS = 4, NONE = 0xffffffffu;

/* Laid out as the host has it. Invariant: cell c of patch p is number p * CELLS + c in values and children;
 * children holds the patch that refines a cell, or NONE. */
struct Mesh {
    const float *kelvin; /* of the initial grid, row by row */
    float *values;
    unsigned *children;
    unsigned *count;   /* of patches taken so far */
    unsigned capacity; /* for patches */
    unsigned width, height;
    float tolerance;   /* kelvin by which the temperature may differ across a cell, squared */
};

/* A cell of the initial grid and those around it, which all finer cells within it are interpolated from. */
struct Surroundings {
    float kelvin[3][3];
};

__device__ __forceinline__ Surroundings load_surroundings(const Mesh &mesh, unsigned column, unsigned row)
{
    const unsigned columns[3] = {column ? column - 1 : 0, column, min(column + 1, mesh.width - 1)};
    const unsigned rows[3] = {row ? row - 1 : 0, row, min(row + 1, mesh.height - 1)};
    Surroundings around;
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++)
            around.kelvin[y][x] = mesh.kelvin[(size_t)rows[y] * mesh.width + columns[x]];
    return around;
}

/* Weights of three neighbours for the value and the slope of a quadratic B-spline, `at` in cells from the
 * middle of the second. */
struct Spline {
    float value[3], slope[3];
};

__device__ __forceinline__ Spline spline(float at)
{
    const float left = 0.5f - at, right = 0.5f + at;
    return {{0.5f * (left * left), fmaf(-at, at, 0.75f), 0.5f * (right * right)}, {-left, -2 * at, right}};
}

__device__ __forceinline__ float weigh(const float weights[3], const float of[3])
{
    return fmaf(weights[2], of[2], fmaf(weights[1], of[1], weights[0] * of[0]));
}

__device__ __forceinline__ float bend(const float of[3]) { return fmaf(-2.0f, of[1], of[0] + of[2]); }

/* Works out one cell, whose x and y count cells of its level. The patch that is to refine it, or NONE. */
__device__ __forceinline__ unsigned step_cell(const Mesh &mesh, const Surroundings &around, unsigned level,
                                              unsigned cell, unsigned x, unsigned y)
{
    const unsigned bits = SIDE_BITS * level, within = (1u << bits) - 1;
    const float size = __uint_as_float((127 - bits) << 23); /* 2 to the power of -bits */
    const Spline across = spline(fmaf((x & within) + 0.5f, size, -0.5f));
    const Spline down = spline(fmaf((y & within) + 0.5f, size, -0.5f));
    float value[3], slope[3], curve[3];
    for (int k = 0; k < 3; k++) {
        value[k] = weigh(across.value, around.kelvin[k]);
        slope[k] = weigh(across.slope, around.kelvin[k]);
        curve[k] = bend(around.kelvin[k]);
    }
    const float kelvin = weigh(down.value, value), slope_x = weigh(down.value, slope);
    const float slope_y = weigh(down.slope, value), laplacian = weigh(down.value, curve) + bend(value);
    const float burnt = fmaf(kelvin, 1.0f / 1800, -300.0f / 1800), reaction = (burnt * burnt) * (1 - burnt);
    mesh.values[cell] = fmaf(90.0f, reaction, fmaf(0.125f, laplacian, kelvin));

    const float difference = fmaf(slope_x, slope_x, slope_y * slope_y) * (size * size);
    unsigned child = NONE;
    if (difference >= mesh.tolerance && level + 1 < LEVELS) {
        child = atomicAdd(mesh.count, 1);
        if (child >= mesh.capacity)
            __trap();
    }
    mesh.children[cell] = child;
    return child;
}

/* All cells of a patch and below, depth first. Coordinates tell which cell of the coarser level is being
 * refined; only the patches on the way need to be remembered. */
__device__ __forceinline__ void walk(const Mesh &mesh, const Surroundings &around, unsigned top,
                                     unsigned patch, unsigned x, unsigned y)
{
    unsigned patches[LEVELS], level = top, index = 0;
    patches[level] = patch;
    for (;;) {
        if (index == CELLS) {
            if (level-- == top)
                return;
            x /= SIDE, y /= SIDE;
            index = y % SIDE * SIDE + x % SIDE + 1;
            x -= x % SIDE, y -= y % SIDE;
            continue;
        }
        const unsigned cell_x = x + index % SIDE, cell_y = y + index / SIDE;
        const unsigned child = step_cell(mesh, around, level, patches[level] * CELLS + index, cell_x, cell_y);
        index++;
        if (child != NONE) {
            patches[++level] = child;
            x = cell_x * SIDE, y = cell_y * SIDE, index = 0;
        }
    }
}

extern "C" __global__ void refine_cdp(Mesh mesh, unsigned level, unsigned patch, unsigned x, unsigned y,
                                      unsigned columns, unsigned least);
extern "C" __global__ void refine_dtbl(Mesh mesh, unsigned level, unsigned patch, unsigned x, unsigned y,
                                       unsigned columns, unsigned least);

/* A block has one or more patches: the launch's first is `patch`, with its corner at x, y in cells of its
 * level, and there are `columns` of them side by side. */
template <Mode mode>
__device__ __forceinline__ void refine(const Mesh &mesh, unsigned level, unsigned patch, unsigned x,
                                       unsigned y, unsigned columns, unsigned least)
{
    const unsigned index = threadIdx.x % CELLS, bits = SIDE_BITS * level;
    const unsigned number = (blockIdx.x * blockDim.x + threadIdx.x) / CELLS;
    x += number % columns * SIDE + index % SIDE;
    y += number / columns * SIDE + index / SIDE;
    const Surroundings around = load_surroundings(mesh, x >> bits, y >> bits);
    const unsigned child = step_cell(mesh, around, level, (patch + number) * CELLS + index, x, y);
    if (child == NONE)
        return;
    if constexpr (mode != FLAT)
        if (CELLS >= least) {
            launch<mode>(mode == CDP ? refine_cdp : refine_dtbl, 1, CELLS, mesh, level + 1, child, x * SIDE,
                         y * SIDE, 1u, least);
            return;
        }
    walk(mesh, around, level + 1, child, x * SIDE, y * SIDE);
}

MODES(refine,
      (Mesh mesh, unsigned level, unsigned patch, unsigned x, unsigned y, unsigned columns, unsigned least),
      (mesh, level, patch, x, y, columns, least))
