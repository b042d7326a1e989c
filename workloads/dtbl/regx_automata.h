/* A set of rules as tables for the GPU: one automaton that finds the literals with which rules begin, and the
 * deterministic automaton of what follows in each. */
#ifndef WORKLOADS_REGX_AUTOMATA_H
#define WORKLOADS_REGX_AUTOMATA_H

#include "dtbl/regx_expression.h"
#include "dtbl/regx_rules.h"

enum {
    FAILED = 0,
    MATCHED = 1, /* where the automata of rests end; their other states follow */
    FOUND = 0x8000,
    MOST_STATES = 4096
};

/* Rows of next states, MOST_STATES of them. */
typedef uint16_t (*Table)[BYTES];

/* The automata of a rule set. Invariant: the first literal_states rows of literals and rest_states rows of
 * rests are in use. A state of literals stands for the longest end of the text that is a beginning of a
 * literal, 0 for none; next states have the bit FOUND where literals have ended, and found[state] has a bit
 * for each of them. Rest r begins in state rest_starts[r] and is expressions[r]; FAILED and MATCHED have no
 * successors. */
typedef struct Automata {
    Table literals, rests;
    uint32_t *found;
    uint16_t *rest_starts;
    Expression *expressions;
    uint32_t literal_states, rest_states;
} Automata;

/* An error may stand afterwards; automata_free in any case. */
void automata_make(const RuleSet *rules, Automata *automata, InputError *error);
void automata_free(Automata *automata);

#endif
