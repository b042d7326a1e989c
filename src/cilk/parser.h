/* The parser's state, and the functions of its files. Expressions are checked as they are made.
 *
 * The first error is the only one: from then on the next token is always the last, TK_END, so that all loops
 * end, and expressions that could not be made are `bad`, an int that fits everywhere. */
#ifndef CILK_PARSER_H
#define CILK_PARSER_H

#include "base/map.h"
#include "base/vec.h"
#include "cilk/lexer.h"

typedef enum SymbolKind {
    SYMBOL_VARIABLE, SYMBOL_FUNCTION, SYMBOL_TYPE, SYMBOL_NUMBER, SYMBOL_TAG
} SymbolKind;

/* What a name means. Tags of structs, unions and enumerations have names of their own. */
typedef struct Symbol {
    SymbolKind kind;
    uint32_t name;           /* its number */
    uint32_t scope;          /* blocks around it; 0: the file */
    CilkPlace place;
    struct Symbol *hidden;   /* what the name means outside of this block; null: nothing */
    union {
        CilkVariable *variable;
        CilkFunction *function;
        const CilkType *type;
        int64_t number;      /* of an enumeration: an int */
        CilkRecord *record;  /* of a tag; null: an enumeration's */
    };
} Symbol;

typedef struct Name {
    const char *text;
    Symbol *meaning, *tag;   /* innermost; null: none */
} Name;

/* One function calls or spawns another. */
typedef struct CallEdge {
    CilkFunction *from, *to;
    CilkPlace place;
} CallEdge;

/* Statements in order. */
typedef struct StatementList {
    CilkStatement *first, *last;
} StatementList;

/* The switch around a statement. */
typedef struct Switch {
    VEC(int64_t) values;
    const CilkType *type;
    bool has_default;
    uint32_t nesting;        /* of its block: cases stand in no other */
} Switch;

typedef struct Parser {
    CilkProgram *program;
    Error *error;
    const bool *has_header;  /* of those in headers.def */
    const Token *first, *at;
    const Token *end;        /* the last, of kind TK_END */
    Map numbers;             /* of names */
    VEC(Name) names;
    VEC(Symbol *) open;      /* symbols of all open scopes, innermost last */
    VEC(uint32_t) scopes;    /* where each begins in it */
    VEC(CilkFunction *) functions;
    VEC(CilkVariable *) globals;
    VEC(CallEdge) calls;
    CilkRecord *last_record;
    CilkFunction *function;  /* around the statement; null: none */
    Switch *around;          /* null: none */
    uint32_t loops;          /* around the statement, for continue */
    uint32_t breakable;      /* loops and switches, for break */
    uint32_t nesting;        /* of statements, declarators, unary expressions and initializers */
    uint32_t blocks;         /* around the statement, for cases */
    uint64_t initial_bytes;  /* of globals */
    CilkExpression bad;
} Parser;

