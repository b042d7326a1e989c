/* The quantities that the figures show, computed from the statistics of runs and from shapes. */
#include "papers/rnn.h"

#include <math.h>
#include <string.h>

/* Of all cycles of the schedulers of all SMs, %. */
static double share_of_schedulers(const Results *results, const RunResult *result, RnnStatistic first,
                                  RnnStatistic last)
{
    double sum = 0;
    const double cycles = (double)result->statistics[RN_ACTIVE] + (double)result->statistics[RN_IDLE];
    for (int i = (int)first; i <= (int)last; i++)
        sum += (double)result->statistics[i];
    return quotient(100 * sum, cycles * (double)results->config.schedulers);
}

double rnn_metric(const Results *results, const RunResult *result, int metric)
{
    const double active = (double)result->statistics[RN_ACTIVE];
    switch ((RnnMetric)metric) {
    case RNM_TIME:
        return result->nanoseconds / 1000;
    case RNM_KERNELS:
        return result->samples[RN_KERNELS];
    case RNM_PASSES:
        return result->samples[RN_PASSES];
    case RNM_AT_ONCE:
        return quotient(result->samples[RN_CELL_CYCLES], result->samples[RN_WAVE_CYCLES]);
    case RNM_BARRIERS:
        return quotient((double)result->statistics[RN_ATOMICS], result->samples[RN_BLOCKS]);
    case RNM_INSTRUCTIONS:
        return (double)result->statistics[RN_INSTRUCTIONS] / 1000;
    case RNM_OCCUPIED:
        return quotient(100 * active, active + (double)result->statistics[RN_IDLE]);
    case RNM_BUSY:
        return share_of_schedulers(results, result, RN_ISSUED, RN_BRANCH);
    case RNM_ISSUED:
        return share_of_schedulers(results, result, RN_ISSUED, RN_ISSUED);
    }
    return NAN;
}

/* Matrices of a layer with as many rows and columns as it has units. */
static double matrices(const char *kind)
{
    return strcmp(kind, "basic") == 0 ? 2 : strcmp(kind, "gru") == 0 ? 6 : 8;
}

/* Vectors that a cell hands to the next step and layer: O, and S where that is another. */
static double vectors(const char *kind)
{
    return strcmp(kind, "basic") == 0 || strcmp(kind, "gru") == 0 ? 1 : 2;
}

RnnMemory rnn_memory(RnnInput input)
{
    const RnnShape shape = rnn_shape(input, INPUT_FULL);
    const double layers = shape.layers, hidden = shape.hidden;
    const double sequence = (double)shape.batch * shape.steps * hidden * sizeof(float);
    return (RnnMemory){.weights =
                           layers * matrices(shape.kind) * hidden * hidden / shape.groups * sizeof(float),
                       .inputs = sequence,
                       .outputs = layers * vectors(shape.kind) * sequence};
}

double rnn_weight_share(RnnInput input)
{
    const RnnMemory memory = rnn_memory(input);
    return 100 * memory.weights / (memory.weights + memory.inputs + memory.outputs);
}
