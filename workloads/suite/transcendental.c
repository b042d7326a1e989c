/* Host code of transcendental.cu. */
#include "suite/case.h"

#include <math.h>

static double normal_distribution(double d) { return 0.5 * erfc(-d / sqrt(2.0)); }

bool suite_black_scholes(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 2000, 300000);
    const size_t bytes = (size_t)n * 4;
    const float rate = 0.02f, volatility = 0.3f;
    const float *price = case_floats(&c, (size_t)n, 5, 30, 1),
                *strike = case_floats(&c, (size_t)n, 1, 100, 2),
                *years = case_floats(&c, (size_t)n, 0.25f, 10, 3);
    const uint64_t ds = case_buffer(&c, price, bytes), dx = case_buffer(&c, strike, bytes),
                   dt = case_buffer(&c, years, bytes), dc = case_buffer(&c, NULL, bytes),
                   dp = case_buffer(&c, NULL, bytes);
    CASE_LAUNCH(&c, "black_scholes", (n + 127) / 128, 128, WB_ARG(ds), WB_ARG(dx), WB_ARG(dt), WB_ARG(dc),
                WB_ARG(dp), WB_ARG(rate), WB_ARG(volatility), WB_ARG(n));
    const float *call = case_result(&c, dc, bytes), *put = case_result(&c, dp, bytes);
    bool right = true;
    for (int i = 0; i < n; i += 3) {
        const double s = price[i], x = strike[i], t = years[i], v = volatility;
        const double d1 = (log(s / x) + (rate + v * v / 2) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
        const double paid = x * exp(-rate * t), c1 = normal_distribution(d1), c2 = normal_distribution(d2);
        right &= case_near(call[i], s * c1 - paid * c2, 1e-4);
        right &= case_near(put[i], paid * (1 - c2) - s * (1 - c1), 1e-4);
    }
    return case_end(&c, right);
}

bool suite_sincos_sum(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 1000, 50000);
    float *in = case_floats(&c, (size_t)n, -20, 20, 4);
    for (int i = 0; i < n; i += 50)
        in[i] *= 10000;
    const uint64_t from = case_buffer(&c, in, (size_t)n * 4), to = case_buffer(&c, NULL, (size_t)n * 4);
    CASE_LAUNCH(&c, "sincos_sum", (n + 127) / 128, 128, WB_ARG(from), WB_ARG(to), WB_ARG(n));
    const float *got = case_result(&c, to, (size_t)n * 4);
    bool right = true;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 1; k <= 4; k++)
            sum += sin((double)(in[i] * (float)k)) * cos((double)(in[i] * (float)k));
        right &= case_near(got[i], sum, 1e-5);
    }
    return case_end(&c, right);
}

bool suite_erf_pow(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 2000, 200000);
    const float *x = case_floats(&c, (size_t)n, -2, 2, 5), *y = case_floats(&c, (size_t)n, 0.1f, 5, 6);
    const uint64_t dx = case_buffer(&c, x, (size_t)n * 4), dy = case_buffer(&c, y, (size_t)n * 4),
                   to = case_buffer(&c, NULL, (size_t)n * 4);
    CASE_LAUNCH(&c, "erf_pow", (n + 255) / 256, 256, WB_ARG(dx), WB_ARG(dy), WB_ARG(to), WB_ARG(n));
    const float *got = case_result(&c, to, (size_t)n * 4);
    bool right = true;
    for (int i = 0; i < n; i++)
        right &= case_near(got[i], erf(x[i]) * pow(y[i], 1.7f) + tanh(x[i]), 1e-5);
    return case_end(&c, right);
}

bool suite_fft_block(Host *host)
{
    Case c = {.host = host};
    const int blocks = case_size(host, 3, 264);
    const size_t count = (size_t)blocks * 1024;
    const float *in = case_floats(&c, count, -1, 1, 7);
    const uint64_t from = case_buffer(&c, in, count * 4), to = case_buffer(&c, NULL, count * 4);
    CASE_LAUNCH(&c, "fft_block", blocks, 256, WB_ARG(from), WB_ARG(to));
    const float *got = case_result(&c, to, count * 4);
    const double turn = -2 * acos(-1.0) / 512;
    bool right = true;
    for (int b = 0; b < blocks; b++) /* two frequencies of each */
        for (int f = b % 256; f < 512; f += 256) {
            double re = 0, im = 0;
            for (int k = 0; k < 512; k++) {
                const float *value = in + (b * 512 + k) * 2;
                const double angle = turn * (double)(f * k % 512);
                re += value[0] * cos(angle) - value[1] * sin(angle);
                im += value[0] * sin(angle) + value[1] * cos(angle);
            }
            const float *found = got + (b * 512 + f) * 2;
            right &= case_near(found[0], re, 1e-4) && case_near(found[1], im, 1e-4);
        }
    return case_end(&c, right);
}
