/* The parser's state, shared by the files parse_*.c, scope.c and check.c.
 *
 * Recursive descent with one token of lookahead. The first error ends the parse: parser_fail() writes
 * the sentence and jumps back to module_parse(), which frees everything; so every allocation belongs
 * either to the module's arena or to a vector of this struct. */
#ifndef PTX_PARSER_H
#define PTX_PARSER_H

#include <setjmp.h>

#include "base/vec.h"
#include "ptx/lexer.h"
#include "ptx/module.h"

enum {
    MAX_NESTING = 200,     /* scopes, parentheses, operators */
    MAX_DIMENSIONS = 16,
    MAX_OPERANDS = 64,     /* of one instruction, and elements of one vector or address */
    MAX_ARGUMENTS = 4096   /* of one call list */
};
#define MAX_VARIABLE_BYTES ((uint64_t)1 << 32)
#define MAX_INITIALIZER_BYTES ((uint64_t)1 << 28) /* of a whole module */

typedef enum SymbolKind {
    SYMBOL_REGISTER,       /* index; vector: that many registers follow each other */
    SYMBOL_RANGE,          /* .reg .b32 %r<100>: a register is made when its name is first used */
    SYMBOL_VARIABLE, SYMBOL_FUNCTION, SYMBOL_LABEL, SYMBOL_TABLE
} SymbolKind;

/* What a name means in a scope. Symbols of one name form a chain, the innermost first; ranges are
 * chained apart under their prefix. */
typedef struct Symbol {
    uint8_t kind;          /* SymbolKind */
    uint8_t vector;        /* of registers: elements, 1 for a scalar */
    uint16_t depth;        /* of the scope it belongs to; 0 is the module */
    uint16_t type;         /* of registers */
    uint32_t index;        /* register, variable, function, instruction or table number; count of a range */
    uint32_t name;
    uint32_t shadowed;     /* the next of the chain, or NO_INDEX */
    uint32_t next;         /* in its scope's list */
    Place place;
} Symbol;

typedef struct Name { const char *text; uint32_t length; uint32_t symbol, range; } Name;

/* A use of a label, settled at the end of the scope that defines it. Exactly one of `target` and
 * `operand` says where the number goes. */
typedef struct Fixup {
    uint32_t name;
    uint32_t next;         /* in its scope's list */
    uint32_t *target;      /* an entry of a branch table, or null */
    uint32_t operand;
    bool wants_table;
    Place place;
} Fixup;

typedef struct Scope { uint32_t symbols, fixups; bool has_ranges; } Scope;

typedef struct Alias { uint32_t alias, target; } Alias; /* function numbers */

/* Everything about an opcode's spelling, found out once per module. */
typedef struct Opcode {
    const char *text;      /* add.s32 */
    const char *mnemonic;  /* add */
    const struct OperandRule *rule; /* see check.h; null: no types to check */
    const char *problem;   /* of its suffixes, completes "'add.s32' ..."; null: none */
    uint32_t row;
    uint32_t first_mod;    /* in opcode_mods */
    uint8_t mod_count;
    Type first_type, last_type;
} Opcode;

/* What a .loc says. A location's caller comes before it, so that following callers ends. */
typedef struct Location {
    SourcePlace place;
    uint32_t caller; /* number of the location at which its function was called, from 1; 0: none */
} Location;

typedef struct Parser {
    Lexer lexer;
    Token token;           /* the next one */
    Place last_place;      /* where the token before it ended */
    int last_token;        /* what that was */
    Module *module;
    Error *error;
    jmp_buf escape;
    jmp_buf *body_escape;  /* out of the function being read, or null */
    bool is_unknown;       /* what is being read may be PTX that is not known yet: an error in it is the
                              function's, not the module's */
    const char *unknown_line; /* the sentence of the first line at module scope that is not known, or null */
    unsigned nesting;
    uint64_t initializer_bytes; /* of all variables so far */
    VEC(uint8_t) bytes;    /* of the initializer being read */
    VEC(Relocation) relocations;
    VEC(Variable) formals; /* of the function header or prototype being read */

    Map names;
    VEC(Name) name_list;
    VEC(Symbol) symbols;
    uint32_t free_symbol;  /* list of symbols of closed scopes, by next */
    VEC(Fixup) fixups;
    Scope scopes[MAX_NESTING + 1];
    unsigned depth;        /* the innermost scope; 0 is the module */
    unsigned range_depth;  /* the innermost scope that has ranges, or 0 */

    Map opcodes;
    VEC(Opcode) opcode_list;
    VEC(Mod) opcode_mods;

    VEC(Variable) variables;
    VEC(Function) functions;
    VEC(Alias) aliases;
    VEC(const char *) files;
    VEC(Location) locations;
    Map location_numbers;  /* by the bytes of a SourcePlace, of the last location that has it */

    /* the function being read */
    uint32_t function;     /* its number, or NO_INDEX */
    VEC(Register) registers;
    VEC(PtxInsn) insns;
    VEC(PtxOperand) operands;
    VEC(Mod) mods;
    VEC(Table) tables;
    VEC(PtxOperand) elements; /* of vectors and lists not yet closed */
    uint32_t location;     /* number of what the last .loc said, from 1; 0: nothing yet */
} Parser;

