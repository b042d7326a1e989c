/* Columns by their names. Only for the files table*.c. */
#ifndef SWEEP_TABLE_COLUMN_H
#define SWEEP_TABLE_COLUMN_H

#include "sweep/table.h"

typedef VEC(const char *) Names;

/* All names that a table can have. */
typedef struct Columns {
    const Store *store;
    Arena *arena;
    Names points, knobs, statistics;
} Columns;

bool columns_find_all(const Store *store, Arena *arena, Columns *columns, Error *error);
void columns_free(Columns *columns);
/* False: there is none of that name, and the error has the nearest. */
bool column_find(const Columns *columns, const char *name, Column *column, Error *error);
/* Everything, each name once. */
void columns_add_all(const Columns *columns, SweepTable *table);
/* The column's expression in SQL; a name goes into it as the statement's parameter number `place`. */
void column_write_sql(const Column *column, int place, FILE *to);
/* Binds that parameter; nothing for columns that have none. */
void column_bind(const Column *column, Arena *arena, sqlite3_stmt *statement, int place);

#endif
