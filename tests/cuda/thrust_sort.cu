// Thrust from CUDA's own headers: vectors, transform, reduce, sort.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include "check.h"

struct Square {
    __host__ __device__ int operator()(int x) const { return x * x; }
};

int main()
{
    const int count = 3000;
    thrust::host_vector<int> host(count);
    for (int i = 0; i < count; i++)
        host[i] = i * 7919 % 3001 - 1000;
    thrust::device_vector<int> device = host, squares(count);
    thrust::sort(device.begin(), device.end());
    thrust::host_vector<int> sorted = device;
    for (int i = 1; i < count; i++)
        CHECK(sorted[i - 1] <= sorted[i]);
    thrust::transform(device.begin(), device.end(), squares.begin(), Square());
    long long sum = thrust::reduce(squares.begin(), squares.end(), 0LL), expected = 0;
    for (int i = 0; i < count; i++)
        expected += (long long)host[i] * host[i];
    CHECK_EQUAL(sum, expected);
    return check_result();
}
