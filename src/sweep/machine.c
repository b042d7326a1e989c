/* Knobs as numbers, truths and texts, in the order of their table. */
#include "sweep/machine.h"

#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"

bool machine_set(GpuConfig *config, const char *knob, const char *value, Error *error)
{
    GpuConfig changed = *config;
    if (knob_set(&config_knobs, &changed, knob, value, "", error) || config_check(&changed, error) ||
        cycle_find_policies(&changed, error))
        return false;
    *config = changed;
    return true;
}

bool machine_check(const GpuConfig *config, Error *error) { return cycle_check(config, error) == WB_OK; }

static json_t *value_of(const Knob *knob, const GpuConfig *config)
{
    char text[KNOB_STRING_SIZE];
    const void *value = (const char *)config + knob->offset;
    if (knob->kind == KNOB_KIND_BOOLEAN)
        return json_boolean(*(const bool *)value);
    if (knob->kind != KNOB_KIND_INTEGER)
        return json_string(knob_text(knob, config, text, sizeof text));
    const uint64_t number = *(const uint64_t *)value;
    /* What is too large for SQLite's integers is about as large as a real. */
    return number <= INT64_MAX ? json_integer((json_int_t)number) : json_real((double)number);
}

json_t *machine_knobs(const GpuConfig *config)
{
    json_t *knobs = json_object();
    for (size_t i = 0; i < config_knobs.count; i++)
        if (strcmp(config_knobs.rows[i].name, "threads") != 0)
            json_object_set_new(knobs, config_knobs.rows[i].name, value_of(&config_knobs.rows[i], config));
    return knobs;
}

void machine_digest(const json_t *knobs, char text[DIGEST_TEXT_SIZE])
{
    char *all = json_dumps(knobs, JSON_COMPACT | JSON_REAL_PRECISION(17));
    Digest digest = digest_begin();
    digest_add_text(&digest, all);
    digest_end(&digest, text);
    free(all);
}
