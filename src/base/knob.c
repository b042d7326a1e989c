/* Values of knobs from text, checked by the rows of their table, and back to text. */
#include "base/knob.h"

#include "base/nearest.h"
#include "base/printable.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *field(const Knob *knob, void *object) { return (char *)object + knob->offset; }
static const void *const_field(const Knob *knob, const void *object)
{
    return (const char *)object + knob->offset;
}

/* The number that the text begins with, and what stands behind it. */
static bool parse_number(const char *text, uint64_t *value, const char **rest)
{
    if (!isdigit((unsigned char)*text))
        return false;
    const bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;
    errno = 0;
    *value = strtoull(text, &end, hexadecimal ? 16 : 10);
    *rest = end + strspn(end, " ");
    /* strtoull() says of a number beyond 64 bits that it is out of range. */
    return !errno;
}

bool knob_parse_count(const char *text, uint64_t *value)
{
    uint64_t number;
    const char *rest;
    if (!parse_number(text, &number, &rest) || *rest)
        return false;
    *value = number;
    return true;
}

bool knob_parse_bytes(const char *text, uint64_t *value)
{
    static const struct {
        const char *suffix;
        unsigned shift;
    } units[] = {
        {"", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40},
    };
    uint64_t number;
    const char *rest;
    if (!parse_number(text, &number, &rest))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        /* A number that the unit would shift out of 64 bits is none. */
        if (strcmp(rest, units[i].suffix) == 0 && number <= UINT64_MAX >> units[i].shift) {
            *value = number << units[i].shift;
            return true;
        }
    }
    return false;
}

bool knob_parse_boolean(const char *text, bool *value)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(text, words[i]) == 0) {
            /* Words stand in pairs, the false one first. */
            *value = i & 1;
            return true;
        }
    }
    return false;
}

static bool parse_choice(const Knob *knob, const char *text, uint32_t *value)
{
    for (uint32_t i = 0; knob->choices[i]; i++) {
        if (strcmp(text, knob->choices[i]) == 0) {
            *value = i;
            return true;
        }
    }
    return false;
}

static bool is_power(uint64_t number) { return number && !(number & (number - 1)); }

static bool parse_integer(const Knob *knob, const char *text, uint64_t *value)
{
    uint64_t number;
    const bool is_number =
        strcmp(knob->unit, "bytes") == 0 ? knob_parse_bytes(text, &number) : knob_parse_count(text, &number);
    if (!is_number || number < knob->minimum || number > knob->maximum ||
        (knob->is_power && !is_power(number)))
        return false;
    *value = number;
    return true;
}

static bool assign(const Knob *knob, void *object, const char *text)
{
    switch (knob->kind) {
    case KNOB_KIND_INTEGER:
        return parse_integer(knob, text, field(knob, object));
    case KNOB_KIND_BOOLEAN:
        return knob_parse_boolean(text, field(knob, object));
    case KNOB_KIND_ENUMERATION:
        return parse_choice(knob, text, field(knob, object));
    case KNOB_KIND_STRING:
        if (strlen(text) >= KNOB_STRING_SIZE || !printable_is(text, false))
            return false;
        strcpy(field(knob, object), text);
        return true;
    }
    return false;
}

/* A row's initial value is one that it accepts (the invariant of Knob), so nothing can fail here. */
void knob_defaults(const KnobTable *table, void *object)
{
    for (size_t i = 0; i < table->count; i++)
        assign(&table->rows[i], object, table->rows[i].initial);
}

const Knob *knob_find(const KnobTable *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->rows[i].name, name) == 0)
            return &table->rows[i];
    }
    return NULL;
}

WbStatus knob_unknown(const KnobTable *table, const char *name, const char *other, const char *where,
                      Error *error)
{
    Nearest nearest = nearest_to(name);
    for (size_t i = 0; i < table->count; i++)
        nearest_offer(&nearest, table->rows[i].name);
    if (other)
        nearest_offer(&nearest, other);
    char hint[NEAREST_HINT_SIZE];
    return error_set(error, WB_ERROR_NOT_FOUND,
                     "%sthe %s has no knob '%.80s'%s `warpbeam list knobs` shows all.", where, table->title,
                     name, nearest_hint(&nearest, hint, sizeof hint));
}

WbStatus knob_get(const KnobTable *table, const void *object, const char *name, uint64_t *value, Error *error)
{
    const Knob *knob = knob_find(table, name);
    if (!knob)
        return knob_unknown(table, name, NULL, "", error);
    const void *field = const_field(knob, object);
    switch (knob->kind) {
    case KNOB_KIND_INTEGER:
        *value = *(const uint64_t *)field;
        return WB_OK;
    case KNOB_KIND_BOOLEAN:
        *value = *(const bool *)field;
        return WB_OK;
    case KNOB_KIND_ENUMERATION:
        *value = *(const uint32_t *)field;
        return WB_OK;
    case KNOB_KIND_STRING:
        break;
    }
    return error_set(error, WB_ERROR_ARGUMENT, "The knob %s holds text, not a number.", name);
}

WbStatus knob_set(const KnobTable *table, void *object, const char *name, const char *value,
                  const char *where, Error *error)
{
    const Knob *knob = knob_find(table, name);
    if (!knob)
        return knob_unknown(table, name, NULL, where, error);
    if (assign(knob, object, value))
        return WB_OK;
    char domain[512];
    return error_set(error, WB_ERROR_ARGUMENT, "%s'%.80s' is no value of %s, which takes %s%s%s.", where,
                     value, name, knob_domain(knob, domain, sizeof domain), *knob->unit ? " " : "",
                     knob->unit);
}

const char *knob_text(const Knob *knob, const void *object, char *buffer, size_t size)
{
    const void *value = const_field(knob, object);
    switch (knob->kind) {
    case KNOB_KIND_INTEGER:
        snprintf(buffer, size, "%" PRIu64, *(const uint64_t *)value);
        break;
    case KNOB_KIND_BOOLEAN:
        snprintf(buffer, size, "%s", *(const bool *)value ? "true" : "false");
        break;
    case KNOB_KIND_ENUMERATION:
        snprintf(buffer, size, "%s", knob->choices[*(const uint32_t *)value]);
        break;
    case KNOB_KIND_STRING:
        snprintf(buffer, size, "%s", (const char *)value);
        break;
    }
    return buffer;
}

const char *knob_domain(const Knob *knob, char *buffer, size_t size)
{
    size_t used = 0;
    switch (knob->kind) {
    case KNOB_KIND_INTEGER:
        snprintf(buffer, size,
                 !knob->is_power                      ? "%" PRIu64 " to %" PRIu64
                 : knob->maximum == 2 * knob->minimum ? "%" PRIu64 " or %" PRIu64
                                                      : "a power of two from %" PRIu64 " to %" PRIu64,
                 knob->minimum, knob->maximum);
        break;
    case KNOB_KIND_BOOLEAN:
        snprintf(buffer, size, "true or false");
        break;
    case KNOB_KIND_ENUMERATION:
        buffer[0] = '\0';
        for (size_t i = 0; knob->choices[i] && used < size; i++)
            used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? " or " : "", knob->choices[i]);
        break;
    case KNOB_KIND_STRING:
        snprintf(buffer, size, "a text of at most %d bytes, without control characters",
                 KNOB_STRING_SIZE - 1);
        break;
    }
    return buffer;
}
