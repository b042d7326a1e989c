/* A ratio keeps its numerator and denominator as integers until it is printed. Digits are computed by integer
 * arithmetic of 128 bits, so a report is the same on every host, and ratios of several kernels can be added
 * up. */
#include "report/ratio.h"

#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

#define RATIO(name, unit, description, numerator, denominator)                                               \
    static Ratio compute_##name(const KernelSums *of) { return (Ratio){(numerator), (denominator)}; }
#include "report/ratio.def"
#undef RATIO

const RatioRow ratio_rows[RATIO_COUNT] = {
#define RATIO(name, unit, description, numerator, denominator)                                               \
    {#name, unit, description, #numerator, #denominator, compute_##name},
#include "report/ratio.def"
#undef RATIO
};

bool ratio_is_share(const RatioRow *row) { return strcmp(row->unit, "1") == 0; }

/* Leaves out where ratio.def finds the counters; in brackets unless it is a single one. */
static char *append_term(char *to, const char *term)
{
    const bool single = !strchr(term, ' ');
    if (!single)
        *to++ = '(';
    for (; *term; term++) {
        if (strncmp(term, "of->", 4) == 0)
            term += 4;
        *to++ = *term;
    }
    if (!single)
        *to++ = ')';
    return to;
}

const char *ratio_formula(const RatioRow *row, char buffer[RATIO_FORMULA_SIZE])
{
    char *end = append_term(buffer, row->numerator);
    end = append_term(stpcpy(end, " / "), row->denominator);
    *end = '\0';
    return buffer;
}

char *digits_before(char *end, uint64_t value, unsigned least)
{
    char *begin = end;
    for (; value; value /= 10)
        *--begin = (char)('0' + value % 10);
    while (end - begin < (int)least)
        *--begin = '0';
    return begin;
}

const char *ratio_text(Ratio ratio, uint64_t scale, unsigned digits, char buffer[RATIO_TEXT_SIZE])
{
    if (!ratio.under) {
        snprintf(buffer, RATIO_TEXT_SIZE, "-");
        return buffer;
    }
    uint64_t power = 1;
    for (unsigned i = 0; i < digits; i++)
        power *= 10;
    /* Rounded half up. */
    const u128 rounded = ((u128)ratio.over * scale * power + ratio.under / 2) / ratio.under;
    const uint64_t whole = (uint64_t)(rounded / power), rest = (uint64_t)(rounded % power);
    char *const end = buffer + RATIO_TEXT_SIZE - 1, *begin = end;
    if (digits) {
        begin = digits_before(end, rest, digits);
        *--begin = '.';
    }
    begin = digits_before(begin, whole, 1);
    memmove(buffer, begin, (size_t)(end - begin));
    buffer[end - begin] = '\0';
    return buffer;
}
