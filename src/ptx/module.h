/* A parsed PTX module: what the text says, names resolved, nothing laid out yet.
 *
 * The parser fills it, flow.h analyses its functions, and exec/program.h links one kernel and all it
 * can reach into code that runs. All memory belongs to the module's arena. */
#ifndef PTX_MODULE_H
#define PTX_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "isa/isa.h"

typedef enum Space {
    SPACE_GENERIC, SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST, SPACE_PARAM, SPACE_REG, SPACE_TEXTURE
} Space;
const char *space_name(Space space);

/* Special registers; the components of a vector one follow each other (x, y, z). */
typedef enum SpecialRegister {
#define SPECIAL(identifier, spelling, bits) SPECIAL_##identifier,
#include "ptx/special.def"
#undef SPECIAL
    SPECIAL_COUNT
} SpecialRegister;
unsigned special_bits(SpecialRegister special);

/* A place in the PTX text; columns count from 1. */
typedef struct Place { uint32_t line, column; } Place;

/* A place in the CUDA source, from .loc; line 0: none known. */
typedef struct SourcePlace { uint32_t file, line, column; } SourcePlace;

/* An address inside an initializer: `bytes` bytes at `offset` of the variable take the address of a
 * variable or function plus addend, shifted right by `shift` bits (nvcc writes 0xFF00(name) for single
 * bytes). `generic`: the generic address is meant, not the one inside the target's space. */
typedef struct Relocation {
    uint64_t offset;
    int64_t addend;
    uint32_t target;
    bool is_function, generic;
    uint8_t bytes, shift;
} Relocation;

/* A variable of any scope, or a parameter. `function` is the owner's number, or NO_INDEX at module
 * scope. size is in bytes; an extern array without size (dynamic shared memory) has size 0. */
typedef struct Variable {
    const char *name;
    Space space;
    Type type;
    uint64_t size;
    uint32_t align;
    uint32_t function;
    bool is_extern, is_visible, is_weak, is_common, is_array;
    uint8_t vector;      /* of a formal in registers: as many in a row are one vector; 0: not its first */
    bool is_managed;     /* in memory that host and device reach at the same address */
    const uint8_t *init; /* `size` bytes, or null: zero */
    const Relocation *relocations;
    uint32_t relocation_count;
    Place place;
} Variable;

#define NO_INDEX UINT32_MAX

/* A virtual register as declared. */
typedef struct Register { const char *name; Type type; } Register;

typedef enum PtxOperandKind {
    PTX_REGISTER,  /* index: register of the function; negated: !p; selector: in video instructions;
                      minus: there, and in multiply-adds that contract.h made, of constants too */
    PTX_INTEGER,   /* value: the bits, sign-extended to 64 */
    PTX_FLOAT32,   /* value: bits of an 0f literal */
    PTX_FLOAT64,   /* value: bits of an 0d or decimal literal */
    PTX_SPECIAL,   /* index: SpecialRegister */
    PTX_VARIABLE,  /* index: variable; value: addend. Its address, or itself in a call list */
    PTX_FUNCTION,  /* index: function */
    PTX_LABEL,     /* index: instruction number */
    PTX_TABLE,     /* index: branch table, call target list or prototype, by the instruction */
    PTX_ADDRESS,   /* [base + value]: elements hold one operand: register, variable, integer or special */
    PTX_VECTOR,    /* {a, b, c}: elements */
    PTX_PAIR,      /* a|b: elements */
    PTX_LIST,      /* (a, b): arguments or results of a call: elements */
    PTX_SINK       /* _ */
} PtxOperandKind;

/* Elements are function->operands[first] .. [first + count - 1], and are never vectors themselves,
 * except in a PTX_ADDRESS of a texture (not executed yet). */
typedef struct PtxOperand {
    uint8_t kind;
    bool negated;
    uint16_t count;
    uint32_t index;
    uint32_t first;
    uint16_t selector;   /* of isa_selector(), 0: none */
    bool minus;
    int64_t value;
} PtxOperand;

/* One instruction. mods are function->mods[first_mod ..], operands function->operands[first_operand ..]
 * in the order of the text. row is ROW_UNKNOWN where the table has none: the sentence that says so is
 * made when a kernel that can reach it is launched. */
