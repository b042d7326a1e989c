/* A table that is built cell by cell and written as text, as Markdown or as comma-separated values. */
#ifndef PAPERS_SHEET_H
#define PAPERS_SHEET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/vec.h"

enum { SHEET_COLUMNS = 16 };

/* Invariant: cells lie row by row; a null cell is a number that there is none of. */
typedef struct Sheet {
    const char *name; /* of its file, without ending */
    const char *title;
    bool plotted; /* a page draws it, too (papers/plot.h) */
    const char *columns[SHEET_COLUMNS];
    const char *units[SHEET_COLUMNS]; /* null: plain numbers or texts */
    uint32_t column_count;
    VEC(char *) cells;
} Sheet;

void sheet_column(Sheet *sheet, const char *name);
void sheet_column_in(Sheet *sheet, const char *name, const char *unit);
void sheet_text(Sheet *sheet, const char *text);
/* Not a number: there is none. */
void sheet_number(Sheet *sheet, double value, int decimals);
void sheet_free(Sheet *sheet);

void sheet_write_text(const Sheet *sheet, FILE *out);
void sheet_write_markdown(const Sheet *sheet, FILE *out);
void sheet_write_csv(const Sheet *sheet, FILE *out);
/* One field, in quotes where it needs them. */
void csv_write_field(const char *text, FILE *out);

#endif
