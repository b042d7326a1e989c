// Kernels in the shapes of PolyBench-ACC's CUDA programs, single precision, MINI_DATASET: the same launches,
// arrays, accesses and loops, so that an H200's counters of those (h200.csv) can be compared with ours. Host
// code: polybench.c. https://github.com/cavazos-lab/PolyBench-ACC
//
// What matters for the counters: rows have lengths that the compiler knows, loops do not; sums are kept in
// memory and stored in every round; pointers may alias, so that nothing is loaded through the read-only path;
// divisions and roots are exact. Parameters without a name are not used, but where the others lie decides
// how many instructions load them. Of the machine code that nvcc 13.0 makes of this for sm_90, warps execute
// as many instructions as the H200 counted. Kernels are numbered in the order of their program's launches.

#include "sizes.h"

static __device__ int x_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ int y_index() { return blockIdx.y * blockDim.y + threadIdx.y; }

#define KERNEL extern "C" __global__ void

// -- products of matrices ----------------------------------------------------------------------------------

KERNEL mm2_1(int ni, int nj, int nk, int, float alpha, float, float *tmp, float *a, float *b)
{
    int j = x_index(), i = y_index();
    if (i < ni && j < nj) {
        tmp[i * MM2 + j] = 0;
        for (int k = 0; k < nk; k++)
            tmp[i * MM2 + j] += alpha * a[i * MM2 + k] * b[k * MM2 + j];
    }
}

KERNEL mm2_2(int ni, int nj, int, int nl, float, float beta, float *tmp, float *c, float *d)
{
    int j = x_index(), i = y_index();
    if (i < ni && j < nl) {
        d[i * MM2 + j] *= beta;
        for (int k = 0; k < nj; k++)
            d[i * MM2 + j] += tmp[i * MM2 + k] * c[k * MM2 + j];
    }
}

static __device__ void mm3(int rows, int columns, int inner, const float *left, const float *right,
                           float *product)
{
    int j = x_index(), i = y_index();
    if (i < rows && j < columns) {
        product[i * MM3 + j] = 0;
        for (int k = 0; k < inner; k++)
            product[i * MM3 + j] += left[i * MM3 + k] * right[k * MM3 + j];
    }
}

KERNEL mm3_1(int ni, int nj, int nk, int, int, float *a, float *b, float *e) { mm3(ni, nj, nk, a, b, e); }
KERNEL mm3_2(int, int nj, int, int nl, int nm, float *c, float *d, float *f) { mm3(nj, nl, nm, c, d, f); }
KERNEL mm3_3(int ni, int nj, int, int nl, int, float *e, float *f, float *g) { mm3(ni, nl, nj, e, f, g); }

KERNEL gemm(int ni, int nj, int nk, float alpha, float beta, float *a, float *b, float *c)
{
    int j = x_index(), i = y_index();
    if (i < ni && j < nj) {
        c[i * GEMM + j] *= beta;
        for (int k = 0; k < nk; k++)
            c[i * GEMM + j] += alpha * a[i * GEMM + k] * b[k * GEMM + j];
    }
}

KERNEL syrk(int ni, int nj, float alpha, float beta, float *a, float *c)
{
    int j = x_index(), i = y_index();
    if (i < ni && j < ni) {
        c[i * SYRK + j] *= beta;
        for (int k = 0; k < nj; k++)
            c[i * SYRK + j] += alpha * a[i * SYRK + k] * a[j * SYRK + k];
    }
}

// The one kernel whose loops have a length that the compiler knows.
KERNEL syr2k(int, int, float alpha, float beta, float *a, float *b, float *c)
{
    int j = x_index(), i = y_index();
    if (i < SYR2K && j < SYR2K) {
        c[i * SYR2K + j] *= beta;
        for (int k = 0; k < SYR2K; k++)
            c[i * SYR2K + j] +=
                alpha * a[i * SYR2K + k] * b[j * SYR2K + k] + alpha * b[i * SYR2K + k] * a[j * SYR2K + k];
    }
}

// Its lengths of rows, too, are known to the host only.
KERNEL doitgen_1(int, int nq, int np, float *sum, float *a, float *c4, int r)
{
    int p = x_index(), q = y_index();
    if (p < np && q < nq) {
        sum[r * (nq * np) + q * np + p] = 0;
        for (int s = 0; s < np; s++)
            sum[r * (nq * np) + q * np + p] =
                sum[r * (nq * np) + q * np + p] + a[r * (nq * np) + q * np + s] * c4[s * np + p];
    }
}

KERNEL doitgen_2(int, int nq, int np, float *sum, float *a, float *, int r)
{
    int p = x_index(), q = y_index();
    if (p < np && q < nq)
        a[r * (nq * np) + q * np + p] = sum[r * (nq * np) + q * np + p];
}

