/* The linker's own state; program.h is what others see. Its files follow the order of the work:
 * reach.c finds the functions, layout.c places their variables, insn.c, call.c and
 * operand.c write the code, copies.c marks some of it, program.c drives them. */
#ifndef EXEC_LINK_LINK_H
#define EXEC_LINK_LINK_H

#include "base/vec.h"
#include "exec/program.h"

/* Where a variable of the module lies for this program. */
typedef struct Placement {
    bool placed;
    uint32_t offset;   /* in shared memory, in the frame's local memory, in the parameter area or buffer */
    uint32_t life;     /* of a call value: its place in the list of lives + 1 */
    bool in_local;     /* a function's parameter whose address is taken: in the frame's local memory */
} Placement;

typedef struct Linker {
    const Module *module;
    uint32_t entry;
    const LinkEnvironment *environment;
    Program *program;
    Arena *arena;            /* the program's */
    Error *error;
    Placement *placements;   /* [variable_count] */
    uint32_t *numbers;       /* [function_count] program function number or NO_INDEX */
    VEC(uint32_t) reached;   /* module function numbers, in the order of program->functions */
    VEC(uint64_t) constants;
    VEC(uint32_t) constant_index; /* open-addressed table over constants: index + 1 */
    VEC(BranchTable) tables;
    bool indirect;           /* some reachable call goes through a pointer */
    uint32_t static_local;   /* bytes of .local variables at module scope, below all frames */
} Linker;

/* One function being written: the instruction it is at. */
typedef struct Writer {
    Linker *linker;
    uint32_t number;
    ProgramFunction *to;
    const Function *function;
    const PtxInsn *ptx;
    Insn *insn;
    Type first_type, last_type;
    VEC(Operand) operands; /* of the current instruction */
} Writer;

static inline const PtxOperand *link_operand_at(const Writer *writer, unsigned k)
{
    return &writer->function->operands[writer->ptx->first_operand + k];
}

WbStatus link_reach(Linker *linker);
WbStatus link_layout(Linker *linker);
/* Fills program->functions[number].first .. and its part of program->code. */
WbStatus link_function(Linker *linker, uint32_t number);

/* Marks what fills shared memory with copies, in code that is written; copies.c. */
void link_copies(Linker *linker);

/* Writes a call instruction; call.c. */
WbStatus link_call(Writer *writer);
/* Fills the parameters and results that callers of the function see. */
void link_formals(Writer *writer);

/* Turns one scalar PTX operand into an Operand. `bytes` is the lane size that an immediate must have
 * (4 or 8), `type` the instruction's type that gives a floating literal its format. */
WbStatus link_operand(Linker *linker, uint32_t number, const PtxInsn *insn, const PtxOperand *from,
                      unsigned bytes, Type type, Operand *to);
/* Offset in bytes, from the program's constants, of LANES copies of the value. */
uint32_t link_constant(Linker *linker, uint64_t value, unsigned bytes);

WbStatus link_error(Linker *linker, uint32_t number, const PtxInsn *insn, WbStatus status, const char *format,
                    ...) __attribute__((format(printf, 5, 6)));

/* As the module has it; once functions are analysed, with its instructions in the order in which they run. */
static inline const Function *link_function_of(const Linker *linker, uint32_t number)
{
    const ProgramFunction *functions = linker->program->functions;
    return functions ? functions[number].function : &linker->module->functions[linker->reached.items[number]];
}

static inline uint32_t link_align(uint64_t value, uint32_t alignment)
{
    alignment = alignment ? alignment : 1;
    return (uint32_t)((value + alignment - 1) / alignment * alignment);
}

#endif
