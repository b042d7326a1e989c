/* Who is alive. A worker holds a lock on a byte of a file beside the database for as long as it lives, and
 * the kernel takes that away whatever ends it, SIGKILL too. So nobody has to send signs of life, and no clock
 * of one machine is compared with another's. Over a network the file server does the same for a machine that
 * is gone. */
#ifndef SWEEP_PRESENCE_H
#define SWEEP_PRESENCE_H

#include "sweep/store.h"

/* Invariant: `file` is the only descriptor of that file in this process, which would lose its lock with the
 * first one that it closes. */
typedef struct Presence {
    int file;
    int64_t worker; /* this process's number; 0: it is no worker */
} Presence;

bool presence_open(const Store *store, Presence *presence, Error *error);
/* Makes this process a worker, for as long as it lives. */
bool presence_begin(const Store *store, Presence *presence, Error *error);
/* Whether that worker lives. */
bool presence_has(const Presence *presence, int64_t worker);
void presence_close(Presence *presence);

#endif
