/* The table of all knobs: those that the program was compiled with, and behind them those of policies that
 * have been loaded. */
#include "config/config.h"

#include <string.h>

#include "config/knob_rows.h"
static const Knob compiled[] = {
#include "config/config.def"
};
enum { COMPILED = sizeof compiled / sizeof *compiled };

/* Rows do not move once they are there: others may point to them. */
static Knob rows[COMPILED + MOST_LOADED_KNOBS];

KnobTable config_knobs = {"GPU configuration", compiled, COMPILED};

static size_t size_of(const Knob *knob)
{
    switch (knob->kind) {
    case KNOB_KIND_INTEGER:
        return sizeof(uint64_t);
    case KNOB_KIND_BOOLEAN:
        return sizeof(bool);
    case KNOB_KIND_ENUMERATION:
        return sizeof(uint32_t);
    case KNOB_KIND_STRING:
        break;
    }
    return KNOB_STRING_SIZE;
}

static bool overlap(const Knob *one, const Knob *other)
{
    return one->offset < other->offset + size_of(other) && other->offset < one->offset + size_of(one);
}

static WbStatus check(const Knob *knob, const char *file, Error *error)
{
    if (knob_find(&config_knobs, knob->name))
        return error_set(error, WB_ERROR_ARGUMENT, "%s has a knob %s, which exists already; rename it.", file,
                         knob->name);
    for (size_t i = COMPILED; i < config_knobs.count; i++)
        if (overlap(knob, &config_knobs.rows[i]))
            return error_set(error, WB_ERROR_ARGUMENT,
                             "The knob %s of %s has the place of %s, which was loaded before it; compile one "
                             "of the two policies with another --place.",
                             knob->name, file, config_knobs.rows[i].name);
    return WB_OK;
}

WbStatus config_add_knobs(const Knob *knobs, size_t count, const char *file, Error *error)
{
    if (count > COMPILED + MOST_LOADED_KNOBS - config_knobs.count)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "%s has %zu knobs; all policies that are loaded may have %d together.", file, count,
                         MOST_LOADED_KNOBS);
    for (size_t i = 0; i < count; i++)
        if (check(&knobs[i], file, error))
            return error->status;
    if (config_knobs.rows == compiled)
        memcpy(rows, compiled, sizeof compiled);
    memcpy(rows + config_knobs.count, knobs, count * sizeof *knobs);
    config_knobs = (KnobTable){config_knobs.title, rows, config_knobs.count + count};
    return WB_OK;
}
