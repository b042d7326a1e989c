/* Adaptive mesh refinement of a combustion, as the DTBL paper's authors have it (gtcasl/dragon_li).
 *
 * The mesh begins as one hot cell. A cell that is hotter than a threshold becomes 4 x 4 x 2 finer ones: its
 * energy follows from its temperature (a quadratic fit of explosion products [DTBL 18, Kuhl]), the excess of
 * which falls off with the square of the distance from one corner, and a finer cell's temperature follows
 * from the energy left there. Flat, the host launches a kernel for each level, in which a thread looks at a
 * cell and works out the finer ones one after the other; launched, they are a block of 32 threads, which work
 * out one each, and of which each that is hot enough launches the next level itself.
 *
 * Cells are numbered in the order in which blocks take them, 32 at a time. Every product that meets a sum is
 * an explicit fma: the host gets the same bits. */
#include "launch.cuh"

constexpr unsigned BLOCK = 256, FINER = 32, LEVELS = 20, NONE = 0xffffffffu;

/* Laid out as the host has it. Invariant: finer[c] is the first of the FINER cells that cell c has become, or
 * NONE; count says how many cells are taken. */
struct Mesh {
    float *kelvin;
    unsigned *finer;
    unsigned *count;
    unsigned capacity;
    float threshold;
};

constexpr double GROUND = 962.62, SQUARE = 4.6e-5, LINEAR_UP = 0.14816, LINEAR_DOWN = 0.1486;

__device__ __forceinline__ float energy_of(float kelvin)
{
    return (float)(fma(SQUARE * kelvin, (double)kelvin, LINEAR_UP * kelvin) + GROUND);
}

/* Of finer cell `cell` in a cell of that energy. */
__device__ __forceinline__ float finer_kelvin(float energy, unsigned cell)
{
    const unsigned x = cell % 4, y = cell / 4 % 4, z = cell / 16;
    const float left = (float)((energy - GROUND) / (x * x + y * y + z * z + 2.0) + GROUND);
    const double root = sqrt(fma(-4 * SQUARE, GROUND - left, LINEAR_DOWN * LINEAR_DOWN));
    return (float)((root - LINEAR_DOWN) / (2 * SQUARE));
}

/* The first of FINER cells for every thread of the block that `wants` them; one thread takes all of them. */
template <unsigned THREADS> __device__ __forceinline__ unsigned take_cells(const Mesh &mesh, bool wants)
{
    __shared__ unsigned hot[THREADS / 32], base;
    const unsigned ballot = __ballot_sync(0xffffffffu, wants), warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0)
        hot[warp] = __popc(ballot);
    __syncthreads();
    unsigned before = __popc(ballot & ((1u << threadIdx.x % 32) - 1)), all = 0;
    for (unsigned w = 0; w < THREADS / 32; w++) {
        before += w < warp ? hot[w] : 0;
        all += hot[w];
    }
    if (threadIdx.x == 0 && all) {
        base = atomicAdd(mesh.count, all * FINER);
        if (base + all * FINER > mesh.capacity)
            __trap();
    }
    __syncthreads();
    const unsigned first = wants ? base + before * FINER : NONE;
    __syncthreads();
    return first;
}

/* Works out a finer cell. Its number, and what it becomes if it is hot enough itself. */
template <Mode mode>
__device__ __forceinline__ void refine_cell(const Mesh &mesh, float energy, unsigned first, unsigned level,
                                            unsigned least);

extern "C" __global__ void refine_cells_cdp(Mesh mesh, float energy, unsigned first, unsigned level,
                                            unsigned least)
{
    refine_cell<CDP>(mesh, energy, first, level, least);
}

extern "C" __global__ void refine_cells_dtbl(Mesh mesh, float energy, unsigned first, unsigned level,
                                             unsigned least)
{
    refine_cell<DTBL>(mesh, energy, first, level, least);
}

/* The FINER cells from `first` on, of a cell of that energy: a block of its own, or one after the other. */
template <Mode mode>
__device__ __forceinline__ void refine_all(const Mesh &mesh, float energy, unsigned first, unsigned level,
                                           unsigned least)
{
    if constexpr (mode == FLAT) {
        for (unsigned cell = 0; cell < FINER; cell++)
            mesh.kelvin[first + cell] = finer_kelvin(energy, cell);
    } else {
        launch<mode>(mode == CDP ? refine_cells_cdp : refine_cells_dtbl, 1, FINER, mesh, energy, first, level,
                     least);
    }
}

template <Mode mode>
__device__ __forceinline__ void refine_cell(const Mesh &mesh, float energy, unsigned first, unsigned level,
                                            unsigned least)
{
    const unsigned cell = first + threadIdx.x;
    const float kelvin = finer_kelvin(energy, threadIdx.x);
    mesh.kelvin[cell] = kelvin;
    const unsigned finer = take_cells<FINER>(mesh, kelvin >= mesh.threshold && level < LEVELS);
    mesh.finer[cell] = finer;
    if (finer != NONE)
        refine_all<mode>(mesh, energy_of(kelvin), finer, level + 1, least);
}

/* The `count` cells from `first` on, which are of one level. */
template <Mode mode>
__device__ __forceinline__ void refine(const Mesh &mesh, unsigned first, unsigned count, unsigned level,
                                       unsigned least)
{
    for (unsigned base = blockIdx.x * BLOCK; base < count; base += gridDim.x * BLOCK) {
        const bool is_cell = base + threadIdx.x < count;
        const unsigned cell = first + base + threadIdx.x;
        const float kelvin = is_cell ? mesh.kelvin[cell] : 0;
        const unsigned finer = take_cells<BLOCK>(mesh, is_cell && kelvin >= mesh.threshold && level < LEVELS);
        if (is_cell)
            mesh.finer[cell] = finer;
        if (finer != NONE)
            refine_all<mode>(mesh, energy_of(kelvin), finer, level + 1, least);
    }
}

MODES(refine, (Mesh mesh, unsigned first, unsigned count, unsigned level, unsigned least),
      (mesh, first, count, level, least))
