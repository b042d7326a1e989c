/* Homes: whose memory lies at addresses of the host, in a system of several GPUs.
 *
 * Most memory says so by its address (mem/space.h). At an address of the host may also lie
 *   - a GPU's memory: what is mapped there (cuMemMap), and what another process has of it. Such a range has
 *     one home for good;
 *   - managed memory. Each of its blocks has a home that changes: the host at first, later where it is used.
 *
 * A block's home is a function of time, the world's (sim/world.h): `before` holds until cycle `until`,
 * `after` from cycle `since` on, and between the two the block is nowhere, unless the change is gentle. All
 * machines read the table while they run. Who changes it does so between windows, and either for the present
 * cycle, or for cycles behind the window, with a window's length at least between `until` and `since`. So no
 * two nodes ever serve a block in one window, whatever threads they are on; and a change is seen in the same
 * cycle by all, wherever windows end.
 *
 * Each change but new mappings gives the block another version. A request carries the version that it was
 * sent under, and takes effect only under that (mem/hub_faults.c). */
#ifndef MEM_HOMES_H
#define MEM_HOMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/stat.h"
#include "sim/clock.h"

enum { HOMES_MOST = 32 }; /* GPUs of a system */

/* Homes that are no GPU's index: the host; nobody knows the address here; it is managed, and moves; a block
 * is not where it could be used. */
enum { HOME_HOST = -1, HOME_UNKNOWN = -2, HOME_MOVES = -3, HOME_NOWHERE = -4 };

/* What CUDA's advice says of managed memory. */
typedef enum HomeAdvice {
    ADVICE_READ_MOSTLY,
    ADVICE_PREFERRED,
    ADVICE_ACCESSED_BY
} HomeAdvice;

/* Bits of `copies` and `mapped` are GPUs'. A GPU with a copy loads from its own memory; one that has the
 * block mapped reaches it at its home. While there are copies nobody writes. */
typedef struct HomeState {
    int32_t home;
    uint32_t copies, mapped;
    uint32_t version;
} HomeState;

/* Invariant: until <= since. Gentle: between the two loads go on as before, and stores do unless copies are
 * being made. */
typedef struct HomeBlock {
    HomeState before, after;
    Cycle until, since;  /* CYCLE_NEVER: its mover says when it has come */
    bool is_gentle;
    bool is_read_mostly;
    int32_t preferred;   /* HOME_UNKNOWN: no place is */
    uint32_t accessed_by;
    uint32_t moves;      /* because of faults, since it was last put anywhere by the program */
    const void *mover;   /* of a move whose end is not known; null: none */
} HomeBlock;

/* Addresses [base, end). Invariant: blocks is null of a range with a home for good. */
typedef struct HomeRange {
    uint64_t base, end;
    int32_t home;
    uint64_t block_bytes;
    HomeBlock *blocks;
} HomeRange;

/* What a GPU had of managed memory. */
typedef struct ManagedStatistics {
#define COUNT(field, unit, description) uint64_t field;
#include "mem/managed_statistics.def"
#undef COUNT
} ManagedStatistics;
extern const StatTable managed_statistics;

/* Invariant: ranges are in the order of addresses and do not overlap; [low, high) holds all of them, and is
 * empty if there are none. */
typedef struct Homes {
    HomeRange *ranges;
    uint32_t count, capacity;
    uint64_t low, high;
    uint64_t block_bytes; /* of managed memory from now on; 0: it stays at the host */
    ManagedStatistics counters[HOMES_MOST]; /* by GPU; reported: as they were last looked at */
    ManagedStatistics reported[HOMES_MOST];
} Homes;

void homes_free(Homes *homes);
/* The range is the GPU's from now on, whatever was known of its base before. */
void homes_add(Homes *homes, uint64_t base, uint64_t size, int32_t home);
/* The range is managed memory, all of it at the host. */
void homes_add_managed(Homes *homes, uint64_t base, uint64_t size);
/* The range that begins there, if any, is forgotten. */
void homes_remove(Homes *homes, uint64_t base);
/* The GPU is gone: its ranges are forgotten, blocks that it had are the host's. */
void homes_leave(Homes *homes, int32_t gpu);
/* The range that holds the address; null: none. */
const HomeRange *homes_find(const Homes *homes, uint64_t address);

/* Whether a range may hold the address: what most addresses are asked. */
static inline bool homes_may_know(const Homes *homes, uint64_t address)
{
    return address - homes->low < homes->high - homes->low;
}

static inline int32_t homes_home(const Homes *homes, uint64_t address)
{
    const HomeRange *range = homes_may_know(homes, address) ? homes_find(homes, address) : 0;
    return range ? range->home : (int32_t)HOME_UNKNOWN;
}

/* Where a node finds a block, and under which version. */
typedef struct HomeView {
    int32_t home;
    uint32_t version;
} HomeView;

/* Where the node, a GPU or HOME_HOST, finds managed memory in cycle `now` of the world: at itself, at
 * another, or HOME_NOWHERE. HOME_UNKNOWN: it is none. */
HomeView homes_look(const Homes *homes, uint64_t address, int32_t node, bool writes, Cycle now);

/* -- changes, between windows -- */

/* The block that holds the address, and its first address; null: it is no managed memory. */
HomeBlock *homes_block(const Homes *homes, uint64_t address, uint64_t *base, uint64_t *bytes);
/* The block changes; it has no other change ahead. A version of its own is given. */
void homes_change(HomeBlock *block, HomeState after, Cycle until, Cycle since, bool is_gentle);
/* All that is under way has come; `all`: what a mover has not brought yet, too. */
void homes_settle(Homes *homes, bool all);
/* The program says how [address, address + size) is used, or takes that back. */
void homes_advise(Homes *homes, uint64_t address, uint64_t size, HomeAdvice advice, int32_t place,
                  bool is_set, Cycle now);

#endif
