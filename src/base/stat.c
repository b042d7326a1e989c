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

void stat_read(const StatTable *table, const void *object, uint64_t *values)
{
    for (size_t i = 0; i < table->count; i++)
        values[i] = stat_value(&table->rows[i], object);
}
