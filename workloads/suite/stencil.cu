// Neighbours on grids: physics and image filters; host code: stencil.c.

// Blocks of 32 x 8 threads.
extern "C" __global__ void jacobi_shared(const float *in, float *out, int width, int height)
{
    __shared__ float tile[10][34];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, i = y * width + x;
    tile[ty][tx] = in[i];
    if (threadIdx.x == 0)
        tile[ty][0] = x > 0 ? in[i - 1] : 0;
    if (threadIdx.x == 31)
        tile[ty][33] = x < width - 1 ? in[i + 1] : 0;
    if (threadIdx.y == 0)
        tile[0][tx] = y > 0 ? in[i - width] : 0;
    if (threadIdx.y == 7)
        tile[9][tx] = y < height - 1 ? in[i + width] : 0;
    __syncthreads();
    out[i] = 0.25f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}

extern "C" __global__ void heat3d(const float *in, float *out, int width, int height, int depth)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1)
        return;
    const int plane = width * height;
    int i = y * width + x + plane;
    float below = in[i - plane], here = in[i];
    for (int z = 1; z < depth - 1; z++, i += plane) {
        const float above = in[i + plane];
        out[i] =
            here + 0.1f * (below + above + in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - 6 * here);
        below = here;
        here = above;
    }
}

extern "C" __global__ void hotspot_step(const float *power, const float *temperature, float *out, int width,
                                        int height, float rx, float ry, float rz, float step)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const int i = y * width + x;
    const float t = temperature[i];
    const float west = x > 0 ? temperature[i - 1] : t, east = x < width - 1 ? temperature[i + 1] : t;
    const float north = y > 0 ? temperature[i - width] : t,
                south = y < height - 1 ? temperature[i + width] : t;
    out[i] =
        t + step * (power[i] + (north + south - 2 * t) / ry + (east + west - 2 * t) / rx + (80.0f - t) / rz);
}

// Directions: rest, the four sides, the four corners. The grid is a torus; from and to have nine planes each.
extern "C" __global__ void lattice_d2q9(const float *from, float *to, int width, int height, float omega)
{
    const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, plane = width * height;
    float f[9], rho = 0, u = 0, v = 0;
#pragma unroll
    for (int d = 0; d < 9; d++) {
        const int fx = (x - dx[d]) & (width - 1), fy = (y - dy[d]) & (height - 1);
        f[d] = from[d * plane + fy * width + fx];
        rho += f[d];
        u += f[d] * dx[d];
        v += f[d] * dy[d];
    }
    u /= rho;
    v /= rho;
    const float square = 1.5f * (u * u + v * v);
#pragma unroll
    for (int d = 0; d < 9; d++) {
        const float weight = d == 0 ? 4.0f / 9 : d < 5 ? 1.0f / 9 : 1.0f / 36;
        const float along = 3 * (u * dx[d] + v * dy[d]);
        const float equilibrium = weight * rho * (1 + along + 0.5f * along * along - square);
        to[d * plane + y * width + x] = f[d] + omega * (equilibrium - f[d]);
    }
}

__constant__ float filter_taps[17];

// Blocks of 128 threads; `in` has eight values before and behind each row of `width`.
extern "C" __global__ void filter_row(const float *in, float *out, int width)
{
    __shared__ float row[128 + 16];
    const float *from = in + (size_t)blockIdx.y * (width + 16) + blockIdx.x * 128;
    row[threadIdx.x] = from[threadIdx.x];
    if (threadIdx.x < 16)
        row[128 + threadIdx.x] = from[128 + threadIdx.x];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 17; i++)
        sum += filter_taps[i] * row[threadIdx.x + i];
    out[(size_t)blockIdx.y * width + blockIdx.x * 128 + threadIdx.x] = sum;
}

__device__ void order(int &a, int &b)
{
    const int low = min(a, b);
    b = max(a, b);
    a = low;
}

extern "C" __global__ void median3x3(const unsigned char *in, unsigned char *out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1)
        return;
    int p[9];
#pragma unroll
    for (int i = 0; i < 9; i++)
        p[i] = in[(y + i / 3 - 1) * width + x + i % 3 - 1];
    order(p[1], p[2]), order(p[4], p[5]), order(p[7], p[8]);
    order(p[0], p[1]), order(p[3], p[4]), order(p[6], p[7]);
    order(p[1], p[2]), order(p[4], p[5]), order(p[7], p[8]);
    order(p[0], p[3]), order(p[5], p[8]), order(p[4], p[7]);
    order(p[3], p[6]), order(p[1], p[4]), order(p[2], p[5]);
    order(p[4], p[7]), order(p[4], p[2]), order(p[6], p[4]);
    order(p[4], p[2]);
    out[y * width + x] = (unsigned char)p[4];
}
