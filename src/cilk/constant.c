/* Evaluates constant expressions as a 64-bit Linux would; what C leaves undefined wraps around. */
#include "cilk/constant.h"

#include <math.h>

#include "cilk/types.h"

/* The value as the type holds it: cut to its bytes, then extended by its sign. */
static uint64_t fit(uint64_t value, const CilkType *type)
{
    if (type->kind == CILK_BOOL)
        return value != 0;
    if (type->size >= 8 || !type->size)
        return value;
    unsigned unused = 64 - 8 * (unsigned)type->size;
    value <<= unused;
    return cilk_is_signed(type) ? (uint64_t)((int64_t)value >> unused) : value >> unused;
}

static uint64_t integer_of_real(double real, const CilkType *to)
{
    if (to->kind == CILK_BOOL)
        return real != 0;
    if (isnan(real))
        return 0;
    if (real >= 9223372036854775808.0)
        return real >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)real;
    return real <= -9223372036854775808.0 ? (uint64_t)INT64_MIN : (uint64_t)(int64_t)real;
}

Constant cilk_constant_convert(Constant value, const CilkType *from, const CilkType *to)
{
    Constant result = {0};
    if (cilk_is_real(to)) {
        result.real = cilk_is_real(from) ? value.real
                      : cilk_is_signed(from) ? (double)(int64_t)value.integer : (double)value.integer;
        if (to->kind == CILK_FLOAT)
            result.real = cilk_is_real(from)  ? (double)(float)value.real
                          : cilk_is_signed(from) ? (double)(float)(int64_t)value.integer
                                                 : (double)(float)value.integer;
    } else {
        result.integer = cilk_is_real(from) ? integer_of_real(value.real, to) : value.integer;
        result.integer = fit(result.integer, to);
    }
    return result;
}

static bool is_true(const Constant *value, const CilkType *type)
{
    return cilk_is_real(type) ? value->real != 0 : value->integer != 0;
}

static bool real_operation(CilkOperator operator, double a, double b, Constant *result)
{
    switch (operator) {
    case CILK_ADD: result->real = a + b; return true;
    case CILK_SUBTRACT: result->real = a - b; return true;
    case CILK_MULTIPLY: result->real = a * b; return true;
    case CILK_DIVIDE: result->real = a / b; return b != 0;
    case CILK_LESS: result->integer = a < b; return true;
    case CILK_LESS_EQUAL: result->integer = a <= b; return true;
    case CILK_GREATER: result->integer = a > b; return true;
    case CILK_GREATER_EQUAL: result->integer = a >= b; return true;
    case CILK_EQUAL: result->integer = a == b; return true;
    case CILK_NOT_EQUAL: result->integer = a != b; return true;
    default: return false;
    }
}

