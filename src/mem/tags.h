/* A sectored set-associative tag array, of L2 slices and L1s.
 *
 * A line has one tag and a state for each of its sectors: not there, on its way (pending), there (valid),
 * and changed (dirty, together with valid or pending). The array knows no data: whoever has some keeps it in
 * an array of his own, by line index. Which line goes is decided by age (least recently used), but one that
 * goes first goes before. A line with pending sectors never goes, because somebody waits for it at its place.
 *
 * Sets are found by a hash that maps each aligned run of as many lines as there are sets to all sets, each
 * once, and turns every run by another amount: neighbours never collide, and no stride hits a single set. The
 * number of sets need not be a power of two.
 *
 * Invalidation is one step: it begins a new generation, and a set of an older one is emptied when it is next
 * touched. Sectors that are pending then must be dropped when they come, so whoever fetches notes the
 * generation and gives it back to tags_fill(). */
#ifndef MEM_TAGS_H
#define MEM_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#define TAGS_NONE UINT32_MAX

/* Invariant: valid & pending is 0; dirty is within valid | pending. `note` is the owner's own (the number of
 * a miss record, say) and 0 in a line just allocated. */
typedef struct TagLine {
    uint32_t used; /* value of the array's clock at the last use; 0: none yet, and it goes first */
    uint32_t note;
    uint8_t valid, pending, dirty; /* a bit a sector */
    uint8_t copied; /* sectors that the owner has given away copies of */
} TagLine;

/* Line i lies in set i / ways. addresses[i] is UINT64_MAX while nothing has been put there since its set was
 * emptied. */
typedef struct TagArray {
    uint32_t sets, ways;
    uint32_t clock;       /* counts uses; never 0 after one */
    uint32_t generation;
    uint64_t reciprocal;  /* of sets, times 2^64 */
    uint64_t *addresses;
    TagLine *lines;
    uint32_t *generations; /* of the sets */
    uint32_t capacity;     /* sets there is memory for */
} TagArray;

/* What had to go for a new line. */
typedef struct TagVictim {
    uint64_t address; /* of the line; means nothing if it had no sectors */
    uint8_t valid, dirty, copied;
} TagVictim;

void tags_init(TagArray *tags, uint32_t sets, uint32_t ways);
void tags_free(TagArray *tags);
/* Another number of sets, at most that of tags_init(); empties the array. */
void tags_resize(TagArray *tags, uint32_t sets);
/* Empties the array, changed and pending sectors included. */
void tags_invalidate(TagArray *tags);

/* Addresses are those of lines: multiples of 128. */

/* The index of the line, or TAGS_NONE. Does not count as a use. */
uint32_t tags_find(TagArray *tags, uint64_t address);
/* The line that would have to go for one at `address` which is not there: an empty one, then one that goes
 * first, then the least recently used. TAGS_NONE if all are pending. */
uint32_t tags_choose(TagArray *tags, uint64_t address);
/* Puts a line without sectors at the index that it gave, as just used. */
TagVictim tags_replace(TagArray *tags, uint32_t index, uint64_t address);
/* Sectors have come that were asked for in `generation`. Says whether they are welcome: not after an
 * invalidation. */
bool tags_fill(TagArray *tags, uint32_t index, uint32_t generation, uint8_t sectors);

static inline uint32_t tags_tick(TagArray *tags)
{
    tags->clock += tags->clock == UINT32_MAX ? 2 : 1;
    return tags->clock;
}

/* Counts as a use. */
static inline TagLine *tags_use(TagArray *tags, uint32_t index)
{
    tags->lines[index].used = tags_tick(tags);
    return &tags->lines[index];
}

#endif
