/* Host code of atomics.cu. */
#include "suite/case.h"

#include <string.h>

bool suite_add_spread(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 5000, 400000), count = case_size(host, 512, 50000);
    const int *places = (int *)case_words(&c, (size_t)n, (uint32_t)count, 1);
    const float *values = case_floats(&c, (size_t)n, 0, 1, 2);
    const uint64_t dp = case_buffer(&c, places, (size_t)n * 4), dv = case_buffer(&c, values, (size_t)n * 4),
                   sums = case_zeros(&c, (size_t)count * 4);
    CASE_LAUNCH(&c, "add_spread", (n + 255) / 256, 256, WB_ARG(dp), WB_ARG(dv), WB_ARG(sums), WB_ARG(n));
    const float *got = case_result(&c, sums, (size_t)count * 4);
    double *expected = case_array(&c, (size_t)count, sizeof *expected);
    for (int i = 0; i < n; i++)
        expected[places[i]] += values[i];
    bool right = true;
    for (int i = 0; i < count; i++)
        right &= case_near(got[i], expected[i], 1e-5);
    return case_end(&c, right);
}

bool suite_max_by_cas(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 5000, 100000), blocks = case_size(host, 4, 99);
    const float *in = case_floats(&c, (size_t)n, 0, 1, 3);
    const uint64_t from = case_buffer(&c, in, (size_t)n * 4), most = case_zeros(&c, 256);
    CASE_LAUNCH(&c, "max_by_cas", blocks, 256, WB_ARG(from), WB_ARG(most), WB_ARG(n));
    float expected[64] = {0};
    for (int i = 0; i < n; i++)
        expected[i / 7 & 63] = in[i] > expected[i / 7 & 63] ? in[i] : expected[i / 7 & 63];
    return case_end(&c, !memcmp(case_result(&c, most, 256), expected, 256));
}

/* Whether the table has the key where a search from its first place finds it. */
static bool is_found(const uint32_t *table, uint32_t mask, uint32_t key)
{
    for (uint32_t slot = (key * 2654435761u >> 7) & mask; table[slot]; slot = (slot + 1) & mask)
        if (table[slot] == key)
            return true;
    return false;
}

bool suite_hash_insert(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 3000, 150000);
    const uint32_t mask = (uint32_t)case_size(host, 4096, 1 << 18) - 1;
    const size_t bytes = ((size_t)mask + 1) * 4;
    uint32_t *keys = case_array(&c, (size_t)n, 4), used = 0;
    for (int i = 0; i < n; i++)
        keys[i] = ((uint32_t)i * 7 + 1) * 2246822519u; /* all different, none is 0 */
    const uint64_t from = case_buffer(&c, keys, (size_t)n * 4), table = case_zeros(&c, bytes);
    CASE_LAUNCH(&c, "hash_insert", (n + 127) / 128, 128, WB_ARG(from), WB_ARG(table), WB_ARG(mask),
                WB_ARG(n));
    const uint32_t *got = case_result(&c, table, bytes);
    bool right = true;
    for (int i = 0; i < n; i++)
        right &= is_found(got, mask, keys[i]);
    for (size_t i = 0; i <= mask; i++)
        used += got[i] != 0;
    return case_end(&c, right && used == (uint32_t)n);
}

bool suite_append_aggregated(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 5000, 600000);
    const float *in = case_floats(&c, (size_t)n, 0, 1, 4);
    const uint64_t from = case_buffer(&c, in, (size_t)n * 4), list = case_buffer(&c, NULL, (size_t)n * 4),
                   count = case_zeros(&c, 4);
    CASE_LAUNCH(&c, "append_aggregated", (n + 255) / 256, 256, WB_ARG(from), WB_ARG(list), WB_ARG(count),
                WB_ARG(n));
    const int *got = case_result(&c, list, (size_t)n * 4), found = *(int *)case_result(&c, count, 4);
    uint8_t *seen = case_array(&c, (size_t)n, 1);
    int expected = 0;
    bool right = found <= n;
    for (int i = 0; i < n; i++)
        expected += in[i] > 0.5f;
    for (int i = 0; right && i < found; i++) { /* in any order, each once */
        right = got[i] >= 0 && got[i] < n && in[got[i]] > 0.5f && !seen[got[i]];
        if (right)
            seen[got[i]] = 1;
    }
    return case_end(&c, right && found == expected);
}
