/* A program: one kernel and every function it can reach, linked and ready to run.
 *
 * The parsed module says what was written; a program says what runs: rows looked up, virtual registers
 * mapped to slots, labels to code indices, variables to addresses, immediates spread over lanes. The
 * code of all functions is one array, so that a program counter is one number. */
#ifndef EXEC_PROGRAM_H
#define EXEC_PROGRAM_H

#include "base/arena.h"
#include "isa/isa.h"
#include "ptx/flow.h"
#include "ptx/module.h"

typedef struct Intrinsic Intrinsic;

/* The system's part of a block's shared memory, at its beginning; there only for programs that read the
 * %reserved_smem registers (cooperative groups larger than a warp keep their state in it). */
enum { RESERVED_SHARED_BYTES = 1024 };

typedef enum OperandKind {
    OPERAND_NONE,      /* left out, or _ */
    OPERAND_REGISTER,  /* slot */
    OPERAND_PREDICATE, /* slot: predicate number */
    OPERAND_IMMEDIATE, /* value, and slot: 8-byte units into the program's constants (LANES copies) */
    OPERAND_SPECIAL,   /* slot: SpecialRegister */
    OPERAND_LOCAL,     /* value: offset in the frame's local memory; the operand is that local address */
    OPERAND_PARAM      /* value: offset in the frame's parameter area (call arguments and results) */
} OperandKind;

/* One scalar operand. bytes is the size of one lane: 4 or 8 (16 for .b128, 0 for predicates). */
typedef struct Operand {
    uint8_t kind;
    uint8_t bytes;
    bool negated;      /* !p */
    uint32_t slot;
    uint32_t offset;   /* bytes to lane 0 from frame->words (register) or program->constants (immediate) */
    int64_t value;
} Operand;

/* One instruction ready to run.
 *
 * op[] are the PTX operands in order, vectors and pairs flattened; operand k of the text begins at
 * op[begin[k]] and has begin[k + 1] - begin[k] entries. A memory operand is one entry, its base
 * (register, immediate, special, local or parameter); the offset added to it is `displacement`. */
typedef struct Insn {
    LaneFn *lane;          /* of ACTION_LANE */
    const Operand *op;
    uint16_t row;
    uint8_t action;        /* Action */
    uint8_t unit;          /* Unit */
    uint8_t shape;         /* of ACTION_LANE: Shape, exec/lanes.h */
    uint8_t bytes[5];      /* of ACTION_LANE: bytes of a lane that result and sources must have; 0: any */
    uint8_t operand_count; /* PTX operands */
    uint8_t begin[7];      /* begin[operand_count] is the number of entries of op[] */
    bool guard_negated;
    bool polls;            /* reads what other threads may be about to write: a loop of it may be a wait */
    uint32_t guard;        /* predicate number, or NO_INDEX */
    LaneMods mods;
    /* memory: */
    uint8_t space;         /* Space; SPACE_GENERIC where the address decides */
    uint8_t element_bytes; /* of one element of the vector */
    uint8_t vector;        /* elements, 1 for a scalar */
    bool sign_extend;
    uint32_t aux;          /* what further suffixes say, made by access_aux(): exec/access.h */
    int64_t displacement;
    /* control: */
    uint32_t target;       /* code index of a branch or direct call; table number of brx.idx */
    uint32_t reconverge;   /* code index where lanes that part here meet, or FLOW_AT_RETURN */
    const struct Call *call;
    const void *detail;    /* of matrix instructions: what matrix_decode() made of the suffixes; of loads and
                              stores that copy into shared memory: exec/shared_copies.h */
    /* where it comes from: */
    uint32_t function;     /* number in program->functions */
    const PtxInsn *ptx;
} Insn;

/* How an argument or result of a call travels: from an operand of the caller to a place of the callee
 * (or back for results). Both sides are either bytes of a parameter area or a register. */
typedef struct CallValue {
    Operand outside;       /* caller: OPERAND_PARAM, _REGISTER, _IMMEDIATE or _SPECIAL */
    uint32_t bytes;
} CallValue;

