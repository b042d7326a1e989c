// Calls in all their shapes: structs by value, recursion, pointers, virtual functions, branch tables.
// Compiled by nvcc and by clang without an SDK.
#ifdef __clang__
#include "warpbeam_device.h"
#endif

struct Odd3 { char c[3]; };
struct Odd7 { unsigned char c[7]; };
struct Mixed { char tag; double weight; short low; int words[5]; };
struct alignas(16) Aligned { float x, y, z; };
struct Empty { };
#pragma pack(push, 1)
struct Packed { char tag; unsigned short half; unsigned value; unsigned long long wide; };
#pragma pack(pop)
struct Pair { long long first; int second; };

extern "C" __global__ void struct_parameters(char before, Odd3 odd, Mixed mixed, Aligned aligned, Empty, Odd7 seven,
                                             Packed packed, bool flag, double *out)
{
    unsigned t = threadIdx.x;
    double sum = before;
    for (int i = 0; i < 3; i++)
        sum += odd.c[i] * (i + 1);
    for (int i = 0; i < 7; i++)
        sum += seven.c[i] * (i + 1);
    for (int i = 0; i < 5; i++)
        sum += mixed.words[(i + t) % 5] * (i + 1);
    sum += mixed.tag + mixed.weight + mixed.low + aligned.x * 2 + aligned.y * 3 + aligned.z * 4;
    sum += packed.tag + packed.half + packed.value + (double)packed.wide;
    out[t] = flag ? sum + t : -1;
}

__device__ __noinline__ Mixed make_mixed(Odd3 odd, Packed packed, int seed)
{
    Mixed mixed = {odd.c[seed % 3], packed.value * 0.5, (short)(packed.half - seed), {}};
    for (int i = 0; i < 5; i++)
        mixed.words[i] = seed * 10 + i + (int)packed.wide;
    return mixed;
}

__device__ __noinline__ Odd3 rotate(Odd3 odd) { return {{odd.c[1], odd.c[2], odd.c[0]}}; }

__device__ __noinline__ Pair swap_pair(Pair pair) { return {pair.second, (int)pair.first}; }

