/* Reads published.csv: what was measured on older GPUs, and by whom. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "micro/older.h"

enum { COLUMNS = 7, LINE_BYTES = 1024 };

/* Cuts a line at its commas. Whether it has as many fields as there are columns. */
static bool split(char *line, char *fields[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++)
        if (!(fields[i] = strsep(&line, ",")))
            return false;
    return !line;
}

/* A copy that fits; what does not is cut off, which a test would see. */
static void copy(char *to, size_t size, const char *from) { snprintf(to, size, "%s", from); }

/* Null: the row is good; otherwise what is wrong with it. */
static const char *parse(char *line, Published *row)
{
    char *fields[COLUMNS], *end;
    if (!split(line, fields))
        return "has not seven fields (a comma in a text?)";
    *row = (Published){0};
    copy(row->name, sizeof row->name, fields[0]);
    const char *slash = strchr(fields[0], '/');
    if (!slash || !(row->micro = older_find(slash + 1)))
        return "names no property after GPU/";
    snprintf(row->gpu, sizeof row->gpu, "%.*s", (int)(slash - fields[0]), fields[0]);
    row->value = strtod(fields[1], &end);
    if (end == fields[1] || *end || !(row->value > 0))
        return "has no positive number in its second field";
    copy(row->printed, sizeof row->printed, fields[2]);
    copy(row->card, sizeof row->card, fields[3]);
    copy(row->source, sizeof row->source, fields[4]);
    row->seen = !strcmp(fields[5], "yes");
    if (!row->seen && strcmp(fields[5], "no"))
        return "has neither yes nor no in its sixth field";
    copy(row->why, sizeof row->why, fields[6]);
    return NULL;
}

size_t published_read(const char *path, Published *rows, char *error, size_t error_size)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        snprintf(error, error_size, "%s: cannot be read.", path);
        return 0;
    }
    char line[LINE_BYTES];
    size_t count = 0;
    const char *wrong = NULL;
    bool header = true;
    for (int number = 1; !wrong && fgets(line, sizeof line, file); number++) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '#')
            continue;
        if (!header)
            wrong = count < PUBLISHED_MOST ? parse(line, &rows[count++]) : "is one too many";
        header = false;
        if (wrong)
            snprintf(error, error_size, "%s:%d: the row %s.", path, number, wrong);
    }
    fclose(file);
    if (!count && !wrong)
        snprintf(error, error_size, "%s: there is no row.", path);
    return wrong ? 0 : count;
}
