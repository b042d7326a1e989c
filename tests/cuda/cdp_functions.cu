// Children by function pointer, as template parameters, with functors, and from inlined device functions.
// nvcc: -rdc=true
#include "check.h"

typedef void (*Kernel)(int *, int);

__global__ void add(int *value, int operand) { *value += operand; }
__global__ void multiply(int *value, int operand) { *value *= operand; }

__device__ Kernel table[2] = {add, multiply};

__global__ void by_pointer(int *value)
{
    for (int i = 0; i < 6; i++)
        table[i % 2]<<<1, 1>>>(value, i + 2);
}

__global__ void by_argument(Kernel kernel, int *value) { kernel<<<1, 1>>>(value, 9); }

__global__ void pass_on(int *value, bool which) { by_argument<<<1, 1>>>(which ? add : multiply, value); }

template <typename T, typename Function> __global__ void apply(T *data, Function function)
{
    data[threadIdx.x] = function(data[threadIdx.x]);
}

template <typename T> struct Affine {
    T factor, addend;
    __device__ T operator()(T x) const { return x * factor + addend; }
};

template <typename T> __device__ void transform(T *data, int count, T factor, T addend)
{
    apply<<<1, count>>>(data, Affine<T>{factor, addend});
}

template <int LEFT> __global__ void countdown(int *value)
{
    *value = *value * 10 + LEFT;
    if constexpr (LEFT > 0)
        countdown<LEFT - 1><<<1, 1>>>(value);
}

__global__ void by_template(float *floats, double *doubles, int *value)
{
    transform(floats, 32, 2.0f, 1.0f);
    transform(doubles, 32, 0.5, -1.0);
    countdown<5><<<1, 1>>>(value);
}

int main()
{
    int *value;
    float *floats;
    double *doubles;
    CUDA(cudaMallocManaged(&value, 3 * sizeof *value));
    CUDA(cudaMallocManaged(&floats, 32 * sizeof *floats));
    CUDA(cudaMallocManaged(&doubles, 32 * sizeof *doubles));
    for (int i = 0; i < 32; i++)
        floats[i] = doubles[i] = i;
    value[0] = 1, value[1] = 5, value[2] = 0;
    by_pointer<<<1, 1>>>(value);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(value[0], (((1 + 2) * 3 + 4) * 5 + 6) * 7);
    pass_on<<<1, 1>>>(value + 1, true);
    pass_on<<<1, 1>>>(value + 1, false);
    by_template<<<1, 1>>>(floats, doubles, value + 2);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(value[1], (5 + 9) * 9);
    CHECK_EQUAL(value[2], 543210);
    for (int i = 0; i < 32; i++) {
        CHECK_EQUAL(floats[i], 2.0f * i + 1);
        CHECK_EQUAL(doubles[i], 0.5 * i - 1);
    }
    return check_result();
}
