/* A fluid by the lattice Boltzmann method, as Parboil's lbm: cells of 19 distributions, one for each
 * direction in which the fluid moves (D3Q19). A step lets a cell's distributions collide and sends each to
 * its neighbour, into another lattice. A block is a row of cells, a thread a cell; each distribution is an
 * array of its own, so all loads and most stores of a warp lie side by side. Nothing is read twice. */
constexpr int WIDTH = 120, PITCH = 128, DIRECTIONS = 19;       /* as the host has it */
enum { OBSTACLE = 1, LID = 2 };                                /* the same */
constexpr float OMEGA = 1.95f, LID_X = 0.005f, LID_Y = 0.002f; /* the same */

/* How far direction i leads along an axis. */
__device__ __forceinline__ constexpr int step(int i, int axis)
{
    constexpr int steps[DIRECTIONS][3] = {{0, 0, 0},   {1, 0, 0},  {-1, 0, 0}, {0, 1, 0},  {0, -1, 0},
                                          {0, 0, 1},   {0, 0, -1}, {0, 1, 1},  {0, 1, -1}, {0, -1, 1},
                                          {0, -1, -1}, {1, 0, 1},  {-1, 0, 1}, {1, 0, -1}, {-1, 0, -1},
                                          {1, 1, 0},   {1, -1, 0}, {-1, 1, 0}, {-1, -1, 0}};
    return steps[i][axis];
}

__device__ __forceinline__ constexpr int opposite(int i)
{
    return i == 0 ? 0 : i < 7 ? (i - 1 ^ 1) + 1 : (i - 7 ^ 3) + 7;
}

__device__ __forceinline__ constexpr float weight(int i)
{
    return i == 0 ? 1.0f / 3 : i < 7 ? 1.0f / 18 : 1.0f / 36;
}

/* The sum of what a direction has of three values; -0 is what a sum begins with that nothing is lost by. */
__device__ __forceinline__ float along(int i, float x, float y, float z)
{
    float sum = -0.0f;
    sum = step(i, 0) == 0 ? sum : step(i, 0) > 0 ? sum + x : sum - x;
    sum = step(i, 1) == 0 ? sum : step(i, 1) > 0 ? sum + y : sum - y;
    return step(i, 2) == 0 ? sum : step(i, 2) > 0 ? sum + z : sum - z;
}

/* Distributions of a fluid cell tend to what they would be at rest with the cell's density and velocity. */
__device__ __forceinline__ void collide(float (&f)[DIRECTIONS], bool is_lid)
{
    float density = f[0], x = 0, y = 0, z = 0;
#pragma unroll
    for (int i = 1; i < DIRECTIONS; i++) {
        density += f[i];
        x += step(i, 0) == 0 ? -0.0f : step(i, 0) > 0 ? f[i] : -f[i];
        y += step(i, 1) == 0 ? -0.0f : step(i, 1) > 0 ? f[i] : -f[i];
        z += step(i, 2) == 0 ? -0.0f : step(i, 2) > 0 ? f[i] : -f[i];
    }
    x = is_lid ? LID_X : x / density;
    y = is_lid ? LID_Y : y / density;
    z = is_lid ? 0 : z / density;
    const float still = 1 - 1.5f * (x * x + y * y + z * z);
#pragma unroll
    for (int i = 0; i < DIRECTIONS; i++) {
        const float speed = i ? along(i, x, y, z) : 0;
        f[i] = (1 - OMEGA) * f[i] + OMEGA * weight(i) * density * (speed * (4.5f * speed + 3) + still);
    }
}

/* Blocks are rows y of planes z. `cells` of a distribution begin with a margin of two planes, into which the
 * outermost cells send. The flags of cells are one array more. */
extern "C" __global__ void __launch_bounds__(WIDTH) stream_collide(const float *from, float *to, int cells)
{
    const int plane = PITCH * gridDim.x;
    const int cell = threadIdx.x + PITCH * blockIdx.x + plane * (2 + blockIdx.y);
    float f[DIRECTIONS];
#pragma unroll
    for (int i = 0; i < DIRECTIONS; i++)
        f[i] = from[i * cells + cell];
    const int flags = __float_as_int(from[DIRECTIONS * cells + cell]);
    if (flags & OBSTACLE) {
#pragma unroll
        for (int i = 1; i < DIRECTIONS; i++)
            if (i < opposite(i)) {
                const float back = f[i];
                f[i] = f[opposite(i)];
                f[opposite(i)] = back;
            }
    } else {
        collide(f, flags & LID);
    }
#pragma unroll
    for (int i = 0; i < DIRECTIONS; i++)
        to[i * cells + cell + step(i, 0) + PITCH * step(i, 1) + plane * step(i, 2)] = f[i];
}
