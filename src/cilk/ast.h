/* What a Cilk program says, once it has been read and checked: a C subset with cilk_spawn and cilk_sync.
 *
 * Names are resolved, every expression has its type, and what is only another way to write something is gone:
 *
 *   typedefs, enumerations, sizeof, static_assert   types and numbers
 *   initializers of locals        assignments, in the order in which they stand, at their place
 *   initializers of globals       bytes, as they lie in memory
 *   blocks' own names             every local has a name of its own within its function
 *   conversions by assignment, argument, return and initializer      casts
 *   x = cilk_spawn f(y), T x = cilk_spawn f(y), cilk_spawn f(y)      CILK_SPAWN
 *   calls of tasks                CILK_CALL_TASK: a task is called in a statement of its own
 *
 * Types have the sizes of 64-bit Linux, which kernels have as well. */
#ifndef CILK_AST_H
#define CILK_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

/* Lines and columns count from 1; a column is a byte. */
typedef struct CilkPlace {
    uint32_t line;
    uint16_t column;
    uint16_t file;              /* of CilkProgram.files */
} CilkPlace;

/* What is deeper is refused, so that whoever walks over types, expressions and statements may recurse. */
enum { CILK_MOST_DEPTH = 64, CILK_MOST_HEIGHT = 1000, CILK_MOST_NESTING = 250 };

/* Arithmetic types are in the order of their conversion ranks. */
typedef enum CilkTypeKind {
    CILK_VOID,
    CILK_BOOL, CILK_CHAR, CILK_SIGNED_CHAR, CILK_UNSIGNED_CHAR, CILK_SHORT, CILK_UNSIGNED_SHORT,
    CILK_INT, CILK_UNSIGNED, CILK_LONG, CILK_UNSIGNED_LONG, CILK_LONG_LONG, CILK_UNSIGNED_LONG_LONG,
    CILK_FLOAT, CILK_DOUBLE,
    CILK_POINTER, CILK_ARRAY, CILK_RECORD
} CilkTypeKind;

typedef struct CilkType CilkType;
typedef struct CilkRecord CilkRecord;
typedef struct CilkVariable CilkVariable;
typedef struct CilkFunction CilkFunction;
typedef struct CilkExpression CilkExpression;
typedef struct CilkStatement CilkStatement;

/* Invariant: a type is complete, but for void and for records that only pointers lead to. */
struct CilkType {
    CilkTypeKind kind;
    bool is_const;              /* of this level; checked, and not printed */
    const CilkType *to;         /* of a pointer: what it leads to; of an array: its elements */
    uint64_t count;             /* of an array */
    const CilkRecord *record;
    uint64_t size;              /* bytes; 0: void or an incomplete record */
    uint32_t alignment;
    uint32_t depth;             /* types inside of it, one in the other: at most CILK_MOST_DEPTH */
};

typedef struct CilkMember {
    const char *name;
    const CilkType *type;
    uint64_t offset;
} CilkMember;

/* A struct or union. */
struct CilkRecord {
    const char *name;           /* unique in the program; records without a tag get one */
    bool is_union, is_complete;
    CilkPlace place;
    uint32_t member_count;
    CilkMember *members;
    uint64_t size;
    uint32_t alignment;
    CilkType types[2];          /* the type that it is, and the same with const; all others point to these */
    CilkRecord *next;           /* in the order of definition: members' records come first */
};

/* A global, a parameter or a local of any block. */
struct CilkVariable {
    const char *name;           /* as written */
    const char *unique;         /* its own in its function, and no global's or function's */
    const CilkType *type;
    CilkPlace place;
    CilkFunction *function;     /* null: a global */
    bool is_parameter;
    bool is_address_taken;      /* by & or as an array: others may read and write it */
    uint32_t index;             /* in its function's variables, or in the program's globals */
    const uint8_t *initial;     /* of a global: type->size bytes; null: zeros */
};

typedef enum CilkExpressionKind {
    CILK_INTEGER,               /* integer, by type */
    CILK_REAL,                  /* real: a float or double */
    CILK_VARIABLE,              /* variable */
    CILK_UNARY,                 /* operator left */
    CILK_BINARY,                /* left operator right; && || and the comma too */
    CILK_ASSIGN,                /* left = right, or left operator= right */
    CILK_CONDITIONAL,           /* left ? right : third */
    CILK_CALL,                  /* function or builtin, arguments; never a task's */
    CILK_INDEX,                 /* left[right]; left is an array or a pointer */
    CILK_MEMBER,                /* left.member, or left->member if left is a pointer */
    CILK_CAST                   /* (type)left */
} CilkExpressionKind;

typedef enum CilkOperator {
    CILK_NONE,                  /* of an assignment: plain */
    CILK_ADD, CILK_SUBTRACT, CILK_MULTIPLY, CILK_DIVIDE, CILK_REMAINDER,
    CILK_SHIFT_LEFT, CILK_SHIFT_RIGHT, CILK_BIT_AND, CILK_BIT_OR, CILK_BIT_XOR,
    CILK_LESS, CILK_LESS_EQUAL, CILK_GREATER, CILK_GREATER_EQUAL, CILK_EQUAL, CILK_NOT_EQUAL,
    CILK_AND, CILK_OR, CILK_COMMA,
    CILK_PLUS, CILK_NEGATE, CILK_NOT, CILK_BIT_NOT, CILK_DEREFERENCE, CILK_ADDRESS,
    CILK_PRE_INCREMENT, CILK_PRE_DECREMENT, CILK_POST_INCREMENT, CILK_POST_DECREMENT
} CilkOperator;

