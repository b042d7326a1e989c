/* Speckle-reducing anisotropic diffusion, as Rodinia's srad_v2 does it [Yu and Acton, IEEE Transactions on
 * Image Processing 11(11), 2002]. One kernel takes the differences of each pixel to its four neighbours
 * and a coefficient of diffusion from them, the other one moves the image. A block has a tile of 16 x 16
 * pixels in shared memory, and the pixels along each of its sides. */

constexpr int SIDE = 16;
typedef float Tile[SIDE][SIDE];

/* As the host has it: differences to neighbours. */
struct Differences {
    float *north, *south, *west, *east;
};

extern "C" __global__ void __launch_bounds__(SIDE *SIDE)
    srad_coefficients(const float *image, float *coefficients, Differences to, int columns, int rows,
                      float q0)
{
    __shared__ Tile tile, north, south, west, east, result;
    const int tx = threadIdx.x, ty = threadIdx.y, left = blockIdx.x * SIDE, top = blockIdx.y * SIDE;
    const int x = left + tx, y = top + ty, at = y * columns + x;
    north[ty][tx] = image[max(top - 1, 0) * columns + x];
    south[ty][tx] = image[min(top + SIDE, rows - 1) * columns + x];
    west[ty][tx] = image[y * columns + max(left - 1, 0)];
    east[ty][tx] = image[y * columns + min(left + SIDE, columns - 1)];
    __syncthreads();
    tile[ty][tx] = image[at];
    __syncthreads();

    const float own = tile[ty][tx];
    const float n = (ty == 0 ? north[ty][tx] : tile[ty - 1][tx]) - own;
    const float s = (ty == SIDE - 1 ? south[ty][tx] : tile[ty + 1][tx]) - own;
    const float w = (tx == 0 ? west[ty][tx] : tile[ty][tx - 1]) - own;
    const float e = (tx == SIDE - 1 ? east[ty][tx] : tile[ty][tx + 1]) - own;
    const float gradient = (n * n + s * s + w * w + e * e) / (own * own), laplace = (n + s + w + e) / own;
    const float base = 1.0f + 0.25f * laplace;
    const float q = (0.5f * gradient - 0.0625f * laplace * laplace) / (base * base);
    const float coefficient = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
    result[ty][tx] = fminf(fmaxf(coefficient, 0.0f), 1.0f);
    __syncthreads();

    coefficients[at] = result[ty][tx];
    to.north[at] = n;
    to.south[at] = s;
    to.west[at] = w;
    to.east[at] = e;
}

extern "C" __global__ void __launch_bounds__(SIDE *SIDE)
    srad_update(float *image, const float *coefficients, Differences by, int columns, int rows, float lambda)
{
    __shared__ Tile tile, south, east, pixels, result;
    const int tx = threadIdx.x, ty = threadIdx.y, left = blockIdx.x * SIDE, top = blockIdx.y * SIDE;
    const int x = left + tx, y = top + ty, at = y * columns + x;
    pixels[ty][tx] = image[at];
    __syncthreads();
    south[ty][tx] = coefficients[min(top + SIDE, rows - 1) * columns + x];
    east[ty][tx] = coefficients[y * columns + min(left + SIDE, columns - 1)];
    __syncthreads();
    tile[ty][tx] = coefficients[at];
    __syncthreads();

    const float own = tile[ty][tx];
    const float below = ty == SIDE - 1 ? south[ty][tx] : tile[ty + 1][tx];
    const float beside = tx == SIDE - 1 ? east[ty][tx] : tile[ty][tx + 1];
    const float change = own * by.north[at] + below * by.south[at] + own * by.west[at] + beside * by.east[at];
    result[ty][tx] = pixels[ty][tx] + 0.25f * lambda * change;
    __syncthreads();
    image[at] = result[ty][tx];
}
