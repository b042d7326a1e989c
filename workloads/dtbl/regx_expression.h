/* A regular expression as the automaton of its positions (Glushkov 1961): to be in position p means that the
 * p-th character of the expression has just been read.
 *
 * Expressions know . [] [^] () | * + ? and \ before a character that stands for itself. */
#ifndef WORKLOADS_REGX_EXPRESSION_H
#define WORKLOADS_REGX_EXPRESSION_H

#include <stdint.h>

#include "graphs/input_error.h"

enum { BYTES = 256 };

typedef uint64_t Positions;

/* Invariant: position 0 stands before the first character and takes no byte; `count` includes it. Position p
 * takes byte b if takes[b] has it; those of follow[p] may come after it. The expression has been matched
 * where a position of `last` has been read. */
typedef struct Expression {
    uint32_t count;
    Positions follow[64], takes[BYTES], last;
} Expression;

/* False: an error stands. */
bool expression_parse(const char *text, Expression *expression, InputError *error);
/* Where one may be after one more byte. */
Positions positions_next(const Expression *expression, Positions positions, uint8_t byte);
/* Whether the expression matches a beginning of these bytes. */
bool expression_matches(const Expression *expression, const uint8_t *at, const uint8_t *end);

#endif
