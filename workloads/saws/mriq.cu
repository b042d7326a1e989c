/* The matrix Q of an MRI reconstruction from samples off the grid, as Parboil's mri-q: a thread adds up what
 * all samples say of its voxel. Samples lie in constant memory, 1,024 at a time, and all threads read the
 * same one. Sines and cosines are those of the special function units, two pairs an iteration. */
constexpr int SAMPLES = 1024; /* in constant memory, as the host has it */
constexpr float TWO_PI = 6.2831853071795864769f;

struct Sample {
    float x, y, z; /* where in frequency space */
    float magnitude;
};
__constant__ Sample samples[SAMPLES];

extern "C" __global__ void __launch_bounds__(512)
    magnitudes(const float *real, const float *imaginary, float *magnitude, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        magnitude[i] = fmaf(real[i], real[i], imaginary[i] * imaginary[i]);
}

__device__ __forceinline__ void add_sample(const Sample &sample, float x, float y, float z, float &real,
                                           float &imaginary)
{
    const float angle = TWO_PI * fmaf(sample.z, z, fmaf(sample.y, y, sample.x * x));
    real = fmaf(sample.magnitude, __cosf(angle), real);
    imaginary = fmaf(sample.magnitude, __sinf(angle), imaginary);
}

/* Adds the first `count` samples to what is there. */
extern "C" __global__ void __launch_bounds__(256)
    compute_q(const float *x, const float *y, const float *z, float *real, float *imaginary, int count)
{
    const int voxel = blockIdx.x * blockDim.x + threadIdx.x;
    const float at_x = x[voxel], at_y = y[voxel], at_z = z[voxel];
    float sum_real = real[voxel], sum_imaginary = imaginary[voxel];
    int i = 0;
    if (count % 2)
        add_sample(samples[i++], at_x, at_y, at_z, sum_real, sum_imaginary);
#pragma unroll 1 /* two samples an iteration, no more */
    for (; i < count; i += 2) {
        add_sample(samples[i], at_x, at_y, at_z, sum_real, sum_imaginary);
        add_sample(samples[i + 1], at_x, at_y, at_z, sum_real, sum_imaginary);
    }
    real[voxel] = sum_real;
    imaginary[voxel] = sum_imaginary;
}
