/* Policies: decisions that a user may replace by naming another one in a knob. Each policy is one file that
 * exports one constant struct of functions; the build lists them (policy_lists.h), and each kind shows
 * its own through a PolicyKind.
 *
 * A policy owns its parameters and its counters. They are rows of a .def of its name beside its file, which
 * the build finds as well:
 *
 *     KNOB_INTEGER(waves_most, 2, 1, 64, "waves", "...")   a knob like any other: config->waves_most
 *     COUNT(refused, "blocks", "...")                      a statistic: <folder>_<file>.refused
 *
 * A knob's name begins with the file's, so that it says whose it is. Counters are in reports while the policy
 * is the one in use. Whoever asks the policy keeps them, zero at first, and hands them to it as `counters`,
 * the struct that base/own_counters.h makes of the rows; the policy only adds to them. Units beside the SMs
 * (grid/unit.h) own what is theirs in the same way. */
#ifndef BASE_POLICY_H
#define BASE_POLICY_H

#include "base/stat.h"

struct GpuConfig; /* all knobs: config/config.h */

/* What a policy says about itself. */
typedef struct Policy {
    const char *name;        /* as in the knob: "loose-round-robin"; null: there is none */
    const char *description;
    const char *source;      /* paper or document */
    const StatTable *counters; /* of its own; null: none */
    /* Bits of storage that the mechanism adds to the whole GPU, worked out from the knobs; null: none beyond
     * what every GPU has. The policy's file says how it adds up. */
    uint64_t (*state_bits)(const struct GpuConfig *config);
} Policy;

/* Policies outside of the tree that may be loaded (grid/policy_object.h). */
enum { MOST_LOADED_POLICIES = 16 };

typedef struct PolicyKind {
    const char *knob;        /* that names one of them */
    const char *question;    /* that they answer */
    Policy (*at)(size_t index); /* without a name behind the last */
} PolicyKind;

/* The number of the policy of that name, or -1 with the sentence. */
int policy_find(const PolicyKind *kind, const char *name, Error *error);
/* The sum of state_bits of those that `names` has, as in the knob: "a" or "a+b". Other names add nothing. */
uint64_t policy_state_bits(const PolicyKind *kind, const char *names, const struct GpuConfig *config);
/* Bits of a register that holds 0 to `most`. */
static inline uint64_t bits_for(uint64_t most) { return most ? 64 - (uint64_t)__builtin_clzll(most) : 0; }
/* Bytes that hold so many bits. */
static inline uint64_t bits_bytes(uint64_t bits) { return bits / 8 + (bits % 8 != 0); }
/* Its counters, all zero, for xfree(); null: it has none. */
void *policy_count(const StatTable *counters);

#endif
