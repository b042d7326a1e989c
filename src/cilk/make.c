/* Makes expressions, each with its type, and refuses those that C has no meaning for. */
#include <string.h>

#include "base/nearest.h"
#include "cilk/parser.h"
#include "cilk/types.h"

CilkExpression *cilk_make(Parser *parser, CilkExpressionKind kind, CilkPlace place, const CilkType *type,
                          CilkExpression *left, CilkExpression *right)
{
    uint16_t height = left ? left->height : 0;
    if (right && right->height > height)
        height = right->height;
    if (height >= CILK_MOST_HEIGHT) {
        cilk_fail(parser, place, "this expression is nested too deeply; write it in parts.");
        return &parser->bad;
    }
    CilkExpression *expression = ARENA_NEW(&parser->program->arena, CilkExpression);
    *expression = (CilkExpression){.kind = kind, .place = place, .type = type, .left = left, .right = right,
                                   .height = (uint16_t)(height + 1)};
    return expression;
}

CilkExpression *cilk_make_integer(Parser *parser, CilkPlace place, CilkTypeKind type, uint64_t value)
{
    CilkExpression *expression = cilk_make(parser, CILK_INTEGER, place, &cilk_basic_types[type], NULL, NULL);
    expression->integer = value;
    return expression;
}

CilkExpression *cilk_make_variable(Parser *parser, CilkPlace place, CilkVariable *variable)
{
    CilkExpression *expression = cilk_make(parser, CILK_VARIABLE, place, variable->type, NULL, NULL);
    expression->variable = variable;
    return expression;
}

static CilkExpression *refuse(Parser *parser, CilkPlace place, const char *what, const CilkExpression *of)
{
    cilk_fail(parser, place, "%s is not for %s.", what, cilk_type_text(parser, of->type));
    return &parser->bad;
}

/* Whether ++, -- and assignments may change it. */
static bool may_change(Parser *parser, CilkPlace place, const CilkExpression *of)
{
    if (!cilk_is_place(of))
        cilk_fail(parser, place,
                  "this changes a value that has no place; only variables, elements, members and "
                  "what pointers lead to can be changed.");
    else if (of->type->is_const)
        cilk_fail(parser, place, "this changes something that is const.");
    return !cilk_has_failed(parser);
}

static CilkExpression *make_address(Parser *parser, CilkPlace place, CilkExpression *of)
{
    if (!cilk_is_place(of)) {
        cilk_fail(parser, place, "only what lies in memory has an address.");
        return &parser->bad;
    }
    cilk_take_address(of);
    return cilk_make(parser, CILK_UNARY, place, cilk_pointer_to(&parser->program->arena, of->type), of, NULL);
}

static CilkExpression *make_dereference(Parser *parser, CilkPlace place, CilkExpression *of)
{
    const CilkType *value = cilk_value_of(parser, of);
    if (value->kind != CILK_POINTER)
        return refuse(parser, place, "*", of);
    if (!value->to->size) {
        cilk_fail(parser, place,
                  "what this points to has no size: it is void or a struct that is not defined.");
        return &parser->bad;
    }
    return cilk_make(parser, CILK_UNARY, place, value->to, of, NULL);
}

static CilkExpression *make_step(Parser *parser, CilkPlace place, CilkExpression *of)
{
    if (!may_change(parser, place, of))
        return &parser->bad;
    if (!cilk_is_scalar(of->type) || (of->type->kind == CILK_POINTER && !of->type->to->size))
        return refuse(parser, place, "++ or --", of);
    return cilk_make(parser, CILK_UNARY, place, cilk_without_const(&parser->program->arena, of->type), of,
                     NULL);
}

static CilkExpression *make_arithmetic(Parser *parser, CilkPlace place, CilkOperator operator,
                                       CilkExpression *of)
{
    const CilkType *value = cilk_value_of(parser, of), *type = cilk_promoted(&cilk_basic_types[CILK_INT]);
    bool fits = operator == CILK_NOT ? cilk_is_scalar(value)
                : operator == CILK_BIT_NOT ? cilk_is_integer(value) : cilk_is_arithmetic(value);
    if (!fits)
        return refuse(parser, place, "this operator", of);
    if (operator != CILK_NOT)
        type = cilk_promoted(value);
    return cilk_make(parser, CILK_UNARY, place, type, of, NULL);
}

CilkExpression *cilk_make_unary(Parser *parser, CilkPlace place, CilkOperator operator, CilkExpression *of)
{
    CilkExpression *expression;
    if (cilk_has_failed(parser))
        return &parser->bad;
    switch (operator) {
    case CILK_ADDRESS:
        expression = make_address(parser, place, of);
        break;
    case CILK_DEREFERENCE:
        expression = make_dereference(parser, place, of);
        break;
    case CILK_PRE_INCREMENT: case CILK_PRE_DECREMENT: case CILK_POST_INCREMENT: case CILK_POST_DECREMENT:
        expression = make_step(parser, place, of);
        break;
    default:
        expression = make_arithmetic(parser, place, operator, of);
        break;
    }
    if (expression != &parser->bad)
        expression->operator = operator;
    return expression;
}

