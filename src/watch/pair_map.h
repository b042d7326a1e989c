/* A map from pairs of 32-bit numbers to 32-bit values. Nothing depends on its order: whoever needs an order
 * keeps an array beside it. */
#ifndef WATCH_PAIR_MAP_H
#define WATCH_PAIR_MAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct PairEntry {
    uint32_t a, b, value;
    bool is_used;
} PairEntry;

/* A zeroed PairMap is empty. Open addressing; capacity is a power of two, never more than 3/4 full. */
typedef struct PairMap {
    PairEntry *entries;
    uint32_t count, capacity;
} PairMap;

/* The value of the pair, which is added with 0 where it was not there. Valid until the next call. */
uint32_t *pair_map_at(PairMap *map, uint32_t a, uint32_t b, bool *is_new);
/* The same without adding; null: it is not there. */
uint32_t *pair_map_find(const PairMap *map, uint32_t a, uint32_t b);
void pair_map_free(PairMap *map);

/* Spreads a pair over 64 bits. */
static inline uint64_t pair_hash(uint32_t a, uint32_t b)
{
    uint64_t hash = ((uint64_t)a << 32 | b) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    return hash * 0xD6E8FEB86659FD93u;
}

#endif
