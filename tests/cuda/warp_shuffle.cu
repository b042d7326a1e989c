// Shuffles of all modes, widths and types.
#include "check.h"

enum { WARP = 32 };

__global__ void shuffle(int *index, int *up, int *down, int *across, double *doubles, long long *longs,
                        int *segments)
{
    int lane = threadIdx.x;
    const unsigned all = 0xffffffffu;
    index[lane] = __shfl_sync(all, lane * 10, (lane + 5) % WARP);
    up[lane] = __shfl_up_sync(all, lane, 3);
    down[lane] = __shfl_down_sync(all, lane, 4);
    across[lane] = __shfl_xor_sync(all, lane, 21);
    doubles[lane] = __shfl_sync(all, lane + 0.125, 7);
    longs[lane] = __shfl_xor_sync(all, (long long)lane << 33, 1);
    segments[lane] = __shfl_sync(all, lane, 2, 8) + 100 * __shfl_down_sync(all, lane, 1, 4);
}

__global__ void reduce(float *sum, int *prefix)
{
    int lane = threadIdx.x;
    float value = lane * 0.5f;
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffffu, value, distance);
    if (lane == 0)
        *sum = value;
    int total = lane + 1;
    for (int distance = 1; distance < WARP; distance *= 2) {
        int below = __shfl_up_sync(0xffffffffu, total, distance);
        if (lane >= distance)
            total += below;
    }
    prefix[lane] = total;
    // Half of the warp alone.
    if (lane < 16)
        prefix[lane] += 1000 * __shfl_sync(0xffffu, lane, 15);
}

template <typename T> static T *managed(int count)
{
    T *memory;
    CUDA(cudaMallocManaged(&memory, count * sizeof(T)));
    return memory;
}

int main()
{
    int *index = managed<int>(WARP), *up = managed<int>(WARP), *down = managed<int>(WARP);
    int *across = managed<int>(WARP), *segments = managed<int>(WARP), *prefix = managed<int>(WARP);
    double *doubles = managed<double>(WARP);
    long long *longs = managed<long long>(WARP);
    float *sum = managed<float>(1);
    shuffle<<<1, WARP>>>(index, up, down, across, doubles, longs, segments);
    reduce<<<1, WARP>>>(sum, prefix);
    CUDA(cudaDeviceSynchronize());
    for (int lane = 0; lane < WARP; lane++) {
        CHECK_EQUAL(index[lane], (lane + 5) % WARP * 10);
        CHECK_EQUAL(up[lane], lane < 3 ? lane : lane - 3);
        CHECK_EQUAL(down[lane], lane > 27 ? lane : lane + 4);
        CHECK_EQUAL(across[lane], lane ^ 21);
        CHECK_EQUAL(doubles[lane], 7.125);
        CHECK_EQUAL(longs[lane], (long long)(lane ^ 1) << 33);
        CHECK_EQUAL(segments[lane], lane / 8 * 8 + 2 + 100 * (lane % 4 == 3 ? lane : lane + 1));
        CHECK_EQUAL(prefix[lane], (lane + 1) * (lane + 2) / 2 + (lane < 16 ? 15000 : 0));
    }
    CHECK_EQUAL(*sum, 248.0f);
    return check_result();
}
