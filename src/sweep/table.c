/* A question becomes one statement of SQL; names and values go into it as parameters, never as text.
 *
 * SQLite takes at most 2000 columns and 32766 parameters, which a whole table may come near to. So values of
 * one JSON are not asked for one by one where everything is wanted: the rows have the JSON, and the columns
 * are taken from it here. */
#include "sweep/table.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/knob.h"
#include "config/config.h"
#include "sweep/table_column.h"

typedef struct Condition {
    Column column;
    const char *sign; /* of SQL */
    const char *value;
} Condition;

typedef struct Question {
    const Store *store;
    const TableQuery *query;
    SweepTable *table;
    Error *error;
    Columns known;
    VEC(Condition) conditions;
    Column sort;
    int sort_place; /* of its parameter */
} Question;

/* -- what is asked -- */

static bool add_column(Question *question, const char *name)
{
    Column column;
    if (!column_find(&question->known, name, &column, question->error))
        return false;
    VEC_PUSH(&question->table->columns, column);
    return true;
}

static bool has_column(const SweepTable *table, const char *name)
{
    for (uint32_t i = 0; i < table->columns.count; i++)
        if (strcmp(table->columns.items[i].name, name) == 0)
            return true;
    return false;
}

/* What the runs differ in, and what most want to know first. */
static bool add_usual(Question *question)
{
    static const char *const usual[] = {"status", "kernels_cycles", "seconds"};
    sqlite3_stmt *made = store_prepare(question->store,
                                       "SELECT DISTINCT value FROM study, json_each(study.axes) WHERE"
                                       " ?1 IS NULL OR name = ?1 ORDER BY study.id, json_each.id",
                                       question->error);
    Arena *arena = &question->table->arena;
    if (!question->query->study)
        add_column(question, "study");
    if (made)
        store_bind_text(made, 1, question->query->study);
    while (made && store_step(question->store, made, question->error))
        if (!has_column(question->table, store_text(made, 0)))
            add_column(question, arena_printf(arena, "%s", store_text(made, 0)));
    sqlite3_finalize(made);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        Column column;
        Error none = {0};
        if (column_find(&question->known, usual[i], &column, &none)) /* cycles: once a run is done */
            VEC_PUSH(&question->table->columns, column);
    }
    return question->error->status == WB_OK;
}

static bool add_columns(Question *question)
{
    const TableQuery *query = question->query;
    if (query->is_whole)
        columns_add_all(&question->known, question->table);
    else if (!query->column_count)
        return add_usual(question);
    for (size_t i = 0; i < query->column_count; i++)
        if (!add_column(question, query->columns[i]))
            return false;
    return true;
}

static bool add_condition(Question *question, const char *text)
{
    static const char *const signs[][2] = {{"!=", "IS NOT"}, {"<=", "<="}, {">=", ">="}, {"=", "IS"},
                                           {"<", "<"},       {">", ">"},   {"~", "GLOB"}};
    const size_t length = strcspn(text, "=!<>~");
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const size_t width = strlen(signs[i][0]);
        if (!length || strncmp(text + length, signs[i][0], width) != 0)
            continue;
        Condition condition = {.sign = signs[i][1], .value = text + length + width};
        if (!column_find(&question->known, arena_strndup(&question->table->arena, text, length),
                         &condition.column, question->error))
            return false;
        VEC_PUSH(&question->conditions, condition);
        return true;
    }
    error_set(question->error, WB_ERROR_ARGUMENT,
              "--where needs NAME=VALUE, or !=, <, <=, >, >= or ~ between them, not '%.200s'.", text);
    return false;
}

static bool understand(Question *question)
{
    const TableQuery *query = question->query;
    if (!columns_find_all(question->store, &question->table->arena, &question->known, question->error) ||
        !add_columns(question))
        return false;
    for (size_t i = 0; i < query->condition_count; i++)
        if (!add_condition(question, query->conditions[i]))
            return false;
    return !query->sort || column_find(&question->known, query->sort + (*query->sort == '-'), &question->sort,
                                       question->error);
}

/* -- the statement -- */

/* Number 1 is the study. Behind it a column has one parameter, a condition two. */
static char *write_statement(Question *question)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    fputs("SELECT member.point, configuration.knobs, run.statistics", to);
    for (uint32_t i = 0; i < question->table->columns.count; i++)
        if (question->table->columns.items[i].kind == COLUMN_RUN)
            fprintf(to, ", %s", question->table->columns.items[i].key);
    fputs(" FROM member JOIN run ON run.id = member.run JOIN study ON study.id = member.study"
          " JOIN configuration ON configuration.id = run.configuration WHERE (?1 IS NULL OR study.name = ?1)",
          to);
    int place = 2;
    for (uint32_t i = 0; i < question->conditions.count; i++, place += 2) {
        fputs(" AND ", to);
        column_write_sql(&question->conditions.items[i].column, place, to);
        fprintf(to, " %s ?%d", question->conditions.items[i].sign, place + 1);
    }
    fputs(" ORDER BY ", to);
    question->sort_place = place;
    if (question->query->sort) {
        column_write_sql(&question->sort, place, to);
        fputs(*question->query->sort == '-' ? " DESC, " : ", ", to);
    }
    fputs("member.study, member.position", to);
    fclose(to);
    return text;
}

