#include "common/csv.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 4096 };

/* Cuts the line's next field off; null after the last one. */
static char *next_field(char **rest) { return *rest ? strsep(rest, ",") : NULL; }

/* The position of a field among those of a line, or -1. */
static int position(char *line, const char *name)
{
    char *field;
    for (int i = 0; (field = next_field(&line)); i++)
        if (!strcmp(field, name))
            return i;
    return -1;
}

static double number_at(char *line, int wanted)
{
    char *field = NULL, *end;
    for (int i = 0; i <= wanted; i++)
        field = next_field(&line);
    if (!field)
        return NAN;
    double number = strtod(field, &end);
    return end == field ? NAN : number;
}

double csv_number(const char *path, const char *row, const char *column)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return NAN;
    char line[LINE_BYTES];
    double number = NAN;
    int wanted = -1;
    size_t length = strlen(row);
    for (bool header = true; isnan(number) && fgets(line, sizeof line, file);) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '#')
            continue;
        if (header)
            wanted = position(line, column);
        else if (wanted >= 0 && !strncmp(line, row, length) && line[length] == ',')
            number = number_at(line, wanted);
        header = false;
    }
    fclose(file);
    return number;
}
