/* Host code of latency.cu. */
#include "suite/case.h"

#include <stdlib.h>
#include <string.h>

bool suite_list_walk(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 4096, 1 << 21), threads = case_size(host, 128, 1024),
              steps = case_size(host, 10, 40);
    int *next = case_array(&c, (size_t)n, 4);
    for (int i = 0; i < n; i++) /* one ring through all, as the factor less one is a multiple of 4 */
        next[i] = (int)(((uint32_t)i * 1664525u + 1013904223u) & (uint32_t)(n - 1));
    const int *starts = (int *)case_words(&c, (size_t)threads, (uint32_t)n, 1);
    const uint64_t dn = case_buffer(&c, next, (size_t)n * 4),
                   ds = case_buffer(&c, starts, (size_t)threads * 4),
                   de = case_buffer(&c, NULL, (size_t)threads * 4);
    CASE_LAUNCH(&c, "list_walk", threads / 64, 64, WB_ARG(dn), WB_ARG(ds), WB_ARG(de), WB_ARG(steps));
    const int *got = case_result(&c, de, (size_t)threads * 4);
    bool right = true;
    for (int i = 0; i < threads; i++) {
        int at = starts[i];
        for (int s = 0; s < steps; s++)
            at = next[at];
        right &= got[i] == at;
    }
    return case_end(&c, right);
}

bool suite_search_sorted(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 3000, 1000000), queries = case_size(host, 500, 40000);
    int *sorted = case_array(&c, (size_t)n, 4);
    for (int i = 0; i < n; i++)
        sorted[i] = 3 * i;
    const int *wanted = (int *)case_words(&c, (size_t)queries, (uint32_t)n * 3, 2);
    const uint64_t ds = case_buffer(&c, sorted, (size_t)n * 4),
                   dw = case_buffer(&c, wanted, (size_t)queries * 4),
                   dp = case_buffer(&c, NULL, (size_t)queries * 4);
    CASE_LAUNCH(&c, "search_sorted", (queries + 127) / 128, 128, WB_ARG(ds), WB_ARG(dw), WB_ARG(dp),
                WB_ARG(n), WB_ARG(queries));
    const int *got = case_result(&c, dp, (size_t)queries * 4);
    bool right = true;
    for (int i = 0; i < queries; i++)
        right &= got[i] == (wanted[i] + 2) / 3;
    return case_end(&c, right);
}

/* The last row of scores of two texts of 128 letters. */
static void align(const uint8_t *a, const uint8_t *b, int last[128])
{
    int row[129];
    for (int x = 0; x <= 128; x++)
        row[x] = -x;
    for (int y = 0; y < 128; y++) {
        int corner = row[0];
        row[0] = -(y + 1);
        for (int x = 1; x <= 128; x++) {
            const int matched = corner + (a[y] == b[x - 1] ? 2 : -1),
                      gap = (row[x] > row[x - 1] ? row[x] : row[x - 1]) - 1;
            corner = row[x];
            row[x] = matched > gap ? matched : gap;
        }
    }
    memcpy(last, row + 1, 128 * sizeof *last);
}

bool suite_align_wavefront(Host *host)
{
    Case c = {.host = host};
    const int blocks = case_size(host, 3, 48);
    const size_t count = (size_t)blocks * 128;
    const uint32_t *words = case_words(&c, count * 2, 4, 3);
    uint8_t *texts = case_array(&c, count * 2, 1);
    for (size_t i = 0; i < count * 2; i++)
        texts[i] = (uint8_t)words[i];
    const uint64_t a = case_buffer(&c, texts, count), b = case_buffer(&c, texts + count, count),
                   scores = case_buffer(&c, NULL, count * 4);
    CASE_LAUNCH(&c, "align_wavefront", blocks, 128, WB_ARG(a), WB_ARG(b), WB_ARG(scores));
    const int *got = case_result(&c, scores, count * 4);
    bool right = true;
    for (int i = 0; i < blocks; i++) {
        int expected[128];
        align(texts + i * 128, texts + count + (size_t)i * 128, expected);
        right &= !memcmp(got + i * 128, expected, sizeof expected);
    }
    return case_end(&c, right);
}

bool suite_path_rows(Host *host)
{
    Case c = {.host = host};
    const int blocks = case_size(host, 2, 100), rows = case_size(host, 10, 80), columns = blocks * 256;
    const int *cost = (int *)case_words(&c, (size_t)(rows * columns), 10, 4);
    const uint64_t dc = case_buffer(&c, cost, (size_t)(rows * columns) * 4),
                   db = case_buffer(&c, NULL, (size_t)columns * 4);
    CASE_LAUNCH(&c, "path_rows", blocks, 256, WB_ARG(dc), WB_ARG(db), WB_ARG(rows));
    int *before = case_array(&c, (size_t)columns, 4), *now = case_array(&c, (size_t)columns, 4);
    memcpy(before, cost, (size_t)columns * 4);
    for (int r = 1; r < rows; r++) {
        for (int x = 0; x < columns; x++) {
            int least = before[x];
            if (x % 256 > 0 && before[x - 1] < least)
                least = before[x - 1];
            if (x % 256 < 255 && before[x + 1] < least)
                least = before[x + 1];
            now[x] = least + cost[r * columns + x];
        }
        memcpy(before, now, (size_t)columns * 4);
    }
    return case_end(&c, !memcmp(case_result(&c, db, (size_t)columns * 4), before, (size_t)columns * 4));
}
