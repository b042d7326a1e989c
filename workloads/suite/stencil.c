/* Host code of stencil.cu. */
#include "suite/case.h"

#include <stdlib.h>
#include <string.h>

static WbDim3 tiles(int width, int height) { return dim((uint32_t)width / 32, (uint32_t)height / 8, 1); }

static double at(const float *grid, int width, int height, int x, int y)
{
    return x < 0 || y < 0 || x >= width || y >= height ? 0 : grid[y * width + x];
}

bool suite_jacobi_shared(Host *host)
{
    Case c = {.host = host};
    const int width = case_size(host, 64, 1024), height = case_size(host, 32, 1024);
    const size_t bytes = (size_t)(width * height) * 4;
    const float *in = case_floats(&c, (size_t)(width * height), 0, 1, 1);
    const uint64_t from = case_buffer(&c, in, bytes), to = case_buffer(&c, NULL, bytes);
    HOST_LAUNCH(host, "jacobi_shared", tiles(width, height), dim(32, 8, 1), WB_ARG(from), WB_ARG(to),
                WB_ARG(width), WB_ARG(height));
    const float *got = case_result(&c, to, bytes);
    bool right = true;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            right &= case_near(got[y * width + x],
                               0.25 * (at(in, width, height, x - 1, y) + at(in, width, height, x + 1, y) +
                                       at(in, width, height, x, y - 1) + at(in, width, height, x, y + 1)),
                               1e-6);
    return case_end(&c, right);
}

bool suite_heat3d(Host *host)
{
    Case c = {.host = host};
    const int width = case_size(host, 64, 192), height = case_size(host, 16, 128),
              depth = case_size(host, 6, 24);
    const int plane = width * height;
    const size_t bytes = (size_t)(plane * depth) * 4;
    const float *in = case_floats(&c, (size_t)(plane * depth), 0, 1, 2);
    const uint64_t from = case_buffer(&c, in, bytes), to = case_buffer(&c, NULL, bytes);
    HOST_LAUNCH(host, "heat3d", tiles(width, height), dim(32, 8, 1), WB_ARG(from), WB_ARG(to), WB_ARG(width),
                WB_ARG(height), WB_ARG(depth));
    const float *got = case_result(&c, to, bytes);
    bool right = true;
    for (int i = plane; i < plane * (depth - 1); i++) {
        const int x = i % width, y = i / width % height;
        if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
            continue;
        const double sum =
            (double)in[i - plane] + in[i + plane] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width];
        right &= case_near(got[i], in[i] + 0.1 * (sum - 6.0 * in[i]), 1e-5);
    }
    return case_end(&c, right);
}

bool suite_hotspot_step(Host *host)
{
    Case c = {.host = host};
    const int width = case_size(host, 64, 640), height = case_size(host, 32, 512);
    const size_t count = (size_t)(width * height);
    const float rx = 1.5f, ry = 2.5f, rz = 7.0f, step = 0.01f;
    const float *power = case_floats(&c, count, 0, 1, 3), *t = case_floats(&c, count, 300, 340, 4);
    const uint64_t dp = case_buffer(&c, power, count * 4), dt = case_buffer(&c, t, count * 4),
                   to = case_buffer(&c, NULL, count * 4);
    HOST_LAUNCH(host, "hotspot_step", tiles(width, height), dim(32, 8, 1), WB_ARG(dp), WB_ARG(dt), WB_ARG(to),
                WB_ARG(width), WB_ARG(height), WB_ARG(rx), WB_ARG(ry), WB_ARG(rz), WB_ARG(step));
    const float *got = case_result(&c, to, count * 4);
    bool right = true;
    for (int i = 0; i < (int)count; i++) {
        const int x = i % width, y = i / width;
        const double here = t[i], west = x ? t[i - 1] : here, east = x < width - 1 ? t[i + 1] : here;
        const double north = y ? t[i - width] : here, south = y < height - 1 ? t[i + width] : here;
        right &= case_near(got[i],
                           here + step * (power[i] + (north + south - 2 * here) / ry +
                                          (east + west - 2 * here) / rx + (80 - here) / rz),
                           1e-5);
    }
    return case_end(&c, right);
}

