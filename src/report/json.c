#include "report/json.h"

#include <inttypes.h>

JsonWriter json_begin(FILE *to) { return (JsonWriter){.to = to, .line = JSON_DEPTH, .empty = true}; }

/* Bytes of the character at `text`, which is not the end; 0: that is no UTF-8. */
static unsigned character_bytes(const char *text)
{
    const unsigned char first = (unsigned char)*text;
    const unsigned bytes = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    const unsigned char second = (unsigned char)(bytes > 1 ? text[1] : 0);
    if (first > 0xF4 || (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) ||
        (first == 0xF4 && second > 0x8F)) /* surrogates, too long, too large */
        return 0;
    for (unsigned i = 1; i < bytes; i++)
        if (((unsigned char)text[i] & 0xC0) != 0x80)
            return 0;
    return bytes;
}

/* What users name in another encoding keeps its length, not its letters. */
static void write_text(FILE *to, const char *text)
{
    putc('"', to);
    for (unsigned bytes; *text; text += bytes ? bytes : 1) {
        const unsigned char byte = (unsigned char)*text;
        bytes = character_bytes(text);
        if (byte == '"' || byte == '\\')
            fprintf(to, "\\%c", byte);
        else if (byte == '\n')
            fputs("\\n", to);
        else if (byte == '\t')
            fputs("\\t", to);
        else if (byte < 0x20)
            fprintf(to, "\\u%04x", byte);
        else if (!bytes)
            fputs("\\ufffd", to);
        else
            fwrite(text, 1, bytes, to);
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
