/* Lengths of rows, for the kernels and for the host: those of PolyBench-ACC's MINI_DATASET. */
#ifndef WORKLOADS_POLYBENCH_SIZES_H
#define WORKLOADS_POLYBENCH_SIZES_H

enum { MM2 = 256, MM3 = 128, GEMM = 128, SYRK = 256, SYR2K = 256, DOITGEN = 32 };
enum { ATAX = 1024, BICG = 1024, GEMVER = 1024, GESUMMV = 1024, MVT = 1024 };
enum { GRAMSCHMIDT = 512, LU = 512 };
enum { CORRELATION = 512, COVARIANCE = 512 };
enum { CONV2D = 1024, CONV3D = 64, ADI = 256, FDTD = 512, JACOBI1D = 1024, JACOBI2D = 256 };

/* What the columns' sums are divided by, and the least deviation of a column that is not taken for 1. */
static const float DIVISOR = 3214212.01f, LEAST = 0.005f;

#endif
