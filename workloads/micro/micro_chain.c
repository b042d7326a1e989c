/* Latency of arithmetic: chains of 4096 operations of one warp, each of which needs the one before. */
#include "micro/measure.h"

#include <math.h>
#include <string.h>

enum { STEPS = 4096 };

/* What the chain ends with, by the names of the operations in micro.cu. */
static double chain_end(const char *kernel, float a, float b)
{
    float x = a;
    double d = a;
    int i = (int)a, j = (int)b;
    for (int k = 0; k < STEPS; k++) {
        if (!strcmp(kernel, "alu_ffma"))
            x = fmaf(x, b, a);
        else if (!strcmp(kernel, "alu_fadd"))
            x = x + b;
        else if (!strcmp(kernel, "alu_imad"))
            i = i * j + 3;
        else if (!strcmp(kernel, "alu_iadd_xor"))
            i = (i + j) ^ 0x55;
        else if (!strcmp(kernel, "alu_sinf_approx"))
            x = sinf(x);
        else if (!strcmp(kernel, "alu_rsqrtf"))
            x = 1 / sqrtf(x);
        else if (!strcmp(kernel, "alu_dfma"))
            d = fma(d, (double)b, (double)a);
        else if (!strcmp(kernel, "alu_fdiv"))
            x = a / x;
        else if (!strcmp(kernel, "alu_expf"))
            x = expf(x);
    }
    return x + (float)i + (float)d;
}

MEASUREMENT(measure_chain)
{
    (void)gpu;
    int steps = STEPS;
    float a = 1.5f, b = 0.5f, end = 0;
    int64_t cycles = 0;
    uint64_t at = host_buffer(host, &end, sizeof end), count = host_buffer(host, &cycles, sizeof cycles);
    HOST_LAUNCH(host, micro->kernel, dim(1, 1, 1), dim(32, 1, 1), WB_ARG(steps), WB_ARG(at), WB_ARG(count),
                WB_ARG(a), WB_ARG(b));
    host_read(host, &end, at, sizeof end);
    host_read(host, &cycles, count, sizeof cycles);
    host_free(host, at), host_free(host, count);
    *value = (double)cycles / steps;
    double expected = chain_end(micro->kernel, a, b);
    /* Approximated sines drift apart a little from exact ones. */
    return isinf(expected) ? isinf(end) : fabs(end - expected) <= 1e-4 * fabs(expected);
}
