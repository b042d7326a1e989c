/* Families: which grid launched which, and what waits for whose completion.
 *
 * A grid is a kernel's launch, or an aggregated group of blocks that a kernel launched. It is complete when
 * its own blocks have ended and everything that it launched is complete, as CUDA has it. Launches into one
 * stream wait for each other; launches into the tail stream wait for the launching grid's blocks and all its
 * other launches, and then for each other. A block may wait for what its own threads have launched.
 *
 * This is bookkeeping without time: functional mode and the front end of the cycle machine both embed a
 * Family in what they know of a grid, tell what happens, and are told what follows from it. */
#ifndef EXEC_RUNTIME_FAMILY_H
#define EXEC_RUNTIME_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

typedef struct Family Family;
typedef struct BlockFamily BlockFamily;

/* Invariant: last is null or the latest launch into the stream that is not complete. A stream that is
 * destroyed stays as long as its grid: what is in it goes on. */
typedef struct LaunchStream {
    Family *last;
} LaunchStream;

/* Invariant: recorded is null or what the event waits for, which is not complete. */
typedef struct LaunchEvent {
    Family *recorded;
    bool is_destroyed;
} LaunchEvent;

/* Invariant: it may start when waits_for is 0, and has started before it can end. unfinished counts what it
 * launched and is not complete; of the tail launches, those from tails[tails_begun] on have not begun to
 * count. */
struct Family {
    Family *parent;            /* null: launched by the host */
    BlockFamily *block;        /* that launched it; null: no block may wait for it */
    LaunchStream *stream;      /* null: it is in none */
    uint32_t depth;            /* 0: launched by the host; tail launches are as deep as who launched them */
    uint32_t waits_for;        /* completions, its turn in the tail stream, its arrival */
    VEC(Family *) waiters;     /* of its completion */
    VEC(LaunchEvent *) events; /* that have recorded it */
    uint32_t unfinished;
    bool has_ended;            /* its own blocks */
    bool is_marker;            /* it has no blocks: it stands in a stream for an event that has to come */
    VEC(Family *) tails;
    uint32_t tails_begun;
    VEC(LaunchStream *) streams; /* that it has made, by their number */
    VEC(LaunchEvent *) made_events;
    uint32_t live_events;      /* of these, not destroyed */
};

/* A block that has launched something, or tried to. Invariant: unfinished counts what it launched and is not
 * complete, without groups and tail launches. Freed when the block has ended and unfinished is 0. */
struct BlockFamily {
    uint32_t unfinished;
    bool has_ended;
    struct Block *waiting;     /* the block, while it waits for unfinished to become 0; null: it does not */
    LaunchStream stream;       /* launches into stream 0 */
    LaunchStream *of_threads;  /* [thread] of cudaStreamPerThread; null: not used yet */
    struct ThreadError *errors; /* [thread] of its calls (device_runtime.h); null: there was none */
};

/* Who is told of what follows. `ready`: the grid may start. `complete`: it is; nothing refers to it
 * afterwards. `resume`: the block need not wait
 * for its launches any longer. */
typedef struct FamilyEvents {
    void (*ready)(void *context, Family *family);
    void (*complete)(void *context, Family *family);
    void (*resume)(void *context, struct Block *block);
    void *context;
} FamilyEvents;

/* How a child is launched. */
typedef enum LaunchOrderKind { LAUNCH_FREE, LAUNCH_IN_STREAM, LAUNCH_TAIL } LaunchOrderKind;

/* A child of `parent`, which has not arrived yet. `block` is null where the block cannot wait for it. */
void family_launch(Family *child, Family *parent, BlockFamily *block, LaunchOrderKind kind,
                   LaunchStream *stream);
/* What has been launched has come to where it waits for its turn. */
void family_arrived(Family *family, const FamilyEvents *events);
/* The grid's own blocks have ended. A grid that another one launched and that has nothing left but its last
 * tail launch is complete then: that takes its place, so that a chain of them may be of any length. */
void family_ended(Family *family, const FamilyEvents *events);
/* The family will never complete: the run has failed. Frees what it has allocated, not itself; all families
 * of the run are given up before the first of them or of its blocks is freed. */
void family_give_up(Family *family);

/* -- streams and events of a grid -- */

/* Handles carry the number of their grid, so that those of other grids are told apart; they are neither
 * numbers that CUDA gives a meaning nor addresses. 0: the grid has as many as handles can name. */
uint64_t family_new_stream(Family *family, uint64_t grid_id);
/* Null: the grid has no such stream. */
LaunchStream *family_stream(const Family *family, uint64_t grid_id, uint64_t handle);
/* Whether it is the handle of a stream, of whatever grid. */
bool family_is_stream(uint64_t handle);
uint64_t family_new_event(Family *family, uint64_t grid_id);
/* Null: the grid has no such event, or it is destroyed. */
LaunchEvent *family_event(const Family *family, uint64_t grid_id, uint64_t handle);
void family_destroy_event(Family *family, LaunchEvent *event);
void event_record(LaunchEvent *event, const LaunchStream *stream);
/* Whatever is launched into the stream from now on waits for the event. */
void stream_wait_event(Family *family, BlockFamily *block, LaunchStream *stream, const LaunchEvent *event);

/* -- blocks -- */

void block_family_free(BlockFamily *block);

/* The block has ended: it waits for nothing and launches nothing any more. */
void block_family_ended(BlockFamily *block);

#endif
