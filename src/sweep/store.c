/* SQLite, with sentences instead of codes.
 *
 * On file systems of one machine the journal is a write-ahead log: a commit waits for no disk, and what a
 * power failure takes with it is the last runs, never the file. The log lives in memory that processes share,
 * which those of different machines cannot. So everywhere else it is the older rollback journal. */
#include "sweep/store.h"

#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <time.h>

#include "base/alloc.h"
#include "base/file.h"
#include "sweep/schema.h"

/* "WBsw"; and the version of schema.c. */
enum { APPLICATION = 0x57427377, SCHEMA_VERSION = 1 };
/* Somebody else's write takes milliseconds; only a process that is stopped in one makes others wait. */
enum { BUSY_MILLISECONDS = 120 * 1000 };

bool store_failed(const Store *store, Error *error)
{
    const bool is_no_database = sqlite3_errcode(store->database) == SQLITE_NOTADB;
    error_set(error, WB_ERROR_ARGUMENT, "%s: %s.", store->path,
              is_no_database ? "this is no file of a sweep" : sqlite3_errmsg(store->database));
    return false;
}

bool store_do(const Store *store, const char *statements, Error *error)
{
    return sqlite3_exec(store->database, statements, NULL, NULL, NULL) == SQLITE_OK ||
           store_failed(store, error);
}

sqlite3_stmt *store_prepare(const Store *store, const char *statement, Error *error)
{
    sqlite3_stmt *made = NULL;
    if (sqlite3_prepare_v2(store->database, statement, -1, &made, NULL) != SQLITE_OK)
        store_failed(store, error);
    return made;
}

bool store_step(const Store *store, sqlite3_stmt *statement, Error *error)
{
    if (error->status != WB_OK)
        return false;
    const int result = sqlite3_step(statement);
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        store_failed(store, error);
    return result == SQLITE_ROW;
}

bool store_finish(const Store *store, sqlite3_stmt *statement, Error *error)
{
    while (store_step(store, statement, error))
        ;
    sqlite3_reset(statement);
    return error->status == WB_OK;
}

int64_t store_number(const Store *store, const char *statement, int64_t first, int64_t otherwise,
                     Error *error)
{
    sqlite3_stmt *made = store_prepare(store, statement, error);
    int64_t number = otherwise;
    if (made && first >= 0)
        sqlite3_bind_int64(made, 1, first);
    if (made && store_step(store, made, error) && sqlite3_column_type(made, 0) != SQLITE_NULL)
        number = sqlite3_column_int64(made, 0);
    sqlite3_finalize(made);
    return number;
}

void store_bind_text(sqlite3_stmt *statement, int place, const char *text)
{
    sqlite3_bind_text(statement, place, text, -1, SQLITE_STATIC);
}

const char *store_text(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? text : "";
}

double store_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

bool store_begin(const Store *store, Error *error) { return store_do(store, "BEGIN IMMEDIATE", error); }

bool store_end(const Store *store, Error *error)
{
    if (error->status == WB_OK && store_do(store, "COMMIT", error))
        return true;
    Error ignored = {0};
    store_do(store, "ROLLBACK", &ignored);
    return false;
}

/* -- opening -- */

/* Whether only processes of this machine can have the file. */
static bool is_local(const char *path)
{
    static const unsigned long kinds[] = {0xEF53 /* ext */,
                                          0x58465342 /* xfs */,
                                          0x9123683E /* btrfs */,
                                          0x01021994 /* tmpfs */,
                                          0xF2F52010 /* f2fs */,
                                          0x2FC12FC1 /* zfs */,
                                          0x794C7630 /* overlay */};
    struct statfs about;
    if (statfs(path, &about))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((unsigned long)about.f_type == kinds[i])
            return true;
    return false;
}

static bool make_tables(const Store *store, Error *error)
{
    char marks[96];
    snprintf(marks, sizeof marks, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION,
             SCHEMA_VERSION);
    return store_do(store, sweep_schema, error) && store_do(store, marks, error);
}

/* In one transaction, for several may open a new file at the same time. */
static bool check_tables(const Store *store, Error *error)
{
    if (!store_begin(store, error))
        return false;
    const int64_t application = store_number(store, "PRAGMA application_id", -1, 0, error);
    const int64_t version = store_number(store, "PRAGMA user_version", -1, 0, error);
    const int64_t tables = store_number(store, "SELECT count(*) FROM sqlite_master", -1, 0, error);
    if (error->status == WB_OK && tables == 0)
        make_tables(store, error);
    else if (application != APPLICATION)
        error_set(error, WB_ERROR_ARGUMENT, "%s: this is a database, but not of a sweep.", store->path);
    else if (version != SCHEMA_VERSION)
        error_set(error, WB_ERROR_ARGUMENT,
                  "%s: its version is %d, and this Warpbeam reads version %d: give another --database.",
                  store->path, (int)version, SCHEMA_VERSION);
    return store_end(store, error);
}

bool store_open(const char *path, bool is_new, Store *store, Error *error)
{
    const int how = SQLITE_OPEN_READWRITE | (is_new ? SQLITE_OPEN_CREATE : 0);
    *store = (Store){.path = file_whole_path(path)};
    if (sqlite3_open_v2(store->path, &store->database, how, NULL) != SQLITE_OK) {
        error_set(error, WB_ERROR_NOT_FOUND, "The sweep's file %s cannot be opened: %s.%s", path,
                  store->database ? sqlite3_errmsg(store->database) : "there is no memory",
                  is_new ? " --database FILE puts it elsewhere." : "");
        store_close(store);
        return false;
    }
    sqlite3_busy_timeout(store->database, BUSY_MILLISECONDS);
    const char *journal =
        is_local(store->path) ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = TRUNCATE";
    if (check_tables(store, error) && store_do(store, journal, error) &&
        store_do(store, "PRAGMA synchronous = NORMAL", error))
        return true;
    store_close(store);
    return false;
}

void store_close(Store *store)
{
    sqlite3_close_v2(store->database);
    xfree(store->path);
    *store = (Store){0};
}
