/* Policies: decisions that a user may replace by naming another one in a knob. Each policy is one file that
 * exports one constant struct of functions; the build lists them (policy_lists.h), and each kind shows
 * its own through a PolicyKind. */
#ifndef BASE_POLICY_H
#define BASE_POLICY_H

#include "base/error.h"

/* What a policy says about itself. */
typedef struct Policy {
    const char *name;        /* as in the knob: "loose-round-robin"; null: there is none */
    const char *description;
    const char *source;      /* paper or document */
} Policy;

typedef struct PolicyKind {
    const char *knob;        /* that names one of them */
    const char *question;    /* that they answer */
    Policy (*at)(size_t index); /* without a name behind the last */
} PolicyKind;

/* The number of the policy of that name, or -1 with the sentence. */
int policy_find(const PolicyKind *kind, const char *name, Error *error);

#endif
