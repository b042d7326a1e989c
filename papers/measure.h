/* What a claim of a paper is compared with. */
#ifndef PAPERS_MEASURE_H
#define PAPERS_MEASURE_H

#include "papers/claims.h"
#include "papers/results.h"

/* One number of a claim: a quantity of one benchmark, or its mean over all of them. */
typedef struct Part {
    Quantity quantity;
    const char *benchmark; /* null: the mean */
    bool inverse;          /* one over that */
} Part;

/* Either `parts` or `fill` gives the numbers. */
typedef struct Measure {
    const char *id, *note;
    Part parts[CLAIM_NUMBERS];
    void (*fill)(const Results *results, const Claim *claim, double *values);
} Measure;

/* The claim's own measure is one of `measures`; where there is none, it has not been measured. */
Judgement measure_judge(const Measure *measures, size_t count, const Results *results, const Claim *claim);

#endif
