/* Accesses of blocks to the same data that no dependency puts in order, as sentences.
 *
 * Violations between the same two lines of source have one sentence, with the first of them as the example;
 * all are counted. */
#ifndef WATCH_VIOLATIONS_H
#define WATCH_VIOLATIONS_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "watch/watch.h"

enum { MOST_SENTENCES = 64 };

/* Invariant: at most MOST_SENTENCES sentences, all different in lines or kind. */
typedef struct Violations {
    uint64_t count;
    Arena arena;
    VEC(const char *) sentences;
    Map seen;
} Violations;

/* A block that touches data. */
typedef struct ViolationSide {
    const char *kernel;
    uint32_t block[3];
    const char *place;
    Touch touch;
} ViolationSide;

/* `why` says what is wrong with it: "an edge is missing". */
void violations_add(Violations *violations, const ViolationSide *earlier, const ViolationSide *later,
                    uint64_t address, const char *why);
void violations_clear(Violations *violations);

/* The index of a block in its grid of `size`. */
void violation_block(const uint32_t size[3], uint32_t linear, uint32_t block[3]);

#endif
