/* The quantities that the paper's figures show, computed from the statistics of runs. */
#include "papers/wireframe.h"

#include <math.h>

#include "grid/graph_order.h"

static double sum_of(const RunResult *result, WireframeStatistic first, WireframeStatistic last)
{
    double sum = 0;
    for (int i = (int)first; i <= (int)last; i++)
        sum += (double)result->statistics[i];
    return sum;
}

/* What the host's launches take before they begin, in nanoseconds. */
static double launch_time(const Results *results, const RunResult *result)
{
    return (double)(result->statistics[KEPT_KERNELS] * results->config.host_launch_latency_ns);
}

static double miss_rate(const RunResult *result)
{
    const uint64_t *counts = result->statistics;
    return quotient(100.0 * (double)(counts[KEPT_LOAD_MISSES] + counts[KEPT_STORE_MISSES]),
                    sum_of(result, KEPT_LOAD_HITS, KEPT_STORE_MISSES));
}

static double fetches(const RunResult *result)
{
    return (double)(result->statistics[KEPT_NODE_FETCHES] + result->statistics[KEPT_EDGE_FETCHES]);
}

/* The scheduler's own requests are among those that L2 looks up. */
static double extra_requests(const RunResult *result)
{
    const double own = fetches(result) + (double)result->statistics[KEPT_OVERFLOW_REQUESTS];
    return quotient(100 * own, sum_of(result, KEPT_LOADS, KEPT_ATOMICS) - own);
}

static double share_of_cycles(const RunResult *result, WireframeStatistic statistic)
{
    return quotient(100.0 * (double)result->statistics[statistic], (double)result->cycles);
}

/* Of runs that have a graph. */
static double graph_metric(const RunResult *result, WireframeMetric metric)
{
    const uint64_t *counts = result->statistics;
    switch (metric) {
    case WF_REQUESTS:
        return extra_requests(result);
    case WF_LEVEL_RANGE:
        return (double)counts[KEPT_LEVEL_RANGE];
    case WF_MEAN_RANGE:
        return quotient((double)counts[KEPT_LEVEL_RANGE_CYCLES], (double)counts[KEPT_ACTIVE]);
    case WF_PENDING:
        return (double)counts[KEPT_PENDING_PEAK];
    case WF_OVERFLOWED:
        return quotient(100.0 * (double)counts[KEPT_OVERFLOWED], sum_of(result, KEPT_LOCAL, KEPT_OVERFLOWED));
    case WF_NODES_PEAK:
        return (double)counts[KEPT_NODES_PEAK];
    case WF_EDGES_PEAK:
        return (double)counts[KEPT_EDGES_PEAK];
    case WF_FETCHES:
        return fetches(result);
    case WF_STARVED:
        return share_of_cycles(result, KEPT_STARVED);
    case WF_BOUND:
        return share_of_cycles(result, KEPT_BOUND);
    default:
        return NAN;
    }
}

/* Of SMs that have a block. */
static double sm_metric(const GpuConfig *config, const RunResult *result, WireframeMetric metric)
{
    const uint64_t *counts = result->statistics;
    const double active = (double)counts[KEPT_SM_ACTIVE];
    const double warps = (double)(config->max_threads_per_sm / config->warp_width);
    switch (metric) {
    case WF_BUSY:
        return quotient(100 * active, (double)result->cycles * (double)config->sm_count);
    case WF_OCCUPANCY:
        return quotient(100.0 * (double)counts[KEPT_RESIDENT], active * warps);
    default:
        return quotient(100.0 * (double)counts[KEPT_ISSUED + (int)metric - WF_ISSUED],
                        active * (double)config->schedulers);
    }
}

double wireframe_metric(const Results *results, const RunResult *result, int metric)
{
    switch ((WireframeMetric)metric) {
    case WF_TIME:
        return result->nanoseconds / 1000;
    case WF_CYCLES:
        return (double)result->cycles;
    case WF_IPC:
        return quotient((double)result->statistics[KEPT_THREAD_INSTRUCTIONS], (double)result->cycles);
    case WF_LAUNCH_RATIO:
        return quotient(result->nanoseconds, launch_time(results, result)) - 1;
    case WF_MISS_RATE:
        return miss_rate(result);
    case WF_BUSY:
    case WF_OCCUPANCY:
    case WF_ISSUED:
    case WF_STALL_RESULT:
    case WF_STALL_BARRIER:
    case WF_STALL_FETCH:
        return sm_metric(&results->config, result, (WireframeMetric)metric);
    default:
        return result->statistics[KEPT_NODES] ? graph_metric(result, (WireframeMetric)metric) : NAN;
    }
}

size_t wireframe_swept_benchmark(void)
{
    return (size_t)(wireframe_find(WIREFRAME_SWEPT) - wireframe_benchmarks);
}

double wireframe_swept(const Results *results, const WireframeSweep *sweep, size_t index, int metric)
{
    const Quantity quantity = {metric, sweep->first + (int)index, ALONE, 0};
    return quantity_value(results, quantity, wireframe_swept_benchmark());
}

double wireframe_swept_ipc(const Results *results, const WireframeSweep *sweep, size_t index)
{
    const size_t at = wireframe_swept_benchmark() * results->mode_count + (size_t)sweep->first + index;
    const Run *run = results->runs[at];
    return run && run->result.deadlocked ? 0 : wireframe_swept(results, sweep, index, WF_IPC);
}

/* Nothing else changes: what runs ahead gains as many percent of computation as it did. */
double wireframe_speedup_at(const Results *results, int mode, int global, double ratio, size_t benchmark)
{
    const RunResult *result = results_at(results, benchmark, mode);
    const RunResult *base = results_at(results, benchmark, global);
    if (!result || !base)
        return NAN;
    const double computation = base->nanoseconds - launch_time(results, base);
    const double launch = quotient(computation, ratio * (double)base->statistics[KEPT_KERNELS]);
    const double time = result->nanoseconds - launch_time(results, result) +
                        launch * (double)result->statistics[KEPT_KERNELS];
    return 100 * (quotient(computation * (1 + 1 / ratio), time) - 1);
}

uint64_t wireframe_buffer_bytes(const Results *results, const char *order, bool in_full)
{
    const GpuConfig *config = &results->config;
    const GraphOrder *found = order_find(order, &(Error){0});
    uint64_t (*bytes)(uint32_t, uint32_t, uint32_t, uint32_t) =
        in_full ? graph_buffer_bytes_in_full : graph_buffer_bytes;
    return bytes(order_local_nodes(found, config), order_local_edges(found, config),
                 (uint32_t)config->graph_pending_updates, (uint32_t)config->graph_id_bits);
}
