/* A validator of JSON schemas, for what docs/report.schema.json uses of them: type, enum, properties,
 * required, additionalProperties, items, minItems, maxItems, oneOf, and $ref into $defs. */
#ifndef TESTS_SCHEMA_CHECK_H
#define TESTS_SCHEMA_CHECK_H

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* One value of the report, and where it is: "kernels/0/name". */
typedef struct Check {
    const json_t *root;
    char *why;
    size_t size;
    char path[1024];
} Check;

static bool check(Check *state, const json_t *schema, const json_t *value);

static bool wrong(const Check *state, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool wrong(const Check *state, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int used = snprintf(state->why, state->size, "%s: ", state->path);
    vsnprintf(state->why + used, state->size - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_of_type(const char *type, const json_t *value)
{
    return (!strcmp(type, "object") && json_is_object(value)) ||
           (!strcmp(type, "array") && json_is_array(value)) ||
           (!strcmp(type, "string") && json_is_string(value)) ||
           (!strcmp(type, "integer") && json_is_integer(value)) ||
           (!strcmp(type, "number") && json_is_number(value)) ||
           (!strcmp(type, "boolean") && json_is_boolean(value)) ||
           (!strcmp(type, "null") && json_is_null(value));
}

static bool check_type(Check *state, const json_t *types, const json_t *value)
{
    bool is_right = json_is_string(types) && is_of_type(json_string_value(types), value);
    for (size_t i = 0; i < json_array_size(types); i++)
        is_right |= is_of_type(json_string_value(json_array_get(types, i)), value);
    return is_right || wrong(state, "the value has another type");
}

static bool check_choice(Check *state, const json_t *choices, const json_t *value)
{
    for (size_t i = 0; i < json_array_size(choices); i++)
        if (json_equal(json_array_get(choices, i), value))
            return true;
    return wrong(state, "the value is none of those listed");
}

static bool check_inside(Check *state, const char *key, const json_t *schema, const json_t *value)
{
    const size_t length = strlen(state->path);
    snprintf(state->path + length, sizeof state->path - length, "/%s", key);
    const bool is_right = check(state, schema, value);
    state->path[length] = '\0';
    return is_right;
}

static bool check_required(Check *state, const json_t *names, const json_t *value)
{
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (!json_object_get(value, name))
            return wrong(state, "'%s' is missing", name);
    }
    return true;
}

static bool check_object(Check *state, const json_t *schema, const json_t *value)
{
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *others = json_object_get(schema, "additionalProperties");
    const char *key;
    json_t *item;
    json_object_foreach((json_t *)value, key, item)
    {
        const json_t *known = json_object_get(properties, key);
        if (!known && json_is_false(others))
            return wrong(state, "the schema has no '%s'", key);
        if ((known || json_is_object(others)) && !check_inside(state, key, known ? known : others, item))
            return false;
    }
    return check_required(state, json_object_get(schema, "required"), value);
}

static bool check_array(Check *state, const json_t *schema, const json_t *value)
{
    const json_t *items = json_object_get(schema, "items");
    const json_t *least = json_object_get(schema, "minItems"), *most = json_object_get(schema, "maxItems");
    const size_t count = json_array_size(value);
    if ((least && count < (size_t)json_integer_value(least)) ||
        (most && count > (size_t)json_integer_value(most)))
        return wrong(state, "the array has %zu items", count);
    for (size_t i = 0; items && i < count; i++) {
        char key[32];
        snprintf(key, sizeof key, "%zu", i);
        if (!check_inside(state, key, items, json_array_get(value, i)))
            return false;
    }
    return true;
}

static bool check_keywords(Check *state, const json_t *schema)
{
    static const char *const known[] = {
        "$schema",  "$defs",    "$ref",     "title",      "description",         "type", "enum", "items",
        "minItems", "maxItems", "required", "properties", "additionalProperties", "oneOf"};
    const char *key;
    json_t *ignored;
    json_object_foreach((json_t *)schema, key, ignored)
    {
        bool is_known = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            is_known |= strcmp(key, known[i]) == 0;
        if (!is_known)
            return wrong(state, "nobody checks the schema's '%s'", key);
    }
    return true;
}

/* Exactly one of them fits; where none does, the first one says why. */
static bool check_one_of(Check *state, const json_t *choices, const json_t *value)
{
    size_t fitting = 0;
    for (size_t i = json_array_size(choices); i-- > 0;)
        fitting += check(state, json_array_get(choices, i), value);
    return fitting == 1 || (fitting > 1 && wrong(state, "the value can be several things"));
}

static bool check(Check *state, const json_t *schema, const json_t *value)
{
    static const char start[] = "#/$defs/";
    const json_t *reference = json_object_get(schema, "$ref");
    const json_t *type = json_object_get(schema, "type"), *choices = json_object_get(schema, "enum");
    if (!check_keywords(state, schema))
        return false;
    if (reference) {
        const char *name = json_string_value(reference);
        const json_t *defined =
            json_object_get(json_object_get(state->root, "$defs"),
                            name + (strncmp(name, start, strlen(start)) ? 0 : strlen(start)));
        return defined ? check(state, defined, value) : wrong(state, "the schema lacks %s", name);
    }
    const json_t *wholes = json_object_get(schema, "oneOf");
    return (!wholes || check_one_of(state, wholes, value)) && (!type || check_type(state, type, value)) && (!choices || check_choice(state, choices, value)) &&
           (!json_is_object(value) || check_object(state, schema, value)) &&
           (!json_is_array(value) || check_array(state, schema, value));
}

/* False with the first place that is wrong and why in `why`. A keyword of the schema that is not known here
 * is wrong, too. */
static bool schema_check(const json_t *schema, const json_t *value, char *why, size_t size)
{
    Check state = {.root = schema, .why = why, .size = size};
    return check(&state, schema, value);
}

#endif