typedef struct Call {
    const CallValue *arguments, *results;
    uint32_t argument_count, result_count;
    uint32_t target;       /* number in program->functions; NO_INDEX: indirect or intrinsic */
    const Intrinsic *intrinsic; /* an extern function that a unit answers; null otherwise */
    const char *name;      /* of an extern function, for sentences */
    const Operand *pointer;/* of an indirect call: the function address; null otherwise */
} Call;

/* A function as linked. `function` is the module's or, where the order of the text was changed, a copy of it.
 * Parameters and results of the callee's side: place by place, in order. */
typedef struct ProgramFunction {
    const Function *function;
    const Module *module;
    const Flow *flow;
    uint32_t first, count;      /* its code */
    uint64_t address;           /* what a pointer to it holds */
    uint32_t slot_count, predicate_count;
    uint32_t local_bytes;       /* .local variables of one frame */
    uint32_t param_bytes;       /* parameter area of one frame, per lane: own formals and outgoing values */
    const Operand *parameters, *results; /* OPERAND_PARAM or OPERAND_REGISTER */
    const uint32_t *parameter_bytes, *result_bytes;
    uint32_t parameter_count, result_count;
} ProgramFunction;

/* Where a formal parameter of the kernel lies in the launch's parameter buffer. */
typedef struct KernelParameter { uint32_t offset, bytes; } KernelParameter;

typedef struct BranchTable { const uint32_t *targets; uint32_t count; } BranchTable;

/* Invariant: function 0 is the kernel. code[] ends with an exit after each function's last
 * instruction, so that running off the end of a body ends the thread or returns. */
typedef struct Program {
    Arena arena;
    const Module *module;
    const char *name;
    Insn *code;
    uint32_t code_count;
    uint32_t width;                 /* lanes of a warp that operand offsets are made for */
    uint32_t target;                /* that of the LinkEnvironment */
    bool contracts;                 /* that of the LinkEnvironment */
    ProgramFunction *functions;
    uint32_t function_count;
    const BranchTable *tables;
    const uint64_t *constants;      /* immediates, LANES copies each */
    const uint32_t *by_module_index;/* [module function number] -> program function number or NO_INDEX */
    KernelParameter *parameters;
    uint32_t parameter_count, parameter_bytes;
    uint32_t shared_bytes;          /* static */
    uint32_t dynamic_shared_offset; /* where extern shared arrays begin */
    uint32_t local_bytes;           /* per thread, for the deepest chain of calls (recursion counted once) */
    uint32_t static_local_bytes;    /* of it, below all frames: .local variables at module scope */
    uint32_t registers;             /* per thread */
    bool recursive;
    bool syncs;                     /* it can reach a call that all blocks of its launch have to make */
    bool yields;                    /* it can reach a call by which its wavefronts leave their SM */
    struct LiveTable *live;         /* which registers are live where: exec/context.h */
    const struct ProgramCopies *copies; /* of shared memory that repeats global memory; null: none known */
} Program;

/* What the linker asks of its surroundings: the device address of a module variable, of a function. */
typedef struct LinkEnvironment {
    const char *name;               /* of the kernel, for people; null: as in the module */
    uint64_t (*variable_address)(void *context, uint32_t variable);
    uint64_t (*function_address)(void *context, uint32_t function);
    const Intrinsic *(*intrinsic)(void *context, const char *name);
    void *context;
    uint32_t width;                 /* lanes of a warp: 32 or 64 */
    uint32_t target;                /* such as 90: instructions stand in the order that an assembler for such
                                       GPUs gives them (ptx/schedule.h); 0: in that of the text */
    bool contracts;                 /* products and sums become multiply-adds as an assembler makes them:
                                       ptx/contract.h */
} LinkEnvironment;

/* Links kernel `entry` of the module. Fails with WB_ERROR_UNSUPPORTED and the sentence for the first
 * reachable instruction that no row knows, and for extern functions that nobody answers. */
WbStatus program_link(const Module *module, uint32_t entry, const LinkEnvironment *environment,
                      Program **program, Error *error);
void program_free(Program *program);

#endif
