/* Host code of fp64.cu. */
#include "suite/case.h"

#include <math.h>

bool suite_dgemm_tiled(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 32, 208), k = case_size(host, 48, 256);
    const size_t in_bytes = (size_t)(n * k) * 8, out_bytes = (size_t)(n * n) * 8;
    const double *a = case_doubles(&c, (size_t)(n * k), -1, 1, 1),
                 *b = case_doubles(&c, (size_t)(n * k), -1, 1, 2);
    const uint64_t da = case_buffer(&c, a, in_bytes), db = case_buffer(&c, b, in_bytes),
                   dc = case_buffer(&c, NULL, out_bytes);
    HOST_LAUNCH(host, "dgemm_tiled", dim((uint32_t)n / 16, (uint32_t)n / 16, 1), dim(16, 16, 1), WB_ARG(da),
                WB_ARG(db), WB_ARG(dc), WB_ARG(n), WB_ARG(k));
    const double *got = case_result(&c, dc, out_bytes);
    bool right = true;
    for (int i = 0; i < n * n; i += 3) {
        double sum = 0;
        for (int e = 0; e < k; e++)
            sum += a[i / n * k + e] * b[e * n + i % n];
        right &= case_near(got[i], sum, 1e-12);
    }
    return case_end(&c, right);
}

bool suite_nbody_double(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 128, 1408), chunks = n / 64;
    const double *bodies = case_doubles(&c, (size_t)n * 4, 0, 1, 3);
    const size_t out_bytes = (size_t)(n * chunks) * 8;
    const uint64_t in = case_buffer(&c, bodies, (size_t)n * 32), out = case_buffer(&c, NULL, out_bytes);
    HOST_LAUNCH(host, "nbody_double", dim((uint32_t)n / 128, (uint32_t)chunks, 1), dim(128, 1, 1), WB_ARG(in),
                WB_ARG(out), WB_ARG(n));
    const double *got = case_result(&c, out, out_bytes);
    bool right = true;
    for (int i = 0; i < n; i += 7) {
        double sum = 0, total = 0;
        for (int k = 0; k < n; k++) {
            const double dx = bodies[k * 4] - bodies[i * 4], dy = bodies[k * 4 + 1] - bodies[i * 4 + 1],
                         dz = bodies[k * 4 + 2] - bodies[i * 4 + 2];
            sum += bodies[k * 4 + 3] * pow(dx * dx + dy * dy + dz * dz + 1e-3, -1.5) * dx;
        }
        for (int k = 0; k < chunks; k++)
            total += got[k * n + i];
        right &= case_near(total, sum, 1e-9);
    }
    return case_end(&c, right);
}

bool suite_continued_fraction(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 512, 66 * 128), steps = case_size(host, 10, 60);
    const double *in = case_doubles(&c, (size_t)n, 1, 4, 4);
    const uint64_t from = case_buffer(&c, in, (size_t)n * 8), to = case_buffer(&c, NULL, (size_t)n * 8);
    CASE_LAUNCH(&c, "continued_fraction", n / 128, 128, WB_ARG(from), WB_ARG(to), WB_ARG(steps));
    const double *got = case_result(&c, to, (size_t)n * 8);
    bool right = true;
    for (int i = 0; i < n; i++) {
        double x = 1;
        for (int k = 0; k < steps; k++)
            x = 1 + in[i] / (k + x);
        right &= case_near(got[i], x, 1e-13);
    }
    return case_end(&c, right);
}

bool suite_daxpy_exp(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 2000, 150000);
    const double a = 0.75, *x = case_doubles(&c, (size_t)n, -3, 3, 5),
                 *y = case_doubles(&c, (size_t)n, 0.5, 9, 6);
    const uint64_t dx = case_buffer(&c, x, (size_t)n * 8), dy = case_buffer(&c, y, (size_t)n * 8);
    CASE_LAUNCH(&c, "daxpy_exp", (n + 255) / 256, 256, WB_ARG(a), WB_ARG(dx), WB_ARG(dy), WB_ARG(n));
    const double *got = case_result(&c, dy, (size_t)n * 8);
    bool right = true;
    for (int i = 0; i < n; i++)
        right &= case_near(got[i], a * exp(x[i]) + log(y[i]), 1e-13);
    return case_end(&c, right);
}
