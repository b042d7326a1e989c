/* Tables, exports and plots of a sweep's database. */
#include "cli/sweep_show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/output_file.h"
#include "base/outputs.h"
#include "base/printable.h"
#include "cli/page.h"
#include "sweep/study.h"
#include "sweep/table.h"

SweepShow sweep_show_take(int *argument_count, char **arguments)
{
    SweepShow show = {0};
    show.is_table = take_flag(argument_count, arguments, "--table");
    show.is_csv = take_flag(argument_count, arguments, "--csv");
    show.plot = take_option(argument_count, arguments, "--plot");
    show.export = take_option(argument_count, arguments, "--export");
    show.columns = take_option(argument_count, arguments, "--columns");
    show.sort = take_option(argument_count, arguments, "--sort");
    show.study = take_option(argument_count, arguments, "--study");
    show.kind = take_option(argument_count, arguments, "--kind");
    show.x = take_option(argument_count, arguments, "--x");
    show.y = take_option(argument_count, arguments, "--y");
    show.by = take_option(argument_count, arguments, "--by");
    for (const char *condition; (condition = take_option(argument_count, arguments, "--where"));)
        VEC_PUSH(&show.conditions, condition);
    return show;
}

bool sweep_show_is_wanted(const SweepShow *show)
{
    return show->is_table || show->is_csv || show->plot || show->export || show->columns || show->sort ||
           show->conditions.count || show->kind || show->x || show->y || show->by;
}

/* Names with commas between them, within `text`. */
typedef VEC(const char *) NameList;

static NameList split(char *text)
{
    NameList names = {0};
    for (char *name; (name = strsep(&text, ","));)
        if (*name)
            VEC_PUSH(&names, name);
    return names;
}

static TableQuery query_of(const SweepShow *show, const NameList *columns)
{
    return (TableQuery){.study = show->study,
                        .columns = columns->items,
                        .column_count = columns->count,
                        .conditions = show->conditions.items,
                        .condition_count = show->conditions.count,
                        .sort = show->sort};
}

static bool show_table(const SweepShow *show, const Store *store, Error *error)
{
    char *copy = show->columns ? xcopy_text(show->columns) : NULL;
    NameList columns = split(copy);
    const TableQuery query = query_of(show, &columns);
    SweepTable table;
    const bool read = table_read(store, &query, &table, error);
    if (read && show->is_csv)
        table_write_csv(&table, stdout);
    else if (read)
        table_write_text(&table, stdout);
    table_free(&table);
    VEC_FREE(&columns);
    xfree(copy);
    return read;
}

/* -- export -- */

static bool write_file(const char *path, const SweepTable *table,
                       void (*write)(const SweepTable *table, FILE *to), Error *error)
{
    OutputFile *file = output_file_begin("table", path, error);
    if (!file)
        return false;
    write(table, output_file_stream(file));
    return output_file_end(file, error) == WB_OK;
}

/* FILE.csv and FILE.schema.json. */
static bool export(const SweepShow *show, const Store *store, Error *error)
{
    const char *end = strrchr(show->export, '.');
    const int length =
        end && strcmp(end, ".csv") == 0 ? (int)(end - show->export) : (int)strlen(show->export);
    char *schema = xmalloc((size_t)length + sizeof ".schema.json");
    NameList none = {0};
    TableQuery query = query_of(show, &none);
    query.is_whole = true;
    SweepTable table;
    sprintf(schema, "%.*s.schema.json", length, show->export);
    const bool done = table_read(store, &query, &table, error) &&
                      write_file(show->export, &table, table_write_csv, error) &&
                      write_file(schema, &table, table_write_schema, error);
    if (done)
        fprintf(stderr, "warpbeam: %s has %zu runs in %u columns; %s has their types.\n", show->export,
                table.rows, table.columns.count, schema);
    table_free(&table);
    xfree(schema);
    return done;
}

/* -- plots -- */

static json_t *json_of(const Cell *cell)
{
    switch (cell->type) {
    case CELL_INTEGER:
        return json_integer(cell->integer);
    case CELL_REAL:
        return json_real(cell->real);
    case CELL_TEXT:
        return json_string(cell->text);
    case CELL_NONE:
        break;
    }
    return json_null();
}

static bool is_same(const SweepTable *table, size_t column)
{
    for (size_t r = 1; r < table->rows; r++)
        if (strcmp(table_cell(table, r, column)->type ? table_cell(table, r, column)->text : "",
                   table_cell(table, 0, column)->type ? table_cell(table, 0, column)->text : ""))
            return false;
    return true;
}

/* What is the same in all runs cannot be plotted, and would be most of the page. */
static json_t *columns_of(const SweepTable *table)
{
    static const char *const kinds[] = {[COLUMN_RUN] = "run",
                                        [COLUMN_POINT] = "parameter",
                                        [COLUMN_KNOB] = "knob",
                                        [COLUMN_STATISTIC] = "statistic"};
    json_t *columns = json_array();
    for (uint32_t c = 0; c < table->columns.count; c++) {
        const Column *column = &table->columns.items[c];
        json_t *values = json_array();
        if (is_same(table, c) && strcmp(column->name, "what") != 0 &&
            strcmp(column->name, "kernels_cycles") != 0) {
            json_decref(values);
            continue;
        }
        for (size_t r = 0; r < table->rows; r++)
            json_array_append_new(values, json_of(table_cell(table, r, c)));
        json_array_append_new(columns, json_pack("{s:s, s:s, s:o}", "name", column->name, "kind",
                                                 kinds[column->kind], "values", values));
    }
    return columns;
}

