/* Every function here is one statement, which SQLite does as a whole. */
#include "sweep/queue.h"

#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"

bool queue_take(const Store *store, int64_t study, const char *binary, int64_t worker, Task *task,
                Error *error)
{
    /* The index has runs by status and binary, in the order of their numbers. */
    sqlite3_stmt *made = store_prepare(
        store,
        "UPDATE run SET status = 'running', worker = ?1, attempts = attempts + 1, began = ?2"
        " WHERE id = (SELECT id FROM run WHERE status = 'waiting' AND binary = ?3 AND EXISTS"
        " (SELECT 1 FROM member WHERE member.run = run.id AND member.study = ?4) ORDER BY id LIMIT 1)"
        " RETURNING id, command, folder",
        error);
    if (!made)
        return false;
    sqlite3_bind_int64(made, 1, worker);
    sqlite3_bind_double(made, 2, store_now());
    store_bind_text(made, 3, binary);
    sqlite3_bind_int64(made, 4, study);
    const bool found = store_step(store, made, error);
    if (found)
        *task = (Task){sqlite3_column_int64(made, 0), xcopy_text(store_text(made, 1)),
                       xcopy_text(store_text(made, 2))};
    const bool done = !found || store_finish(store, made, error);
    sqlite3_finalize(made);
    if (found && !done)
        task_free(task);
    return found && done;
}

void task_free(Task *task)
{
    xfree(task->command);
    xfree(task->folder);
    *task = (Task){0};
}

bool queue_end(const Store *store, int64_t worker, int64_t run, const TaskEnd *end, Error *error)
{
    sqlite3_stmt *made =
        store_prepare(store,
                      "UPDATE run SET status = ?3, seconds = ?4, error = ?5, output = ?6, statistics = ?7,"
                      " ends = ends + 1 WHERE id = ?1 AND worker = ?2 AND status = 'running'",
                      error);
    if (!made)
        return false;
    sqlite3_bind_int64(made, 1, run);
    sqlite3_bind_int64(made, 2, worker);
    store_bind_text(made, 3, end->is_right ? "done" : "failed");
    sqlite3_bind_double(made, 4, end->seconds);
    store_bind_text(made, 5, end->error);
    store_bind_text(made, 6, end->output);
    store_bind_text(made, 7, end->statistics);
    const bool done = store_finish(store, made, error);
    sqlite3_finalize(made);
    return done;
}

/* A statement about one run of one worker. */
static bool change(const Store *store, const char *statement, int64_t run, int64_t worker, Error *error)
{
    sqlite3_stmt *made = store_prepare(store, statement, error);
    if (!made)
        return false;
    sqlite3_bind_int64(made, 1, run);
    sqlite3_bind_int64(made, 2, worker);
    if (sqlite3_bind_parameter_count(made) > 2)
        sqlite3_bind_int64(made, 3, QUEUE_ATTEMPTS);
    const bool done = store_finish(store, made, error);
    sqlite3_finalize(made);
    return done;
}

bool queue_put_back(const Store *store, int64_t worker, int64_t run, Error *error)
{
    return change(store,
                  "UPDATE run SET status = 'waiting', attempts = attempts - 1"
                  " WHERE id = ?1 AND worker = ?2 AND status = 'running'",
                  run, worker, error);
}

#define LOSE                                                                                                 \
    "UPDATE run SET status = CASE WHEN attempts < ?3 THEN 'waiting' ELSE 'failed' END,"                      \
    " ends = ends + (attempts >= ?3),"                                                                       \
    " error = CASE WHEN attempts < ?3 THEN NULL ELSE 'The run was killed ' || ?3 || ' times, each time it'"  \
    " || ' was begun: --retry begins it again.' END"                                                         \
    " WHERE status = 'running' AND worker = ?2"

bool queue_lose(const Store *store, int64_t worker, int64_t run, Error *error)
{
    return change(store, LOSE " AND id = ?1", run, worker, error);
}

size_t queue_release(const Store *store, const Presence *presence, Error *error)
{
    VEC(int64_t) dead = {0};
    sqlite3_stmt *made =
        store_prepare(store, "SELECT DISTINCT worker FROM run WHERE status = 'running'", error);
    while (made && store_step(store, made, error))
        if (!presence_has(presence, sqlite3_column_int64(made, 0)))
            VEC_PUSH(&dead, sqlite3_column_int64(made, 0));
    sqlite3_finalize(made);
    const size_t count = dead.count;
    for (uint32_t i = 0; i < dead.count; i++)
        change(store, LOSE " AND ?1 = 0", 0, dead.items[i], error);
    VEC_FREE(&dead);
    return count;
}

bool queue_retry(const Store *store, int64_t study, Error *error)
{
    return change(store,
                  "UPDATE run SET status = 'waiting', attempts = 0, ends = 0, error = NULL, output = NULL,"
                  " seconds = NULL, statistics = NULL WHERE status = 'failed' AND ?2 = 0 AND id IN"
                  " (SELECT run FROM member WHERE study = ?1)",
                  study, 0, error);
}

QueueState queue_state(const Store *store, int64_t study, Error *error)
{
    QueueState state = {0};
    sqlite3_stmt *made = store_prepare(store,
                                       "SELECT status, count(*) FROM run WHERE id IN"
                                       " (SELECT run FROM member WHERE study = ?) GROUP BY status",
                                       error);
    if (made)
        sqlite3_bind_int64(made, 1, study);
    while (made && store_step(store, made, error)) {
        const char *status = store_text(made, 0);
        const size_t count = (size_t)sqlite3_column_int64(made, 1);
        if (strcmp(status, "waiting") == 0)
            state.waiting = count;
        else if (strcmp(status, "running") == 0)
            state.running = count;
        else if (strcmp(status, "done") == 0)
            state.done = count;
        else
            state.failed = count;
    }
    sqlite3_finalize(made);
    return state;
}
