/* Files have millions of values: what would be a call of printf or a lock for each is written out here. */
#include "report/json.h"

#include <string.h>

#include "base/printable.h"

JsonWriter json_begin(FILE *to) { return (JsonWriter){.to = to, .line = JSON_DEPTH, .empty = true}; }

static void put(FILE *to, const char *text, size_t length) { fwrite_unlocked(text, 1, length, to); }

/* Bytes of the text before what needs an escape. */
static size_t plain_bytes(const char *text)
{
    size_t bytes = 0;
    for (unsigned more; (unsigned char)text[bytes] >= 0x20 && text[bytes] != '"' && text[bytes] != '\\';
         bytes += more)
        if (!(more = printable_character(text + bytes)))
            break;
    return bytes;
}

/* What users name in another encoding keeps its length, not its letters. */
static void write_text(FILE *to, const char *text)
{
    putc_unlocked('"', to);
    while (*text) {
        const size_t plain = plain_bytes(text);
        put(to, text, plain);
        text += plain;
        if (!*text)
            break;
        const unsigned char byte = (unsigned char)*text++;
        if (byte == '"' || byte == '\\')
            fprintf(to, "\\%c", byte);
        else if (byte == '\n')
            fputs("\\n", to);
        else if (byte == '\t')
            fputs("\\t", to);
        else if (byte >= 0x80)
            fputs("\\ufffd", to);
        else
            fprintf(to, "\\u%04x", byte);
    }
    putc_unlocked('"', to);
}

static void break_line(const JsonWriter *json)
{
    /* Within a value that is to stay on one line. */
    if (json->depth >= json->line)
        return;
    putc_unlocked('\n', json->to);
    for (unsigned i = 0; i < 2 * json->depth; i++)
        putc_unlocked(' ', json->to);
}

/* What comes before a value: the comma behind the last one, the place, the key. */
static void begin_value(JsonWriter *json, const char *key)
{
    /* A space behind the comma only where no line is broken. */
    if (!json->empty)
        put(json->to, ", ", json->depth >= json->line ? 2 : 1);
    json->empty = false;
    if (json->depth)
        break_line(json);
    if (key) {
        write_text(json->to, key);
        put(json->to, ": ", 2);
    }
}

void json_open(JsonWriter *json, const char *key, char bracket)
{
    begin_value(json, key);
    putc_unlocked(bracket, json->to);
    json->brackets[json->depth++] = bracket == '{' ? '}' : ']';
    json->empty = true;
}

void json_open_line(JsonWriter *json, const char *key, char bracket)
{
    json_open(json, key, bracket);
    /* An outer value that stays on one line keeps all inner ones there, too. */
    if (json->line > json->depth)
        json->line = json->depth;
}

void json_close(JsonWriter *json)
{
    const bool same_line = json->empty || json->depth >= json->line;
    const char bracket = json->brackets[--json->depth];
    if (!same_line)
        break_line(json);
    putc_unlocked(bracket, json->to);
    json->empty = false;
    /* The value that was kept on a line is closed: lines are broken again. */
    if (json->depth < json->line)
        json->line = JSON_DEPTH;
    if (!json->depth)
        putc('\n', json->to);
}

void json_put_integer(JsonWriter *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    char text[RATIO_TEXT_SIZE], *const end = text + sizeof text;
    const char *begin = digits_before(end, value, 1);
    put(json->to, begin, (size_t)(end - begin));
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
    const char *shown = ratio.under ? ratio_text(ratio, 1, 6, text) : "null";
    put(json->to, shown, strlen(shown));
}
