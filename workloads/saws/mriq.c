/* The host's part of mri-q [Parboil].
 *
 * Parboil's large set has 64 x 64 x 64 voxels and 2,048 samples, its small one 32 x 32 x 32 and 3,072; blocks
 * have 256 threads (512 of the first kernel, which is short), and a launch takes 1,024 samples. Full is the
 * large set. Small has a quarter of its voxels, 256 blocks, more than two rounds on 13 SMs with 8 blocks
 * each, and 128 samples: each costs a thread the same. Both files are replaced by random numbers, voxels from
 * 0 to 1 and samples within half a period. */
#include "saws/saws.h"

#include <math.h>
#include <stdlib.h>

enum { THREADS = 256, MAGNITUDE_THREADS = 512, AT_A_TIME = 1024 }; /* as in mriq.cu */

static const struct {
    uint32_t blocks, samples;
} sizes[INPUT_SIZES] = {[INPUT_TINY] = {2, 15}, [INPUT_SMALL] = {256, 128}, [INPUT_FULL] = {1024, 2048}};

static const float TWO_PI = 6.2831853071795864769f;

/* As in mriq.cu. */
typedef struct Sample {
    float x, y, z, magnitude;
} Sample;

enum { X, Y, Z, REAL, IMAGINARY, ARRAYS };

/* Invariant: `of_samples` hold `count` values each, positions and signal; `of_voxels` `voxels` values each.
 * */
typedef struct Problem {
    uint32_t voxels, count;
    float *of_samples[ARRAYS], *of_voxels[ARRAYS];
} Problem;

static bool make_problem(Host *host, const BenchmarkRun *run, Problem *problem)
{
    uint32_t seed = benchmark_seed(run);
    bool made = true;
    problem->voxels = (run->blocks ? run->blocks : sizes[run->size].blocks) * THREADS;
    problem->count = sizes[run->size].samples;
    for (int a = 0; a < ARRAYS; a++) {
        problem->of_samples[a] = host_floats(host, problem->count, random_next(&seed));
        problem->of_voxels[a] = a < REAL ? host_floats(host, problem->voxels, random_next(&seed))
                                         : host_array(host, problem->voxels, sizeof(float));
        made &= problem->of_samples[a] && problem->of_voxels[a];
    }
    for (int a = X; made && a <= Z; a++)
        for (uint32_t i = 0; i < problem->count; i++)
            problem->of_samples[a][i] -= 0.5f;
    return made;
}

static void fetch_samples(Host *host, const Problem *problem, Sample *samples)
{
    const size_t bytes = problem->count * sizeof(float);
    const uint64_t real = host_buffer(host, problem->of_samples[REAL], bytes),
                   imaginary = host_buffer(host, problem->of_samples[IMAGINARY], bytes),
                   magnitude = host_buffer(host, NULL, bytes);
    float *magnitudes = host_array(host, problem->count, sizeof(float));
    HOST_LAUNCH(host, "magnitudes", dim((problem->count + MAGNITUDE_THREADS - 1) / MAGNITUDE_THREADS, 1, 1),
                dim(MAGNITUDE_THREADS, 1, 1), WB_ARG(real), WB_ARG(imaginary), WB_ARG(magnitude),
                WB_ARG(problem->count));
    if (magnitudes)
        host_read(host, magnitudes, magnitude, bytes);
    for (uint32_t i = 0; magnitudes && i < problem->count; i++)
        samples[i] = (Sample){problem->of_samples[X][i], problem->of_samples[Y][i], problem->of_samples[Z][i],
                              magnitudes[i]};
    host_free(host, real), host_free(host, imaginary), host_free(host, magnitude);
    free(magnitudes);
}

static void launch_all(Host *host, const Problem *problem, const Sample *samples, const uint64_t *voxels)
{
    const uint64_t constant = host_symbol(host, "samples");
    for (uint32_t first = 0; first < problem->count; first += AT_A_TIME) {
        const uint32_t left = problem->count - first, count = left < AT_A_TIME ? left : AT_A_TIME;
        host_write(host, constant, &samples[first], count * sizeof *samples);
        HOST_LAUNCH(host, "compute_q", dim(problem->voxels / THREADS, 1, 1), dim(THREADS, 1, 1),
                    WB_ARG(voxels[X]), WB_ARG(voxels[Y]), WB_ARG(voxels[Z]), WB_ARG(voxels[REAL]),
                    WB_ARG(voxels[IMAGINARY]), WB_ARG(count));
    }
}

/* Into of_voxels[REAL] and [IMAGINARY]. */
static void compute(const Problem *problem)
{
    float *const *from = problem->of_samples, *const *at = problem->of_voxels;
    for (uint32_t v = 0; v < problem->voxels; v++) {
        double real = 0, imaginary = 0;
        for (uint32_t i = 0; i < problem->count; i++) {
            const float magnitude = from[REAL][i] * from[REAL][i] + from[IMAGINARY][i] * from[IMAGINARY][i];
            const float angle =
                TWO_PI * (from[X][i] * at[X][v] + from[Y][i] * at[Y][v] + from[Z][i] * at[Z][v]);
            real += magnitude * cosf(angle);
            imaginary += magnitude * sinf(angle);
        }
        at[REAL][v] = (float)real;
        at[IMAGINARY][v] = (float)imaginary;
    }
}

bool saws_mriq_run(Host *host, const BenchmarkRun *run)
{
    Problem problem = {0};
    bool right = make_problem(host, run, &problem);
    const size_t bytes = problem.voxels * sizeof(float);
    Sample *samples = host_array(host, problem.count, sizeof *samples);
    if (right && samples) {
        uint64_t voxels[ARRAYS];
        for (int a = 0; a < ARRAYS; a++)
            voxels[a] = host_buffer(host, problem.of_voxels[a], bytes);
        fetch_samples(host, &problem, samples);
        launch_all(host, &problem, samples, voxels);
        compute(&problem);
        /* A sine is exact to about a millionth, its angle in single precision too. */
        for (int a = REAL; a < ARRAYS; a++)
            right &= benchmark_near(host, voxels[a], problem.of_voxels[a], problem.voxels,
                                    1e-6f * (float)problem.count);
        for (int a = 0; a < ARRAYS; a++)
            host_free(host, voxels[a]);
    }
    for (int a = 0; a < ARRAYS; a++)
        free(problem.of_samples[a]), free(problem.of_voxels[a]);
    free(samples);
    return right && samples;
}
