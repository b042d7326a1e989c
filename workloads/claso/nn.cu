/* Recognition of digits by a neural network of four layers, as NN of GPGPU-Sim's set has it [Simard,
 * Steinkraus, Platt, Best practices for convolutional neural networks, ICDAR 2003]: 29 x 29 pixels; six
 * maps of 13 x 13, each the convolution of every other pixel with 5 x 5 weights; 50 maps of 5 x 5 of all
 * six; 100 neurons that see all of these; ten, one for each digit. blockIdx.y is the image. A neuron's
 * weights lie side by side, its bias first. */

constexpr int IMAGE = 29, MAPS1 = 6, SIDE1 = 13, MAPS2 = 50, SIDE2 = 5, TAPS = 25, HIDDEN = 100, DIGITS = 10;
constexpr int CELLS1 = SIDE1 * SIDE1, CELLS2 = SIDE2 * SIDE2, MAPS_EACH = 10;

/* Where the window's pixels lie, in images and in maps of the first layer. */
__constant__ int image_taps[TAPS] = {0,  1,  2,  3,  4,  29, 30, 31,  32,  33,  58,  59, 60,
                                     61, 62, 87, 88, 89, 90, 91, 116, 117, 118, 119, 120};
__constant__ int map_taps[TAPS] = {0,  1,  2,  3,  4,  13, 14, 15, 16, 17, 26, 27, 28,
                                   29, 30, 39, 40, 41, 42, 43, 52, 53, 54, 55, 56};

__device__ __forceinline__ float activate(float sum) { return 1.7159f * tanhf(0.66666667f * sum); }

/* A block of 13 x 13 threads for each map. At most 24 registers here and in the next layer: Fermi then has
 * room for 7 and 5 blocks. */
extern "C" __global__ void __maxnreg__(24) layer1(const float *images, const float *weights, float *maps)
{
    const float *window = &images[blockIdx.y * IMAGE * IMAGE + 2 * threadIdx.y * IMAGE + 2 * threadIdx.x];
    const float *own = &weights[blockIdx.x * (TAPS + 1)];
    float sum = own[0];
    for (int i = 0; i < TAPS; i++)
        sum += window[image_taps[i]] * own[1 + i];
    maps[(blockIdx.y * MAPS1 + blockIdx.x) * CELLS1 + threadIdx.y * SIDE1 + threadIdx.x] = activate(sum);
}

/* A block of 5 x 5 x 10 threads for each ten maps. */
extern "C" __global__ void __maxnreg__(24) layer2(const float *maps1, const float *weights, float *maps2)
{
    const int map = blockIdx.x * MAPS_EACH + threadIdx.z;
    const float *window = &maps1[blockIdx.y * MAPS1 * CELLS1 + 2 * threadIdx.y * SIDE1 + 2 * threadIdx.x];
    const float *own = &weights[map * (TAPS * MAPS1 + 1)];
    float sum = own[0];
#pragma unroll 1
    for (int i = 0; i < TAPS; i++)
        for (int j = 0; j < MAPS1; j++)
            sum += window[j * CELLS1 + map_taps[i]] * own[1 + i * MAPS1 + j];
    maps2[(blockIdx.y * MAPS2 + map) * CELLS2 + threadIdx.y * SIDE2 + threadIdx.x] = activate(sum);
}

/* A thread for each neuron of a layer that sees `inputs` neurons each. */
__device__ __forceinline__ void dense(const float *from, const float *weights, float *to, int inputs,
                                      int neurons)
{
    const int neuron = blockIdx.x * blockDim.x + threadIdx.x;
    if (neuron >= neurons)
        return;
    const float *own = &weights[neuron * (inputs + 1)];
    float sum = own[0];
    for (int i = 0; i < inputs; i++)
        sum += from[blockIdx.y * inputs + i] * own[1 + i];
    to[blockIdx.y * neurons + neuron] = activate(sum);
}

extern "C" __global__ void __launch_bounds__(32)
    layer3(const float *maps, const float *weights, float *hidden)
{
    dense(maps, weights, hidden, MAPS2 * CELLS2, HIDDEN);
}

extern "C" __global__ void __launch_bounds__(32)
    layer4(const float *hidden, const float *weights, float *digits)
{
    dense(hidden, weights, digits, HIDDEN, DIGITS);
}
