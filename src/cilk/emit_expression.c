/* Expressions as text. Every one stands in parentheses: what the program meant does not depend on how
 * strongly operators bind. */
#include "cilk/emit.h"

#include <stdlib.h>
#include <string.h>

static const char *const operators[] = {
    [CILK_NONE] = "",           [CILK_ADD] = "+",           [CILK_PLUS] = "+",
    [CILK_SUBTRACT] = "-",      [CILK_NEGATE] = "-",        [CILK_MULTIPLY] = "*",
    [CILK_DEREFERENCE] = "*",   [CILK_DIVIDE] = "/",        [CILK_REMAINDER] = "%",
    [CILK_SHIFT_LEFT] = "<<",   [CILK_SHIFT_RIGHT] = ">>",  [CILK_BIT_AND] = "&",
    [CILK_ADDRESS] = "&",       [CILK_BIT_OR] = "|",        [CILK_BIT_XOR] = "^",
    [CILK_LESS] = "<",          [CILK_LESS_EQUAL] = "<=",   [CILK_GREATER] = ">",
    [CILK_GREATER_EQUAL] = ">=", [CILK_EQUAL] = "==",       [CILK_NOT_EQUAL] = "!=",
    [CILK_AND] = "&&",          [CILK_OR] = "||",           [CILK_COMMA] = ",",
    [CILK_NOT] = "!",           [CILK_BIT_NOT] = "~",       [CILK_PRE_INCREMENT] = "++",
    [CILK_POST_INCREMENT] = "++", [CILK_PRE_DECREMENT] = "--", [CILK_POST_DECREMENT] = "--",
};

/* C++ has no negative literals: the smallest number is none that can be negated. */
static void emit_integer(CilkEmit *emit, const CilkExpression *expression)
{
    const uint64_t bits = expression->integer;
    switch (expression->type->kind) {
    case CILK_UNSIGNED:
        fprintf(emit->out, "%uu", (unsigned)bits);
        break;
    case CILK_UNSIGNED_LONG:
        fprintf(emit->out, "%lluul", (unsigned long long)bits);
        break;
    case CILK_UNSIGNED_LONG_LONG:
        fprintf(emit->out, "%lluull", (unsigned long long)bits);
        break;
    case CILK_INT:
        if ((int64_t)bits >= 0) {
            fprintf(emit->out, "%lld", (long long)bits);
            break;
        } /* fallthrough */
    default:
        fprintf(emit->out, "((%s)%lluull)", cilk_named(emit, expression->type, ""), (unsigned long long)bits);
    }
}

static void emit_real(CilkEmit *emit, const CilkExpression *expression)
{
    const double value = expression->real;
    const bool is_float = expression->type->kind == CILK_FLOAT;
    if (value - value != 0) /* infinite, or no number */
        fprintf(emit->out, "(%s)%s__builtin_%s()", is_float ? "float" : "double", value < 0 ? "-" : "",
                value != value ? "nan(\"\"" : "huge_val(");
    else
        fprintf(emit->out, "%a%s", value, is_float ? "f" : "");
}

/* A local in memory is reached by its address. */
static void emit_variable(CilkEmit *emit, const CilkVariable *variable)
{
    const bool is_in_memory =
        emit->split && variable->function && cilk_live_has(&emit->split->in_memory, variable->index);
    fprintf(emit->out, is_in_memory ? "(*%s_)" : "%s_", variable->unique);
}

static void emit_unary(CilkEmit *emit, const CilkExpression *expression)
{
    const char *sign = operators[expression->operator];
    const bool is_behind =
        expression->operator== CILK_POST_INCREMENT || expression->operator== CILK_POST_DECREMENT;
    fprintf(emit->out, "(%s", is_behind ? "" : sign);
    cilk_emit_expression(emit, expression->left);
    fprintf(emit->out, "%s)", is_behind ? sign : "");
}

static void emit_binary(CilkEmit *emit, const CilkExpression *expression)
{
    const bool is_assignment = expression->kind == CILK_ASSIGN;
    fputc('(', emit->out);
    cilk_emit_expression(emit, expression->left);
    fprintf(emit->out, " %s%s ", operators[expression->operator], is_assignment ? "=" : "");
    cilk_emit_expression(emit, expression->right);
    fputc(')', emit->out);
}

/* In C a null pointer takes the other's type; in C++ one of type void * does not. */
static void emit_conditional(CilkEmit *emit, const CilkExpression *expression)
{
    const char *type = expression->type->kind == CILK_POINTER
                           ? arena_printf(emit->arena, "(%s)", cilk_named(emit, expression->type, ""))
                           : "";
    fputc('(', emit->out);
    cilk_emit_expression(emit, expression->left);
    fprintf(emit->out, " ? %s", type);
    cilk_emit_expression(emit, expression->right);
    fprintf(emit->out, " : %s", type);
    cilk_emit_expression(emit, expression->third);
    fputc(')', emit->out);
}

static void emit_call(CilkEmit *emit, const CilkExpression *expression)
{
    if (expression->function)
        fprintf(emit->out, "%s_(", expression->function->name);
    else
        fprintf(emit->out, "%s(", expression->builtin->name);
    for (uint32_t i = 0; i < expression->argument_count; i++) {
        fputs(i ? ", " : "", emit->out);
        cilk_emit_expression(emit, expression->arguments[i]);
    }
    fputc(')', emit->out);
}

void cilk_emit_expression(CilkEmit *emit, const CilkExpression *expression)
{
    switch (expression->kind) {
    case CILK_INTEGER:
        emit_integer(emit, expression);
        break;
    case CILK_REAL:
        emit_real(emit, expression);
        break;
    case CILK_VARIABLE:
        emit_variable(emit, expression->variable);
        break;
    case CILK_UNARY:
        emit_unary(emit, expression);
        break;
    case CILK_BINARY:
    case CILK_ASSIGN:
        emit_binary(emit, expression);
        break;
    case CILK_CONDITIONAL:
        emit_conditional(emit, expression);
        break;
    case CILK_CALL:
        emit_call(emit, expression);
        break;
    case CILK_INDEX:
        cilk_emit_expression(emit, expression->left);
        fputc('[', emit->out);
        cilk_emit_expression(emit, expression->right);
        fputc(']', emit->out);
        break;
    case CILK_MEMBER:
        cilk_emit_expression(emit, expression->left);
        fprintf(emit->out, "%s%s_", expression->left->type->kind == CILK_POINTER ? "->" : ".",
                expression->member->name);
        break;
    case CILK_CAST:
        fprintf(emit->out, "((%s)", cilk_named(emit, expression->type, ""));
        cilk_emit_expression(emit, expression->left);
        fputc(')', emit->out);
        break;
    }
}

const char *cilk_expression_text(CilkEmit *emit, const CilkExpression *expression)
{
    FILE *const out = emit->out;
    char *text = NULL;
    size_t length = 0;
    emit->out = open_memstream(&text, &length);
    cilk_emit_expression(emit, expression);
    fclose(emit->out);
    emit->out = out;
    const char *kept = arena_strndup(emit->arena, text, length);
    free(text);
    return kept;
}
