/* Policies of a kind are found by their names. There are a handful of each, so a scan is enough, and its
 * order is the one in which `warpbeam list policies` shows them. */
#include "base/policy.h"

#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"

int policy_find(const PolicyKind *kind, const char *name, Error *error)
{
    Nearest nearest = nearest_to(name);
    for (int i = 0; kind->at((size_t)i).name; i++) {
        if (strcmp(kind->at((size_t)i).name, name) == 0)
            return i;
        nearest_offer(&nearest, kind->at((size_t)i).name);
    }
    char hint[NEAREST_HINT_SIZE];
    error_set(
        error, WB_ERROR_NOT_FOUND,
        "The knob %s names a policy '%.80s', which does not exist%s `warpbeam list policies` shows all.",
        kind->knob, name, nearest_hint(&nearest, hint, sizeof hint));
    return -1;
}

/* Whether one of the names between plus signs is this one. */
static bool has_name(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = names, *end; *at; at = *end ? end + 1 : end) {
        end = strchrnul(at, '+');
        if ((size_t)(end - at) == length && memcmp(at, name, length) == 0)
            return true;
    }
    return false;
}

uint64_t policy_state_bits(const PolicyKind *kind, const char *names, const struct GpuConfig *config)
{
    uint64_t bits = 0;
    Policy policy;
    for (size_t i = 0; (policy = kind->at(i)).name; i++)
        if (policy.state_bits && has_name(names, policy.name))
            bits += policy.state_bits(config);
    return bits;
}

/* A struct of counters alone, as base/own_counters.h makes it. */
void *policy_count(const StatTable *counters)
{
    return counters ? xcalloc(counters->count, sizeof(uint64_t)) : NULL;
}
