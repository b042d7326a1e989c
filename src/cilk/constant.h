/* The values of constant expressions: sizes of arrays, cases, initializers of globals, arguments of users. */
#ifndef CILK_CONSTANT_H
#define CILK_CONSTANT_H

#include "cilk/ast.h"

struct Token;

/* A number: real where its type is float or double, else integer, sign-extended or zero-extended to 64 bits
 * by its type. */
typedef struct Constant {
    uint64_t integer;
    double real;
} Constant;

/* False: the expression is not constant, or divides by zero. Pointers are constant where they are null. */
bool cilk_constant_evaluate(const CilkExpression *expression, Constant *value);
/* As assignment converts between numbers. */
Constant cilk_constant_convert(Constant value, const CilkType *from, const CilkType *to);
/* The value of the tokens up to TK_END, which is no more than numbers and operators. */
bool cilk_constant_of_tokens(CilkProgram *program, const struct Token *tokens, int64_t *value, Error *error);
/* The same of any number, and its type. */
bool cilk_number_of_tokens(CilkProgram *program, const struct Token *tokens, Constant *value,
                           const CilkType **type, Error *error);

#endif
