/* What happened to the blocks of a kernel and to all that it launched, for timelines and reports.
 *
 * A launch by the host has a log where somebody wants one; what its blocks launch writes into the same.
 * Entries are made when what they tell is over: a stay when the block leaves its SM, a launch when it is
 * complete, a wait when the block comes back. Nothing of it takes simulated time.
 *
 * A log is bounded: where it would become longer, only every second of the blocks (or launches) that it has
 * kept so far stays, and of those to come the same choice is made. Blocks are numbered through all launches,
 * so the choice is even, and it is the same for any number of threads. A launch that is kept has the records
 * of all its blocks. Barriers have a bound of their own: of some blocks all that their SM has kept are here,
 * of the others none. */
#ifndef GRID_EVENT_LOG_H
#define GRID_EVENT_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/sm.h"

typedef struct BlockRecord BlockRecord; /* grid/grid_kernel.h */

/* A block of the host's kernel or of what that launched. */
typedef struct LoggedBlock {
    uint32_t launch;       /* 0: the host's kernel, else the number of a launch */
    uint32_t name;         /* of its kernel, in the log's names */
    uint32_t at[3];        /* its place in the grid */
    uint64_t index;        /* in the grid */
    uint64_t number;       /* through all launches */
} LoggedBlock;

/* A stay of a block on an SM. */
typedef struct LoggedStay {
    LoggedBlock block;
    uint32_t sm;
    BlockStay time;
    uint32_t barriers;     /* at which its warps met meanwhile; of these one of barrier_stride is kept: */
    uint32_t barrier_stride;
    uint32_t first_barrier, barrier_count; /* in the log's barriers */
} LoggedStay;

/* A barrier in a stay. */
typedef struct LoggedBarrier {
    BarrierPhase phase;
    uint32_t place;        /* of the instruction in its source, in the log's names */
} LoggedBarrier;

typedef VEC(LoggedBarrier) LoggedBarriers;

/* An instruction whose place in the source has been asked for. */
typedef struct LoggedPlace {
    const Program *program;
    uint32_t pc, name;
} LoggedPlace;

/* A block's time off the SMs. */
typedef struct LoggedWait {
    LoggedBlock block;
    uint8_t reason;        /* WaitReason; WAIT_REASONS: the dispatcher had sent it away */
    uint32_t sm, back_sm;
    Cycle left, resumed, returned; /* resumed: it need not wait any longer; returned: it is sent to an SM */
} LoggedWait;

/* A kernel or aggregated group that a block launched. */
typedef struct LoggedLaunch {
    uint32_t number;       /* in the order of calls, from 1 */
    uint32_t parent;       /* whose block launched it: 0 or a number */
    uint64_t parent_block; /* index in its grid */
    uint64_t caller;       /* the same block, by its number through all launches */
    uint64_t first_block;  /* the number of its own block 0 */
    uint32_t name;         /* in the log's names */
    uint32_t grid[3], block[3];
    bool is_group;
    uint64_t block_count;
    BlockRecord *blocks;   /* [block_count] by index in its grid, from calloc; null: no records are kept */
    Cycle launched;        /* the call */
    Cycle started;         /* its first block was dispatched */
    Cycle ended;           /* the front end knew that all its blocks had ended, and all that they launched */
} LoggedLaunch;

/* Invariant: of stays and waits, those are kept whose number is a multiple of block_stride, of launches those
 * whose number less 1 is one of launch_stride; barriers are those of stays whose number is a multiple of
 * barrier_stride. All strides are powers of two. */
typedef struct EventLog {
    uint32_t limit;        /* of stays and waits together, and of launches */
    uint64_t block_stride, launch_stride;
    bool keeps_stays;      /* for a timeline */
    bool keeps_blocks;     /* records of the blocks of launches */
    uint32_t launch_count; /* all, kept or not */
    uint64_t block_count;  /* the same, of the host's kernel and all launches so far */
    VEC(LoggedStay) stays;
    VEC(LoggedWait) waits;
    VEC(LoggedLaunch) launches;
    uint32_t barrier_limit; /* 0: none are kept */
    uint64_t barrier_stride;
    LoggedBarriers barriers;
    VEC(LoggedPlace) places;
    VEC(char *) names;     /* of kernels and places, each once; the first is that of the host's kernel */
} EventLog;

enum { NO_SM = UINT32_MAX };

/* No stride is larger: a block that comes and goes very often is not left out, but its later times are. */
#define LOG_MOST_STRIDE ((uint64_t)1 << 40)

/* Where a launch stands in its log. */
typedef struct LogPlace {
    EventLog *log;         /* null: nothing is kept */
    uint32_t number, parent, name;
    uint64_t first_block, parent_block, caller; /* as a LoggedLaunch has them */
    Cycle begun;           /* its first block was dispatched */
} LogPlace;

/* For a kernel of the host with so many blocks; it keeps stays, and no records of blocks. */
EventLog *log_create(const char *name, uint64_t block_count, uint32_t limit, uint64_t block_stride,
                     uint64_t launch_stride);
/* Barriers are kept, too: so many at most, of every so many blocks. */
void log_keep_barriers(EventLog *log, uint32_t limit, uint64_t stride);
void log_free(EventLog *log);
/* The place of a launch with so many blocks by a block of what stands at `parent`. */
LogPlace log_launch(const LogPlace *parent, uint64_t parent_block, const char *name, uint64_t block_count);
/* Records for the blocks of the launch, to be handed over to log_complete(); null where none are kept, or
 * there is no memory for them. */
BlockRecord *log_new_blocks(const LogPlace *place, uint64_t block_count);
/* Blocks that are on their way end now; those that had not been dispatched are on NO_SM. */
void log_cut_blocks(BlockRecord *blocks, uint64_t block_count, Cycle now);
/* The block of the launch, whose grid is that large, with an index in it. */
LoggedBlock log_block(const LogPlace *place, const uint32_t grid[3], uint64_t index);
/* Whether the stay is kept: then it is the last. */
bool log_stay(EventLog *log, const LoggedStay *stay);
/* The barriers in the stay that was kept last, by a block that runs the program. */
void log_barriers(EventLog *log, const BarrierLog *barriers, const Program *program);
void log_wait(EventLog *log, const LoggedWait *wait);
/* The name of its reason; "dispatcher": it was sent away. */
const char *log_wait_reason(const LoggedWait *wait);
/* The launch at the place is complete; `launch` comes without what the place says, and its blocks' records
 * are the log's from then on. */
void log_complete(const LogPlace *place, LoggedLaunch launch);
/* Leaves out all that larger strides leave out. */
void log_thin(EventLog *log, uint64_t block_stride, uint64_t launch_stride);
void log_thin_barriers(EventLog *log, uint64_t stride);
void log_drop_barriers(EventLog *log);
/* Launches by number, stays and waits by block and time. */
void log_sort(EventLog *log);

#endif
