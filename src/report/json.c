#include "report/json.h"

#include <inttypes.h>

JsonWriter json_begin(FILE *to) { return (JsonWriter){.to = to, .line = JSON_DEPTH, .empty = true}; }

static void write_text(FILE *to, const char *text)
{
    putc('"', to);
    for (; *text; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            fprintf(to, "\\%c", byte);
        else if (byte == '\n')
            fputs("\\n", to);
        else if (byte == '\t')
            fputs("\\t", to);
        else if (byte < 0x20)
            fprintf(to, "\\u%04x", byte);
        else
            putc(byte, to);
    }
    putc('"', to);
}

static void break_line(const JsonWriter *json)
{
    if (json->depth >= json->line)
        return;
    fprintf(json->to, "\n%*s", (int)(2 * json->depth), "");
}

/* What comes before a value: the comma behind the last one, the place, the key. */
static void begin_value(JsonWriter *json, const char *key)
{
    if (!json->empty)
        fputs(json->depth >= json->line ? ", " : ",", json->to);
    json->empty = false;
    if (json->depth)
        break_line(json);
    if (key) {
        write_text(json->to, key);
        fputs(": ", json->to);
    }
}

void json_open(JsonWriter *json, const char *key, char bracket)
{
    begin_value(json, key);
    putc(bracket, json->to);
    json->brackets[json->depth++] = bracket == '{' ? '}' : ']';
    json->empty = true;
}

void json_open_line(JsonWriter *json, const char *key, char bracket)
{
    json_open(json, key, bracket);
    if (json->line > json->depth)
        json->line = json->depth;
}

void json_close(JsonWriter *json)
{
    const bool same_line = json->empty || json->depth >= json->line;
    const char bracket = json->brackets[--json->depth];
    if (!same_line)
        break_line(json);
    putc(bracket, json->to);
    json->empty = false;
    if (json->depth < json->line)
        json->line = JSON_DEPTH;
    if (!json->depth)
        putc('\n', json->to);
}

void json_put_integer(JsonWriter *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    fprintf(json->to, "%" PRIu64, value);
}

void json_put_boolean(JsonWriter *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->to);
}

void json_put_text(JsonWriter *json, const char *key, const char *value)
{
    begin_value(json, key);
    write_text(json->to, value);
}

void json_put_ratio(JsonWriter *json, const char *key, Ratio ratio)
{
    char text[RATIO_TEXT_SIZE];
    begin_value(json, key);
    fputs(ratio.under ? ratio_text(ratio, 1, 6, text) : "null", json->to);
}
