#include "sheet.h"

#include <math.h>
#include <string.h>

/* A cell wider than this shifts the rest of its row and leaves the other rows alone. */
enum { WIDEST = 24 };

void sheet_column_in(Sheet *sheet, const char *name, const char *unit)
{
    sheet->units[sheet->column_count] = unit;
    sheet->columns[sheet->column_count++] = name;
}

void sheet_column(Sheet *sheet, const char *name) { sheet_column_in(sheet, name, NULL); }

void sheet_text(Sheet *sheet, const char *text)
{
    char *copy = xmalloc(strlen(text) + 1);
    VEC_PUSH(&sheet->cells, strcpy(copy, text));
}

void sheet_number(Sheet *sheet, double value, int decimals)
{
    char text[64];
    snprintf(text, sizeof text, "%.*f", decimals, value);
    if (isnan(value))
        VEC_PUSH(&sheet->cells, NULL);
    else
        sheet_text(sheet, text);
}

void sheet_free(Sheet *sheet)
{
    for (uint32_t i = 0; i < sheet->cells.count; i++)
        xfree(sheet->cells.items[i]);
    VEC_FREE(&sheet->cells);
}

static uint32_t row_count(const Sheet *sheet) { return sheet->cells.count / sheet->column_count; }

static const char *cell_at(const Sheet *sheet, uint32_t row, uint32_t column)
{
    const char *cell = sheet->cells.items[row * sheet->column_count + column];
    return cell ? cell : "-";
}

/* Columns of numbers are set to the right. */
static bool is_numeric(const Sheet *sheet, uint32_t column)
{
    for (uint32_t row = 0; row < row_count(sheet); row++)
        if (!strchr("+-0123456789", *cell_at(sheet, row, column)))
            return false;
    return row_count(sheet) > 0;
}

static int width_of(const Sheet *sheet, uint32_t column)
{
    size_t width = strlen(sheet->columns[column]);
    for (uint32_t row = 0; row < row_count(sheet); row++) {
        const size_t length = strlen(cell_at(sheet, row, column));
        if (length > width)
            width = length;
    }
    return (int)(width < WIDEST ? width : WIDEST);
}

/* Lines do not end in spaces. */
static void write_padded(const Sheet *sheet, uint32_t column, const char *text, FILE *out)
{
    const bool last = column + 1 == sheet->column_count;
    const int width = width_of(sheet, column);
    if (column && (!last || *text))
        fputs("  ", out);
    if (is_numeric(sheet, column))
        fprintf(out, "%*s", width, text);
    else
        fprintf(out, "%*s", last ? 0 : -width, text);
    if (last)
        fputc('\n', out);
}

void sheet_write_text(const Sheet *sheet, FILE *out)
{
    fprintf(out, "%s\n\n", sheet->title);
    for (uint32_t column = 0; column < sheet->column_count; column++)
        write_padded(sheet, column, sheet->columns[column], out);
    for (uint32_t row = 0; row < row_count(sheet); row++)
        for (uint32_t column = 0; column < sheet->column_count; column++)
            write_padded(sheet, column, cell_at(sheet, row, column), out);
    fputc('\n', out);
}

void sheet_write_markdown(const Sheet *sheet, FILE *out)
{
    fprintf(out, "**%s**\n\n|", sheet->title);
    for (uint32_t column = 0; column < sheet->column_count; column++)
        fprintf(out, " %s |", sheet->columns[column]);
    fputs("\n|", out);
    for (uint32_t column = 0; column < sheet->column_count; column++)
        fputs(is_numeric(sheet, column) ? "---:|" : "---|", out);
    for (uint32_t row = 0; row < row_count(sheet); row++) {
        fputs("\n|", out);
        for (uint32_t column = 0; column < sheet->column_count; column++)
            fprintf(out, " %s |", cell_at(sheet, row, column));
    }
    fputs("\n\n", out);
}

void csv_write_field(const char *text, FILE *out)
{
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void sheet_write_csv(const Sheet *sheet, FILE *out)
{
    for (uint32_t column = 0; column < sheet->column_count; column++) {
        csv_write_field(sheet->columns[column], out);
        fputc(column + 1 == sheet->column_count ? '\n' : ',', out);
    }
    for (uint32_t i = 0; i < sheet->cells.count; i++) {
        if (sheet->cells.items[i])
            csv_write_field(sheet->cells.items[i], out);
        fputc((i + 1) % sheet->column_count ? ',' : '\n', out);
    }
}
