/* Which of a function's registers need one in machine code (machine_values.h).
 *
 * Much of PTX has no register in the end. A value is
 *   - folded, where the instruction that makes it becomes part of those that use it: copies, address sums
 *     that are displacements, products and shifts that are added, signs of floats. Then these read what it
 *     reads;
 *   - uniform, where it is a constant or made of constants: an immediate, an operand from the constant bank,
 *     or in a uniform register;
 *   - late, where it is a constant that must be in a register for its use: a pointer parameter on sm_90, the
 *     data of a store. It is loaded in the block that uses it, for a loop before the loop;
 *   - plain otherwise: in a register from its definition to its last use. */
#ifndef PTX_MACHINE_KINDS_H
#define PTX_MACHINE_KINDS_H

#include "base/arena.h"
#include "ptx/flow_live.h"

typedef enum MachineKind {
    MACHINE_PLAIN,
    MACHINE_FOLDED,
    MACHINE_UNIFORM,
    MACHINE_LATE
} MachineKind;

/* All arrays are of the arena. */
typedef struct MachineKinds {
    const Function *function;
    const FlowLive *live;
    uint32_t target;
    bool is_eager;        /* constants are loaded early, and for a loop before it */
    uint32_t *definition; /* [register] the one instruction that writes it, or NO_INDEX */
    uint8_t *uses;        /* [register] what reads it; 0: nothing does */
    uint8_t *kind;        /* [register] MachineKind */
    uint8_t *depth;       /* [register] folded values behind each other that it is the last of */
} MachineKinds;

MachineKinds machine_find_kinds(const Function *function, const FlowLive *live, uint32_t target,
                                bool is_eager, Arena *arena);

static inline const PtxOperand *machine_operand(const MachineKinds *kinds, const PtxInsn *insn, unsigned k)
{
    return &kinds->function->operands[insn->first_operand + k];
}

static inline bool machine_is_constant(const PtxOperand *operand)
{
    return operand->kind == PTX_INTEGER || operand->kind == PTX_FLOAT32 || operand->kind == PTX_FLOAT64;
}

static inline bool machine_is_texture(Action action)
{
    return action == ACTION_TEXTURE || action == ACTION_SURFACE_LOAD || action == ACTION_SURFACE_STORE;
}

/* It holds a constant, or what is made of constants: it is in a register for a while at most. */
static inline bool machine_is_bare(const MachineKinds *kinds, uint32_t reg)
{
    return kinds->kind[reg] == MACHINE_UNIFORM || kinds->kind[reg] == MACHINE_LATE;
}

#endif
