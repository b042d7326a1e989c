/* Expressions of two sides: operators and assignments. */
#include "cilk/parser.h"
#include "cilk/types.h"

static CilkExpression *refuse(Parser *parser, CilkPlace place, const CilkExpression *left,
                              const CilkExpression *right)
{
    cilk_fail(parser, place, "this operator is not for %s and %s.", cilk_type_text(parser, left->type),
              cilk_type_text(parser, right->type));
    return &parser->bad;
}

static bool is_sized_pointer(const CilkType *type) { return type->kind == CILK_POINTER && type->to->size; }

static bool do_pointers_compare(const CilkExpression *left, const CilkType *a, const CilkExpression *right,
                                const CilkType *b)
{
    if (a->kind != CILK_POINTER || b->kind != CILK_POINTER)
        return (a->kind == CILK_POINTER && cilk_is_null(right))
               || (b->kind == CILK_POINTER && cilk_is_null(left));
    return a->to->kind == CILK_VOID || b->to->kind == CILK_VOID || cilk_is_same_type(a->to, b->to);
}

/* The type of the result for values of types a and b; null: the operator is not for them. */
static const CilkType *result_type(CilkOperator operator, const CilkExpression *left, const CilkType *a,
                                   const CilkExpression *right, const CilkType *b)
{
    const CilkType *number = cilk_is_arithmetic(a) && cilk_is_arithmetic(b) ? cilk_common_type(a, b) : NULL;
    const CilkType *integer = number && cilk_is_integer(number) ? number : NULL;
    const CilkType *truth = &cilk_basic_types[CILK_INT];
    switch (operator) {
    case CILK_ADD:
        if (is_sized_pointer(a) && cilk_is_integer(b))
            return a;
        return is_sized_pointer(b) && cilk_is_integer(a) ? b : number;
    case CILK_SUBTRACT:
        if (is_sized_pointer(a) && cilk_is_integer(b))
            return a;
        if (is_sized_pointer(a) && b->kind == CILK_POINTER && cilk_is_same_type(a->to, b->to))
            return &cilk_basic_types[CILK_LONG];
        return number;
    case CILK_MULTIPLY: case CILK_DIVIDE:
        return number;
    case CILK_REMAINDER: case CILK_BIT_AND: case CILK_BIT_OR: case CILK_BIT_XOR:
        return integer;
    case CILK_SHIFT_LEFT: case CILK_SHIFT_RIGHT:
        return integer ? cilk_promoted(a) : NULL;
    case CILK_LESS: case CILK_LESS_EQUAL: case CILK_GREATER: case CILK_GREATER_EQUAL: case CILK_EQUAL:
    case CILK_NOT_EQUAL:
        return number || do_pointers_compare(left, a, right, b) ? truth : NULL;
    case CILK_AND: case CILK_OR:
        return cilk_is_scalar(a) && cilk_is_scalar(b) ? truth : NULL;
    case CILK_COMMA:
        return b;
    default:
        return NULL;
    }
}

CilkExpression *cilk_make_binary(Parser *parser, CilkPlace place, CilkOperator operator, CilkExpression *left,
                                 CilkExpression *right)
{
    if (cilk_has_failed(parser))
        return &parser->bad;
    const CilkType *a = cilk_value_of(parser, left), *b = cilk_value_of(parser, right);
    const CilkType *type = result_type(operator, left, a, right, b);
    if (!type)
        return refuse(parser, place, left, right);
    CilkExpression *expression = cilk_make(parser, CILK_BINARY, place, type, left, right);
    if (expression != &parser->bad)
        expression->operator = operator;
    return expression;
}

CilkExpression *cilk_make_assignment(Parser *parser, CilkPlace place, CilkOperator operator,
                                     CilkExpression *left, CilkExpression *right)
{
    if (cilk_has_failed(parser))
        return &parser->bad;
    if (!cilk_is_place(left) || left->type->kind == CILK_ARRAY)
        cilk_fail(parser, place, "this assigns to something that has no place of its own; only variables, "
                  "elements, members and what pointers lead to can be assigned to.");
    else if (left->type->is_const)
        cilk_fail(parser, place, "this assigns to something that is const.");
    const CilkType *type = cilk_without_const(&parser->program->arena, left->type);
    if (operator == CILK_NONE) {
        right = cilk_convert(parser, right, type, "the value");
    } else {
        const CilkType *result = cilk_has_failed(parser) ? NULL
            : result_type(operator, left, type, right, cilk_value_of(parser, right));
        if (!result || (type->kind == CILK_POINTER) != (result->kind == CILK_POINTER))
            return refuse(parser, place, left, right);
    }
    CilkExpression *expression = cilk_make(parser, CILK_ASSIGN, place, type, left, right);
    if (expression != &parser->bad)
        expression->operator = operator;
    return expression;
}
