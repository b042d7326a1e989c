/* Figures 3 and 4 look at runs over time: what each SM did in every sample of so many cycles.
 *
 * Figure 4 [2.2]: in an interval, the most accesses that memory has processed for an SM over the least; the mean
 * over ten intervals that are drawn at random. Here accesses are those that DRAM served, intervals are as long
 * as those of figure 3, and only those count in which every SM was served. */
#include "papers/claso.h"

#include <string.h>

#include "api/gpu.h"

/* -- figure 4 -- */

enum { DRAWN = 10 };
typedef VEC(double) Ratios;

/* Most over least in that sample; 0: an SM was served nothing. */
static double difference_of(const Series *series, uint32_t sample)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t sm = 0; sm < series->sm_count; sm++) {
        const uint64_t served = series_core_value(series, sample, CORE_DRAM, sm);
        least = served < least ? served : least;
        most = served > most ? served : most;
    }
    return least ? (double)most / (double)least : 0;
}

static void gather_ratios(const KernelRecord *record, Ratios *ratios)
{
    const Series *series = record->series;
    for (uint32_t i = 0; series && i < series->ends.count; i++) {
        const Cycle begin = i ? series->ends.items[i - 1] : record->launched;
        const double ratio = difference_of(series, i);
        if (series->ends.items[i] - begin == series->interval && ratio > 0)
            VEC_PUSH(ratios, ratio);
    }
}

/* Draws without putting back, in an order that is always the same. */
static void draw_difference(Ratios *ratios, RunResult *result)
{
    uint32_t seed = 1;
    double sum = 0;
    uint32_t drawn = 0;
    for (; drawn < DRAWN && ratios->count; drawn++) {
        const uint32_t at = (random_next(&seed) >> 8) % ratios->count;
        sum += ratios->items[at];
        ratios->items[at] = ratios->items[--ratios->count];
    }
    result->samples[CL_INTERVALS] = drawn;
    result->samples[CL_DIFFERENCE] = drawn ? sum / drawn : 0;
}

/* -- figure 3 -- */

/* Blocks of each SM that had been issued, and that had finished, by that cycle. */
static void count_blocks(const KernelRecord *record, Cycle by, size_t row, double *samples)
{
    for (uint64_t i = 0; record->blocks && i < record->block_count; i++) {
        const BlockRecord *block = &record->blocks[i];
        if (block->sm >= CL_SHOWN)
            continue;
        samples[claso_profile_at(CL_BLOCKS_ISSUED, row, block->sm)] += block->dispatched < by;
        samples[claso_profile_at(CL_BLOCKS_FINISHED, row, block->sm)] += block->ended < by;
    }
}

/* The last row may be shorter than the others; its instructions are in proportion. */
static void profile(const KernelRecord *record, double *samples)
{
    const Series *series = record->series;
    const uint32_t count = series->ends.count, each = (count + CL_ROWS - 1) / CL_ROWS;
    const uint32_t shown = series->sm_count < CL_SHOWN ? series->sm_count : CL_SHOWN;
    size_t row = 0;
    for (uint32_t first = 0; first < count; first += each, row++) {
        const uint32_t end = first + each < count ? first + each : count;
        const Cycle begin = first ? series->ends.items[first - 1] : record->launched;
        const Cycle by = series->ends.items[end - 1];
        for (uint32_t sm = 0; sm < shown; sm++) {
            double executed = 0;
            for (uint32_t i = first; i < end; i++)
                executed += (double)series_core_value(series, i, CORE_INSTRUCTIONS, sm);
            samples[claso_profile_at(CL_EXECUTED, row, sm)] = executed * CL_INTERVAL / (double)(by - begin);
        }
        count_blocks(record, by, row, samples);
    }
    samples[CL_ROW_COUNT] = (double)row;
    samples[CL_ROW_CYCLES] = (double)(each * series->interval);
    samples[CL_SHOWN_SMS] = shown;
}

void claso_sample(const Run *run, WbGpu *gpu, RunResult *result)
{
    Ratios ratios = {0};
    for (uint32_t i = 0; i < gpu->records.count; i++)
        gather_ratios(gpu->records.items[i], &ratios);
    draw_difference(&ratios, result);
    VEC_FREE(&ratios);
    const KernelRecord *first = gpu->records.count ? gpu->records.items[0] : NULL;
    if (strcmp(run->benchmark, "sp") == 0 && first && first->series && first->series->ends.count)
        profile(first, result->samples);
}
