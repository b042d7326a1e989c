/* Goes through a report and the schema's rows side by side; the first field that does not fit is told by
 * its path. */
#include "cli/statistics_check.h"

#include <stdio.h>
#include <string.h>

#include "api/gpu.h"
#include "base/printable.h"

enum { PATH_SIZE = 160 };

typedef struct Field {
    const char *object, *name, *type;
} Field;

static const Field fields[] = {
#define FIELD(object, name, type, presence, description) {#object, #name, type},
#include "report/schema.def"
#undef FIELD
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

/* Invariant: path is that of the value which is looked at. */
typedef struct Check {
    const char *name;
    Error *error;
    char path[PATH_SIZE];
} Check;

static bool check_type(Check *check, const json_t *value, const char *type, size_t length);

static bool refuse(Check *check, const char *what)
{
    error_set(check->error, WB_ERROR_ARGUMENT,
              "%s holds no statistics as Warpbeam writes them: %s is not %s (`warpbeam list schema`).",
              check->name, check->path, what);
    return false;
}

/* Goes into a member, or with a null key into an element; the result is given to leave(). */
static size_t enter(Check *check, const char *key, size_t index)
{
    const size_t length = strlen(check->path);
    if (key)
        snprintf(check->path + length, PATH_SIZE - length, "%s%.60s", length ? "." : "", key);
    else
        snprintf(check->path + length, PATH_SIZE - length, "[%zu]", index);
    return length;
}

static void leave(Check *check, size_t length) { check->path[length] = '\0'; }

static bool check_scalar(Check *check, const json_t *value, bool is_number)
{
    if (json_is_integer(value) && json_integer_value(value) < 0)
        return refuse(check, "a number from 0 on");
    if (json_is_number(value) || json_is_null(value) ||
        (!is_number && (json_is_string(value) || json_is_boolean(value))))
        return true;
    return refuse(check, is_number ? "a number" : "a text, a number, true or false");
}

/* Knobs of other versions may be anything that is one value. */
static bool check_knob(Check *check, const char *name, const json_t *value)
{
    const Knob *knob = knob_find(&config_knobs, name);
    if (!knob)
        return check_scalar(check, value, false);
    switch (knob->kind) {
    case KNOB_KIND_INTEGER:
        return json_is_number(value) ? check_scalar(check, value, true) : refuse(check, "a number");
    case KNOB_KIND_BOOLEAN:
        return json_is_boolean(value) || refuse(check, "true or false");
    case KNOB_KIND_ENUMERATION:
    case KNOB_KIND_STRING:
        break;
    }
    return json_is_string(value) || refuse(check, "a text");
}

static bool check_config(Check *check, const json_t *config)
{
    const char *key;
    json_t *value;
    if (!json_is_object(config))
        return refuse(check, "an object");
    json_object_foreach((json_t *)config, key, value)
    {
        const size_t length = enter(check, key, 0);
        if (!printable_is(key, false))
            return refuse(check, "the name of a knob");
        if (!check_knob(check, key, value))
            return false;
        leave(check, length);
    }
    return true;
}

/* Times of kernels are told by it. */
static bool check_clock(Check *check, const json_t *report)
{
    const json_t *clock = json_object_get(json_object_get(report, "config"), "clock_khz");
    enter(check, "config.clock_khz", 0);
    return !json_array_size(json_object_get(report, "kernels")) || json_number_value(clock) > 0 ||
           refuse(check, "there, or no clock");
}

/* The same of the system and of all its GPUs, each of which has another number. */
static bool check_clocks(Check *check, const json_t *report)
{
    const json_t *gpus = json_object_get(report, "gpus"), *gpu;
    json_int_t least = 0;
    size_t i;
    snprintf(check->path, sizeof check->path, "system.clock_khz");
    if (json_number_value(json_object_get(json_object_get(report, "system"), "clock_khz")) <= 0)
        return refuse(check, "there, or no clock");
    json_array_foreach(gpus, i, gpu)
    {
        const json_int_t index = json_integer_value(json_object_get(gpu, "index"));
        snprintf(check->path, sizeof check->path, "gpus[%zu].index", i);
        if (index < least)
            return refuse(check, "larger than those before it");
        least = index + 1;
        snprintf(check->path, sizeof check->path, "gpus[%zu]", i);
        if (!check_clock(check, gpu))
            return false;
    }
    return true;
}

/* Null: schema.def has no such field. */
static const char *type_of(const char *object, const char *name)
{
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (strcmp(fields[i].object, object) == 0 && strcmp(fields[i].name, name) == 0)
            return fields[i].type;
    return NULL;
}

/* Names that tables declare, each with a number, and what schema.def has beside them. */
static bool check_numbers(Check *check, const json_t *object, const char *name)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object))
        return refuse(check, "an object");
    json_object_foreach((json_t *)object, key, value)
    {
        const size_t length = enter(check, key, 0);
        if (!printable_is(key, false))
            return refuse(check, "the name of a counter");
        const char *type = type_of(name, key);
        if (type ? !check_type(check, value, type, strlen(type)) : !check_scalar(check, value, true))
            return false;
        leave(check, length);
    }
    return true;
}

