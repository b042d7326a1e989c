/* Who takes a mutant: ptxas, and Warpbeam. */
#ifndef TESTS_MUTANTS_JUDGE_H
#define TESTS_MUTANTS_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpbeam.h"

enum { SENTENCE_BYTES = 600 };

typedef enum Verdict {
    VERDICT_TAKEN,
    VERDICT_UNKNOWN, /* Warpbeam: read, but not executed */
    VERDICT_REFUSED
} Verdict;

typedef struct Opinion {
    Verdict verdict;
    char sentence[SENTENCE_BYTES]; /* of a refusal */
} Opinion;

/* Is there a ptxas of the version whose verdicts are recorded? Another one knows other instructions. */
bool judge_has_ptxas(void);

/* What ptxas says about each of the lines, all in one file. It goes on behind most errors, so that each run
 * judges many; lines that it refuses are taken out until it takes the rest. */
void judge_by_ptxas(const char *const *lines, uint32_t count, Opinion *opinions);

/* What Warpbeam says about a line alone. */
void judge_by_warpbeam(WbGpu *gpu, const char *line, Opinion *opinion);

#endif
