/* The loop of a worker; spawn.c runs one of its runs. */
#include "sweep/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/output_file.h"
#include "sweep/collect.h"
#include "sweep/files.h"
#include "sweep/spawn.h"

typedef struct Worker {
    const Work *work;
    Store store;
    Presence presence;
    char binary[DIGEST_TEXT_SIZE];
} Worker;

/* The whole report, for `warpbeam report` and `compare`. */
static void keep_report(const Work *work, int64_t run, const SpawnEnd *end, Error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%lld.json", work->reports, (long long)run);
    OutputFile *file = output_file_begin("report", path, error);
    if (!file)
        return;
    fwrite(end->report, 1, end->report_length, output_file_stream(file));
    output_file_end(file, error);
}

static bool write_down(Worker *worker, const Task *task, const SpawnEnd *end, Error *error)
{
    json_t *statistics = end->report ? collect_statistics(end->report, end->report_length) : NULL;
    char *text = statistics ? json_dumps(statistics, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    const char *failure = end->error;
    json_decref(statistics);
    if (!failure && !text)
        failure = "The run ended well, but left no statistics: a program must make a CUDA call.";
    const TaskEnd told = {.is_right = !failure,
                          .seconds = end->seconds,
                          .error = failure,
                          .output = end->output,
                          .statistics = text};
    if (worker->work->reports && end->report)
        keep_report(worker->work, task->run, end, error);
    const bool done =
        error->status == WB_OK && queue_end(&worker->store, worker->presence.worker, task->run, &told, error);
    free(text);
    return done;
}

static bool do_task(Worker *worker, const Task *task, Error *error)
{
    SpawnEnd end = {0};
    const int64_t own = worker->presence.worker;
    if (!spawn_run(task->command, task->folder, worker->work->threads, worker->work->must_stop, &end, error))
        queue_put_back(&worker->store, own, task->run, &(Error){0});
    else if (end.kind == SPAWN_STOPPED)
        queue_put_back(&worker->store, own, task->run, error);
    else if (end.kind == SPAWN_KILLED)
        queue_lose(&worker->store, own, task->run, error);
    else
        write_down(worker, task, &end, error);
    spawn_end_free(&end);
    return error->status == WB_OK;
}

static bool work_on(Worker *worker, Error *error)
{
    const Work *work = worker->work;
    while (!*work->must_stop) {
        Task task;
        if (queue_take(&worker->store, work->study, worker->binary, worker->presence.worker, &task, error)) {
            const bool done = do_task(worker, &task, error);
            task_free(&task);
            if (!done)
                return false;
        } else if (error->status != WB_OK) {
            return false;
        } else if (!queue_release(&worker->store, &worker->presence, error)) {
            return error->status == WB_OK; /* nothing is waiting, and nobody has died */
        }
    }
    return true;
}

bool work_until_done(const Work *work, Error *error)
{
    Worker worker = {.work = work, .presence = {.file = -1}};
    if (!store_open(work->database, false, &worker.store, error))
        return false;
    const bool done = presence_open(&worker.store, &worker.presence, error) &&
                      presence_begin(&worker.store, &worker.presence, error) &&
                      files_own_digest(&worker.store, worker.binary, error) && work_on(&worker, error);
    presence_close(&worker.presence);
    store_close(&worker.store);
    return done;
}
