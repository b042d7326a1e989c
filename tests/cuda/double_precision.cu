// Double precision: exact arithmetic, rounding modes, and mathematical functions to a last digit or two.
#include <cmath>

#include "check.h"

__global__ void compute(const double *in, double *out)
{
    double x = in[threadIdx.x], *o = out + threadIdx.x * 12;
    o[0] = x / 3.0;
    o[1] = sqrt(x);
    o[2] = fma(x, x, -1.0);
    o[3] = sin(x);
    o[4] = exp(-x);
    o[5] = log(x);
    o[6] = pow(x, 1.5);
    o[7] = atan2(x, 2.0);
    o[8] = __dadd_ru(x, 1e-30);
    o[9] = __ddiv_rd(x, 3.0);
    o[10] = floor(x) + fmod(x, 0.75);
    o[11] = cbrt(x) + erf(x);
}

static bool close(double actual, double expected, double units)
{
    return fabs(actual - expected) <= units * 2.3e-16 * fabs(expected) + 1e-300;
}

int main()
{
    const int count = 64;
    double *in, *out;
    CUDA(cudaMallocManaged(&in, count * sizeof *in));
    CUDA(cudaMallocManaged(&out, 12 * count * sizeof *out));
    for (int i = 0; i < count; i++)
        in[i] = 0.37 + i * 0.71;
    compute<<<2, 32>>>(in, out);
    compute<<<1, count>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < count; i++) {
        double x = in[i], *o = out + i * 12;
        CHECK_EQUAL(o[0], x / 3.0);
        CHECK_EQUAL(o[1], sqrt(x));
        CHECK_EQUAL(o[2], fma(x, x, -1.0));
        CHECK(fabs(o[3] - sin(x)) < 1e-15);
        CHECK(close(o[4], exp(-x), 2));
        CHECK(close(o[5], log(x), 2) || fabs(o[5]) < 0.1);
        CHECK(close(o[6], pow(x, 1.5), 2));
        CHECK(close(o[7], atan2(x, 2.0), 3));
        CHECK_EQUAL(o[8], nextafter(x, 1e9));
        CHECK(o[9] <= x / 3.0 && o[9] >= nextafter(x / 3.0, 0));
        CHECK_EQUAL(o[10], floor(x) + fmod(x, 0.75));
        CHECK(close(o[11], cbrt(x) + erf(x), 4));
    }
    return check_result();
}
