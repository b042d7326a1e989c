/* Registers of a function by their kind, as machines have them that keep the kinds apart [channels §7]. */
#ifndef PTX_FLOW_KINDS_H
#define PTX_FLOW_KINDS_H

#include "ptx/flow_live.h"

/* Registers of 32 bits (s), 64 bits (d) and one bit (c): as many of each as are live at once somewhere. */
typedef struct RegisterKinds {
    uint32_t words, pairs, predicates;
} RegisterKinds;

RegisterKinds flow_register_kinds(const Function *function, const FlowLive *live);

/* What they take for `width` lanes, in bytes. */
static inline uint64_t register_kinds_bytes(const RegisterKinds *kinds, uint32_t width)
{
    return (uint64_t)width * (4ull * kinds->words + 8ull * kinds->pairs) +
           (uint64_t)kinds->predicates * (width / 8);
}

#endif
