/* What each claim of the paper is compared with. */
#include "papers/dtbl.h"

#include <math.h>

#include "grid/group_table.h"

/* -- claims that are no plain mean -- */

static void fill_over_cdp(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = quantity_mean_of_all(results, (Quantity){METRIC_CYCLES, DTBL_FLAT, OVER, DTBL_DTBL}) /
                quantity_mean_of_all(results, (Quantity){METRIC_CYCLES, DTBL_FLAT, OVER, DTBL_CDP});
}

static double rise_of(const Results *results, Relation relation)
{
    return (quantity_mean_of_all(results, (Quantity){METRIC_ACTIVITY, DTBL_CDP, relation, DTBL_FLAT}) +
            quantity_mean_of_all(results, (Quantity){METRIC_ACTIVITY, DTBL_DTBL, relation, DTBL_FLAT})) /
           2;
}

static void fill_activity(const Results *results, const Claim *claim, double *values)
{
    double published[CLAIM_NUMBERS];
    claim_numbers(claim, published);
    const double points = rise_of(results, POINTS), percent = rise_of(results, RISE);
    values[0] = fabs(points - *published) <= fabs(percent - *published) ? points : percent;
}

static void fill_latencies(const Results *results, const Claim *claim, double *values)
{
    const GpuConfig *config = &results->config;
    const uint64_t knobs[] = {
        config->stream_create_cycles,           config->parameter_buffer_cycles,
        config->parameter_buffer_thread_cycles, config->launch_device_cycles,
        config->launch_device_thread_cycles,    config->kernel_launch_cycles,
    };
    (void)claim;
    for (size_t i = 0; i < sizeof knobs / sizeof *knobs; i++)
        values[i] = (double)knobs[i];
}

static void fill_threads(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    if (!isnan(quantity_mean_of_all(results, (Quantity){METRIC_THREADS, DTBL_CDP, ALONE, 0})))
        values[0] = (double)dtbl_sum(results, DTBL_CDP, DTBL_DEVICE_THREADS) /
                    (double)dtbl_sum(results, DTBL_CDP, DTBL_DEVICE_KERNELS);
}

static void fill_memory(const Results *results, const Claim *claim, double *values)
{
    (void)claim;
    values[0] = (double)group_registers_bytes(&results->config);
    values[1] = (double)group_table_bytes(&results->config);
}

/* -- all claims -- */

#define SPEEDUP(mode)                                                                                        \
    {                                                                                                        \
        METRIC_CYCLES, DTBL_FLAT, OVER, mode                                                                 \
    }
#define WHERE_LAUNCHED "mean over benchmarks that launch something"

static const Measure measures[] = {
    {.id = "D1", .parts = {{.quantity = SPEEDUP(DTBL_DTBL)}}},
    {.id = "D2",
     .fill = fill_over_cdp,
     .note = "D1's mean over that of CDP, as the paper's 1.21 x 1.16 = 1.40"},
    {.id = "D3", .parts = {{.quantity = SPEEDUP(DTBL_CDP_IDEAL)}}},
    {.id = "D4", .parts = {{.quantity = SPEEDUP(DTBL_DTBL_IDEAL)}}},
    {.id = "D5",
     .parts = {{.quantity = SPEEDUP(DTBL_CDP), .inverse = true}},
     .note = "one over the mean speedup"},
    {.id = "D6",
     .fill = fill_activity,
     .note = "mean of CDP and DTBL; in points or in percent, whichever is nearer: figure 6 has both"},
    {.id = "D7", .parts = {{.quantity = {METRIC_DRAM, DTBL_DTBL, OVER, DTBL_FLAT}}}},
    {.id = "D8", .parts = {{.quantity = {METRIC_OCCUPANCY, DTBL_DTBL_IDEAL, OVER, DTBL_CDP_IDEAL}}}},
    {.id = "D9",
     .parts = {{.quantity = {METRIC_WAIT, DTBL_DTBL, REDUCTION, DTBL_CDP}}},
     .note = WHERE_LAUNCHED},
    {.id = "D10",
     .parts = {{.quantity = {METRIC_FOOTPRINT, DTBL_DTBL, REDUCTION, DTBL_CDP}}},
     .note = WHERE_LAUNCHED},
    {.id = "D11", .parts = {{.quantity = {METRIC_JOINED, DTBL_DTBL, ALONE, 0}}}, .note = WHERE_LAUNCHED},
    {.id = "D12",
     .parts = {{.quantity = {METRIC_CYCLES, DTBL_DTBL, OVER, DTBL_DTBL_512}, .inverse = true}},
     .note = "one over the mean of figure 12"},
    {.id = "D13", .parts = {{.quantity = {METRIC_CYCLES, DTBL_DTBL, OVER, DTBL_DTBL_2048}}}},
    {.id = "D14", .fill = fill_latencies},
    {.id = "D15",
     .fill = fill_threads,
     .note = "of all kernels of all benchmarks together, in whole blocks: with 1527.9 in pre a mean over "
             "benchmarks could not be 40"},
    {.id = "D16",
     .parts = {{.quantity = {METRIC_DRAM, DTBL_CDP, OVER, DTBL_FLAT}},
               {.quantity = {METRIC_DRAM, DTBL_DTBL, OVER, DTBL_CDP}}}},
    {.id = "D17",
     .parts = {{.quantity = {METRIC_WAIT, DTBL_DTBL_IDEAL, REDUCTION, DTBL_CDP_IDEAL}}},
     .note = WHERE_LAUNCHED},
    {.id = "D18",
     .parts = {{.quantity = {METRIC_OCCUPANCY, DTBL_CDP, REDUCTION, DTBL_CDP_IDEAL}},
               {.quantity = {METRIC_OCCUPANCY, DTBL_DTBL, REDUCTION, DTBL_DTBL_IDEAL}}}},
    {.id = "D19",
     .parts = {{.quantity = SPEEDUP(DTBL_CDP_IDEAL), .benchmark = "regx_string"},
               {.quantity = SPEEDUP(DTBL_DTBL_IDEAL), .benchmark = "regx_string"},
               {.quantity = SPEEDUP(DTBL_DTBL), .benchmark = "regx_string"}}},
    {.id = "D20",
     .parts = {{.quantity = {METRIC_WAIT, DTBL_DTBL, REDUCTION, DTBL_CDP}, .benchmark = "regx_string"},
               {.quantity = {METRIC_FOOTPRINT, DTBL_DTBL, REDUCTION, DTBL_CDP}, .benchmark = "regx_string"}},
     .note = "DTBL from CDP"},
    {.id = "D21", .parts = {{.quantity = SPEEDUP(DTBL_DTBL), .benchmark = "clr_graph500"}}},
    {.id = "D22",
     .parts = {{.quantity = {METRIC_OCCUPANCY, DTBL_DTBL_IDEAL, OVER, DTBL_CDP_IDEAL}, .benchmark = "bht"},
               {.quantity = {METRIC_OCCUPANCY, DTBL_DTBL_IDEAL, OVER, DTBL_CDP_IDEAL},
                .benchmark = "pre_movielens"}}},
    {.id = "D23", .fill = fill_memory},
};

Judgement dtbl_judge(const Results *results, const Claim *claim)
{
    return measure_judge(measures, sizeof measures / sizeof *measures, results, claim);
}