/* What one cell's nine directions become. */
static void collide(const float *from, int width, int height, int x, int y, double omega, double to[9])
{
    static const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    double f[9], rho = 0, u = 0, v = 0;
    for (int d = 0; d < 9; d++) {
        f[d] = from[(d * height + ((y - dy[d]) & (height - 1))) * width + ((x - dx[d]) & (width - 1))];
        rho += f[d], u += f[d] * dx[d], v += f[d] * dy[d];
    }
    u /= rho, v /= rho;
    for (int d = 0; d < 9; d++) {
        const double weight = d == 0  ? 4.0 / 9
                              : d < 5 ? 1.0 / 9
                                      : 1.0 / 36,
                     along = 3 * (u * dx[d] + v * dy[d]);
        to[d] =
            f[d] + omega * (weight * rho * (1 + along + along * along / 2 - 1.5 * (u * u + v * v)) - f[d]);
    }
}

bool suite_lattice_d2q9(Host *host)
{
    Case c = {.host = host};
    const int width = 256, height = case_size(host, 4, 256), plane = width * height;
    const float omega = 0.7f;
    const float *in = case_floats(&c, (size_t)(9 * plane), 0.1f, 0.2f, 5);
    const uint64_t from = case_buffer(&c, in, (size_t)(9 * plane) * 4),
                   to = case_buffer(&c, NULL, (size_t)(9 * plane) * 4);
    HOST_LAUNCH(host, "lattice_d2q9", dim((uint32_t)width / 128, (uint32_t)height, 1), dim(128, 1, 1),
                WB_ARG(from), WB_ARG(to), WB_ARG(width), WB_ARG(height), WB_ARG(omega));
    const float *got = case_result(&c, to, (size_t)(9 * plane) * 4);
    bool right = true;
    for (int i = 0; i < plane; i += 3) {
        double expected[9];
        collide(in, width, height, i % width, i / width, omega, expected);
        for (int d = 0; d < 9; d++)
            right &= case_near(got[d * plane + i], expected[d], 1e-6);
    }
    return case_end(&c, right);
}

bool suite_filter_row(Host *host)
{
    Case c = {.host = host};
    const int width = case_size(host, 128, 1024), height = case_size(host, 16, 768), pitch = width + 16;
    const size_t in_bytes = (size_t)(pitch * height) * 4, out_bytes = (size_t)(width * height) * 4;
    const float *in = case_floats(&c, (size_t)(pitch * height), 0, 1, 6),
                *taps = case_floats(&c, 17, -1, 1, 7);
    const uint64_t from = case_buffer(&c, in, in_bytes), to = case_buffer(&c, NULL, out_bytes);
    host_set(host, "filter_taps", taps, 17 * 4);
    HOST_LAUNCH(host, "filter_row", dim((uint32_t)width / 128, (uint32_t)height, 1), dim(128, 1, 1),
                WB_ARG(from), WB_ARG(to), WB_ARG(width));
    const float *got = case_result(&c, to, out_bytes);
    bool right = true;
    for (int i = 0; i < width * height; i += 3) {
        double sum = 0;
        for (int k = 0; k < 17; k++)
            sum += (double)taps[k] * in[i / width * pitch + i % width + k];
        right &= case_near(got[i], sum, 1e-5);
    }
    return case_end(&c, right);
}

static int compare_bytes(const void *a, const void *b) { return *(const uint8_t *)a - *(const uint8_t *)b; }

bool suite_median3x3(Host *host)
{
    Case c = {.host = host};
    const int width = case_size(host, 64, 768), height = case_size(host, 32, 512);
    const size_t count = (size_t)(width * height);
    const uint32_t *words = case_words(&c, count, 256, 8);
    uint8_t *in = case_array(&c, count, 1);
    for (size_t i = 0; i < count; i++)
        in[i] = (uint8_t)words[i];
    const uint64_t from = case_buffer(&c, in, count), to = case_buffer(&c, NULL, count);
    HOST_LAUNCH(host, "median3x3", tiles(width, height), dim(32, 8, 1), WB_ARG(from), WB_ARG(to),
                WB_ARG(width), WB_ARG(height));
    const uint8_t *got = case_result(&c, to, count);
    bool right = true;
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x += 3) {
            uint8_t pixels[9];
            for (int i = 0; i < 9; i++)
                pixels[i] = in[(y + i / 3 - 1) * width + x + i % 3 - 1];
            qsort(pixels, 9, 1, compare_bytes);
            right &= got[y * width + x] == pixels[4];
        }
    return case_end(&c, right);
}