/* parser.c */
_Noreturn void parser_fail(Parser *parser, Place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected <what>, found <the token>" */
_Noreturn void parser_expected(Parser *parser, const char *what);
/* The same as text, "found" included, that the module keeps: for what is no error yet. */
const char *parser_unknown(Parser *parser, const char *what);
void parser_advance(Parser *parser);
bool parser_accept(Parser *parser, int kind);
bool parser_accept_directive(Parser *parser, const char *text);
/* `what` completes the sentence "expected ..., found ...". */
void parser_expect(Parser *parser, int kind, const char *what);
uint64_t parser_expect_integer(Parser *parser, uint64_t most, const char *what);
/* A name: its number among the interned ones. */
uint32_t parser_expect_name(Parser *parser, const char *what);
Type parser_expect_type(Parser *parser);
/* The type that the token names, or MOD_NONE. */
Type parser_type(const Token *token);
void parser_enter(Parser *parser);
void parser_leave(Parser *parser);
/* Skips "( ... )" or "{ ... }", brackets inside included. */
void parser_skip_brackets(Parser *parser, int open, int close);

/* scope.c */
uint32_t name_intern(Parser *parser, const char *text, size_t length);
const char *name_text(Parser *parser, uint32_t name);
void scope_open(Parser *parser);
void scope_close(Parser *parser);
void scope_abandon(Parser *parser);
/* Adds a symbol to a scope; fails if the scope has the name already. */
void scope_declare(Parser *parser, unsigned depth, uint32_t name, Symbol symbol);
/* The innermost meaning of a name, or null. Valid until the next declaration. */
const Symbol *scope_find(Parser *parser, uint32_t name);
/* The meaning in exactly this scope, or null. */
const Symbol *scope_find_at(Parser *parser, uint32_t name, unsigned depth);
void scope_refer(Parser *parser, Fixup fixup);
uint32_t scope_add_registers(Parser *parser, uint32_t name, Type type, unsigned vector);

/* parse_header.c: behind the directive */
void parse_version(Parser *parser);
void parse_target(Parser *parser);
void parse_address_size(Parser *parser);

/* parse_module.c */
void parse_pragma(Parser *parser);
void parse_file(Parser *parser);
void parse_section(Parser *parser);

/* parse_variable.c */
typedef struct Linkage { bool is_extern, is_visible, is_weak, is_common, is_managed; } Linkage;
/* ".align 8 .v2 .f32": what stands before the names of a declaration. */
typedef struct Declaration { Type type; uint32_t align; unsigned vector; bool is_managed; } Declaration;
/* The sizes of an array, outermost first; an open first one is 0. */
typedef struct Dimensions { uint64_t sizes[MAX_DIMENSIONS + 1]; unsigned count; } Dimensions;
bool space_of(const Token *token, Space *space);
Linkage parse_linkage(Parser *parser);
/* From the state space on, with its semicolon. */
void parse_variables(Parser *parser, Linkage linkage);
Declaration parse_declaration(Parser *parser);
/* A name and its dimensions: all of a variable but what its linkage and initializer say. */
Variable parse_declarator(Parser *parser, Space space, const Declaration *declaration,
                          Dimensions *dimensions);
/* Any number of .attribute(...); whether .managed is among them. */
bool parse_attributes(Parser *parser);

/* parse_initializer.c: after the '='. Sets the size of an array with an open dimension. */
void parse_initializer(Parser *parser, Variable *variable, Dimensions *dimensions, unsigned vector);

/* parse_function.c */
void parse_function(Parser *parser, Linkage linkage);
/* "(.param .b32 a, .reg .f32 b)", added to parser->formals. */
void parse_formals(Parser *parser);

/* parse_location.c: after .loc; and when all functions and file names are known */
void parse_location(Parser *parser);
void resolve_locations(Parser *parser);

/* parse_body.c: after the opening brace, with the closing one */
void parse_body(Parser *parser);

/* parse_short.c: the sum of a register and what follows; the moves of a mov.v2 or mov.v4, which `from` is */
PtxOperand parse_sum(Parser *parser, PtxOperand operand);
void parse_vector_move(Parser *parser, const Opcode *opcode, const PtxOperand *operands, const Place *places,
                       unsigned operand_count, const PtxInsn *from);

/* parse_insn.c: from the guard on, or after the mnemonic; with the semicolon */
void parse_guarded_insn(Parser *parser);
void parse_insn(Parser *parser, const Token *mnemonic, uint32_t guard, bool guard_negated);
/* What a spelling means; valid until the next one is looked up. The text must live as long as the module. */
const Opcode *find_opcode(Parser *parser, const char *text, size_t length);

/* parse_operand.c. A label operand's index is the name's number until its fixup is settled. */
PtxOperand parse_operand(Parser *parser, const Opcode *opcode);
PtxOperand parse_call_operand(Parser *parser, const Opcode *opcode);
PtxOperand parse_label_operand(Parser *parser);

/* parse_expression.c */
typedef struct Constant { uint64_t bits; bool is_unsigned; } Constant;
bool expression_begins(const Token *token);
Constant parse_expression(Parser *parser);

/* check.c */
/* places: of the operands */
void check_insn(Parser *parser, const PtxInsn *insn, const Opcode *opcode, const Place *places);
const char *check_suffixes(const char *mnemonic, RowId row, const Mod *mods, unsigned mod_count);
const struct OperandRule *check_rule(const char *mnemonic, const Mod *mods, unsigned mod_count);

#endif
