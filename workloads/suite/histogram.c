/* Host code of histogram.cu. */
#include "suite/case.h"

#include <string.h>

enum { MOST_BINS = 16384 };

/* Counts of bytes & mask, or of words & mask. */
static bool are_counts(Case *c, uint64_t bins, const void *in, size_t n, bool bytes, uint32_t mask)
{
    uint32_t *expected = case_array(c, MOST_BINS, 4);
    for (size_t i = 0; i < n; i++)
        expected[(bytes ? ((const uint8_t *)in)[i] : ((const uint32_t *)in)[i]) & mask]++;
    const size_t size = ((size_t)mask + 1) * 4;
    return !memcmp(case_result(c, bins, size), expected, size);
}

bool suite_bins_shared(Host *host)
{
    Case c = {.host = host};
    const int words = case_size(host, 3000, 300000), blocks = case_size(host, 4, 264);
    const uint32_t *in = case_words(&c, (size_t)words, UINT32_MAX, 1);
    const uint64_t from = case_buffer(&c, in, (size_t)words * 4), bins = case_zeros(&c, 1024);
    CASE_LAUNCH(&c, "bins_shared", blocks, 256, WB_ARG(from), WB_ARG(bins), WB_ARG(words));
    return case_end(&c, are_counts(&c, bins, in, (size_t)words * 4, true, 255));
}

bool suite_bins_global(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 10000, 400000), blocks = case_size(host, 8, 396);
    const uint32_t *in = case_words(&c, (size_t)n, UINT32_MAX, 2);
    const uint64_t from = case_buffer(&c, in, (size_t)n * 4), bins = case_zeros(&c, MOST_BINS * 4);
    CASE_LAUNCH(&c, "bins_global", blocks, 256, WB_ARG(from), WB_ARG(bins), WB_ARG(n));
    return case_end(&c, are_counts(&c, bins, in, (size_t)n, false, MOST_BINS - 1));
}

bool suite_bins_private(Host *host)
{
    Case c = {.host = host};
    const int blocks = case_size(host, 2, 132);
    const size_t words = (size_t)blocks * 128 * 16;
    const uint32_t *in = case_words(&c, words, UINT32_MAX, 3);
    const uint64_t from = case_buffer(&c, in, words * 4), bins = case_zeros(&c, 256);
    CASE_LAUNCH(&c, "bins_private", blocks, 128, WB_ARG(from), WB_ARG(bins));
    return case_end(&c, are_counts(&c, bins, in, words * 4, true, 63));
}

bool suite_bins_skewed(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 10000, 500000), blocks = case_size(host, 4, 132);
    const uint32_t *words = case_words(&c, (size_t)n, 1024, 4);
    uint8_t *in = case_array(&c, (size_t)n, 1);
    for (int i = 0; i < n; i++)
        in[i] = words[i] < 256 ? (uint8_t)words[i] : 7; /* three of four are alike */
    const uint64_t from = case_buffer(&c, in, (size_t)n), bins = case_zeros(&c, 1024);
    CASE_LAUNCH(&c, "bins_skewed", blocks, 256, WB_ARG(from), WB_ARG(bins), WB_ARG(n));
    return case_end(&c, are_counts(&c, bins, in, (size_t)n, true, 255));
}
