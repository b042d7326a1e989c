/* Open addressing with linear probing. Entries are never removed, so a search ends at the first empty one,
 * and a quarter of the table is always empty. */
#include "watch/pair_map.h"

#include "base/alloc.h"

/* The entry of the pair, or the empty one where it belongs. */
static PairEntry *look(const PairMap *map, uint32_t a, uint32_t b)
{
    uint32_t at = (uint32_t)(pair_hash(a, b) >> 32);
    for (;; at++) {
        PairEntry *entry = &map->entries[at & (map->capacity - 1)];
        if (!entry->is_used || (entry->a == a && entry->b == b))
            return entry;
    }
}

static void grow(PairMap *map)
{
    enum { FIRST_CAPACITY = 64 };
    const PairMap old = *map;
    map->capacity = old.capacity ? old.capacity * 2 : FIRST_CAPACITY;
    map->entries = xcalloc(map->capacity, sizeof *map->entries);
    for (uint32_t i = 0; i < old.capacity; i++) {
        if (old.entries[i].is_used)
            *look(map, old.entries[i].a, old.entries[i].b) = old.entries[i];
    }
    xfree(old.entries);
}

uint32_t *pair_map_find(const PairMap *map, uint32_t a, uint32_t b)
{
    PairEntry *entry = map->capacity ? look(map, a, b) : NULL;
    return entry && entry->is_used ? &entry->value : NULL;
}

uint32_t *pair_map_at(PairMap *map, uint32_t a, uint32_t b, bool *is_new)
{
    /* Also when there is no table at all. */
    if (map->count >= map->capacity / 4 * 3)
        grow(map);
    PairEntry *entry = look(map, a, b);
    *is_new = !entry->is_used;
    if (*is_new) {
        *entry = (PairEntry){.a = a, .b = b, .is_used = true};
        map->count++;
    }
    return &entry->value;
}

void pair_map_free(PairMap *map)
{
    xfree(map->entries);
    *map = (PairMap){0};
}
