/* What is in the database of a sweep: as a table, as a file for other programs, as a page for browsers. */
#ifndef CLI_SWEEP_SHOW_H
#define CLI_SWEEP_SHOW_H

#include "base/vec.h"
#include "cli/command.h"

typedef struct SweepShow {
    bool is_table, is_csv;
    const char *plot, *export;      /* files; null: not wanted */
    const char *columns, *sort;     /* null: the usual ones */
    const char *kind, *x, *y, *by;  /* of the first chart; null: as it fits */
    const char *study;              /* its name; null: all that are there */
    VEC(const char *) conditions;
} SweepShow;

SweepShow sweep_show_take(int *argument_count, char **arguments);
bool sweep_show_is_wanted(const SweepShow *show);
/* `study` is a study's file; null: its name is in `show`, or all are shown. Frees what `show` holds. */
int sweep_show(SweepShow *show, const char *database, const char *study);

#endif