static bool divide(bool is_remainder, bool is_signed, uint64_t a, uint64_t b, uint64_t *result)
{
    if (!b)
        return false;
    if (!is_signed)
        *result = is_remainder ? a % b : a / b;
    else if ((int64_t)b == -1)
        *result = is_remainder ? 0 : 0 - a;
    else
        *result = (uint64_t)(is_remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
    return true;
}

static bool is_less(bool is_signed, uint64_t a, uint64_t b)
{
    return is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static bool integer_operation(CilkOperator operator, bool is_signed, uint64_t a, uint64_t b, uint64_t *result)
{
    switch (operator) {
    case CILK_ADD: *result = a + b; return true;
    case CILK_SUBTRACT: *result = a - b; return true;
    case CILK_MULTIPLY: *result = a * b; return true;
    case CILK_DIVIDE: return divide(false, is_signed, a, b, result);
    case CILK_REMAINDER: return divide(true, is_signed, a, b, result);
    case CILK_BIT_AND: *result = a & b; return true;
    case CILK_BIT_OR: *result = a | b; return true;
    case CILK_BIT_XOR: *result = a ^ b; return true;
    case CILK_LESS: *result = is_less(is_signed, a, b); return true;
    case CILK_LESS_EQUAL: *result = !is_less(is_signed, b, a); return true;
    case CILK_GREATER: *result = is_less(is_signed, b, a); return true;
    case CILK_GREATER_EQUAL: *result = !is_less(is_signed, a, b); return true;
    case CILK_EQUAL: *result = a == b; return true;
    case CILK_NOT_EQUAL: *result = a != b; return true;
    default: return false;
    }
}

static bool evaluate_shift(const CilkExpression *expression, Constant left, Constant right, Constant *value)
{
    const CilkType *type = expression->type;
    uint64_t bits = right.integer & (type->size * 8 - 1);
    if (expression->operator == CILK_SHIFT_LEFT)
        value->integer = left.integer << bits;
    else if (cilk_is_signed(type))
        value->integer = (uint64_t)((int64_t)left.integer >> bits);
    else
        value->integer = left.integer >> bits;
    value->integer = fit(value->integer, type);
    return true;
}

static bool evaluate_binary(const CilkExpression *expression, Constant *value)
{
    Constant left, right;
    const CilkType *a = expression->left->type, *b = expression->right->type;
    CilkOperator operator = expression->operator;
    if (!cilk_constant_evaluate(expression->left, &left))
        return false;
    if (operator == CILK_AND || operator == CILK_OR) {
        value->integer = is_true(&left, a);
        if ((value->integer != 0) == (operator == CILK_OR))
            return true;
        if (!cilk_constant_evaluate(expression->right, &right))
            return false;
        value->integer = is_true(&right, b);
        return true;
    }
    if (!cilk_constant_evaluate(expression->right, &right) || !cilk_is_arithmetic(a)
        || !cilk_is_arithmetic(b))
        return false;
    if (operator == CILK_SHIFT_LEFT || operator == CILK_SHIFT_RIGHT)
        return evaluate_shift(expression, cilk_constant_convert(left, a, expression->type), right, value);
    const CilkType *common = cilk_common_type(a, b);
    left = cilk_constant_convert(left, a, common);
    right = cilk_constant_convert(right, b, common);
    if (cilk_is_real(common)) {
        if (!real_operation(operator, left.real, right.real, value))
            return false;
    } else if (!integer_operation(operator, cilk_is_signed(common), left.integer, right.integer,
                                  &value->integer)) {
        return false;
    }
    /* the result has the expression's type: that of a comparison is int, which holds 0 and 1 */
    *value = cilk_constant_convert(*value, expression->type, expression->type);
    return true;
}

static bool evaluate_unary(const CilkExpression *expression, Constant *value)
{
    Constant of;
    const CilkType *from = expression->left->type, *type = expression->type;
    if (!cilk_constant_evaluate(expression->left, &of))
        return false;
    Constant promoted = cilk_is_arithmetic(from) ? cilk_constant_convert(of, from, type) : of;
    switch (expression->operator) {
    case CILK_PLUS:
        *value = promoted;
        return true;
    case CILK_NEGATE:
        value->real = -promoted.real;
        value->integer = fit(0 - promoted.integer, type);
        return true;
    case CILK_BIT_NOT:
        value->integer = fit(~promoted.integer, type);
        return true;
    case CILK_NOT:
        value->integer = !is_true(&of, from);
        return true;
    default:
        return false;
    }
}

static bool evaluate_conditional(const CilkExpression *expression, Constant *value)
{
    Constant condition, chosen;
    if (!cilk_constant_evaluate(expression->left, &condition))
        return false;
    const CilkExpression *side = is_true(&condition, expression->left->type) ? expression->right
                                                                            : expression->third;
    if (!cilk_constant_evaluate(side, &chosen))
        return false;
    *value = cilk_is_arithmetic(side->type) && cilk_is_arithmetic(expression->type)
                 ? cilk_constant_convert(chosen, side->type, expression->type) : chosen;
    return true;
}

bool cilk_constant_evaluate(const CilkExpression *expression, Constant *value)
{
    Constant of;
    *value = (Constant){0};
    switch (expression->kind) {
    case CILK_INTEGER:
        value->integer = expression->integer;
        return true;
    case CILK_REAL:
        value->real = expression->real;
        return true;
    case CILK_UNARY:
        return evaluate_unary(expression, value);
    case CILK_BINARY:
        return evaluate_binary(expression, value);
    case CILK_CONDITIONAL:
        return evaluate_conditional(expression, value);
    case CILK_CAST:
        if (!cilk_is_scalar(expression->type) || !cilk_constant_evaluate(expression->left, &of))
            return false;
        *value = cilk_constant_convert(of, expression->left->type, expression->type);
        return true;
    default:
        return false;
    }
}
