/* The rules, applied output by output. */
#include "compare.h"
#include "kernel.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The float format of a type or class; bits 0: not a float. */
typedef struct Format {
    unsigned bits, fraction, bias;
    bool is_pair;
} Format;

static Format format_of(const char *name)
{
    const bool is_pair = strstr(name, "x2") != NULL;
    if (strncmp(name, "bf16", 4) == 0)
        return (Format){16, 7, 127, is_pair};
    if (strncmp(name, "f16", 3) == 0)
        return (Format){16, 10, 15, is_pair};
    if (strncmp(name, "f32", 3) == 0)
        return (Format){32, 23, 127, false};
    if (strncmp(name, "f64", 3) == 0)
        return (Format){64, 52, 1023, false};
    return (Format){0};
}

static double float_value(Format format, uint64_t bits)
{
    const uint64_t fraction = bits & (((uint64_t)1 << format.fraction) - 1);
    const unsigned top = (1u << (format.bits - 1 - format.fraction)) - 1;
    const unsigned exponent = (unsigned)(bits >> format.fraction) & top;
    const bool negative = bits >> (format.bits - 1) & 1;
    double magnitude;
    if (exponent == top)
        magnitude = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        magnitude = ldexp((double)fraction, 1 - (int)format.bias - (int)format.fraction);
    else
        magnitude = ldexp((double)(fraction | (uint64_t)1 << format.fraction),
                          (int)exponent - (int)format.bias - (int)format.fraction);
    return negative ? -magnitude : magnitude;
}

/* What two results may differ by. Half a unit in the last place comes on top of every bound: the GPU's
 * result may use all of the bound and ours is rounded. */
static double allowed(const FormSpec *spec, Format format, double expected, double scale)
{
    const double slack = ldexp(fabs(expected), -(int)format.fraction - 1);
    const double bound = exp2(spec->bound);
    switch (spec->rule) {
    case RULE_ABSOLUTE:
        return bound + slack;
    case RULE_RELATIVE:
        return bound * fabs(expected) + slack;
    case RULE_LOGARITHM:
        return bound * fmax(fabs(expected), 1) + slack;
    case RULE_SUM:
        return bound * scale;
    default:
        return 0;
    }
}

/* Neighbouring floats have neighbouring numbers. */
static int64_t float_order(Format format, uint64_t bits)
{
    const int64_t magnitude = (int64_t)(bits & (((uint64_t)1 << (format.bits - 1)) - 1));
    return bits >> (format.bits - 1) & 1 ? -magnitude : magnitude;
}

static bool element_agrees(const FormSpec *spec, Format format, uint64_t expected, uint64_t actual,
                           double scale)
{
    if (expected == actual)
        return true;
    if (spec->rule == RULE_EXACT || format.bits == 0)
        return false;
    const double want = float_value(format, expected), got = float_value(format, actual);
    if (!isfinite(want) || !isfinite(got))
        return false;
    if (want == 0 && spec->rule != RULE_ABSOLUTE && spec->rule != RULE_SUM)
        return false;
    if (spec->rule == RULE_ULP)
        return llabs(float_order(format, expected) - float_order(format, actual)) <= (int64_t)spec->bound;
    return fabs(want - got) <= allowed(spec, format, want, scale);
}

static bool output_agrees(const FormSpec *spec, const KernelValue *output, uint64_t expected, uint64_t actual,
                          double scale)
{
    const Format format = format_of(output->name);
    if (!format.is_pair)
        return element_agrees(spec, format, expected, actual, scale);
    return element_agrees(spec, format, expected & 0xffff, actual & 0xffff, scale) &&
           element_agrees(spec, format, expected >> 16, actual >> 16, scale);
}

/* RULE_SUM: no sum of absolute products of this vector's warp can be larger. */
static double largest_sum(const FormSpec *spec, const KernelValue *inputs, unsigned count,
                          const uint64_t *values, unsigned vector)
{
    double largest = 0;
    const uint64_t *warp = values + (size_t)(vector / 32 * 32) * count;
    for (unsigned k = 0; k < 32 * count; k++) {
        const Format format = format_of(inputs[k % count].name);
        const uint64_t low = format.bits >= 64 ? UINT64_MAX : ((uint64_t)1 << format.bits) - 1;
        if (format.bits)
            largest = fmax(largest, fabs(float_value(format, warp[k] & low)));
        if (format.is_pair)
            largest = fmax(largest, fabs(float_value(format, warp[k] >> format.bits & low)));
    }
    return spec->terms * largest * largest + largest;
}

unsigned compare_outputs(const Form *form, const uint64_t *inputs, unsigned vectors, const uint8_t *expected,
                         const uint8_t *actual, Difference *first)
{
    KernelValue in[KERNEL_VALUES], out[KERNEL_VALUES];
    const unsigned in_count = kernel_values(form->spec.inputs, in),
                   out_count = kernel_values(form->spec.outputs, out);
    unsigned differing = 0;
    for (unsigned vector = 0; vector < vectors; vector++) {
        const double scale =
            form->spec.rule == RULE_SUM ? largest_sum(&form->spec, in, in_count, inputs, vector) : 0;
        bool agrees = true;
        for (unsigned k = 0; k < out_count && agrees; k++) {
            const size_t at = (size_t)out[k].before * vectors + (size_t)out[k].bytes * vector;
            uint64_t want = 0, got = 0;
            memcpy(&want, expected + at, out[k].bytes);
            memcpy(&got, actual + at, out[k].bytes);
            agrees = output_agrees(&form->spec, &out[k], want, got, scale);
            if (!agrees && differing == 0)
                *first = (Difference){vector, k, want, got};
        }
        differing += !agrees;
    }
    return differing;
}
