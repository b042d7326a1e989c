/* Which objects an address may point into, as far as the text tells.
 *
 * An address comes from the variables and kernel parameters that it was computed from: through moves,
 * conversions, sums and choices, by all ways that lead to it. An index may be anything, also loaded from
 * memory, as long as it has 32 bits; a value of 64 bits from memory, a call or an atomic may be a pointer
 * that nobody knows. */
#ifndef PTX_FLOW_POINTER_H
#define PTX_FLOW_POINTER_H

#include "base/vec.h"
#include "ptx/module.h"

/* Where a pointer comes from. A variable, or of a kernel's parameter the word that begins at `offset`. */
typedef struct PointerRoot {
    uint32_t variable;
    int64_t offset;      /* 0 unless it is of a parameter */
    bool is_parameter;   /* the pointer is in it; else it is the address of the variable */
} PointerRoot;

typedef struct PointerRoots {
    PointerRoot *items;
    uint32_t count, capacity;
} PointerRoots;

typedef struct FlowPointers {
    const Module *module;
    const Function *function;
    uint32_t *begin, *writers; /* the instructions that write register r: writers[begin[r]..begin[r + 1]) */
    uint32_t *seen;            /* [register_count] number of the latest question in which it was met */
    uint32_t question;
    VEC(uint32_t) rest;        /* registers that have been met, and not looked at */
} FlowPointers;

void flow_pointers_init(FlowPointers *pointers, const Module *module, const Function *function, Arena *arena);
void flow_pointers_free(FlowPointers *pointers);

/* The roots of an address operand, each once. False: it may point anywhere. */
bool flow_pointer_roots(FlowPointers *pointers, const PtxOperand *address, PointerRoots *roots);

/* The only instruction that writes the register; NO_INDEX: none, or several do. */
static inline uint32_t flow_only_writer(const FlowPointers *pointers, uint32_t reg)
{
    const uint32_t first = pointers->begin[reg];
    return pointers->begin[reg + 1] - first == 1 ? pointers->writers[first] : NO_INDEX;
}

static inline bool pointer_root_is(const PointerRoot *a, const PointerRoot *b)
{
    return a->variable == b->variable && a->offset == b->offset && a->is_parameter == b->is_parameter;
}

#endif
