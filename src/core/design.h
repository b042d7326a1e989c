/* What the designs of the core differ in. */
#ifndef CORE_DESIGN_H
#define CORE_DESIGN_H

#include <stdbool.h>
#include <stdint.h>

typedef enum CoreDesignNumber {
#define CORE_DESIGN(name, is_pipelined, width, registers, queue, reorder, loads, stores) CORE_##name,
#include "core/designs.def"
#undef CORE_DESIGN
    CORE_DESIGN_COUNT
} CoreDesignNumber;

typedef struct CoreDesign {
    const char *name;
    bool is_pipelined; /* else one instruction after the other, from fetch to end */
    uint32_t width, registers, queue, reorder, loads, stores;
} CoreDesign;

/* Registers of the instruction set that the paper's simulator ran on its cores (x86): the others of a design
 * rename. */
enum { CORE_OWN_REGISTERS = 16 };

extern const CoreDesign core_designs[CORE_DESIGN_COUNT];

#endif