/* A function of the C library that kernels have as well: a row of builtins.def. */
typedef struct CilkBuiltin CilkBuiltin;

/* Invariant: type is the type of the value as C has it, arrays not yet turned into pointers. */
struct CilkExpression {
    CilkExpressionKind kind;
    CilkOperator operator;
    uint16_t height;            /* of the tree below it, itself included: at most CILK_MOST_HEIGHT */
    bool is_spawn;              /* of a call: it is that of a CILK_SPAWN */
    bool is_implicit;           /* of a cast: nobody wrote it */
    CilkPlace place;            /* of the operator, or of its first token where it has none */
    const CilkType *type;
    CilkExpression *left, *right, *third;
    union {
        uint64_t integer;       /* sign-extended to 64 bits */
        double real;
        CilkVariable *variable;
        const CilkMember *member;
        struct {
            CilkFunction *function;     /* null: the builtin */
            const CilkBuiltin *builtin;
            CilkExpression **arguments; /* as many as it has parameters */
            uint32_t argument_count;
        };
    };
};

typedef enum CilkStatementKind {
    CILK_EXPRESSION,            /* expression; */
    CILK_BLOCK,                 /* { body... } */
    CILK_IF,                    /* if (expression) body else other; other may be null */
    CILK_WHILE,                 /* while (expression) body */
    CILK_DO,                    /* do body while (expression); */
    CILK_FOR,                   /* for (expression; step) body: first stands before it, in a block of both */
    CILK_SWITCH,                /* switch (expression) body */
    CILK_CASE,                  /* case value: or default:, inside of the block of a switch */
    CILK_BREAK,
    CILK_CONTINUE,
    CILK_RETURN,                /* return expression; null where the function returns nothing */
    CILK_SPAWN,                 /* target = cilk_spawn call; target may be null */
    CILK_CALL_TASK,             /* target = call; the same for a task that is called without cilk_spawn */
    CILK_SYNC
} CilkStatementKind;

/* Invariant of CILK_SPAWN and CILK_CALL_TASK: call is a CILK_CALL of a function of the program, and target is
 * null or has the type of what it returns; a call's function is a task, while a spawn may be of any function.
 * Neither condition, step nor any other expression calls a task. */
struct CilkStatement {
    CilkStatementKind kind;
    CilkPlace place;
    CilkExpression *expression; /* of a for without a condition: null */
    CilkExpression *step;       /* of a for; null: none */
    CilkExpression *target, *call;
    CilkStatement *body;        /* of a block: the first; null: it is empty */
    CilkStatement *other;
    CilkStatement *next;        /* in its block */
    int64_t value;              /* of a case */
    bool is_default;
};

/* Invariant: variables are parameter_count parameters, then all locals in the order in which they stand. */
struct CilkFunction {
    const char *name;
    CilkPlace place;
    const CilkType *returns;
    uint32_t parameter_count, variable_count, variable_capacity;
    CilkVariable **variables;
    CilkStatement *body;        /* a block; null: declared and never defined, and then never called */
    bool is_task;               /* it spawns, syncs or calls a task: it becomes kernels */
    bool is_spawned;            /* somebody spawns or calls it as a task: it becomes at least one kernel */
    uint32_t index;             /* in the program's functions */
};

/* All of it lies in the arena. */
typedef struct CilkProgram {
    Arena arena;
    uint32_t file_count, function_count, global_count;
    const char **files;         /* names, as users gave them; the program's own is the first */
    CilkFunction **functions;   /* in the order of their first declaration */
    CilkVariable **globals;
    CilkRecord *records;        /* in the order of their definition */
} CilkProgram;

/* A function of the C library: sqrtf. */
struct CilkBuiltin {
    const char *name;
    const char *signature;      /* result and parameters: i int, l long, f float, d double: "dd" */
};

/* Reads and checks a program; null: the error says where and why not, "prog.c:12:5: ...". cilk_read() reads
 * the file, and those beside it that it includes; cilk_parse() takes text that includes only the headers of
 * the C library (text[length] need not be a null character). */
CilkProgram *cilk_read(const char *path, Error *error);
CilkProgram *cilk_parse(const char *name, const char *text, size_t length, Error *error);
void cilk_free(CilkProgram *program);

/* Null: there is none. */
CilkFunction *cilk_find_function(const CilkProgram *program, const char *name);
/* Records "prog.c:12:5: " and the sentence unless an error stands already. */
WbStatus cilk_error(const CilkProgram *program, CilkPlace place, Error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

bool cilk_is_integer(const CilkType *type);  /* bool and char too */
bool cilk_is_real(const CilkType *type);
bool cilk_is_signed(const CilkType *type);   /* of an integer */
bool cilk_is_same_type(const CilkType *a, const CilkType *b); /* but for const */
/* The declaration of a name as C and C++ write it, without const: "int (*rows)[4]"; an empty name gives the
 * type's own: "int (*)[4]". Lies in the arena. */
const char *cilk_declaration(Arena *arena, const CilkType *type, const char *name);

#endif
