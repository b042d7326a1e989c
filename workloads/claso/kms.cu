/* K-means clustering as Rodinia's: points are transposed once, so that threads of a warp read features side
 * by side; then, again and again, each thread finds the centre that is nearest to its point. Features are
 * read through a texture, centres from constant memory. */

constexpr int CENTRES = 5, MOST_FEATURES = 34; /* as the host has it */

__constant__ float kms_centres[CENTRES * MOST_FEATURES];

__device__ __forceinline__ int point_of_thread()
{
    return (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
}

/* At most 20 registers: 6 blocks of 256 threads on Fermi. */
extern "C" __global__ __maxnreg__(20) void kms_transpose(const float *points, float *features, int count,
                                                         int feature_count)
{
    const int point = point_of_thread();
    if (point < count)
        for (int i = 0; i < feature_count; i++)
            features[point + count * i] = points[point * feature_count + i];
}

extern "C" __global__ __maxnreg__(20) void kms_assign(cudaTextureObject_t features, int *nearest, int count,
                                                      int feature_count, int centre_count)
{
    const int point = point_of_thread();
    if (point >= count)
        return;
    float least = 3.40282347e+38f;
    int found = -1;
    for (int centre = 0; centre < centre_count; centre++) {
        float distance = 0;
        for (int i = 0; i < feature_count; i++) {
            const float apart =
                tex1Dfetch<float>(features, point + count * i) - kms_centres[centre * feature_count + i];
            distance += apart * apart;
        }
        if (distance < least) {
            least = distance;
            found = centre;
        }
    }
    nearest[point] = found;
}
