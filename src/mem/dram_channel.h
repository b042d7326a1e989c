/* The inside of a DRAM channel: dram.c (a request's way in, through commands and out), dram_schedule.c (which
 * command is next), dram_setup.c. */
#ifndef MEM_DRAM_CHANNEL_H
#define MEM_DRAM_CHANNEL_H

#include "mem/dram.h"
#include "mem/dram_timing.h"
#include "mem/interleave.h"

#define TICK_NEVER UINT64_MAX
enum { NO_ENTRY = UINT16_MAX };

/* What a request found: counted with its first column command. Later ones are worse. */
typedef enum RowOutcome { ROW_HIT, ROW_MISS, ROW_CONFLICT } RowOutcome;

/* A request that waits. Invariant: it is in the list of its bank and direction, which is in order of age. */
typedef struct DramEntry {
    uint64_t row;
    uint64_t age;     /* number among all requests of the channel */
    uint64_t arrival; /* tick */
    uint32_t sm, ticket;
    uint16_t next, previous; /* in the list; next also in the free list */
    uint8_t bank;
    uint8_t columns; /* commands still to be given */
    uint8_t outcome; /* RowOutcome so far */
    bool write, started;
} DramEntry;

/* `hit`: the oldest whose row is open. */
typedef struct DramList {
    uint16_t first, last, hit;
} DramList;

/* Invariant: no list has a hit while the bank is closed. */
typedef struct DramBank {
    uint64_t row;
    bool open;
    uint8_t group;
    DramList lists[2]; /* reads, writes */
} DramBank;

/* What a bank wants to do next for its reads or its writes. Invariant while the list is not empty: `ready` is
 * the command's first tick as far as the bank itself is concerned, `key` its place among those of one tick,
 * `starves` the tick after which the bank's oldest request has waited for too long. */
typedef struct DramCandidate {
    uint64_t ready, key, starves;
    uint16_t entry;
    uint8_t command, group;
} DramCandidate;

/* A read under way: its data come in `tick`. */
typedef struct DramDone {
    uint64_t tick;
    uint32_t ticket;
} DramDone;

/* Invariants: bit b of waiting[w] is set exactly if bank b has a list w that is not empty, of open exactly if
 * bank b is open. While `decided`, the next_ fields are the command that comes next if no request does.
 * Between calls it is not before `limit`. done[head..tail), modulo its size, is in order of tick; those
 * before `ripe` have come. */
struct DramChannel {
    DramTiming timing;
    Interleave interleave;
    Clock clock;
    DramCandidate candidates[2][DRAM_BANKS]; /* reads, writes */
    DramBank banks[DRAM_BANKS];
    uint64_t waiting[2], open;

    DramEntry *entries;
    uint16_t free;
    uint32_t count[2], capacity[2];
    uint32_t write_high, write_low;
    bool draining, dual_command;
    uint8_t columns[16]; /* column commands by mask of sectors */
    uint64_t starvation;
    uint64_t next_age;

    bool decided;
    bool next_write; /* the direction for which was decided */
    uint8_t next_command;
    uint16_t next_entry;
    uint64_t next_tick, next_key;
    uint64_t from;        /* no command before: tick of the last command or request */
    uint64_t served;      /* tick of the last command */
    uint64_t bus_free[2]; /* row and column commands */

    uint64_t refresh_due, refresh_interval, refresh_step;
    uint64_t refresh_banks; /* of the first set */
    uint32_t refresh_set, refresh_sets; /* whose turn it is, at refresh_due; of how many */

    DramDone *done;
    uint32_t done_size, head, ripe, tail;
    uint32_t done_ticks; /* from a read command until the data have come */
    Cycle now;      /* of the last call; CYCLE_NEVER: none yet */
    uint64_t limit; /* first tick after it */

    uint32_t last_sm;
    uint64_t accounted; /* active and queued ticks are counted up to here */
    uint64_t data_end;  /* of all column commands so far */
    DramStatistics statistics;
    uint32_t sm_count;
    uint64_t *by_sm; /* [sm_count + 1]: requests served */
};

/* -- dram_schedule.c -- */

/* Chooses the next command if none is chosen; there are requests. */
void dram_decide(DramChannel *channel);
/* The request, new at the end of its list, may change what comes next. */
void dram_reconsider(DramChannel *channel, const DramEntry *entry);
/* After anything has changed in a bank: what it wants to do next. */
void dram_update_bank(DramChannel *channel, unsigned number);
/* After the number of requests has changed: whether there are so many writes that they go first. */
void dram_watch_writes(DramChannel *channel);

#endif