CilkExpression *cilk_make_cast(Parser *parser, CilkPlace place, const CilkType *type, CilkExpression *of)
{
    if (cilk_has_failed(parser))
        return &parser->bad;
    const CilkType *value = cilk_value_of(parser, of);
    type = cilk_without_const(&parser->program->arena, type);
    bool fits = type->kind == CILK_VOID || (cilk_is_scalar(type) && cilk_is_scalar(value));
    if ((type->kind == CILK_POINTER && cilk_is_real(value))
        || (value->kind == CILK_POINTER && cilk_is_real(type)))
        fits = false;
    if (!fits) {
        cilk_fail(parser, place, "a cast does not make %s of %s.", cilk_type_text(parser, type),
                  cilk_type_text(parser, of->type));
        return &parser->bad;
    }
    return cilk_make(parser, CILK_CAST, place, type, of, NULL);
}

/* The type of a ? b : c; null: they do not go together. */
static const CilkType *joined_type(Parser *parser, CilkExpression *left, CilkExpression *right)
{
    const CilkType *a = cilk_value_of(parser, left), *b = cilk_value_of(parser, right);
    if (cilk_is_arithmetic(a) && cilk_is_arithmetic(b))
        return cilk_common_type(a, b);
    if (a->kind == CILK_POINTER && cilk_is_null(right))
        return a;
    if (b->kind == CILK_POINTER && cilk_is_null(left))
        return b;
    if (a->kind == CILK_POINTER && b->kind == CILK_POINTER && cilk_is_same_type(a->to, b->to))
        return a->to->is_const ? a : b;
    return a->kind != CILK_POINTER && cilk_is_same_type(a, b) ? a : NULL;
}

CilkExpression *cilk_make_conditional(Parser *parser, CilkPlace place, CilkExpression *condition,
                                      CilkExpression *left, CilkExpression *right)
{
    if (cilk_has_failed(parser))
        return &parser->bad;
    cilk_check_condition(parser, condition);
    const CilkType *type = joined_type(parser, left, right);
    if (!type) {
        cilk_fail(parser, place, "the two sides of ?: have types that do not go together, %s and %s.",
                  cilk_type_text(parser, left->type), cilk_type_text(parser, right->type));
        return &parser->bad;
    }
    CilkExpression *expression = cilk_make(parser, CILK_CONDITIONAL, place, type, condition, left);
    if (expression == &parser->bad)
        return expression;
    expression->third = right;
    if (right->height >= expression->height)
        expression->height = (uint16_t)(right->height + 1);
    return expression;
}

CilkExpression *cilk_make_index(Parser *parser, CilkPlace place, CilkExpression *left, CilkExpression *index)
{
    if (cilk_has_failed(parser))
        return &parser->bad;
    if (cilk_is_integer(left->type)
        && (index->type->kind == CILK_POINTER || index->type->kind == CILK_ARRAY)) {
        CilkExpression *swapped = left; /* 2[a] */
        left = index;
        index = swapped;
    }
    const CilkType *to =
        left->type->kind == CILK_POINTER || left->type->kind == CILK_ARRAY ? left->type->to : NULL;
    if (!to || !to->size)
        return refuse(parser, place, "[]", left);
    if (!cilk_is_integer(index->type))
        return refuse(parser, index->place, "an index", index);
    if (left->type->kind == CILK_ARRAY && !cilk_is_place(left)) {
        cilk_fail(parser, place, "this array is part of a value that has no place; store it in a variable.");
        return &parser->bad;
    }
    return cilk_make(parser, CILK_INDEX, place, to, left, index);
}

CilkExpression *cilk_member_of(Parser *parser, CilkPlace place, CilkExpression *left,
                               const CilkMember *member)
{
    const CilkType *record = left->type->kind == CILK_POINTER ? left->type->to : left->type;
    const CilkType *type =
        record->is_const ? cilk_const_of(&parser->program->arena, member->type) : member->type;
    CilkExpression *expression = cilk_make(parser, CILK_MEMBER, place, type, left, NULL);
    if (expression != &parser->bad)
        expression->member = member;
    return expression;
}

CilkExpression *cilk_make_member(Parser *parser, CilkPlace place, CilkExpression *left, const char *name,
                                 bool is_arrow)
{
    if (cilk_has_failed(parser))
        return &parser->bad;
    const CilkType *type = left->type;
    if (is_arrow && type->kind == CILK_ARRAY) { /* a->b is (*a).b, and an array's first element a[0] */
        left = cilk_make_index(parser, place, left, cilk_make_integer(parser, place, CILK_INT, 0));
        type = left->type;
    } else if (is_arrow) {
        type = type->kind == CILK_POINTER ? type->to : NULL;
    }
    if (!type || type->kind != CILK_RECORD)
        return refuse(parser, place, is_arrow ? "->" : ".", left);
    const CilkRecord *record = type->record;
    char hint[NEAREST_HINT_SIZE];
    Nearest nearest = nearest_to(name);
    for (uint32_t i = 0; i < record->member_count; i++) {
        if (!strcmp(record->members[i].name, name))
            return cilk_member_of(parser, place, left, record->members + i);
        nearest_offer(&nearest, record->members[i].name);
    }
    if (record->is_complete)
        cilk_fail(parser, place, "%s has no member %s%s", cilk_type_text(parser, type), name,
                  nearest_hint(&nearest, hint, sizeof hint));
    else
        cilk_fail(parser, place, "%s is not defined.", cilk_type_text(parser, type));
    return &parser->bad;
}
