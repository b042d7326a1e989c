/* The table of designs. */
#include "core/design.h"

const CoreDesign core_designs[CORE_DESIGN_COUNT] = {
#define CORE_DESIGN(name, is_pipelined, width, registers, queue, reorder, loads, stores) \
    {#name, is_pipelined, width, registers, queue, reorder, loads, stores},
#include "core/designs.def"
#undef CORE_DESIGN
};
