/* The report's names are kept. Only what the host spent gets "host_" in front, for it is no result. */
#include "sweep/collect.h"

#include <stdio.h>
#include <string.h>

/* Adds the numbers of a part; a name that is there already belongs to the part before. */
static void add_part(json_t *to, const json_t *part, const char *before)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)part, name, value)
    {
        char whole[160];
        snprintf(whole, sizeof whole, "%s%s", before, name);
        if (json_is_number(value) && !json_object_get(to, whole))
            json_object_set(to, whole, value);
    }
}

json_t *collect_statistics(const char *report, size_t length)
{
    json_t *all = json_loadb(report, length, 0, NULL);
    const json_t *totals = json_object_get(all, "totals");
    const char *format = json_string_value(json_object_get(all, "format"));
    if (format && strcmp(format, "warpbeam-paper-run-1") == 0) { /* papers/kept.c has chosen its names */
        json_object_del(all, "format");
        return all;
    }
    if (!json_is_object(totals)) {
        json_decref(all);
        return NULL;
    }
    json_t *made = json_object();
    const json_t *limit = json_object_get(json_object_get(all, "limited_by"), "kind");
    add_part(made, json_object_get(all, "time"), "");
    add_part(made, totals, "");
    add_part(made, json_object_get(all, "ratios"), "");
    add_part(made, json_object_get(all, "structures"), "");
    add_part(made, json_object_get(all, "host"), "host_");
    if (json_is_string(limit))
        json_object_set(made, "limited_by", (json_t *)limit);
    json_decref(all);
    return made;
}