/* parser.c */
void cilk_fail(Parser *parser, CilkPlace place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool cilk_has_failed(const Parser *parser);
bool cilk_accept(Parser *parser, TokenKind kind);
/* The sentence says what is expected: "a semicolon". */
void cilk_expect(Parser *parser, TokenKind kind, const char *what);
/* A name, which is taken in; where there is none, a sentence and an empty one. */
const char *cilk_take_name(Parser *parser, const char *what, CilkPlace *place);
/* False: nested too deeply. cilk_leave() follows in any case. */
bool cilk_enter(Parser *parser);
void cilk_leave(Parser *parser);

/* scope.c */
void cilk_open_scope(Parser *parser);
void cilk_close_scope(Parser *parser);
/* What a name means, or null. */
Symbol *cilk_find_symbol(Parser *parser, const char *name, size_t length);
Symbol *cilk_find_tag(Parser *parser, const char *name);
/* A new meaning of the name in the innermost scope; null: it has one there already, or may not be used. */
Symbol *cilk_declare(Parser *parser, SymbolKind kind, const char *name, CilkPlace place);
CilkVariable *cilk_new_variable(Parser *parser, CilkFunction *function, const char *name,
                                const CilkType *type, CilkPlace place);
/* The sentence about a name that means nothing. */
void cilk_fail_unknown(Parser *parser, const Token *name);
/* Gives all locals names of their own. */
void cilk_make_names_unique(Parser *parser);

/* make.c: expressions. */
CilkExpression *cilk_make(Parser *parser, CilkExpressionKind kind, CilkPlace place, const CilkType *type,
                          CilkExpression *left, CilkExpression *right);
CilkExpression *cilk_make_integer(Parser *parser, CilkPlace place, CilkTypeKind type, uint64_t value);
CilkExpression *cilk_make_variable(Parser *parser, CilkPlace place, CilkVariable *variable);
CilkExpression *cilk_make_unary(Parser *parser, CilkPlace place, CilkOperator operator, CilkExpression *of);
CilkExpression *cilk_make_cast(Parser *parser, CilkPlace place, const CilkType *type, CilkExpression *of);
CilkExpression *cilk_make_conditional(Parser *parser, CilkPlace place, CilkExpression *condition,
                                      CilkExpression *left, CilkExpression *right);
CilkExpression *cilk_make_index(Parser *parser, CilkPlace place, CilkExpression *left, CilkExpression *index);
CilkExpression *cilk_make_member(Parser *parser, CilkPlace place, CilkExpression *left, const char *name,
                                 bool is_arrow);
CilkExpression *cilk_member_of(Parser *parser, CilkPlace place, CilkExpression *left,
                               const CilkMember *member);
/* make_binary.c */
CilkExpression *cilk_make_binary(Parser *parser, CilkPlace place, CilkOperator operator, CilkExpression *left,
                                 CilkExpression *right);
CilkExpression *cilk_make_assignment(Parser *parser, CilkPlace place, CilkOperator operator,
                                     CilkExpression *left, CilkExpression *right);
/* convert.c: the expression as a value of the type, as by assignment; `what` names it: "the argument". */
CilkExpression *cilk_convert(Parser *parser, CilkExpression *from, const CilkType *to, const char *what);
/* The type of the expression's value. An array's is a pointer: then its variable's address is known. */
const CilkType *cilk_value_of(Parser *parser, CilkExpression *expression);
bool cilk_is_null(const CilkExpression *expression);
void cilk_take_address(CilkExpression *expression);
bool cilk_is_place(const CilkExpression *expression); /* it can be assigned to, but for const */
/* Of a condition: a number or a pointer. */
CilkExpression *cilk_check_condition(Parser *parser, CilkExpression *expression);
const char *cilk_type_text(Parser *parser, const CilkType *type);

/* parse_call.c */
CilkExpression *cilk_parse_call(Parser *parser, const Token *name);
CilkExpression *cilk_parse_spawn(Parser *parser);
/* parse_expression.c */
CilkExpression *cilk_parse_expression(Parser *parser);
CilkExpression *cilk_parse_assignment(Parser *parser); /* no comma */
int64_t cilk_parse_constant(Parser *parser, const char *what);
/* parse_type.c */
typedef struct Specifiers {
    const CilkType *type;
    bool is_typedef, is_static, is_extern;
} Specifiers;
bool cilk_begins_type(Parser *parser);
void cilk_parse_specifiers(Parser *parser, Specifiers *specifiers);
const CilkType *cilk_parse_type_name(Parser *parser);
/* parse_record.c: behind struct, union or enum. */
const CilkType *cilk_parse_record(Parser *parser, bool is_union);
const CilkType *cilk_parse_enumeration(Parser *parser);
/* parse_declarator.c */
typedef struct Parameter {
    const char *name;        /* empty: none */
    const CilkType *type;
    CilkPlace place;
} Parameter;
typedef struct Declarator {
    const char *name;        /* empty: none, which a type's name has */
    CilkPlace place;
    const CilkType *type;    /* of a function: what it returns */
    bool is_function;
    bool is_open_array;      /* [] without a number; the type is an array of 0 */
    VEC(Parameter) parameters;
} Declarator;
void cilk_parse_declarator(Parser *parser, const CilkType *base, Declarator *declarator);
/* parse_initializer.c: what stands behind = of a local, as assignments, or of a global, as bytes. */
void cilk_parse_initializer(Parser *parser, CilkVariable *variable, bool is_open_array, StatementList *list);
/* zeros.c: assignments of zero to all of it; and how many numbers and pointers that are. */
void cilk_fill_zeros(Parser *parser, CilkExpression *place, StatementList *list);
uint64_t cilk_count_scalars(const CilkType *type);
/* The first assignment to a place, which may be const. */
void cilk_initialize(Parser *parser, CilkExpression *place, CilkExpression *value, StatementList *list);
/* parse_declaration.c */
void cilk_parse_declaration(Parser *parser, StatementList *list); /* of locals */
void cilk_parse_file(Parser *parser);
bool cilk_parse_static_assert(Parser *parser); /* false: none stands here */
/* statement.c */
CilkStatement *cilk_new_statement(Parser *parser, CilkStatementKind kind, CilkPlace place);
void cilk_append(StatementList *list, CilkStatement *statement);
void cilk_append_expression(Parser *parser, StatementList *list, CilkExpression *expression);
/* One statement of all in the list: itself, or a block. */
CilkStatement *cilk_one_statement(Parser *parser, const StatementList *list, CilkPlace place);
/* parse_statement.c: behind its brace; opens no scope. */
CilkStatement *cilk_parse_block(Parser *parser, CilkPlace place);
/* tasks.c: which functions are tasks, and statements for their calls. */
void cilk_find_tasks(Parser *parser);

#endif
