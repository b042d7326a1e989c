/* Runs that are cut off are the same for any threads and windows (../fuzz/cut_runs.h says what is drawn):
 *
 *     test_cut_runs [SEEDS [FIRST]]
 *
 * A few seeds are drawn where nobody says how many, and those that once did not agree; for hours,
 * scripts/fuzz.sh runs the fuzzer fuzz_cut. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "../fuzz/cut_runs.h"

static uint32_t first, seeds = 20;

static void check_seed(uint32_t seed)
{
    uint8_t bytes[4];
    memcpy(bytes, &seed, sizeof bytes);
    if (!cut_run_agrees(bytes, sizeof bytes))
        fail_msg("seed %u", seed);
}

static void cut_runs_agree(void **state)
{
    (void)state;
    for (uint32_t seed = first; seed < first + seeds; seed++)
        check_seed(seed);
}

/* Where an intrinsic fails, the SM is ahead of it; replies to the other half of L2 stood behind others; an L1
 * that a fence had emptied did not let go who waited for a line. */
static void those_that_did_not_agree(void **state)
{
    (void)state;
    static const uint32_t found[] = {28, 78, 1048};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        check_seed(found[i]);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cut_runs_agree),
                                       cmocka_unit_test(those_that_did_not_agree)};
    seeds = count > 1 ? (uint32_t)strtoul(arguments[1], NULL, 10) : seeds;
    first = count > 2 ? (uint32_t)strtoul(arguments[2], NULL, 10) : 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
