/* Writes JSON as it goes: a report of a million blocks needs no tree in memory, counters keep all their 64
 * bits, and ratios have a fixed number of digits, whatever the host's locale. Reading is left to libraries.
 *
 *     JsonWriter json = json_begin(file);
 *     json_open(&json, NULL, '{');
 *     json_put_integer(&json, "cycles", 12);
 *     json_close(&json);
 */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/ratio.h"

enum { JSON_DEPTH = 16 };

/* Invariant: brackets[0..depth) are the closing brackets of what is open; from level `line` on everything
 * stays on one line. */
typedef struct JsonWriter {
    FILE *to;
    char brackets[JSON_DEPTH];
    unsigned depth, line;
    bool empty; /* nothing has been written into what was opened last */
} JsonWriter;

JsonWriter json_begin(FILE *to);
/* Opens an object '{' or an array '['. Keys are null inside arrays, and for the outermost value. */
void json_open(JsonWriter *json, const char *key, char bracket);
/* The same, all of it on one line. */
void json_open_line(JsonWriter *json, const char *key, char bracket);
void json_close(JsonWriter *json);

void json_put_integer(JsonWriter *json, const char *key, uint64_t value);
void json_put_boolean(JsonWriter *json, const char *key, bool value);
void json_put_text(JsonWriter *json, const char *key, const char *value);
/* Six digits behind the point; null where the denominator is 0. */
void json_put_ratio(JsonWriter *json, const char *key, Ratio ratio);

#endif