/* A knob's value is written as --set takes it: 1MiB, true. */
static void bind_value(const Condition *condition, sqlite3_stmt *statement, int place)
{
    const Knob *knob =
        condition->column.kind == COLUMN_KNOB ? knob_find(&config_knobs, condition->column.key) : NULL;
    uint64_t count;
    bool truth;
    char *end;
    const double number = strtod(condition->value, &end);
    if (knob && knob->kind == KNOB_KIND_BOOLEAN && knob_parse_boolean(condition->value, &truth))
        sqlite3_bind_int(statement, place, truth);
    else if (knob && knob->kind == KNOB_KIND_INTEGER && knob_parse_bytes(condition->value, &count))
        sqlite3_bind_int64(statement, place, (sqlite3_int64)count);
    else if (*condition->value && !*end && strcmp(condition->sign, "GLOB") != 0)
        sqlite3_bind_double(statement, place, number);
    else
        store_bind_text(statement, place, condition->value);
}

static sqlite3_stmt *ask(Question *question)
{
    char *text = write_statement(question);
    sqlite3_stmt *made = store_prepare(question->store, text, question->error);
    Arena *arena = &question->table->arena;
    free(text);
    if (!made)
        return NULL;
    store_bind_text(made, 1, question->query->study);
    for (uint32_t i = 0; i < question->conditions.count; i++) {
        column_bind(&question->conditions.items[i].column, arena, made, 2 + 2 * (int)i);
        bind_value(&question->conditions.items[i], made, 3 + 2 * (int)i);
    }
    if (question->query->sort)
        column_bind(&question->sort, arena, made, question->sort_place);
    return made;
}

/* -- rows -- */

static Cell integer_cell(Arena *arena, int64_t value)
{
    return (Cell){CELL_INTEGER, value, (double)value, arena_printf(arena, "%" PRId64, value)};
}

static Cell real_cell(Arena *arena, double value)
{
    return (Cell){CELL_REAL, 0, value, arena_printf(arena, "%.10g", value)};
}

static Cell cell_of_column(Arena *arena, sqlite3_stmt *row, int column)
{
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
        return integer_cell(arena, sqlite3_column_int64(row, column));
    case SQLITE_FLOAT:
        return real_cell(arena, sqlite3_column_double(row, column));
    case SQLITE_NULL:
        return (Cell){0};
    default:
        return (Cell){.type = CELL_TEXT, .text = arena_printf(arena, "%s", store_text(row, column))};
    }
}

static Cell cell_of_json(Arena *arena, const json_t *value)
{
    if (json_is_integer(value))
        return integer_cell(arena, json_integer_value(value));
    if (json_is_real(value))
        return real_cell(arena, json_real_value(value));
    if (json_is_boolean(value))
        return integer_cell(arena, json_is_true(value));
    return json_is_string(value)
               ? (Cell){.type = CELL_TEXT, .text = arena_printf(arena, "%s", json_string_value(value))}
               : (Cell){0};
}

static void add_row(SweepTable *table, sqlite3_stmt *row)
{
    json_t *parts[COLUMN_STATISTIC + 1] = {0};
    for (int i = 0; i < COLUMN_STATISTIC; i++)
        parts[COLUMN_POINT + i] = json_loads(store_text(row, i), 0, NULL);
    int own = COLUMN_STATISTIC;
    for (uint32_t i = 0; i < table->columns.count; i++) {
        Column *column = &table->columns.items[i];
        const Cell cell =
            column->kind == COLUMN_RUN
                ? cell_of_column(&table->arena, row, own++)
                : cell_of_json(&table->arena, json_object_get(parts[column->kind], column->key));
        column->type = cell.type > column->type ? cell.type : column->type;
        VEC_PUSH(&table->cells, cell);
    }
    for (int i = COLUMN_POINT; i <= COLUMN_STATISTIC; i++)
        json_decref(parts[i]);
    table->rows++;
}

bool table_read(const Store *store, const TableQuery *query, SweepTable *table, Error *error)
{
    Question question = {.store = store, .query = query, .table = table, .error = error};
    *table = (SweepTable){0};
    sqlite3_stmt *row = understand(&question) ? ask(&question) : NULL;
    while (row && store_step(store, row, error))
        add_row(table, row);
    sqlite3_finalize(row);
    VEC_FREE(&question.conditions);
    columns_free(&question.known);
    return error->status == WB_OK;
}

void table_free(SweepTable *table)
{
    VEC_FREE(&table->columns);
    VEC_FREE(&table->cells);
    arena_free(&table->arena);
    *table = (SweepTable){0};
}

const Cell *table_cell(const SweepTable *table, size_t row, size_t column)
{
    return &table->cells.items[row * table->columns.count + column];
}
