/* Counters are found by their offsets. Where a struct holds nothing else, they are one array, and sums
 * over many parts are vector code. */
#include "base/stat.h"

#include <string.h>

static uint64_t *counter(const Stat *stat, void *object)
{
    return (uint64_t *)((char *)object + stat->offset);
}

const Stat *stat_find(const StatTable *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->rows[i].name, name) == 0)
            return &table->rows[i];
    }
    return NULL;
}

uint64_t stat_value(const Stat *stat, const void *object)
{
    return *(const uint64_t *)((const char *)object + stat->offset);
}

void stat_reset(const StatTable *table, void *object)
{
    for (size_t i = 0; i < table->count; i++)
        *counter(&table->rows[i], object) = 0;
}

void stat_merge(const StatTable *table, void *into, const void *from)
{
    for (size_t i = 0; i < table->count; i++)
        *counter(&table->rows[i], into) += stat_value(&table->rows[i], from);
}

/* Where the counters of a struct that holds them side by side begin; null: others stand between. Rows are in
 * the order of the fields, so the last one's place tells. */
static const uint64_t *dense_counters(const StatTable *table, const void *object)
{
    if (!table->count)
        return NULL;
    const size_t first = table->rows[0].offset, last = table->rows[table->count - 1].offset;
    const bool is_dense = last - first == (table->count - 1) * sizeof(uint64_t);
    return is_dense ? (const uint64_t *)((const char *)object + first) : NULL;
}

void stat_read(const StatTable *table, const void *object, uint64_t *values)
{
    const uint64_t *counters = dense_counters(table, object);
    for (size_t i = 0; i < table->count; i++)
        values[i] = counters ? counters[i] : stat_value(&table->rows[i], object);
}

static void add_all(uint64_t *restrict sums, const uint64_t *restrict counters, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sums[i] += counters[i];
}

/* Sums over all parts of a large machine are most of what a short kernel costs. */
void stat_sum(const StatTable *table, const void *object, uint64_t *sums)
{
    const uint64_t *counters = dense_counters(table, object);
    if (counters)
        add_all(sums, counters, table->count);
    for (size_t i = 0; !counters && i < table->count; i++)
        sums[i] += stat_value(&table->rows[i], object);
}
