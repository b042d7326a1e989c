// The Mandelbrot set by Mariani and Silver: a square whose border has one value is filled with it, others are
// divided by launching again, down to squares of which every pixel is computed.
// nvcc: -rdc=true -fmad=false
#include "check.h"

enum { SIDE = 64, DIVISION = 2, FIRST = 32, SMALLEST = 8, MOST = 60, BORDER_THREADS = 32 };

__host__ __device__ int escape_time(int column, int row)
{
    // Without fused multiply-adds host and device compute the same.
    float real = (column - 40) / 32.0f, imaginary = (row - 32) / 32.0f, x = 0, y = 0;
    int steps = 0;
    for (; steps < MOST && x * x + y * y < 4.0f; steps++) {
        float next = x * x - y * y + real;
        y = 2 * x * y + imaginary;
        x = next;
    }
    return steps;
}

__global__ void fill(int *picture, int column, int row, int value)
{
    picture[(row + threadIdx.y) * SIDE + column + threadIdx.x] = value;
}

__global__ void every_pixel(int *picture, int column, int row)
{
    int x = column + threadIdx.x, y = row + threadIdx.y;
    picture[y * SIDE + x] = escape_time(x, y);
}

// One block for each square of a row and column of squares.
__global__ void squares(int *picture, int column, int row, int side, int *launched)
{
    __shared__ int least, most;
    column += blockIdx.x * side, row += blockIdx.y * side;
    if (threadIdx.x == 0)
        least = MOST, most = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < side; i += BORDER_THREADS)
        for (int edge = 0; edge < 4; edge++) {
            int x = edge == 0 ? 0 : edge == 1 ? side - 1 : i, y = edge == 2 ? 0 : edge == 3 ? side - 1 : i;
            int value = escape_time(column + x, row + y);
            atomicMin(&least, value);
            atomicMax(&most, value);
        }
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    if (least == most) {
        atomicAdd(&launched[0], 1);
        fill<<<1, dim3(side, side)>>>(picture, column, row, least);
    } else if (side <= SMALLEST) {
        atomicAdd(&launched[1], 1);
        every_pixel<<<1, dim3(side, side)>>>(picture, column, row);
    } else {
        atomicAdd(&launched[2], 1);
        squares<<<dim3(DIVISION, DIVISION), BORDER_THREADS>>>(picture, column, row, side / DIVISION,
                                                              launched);
    }
}

int main()
{
    int *picture, *launched;
    CUDA(cudaMallocManaged(&picture, SIDE * SIDE * sizeof *picture));
    CUDA(cudaMallocManaged(&launched, 3 * sizeof *launched));
    memset(picture, 0xff, SIDE * SIDE * sizeof *picture);
    memset(launched, 0, 3 * sizeof *launched);
    squares<<<dim3(SIDE / FIRST, SIDE / FIRST), BORDER_THREADS>>>(picture, 0, 0, FIRST, launched);
    CUDA(cudaDeviceSynchronize());
    int different = 0;
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++)
            different += picture[row * SIDE + column] != escape_time(column, row);
    CHECK_EQUAL(different, 0);
    // All three ways were taken.
    CHECK(launched[0] > 0 && launched[1] > 0 && launched[2] > 0);
    return check_result();
}
