/* One layer of a convolutional network, as darknet runs it: 6 kernels, or the same merged into one with a
 * barrier behind each of the first two functions [sync-thesis fig. 18(b)]. From the third one on, a thread has
 * one output and keeps it in a register; merged, it has loaded its block's filters before the first barrier.
 *
 *   pad        the image with a border of zeros, its bytes made fractions
 *   im2col     the 3 x 3 neighbourhoods of all pixels as columns of a matrix
 *   multiply   filters by columns
 *   normalize, scale, activate
 *
 * Sums are fused and in one order, so that results are equal to the last bit. */
#define KERNEL_BOUNDS __launch_bounds__(256, 8) /* as many threads as an SM has */
#include "barriers.cuh"

constexpr int SIDE = 16; /* of a block; and filters: as the host has it */
constexpr int CHANNELS = 3, TAPS = 9, DEPTH = CHANNELS * TAPS; /* as the host has it */

/* As the host has it. */
struct Layer {
    const unsigned char *image;                  /* [CHANNELS][side][side] */
    float *padded;                               /* [CHANNELS][side + 2][side + 2] */
    float *columns;                              /* [DEPTH][side * side] */
    const float *filters;                        /* [SIDE][DEPTH] */
    const float *mean, *factor, *gain, *bias;    /* [SIDE], of normalization and scale */
    float *out;                                  /* [SIDE][side * side] */
    int side;
};

__device__ __forceinline__ int global_thread() { return block_rank() * thread_count() + thread_rank(); }

__device__ __forceinline__ void pad(const Layer &layer)
{
    const int side = layer.side, wide = side + 2, i = global_thread(), x = i % wide - 1, y = i / wide % wide - 1;
    if (i >= CHANNELS * wide * wide)
        return;
    const bool is_inside = x >= 0 && y >= 0 && x < side && y < side;
    const int pixel = is_inside ? layer.image[(i / (wide * wide) * side + y) * side + x] : 0;
    layer.padded[i] = (float)pixel * (1.0f / 256);
}

/* A thread for each pixel of each channel. */
__device__ __forceinline__ void im2col(const Layer &layer)
{
    const int side = layer.side, pixels = side * side, wide = side + 2, i = global_thread();
    if (i >= CHANNELS * pixels)
        return;
    const int channel = i / pixels, pixel = i % pixels, x = pixel % side, y = pixel / side;
    const float *corner = &layer.padded[(channel * wide + y) * wide + x];
#pragma unroll
    for (int tap = 0; tap < TAPS; tap++)
        layer.columns[(channel * TAPS + tap) * pixels + pixel] =
            __ldcg(&corner[tap / 3 * wide + tap % 3]);
}

/* What a block multiplies: all filters, which stay as they are, by 16 columns. */
typedef float Filters[SIDE * DEPTH];
typedef float Columns[DEPTH][SIDE];

__device__ __forceinline__ void load_filters(const Layer &layer, Filters &filters)
{
    for (int i = thread_rank(); i < SIDE * DEPTH; i += SIDE * SIDE)
        filters[i] = layer.filters[i];
}

__device__ __forceinline__ void load_columns(const Layer &layer, Columns &columns)
{
    const int pixels = layer.side * layer.side, pixel = blockIdx.x * SIDE + threadIdx.x;
    for (int row = threadIdx.y; row < DEPTH; row += SIDE)
        columns[row][threadIdx.x] = __ldcg(&layer.columns[row * pixels + pixel]);
}

__device__ __forceinline__ float multiply(const Filters &filters, const Columns &columns)
{
    float sum = 0;
#pragma unroll
    for (int i = 0; i < DEPTH; i++)
        sum = __fmaf_rn(filters[threadIdx.y * DEPTH + i], columns[i][threadIdx.x], sum);
    return sum;
}

/* The filter of a thread is threadIdx.y. */
__device__ __forceinline__ float normalize(const Layer &layer, float value)
{
    return __fmul_rn(__fsub_rn(value, layer.mean[threadIdx.y]), layer.factor[threadIdx.y]);
}
__device__ __forceinline__ float scale(const Layer &layer, float value)
{
    return __fmaf_rn(value, layer.gain[threadIdx.y], layer.bias[threadIdx.y]);
}
__device__ __forceinline__ float activate(float value) { return value > 0 ? value : __fmul_rn(0.125f, value); }

__device__ __forceinline__ float &output(const Layer &layer)
{
    return layer.out[(size_t)threadIdx.y * layer.side * layer.side + blockIdx.x * SIDE + threadIdx.x];
}

extern "C" __global__ void cnn_pad(Layer layer) { pad(layer); }
extern "C" __global__ void cnn_im2col(Layer layer) { im2col(layer); }
extern "C" __global__ void cnn_multiply(Layer layer)
{
    __shared__ Filters filters;
    __shared__ Columns columns;
    load_filters(layer, filters);
    load_columns(layer, columns);
    __syncthreads();
    output(layer) = multiply(filters, columns);
}
extern "C" __global__ void cnn_normalize(Layer layer) { output(layer) = normalize(layer, output(layer)); }
extern "C" __global__ void cnn_scale(Layer layer) { output(layer) = scale(layer, output(layer)); }
extern "C" __global__ void cnn_activate(Layer layer) { output(layer) = activate(output(layer)); }

template <Mode mode> __device__ __forceinline__ void cnn(Layer layer, Barrier barrier)
{
    __shared__ Filters filters;
    __shared__ Columns columns;
    load_filters(layer, filters);
    pad(layer);
    grid_barrier<mode>(barrier, 1);
    im2col(layer);
    grid_barrier<mode>(barrier, 2);
    load_columns(layer, columns);
    __syncthreads();
    output(layer) = activate(scale(layer, normalize(layer, multiply(filters, columns))));
}

KERNEL(cnn, flags, FLAGS, (Layer layer, Barrier barrier), (layer, barrier))
KERNEL(cnn, gsync, GSYNC, (Layer layer, Barrier barrier), (layer, barrier))
