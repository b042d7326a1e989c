/* The rules that texts are compared with. A rule is a literal followed by a rest, a regular expression
 * (regx_expression.h). It matches where its literal stands and its rest can follow; in how many ways does not
 * matter. */
#ifndef WORKLOADS_REGX_RULES_H
#define WORKLOADS_REGX_RULES_H

#include <stdint.h>

enum {
    MOST_LITERALS = 32, /* one bit each */
    MOST_LITERAL = 16   /* bytes */
};

/* A group of rules that begin alike: with the rests from first_rest on, `count` of them. */
typedef struct Literal {
    const char *text;
    uint32_t first_rest, count;
} Literal;

/* Rules are numbered by literal, then by rest. */
typedef struct RuleSet {
    const Literal *literals;
    const char *const *rests;
    uint32_t literal_count, rest_count;
} RuleSet;

extern const RuleSet packet_rules, string_rules;

#endif