// -- matrices and vectors ----------------------------------------------------------------------------------

KERNEL atax_1(int nx, int ny, float *a, float *x, float *tmp)
{
    int i = x_index();
    if (i < nx) {
        tmp[i] = 0;
        for (int j = 0; j < ny; j++)
            tmp[i] += a[i * ATAX + j] * x[j];
    }
}

KERNEL atax_2(int nx, int ny, float *a, float *y, float *tmp)
{
    int j = x_index();
    if (j < ny) {
        y[j] = 0;
        for (int i = 0; i < nx; i++)
            y[j] += a[i * ATAX + j] * tmp[i];
    }
}

KERNEL bicg_1(int nx, int ny, float *a, float *r, float *s)
{
    int j = x_index();
    if (j < ny) {
        s[j] = 0;
        for (int i = 0; i < nx; i++)
            s[j] += r[i] * a[i * BICG + j];
    }
}

KERNEL bicg_2(int nx, int ny, float *a, float *p, float *q)
{
    int i = x_index();
    if (i < nx) {
        q[i] = 0;
        for (int j = 0; j < ny; j++)
            q[i] += a[i * BICG + j] * p[j];
    }
}

KERNEL gemver_1(int n, float, float, float *a, float *v1, float *v2, float *u1, float *u2)
{
    int j = x_index(), i = y_index();
    if (i < n && j < n)
        a[i * GEMVER + j] += u1[i] * v1[j] + u2[i] * v2[j];
}

KERNEL gemver_2(int n, float, float beta, float *a, float *x, float *y, float *z)
{
    int i = x_index();
    if (i < n) {
        for (int j = 0; j < n; j++)
            x[i] += beta * a[j * GEMVER + i] * y[j];
        x[i] += z[i];
    }
}

KERNEL gemver_3(int n, float alpha, float, float *a, float *x, float *w)
{
    int i = x_index();
    if (i >= 0 && i < n) {
        for (int j = 0; j < n; j++)
            w[i] += alpha * a[i * GEMVER + j] * x[j];
    }
}