extern "C" __global__ void struct_returns(double *out)
{
    int t = (int)threadIdx.x;
    Odd3 odd = {{(char)t, (char)(t + 1), (char)(t + 2)}};
    Packed packed = {1, (unsigned short)(t * 3), (unsigned)t * 7, (unsigned long long)t * 2};
    double sum = 0;
    for (int i = 0; i <= t % 4; i++) {
        odd = rotate(odd);
        Mixed mixed = make_mixed(odd, packed, t + i);
        Pair pair = swap_pair({mixed.words[i], mixed.low});
        sum += mixed.tag * 3 + mixed.weight + mixed.low + (double)pair.first * 2 + pair.second;
        for (int k = 0; k < 5; k++)
            sum += mixed.words[k] * (k + 1);
    }
    out[t] = sum;
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__device__ __noinline__ int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

__device__ __noinline__ void quicksort(int *values, int low, int high)
{
    if (low >= high)
        return;
    int pivot = values[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (values[i] < pivot)
            i++;
        while (values[j] > pivot)
            j--;
        if (i <= j) {
            int other = values[i];
            values[i++] = values[j];
            values[j--] = other;
        }
    }
    quicksort(values, low, j);
    quicksort(values, i, high);
}

// Mutual recursion.
__device__ __noinline__ bool is_odd(unsigned n);
__device__ __noinline__ bool is_even(unsigned n) { return n == 0 || is_odd(n - 1); }
__device__ __noinline__ bool is_odd(unsigned n) { return n != 0 && is_even(n - 1); }

extern "C" __global__ void recursion(int *out)
{
    int t = (int)threadIdx.x, values[24];
    unsigned state = (unsigned)t * 2654435761u + 1;
    for (int i = 0; i < 24; i++) {
        state = state * 1664525u + 1013904223u;
        values[i] = (int)(state >> 16 & 1023);
    }
    quicksort(values, 0, t % 24);
    int sum = 0;
    for (int i = 0; i < 24; i++)
        sum = sum * 31 + values[i];
    out[t * 4] = fibonacci(t % 11);
    out[t * 4 + 1] = ackermann(t % 3, t % 5);
    out[t * 4 + 2] = sum;
    out[t * 4 + 3] = (t & 1 ? is_odd((unsigned)t) : is_even((unsigned)t + 1)) ? 1 : 0;
}

typedef int Operation(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int minus(int a, int b) { return a - b; }
__device__ int times(int a, int b) { return a * b; }
__device__ int compose(int a, int b) { return a < b ? plus(a, 100) : minus(b, 100); }
__device__ Operation *operations[4] = {plus, minus, times, compose};
__constant__ Operation *constant_operations[4] = {compose, times, minus, plus};

extern "C" __global__ void pointers(int *out)
{
    int t = (int)threadIdx.x;
    int result = operations[t % 4](t, 7);
    if (t % 3)
        result = constant_operations[t / 4 % 4](result, t);
    Operation *chosen = t & 8 ? times : minus;
    out[t] = chosen(result, 3);
}

struct Shape {
    int size;
    __device__ Shape(int s) : size(s) {}
    __device__ virtual int area() const { return size; }
    __device__ virtual int corners() const = 0;
    __device__ int both() const { return area() * 1000 + corners(); }
};
struct Square : Shape {
    __device__ Square(int s) : Shape(s) {}
    __device__ int area() const override { return size * size; }
    __device__ int corners() const override { return 4; }
};
struct Rhombus final : Square {
    int other;
    __device__ Rhombus(int s, int o) : Square(s), other(o) {}
    __device__ int area() const override { return size * other / 2; }
};
struct Dot : Shape {
    __device__ Dot() : Shape(1) {}
    __device__ int corners() const override { return 0; }
};

__device__ __noinline__ int measure(const Shape *shape) { return shape->both(); }

extern "C" __global__ void virtuals(int *out)
{
    int t = (int)threadIdx.x;
    Square square(t);
    Rhombus rhombus(t, t + 3);
    Dot dot;
    const Shape *shapes[3] = {&square, &rhombus, &dot};
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += measure(shapes[(t + i) % 3]) * (i + 1);
    out[t] = sum;
}

extern "C" __global__ void switches(int *out)
{
    int t = (int)threadIdx.x, value = t;
    for (int i = 0; i < 4; i++) {
        switch ((value + i) % 13) {
        case 0: value += 3; break;
        case 1: value ^= 0x55; break;
        case 2: value *= 3; // falls through
        case 3: value -= t; break;
        case 4: value = value << 1 | 1; break;
        case 5: value = ~value & 0xffff; break;
        case 6: value += operations[t & 1](value, 5); break;
        case 8: value = value / 3; break;
        case 9: value += 1000; break;
        case 11: out[64 + t] = i; break;
        default: value += 17;
        }
        value &= 0xfffff;
    }
    out[t] = value;
}

template <typename T, int N> struct Ring {
    T items[N];
    int head = 0;
    __device__ void push(T value) { items[head++ % N] = value; }
    template <typename F> __device__ T fold(F f) const
    {
        T sum = items[0];
        for (int i = 1; i < N; i++)
            sum = f(sum, items[i]);
        return sum;
    }
};

template <typename F> __device__ __noinline__ float apply(F f, float x) { return f(x); }

extern "C" __global__ void templates(float *out)
{
    int t = (int)threadIdx.x;
    Ring<float, 5> ring;
    for (int i = 0; i < 12; i++)
        ring.push((float)(i * t));
    float offset = 0.5f;
    float largest = ring.fold([](float a, float b) { return a > b ? a : b; });
    float total = ring.fold([=](float a, float b) { return a + b + offset; });
    int calls = 0;
    float applied = apply([&](float x) { calls++; return x * 2 + (float)t; }, largest);
    if (t & 1)
        applied = apply([&](float x) { calls += 10; return x - total; }, applied);
    out[t] = applied + (float)calls;
}