static bool is_component(const char *name)
{
    for (unsigned c = 0; c < components_known; c++)
        if (strcmp(components[c].name, name) == 0)
            return true;
    return false;
}

/* What schema.def has no row for. */
static bool check_other(Check *check, const char *object, const char *key, const json_t *value)
{
    if (strcmp(object, "kernel") == 0 && is_component(key))
        return check_numbers(check, value, key);
    if (strcmp(object, "series") == 0 && !json_is_array(value))
        return refuse(check, "an array");
    return true;
}

/* Of what is null nothing is known. */
static bool check_member(Check *check, const char *object, const char *key, const json_t *value)
{
    if (json_is_null(value))
        return true;
    const char *type = type_of(object, key);
    return type ? check_type(check, value, type, strlen(type)) : check_other(check, object, key, value);
}

static bool check_object(Check *check, const json_t *value, const char *object)
{
    static const char *const numbers[] = {"totals", "ratios", "scheduler_shares", "slots", "waits"};
    const char *key;
    json_t *member;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(object, numbers[i]) == 0)
            return check_numbers(check, value, object);
    if (strcmp(object, "config") == 0)
        return check_config(check, value);
    if (!json_is_object(value))
        return refuse(check, "an object");
    json_object_foreach((json_t *)value, key, member)
    {
        const size_t length = enter(check, key, 0);
        if (!printable_is(key, false))
            return refuse(check, "the name of a field");
        if (!check_member(check, object, key, member))
            return false;
        leave(check, length);
    }
    return true;
}

static bool check_array(Check *check, const json_t *value, const char *item, size_t length)
{
    size_t i;
    json_t *one;
    if (!json_is_array(value))
        return refuse(check, "an array");
    json_array_foreach(value, i, one)
    {
        const size_t before = enter(check, NULL, i);
        if (!check_type(check, one, item, length))
            return false;
        leave(check, before);
    }
    return true;
}

static bool check_texts(Check *check, const json_t *value)
{
    const char *key;
    json_t *text;
    if (!json_is_object(value))
        return refuse(check, "an object");
    json_object_foreach((json_t *)value, key, text)
    {
        if (!json_is_string(text))
            return refuse(check, "an object of texts");
    }
    return true;
}

/* `type` as schema.def writes it. */
static bool check_type(Check *check, const json_t *value, const char *type, size_t length)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, type);
    if (*type == '[')
        return check_array(check, value, type + 1, length - 2);
    if (*type == '@')
        return check_object(check, value, name + 1);
    if (strcmp(name, "three") == 0)
        return json_array_size(value) == 3 ? check_array(check, value, "integer", strlen("integer"))
                                           : refuse(check, "an array of three integers");
    if (strcmp(name, "texts") == 0)
        return check_texts(check, value);
    if (strcmp(name, "number") == 0)
        return check_scalar(check, value, true);
    if (strcmp(name, "integer") == 0)
        return json_is_integer(value) && json_integer_value(value) >= 0
                   ? true
                   : refuse(check, "an integer from 0 on");
    if (strcmp(name, "boolean") == 0)
        return json_is_boolean(value) || refuse(check, "true or false");
    return json_is_string(value) || refuse(check, "a text");
}

bool statistics_check(const json_t *report, const char *name, Error *error)
{
    static const char of_one[] = "warpbeam-report-1", of_all[] = "warpbeam-system-1";
    Check check = {.name = name, .error = error};
    const bool is_several = json_object_get(report, "gpus");
    const char *format = json_string_value(json_object_get(report, "format")); /* old ones have none */
    if (format && strcmp(format, is_several ? of_all : of_one) != 0)
        error_set(error, WB_ERROR_ARGUMENT, "%s has the format '%.80s'; this version reads %s.", name, format,
                  is_several ? of_all : of_one);
    if (error->status != WB_OK || !check_object(&check, report, is_several ? "all" : "report"))
        return false;
    return is_several ? check_clocks(&check, report) : check_clock(&check, report);
}
