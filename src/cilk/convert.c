/* Conversions of values, and what an expression is good for. */
#include "cilk/constant.h"
#include "cilk/parser.h"
#include "cilk/types.h"

const char *cilk_type_text(Parser *parser, const CilkType *type)
{
    return cilk_declaration(&parser->program->arena, type, "");
}

bool cilk_is_place(const CilkExpression *expression)
{
    while (expression->kind == CILK_MEMBER && expression->left->type->kind != CILK_POINTER)
        expression = expression->left;
    return expression->kind == CILK_VARIABLE || expression->kind == CILK_INDEX
           || expression->kind == CILK_MEMBER
           || (expression->kind == CILK_UNARY && expression->operator == CILK_DEREFERENCE);
}

void cilk_take_address(CilkExpression *expression)
{
    for (;;) {
        bool is_inside = (expression->kind == CILK_MEMBER && expression->left->type->kind == CILK_RECORD)
                         || (expression->kind == CILK_INDEX && expression->left->type->kind == CILK_ARRAY);
        if (!is_inside)
            break;
        expression = expression->left;
    }
    if (expression->kind == CILK_VARIABLE)
        expression->variable->is_address_taken = true;
}

const CilkType *cilk_value_of(Parser *parser, CilkExpression *expression)
{
    if (expression->type->kind == CILK_ARRAY)
        cilk_take_address(expression);
    return cilk_value_type(&parser->program->arena, expression->type);
}

bool cilk_is_null(const CilkExpression *expression)
{
    Constant value;
    bool is_void_pointer = expression->type->kind == CILK_POINTER && expression->type->to->kind == CILK_VOID;
    return (cilk_is_integer(expression->type) || is_void_pointer)
           && cilk_constant_evaluate(expression, &value) && !value.integer;
}

static bool fits_pointer(const CilkExpression *from, const CilkType *value, const CilkType *to)
{
    if (cilk_is_null(from))
        return true;
    if (value->kind != CILK_POINTER)
        return false;
    return value->to->kind == CILK_VOID || to->to->kind == CILK_VOID || cilk_is_same_type(value->to, to->to);
}

CilkExpression *cilk_convert(Parser *parser, CilkExpression *from, const CilkType *to, const char *what)
{
    if (cilk_has_failed(parser))
        return &parser->bad;
    const CilkType *value = cilk_value_of(parser, from);
    to = cilk_without_const(&parser->program->arena, to);
    bool fits;
    if (to->kind == CILK_POINTER) {
        fits = fits_pointer(from, value, to);
        if (fits && value->kind == CILK_POINTER && value->to->is_const && !to->to->is_const) {
            cilk_fail(parser, from->place, "%s points to what is const, and %s does not say so.", what,
                      cilk_type_text(parser, to));
            return &parser->bad;
        }
    } else if (to->kind == CILK_BOOL) {
        fits = cilk_is_scalar(value);
    } else {
        fits = cilk_is_arithmetic(to) ? cilk_is_arithmetic(value) : cilk_is_same_type(value, to);
    }
    if (!fits || to->kind == CILK_VOID) {
        cilk_fail(parser, from->place, "%s has the type %s, which does not become %s by itself.", what,
                  cilk_type_text(parser, from->type), cilk_type_text(parser, to));
        return &parser->bad;
    }
    if (cilk_is_same_type(value, to))
        return from;
    CilkExpression *cast = cilk_make(parser, CILK_CAST, from->place, to, from, NULL);
    if (cast != &parser->bad)
        cast->is_implicit = true;
    return cast;
}

CilkExpression *cilk_check_condition(Parser *parser, CilkExpression *expression)
{
    if (!cilk_is_scalar(cilk_value_of(parser, expression))) {
        cilk_fail(parser, expression->place, "a condition is a number or a pointer, not %s.",
                  cilk_type_text(parser, expression->type));
        return &parser->bad;
    }
    return expression;
}
