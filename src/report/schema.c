/* The JSON report's schema (draft 2020-12), made of the tables that its fields come from: knobs, counters,
 * ratios, limits, waits, and schema.def for the rest. docs/report.schema.json is what this writes. */
#include "report/report.h"

#include <string.h>

#include "api/gpu.h"
#include "report/json.h"
#include "report/limit.h"

enum { SOMETIMES, ALWAYS };

typedef struct Field {
    const char *object, *name, *type;
    bool is_required;
    const char *description;
} Field;

static const Field fields[] = {
#define FIELD(object, name, type, presence, description) {#object, #name, type, presence, description},
#include "report/schema.def"
#undef FIELD
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static void put_limit_names(JsonWriter *json)
{
    json_open(json, "enum", '[');
    for (unsigned i = 0; i < LIMIT_COUNT; i++)
        json_put_text(json, NULL, limit_rows[i].name);
    json_close(json);
}

static void put_status_names(JsonWriter *json)
{
    json_open(json, "enum", '[');
    for (unsigned i = 0; i < RECORD_STATUS_COUNT; i++)
        json_put_text(json, NULL, record_status_names[i]);
    json_close(json);
}

static void put_array(JsonWriter *json, const char *item)
{
    json_put_text(json, "type", "array");
    json_open(json, "items", '{');
    json_put_text(json, "type", item);
    json_close(json);
}

/* What is inside of brackets, as the array's items. */
static void put_type(JsonWriter *json, const char *type, size_t length)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, type);
    if (*type == '[') {
        json_put_text(json, "type", "array");
        json_open(json, "items", '{');
        /* Without the brackets. */
        put_type(json, type + 1, length - 2);
        json_close(json);
    } else if (*type == '@') {
        char reference[80];
        snprintf(reference, sizeof reference, "#/$defs/%s", name + 1);
        json_put_text(json, "$ref", reference);
    } else if (strcmp(name, "three") == 0) {
        put_array(json, "integer");
        json_put_integer(json, "minItems", 3);
        json_put_integer(json, "maxItems", 3);
    } else if (strcmp(name, "texts") == 0) {
        json_put_text(json, "type", "object");
        json_open(json, "additionalProperties", '{');
        json_put_text(json, "type", "string");
        json_close(json);
    } else if (strcmp(name, "number") == 0) {
        json_open(json, "type", '[');
        json_put_text(json, NULL, "number");
        json_put_text(json, NULL, "null");
        json_close(json);
    } else if (strcmp(name, "limits") == 0) {
        put_limit_names(json);
    } else if (strcmp(name, "statuses") == 0) {
        put_status_names(json);
    } else {
        json_put_text(json, "type", name);
    }
}

static void put_field(JsonWriter *json, const char *name, const char *type, const char *description)
{
    json_open_line(json, name, '{');
    put_type(json, type, strlen(type));
    json_put_text(json, "description", description);
    json_close(json);
}

/* -- objects: begin, properties, end -- */

static void begin_object(JsonWriter *json, const char *name)
{
    if (name)
        json_open(json, name, '{');
    json_put_text(json, "type", "object");
    /* A report with a field that the schema does not know fails the test, so none can be forgotten here. */
    json_put_boolean(json, "additionalProperties", false);
    json_open(json, "properties", '{');
}

static void end_properties(JsonWriter *json) { json_close(json); }

/* Puts those of schema.def, as properties or by their names as required. */
static void put_fields(JsonWriter *json, const char *object, bool as_names)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (strcmp(fields[i].object, object) != 0)
            continue;
        if (!as_names)
            put_field(json, fields[i].name, fields[i].type, fields[i].description);
        else if (fields[i].is_required)
            json_put_text(json, NULL, fields[i].name);
    }
}

static void put_counters(JsonWriter *json, const StatTable *table, const char *prefix, const char *type)
{
    for (size_t i = 0; i < table->count; i++) {
        char name[96], description[512];
        snprintf(name, sizeof name, "%s%s", prefix, table->rows[i].name);
        snprintf(description, sizeof description, "%s (%s)", table->rows[i].description,
                 *type == 'n' ? "share" : table->rows[i].unit);
        put_field(json, name, type, description);
    }
}

static void require_counters(JsonWriter *json, const StatTable *table, const char *prefix)
{
    for (size_t i = 0; i < table->count; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s%s", prefix, table->rows[i].name);
        json_put_text(json, NULL, name);
    }
}

/* The counters of one kind of part, under their names. */
static void put_component(JsonWriter *json, const char *name, Component component, const char *type)
{
    begin_object(json, name);
    put_counters(json, components[component].table, "", type);
    if (component == COMPONENT_GRAPH)
        put_fields(json, "graph", false);
    end_properties(json);
    json_open(json, "required", '[');
    require_counters(json, components[component].table, "");
    json_close(json);
    json_close(json);
}

static void put_totals(JsonWriter *json)
{
    begin_object(json, "totals");
    for (unsigned c = 0; c < components_known; c++)
        put_counters(json, components[c].table, components[c].prefix, "integer");
    end_properties(json);
    json_open(json, "required", '[');
    /* Counters of policies are there only while the policy is in use. */
    for (unsigned c = 0; c < COMPONENT_FIRST_POLICY; c++)
        require_counters(json, components[c].table, components[c].prefix);
    json_close(json);
    json_close(json);
}

