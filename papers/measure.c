#include "papers/measure.h"

#include <math.h>
#include <string.h>

/* NAN: the paper has no such benchmark. */
static double value_of(const Results *results, Quantity quantity, const char *benchmark)
{
    for (size_t i = 0; i < results->benchmark_count; i++)
        if (strcmp(results->benchmark(i), benchmark) == 0)
            return quantity_value(results, quantity, i);
    return NAN;
}

static double part_value(const Results *results, const Part *part)
{
    const double value = part->benchmark ? value_of(results, part->quantity, part->benchmark)
                                         : quantity_mean_of_all(results, part->quantity);
    return part->inverse ? 1 / value : value;
}

static const Measure *find_measure(const Measure *measures, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(measures[i].id, id) == 0)
            return &measures[i];
    return NULL;
}

Judgement measure_judge(const Measure *measures, size_t count, const Results *results, const Claim *claim)
{
    const Measure *measure = find_measure(measures, count, claim->id);
    double published[CLAIM_NUMBERS];
    const size_t numbers = claim_numbers(claim, published);
    Judgement judgement = judgement_none();
    if (measure) {
        judgement.note = measure->note;
        for (size_t i = 0; !measure->fill && i < numbers; i++)
            judgement.values[i] = part_value(results, &measure->parts[i]);
        if (measure->fill)
            measure->fill(results, claim, judgement.values);
    }
    judgement_end(&judgement, claim);
    return judgement;
}
