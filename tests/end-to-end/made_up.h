/* Claims of papers, judged by runs whose numbers are made up. */
#ifndef TESTS_MADE_UP_H
#define TESTS_MADE_UP_H

#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "papers/measure.h"

typedef Judgement Judge(const Results *results, const Claim *claim);

/* The verdict, if what was measured of a claim with that number in print is the given text. */
static inline Verdict expect_measured(Judge *judge, const Results *results, const char *id,
                                      const char *published, const char *measured)
{
    char fields[2][CLAIM_TEXT], quantity[] = "made up", unit[] = "x";
    snprintf(fields[0], sizeof fields[0], "%s", id);
    snprintf(fields[1], sizeof fields[1], "%s", published);
    const Claim claim = {.id = fields[0], .quantity = quantity, .published = fields[1], .unit = unit};
    const Judgement judgement = judge(results, &claim);
    if (strcmp(judgement.measured, measured) != 0)
        fail_msg("%s is '%s', not '%s'", id, judgement.measured, measured);
    return judgement.verdict;
}

#endif
