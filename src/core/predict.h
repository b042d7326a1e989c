/* Foretells branches: two-bit counters, found by the branch and the ways that the last ones went (gshare). A
 * branch that no counter knows yet is taken if it goes back. Jumps by tables go where they went last. */
#ifndef CORE_PREDICT_H
#define CORE_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

enum { PREDICTOR_COUNTERS = 4096, PREDICTOR_JUMPS = 64, PREDICTOR_HISTORY = 10 };

/* Invariant: a counter is 0 (nothing known) or 1 to 4, from surely not to surely taken. */
typedef struct Predictor {
    uint32_t history;        /* of the path that is being fetched; the last branch in bit 0 */
    uint8_t counters[PREDICTOR_COUNTERS];
    uint32_t targets[PREDICTOR_JUMPS];
} Predictor;

static inline uint8_t *predictor_counter(Predictor *predictor, uint32_t pc, uint32_t history)
{
    return &predictor->counters[(pc ^ history << 2) % PREDICTOR_COUNTERS];
}

static inline bool predictor_taken(Predictor *predictor, uint32_t pc, uint32_t target)
{
    const uint8_t counter = *predictor_counter(predictor, pc, predictor->history);
    return counter ? counter > 2 : target <= pc;
}

/* A branch has been foretold, or is known to have gone that way, behind that history. */
static inline void predictor_follow(Predictor *predictor, uint32_t history, bool taken)
{
    predictor->history = (history << 1 | taken) & ((1u << PREDICTOR_HISTORY) - 1);
}

static inline void predictor_learn(Predictor *predictor, uint32_t pc, uint32_t history, bool taken)
{
    uint8_t *counter = predictor_counter(predictor, pc, history);
    if (!*counter)
        *counter = taken ? 3 : 2;
    else if (taken && *counter < 4)
        ++*counter;
    else if (!taken && *counter > 1)
        --*counter;
}

#endif
