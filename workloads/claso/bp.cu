/* A layer of a neural network that learns, as Rodinia's backprop: 16 hidden units, a block of 16 x 16 threads
 * for 16 inputs. Forward, products go through shared memory and are added in a tree with a barrier before
 * each step; backward, every weight is changed by what its two ends say. Weights have a row and a column for
 * the bias. */

constexpr int SIDE = 16; /* of a block, and hidden units: as the host has it */
constexpr float RATE = 0.3f, MOMENTUM = 0.3f;

/* The place of the weight from an input to a hidden unit, behind those of the biases. */
__device__ __forceinline__ int weight_of(int input, int hidden)
{
    return (input + 1) * (SIDE + 1) + hidden + 1;
}

/* Sums of a block's inputs for each hidden unit. As published, the partial sums take the weights' place; the
 * host sends the weights anew. */
extern "C" __global__ __maxnreg__(20) void bp_forward(const float *inputs, float *weights, float *sums)
{
    __shared__ float nodes[SIDE];
    __shared__ float products[SIDE][SIDE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int at = weight_of(blockIdx.y * SIDE + y, x);
    if (x == 0)
        nodes[y] = inputs[blockIdx.y * SIDE + y + 1];
    __syncthreads();
    products[y][x] = weights[at];
    __syncthreads();
    products[y][x] *= nodes[y];
    __syncthreads();
    for (int step = 2; step <= SIDE; step *= 2) {
        if (y % step == 0)
            products[y][x] += products[y + step / 2][x];
        __syncthreads();
    }
    weights[at] = products[y][x];
    __syncthreads();
    if (x == 0)
        sums[blockIdx.y * SIDE + y] = products[0][y];
}

extern "C" __global__ void bp_adjust(const float *deltas, const float *inputs, float *weights, float *changes)
{
    const int x = threadIdx.x, input = blockIdx.y * SIDE + threadIdx.y;
    const int at = weight_of(input, x);
    const float change = RATE * deltas[x + 1] * inputs[input + 1] + MOMENTUM * changes[at];
    weights[at] += change;
    changes[at] = change;
    __syncthreads();
    if (input == 0) { /* the bias, whose input is 1 */
        const float of_bias = RATE * deltas[x + 1] + MOMENTUM * changes[x + 1];
        weights[x + 1] += of_bias;
        changes[x + 1] = of_bias;
    }
}
