/* What went over the links of a system, over time (knobs timeline and sample_interval).
 *
 * Time is parted into intervals of the system's cycles. Of each in which something moved there is a sample:
 * bytes of every path, and how long every port was busy each way, with kernels' packets and with copies
 * (api/link_copy.h), which do not know of each other: together they may be more than a port has. Machines
 * stop at the end of each interval, which changes nothing of what they do. Where there would be too many
 * samples, the interval doubles, and neighbours become one. */
#ifndef API_LINK_SERIES_H
#define API_LINK_SERIES_H

#include "base/vec.h"
#include "mem/link.h"

struct System;

/* What is counted of the fabric, for each pair of nodes: numbers as fabric->paths, out and in have them. */
typedef enum LinkRow { LINK_ROW_BYTES, LINK_ROW_BUSY_OUT, LINK_ROW_BUSY_IN, LINK_ROWS } LinkRow;

/* Invariant: places are in order, each once: sample i is that of [places[i], places[i] + 1) * interval, and
 * has LINK_ROWS * pairs values. `last` are the fabric's counters when they were last looked at. */
typedef struct LinkSeries {
    Cycle interval; /* 0: nothing is kept */
    uint32_t pairs; /* nodes of the system, by themselves; 0 before the first look */
    uint64_t *last; /* [LINK_ROWS * pairs] */
    VEC(uint64_t) places;
    VEC(uint64_t) values;
} LinkSeries;

/* How far machines may go from the present cycle on, at most `until`. */
Cycle link_series_limit(struct System *system, Cycle until);
/* Machines have gone from cycle `from` to the present one. */
void link_series_look(struct System *system, Cycle from);
/* A copy has moved so much, evenly, in the cycles of the system from `begin` to before `end`. */
void link_series_add(struct System *system, LinkRow row, uint32_t pair, Cycle begin, Cycle end,
                     uint64_t amount);
/* The fabric is about to go. */
void link_series_forget(LinkSeries *series);
/* Drops all samples, and begins anew. */
void link_series_reset(struct System *system);
void link_series_free(LinkSeries *series);

uint64_t link_series_value(const LinkSeries *series, uint32_t sample, LinkRow row, uint32_t pair);
uint64_t link_series_sum(const LinkSeries *series, LinkRow row, uint32_t pair);

#endif