typedef struct PtxInsn {
    uint32_t row;
    uint32_t first_operand, first_mod;
    uint8_t operand_count, mod_count;
    bool guard_negated;
    bool is_absorbed;   /* a product, or its copy, that only multiply-adds used, which compute it
                           themselves: contract.h */
    bool is_free;       /* made by unroll.h where machine code has none */
    bool is_unrolled;   /* a branch that goes back to copies of a loop's body, made by unroll.h */
    uint32_t guard;     /* register number, or NO_INDEX */
    Place place;
    SourcePlace source;
    const char *mnemonic; /* add */
    const char *opcode;   /* add.s32, as written */
} PtxInsn;

/* .branchtargets, .calltargets: instruction or function numbers; .callprototype: see parameters. */
typedef struct Table {
    const char *name;
    uint32_t *targets;
    uint32_t target_count;
    bool names_functions; /* .calltargets */
    /* of a prototype: the sizes of returned values and parameters */
    const Variable *results, *parameters;
    uint32_t result_count, parameter_count;
} Table;

/* Labels are resolved: PTX_LABEL operands hold instruction numbers, and a label at the end of the body
 * is insn_count. Parameters and results are variables of SPACE_PARAM or SPACE_REG; for SPACE_REG ones
 * `parameter_registers` holds the register number (NO_INDEX otherwise). */
typedef struct Function {
    const char *name;
    bool is_entry, is_extern, is_visible, is_weak, has_body;
    uint32_t *results, *parameters;             /* variable numbers */
    uint32_t *result_registers, *parameter_registers;
    uint32_t result_count, parameter_count;
    Register *registers;
    uint32_t register_count;
    PtxInsn *insns;
    uint32_t insn_count;
    PtxOperand *operands;     /* of all instructions, elements included */
    uint32_t operand_count;
    Mod *mods;
    Table *tables;
    uint32_t table_count;
    uint32_t max_threads[3];  /* .maxntid (1s where not given), all 0: none */
    uint32_t required_threads[3]; /* .reqntid, all 0: none */
    uint32_t max_registers;   /* .maxnreg, 0: none */
    uint32_t min_blocks;      /* .minnctapersm, 0: none */
    bool no_return;
    const char *problem;      /* the sentence of what is not known in it; null: nothing */
    Place place;
} Function;

/* Does the instruction carry the suffix? */
static inline bool function_has_mod(const Function *function, const PtxInsn *insn, Mod mod)
{
    for (unsigned i = 0; i < insn->mod_count; i++)
        if (function->mods[insn->first_mod + i] == mod)
            return true;
    return false;
}

/* Whether the instruction is a division or root of which machine code makes branches: those that are rounded
 * exactly, and of integers all but 32 bits without a sign. */
bool function_divides_exactly(const Function *function, const PtxInsn *insn);

/* One of the texts that a linked module was made of (merge.h): where its lines begin in the module's text. */
typedef struct ModulePart { const char *file_name; uint32_t first_line; } ModulePart;

typedef struct Module {
    Arena arena;
    const char *file_name;    /* of a linked module: the first one's, and how many more there are */
    const char *text;         /* a copy, for sentences that quote a line; of a linked module: all of them */
    size_t text_length;
    uint32_t version;         /* 10 * major + minor */
    uint32_t target;          /* 75 for sm_75 */
    Place target_place;       /* of its name */
    bool is_debug;            /* ".target sm_75, debug": an assembler changes nothing */
    uint32_t address_bits;    /* 64 */
    Variable *variables;
    uint32_t variable_count;
    Function *functions;
    uint32_t function_count;
    const char **files;       /* of .file, by number; may hold nulls */
    uint32_t file_count;
    Map function_names, variable_names; /* module scope */
    const ModulePart *parts;  /* of a linked module, in order */
    uint32_t part_count;
} Module;

/* Parses `length` bytes. On failure *module is null and the sentence names file, line, column, what was
 * expected, and quotes the line. */
WbStatus module_parse(const char *file_name, const char *text, size_t length, Module **module, Error *error);
void module_free(Module *module);

/* The file that a line of the module's text is in, and its number there. */
const char *module_file(const Module *module, uint32_t line, uint32_t *file_line);
/* The line of PTX text at a place, without its end; for error sentences. */
const char *module_line(const Module *module, uint32_t line, size_t *length);
/* "file.ptx:12:5" or, with .loc, "file.ptx:12:5 (source.cu:7)"; written to buffer. */
const char *module_place_text(const Module *module, const PtxInsn *insn, char *buffer, size_t size);
uint32_t module_find_function(const Module *module, const char *name);
uint32_t module_find_variable(const Module *module, const char *name);

#endif
