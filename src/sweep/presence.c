/* Locks of byte ranges (fcntl): they belong to the process, not to its children. */
#include "sweep/presence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

bool presence_open(const Store *store, Presence *presence, Error *error)
{
    char *path = xmalloc(strlen(store->path) + sizeof ".workers");
    sprintf(path, "%s.workers", store->path);
    *presence = (Presence){.file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666)};
    if (presence->file < 0)
        error_set(error, WB_ERROR_ARGUMENT, "The file %s cannot be opened: %s.", path, strerror(errno));
    xfree(path);
    return presence->file >= 0;
}

static struct flock byte_of(int64_t worker)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = worker, .l_len = 1};
}

/* "JOB_TASK" of Slurm; false: this is no job. */
static bool slurm_job(char *text, size_t size)
{
    const char *array = getenv("SLURM_ARRAY_JOB_ID"), *task = getenv("SLURM_ARRAY_TASK_ID");
    if (array && task)
        snprintf(text, size, "%s_%s", array, task);
    return array && task;
}

static bool add_worker(const Store *store, Presence *presence, Error *error)
{
    char host[256] = "", job[64];
    gethostname(host, sizeof host - 1);
    sqlite3_stmt *made =
        store_prepare(store, "INSERT INTO worker (host, process, job, began) VALUES (?, ?, ?, ?)", error);
    if (!made)
        return false;
    store_bind_text(made, 1, host);
    sqlite3_bind_int64(made, 2, getpid());
    store_bind_text(made, 3, slurm_job(job, sizeof job) ? job : NULL);
    sqlite3_bind_double(made, 4, store_now());
    const bool added = store_finish(store, made, error);
    presence->worker = sqlite3_last_insert_rowid(store->database);
    sqlite3_finalize(made);
    return added;
}

bool presence_begin(const Store *store, Presence *presence, Error *error)
{
    if (!add_worker(store, presence, error))
        return false;
    const struct flock byte = byte_of(presence->worker);
    if (fcntl(presence->file, F_SETLK, &byte) == 0)
        return true;
    error_set(error, WB_ERROR_ARGUMENT,
              "%s.workers cannot be locked: %s: a sweep needs a file system with locks.", store->path,
              strerror(errno));
    return false;
}

bool presence_has(const Presence *presence, int64_t worker)
{
    struct flock byte = byte_of(worker);
    if (worker == presence->worker)
        return true;
    return fcntl(presence->file, F_GETLK, &byte) != 0 || byte.l_type != F_UNLCK;
}

void presence_close(Presence *presence)
{
    if (presence->file >= 0)
        close(presence->file);
    presence->file = -1;
}
