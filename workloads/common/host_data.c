/* Inputs and comparisons of host.h, which hold for a simulated GPU and a real one (record/host_cuda.c). */
#include "common/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *host_array(Host *host, size_t count, size_t size)
{
    void *items = calloc(count, size);
    if (!items && host->status == WB_OK) {
        host->status = WB_ERROR_ARGUMENT;
        snprintf(host->error, sizeof host->error, "There is no memory for %zu items of %zu bytes.", count,
                 size);
    }
    return items;
}

float *host_floats(Host *host, size_t count, uint32_t seed)
{
    float *values = host_array(host, count, sizeof *values);
    for (size_t i = 0; values && i < count; i++)
        values[i] = random_float(&seed);
    return values;
}

bool host_equals(Host *host, uint64_t address, const void *expected, size_t bytes)
{
    void *got = host_array(host, bytes, 1);
    if (got)
        host_read(host, got, address, bytes);
    const bool equal = got && host->status == WB_OK && !memcmp(got, expected, bytes);
    free(got);
    return equal;
}
