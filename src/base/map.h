/* A map from strings to 32-bit values. Nothing depends on its order: whoever needs an order keeps an
 * array beside it. Keys are not copied and must outlive the map. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct MapEntry { const char *key; uint32_t length, hash, value; } MapEntry;

/* A zeroed Map is empty. Open addressing; capacity is a power of two, never more than 3/4 full. */
typedef struct Map { MapEntry *entries; uint32_t count, capacity; } Map;

bool map_get(const Map *map, const char *key, size_t length, uint32_t *value);
/* Adds or replaces. */
void map_put(Map *map, const char *key, size_t length, uint32_t value);
void map_free(Map *map);

#endif
