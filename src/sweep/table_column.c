/* Properties of runs come first, then axes of studies, then knobs, then statistics: what is hidden by another
 * of its name has a prefix. */
#include "sweep/table_column.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

typedef struct OwnColumn {
    const char *name, *sql;
} OwnColumn;

static const OwnColumn own_columns[] = {
    {"study", "study.name"},    {"position", "member.position"},
    {"run", "run.id"},          {"status", "run.status"},
    {"kind", "run.kind"},       {"what", "run.what"},
    {"mode", "run.mode"},       {"size", "run.size"},
    {"gpu", "run.gpu"},         {"arguments", "run.arguments"},
    {"seconds", "run.seconds"}, {"attempts", "run.attempts"},
    {"ends", "run.ends"},       {"error", "run.error"},
    {"hash", "run.hash"},
};
enum { OWN_COLUMNS = sizeof own_columns / sizeof *own_columns };

static const char knob_prefix[] = "knob.", statistic_prefix[] = "statistic.";

static bool has(const Names *names, const char *name)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return false;
}

static const OwnColumn *own_column(const char *name)
{
    for (size_t i = 0; i < OWN_COLUMNS; i++)
        if (strcmp(own_columns[i].name, name) == 0)
            return &own_columns[i];
    return NULL;
}

static bool read_names(const Columns *columns, const char *statement, Names *names, Error *error)
{
    sqlite3_stmt *made = store_prepare(columns->store, statement, error);
    while (made && store_step(columns->store, made, error))
        VEC_PUSH(names, arena_printf(columns->arena, "%s", store_text(made, 0)));
    sqlite3_finalize(made);
    return error->status == WB_OK;
}

bool columns_find_all(const Store *store, Arena *arena, Columns *columns, Error *error)
{
    *columns = (Columns){.store = store, .arena = arena};
    return read_names(columns, "SELECT DISTINCT key FROM member, json_each(member.point)", &columns->points,
                      error) &&
           read_names(columns, "SELECT DISTINCT key FROM configuration, json_each(configuration.knobs)",
                      &columns->knobs, error) &&
           read_names(columns, "SELECT DISTINCT key FROM run, json_each(run.statistics)",
                      &columns->statistics, error);
}

void columns_free(Columns *columns)
{
    VEC_FREE(&columns->points);
    VEC_FREE(&columns->knobs);
    VEC_FREE(&columns->statistics);
}

static bool unknown(const Columns *columns, const char *name, Error *error)
{
    const Names *const lists[] = {&columns->points, &columns->knobs, &columns->statistics};
    Nearest nearest = nearest_to(name);
    char hint[NEAREST_HINT_SIZE];
    for (size_t i = 0; i < OWN_COLUMNS; i++)
        nearest_offer(&nearest, own_columns[i].name);
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (uint32_t i = 0; i < lists[l]->count; i++)
            nearest_offer(&nearest, lists[l]->items[i]);
    error_set(error, WB_ERROR_NOT_FOUND, "no run here has a parameter, knob or statistic '%.80s'%s", name,
              nearest_hint(&nearest, hint, sizeof hint));
    return false;
}

/* The name behind the prefix; null: it has another beginning. */
static const char *behind(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : NULL;
}

bool column_find(const Columns *columns, const char *name, Column *column, Error *error)
{
    const char *knob = behind(name, knob_prefix), *statistic = behind(name, statistic_prefix);
    const OwnColumn *own = own_column(name);
    *column = (Column){.name = name};
    if (own)
        column->key = own->sql;
    else if (!knob && !statistic && has(&columns->points, name) && !has(&columns->knobs, name))
        *column = (Column){.name = name, .kind = COLUMN_POINT, .key = name};
    else if (!statistic && has(&columns->knobs, knob ? knob : name))
        *column = (Column){.name = name, .kind = COLUMN_KNOB, .key = knob ? knob : name};
    else if (!knob && has(&columns->statistics, statistic ? statistic : name))
        *column = (Column){.name = name, .kind = COLUMN_STATISTIC, .key = statistic ? statistic : name};
    else
        return unknown(columns, name, error);
    return true;
}

/* Names that stand for something else already get the prefix. */
static void add_names(const Columns *columns, const Names *names, ColumnKind kind, const char *prefix,
                      SweepTable *table)
{
    for (uint32_t i = 0; i < names->count; i++) {
        const char *key = names->items[i];
        const bool is_hidden =
            own_column(key) ||
            (kind != COLUMN_POINT && has(&columns->points, key) && !has(&columns->knobs, key)) ||
            (kind == COLUMN_STATISTIC && has(&columns->knobs, key));
        if (kind == COLUMN_POINT && (own_column(key) || has(&columns->knobs, key)))
            continue; /* the same value */
        const char *name = arena_printf(columns->arena, "%s%s", is_hidden ? prefix : "", key);
        VEC_PUSH(&table->columns, ((Column){.name = name, .kind = kind, .key = key}));
    }
}

void columns_add_all(const Columns *columns, SweepTable *table)
{
    for (size_t i = 0; i < OWN_COLUMNS; i++)
        VEC_PUSH(&table->columns, ((Column){.name = own_columns[i].name, .key = own_columns[i].sql}));
    add_names(columns, &columns->points, COLUMN_POINT, "", table);
    add_names(columns, &columns->knobs, COLUMN_KNOB, knob_prefix, table);
    add_names(columns, &columns->statistics, COLUMN_STATISTIC, statistic_prefix, table);
}

void column_write_sql(const Column *column, int place, FILE *to)
{
    static const char *const from[] = {[COLUMN_POINT] = "member.point",
                                       [COLUMN_KNOB] = "configuration.knobs",
                                       [COLUMN_STATISTIC] = "run.statistics"};
    if (column->kind == COLUMN_RUN)
        fputs(column->key, to);
    else
        fprintf(to, "json_extract(%s, ?%d)", from[column->kind], place);
}

void column_bind(const Column *column, Arena *arena, sqlite3_stmt *statement, int place)
{
    if (column->kind != COLUMN_RUN)
        store_bind_text(statement, place, arena_printf(arena, "$.\"%s\"", column->key));
}
