/* What each claim of the chapter is compared with. */
#include "papers/rnn.h"

/* It hangs on shapes alone, but is no result of a study that has run nothing. */
static void fill_share(const Results *results, const Claim *claim, double *values)
{
    double sum = 0;
    (void)claim;
    for (size_t i = 0; i < RN_INPUTS; i++) {
        if (!results_have(results, i))
            return;
        sum += rnn_weight_share((RnnInput)i);
    }
    values[0] = sum / RN_INPUTS;
}

static const Measure measures[] = {
    {.id = "R1",
     .parts = {{.quantity = {RNM_TIME, RN_PERSISTENT, RISE, RN_SPLIT}}},
     .note = "flag arrays and two groups of blocks a layer, on titanx; mean over all networks"},
    {.id = "R2", .fill = fill_share, .note = "from shapes, 100 steps; mean over all networks"},
    {.id = "R3",
     .parts = {{.quantity = {RNM_BUSY, RN_PERSISTENT, ALONE, 0}}},
     .note =
         "cycles in which schedulers issued or waited for their own blocks' work, on titanx; mean over all "
         "networks"},
};

Judgement rnn_judge(const Results *results, const Claim *claim)
{
    return measure_judge(measures, sizeof measures / sizeof *measures, results, claim);
}
