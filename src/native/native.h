/* Native mode: what the GPU's assembler makes of a program.
 *
 * native.c        one PTX instruction at a time, by table.def and by rules for what it cannot hold
 * fuse.c   instructions of a basic block that become one: multiply-add, shift-add, three-input logic
 * move.c, constant.c, fragment.c   moves, constants that are no operands, matrices
 * compare.c       comparisons that another one has answered, or that stay the same in a loop
 * steps.c         the order of those that an instruction becomes
 * occupy.c        the units that it needs
 * vector.c shared loads that become one vector load
 * pointer.c       pointers that step in loops
 * flow.c   branches: convergence barriers, prologue
 * parameter.c   loads of parameters from the constant bank
 *
 * The facts come from the assembler itself: docs/NATIVE.md says how. */
#ifndef NATIVE_NATIVE_H
#define NATIVE_NATIVE_H

#include "native/work.h"

/* Replaces the numbers of PTX mode by those of the machine instructions; insns[i] is for program->code[i]. */
void native_lower(const Program *program, const GpuConfig *config, InsnTiming *insns);

/* -- between its files -- */

/* What became of one instruction: the machine instructions, and of them those that a dependent instruction
 * waits for. */
typedef struct NativeForm {
    WorkList slots, chain;
    bool skips_unit;   /* a memory instruction that became a copy between registers, or an operand */
    uint16_t latency;  /* of a load that comes with another one; 0: that
                            of the chain */
    bool comes_along;  /* of a load that comes with another one: in its pass, if few lanes differ */
    bool reads_parameters; /* as operands, or in registers that it loads */
    bool jumps_freely; /* a branch to the next instruction */
    uint16_t wait;     /* cycles that its result comes later because of a constant that it waits for */
    uint8_t bank_reads; /* constants that its block loads, where it is the first of the block */
    uint8_t bank_place; /* which of them it waits for, if it `awaits_bank` */
    bool awaits_bank;
    uint16_t tail;     /* cycles of what a warp does before and behind an access that gives a result */
    uint8_t lead;      /* cycles that a convergence barrier before it takes beyond its slot */
} NativeForm;

/* What is known of a virtual register of a function. */
typedef struct NativeRegister {
    uint32_t uses, definitions;
    bool is_guard;       /* of some instruction */
    uint32_t definition; /* the last instruction that writes it */
    bool is_divergent;   /* lanes of a warp may differ */
    bool is_double;      /* arithmetic on doubles reads it */
} NativeRegister;

/* A function being lowered; instruction numbers count from its first one. */
typedef struct NativeFunction {
    const Program *program;
    const GpuConfig *config;
    const Function *function;
    uint32_t number;   /* of the function */
    uint32_t first;    /* its first instruction in program->code */
    const Insn *code;  /* [count] */
    uint32_t count;    /* the end marker included */
    NativeForm *forms; /* [count] */
    uint32_t *block;   /* [count] basic block */
    uint32_t *loop;    /* [count] first instruction of the innermost loop around it, or NO_INDEX */
    NativeRegister *registers;
    bool is_hopper; /* compute capability 9.0 or later: second columns of the table */
} NativeFunction;

enum { NATIVE_HOPPER = 90, NATIVE_AMPERE = 80 };

/* One instruction of this kind; none. */
NativeForm native_single(Work work);
NativeForm native_copies(void);
/* "i1" for both. */
NativeForm native_form_of(const char *slots, const char *chain);
/* The virtual register that PTX operand k of the instruction is, or NO_INDEX. */
uint32_t native_register(const NativeFunction *f, const Insn *insn, unsigned k);
bool native_is_immediate(const Insn *insn, unsigned k);

/* Instructions that bring a constant operand into a register, of those that have no room for it: 0 for all
 * others. */
unsigned native_constant_words(const NativeFunction *f, const Insn *insn, unsigned k);
/* The same of what a store or atomic writes, which must be in a register; zero is there always. */
unsigned native_stored_constants(const NativeFunction *f, const Insn *insn);
/* The same of all that an arithmetic instruction has. */
unsigned native_extra_constants(const NativeFunction *f, const Insn *insn);
/* A machine instruction has room for a constant, which is then not read from the register file. */
void native_inline_constant(const NativeFunction *f, const Insn *insn, InsnTiming *to);
/* Of an instruction that becomes many, each is given its own time: steps.c. */
void native_find_steps(const NativeForm *form, const GpuConfig *config, InsnTiming *to);
/* Whether arithmetic on doubles reads the register. */
bool native_is_double(const NativeFunction *f, uint32_t reg);

NativeForm native_lower_move(const NativeFunction *f, const Insn *insn);
NativeForm native_lower_fragment(const Insn *insn);
NativeForm native_lower_product(const Insn *insn);

/* What issues for the instruction; of a list that is too long, as many as are issued. */
void native_mix_slots(const Insn *insn, const NativeForm *form, const GpuConfig *config, InsnTiming *to);
/* Its pipe and for how long. */
void native_occupy(const Insn *insn, const NativeForm *form, const GpuConfig *config, InsnTiming *to);

void native_fuse(NativeFunction *f);
/* Whether a comparison before it in its block says the same or the opposite: compare.c. */
bool native_is_answered(const NativeFunction *f, uint32_t i);
/* Makes comparisons that say the same in every round before their loop. After native_fuse(). */
void native_hoist_comparisons(NativeFunction *f);
void native_vectorize(NativeFunction *f);
/* After native_fuse(). */
void native_copy_pointers(NativeFunction *f);
/* Which registers lanes may differ in; needs `block`. */
void native_find_divergence(NativeFunction *f);
/* After the two above. */
void native_flow(NativeFunction *f);
/* Parameters of the kernel are loaded where they are needed. */
void native_move_parameters(NativeFunction *f);

#endif
