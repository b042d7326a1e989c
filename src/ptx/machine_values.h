/* What a function's values are in machine code, as far as the number of registers asks: which instructions
 * remain, and which values they read and write that need registers.
 *
 * machine_kinds.c     which values need no register
 * machine_values.c    from PTX to such operations
 * machine_debug.c     the same for debuggers
 * machine_color.c     registers for them */
#ifndef PTX_MACHINE_VALUES_H
#define PTX_MACHINE_VALUES_H

#include "base/vec.h"
#include "ptx/flow_live.h"

typedef struct MachineAccess {
    uint32_t value;
    bool is_write, is_definite;
} MachineAccess;

/* Accesses begin .. of the list up to those of the next operation, reads first. */
typedef struct MachineOp {
    uint32_t begin;
    uint32_t block;
    uint8_t temporaries; /* words that it needs for itself */
    bool is_call;
} MachineOp;

/* Values are the function's registers and, behind them, constants that stand in a register for a while. */
typedef struct MachineCode {
    VEC(MachineOp) ops;   /* one more than there are, for its `begin` */
    VEC(MachineAccess) accesses;
    VEC(uint8_t) words;   /* [value] */
    VEC(bool) is_odd;     /* [value] used beside a pair: an odd register is in the other bank */
    bool is_older;        /* for a GPU before Ampere */
    uint32_t last;        /* the value that gets what the others have left; 0: none */
} MachineCode;

/* Eager: constants get into registers early and stay there in loops, as long as there are enough. */
void machine_values(const Module *module, const Function *function, const FlowLive *live, uint32_t target,
                    bool is_eager, MachineCode *code);
void machine_debug_values(const Function *function, const FlowLive *live, MachineCode *code);
void machine_free(MachineCode *code);

/* The highest register of an assignment, plus 1; 0 where the function is too large to be looked at. */
uint32_t machine_color(const MachineCode *code, const FlowGraph *graph);

#endif
