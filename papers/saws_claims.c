/* What each claim of the chapter is compared with. */
#include "papers/saws.h"

/* By how much performance is more than that of the other mode, in percent. */
static double gain(const Results *results, SawsMode mode, SawsMode other, bool has_barriers)
{
    return saws_mean(results, (Quantity){SMT_SPEED, (int)mode, RISE, (int)other}, has_barriers);
}

static void fill_over_gto(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = gain(results, SM_2_SAWS, SM_2_GTO, true);
}

static void fill_over_catls(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = gain(results, SM_2_SAWS, SM_2_CATLS, true);
}

/* The height of a policy's average bar in figure 54. */
static double bar(const Results *results, SawsMode mode)
{
    return saws_mean(results, (Quantity){SMT_WAIT, (int)mode, OVER, SM_2_GTO}, true);
}

static void fill_wait(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = 100 * (1 - bar(results, SM_2_SAWS));
    values[1] = 100 * (1 - quotient(bar(results, SM_2_SAWS), bar(results, SM_2_CATLS)));
}

static void fill_shares(const Results *results, const Claim *claim, double *values)
{
    static const SawsMode policies[] = {SM_2_GTO, SM_2_CATLS, SM_2_SAWS};
    (void)claim;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        values[i] = saws_mean(results, (Quantity){SMT_P1_SHARE, (int)policies[i], ALONE, 0}, true);
}

static void fill_toggle(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = gain(results, SM_2_UNTOGGLED, SM_2_GTO, true);
    values[1] = gain(results, SM_2_SAWS, SM_2_GTO, true);
}

static void fill_loss(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = -gain(results, SM_2_GTO, SM_1_GTO, true);
    values[1] = -gain(results, SM_2_CATLS, SM_1_CATLS, true);
}

static void fill_free(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = gain(results, SM_2_GTO, SM_1_GTO, false);
}

static const Measure measures[] = {
    {.id = "A1", .fill = fill_over_gto, .note = "two schedulers"},
    {.id = "A2", .fill = fill_over_catls, .note = "two schedulers"},
    {.id = "A3", .fill = fill_wait, .note = "from the first warp to the last; of the average bars"},
    {.id = "A4", .fill = fill_shares, .note = "mean of the benchmarks' shares"},
    {.id = "A5", .fill = fill_toggle, .note = "two schedulers"},
    {.id = "A6", .fill = fill_loss, .note = "both with the same pipes"},
    {.id = "A7", .fill = fill_free, .note = "both with the same pipes"},
};

Judgement saws_judge(const Results *results, const Claim *claim)
{
    return measure_judge(measures, sizeof measures / sizeof *measures, results, claim);
}
