/* The electrostatic potential of charged atoms at the points of a plane, as Parboil's CP, which comes with
 * GPGPU-Sim: all threads read the same atom from constant memory at a time. A thread has 8 points, 16 apart,
 * so that a warp's stores lie side by side and much of an atom's work is shared. */

constexpr int WIDTH = 16, HEIGHT = 8, POINTS = 8, ATOMS = 4000; /* as the host has it */

__constant__ float4 cp_atoms[ATOMS]; /* x, y, the square of z above the plane, charge */

/* At most 32 registers: as many as 8 blocks of 128 threads have on Fermi. */
extern "C" __global__ __maxnreg__(32) void cp_potential(float *potential, float spacing, int count)
{
    const int column = blockIdx.x * WIDTH * POINTS + threadIdx.x, row = blockIdx.y * HEIGHT + threadIdx.y;
    const int at = row * gridDim.x * WIDTH * POINTS + column;
    const float x = spacing * column, y = spacing * row, step = spacing * WIDTH;
    float sums[POINTS] = {};
    for (int i = 0; i < count; i++) {
        const float4 atom = cp_atoms[i];
        const float dy = y - atom.y, apart = dy * dy + atom.z;
        float dx = x - atom.x;
#pragma unroll
        for (int point = 0; point < POINTS; point++) {
            sums[point] += atom.w * rsqrtf(dx * dx + apart);
            dx += step;
        }
    }
#pragma unroll
    for (int point = 0; point < POINTS; point++)
        potential[at + point * WIDTH] += sums[point];
}
