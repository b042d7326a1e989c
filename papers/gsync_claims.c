/* What each claim of the chapter is compared with. */
#include "papers/gsync.h"

#include <math.h>

/* The least and the most of a quantity over inputs from `first` to `last`; NAN if one has none. */
static void fill_range(const Results *results, Quantity quantity, GsyncInput first, GsyncInput last,
                       double *range)
{
    for (int i = (int)first; i <= (int)last; i++) {
        const double value = quantity_value(results, quantity, (size_t)i);
        range[0] = isnan(value) || i == (int)first || value < range[0] ? value : range[0];
        range[1] = isnan(value) || i == (int)first || value > range[1] ? value : range[1];
        if (isnan(value))
            return;
    }
}

static void fill_stencil(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    fill_range(results, (Quantity){GSM_TIME, GS_REKL, OVER, GS_GSYNC}, GS_STENCIL_64, GS_STENCIL_1024,
               values);
}

static void fill_bfs(const Results *results, const Claim *claim, double *values)
{
    double sum = 0;
    (void)claim;
    for (int i = GS_BFS_1M; i <= GS_BFS_UT; i++)
        sum += gsync_over(results, (GsyncInput)i, GS_REKL, GS_GSYNC);
    values[0] = sum / (GS_BFS_UT - GS_BFS_1M + 1);
}

/* One input of each benchmark, the largest: the graph of BFS with as many vertices in the most different
 * degrees, the whole of the others. */
static const GsyncInput largest[] = {GS_STENCIL_1024, GS_BFS_1M, GS_CNN_LARGE, GS_RNN_LARGE};
enum { LARGEST = sizeof largest / sizeof *largest };

static double of_gs(const Results *results, int metric, size_t index)
{
    return quantity_value(results, (Quantity){metric, GS_GSYNC, ALONE, 0}, largest[index]);
}

static void fill_reduction(const Results *results, const Claim *claim, double *values)
{
    double least = 100;
    (void)claim;
    for (size_t i = 0; i < LARGEST; i++) {
        const double value = of_gs(results, GSM_REDUCTION, i);
        least = isnan(value) || value < least ? value : least;
    }
    values[0] = least;
}

static void fill_bfs_reduction(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = quantity_value(results, (Quantity){GSM_REDUCTION, GS_GSYNC, ALONE, 0}, GS_BFS_1M);
}

static void fill_dead(const Results *results, const Claim *claim, double *values)
{
    double sum = 0;
    (void)claim;
    for (size_t i = 0; i < LARGEST; i++)
        sum += of_gs(results, GSM_DEAD_SHARE, i);
    values[0] = sum / LARGEST;
}

static void fill_swapped(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = values[1] = of_gs(results, GSM_SWAPPED, 0);
    for (size_t i = 1; i < LARGEST; i++) {
        const double value = of_gs(results, GSM_SWAPPED, i);
        values[0] = isnan(value) || value < values[0] ? value : values[0];
        values[1] = isnan(value) || value > values[1] ? value : values[1];
    }
}

/* The most blocks of the stencil with which both barriers that poll end, if with the next size both
 * deadlock, and global sync ends with all. */
static void fill_deadlock(const Results *results, const Claim *claim, double *values)
{
    int last = -1;
    (void)claim;
    for (int i = 0; i < GS_STENCILS; i++) {
        if (!results_at(results, (size_t)i, GS_GSYNC))
            return;
        if (last == i - 1 && results_at(results, (size_t)i, GS_MUTEX) &&
            results_at(results, (size_t)i, GS_FLAGS))
            last = i;
    }
    if (last >= 0 && last + 1 < GS_STENCILS && gsync_deadlocked(results, (GsyncInput)(last + 1), GS_MUTEX) &&
        gsync_deadlocked(results, (GsyncInput)(last + 1), GS_FLAGS))
        values[0] = gsync_stencil_blocks[last];
}

static const Measure measures[] = {
    {.id = "G1", .fill = fill_stencil, .note = "least and most over five sizes"},
    {.id = "G2", .fill = fill_bfs, .note = "mean over four graphs of 40,000 vertices"},
    {.id = "G3", .fill = fill_reduction, .note = "least of stencil2d-1024, bfs_1m, cnn-784 and rnn-64"},
    {.id = "G4", .fill = fill_bfs_reduction, .note = "bfs_1m"},
    {.id = "G5",
     .fill = fill_dead,
     .note = "of blocks that left their places; mean of the four benchmarks of G3"},
    {.id = "G6", .fill = fill_swapped, .note = "saved and restored in memory; the four benchmarks of G3"},
    {.id = "G7",
     .fill = fill_deadlock,
     .note = "the largest stencil with which both end, where both deadlock with the next one and global sync "
             "ends with all five"},
    {.id = "G8",
     .parts = {{.quantity = {GSM_LOADS, GS_IDEAL, REDUCTION, GS_REKL}, .benchmark = "cnn"},
               {.quantity = {GSM_LOADS, GS_IDEAL, REDUCTION, GS_REKL}, .benchmark = "rnn"}},
     .note = "what repeated launches load and one kernel does not; follows from batch 4, 16 columns a block, "
             "and 16 filters on three colours"},
    {.id = "G9",
     .parts = {{.quantity = {GSM_TIME, GS_REKL, OVER, GS_IDEAL}, .benchmark = "cnn"},
               {.quantity = {GSM_TIME, GS_REKL, OVER, GS_IDEAL}, .benchmark = "rnn"}}},
};

Judgement gsync_judge(const Results *results, const Claim *claim)
{
    return measure_judge(measures, sizeof measures / sizeof *measures, results, claim);
}