/* Null: an error stands. */
static json_t *study_of(const SweepShow *show, const Store *store, const char *name, const char *axes,
                        Error *error)
{
    NameList none = {0};
    TableQuery query = query_of(show, &none);
    SweepTable table;
    query.study = name;
    query.is_whole = true;
    json_t *made = NULL;
    if (table_read(store, &query, &table, error))
        made = json_pack("{s:s, s:o, s:i, s:o}", "name", name, "axes", json_loads(axes, 0, NULL), "runs",
                         (int)table.rows, "columns", columns_of(&table));
    table_free(&table);
    return made;
}

static bool has_column(const json_t *study, const char *name)
{
    size_t i;
    json_t *column;
    json_array_foreach(json_object_get(study, "columns"), i, column)
    {
        if (strcmp(json_string_value(json_object_get(column, "name")), name) == 0)
            return true;
    }
    return false;
}

/* What the first chart is to show, by the options. */
static bool choose(const SweepShow *show, json_t *study, Error *error)
{
    static const char *const kinds[] = {"lines", "bars", "heat", "pareto"};
    const char *const names[][2] = {{"x", show->x}, {"y", show->y}, {"by", show->by}};
    json_t *first = json_object();
    json_object_set_new(study, "first", first);
    if (show->kind) {
        Nearest nearest = nearest_to(show->kind);
        char hint[NEAREST_HINT_SIZE];
        bool found = false;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            nearest_offer(&nearest, kinds[i]);
            found = found || strcmp(kinds[i], show->kind) == 0;
        }
        if (!found)
            error_set(error, WB_ERROR_ARGUMENT, "there is no chart '%.80s'%s", show->kind,
                      nearest_hint(&nearest, hint, sizeof hint));
        json_object_set_new(first, "kind", json_string(show->kind));
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i][1] && !has_column(study, names[i][1]))
            error_set(error, WB_ERROR_NOT_FOUND,
                      "--%s: '%.80s' is no name of --table, or the same in all runs.", names[i][0],
                      names[i][1]);
        if (names[i][1])
            json_object_set_new(first, names[i][0], json_string(names[i][1]));
    }
    return error->status == WB_OK;
}

static json_t *studies_of(const SweepShow *show, const Store *store, Error *error)
{
    json_t *studies = json_array();
    sqlite3_stmt *row =
        store_prepare(store, "SELECT name, axes FROM study WHERE ?1 IS NULL OR name = ?1 ORDER BY id", error);
    if (row)
        store_bind_text(row, 1, show->study);
    while (row && store_step(store, row, error)) {
        json_t *study = study_of(show, store, store_text(row, 0), store_text(row, 1), error);
        if (study && choose(show, study, error))
            json_array_append(studies, study);
        json_decref(study);
    }
    sqlite3_finalize(row);
    return studies;
}

static bool plot(const SweepShow *show, const Store *store, Error *error)
{
    const OutputPath paths[] = {{.what = "--plot", .path = show->plot},
                                {.what = "the database", .path = store->path, .is_input = true}};
    char shown[PRINTABLE_NAME_SIZE];
    if (!outputs_check(paths, sizeof paths / sizeof *paths, error))
        return false;
    json_t *studies = studies_of(show, store, error);
    const bool is_read = error->status == WB_OK;
    const bool done = is_read && page_write_studies(studies, show->plot, error);
    if (!is_read)
        json_decref(studies);
    if (done)
        fprintf(stderr, "warpbeam: %s is written; a browser shows it, without a network.\n",
                printable_name(show->plot, shown));
    return done;
}

/* -- all -- */

static bool check_study(const SweepShow *show, const Store *store, Error *error)
{
    sqlite3_stmt *row = store_prepare(store, "SELECT name FROM study ORDER BY id", error);
    Nearest nearest = nearest_to(show->study);
    Arena arena = {0};
    char hint[NEAREST_HINT_SIZE];
    bool found = false;
    while (row && store_step(store, row, error)) {
        found = found || strcmp(show->study, store_text(row, 0)) == 0;
        nearest_offer(&nearest, arena_printf(&arena, "%s", store_text(row, 0)));
    }
    sqlite3_finalize(row);
    if (!found)
        error_set(error, WB_ERROR_NOT_FOUND, "%s has no study '%.80s'%s", store->path, show->study,
                  nearest_hint(&nearest, hint, sizeof hint));
    arena_free(&arena);
    return found;
}

int sweep_show(SweepShow *show, const char *database, const char *file)
{
    Error error = {0};
    Store store = {0};
    SweepStudy study = {0};
    bool right = !file || study_read(file, &study, &error);
    if (file && !show->study)
        show->study = study.name;
    right = right && store_open(database, false, &store, &error) &&
            (!show->study || check_study(show, &store, &error));
    if (right && show->export)
        right = export(show, &store, &error);
    if (right && show->plot)
        right = plot(show, &store, &error);
    if (right && (show->is_table || (!show->export && !show->plot)))
        right = show_table(show, &store, &error);
    store_close(&store);
    study_free(&study);
    VEC_FREE(&show->conditions);
    return right ? EXIT_DONE : fail("%s", error.text);
}
