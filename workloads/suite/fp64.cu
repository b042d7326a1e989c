// Doubles; host code: fp64.c.

extern "C" __global__ void dgemm_tiled(const double *a, const double *b, double *c, int n, int k)
{
    __shared__ double s[16][16], t[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    double sum = 0;
    for (int from = 0; from < k; from += 16) {
        s[ty][tx] = a[y * k + from + tx];
        t[ty][tx] = b[(from + ty) * n + x];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum += s[ty][i] * t[i][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

// Blocks of 128 bodies against chunks of 64; out has the x acceleration by each chunk.
extern "C" __global__ void nbody_double(const double2 *bodies, double *out, int n)
{
    __shared__ double2 places[64], rest[64]; // x and y; z and mass
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (threadIdx.x < 64) {
        places[threadIdx.x] = bodies[(blockIdx.y * 64 + threadIdx.x) * 2];
        rest[threadIdx.x] = bodies[(blockIdx.y * 64 + threadIdx.x) * 2 + 1];
    }
    __syncthreads();
    const double2 me = bodies[i * 2], more = bodies[i * 2 + 1];
    double sum = 0;
    for (int k = 0; k < 64; k++) {
        const double dx = places[k].x - me.x, dy = places[k].y - me.y, dz = rest[k].x - more.x;
        const double square = dx * dx + dy * dy + dz * dz + 1e-3;
        const double inverse = rsqrt(square);
        sum += rest[k].y * inverse * inverse * inverse * dx;
    }
    out[blockIdx.y * n + i] = sum;
}

extern "C" __global__ void continued_fraction(const double *in, double *out, int steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double a = in[i];
    double x = 1;
    for (int k = 0; k < steps; k++)
        x = 1 + a / (k + x);
    out[i] = x;
}

extern "C" __global__ void daxpy_exp(double a, const double *x, double *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * exp(x[i]) + log(y[i]);
}
