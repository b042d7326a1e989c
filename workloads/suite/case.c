/* Inputs, buffers and comparisons that the suite's kernels share. */
#include "suite/case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int case_size(const Host *host, int small, int measured) { return host->measured_size ? measured : small; }

void *case_array(Case *c, size_t count, size_t size)
{
    void *array = c->array_count < CASE_ARRAYS ? calloc(count ? count : 1, size) : NULL;
    if (!array) {
        fprintf(stderr, "There is no memory for %zu items of %zu bytes, or for array %zu of a kernel.\n",
                count, size, c->array_count + 1);
        abort();
    }
    return c->arrays[c->array_count++] = array;
}

static double unit(uint32_t *state) { return (double)(random_next(state) >> 16) / 65536.0; }

float *case_floats(Case *c, size_t count, float low, float high, uint32_t seed)
{
    float *values = case_array(c, count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = low + (high - low) * (float)unit(&seed);
    return values;
}

double *case_doubles(Case *c, size_t count, double low, double high, uint32_t seed)
{
    double *values = case_array(c, count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = low + (high - low) * unit(&seed);
    return values;
}

uint32_t *case_words(Case *c, size_t count, uint32_t limit, uint32_t seed)
{
    uint32_t *values = case_array(c, count, sizeof *values);
    for (size_t i = 0; i < count; i++) {
        const uint64_t high = random_next(&seed) >> 16, low = random_next(&seed) >> 16;
        values[i] = (uint32_t)((high << 16 | low) * limit >> 32);
    }
    return values;
}

uint64_t case_buffer(Case *c, const void *data, size_t bytes)
{
    const uint64_t address = host_buffer(c->host, data, bytes);
    if (c->buffer_count < CASE_ARRAYS)
        c->buffers[c->buffer_count++] = address;
    return address;
}

uint64_t case_zeros(Case *c, size_t bytes) { return case_buffer(c, case_array(c, bytes, 1), bytes); }

void *case_result(Case *c, uint64_t address, size_t bytes)
{
    void *result = case_array(c, bytes, 1);
    host_read(c->host, result, address, bytes);
    return result;
}

bool case_end(Case *c, bool right)
{
    for (size_t i = 0; i < c->buffer_count; i++)
        host_free(c->host, c->buffers[i]);
    for (size_t i = 0; i < c->array_count; i++)
        free(c->arrays[i]);
    return right;
}

bool case_near(double got, double expected, double tolerance)
{
    return fabs(got - expected) <= tolerance * (1 + fabs(expected));
}

bool case_floats_near(const float *got, const float *expected, size_t count, size_t stride, double tolerance)
{
    for (size_t i = 0; i < count; i += stride)
        if (!case_near(got[i], expected[i], tolerance))
            return false;
    return true;
}

uint16_t case_half(int number)
{
    if (number == 0)
        return 0;
    int exponent;
    const double fraction = frexp(fabs((double)number), &exponent); /* from 1/2 to below 1 */
    const uint32_t bits = (uint32_t)(exponent + 14) << 10 | ((uint32_t)(fraction * 2048) & 0x3ff);
    return (uint16_t)(bits | (number < 0 ? 0x8000 : 0));
}
