/* Host code of sort.cu. */
#include "suite/case.h"

#include <stdlib.h>
#include <string.h>

static int compare_words(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

bool suite_bitonic_block(Host *host)
{
    Case c = {.host = host};
    const int blocks = case_size(host, 2, 120);
    const size_t bytes = (size_t)blocks * 4096;
    uint32_t *keys = case_words(&c, (size_t)blocks * 1024, UINT32_MAX, 1);
    const uint64_t device = case_buffer(&c, keys, bytes);
    CASE_LAUNCH(&c, "bitonic_block", blocks, 512, WB_ARG(device));
    for (int b = 0; b < blocks; b++)
        qsort(keys + b * 1024, 1024, 4, compare_words);
    return case_end(&c, !memcmp(case_result(&c, device, bytes), keys, bytes));
}

bool suite_bitonic_steps(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 4096, 1 << 18), size = n / 2;
    uint32_t *keys = case_words(&c, (size_t)n, UINT32_MAX, 2);
    const uint64_t device = case_buffer(&c, keys, (size_t)n * 4);
    for (int o = size / 2; o > size / 32; o /= 2) {
        CASE_LAUNCH(&c, "bitonic_steps", n / 256, 256, WB_ARG(device), WB_ARG(size), WB_ARG(o));
        for (int i = 0; i < n; i++) {
            const int other = i ^ o;
            const uint32_t a = keys[i], b = keys[other];
            if (other > i && (a > b) == ((i & size) == 0))
                keys[i] = b, keys[other] = a;
        }
    }
    return case_end(&c, !memcmp(case_result(&c, device, (size_t)n * 4), keys, (size_t)n * 4));
}

bool suite_radix_split(Host *host)
{
    Case c = {.host = host};
    const int blocks = case_size(host, 8, 1024), shift = 9;
    const size_t bytes = (size_t)blocks * 1024;
    const uint32_t *keys = case_words(&c, (size_t)blocks * 256, UINT32_MAX, 3);
    uint32_t *expected = case_array(&c, bytes, 1);
    const uint64_t device = case_buffer(&c, keys, bytes);
    CASE_LAUNCH(&c, "radix_split", blocks, 256, WB_ARG(device), WB_ARG(shift));
    for (int b = 0, to = 0; b < blocks; b++)
        for (uint32_t digit = 0; digit < 16; digit++)
            for (int i = b * 256; i < (b + 1) * 256; i++)
                if ((keys[i] >> shift & 15) == digit)
                    expected[to++] = keys[i];
    return case_end(&c, !memcmp(case_result(&c, device, bytes), expected, bytes));
}

bool suite_merge_path(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 4096, 1 << 17);
    const size_t bytes = (size_t)n * 4;
    uint32_t *both = case_words(&c, (size_t)n * 2, 1u << 30, 4);
    qsort(both, (size_t)n, 4, compare_words);
    qsort(both + n, (size_t)n, 4, compare_words);
    const uint64_t a = case_buffer(&c, both, bytes), b = case_buffer(&c, both + n, bytes),
                   to = case_buffer(&c, NULL, 2 * bytes);
    CASE_LAUNCH(&c, "merge_path", n / 4 / 128, 128, WB_ARG(a), WB_ARG(b), WB_ARG(to), WB_ARG(n));
    qsort(both, (size_t)n * 2, 4, compare_words);
    return case_end(&c, !memcmp(case_result(&c, to, 2 * bytes), both, 2 * bytes));
}
