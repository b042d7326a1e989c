/* Temperatures of a chip, as Rodinia's hotspot computes them: several steps of time in one launch. A block
 * has 16 x 16 cells in shared memory. After each step those at its rim are no longer known, so that of the
 * last step a smaller square is left, which the block writes. */

constexpr int SIDE = 16;

/* As the host has it. */
struct Chip {
    int rows, columns;
    float step, x, y, z; /* time over heat capacity, and conductance in three directions */
    float around;        /* the temperature there */
};

/* In cells of the whole chip. */
__device__ __forceinline__ int within(int value, int least, int most) { return min(max(value, least), most); }

extern "C" __global__ void __launch_bounds__(SIDE *SIDE)
    hotspot(const float *power, const float *from, float *to, Chip chip, int steps)
{
    __shared__ float now[SIDE][SIDE], then[SIDE][SIDE];
    const int tx = threadIdx.x, ty = threadIdx.y, kept = SIDE - 2 * steps;
    const int left = blockIdx.x * kept - steps, top = blockIdx.y * kept - steps;
    const int x = left + tx, y = top + ty, at = y * chip.columns + x;
    const bool is_there = x >= 0 && x < chip.columns && y >= 0 && y < chip.rows;
    const float heat = is_there ? power[at] : 0.0f;
    now[ty][tx] = is_there ? from[at] : 0.0f;
    __syncthreads();
    /* Cells of the block that are on the chip; at the chip's rim a cell is its own neighbour. */
    const int least_x = max(0, -left), most_x = min(SIDE - 1, chip.columns - 1 - left);
    const int least_y = max(0, -top), most_y = min(SIDE - 1, chip.rows - 1 - top);
    const int west = within(tx - 1, least_x, most_x), east = within(tx + 1, least_x, most_x);
    const int north = within(ty - 1, least_y, most_y), south = within(ty + 1, least_y, most_y);
    bool is_known = false;
    for (int i = 0; i < steps; i++) {
        is_known = is_there && tx > i && tx < SIDE - 1 - i && ty > i && ty < SIDE - 1 - i;
        if (is_known) {
            const float own = now[ty][tx];
            const float across = fmaf(-2.0f, own, now[ty][east] + now[ty][west]);
            const float along = fmaf(-2.0f, own, now[south][tx] + now[north][tx]);
            const float flow =
                fmaf(chip.around - own, chip.z, fmaf(across, chip.x, fmaf(along, chip.y, heat)));
            then[ty][tx] = fmaf(chip.step, flow, own);
        }
        __syncthreads();
        if (i + 1 == steps)
            break;
        if (is_known)
            now[ty][tx] = then[ty][tx];
        __syncthreads();
    }
    if (is_known)
        to[at] = then[ty][tx];
}
