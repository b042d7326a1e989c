/* Values computed from named ones: sums, differences, products and quotients of names and numbers, with
 * parentheses. Expressions divided by | are tried in turn: the first that has a value is taken. */
#ifndef FIDELITY_EXPRESSION_H
#define FIDELITY_EXPRESSION_H

#include <stddef.h>

/* The value of a name; NAN: it has none. */
typedef double ExpressionLookup(void *context, const char *name);

/* NAN: no alternative has a value, since a name has none or 0 divides by 0. */
double expression_value(const char *text, ExpressionLookup *lookup, void *context);

#endif
