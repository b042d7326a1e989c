/* A plan goes into the database in one transaction: a process that is killed leaves the old study or the new
 * one. */
#include "sweep/plan.h"

#include <stdlib.h>

static char *text_of(const json_t *value)
{
    return json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17));
}

/* Binds the JSON's text and frees it with the statement. */
static void bind_json(sqlite3_stmt *statement, int place, const json_t *value)
{
    sqlite3_bind_text(statement, place, text_of(value), -1, free);
}

static int64_t keep_study(const Plan *plan, const Store *store, Error *error)
{
    sqlite3_stmt *made =
        store_prepare(store,
                      "INSERT INTO study (name, file, text, axes) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (name)"
                      " DO UPDATE SET file = ?2, text = ?3, axes = ?4 RETURNING id",
                      error);
    if (!made)
        return 0;
    store_bind_text(made, 1, plan->name);
    store_bind_text(made, 2, plan->file);
    store_bind_text(made, 3, plan->text);
    bind_json(made, 4, plan->axes);
    const int64_t study = store_step(store, made, error) ? sqlite3_column_int64(made, 0) : 0;
    store_finish(store, made, error);
    sqlite3_finalize(made);
    store_number(store, "DELETE FROM member WHERE study = ?", study, 0, error);
    return study;
}

/* The statements that each run needs. */
typedef struct Keeper {
    const Store *store;
    Error *error;
    int64_t study;
    sqlite3_stmt *configuration, *run, *member;
} Keeper;

static void keep_configuration(const Keeper *keeper, const PlannedRun *run)
{
    store_bind_text(keeper->configuration, 1, run->machine);
    bind_json(keeper->configuration, 2, run->knobs);
    store_finish(keeper->store, keeper->configuration, keeper->error);
}

static void keep_run(const Keeper *keeper, const Plan *plan, const PlannedRun *run)
{
    const char *const texts[] = {run->hash, plan->binary, run->kind, run->what,
                                 run->mode, run->size,    run->gpu};
    for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++)
        store_bind_text(keeper->run, i + 1, texts[i]);
    bind_json(keeper->run, 8, run->arguments);
    bind_json(keeper->run, 9, run->command);
    store_bind_text(keeper->run, 10, plan->folder);
    store_bind_text(keeper->run, 11, run->machine);
    store_finish(keeper->store, keeper->run, keeper->error);
}

static void keep_member(const Keeper *keeper, const PlannedRun *run, size_t position)
{
    sqlite3_bind_int64(keeper->member, 1, keeper->study);
    sqlite3_bind_int64(keeper->member, 2, (sqlite3_int64)position);
    store_bind_text(keeper->member, 3, run->hash);
    bind_json(keeper->member, 4, run->point);
    store_finish(keeper->store, keeper->member, keeper->error);
}

static void keep_runs(const Plan *plan, Keeper *keeper)
{
    const Store *store = keeper->store;
    Error *error = keeper->error;
    keeper->configuration =
        store_prepare(store, "INSERT OR IGNORE INTO configuration (digest, knobs) VALUES (?, ?)", error);
    keeper->run = store_prepare(
        store,
        "INSERT OR IGNORE INTO run (hash, binary, kind, what, mode, size, gpu, arguments, command, folder,"
        " configuration) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT id FROM configuration WHERE digest = "
        "?))",
        error);
    keeper->member = store_prepare(
        store, "INSERT INTO member VALUES (?, ?, (SELECT id FROM run WHERE hash = ?), ?)", error);
    for (uint32_t i = 0; i < plan->runs.count && error->status == WB_OK; i++) {
        keep_configuration(keeper, &plan->runs.items[i]);
        keep_run(keeper, plan, &plan->runs.items[i]);
        keep_member(keeper, &plan->runs.items[i], i);
    }
    sqlite3_finalize(keeper->configuration);
    sqlite3_finalize(keeper->run);
    sqlite3_finalize(keeper->member);
}

bool study_plan_keep(const Plan *plan, const Store *store, Planned *planned, Error *error)
{
    if (!store_begin(store, error))
        return false;
    Keeper keeper = {.store = store, .error = error, .study = keep_study(plan, store, error)};
    if (error->status == WB_OK)
        keep_runs(plan, &keeper);
    /* What a study no longer asks for, or asked another binary for. */
    if (error->status == WB_OK)
        store_do(store, "DELETE FROM run WHERE status = 'waiting' AND id NOT IN (SELECT run FROM member)",
                 error);
    *planned = (Planned){.study = keeper.study};
    planned->runs = (size_t)store_number(store, "SELECT count(DISTINCT run) FROM member WHERE study = ?",
                                         keeper.study, 0, error);
    planned->there =
        (size_t)store_number(store,
                             "SELECT count(*) FROM run WHERE status IN ('done', 'failed') AND id IN"
                             " (SELECT run FROM member WHERE study = ?)",
                             keeper.study, 0, error);
    return store_end(store, error);
}
