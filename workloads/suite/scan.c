/* Host code of scan.cu. */
#include "suite/case.h"

#include <string.h>

/* Whether sums start anew every `period` items and are right; exclusive ones leave out their own item. */
static bool are_sums(const int *in, const int *got, int n, int period, bool exclusive)
{
    for (int i = 0, sum = 0; i < n; i++) {
        sum = i % period ? sum : 0;
        sum += in[i];
        if (got[i] != (exclusive ? sum - in[i] : sum))
            return false;
    }
    return true;
}

bool suite_scan_blelloch(Host *host)
{
    Case c = {.host = host};
    const int blocks = case_size(host, 8, 768), n = blocks * 512;
    const int *in = (int *)case_words(&c, (size_t)n, 100, 1);
    const uint64_t from = case_buffer(&c, in, (size_t)n * 4), to = case_buffer(&c, NULL, (size_t)n * 4);
    CASE_LAUNCH(&c, "scan_blelloch", blocks, 256, WB_ARG(from), WB_ARG(to));
    return case_end(&c, are_sums(in, case_result(&c, to, (size_t)n * 4), n, 512, true));
}

bool suite_scan_shuffle(Host *host)
{
    Case c = {.host = host};
    const int blocks = case_size(host, 8, 1024), n = blocks * 1024;
    const int *in = (int *)case_words(&c, (size_t)n, 100, 2);
    const uint64_t from = case_buffer(&c, in, (size_t)n * 4), to = case_buffer(&c, NULL, (size_t)n * 4);
    CASE_LAUNCH(&c, "scan_shuffle", blocks, 256, WB_ARG(from), WB_ARG(to));
    return case_end(&c, are_sums(in, case_result(&c, to, (size_t)n * 4), n, 1024, false));
}

bool suite_scan_phases(Host *host)
{
    Case c = {.host = host};
    const int blocks = case_size(host, 7, 240), n = blocks * 1024;
    const int *in = (int *)case_words(&c, (size_t)n, 100, 3);
    const uint64_t from = case_buffer(&c, in, (size_t)n * 4), to = case_buffer(&c, NULL, (size_t)n * 4),
                   sums = case_buffer(&c, NULL, (size_t)blocks * 4);
    CASE_LAUNCH(&c, "scan_phases_blocks", blocks, 256, WB_ARG(from), WB_ARG(to), WB_ARG(sums));
    CASE_LAUNCH(&c, "scan_phases_sums", 1, 256, WB_ARG(sums), WB_ARG(blocks));
    CASE_LAUNCH(&c, "scan_phases_add", blocks, 256, WB_ARG(to), WB_ARG(sums));
    return case_end(&c, are_sums(in, case_result(&c, to, (size_t)n * 4), n, n, false));
}

bool suite_scan_lookback(Host *host)
{
    Case c = {.host = host};
    const int blocks = case_size(host, 9, 512), n = blocks * 1024;
    const int *in = (int *)case_words(&c, (size_t)n, 100, 4);
    const uint64_t from = case_buffer(&c, in, (size_t)n * 4), to = case_buffer(&c, NULL, (size_t)n * 4),
                   states = case_zeros(&c, (size_t)blocks * 8), ticket = case_zeros(&c, 4);
    CASE_LAUNCH(&c, "scan_lookback", blocks, 256, WB_ARG(from), WB_ARG(to), WB_ARG(states), WB_ARG(ticket));
    return case_end(&c, are_sums(in, case_result(&c, to, (size_t)n * 4), n, n, false));
}
