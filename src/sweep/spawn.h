/* A process that is `warpbeam` once more, with what it writes kept in memory. */
#ifndef SWEEP_SPAWN_H
#define SWEEP_SPAWN_H

#include <signal.h>

#include "base/error.h"

typedef enum SpawnKind {
    SPAWN_ENDED,   /* by itself: well, or `error` says why not */
    SPAWN_KILLED,  /* by somebody: it may be run again */
    SPAWN_STOPPED, /* by us, since somebody wants an end */
} SpawnKind;

typedef struct SpawnEnd {
    SpawnKind kind;
    double seconds;
    char *error;  /* a sentence; null: it ended well */
    char *output; /* the end of what it printed */
    char *report; /* that --stats has written; null: nothing */
    size_t report_length;
} SpawnEnd;

/* Runs `command`, a JSON list of arguments whose first is a command of warpbeam, in the folder. False: it
 * could not be started, and the error says why. */
bool spawn_run(const char *command, const char *folder, const char *threads,
               const volatile sig_atomic_t *must_stop, SpawnEnd *end, Error *error);
void spawn_end_free(SpawnEnd *end);

#endif
