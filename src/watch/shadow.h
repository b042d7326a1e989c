/* The shadow of global memory: who has touched every byte since it was last written.
 *
 * Those who touch are nodes of a dependency graph; what they are is the user's business. Two touches of a
 * byte by different nodes, one of them at least changing it, are a meeting, unless both are atomic: these may
 * come in any order. The user is told of each meeting and answers whether the earlier node is over before the
 * later one begins. A write forgets those that are; the others stay, so that whoever comes next meets them,
 * too.
 *
 * Bytes are told apart by words of four, until an access to part of a word makes its page one of single
 * bytes. A cell holds three sets of touches. Sets are shared: each is another one with one touch more, and
 * there is only one of its kind, so memory that was used alike costs no more than its cells, and what has
 * been asked about a set need not be asked again. */
#ifndef WATCH_SHADOW_H
#define WATCH_SHADOW_H

#include "base/vec.h"
#include "watch/watch.h"
#include "watch/pair_map.h"

/* A node that touches memory, by the instruction at `place`, a number of the user's. */
typedef struct Toucher {
    uint32_t node, place;
    Touch touch;
} Toucher;

/* Set 0 is the empty one. Invariant: no two touches of a set are of one node. */
typedef struct TouchSet {
    uint32_t rest;    /* the set without its latest touch */
    uint32_t toucher;
} TouchSet;

typedef struct ShadowCell {
    uint32_t writes, atomics, reads; /* sets */
} ShadowCell;

/* Invariant: there are SHADOW_PAGE_BYTES >> shift cells. */
typedef struct ShadowPage {
    ShadowCell *cells;
    uint32_t shift; /* 2: a cell stands for a word; 0: for a byte */
} ShadowPage;

/* Both have touched the byte at `address`. True: the earlier node is over before the later one begins. Asked
 * at least once for every two touchers that meet. */
typedef bool ShadowMeeting(void *context, uint32_t earlier, uint32_t later, uint64_t address);

/* What has been found out about a set and a toucher; of the empty set nothing. */
typedef struct ShadowMemo {
    uint32_t set, toucher, result;
} ShadowMemo;

enum { SHADOW_PAGE_BYTES = 4096, SHADOW_MEMOS = 4096 };

typedef struct Shadow {
    ShadowMeeting *meet;
    void *context;
    VEC(Toucher) touchers;
    PairMap toucher_numbers;
    VEC(TouchSet) sets;
    PairMap set_numbers;
    VEC(ShadowPage) pages;
    PairMap page_numbers;
    uint64_t last_address; /* of the page that was used last, if there is any */
    uint32_t last_page;
    ShadowMemo *unordered, *added; /* [SHADOW_MEMOS] */
    VEC(uint32_t) kept;            /* scratch */
} Shadow;

void shadow_init(Shadow *shadow, ShadowMeeting *meet, void *context);
void shadow_free(Shadow *shadow);
/* The number of a toucher. */
uint32_t shadow_toucher(Shadow *shadow, uint32_t node, uint32_t place, Touch touch);
void shadow_touch(Shadow *shadow, uint32_t toucher, uint64_t address, uint64_t bytes);

#endif
