#include "papers/results.h"

#include <math.h>

double quotient(double over, double under) { return under > 0 ? over / under : NAN; }

const RunResult *results_at(const Results *results, size_t benchmark, int mode)
{
    const Run *run = results->runs[benchmark * results->mode_count + (size_t)mode];
    return run && run->result.right ? &run->result : NULL;
}

bool results_have(const Results *results, size_t benchmark)
{
    for (size_t mode = 0; mode < results->mode_count; mode++)
        if (results->runs[benchmark * results->mode_count + mode])
            return true;
    return false;
}

static double metric_of(const Results *results, size_t benchmark, int mode, int metric)
{
    const RunResult *result = results_at(results, benchmark, mode);
    return result ? results->metric(results, result, metric) : NAN;
}

double quantity_value(const Results *results, Quantity quantity, size_t benchmark)
{
    const double value = metric_of(results, benchmark, quantity.mode, quantity.metric);
    if (quantity.relation == ALONE)
        return value;
    const double other = metric_of(results, benchmark, quantity.other, quantity.metric);
    switch (quantity.relation) {
    case OVER:
        return quotient(value, other);
    case POINTS:
        return value - other;
    case RISE:
        return 100 * (quotient(value, other) - 1);
    case REDUCTION:
        return 100 * (1 - quotient(value, other));
    default:
        return NAN;
    }
}

double quantity_mean(const Results *results, Quantity quantity)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < results->benchmark_count; i++) {
        const double value = quantity_value(results, quantity, i);
        if (!isnan(value))
            sum += value, count++;
    }
    return quotient(sum, count);
}

double quantity_geometric_mean(const Results *results, Quantity quantity)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < results->benchmark_count; i++) {
        const double value = quantity_value(results, quantity, i);
        if (!isnan(value))
            sum += log(value), count++;
    }
    return exp(quotient(sum, count));
}

double quantity_mean_of_all(const Results *results, Quantity quantity)
{
    for (size_t i = 0; i < results->benchmark_count; i++) {
        const bool alone = quantity.relation == ALONE;
        if (!results_at(results, i, quantity.mode) || (!alone && !results_at(results, i, quantity.other)))
            return NAN;
    }
    return quantity_mean(results, quantity);
}
