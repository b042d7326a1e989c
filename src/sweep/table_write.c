/* Tables for people and for programs. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "report/json.h"
#include "sweep/table.h"

static const char *text_of(const Cell *cell) { return cell->type == CELL_NONE ? "" : cell->text; }

void table_write_text(const SweepTable *table, FILE *to)
{
    const size_t columns = table->columns.count;
    int *widths = xcalloc(columns + 1, sizeof *widths);
    for (size_t c = 0; c < columns; c++) {
        widths[c] = (int)strlen(table->columns.items[c].name);
        for (size_t r = 0; r < table->rows; r++) {
            const int width = (int)strlen(text_of(table_cell(table, r, c)));
            widths[c] = width > widths[c] ? width : widths[c];
        }
    }
    for (size_t r = 0; r <= table->rows; r++)
        for (size_t c = 0; c < columns; c++) {
            const char *text = r ? text_of(table_cell(table, r - 1, c)) : table->columns.items[c].name;
            const bool is_text = table->columns.items[c].type == CELL_TEXT, is_last = c + 1 == columns;
            fprintf(to, "%*s%s", is_text ? (is_last ? 0 : -widths[c]) : widths[c], text,
                    is_last ? "\n" : "  ");
        }
    xfree(widths);
}

/* Quotes where they are needed. */
static void write_field(const char *text, FILE *to)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

void table_write_csv(const SweepTable *table, FILE *to)
{
    const size_t columns = table->columns.count;
    for (size_t r = 0; r <= table->rows; r++)
        for (size_t c = 0; c < columns; c++) {
            write_field(r ? text_of(table_cell(table, r - 1, c)) : table->columns.items[c].name, to);
            fputc(c + 1 == columns ? '\n' : ',', to);
        }
}

void table_write_schema(const SweepTable *table, FILE *to)
{
    static const char *const types[] = {
        [CELL_NONE] = "string", [CELL_INTEGER] = "integer", [CELL_REAL] = "number", [CELL_TEXT] = "string"};
    JsonWriter json = json_begin(to);
    json_open(&json, NULL, '{');
    json_open(&json, "fields", '[');
    for (uint32_t c = 0; c < table->columns.count; c++) {
        json_open(&json, NULL, '{');
        json_put_text(&json, "name", table->columns.items[c].name);
        json_put_text(&json, "type", types[table->columns.items[c].type]);
        json_close(&json);
    }
    json_close(&json);
    json_open(&json, "missingValues", '[');
    json_put_text(&json, NULL, "");
    json_close(&json);
    json_close(&json);
    fputc('\n', to);
}
