/* Which runs are to be done, and by whom.
 *
 * A run is waiting, is being run by a worker, or has come to its end. A worker takes a waiting one in one
 * statement, so no two can. It ends it only while it is still its own. So each comes to its end exactly once,
 * whoever is killed: what a dead worker had is waiting again (presence.h). */
#ifndef SWEEP_QUEUE_H
#define SWEEP_QUEUE_H

#include "sweep/presence.h"

/* Texts are the task's own. */
typedef struct Task {
    int64_t run;
    char *command; /* JSON: arguments of `warpbeam` */
    char *folder;
} Task;

typedef struct TaskEnd {
    bool is_right;
    double seconds;
    const char *error, *output, *statistics; /* null: none */
} TaskEnd;

/* Runs of a study by what has become of them. */
typedef struct QueueState {
    size_t waiting, running, done, failed;
} QueueState;

/* Begun so often, a run has failed: whoever ran it was killed each time. */
enum { QUEUE_ATTEMPTS = 20 };

/* Takes the first waiting run of a study that this binary may do; false: there is none, or an error. */
bool queue_take(const Store *store, int64_t study, const char *binary, int64_t worker, Task *task,
                Error *error);
void task_free(Task *task);
/* The run has come to its end; nothing is changed if it is this worker's no more. */
bool queue_end(const Store *store, int64_t worker, int64_t run, const TaskEnd *end, Error *error);
/* The run is waiting again, as if it had not been begun. */
bool queue_put_back(const Store *store, int64_t worker, int64_t run, Error *error);
/* The run was killed, or who ran it: it is waiting again, or has failed after QUEUE_ATTEMPTS. */
bool queue_lose(const Store *store, int64_t worker, int64_t run, Error *error);
/* The same for all runs of workers that live no more; how many there were. */
size_t queue_release(const Store *store, const Presence *presence, Error *error);
/* Runs of the study that have failed are waiting again. */
bool queue_retry(const Store *store, int64_t study, Error *error);

QueueState queue_state(const Store *store, int64_t study, Error *error);

#endif
