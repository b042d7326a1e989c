/* How many issue slots went to which units. */
#ifndef SM_SLOTS_H
#define SM_SLOTS_H

#include "native/mix.h"
#include "sm/statistics.h"

/* What issued since the counters were last brought up to date. Invariant: `left` instructions more can be
 * added before any field of the sum could overflow; 0 stands for MIX_ROUNDS, so that zeroed memory is one. */
typedef struct SlotSums {
    SlotMix sum;
    uint8_t left;
} SlotSums;

_Static_assert(MIX_ROUNDS == UINT8_MAX + 1, "`left` wraps round to it");

/* Brings the counters up to date. */
void slots_settle(SlotSums *sums, SmStatistics *statistics);

static inline void slots_count(SlotSums *sums, const SlotMix *mix, SmStatistics *statistics)
{
    mix_add(&sums->sum, mix);
    if (__builtin_expect(!--sums->left, 0))
        slots_settle(sums, statistics);
}

#endif