static void put_knob(JsonWriter *json, const Knob *knob)
{
    char description[512];
    snprintf(description, sizeof description, "%s%s%s%s", knob->description, *knob->unit ? " (" : "",
             knob->unit, *knob->unit ? ")" : "");
    if (knob->kind != KNOB_KIND_ENUMERATION) {
        put_field(json, knob->name,
                  knob->kind == KNOB_KIND_INTEGER   ? "integer"
                  : knob->kind == KNOB_KIND_BOOLEAN ? "boolean"
                                                    : "string",
                  description);
        return;
    }
    json_open_line(json, knob->name, '{');
    json_open(json, "enum", '[');
    for (const char *const *choice = knob->choices; *choice; choice++)
        json_put_text(json, NULL, *choice);
    json_close(json);
    json_put_text(json, "description", description);
    json_close(json);
}

static void put_config(JsonWriter *json)
{
    begin_object(json, "config");
    for (size_t i = 0; i < config_knobs.count; i++)
        if (!report_is_host_knob(config_knobs.rows[i].name))
            put_knob(json, &config_knobs.rows[i]);
    end_properties(json);
    json_close(json);
}

static void put_ratios(JsonWriter *json)
{
    begin_object(json, "ratios");
    for (unsigned i = 0; i < RATIO_COUNT; i++) {
        char description[512], formula[RATIO_FORMULA_SIZE];
        snprintf(description, sizeof description, "%s: %s (%s)", ratio_rows[i].description,
                 ratio_formula(&ratio_rows[i], formula),
                 ratio_is_share(&ratio_rows[i]) ? "share" : ratio_rows[i].unit);
        put_field(json, ratio_rows[i].name, "number", description);
    }
    end_properties(json);
    json_close(json);
}

static void put_limits_and_waits(JsonWriter *json)
{
    static const char *const meanings[] = {
#define WAIT(identifier, description) description,
#include "sm/wait.def"
#undef WAIT
    };
    begin_object(json, "slots");
    for (unsigned i = 0; i < LIMIT_COUNT; i++)
        put_field(json, limit_rows[i].name, "integer", limit_rows[i].title);
    end_properties(json);
    json_close(json);
    begin_object(json, "waits");
    for (unsigned wait = 0; wait < WAIT_COUNT; wait++)
        put_field(json, wait_name((Wait)wait), "integer", meanings[wait]);
    end_properties(json);
    json_close(json);
}

static void put_details(JsonWriter *json)
{
    begin_object(json, "details");
    for (unsigned c = 0; c < components_known; c++) {
        char type[80], description[128];
        snprintf(type, sizeof type, "[@%s]", components[c].name);
        snprintf(description, sizeof description, "For each %s its counters", components[c].instance);
        put_field(json, components[c].name, type, description);
    }
    end_properties(json);
    json_close(json);
}

/* Fields of schema.def, and behind them what else the object has. */
static void put_object(JsonWriter *json, const char *key, const char *name, void (*more)(JsonWriter *))
{
    begin_object(json, key);
    put_fields(json, name, false);
    if (more)
        more(json);
    end_properties(json);
    json_open(json, "required", '[');
    put_fields(json, name, true);
    json_close(json);
    if (key)
        json_close(json);
}

static void put_component_sums(JsonWriter *json)
{
    for (unsigned c = 0; c < components_known; c++) {
        char type[80], description[128];
        snprintf(type, sizeof type, "@%s", components[c].name);
        snprintf(description, sizeof description, "Counters of each %s, summed", components[c].instance);
        put_field(json, components[c].name, type, description);
    }
}

static void put_series_rows(JsonWriter *json)
{
    for (uint32_t row = 0; row < SERIES_ROWS; row++) {
        char name[80];
        series_row_name(row, name, sizeof name);
        put_field(json, name, "[integer]", "What the counter of this name grew by in each sample");
    }
}

static void put_definitions(JsonWriter *json)
{
    static const char *const plain[] = {
        "report", "all", "gpu", "system", "links", "link_way", "link_path",
        "run",   "time",    "structures", "hang", "hang_block", "hang_warps", "limited_by", "run_limited_by",
        "block", "sampled", "launch",     "wait", "hold",       "line",       "host",       "hang_wait",
        "channel_series"};
    json_open(json, "$defs", '{');
    put_config(json);
    put_object(json, "kernel", "kernel", put_component_sums);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        put_object(json, plain[i], plain[i], NULL);
    put_object(json, "series", "series", put_series_rows);
    put_limits_and_waits(json);
    put_ratios(json);
    put_component(json, "scheduler_shares", COMPONENT_SCHEDULER, "number");
    for (unsigned c = 0; c < components_known; c++)
        put_component(json, components[c].name, (Component)c, "integer");
    put_details(json);
    put_totals(json);
    json_close(json);
}

/* What a file may be. */
static void put_wholes(JsonWriter *json)
{
    static const char *const wholes[] = {"@report", "@all"};
    json_open(json, "oneOf", '[');
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
        json_open_line(json, NULL, '{');
        put_type(json, wholes[i], strlen(wholes[i]));
        json_close(json);
    }
    json_close(json);
}

void report_schema(FILE *to)
{
    JsonWriter json = json_begin(to);
    json_open(&json, NULL, '{');
    json_put_text(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_put_text(&json, "title", "Warpbeam report");
    json_put_text(
        &json, "description",
        "What kernels did on a simulated GPU, or on several of one system. Written by wb_report() and "
        "--stats; docs/STATISTICS.md says more.");
    put_wholes(&json);
    put_definitions(&json);
    json_close(&json);
}
