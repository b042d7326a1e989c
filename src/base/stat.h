/* Statistics: counters declared once in a table beside the struct that holds them. Lists, reports,
 * reset and merging walk the table; ratios are computed by whoever reports. */
#ifndef BASE_STAT_H
#define BASE_STAT_H

#include "base/error.h"

/* A counter is the uint64_t at `offset` of its component's struct. */
typedef struct Stat {
    const char *name;
    const char *unit;
    const char *description;
    size_t offset;
} Stat;

/* Rows are in the order of the struct's fields. */
typedef struct StatTable {
    const Stat *rows;
    size_t count;
} StatTable;

const Stat *stat_find(const StatTable *table, const char *name);
uint64_t stat_value(const Stat *stat, const void *object);
void stat_reset(const StatTable *table, void *object);
/* Adds every counter of `from` to `into`. */
void stat_merge(const StatTable *table, void *into, const void *from);
/* Copies the counters to values[table->count], in the order of the table. */
void stat_read(const StatTable *table, const void *object, uint64_t *values);
/* Adds them to sums[table->count]. */
void stat_sum(const StatTable *table, const void *object, uint64_t *sums);

#endif
