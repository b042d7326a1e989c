/* The knobs as text, and what takes how long. */
#include "conduct/network.h"

#include <stdlib.h>
#include <string.h>

/* The value of a line "name=value"; null: it has another name. */
static const char *value_of(const char *line, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(line, name, length) == 0 && line[length] == '=' ? line + length + 1 : NULL;
}

/* Bounds were checked where the GPU's configuration was. */
static bool read_line(const char *line, Network *network)
{
    const char *value;
#define KNOB_INTEGER(field, initial, minimum, maximum, unit, description)                                    \
    if ((value = value_of(line, #field))) {                                                                  \
        network->field = strtoull(value, NULL, 10);                                                          \
        return *value >= '0' && *value <= '9';                                                               \
    }
#define KNOB_BOOLEAN(field, initial, description)                                                            \
    if ((value = value_of(line, #field))) {                                                                  \
        network->field = strncmp(value, "true", 4) == 0;                                                     \
        return network->field || strncmp(value, "false", 5) == 0;                                            \
    }
#include "conduct/network.def"
#undef KNOB_INTEGER
#undef KNOB_BOOLEAN
    return false;
}

bool network_read(const char *text, Network *network, const char **line)
{
    memset(network, 0, sizeof *network); /* also what lies between knobs: ranks compare their networks */
#define KNOB_INTEGER(field, initial, minimum, maximum, unit, description) network->field = initial##u;
#define KNOB_BOOLEAN(field, initial, description) network->field = initial;
#include "conduct/network.def"
#undef KNOB_INTEGER
#undef KNOB_BOOLEAN
    for (*line = text ? text : ""; **line; *line += strcspn(*line, "\n"), *line += **line == '\n') {
        if (!read_line(*line, network))
            return false;
    }
    return true;
}

uint64_t network_picoseconds(uint64_t nanoseconds) { return nanoseconds * PICOSECONDS_PER_NANOSECOND; }

/* A megabyte a second is a byte a microsecond. */
uint64_t network_transfer(const Network *network, uint64_t bytes)
{
    const unsigned __int128 scaled = (unsigned __int128)bytes * 1000 * PICOSECONDS_PER_NANOSECOND;
    return (uint64_t)((scaled + network->network_rate - 1) / network->network_rate);
}

uint64_t network_latency(const Network *network) { return network_picoseconds(network->network_latency_ns); }
