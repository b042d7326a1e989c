/* A hash table with linear probing. Entries are never removed, so a search may end at the first empty one; a
 * quarter of the table is always empty, so it does end. The hash is kept beside the key: growing needs no
 * key, and most keys that differ are told apart without looking at them. */
#include "base/map.h"

#include <string.h>

#include "base/alloc.h"

static uint32_t hash_of(const char *key, size_t length)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)key[i]) * 16777619u;
    return hash;
}

static MapEntry *find(MapEntry *entries, uint32_t capacity, const char *key, size_t length, uint32_t hash)
{
    for (uint32_t i = hash & (capacity - 1);; i = (i + 1) & (capacity - 1)) {
        MapEntry *entry = &entries[i];
        if (!entry->key ||
            (entry->hash == hash && entry->length == length && !memcmp(entry->key, key, length)))
            return entry;
    }
}

bool map_get(const Map *map, const char *key, size_t length, uint32_t *value)
{
    if (!map->count)
        return false;
    const MapEntry *entry = find(map->entries, map->capacity, key, length, hash_of(key, length));
    if (entry->key)
        *value = entry->value;
    return entry->key != NULL;
}

static void grow(Map *map)
{
    uint32_t capacity = map->capacity ? 2 * map->capacity : 16;
    MapEntry *entries = xcalloc(capacity, sizeof *entries);
    for (uint32_t i = 0; i < map->capacity; i++) {
        const MapEntry *old = &map->entries[i];
        /* Keys are all different, so what is found is an empty entry. */
        if (old->key)
            *find(entries, capacity, old->key, old->length, old->hash) = *old;
    }
    xfree(map->entries);
    map->entries = entries;
    map->capacity = capacity;
}

void map_put(Map *map, const char *key, size_t length, uint32_t value)
{
    if (4 * (map->count + 1) > 3 * map->capacity)
        grow(map);
    uint32_t hash = hash_of(key, length);
    MapEntry *entry = find(map->entries, map->capacity, key, length, hash);
    if (!entry->key)
        map->count++;
    *entry = (MapEntry){key, (uint32_t)length, hash, value};
}

void map_free(Map *map)
{
    xfree(map->entries);
    *map = (Map){0};
}
