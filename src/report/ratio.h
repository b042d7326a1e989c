/* Ratios, declared once in ratio.def. They are kept as two whole numbers and divided when they are written,
 * so that a report is the same to the last digit on every host. */
#ifndef REPORT_RATIO_H
#define REPORT_RATIO_H

#include "report/sums.h"

typedef struct Ratio {
    uint64_t over, under; /* under 0: there is no value */
} Ratio;

typedef struct RatioRow {
    const char *name, *unit, *description;
    const char *numerator, *denominator; /* as ratio.def has them */
    Ratio (*compute)(const KernelSums *of);
} RatioRow;

enum {
#define RATIO(name, unit, description, numerator, denominator) RATIO_##name,
#include "report/ratio.def"
#undef RATIO
    RATIO_COUNT
};

extern const RatioRow ratio_rows[RATIO_COUNT];

enum { RATIO_TEXT_SIZE = 48, RATIO_FORMULA_SIZE = 256 };

/* Whether the ratio is a part of a whole. */
bool ratio_is_share(const RatioRow *row);
/* How it is made, with the names of counters that lists and JSON have: "l1.load_hits / l1.loads". */
const char *ratio_formula(const RatioRow *row, char buffer[RATIO_FORMULA_SIZE]);

/* Writes the digits of a number, at least so many, in front of `end`; where they begin. */
char *digits_before(char *end, uint64_t value, unsigned least);
/* The quotient times `scale` with `digits` (6 at most) behind the point, rounded; "-" where there is none. */
const char *ratio_text(Ratio ratio, uint64_t scale, unsigned digits, char buffer[RATIO_TEXT_SIZE]);

#endif
