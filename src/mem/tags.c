/* Addresses lie apart from the lines' states, so that a lookup reads one short row of them. A set that is
 * touched for the first time in a generation is emptied then: invalidating costs nothing, however large the
 * array is. */
#include "mem/tags.h"

#include "base/alloc.h"

enum { LINE_SHIFT = 7 };
static const uint64_t NO_ADDRESS = UINT64_MAX;

void tags_init(TagArray *tags, uint32_t sets, uint32_t ways)
{
    const size_t lines = (size_t)sets * ways;
    *tags = (TagArray){
        .ways = ways,
        .capacity = sets,
        .addresses = xcalloc(lines, sizeof *tags->addresses),
        .lines = xcalloc(lines, sizeof *tags->lines),
        .generations = xcalloc(sets, sizeof *tags->generations),
    };
    tags_resize(tags, sets);
}

void tags_free(TagArray *tags)
{
    xfree(tags->addresses);
    xfree(tags->lines);
    xfree(tags->generations);
    *tags = (TagArray){0};
}

void tags_resize(TagArray *tags, uint32_t sets)
{
    tags->sets = sets;
    tags->reciprocal = UINT64_MAX / sets;
    tags_invalidate(tags);
}

/* Generation 0 is that of sets nobody has touched, so the first is 1. */
void tags_invalidate(TagArray *tags) { tags->generation++; }

/* address / 128 split into run and place in it. The product with the reciprocal is at most one run short, for
 * line numbers have less than 64 bits. */
static uint32_t set_of(const TagArray *tags, uint64_t address)
{
    const uint64_t line = address >> LINE_SHIFT;
    uint64_t run = (uint64_t)(((unsigned __int128)line * tags->reciprocal) >> 64);
    uint64_t place = line - run * tags->sets;
    if (place >= tags->sets) {
        place -= tags->sets;
        run++;
    }
    /* How far the run is turned. One multiplication alone would leave some strides in a few sets. */
    uint64_t mixed = run * 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93u;
    const uint64_t set = place + (((mixed >> 32) * tags->sets) >> 32);
    return (uint32_t)(set < tags->sets ? set : set - tags->sets);
}

/* The first line of the address's set, emptied if it is of an older generation. */
static uint32_t open_set(TagArray *tags, uint64_t address)
{
    const uint32_t set = set_of(tags, address), first = set * tags->ways;
    if (tags->generations[set] != tags->generation) {
        tags->generations[set] = tags->generation;
        for (uint32_t way = 0; way < tags->ways; way++) {
            tags->addresses[first + way] = NO_ADDRESS;
            tags->lines[first + way] = (TagLine){0};
        }
    }
    return first;
}

uint32_t tags_find(TagArray *tags, uint64_t address)
{
    const uint32_t first = open_set(tags, address);
    const uint64_t *addresses = tags->addresses + first;
    for (uint32_t way = 0; way < tags->ways; way++)
        if (addresses[way] == address)
            return first + way;
    return TAGS_NONE;
}

uint32_t tags_choose(TagArray *tags, uint64_t address)
{
    const uint32_t first = open_set(tags, address);
    uint32_t chosen = TAGS_NONE, oldest = 0;
    for (uint32_t way = 0; way < tags->ways; way++) {
        const TagLine *line = &tags->lines[first + way];
        if (line->pending)
            continue;
        if (!line->valid)
            return first + way;
        /* The clock goes round, so ages are compared and not times. */
        const uint32_t age = line->used ? tags->clock - line->used : UINT32_MAX;
        if (chosen == TAGS_NONE || age > oldest) {
            chosen = first + way;
            oldest = age;
        }
    }
    return chosen;
}

TagVictim tags_replace(TagArray *tags, uint32_t index, uint64_t address)
{
    const TagLine *old = &tags->lines[index];
    const TagVictim victim = {tags->addresses[index], old->valid, old->dirty, old->copied};
    tags->addresses[index] = address;
    tags->lines[index] = (TagLine){.used = tags_tick(tags)};
    return victim;
}

bool tags_fill(TagArray *tags, uint32_t index, uint32_t generation, uint8_t sectors)
{
    if (generation != tags->generation)
        return false;
    TagLine *line = &tags->lines[index];
    line->pending &= (uint8_t)~sectors;
    line->valid |= sectors;
    return true;
}