KERNEL gesummv(int n, float alpha, float beta, float *a, float *b, float *tmp, float *x, float *y)
{
    int i = x_index();
    if (i < n) {
        for (int j = 0; j < n; j++) {
            tmp[i] += a[i * GESUMMV + j] * x[j];
            y[i] += b[i * GESUMMV + j] * x[j];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
}

KERNEL mvt_1(int n, float *a, float *x1, float *y1)
{
    int i = x_index();
    if (i < n) {
        for (int j = 0; j < n; j++)
            x1[i] += a[i * MVT + j] * y1[j];
    }
}

KERNEL mvt_2(int n, float *a, float *x2, float *y2)
{
    int i = x_index();
    if (i < n) {
        for (int j = 0; j < n; j++)
            x2[i] += a[j * MVT + i] * y2[j];
    }
}

// -- solvers -----------------------------------------------------------------------------------------------

KERNEL gramschmidt_1(int ni, int, float *a, float *r, float *, int k)
{
    if (x_index() == 0) {
        float norm = 0;
        for (int i = 0; i < ni; i++)
            norm += a[i * GRAMSCHMIDT + k] * a[i * GRAMSCHMIDT + k];
        r[k * GRAMSCHMIDT + k] = sqrtf(norm);
    }
}

KERNEL gramschmidt_2(int ni, int, float *a, float *r, float *q, int k)
{
    int i = x_index();
    if (i < ni)
        q[i * GRAMSCHMIDT + k] = a[i * GRAMSCHMIDT + k] / r[k * GRAMSCHMIDT + k];
}

KERNEL gramschmidt_3(int ni, int nj, float *a, float *r, float *q, int k)
{
    int j = x_index();
    if (j > k && j < nj) {
        r[k * GRAMSCHMIDT + j] = 0;
        for (int i = 0; i < ni; i++)
            r[k * GRAMSCHMIDT + j] += q[i * GRAMSCHMIDT + k] * a[i * GRAMSCHMIDT + j];
        for (int i = 0; i < ni; i++)
            a[i * GRAMSCHMIDT + j] -= q[i * GRAMSCHMIDT + k] * r[k * GRAMSCHMIDT + j];
    }
}

KERNEL lu_1(int n, float *a, int k)
{
    int j = x_index();
    if (j > k && j < n)
        a[k * LU + j] = a[k * LU + j] / a[k * LU + k];
}

KERNEL lu_2(int n, float *a, int k)
{
    int j = x_index(), i = y_index();
    if (i > k && j > k && i < n && j < n)
        a[i * LU + j] = a[i * LU + j] - a[i * LU + k] * a[k * LU + j];
}

// -- statistics of columns ---------------------------------------------------------------------------------

static __device__ void mean_of_column(int m, int n, float *mean, float *data)
{
    int j = x_index();
    if (j < m) {
        mean[j] = 0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i * CORRELATION + j];
        mean[j] /= DIVISOR;
    }
}

KERNEL correlation_mean(int m, int n, float *mean, float *data) { mean_of_column(m, n, mean, data); }
KERNEL covariance_mean(int m, int n, float *mean, float *data) { mean_of_column(m, n, mean, data); }

KERNEL correlation_std(int m, int n, float *mean, float *std, float *data)
{
    int j = x_index();
    if (j < m) {
        std[j] = 0;
        for (int i = 0; i < n; i++)
            std[j] += (data[i * CORRELATION + j] - mean[j]) * (data[i * CORRELATION + j] - mean[j]);
        std[j] /= DIVISOR;
        std[j] = sqrtf(std[j]);
        if (std[j] <= LEAST)
            std[j] = 1;
    }
}

KERNEL correlation_reduce(int m, int n, float *mean, float *std, float *data)
{
    int j = x_index(), i = y_index();
    if (i < n && j < m) {
        data[i * CORRELATION + j] -= mean[j];
        data[i * CORRELATION + j] /= sqrtf(DIVISOR) * std[j];
    }
}

KERNEL correlation_corr(int m, int n, float *symmat, float *data)
{
    int j1 = x_index();
    if (j1 < m - 1) {
        symmat[j1 * CORRELATION + j1] = 1;
        for (int j2 = j1 + 1; j2 < m; j2++) {
            symmat[j1 * CORRELATION + j2] = 0;
            for (int i = 0; i < n; i++)
                symmat[j1 * CORRELATION + j2] += data[i * CORRELATION + j1] * data[i * CORRELATION + j2];
            symmat[j2 * CORRELATION + j1] = symmat[j1 * CORRELATION + j2];
        }
    }
}

KERNEL covariance_reduce(int m, int n, float *mean, float *data)
{
    int j = x_index(), i = y_index();
    if (i < n && j < m)
        data[i * COVARIANCE + j] -= mean[j];
}

KERNEL covariance_covar(int m, int n, float *symmat, float *data)
{
    int j1 = x_index();
    if (j1 < m) {
        for (int j2 = j1; j2 < m; j2++) {
            symmat[j1 * COVARIANCE + j2] = 0;
            for (int i = 0; i < n; i++)
                symmat[j1 * COVARIANCE + j2] += data[i * COVARIANCE + j1] * data[i * COVARIANCE + j2];
            symmat[j2 * COVARIANCE + j1] = symmat[j1 * COVARIANCE + j2];
        }
    }
}

// -- convolutions and stencils -----------------------------------------------------------------------------

KERNEL conv2d(int ni, int nj, float *a, float *b)
{
    int j = x_index(), i = y_index();
    if (i < ni - 1 && j < nj - 1 && i > 0 && j > 0)
        b[i * CONV2D + j] = 0.2f * a[(i - 1) * CONV2D + j - 1] + 0.5f * a[(i - 1) * CONV2D + j] +
                            -0.8f * a[(i - 1) * CONV2D + j + 1] + -0.3f * a[i * CONV2D + j - 1] +
                            0.6f * a[i * CONV2D + j] + -0.9f * a[i * CONV2D + j + 1] +
                            0.4f * a[(i + 1) * CONV2D + j - 1] + 0.7f * a[(i + 1) * CONV2D + j] +
                            0.1f * a[(i + 1) * CONV2D + j + 1];
}

// Fifteen terms of eleven neighbours: two of them come three times.
KERNEL conv3d(int ni, int nj, int nk, float *a, float *b, int i)
{
    int k = x_index(), j = y_index();
    if (i < ni - 1 && j < nj - 1 && k < nk - 1 && i > 0 && j > 0 && k > 0) {
#define A(x, y, z) a[(i + x) * (CONV3D * CONV3D) + (j + y) * CONV3D + (k + z)]
        b[i * (CONV3D * CONV3D) + j * CONV3D + k] =
            2.0f * A(-1, -1, -1) + 4.0f * A(1, -1, -1) + 5.0f * A(-1, -1, -1) + 7.0f * A(1, -1, -1) +
            -8.0f * A(-1, -1, -1) + 10.0f * A(1, -1, -1) + -3.0f * A(0, -1, 0) + 6.0f * A(0, 0, 0) +
            -9.0f * A(0, 1, 0) + 2.0f * A(-1, -1, 1) + 4.0f * A(1, -1, 1) + 5.0f * A(-1, 0, 1) +
            7.0f * A(1, 0, 1) + -8.0f * A(-1, 1, 1) + 10.0f * A(1, 1, 1);
#undef A
    }
}

KERNEL adi_1(int n, float *a, float *b, float *x)
{
    int i1 = x_index();
    if (i1 < n)
        for (int i2 = 1; i2 < n; i2++) {
            x[i1 * ADI + i2] =
                x[i1 * ADI + i2] - x[i1 * ADI + (i2 - 1)] * a[i1 * ADI + i2] / b[i1 * ADI + (i2 - 1)];
            b[i1 * ADI + i2] =
                b[i1 * ADI + i2] - a[i1 * ADI + i2] * a[i1 * ADI + i2] / b[i1 * ADI + (i2 - 1)];
        }
}

KERNEL adi_2(int n, float *, float *b, float *x)
{
    int i1 = x_index();
    if (i1 < n)
        x[i1 * ADI + (ADI - 1)] = x[i1 * ADI + (ADI - 1)] / b[i1 * ADI + (ADI - 1)];
}

KERNEL adi_3(int n, float *a, float *b, float *x)
{
    int i1 = x_index();
    if (i1 < n)
        for (int i2 = 0; i2 < n - 2; i2++)
            x[i1 * ADI + (ADI - i2 - 2)] = (x[i1 * ADI + (ADI - 2 - i2)] -
                                            x[i1 * ADI + (ADI - 2 - i2 - 1)] * a[i1 * ADI + (ADI - i2 - 3)]) /
                                           b[i1 * ADI + (ADI - 3 - i2)];
}

KERNEL adi_4(int n, float *a, float *b, float *x, int i1)
{
    int i2 = x_index();
    if (i2 < n) {
        x[i1 * ADI + i2] =
            x[i1 * ADI + i2] - x[(i1 - 1) * ADI + i2] * a[i1 * ADI + i2] / b[(i1 - 1) * ADI + i2];
        b[i1 * ADI + i2] = b[i1 * ADI + i2] - a[i1 * ADI + i2] * a[i1 * ADI + i2] / b[(i1 - 1) * ADI + i2];
    }
}

KERNEL fdtd_1(int nx, int ny, float *fict, float *, float *ey, float *hz, int t)
{
    int j = x_index(), i = y_index();
    if (i < nx && j < ny) {
        if (i == 0)
            ey[i * FDTD + j] = fict[t];
        else
            ey[i * FDTD + j] = ey[i * FDTD + j] - 0.5f * (hz[i * FDTD + j] - hz[(i - 1) * FDTD + j]);
    }
}

KERNEL fdtd_2(int nx, int ny, float *ex, float *, float *hz, int)
{
    int j = x_index(), i = y_index();
    if (i < nx && j < ny && j > 0)
        ex[i * FDTD + j] = ex[i * FDTD + j] - 0.5f * (hz[i * FDTD + j] - hz[i * FDTD + (j - 1)]);
}

KERNEL fdtd_3(int nx, int ny, float *ex, float *ey, float *hz, int)
{
    int j = x_index(), i = y_index();
    if (i < nx - 1 && j < ny - 1)
        hz[i * FDTD + j] = hz[i * FDTD + j] - 0.7f * (ex[i * FDTD + j + 1] - ex[i * FDTD + j] +
                                                      ey[(i + 1) * FDTD + j] - ey[i * FDTD + j]);
}

KERNEL jacobi1d_1(int n, float *a, float *b)
{
    int i = x_index();
    if (i > 1 && i < n - 1)
        b[i] = 0.33333f * (a[i - 1] + a[i] + a[i + 1]);
}

KERNEL jacobi1d_2(int n, float *a, float *b)
{
    int j = x_index();
    if (j > 1 && j < n - 1)
        a[j] = b[j];
}

KERNEL jacobi2d_1(int n, float *a, float *b)
{
    int i = y_index(), j = x_index();
    if (i >= 1 && i < n - 1 && j >= 1 && j < n - 1)
        b[i * JACOBI2D + j] =
            0.2f * (a[i * JACOBI2D + j] + a[i * JACOBI2D + j - 1] + a[i * JACOBI2D + j + 1] +
                    a[(i + 1) * JACOBI2D + j] + a[(i - 1) * JACOBI2D + j]);
}

KERNEL jacobi2d_2(int n, float *a, float *b)
{
    int i = y_index(), j = x_index();
    if (i >= 1 && i < n - 1 && j >= 1 && j < n - 1)
        a[i * JACOBI2D + j] = b[i * JACOBI2D + j];
}
