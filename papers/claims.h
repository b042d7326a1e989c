/* What papers claim, as rows of claims.csv, and whether what was measured agrees with it.
 *
 * A published value may hold several numbers: "2.73 / 3.10 / 0.95", "8023+129x". What was measured is written
 * in the same form, number for number, and agrees only if every one does. */
#ifndef PAPERS_CLAIMS_H
#define PAPERS_CLAIMS_H

#include "base/error.h"
#include "papers/sheet.h"

enum { CLAIM_NUMBERS = 8, CLAIM_TEXT = 128 };

typedef struct Claim {
    char *id, *paper, *where, *quantity, *published, *unit;
} Claim;

typedef struct Claims {
    VEC(Claim) rows;
} Claims;

/* Reads the rows of one paper, or of all where `paper` is null. False: an error stands. */
bool claims_read(const char *path, const char *paper, Claims *claims, Error *error);
void claims_free(Claims *claims);
/* Leaves those whose id begins with the prefix: of works of which each part is a study of its own. */
void claims_keep(Claims *claims, const char *prefix);

typedef enum Verdict {
    VERDICT_NOT_MEASURED,
    VERDICT_DIFFERS,
    VERDICT_AGREES,
    VERDICT_INPUT /* the machine or its programs were chosen by it, and it is met: not counted as a result */
} Verdict;
extern const char *const verdict_names[];

/* How far a number may be off, be it a ratio, a percentage or a count: 15% of what was published, which is
 * little of a small percentage; 1 of a published 0, of which all else would be too much; an input not at all.
 * A quantity that ends in "below" is less than what was published. One that ends in "above" may not be far
 * above: most such bounds could not be missed. */
#define CLAIM_TOLERANCES                                                                                     \
    "A number agrees that is within 15% of the published one, within 1 of 0, or below where that was "       \
    "published; an input must be equal."

/* The numbers of the published value; returns how many. */
size_t claim_numbers(const Claim *claim, double numbers[CLAIM_NUMBERS]);
/* Whether a number of the claim is met. */
bool claim_meets(const Claim *claim, double published, double measured);

/* Invariant: `measured` is the published value with `values` instead of its numbers, "-" for those that are
 * NAN; while one is, the verdict is that it was not measured. */
typedef struct Judgement {
    double values[CLAIM_NUMBERS];
    char measured[CLAIM_TEXT];
    Verdict verdict;
    const char *note; /* how it was measured, where that needs saying; null: it does not */
} Judgement;

/* Nothing has been measured yet. */
Judgement judgement_none(void);
/* Derives the rest from the values. */
void judgement_end(Judgement *judgement, const Claim *claim);

/* -- all claims of a paper with their judgements, in the same order -- */

/* What a page may say of a paper as a whole. */
typedef struct ClaimCount {
    uint32_t results; /* claims that are no inputs */
    uint32_t agreeing, unmeasured;
} ClaimCount;

ClaimCount claims_count(const Claims *claims, const Judgement *judgements);
/* The same as a sentence and an empty line. */
void claims_write_count(const Claims *claims, const Judgement *judgements, FILE *out);

/* With their texts, to be read. */
Sheet claims_sheet(const Claims *claims, const Judgement *judgements);
/* id,published,measured,unit,verdict */
void claims_write_csv(const Claims *claims, const Judgement *judgements, FILE *out);

#endif
