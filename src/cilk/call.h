/* A call that a user gives, "fib(24)": a function of the program and constants for its parameters. */
#ifndef CILK_CALL_H
#define CILK_CALL_H

#include "cilk/ast.h"

enum { CILK_MOST_ARGUMENTS = 16, CILK_VALUE_TEXT = 64 };

/* A number of an arithmetic type, as it lies in memory: type->size bytes. */
typedef struct CilkValue {
    const CilkType *type;
    union {
        uint8_t bytes[8];
        uint64_t integer;
        float real32;
        double real64;
    };
} CilkValue;

/* Invariant: the function has a body, returns nothing or a number, and takes argument_count numbers; each
 * argument has its parameter's type. */
typedef struct CilkCall {
    CilkFunction *function;
    uint32_t argument_count;
    CilkValue arguments[CILK_MOST_ARGUMENTS];
} CilkCall;

/* Arguments are constant expressions as C has them, and are converted to their parameters' types. */
WbStatus cilk_call_parse(const CilkProgram *program, const char *text, CilkCall *call, Error *error);
/* The number as it is printed, the same for the host and the GPU: integers whole, float and double with as
 * many digits as tell them apart. Returns `text`. */
const char *cilk_value_text(const CilkValue *value, char text[CILK_VALUE_TEXT]);

#endif
