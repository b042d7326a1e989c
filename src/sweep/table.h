/* A table of what is in a sweep's database: a row for each run of a study, any of its properties, parameters,
 * knobs and statistics as columns. */
#ifndef SWEEP_TABLE_H
#define SWEEP_TABLE_H

#include <stdio.h>

#include "base/arena.h"
#include "base/vec.h"
#include "sweep/store.h"

/* Where a column's values come from. */
typedef enum ColumnKind {
    COLUMN_RUN,       /* the run itself: status, seconds */
    COLUMN_POINT,     /* its place on an axis of the study that is none of the others */
    COLUMN_KNOB,      /* of the resolved configuration */
    COLUMN_STATISTIC  /* what it has counted */
} ColumnKind;

typedef enum CellType { CELL_NONE, CELL_INTEGER, CELL_REAL, CELL_TEXT } CellType;

typedef struct Cell {
    CellType type;
    int64_t integer;
    double real;      /* of integers, too */
    const char *text; /* of all but none, as it is written */
} Cell;

/* Invariant: `type` fits all cells of it: real holds integers, text holds all. */
typedef struct Column {
    const char *name; /* as it was asked for */
    ColumnKind kind;
    const char *key;  /* an SQL expression of a run's own; else the name within its JSON */
    CellType type;
} Column;

/* Cell c of row r is cells[r * columns.count + c]. */
typedef struct SweepTable {
    Arena arena;
    VEC(Column) columns;
    VEC(Cell) cells;
    size_t rows;
} SweepTable;

/* What is asked for. */
typedef struct TableQuery {
    const char *study;            /* its name; null: all */
    const char *const *columns;   /* names; knob.NAME and statistic.NAME where one is hidden by another */
    size_t column_count;          /* 0: axes of the studies, status, cycles and seconds */
    bool is_whole;                /* instead: everything that there is */
    const char *const *conditions; /* "NAME=VALUE", also with !=, <, <=, >, >= and ~ for patterns */
    size_t condition_count;
    const char *sort;             /* a column, "-NAME" for falling; null: the study's order */
} TableQuery;

bool table_read(const Store *store, const TableQuery *query, SweepTable *table, Error *error);
void table_free(SweepTable *table);
const Cell *table_cell(const SweepTable *table, size_t row, size_t column);

/* Numbers stand right, texts left. */
void table_write_text(const SweepTable *table, FILE *to);
void table_write_csv(const SweepTable *table, FILE *to);
/* Names and types of the columns, as a Table Schema of Frictionless Data: what makes typed columns of CSV. */
void table_write_schema(const SweepTable *table, FILE *to);

#endif
