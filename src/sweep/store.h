/* The file of a sweep: an SQLite database (schema.c) that any number of processes read and write at the same
 * time.
 *
 * What changes more than a row is a transaction that takes the write lock at its beginning, so that nobody
 * acts on what another is about to change. A process that is killed leaves whole transactions and nothing
 * else. */
#ifndef SWEEP_STORE_H
#define SWEEP_STORE_H

#include <sqlite3.h>

#include "base/error.h"

typedef struct Store {
    sqlite3 *database;
    char *path;
} Store;

/* Opens the file, and makes it where it is not there and `is_new` allows it. False: the error says why. */
bool store_open(const char *path, bool is_new, Store *store, Error *error);
void store_close(Store *store);

/* Keeps what SQLite has to say as the error's sentence; returns false. */
bool store_failed(const Store *store, Error *error);
/* Runs statements that give nothing back. */
bool store_do(const Store *store, const char *statements, Error *error);
/* Null: the error says why. Whoever made it gives it to sqlite3_finalize(). */
sqlite3_stmt *store_prepare(const Store *store, const char *statement, Error *error);
/* One row more: true. No further row: false, and so with an error. */
bool store_step(const Store *store, sqlite3_stmt *statement, Error *error);
/* Runs a statement that gives no row, and makes it ready for the next time. */
bool store_finish(const Store *store, sqlite3_stmt *statement, Error *error);
/* The statement's first number; `otherwise` where there is none or it is null. `first` is bound to it where
 * it is not negative. */
int64_t store_number(const Store *store, const char *statement, int64_t first, int64_t otherwise,
                     Error *error);

/* Null becomes NULL. The text must last until the statement is done. */
void store_bind_text(sqlite3_stmt *statement, int place, const char *text);
/* "" where there is none. */
const char *store_text(sqlite3_stmt *statement, int column);

/* Seconds since 1970, for people: nothing is decided by them. */
double store_now(void);

bool store_begin(const Store *store, Error *error);
/* Ends the transaction: all of it where no error stands, else nothing. */
bool store_end(const Store *store, Error *error);

#endif
