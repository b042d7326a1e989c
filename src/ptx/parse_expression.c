/* Constant expressions: 64-bit integers, signed unless a literal or a cast says otherwise, with C's
 * operators and precedence. */
#include "ptx/parser.h"

bool expression_begins(const Token *token)
{
    switch (token->kind) {
    case TOKEN_INTEGER: case '-': case '+': case '~': case '!': case '(':
        return true;
    case TOKEN_NAME:
        return token_is(token, "WARP_SZ");
    default:
        return false;
    }
}

/* "(.u64) x": after its opening parenthesis. */
static bool parse_cast(Parser *parser, bool *is_unsigned)
{
    const Type type = parser_type(&parser->token);
    if (type == MOD_NONE)
        return false;
    if (type != TYPE_s64 && type != TYPE_u64)
        parser_expected(parser, ".s64 or .u64");
    *is_unsigned = type == TYPE_u64;
    parser_advance(parser);
    parser_expect(parser, ')', "')' after the cast's type");
    return true;
}

static Constant parse_unary(Parser *parser)
{
    const Token token = parser->token;
    Constant result;
    parser_enter(parser);
    if (!expression_begins(&token))
        parser_expected(parser, "a constant");
    parser_advance(parser);
    switch (token.kind) {
    case '-': result = parse_unary(parser); result.bits = 0 - result.bits; break;
    case '+': result = parse_unary(parser); break;
    case '~': result = parse_unary(parser); result.bits = ~result.bits; break;
    case '!': result = (Constant){!parse_unary(parser).bits, false}; break;
    case '(': {
        bool is_unsigned;
        if (parse_cast(parser, &is_unsigned)) {
            result = (Constant){parse_unary(parser).bits, is_unsigned};
        } else {
            result = parse_expression(parser);
            parser_expect(parser, ')', "')' at the end of the expression");
        }
        break;
    }
    case TOKEN_NAME: result = (Constant){32, false}; break; /* WARP_SZ */
    default: result = (Constant){token.value, token.is_unsigned}; break;
    }
    parser_leave(parser);
    return result;
}

/* How tightly a binary operator binds; 0 for what is none. */
static int precedence(int kind)
{
    switch (kind) {
    case TOKEN_OR: return 1;
    case TOKEN_AND: return 2;
    case '|': return 3;
    case '^': return 4;
    case '&': return 5;
    case TOKEN_EQUAL: case TOKEN_NOT_EQUAL: return 6;
    case '<': case '>': case TOKEN_LESS_EQUAL: case TOKEN_GREATER_EQUAL: return 7;
    case TOKEN_SHIFT_LEFT: case TOKEN_SHIFT_RIGHT: return 8;
    case '+': case '-': return 9;
    case '*': case '/': case '%': return 10;
    default: return 0;
    }
}

static uint64_t divide(Parser *parser, const Token *operator, Constant a, Constant b, bool is_unsigned)
{
    const bool wants_rest = operator->kind == '%';
    if (!b.bits)
        parser_fail(parser, operator->place, "division by zero in a constant expression");
    if (is_unsigned)
        return wants_rest ? a.bits % b.bits : a.bits / b.bits;
    const int64_t x = (int64_t)a.bits, y = (int64_t)b.bits;
    if (y == -1) /* the one quotient that can overflow: x / -1 */
        return wants_rest ? 0 : 0 - a.bits;
    return (uint64_t)(wants_rest ? x % y : x / y);
}

/* C leaves shifts by 64 or more undefined; here all bits are gone then, or all are the sign. */
static uint64_t shift(int kind, Constant a, uint64_t amount)
{
    if (kind == TOKEN_SHIFT_LEFT)
        return amount < 64 ? a.bits << amount : 0;
    if (a.is_unsigned)
        return amount < 64 ? a.bits >> amount : 0;
    return (uint64_t)((int64_t)a.bits >> (amount < 63 ? amount : 63));
}

static bool is_less(Constant a, Constant b, bool is_unsigned)
{
    return is_unsigned ? a.bits < b.bits : (int64_t)a.bits < (int64_t)b.bits;
}

static Constant apply(Parser *parser, const Token *operator, Constant a, Constant b)
{
    /* As in C, one unsigned operand makes the operation unsigned; comparisons give a signed 0 or 1. */
    const bool is_unsigned = a.is_unsigned || b.is_unsigned;
    switch (operator->kind) {
    case TOKEN_OR: return (Constant){a.bits || b.bits, false};
    case TOKEN_AND: return (Constant){a.bits && b.bits, false};
    case '|': return (Constant){a.bits | b.bits, is_unsigned};
    case '^': return (Constant){a.bits ^ b.bits, is_unsigned};
    case '&': return (Constant){a.bits & b.bits, is_unsigned};
    case TOKEN_EQUAL: return (Constant){a.bits == b.bits, false};
    case TOKEN_NOT_EQUAL: return (Constant){a.bits != b.bits, false};
    case '<': return (Constant){is_less(a, b, is_unsigned), false};
    case '>': return (Constant){is_less(b, a, is_unsigned), false};
    case TOKEN_LESS_EQUAL: return (Constant){!is_less(b, a, is_unsigned), false};
    case TOKEN_GREATER_EQUAL: return (Constant){!is_less(a, b, is_unsigned), false};
    case TOKEN_SHIFT_LEFT: case TOKEN_SHIFT_RIGHT:
        return (Constant){shift(operator->kind, a, b.bits), a.is_unsigned};
    case '+': return (Constant){a.bits + b.bits, is_unsigned};
    case '-': return (Constant){a.bits - b.bits, is_unsigned};
    case '*': return (Constant){a.bits * b.bits, is_unsigned};
    default: return (Constant){divide(parser, operator, a, b, is_unsigned), is_unsigned};
    }
}

static Constant parse_binary(Parser *parser, int weakest)
{
    Constant left = parse_unary(parser);
    for (;;) {
        const Token operator = parser->token;
        const int binds = precedence(operator.kind);
        if (!binds || binds < weakest)
            return left;
        parser_advance(parser);
        /* Operators of one strength group from the left, so the right side takes only stronger ones. */
        left = apply(parser, &operator, left, parse_binary(parser, binds + 1));
    }
}

Constant parse_expression(Parser *parser)
{
    parser_enter(parser);
    Constant result = parse_binary(parser, 1);
    /* Both sides are read and only one is used: constants have no effect. */
    if (parser_accept(parser, '?')) {
        const Constant yes = parse_expression(parser);
        parser_expect(parser, ':', "':' of the conditional expression");
        const Constant no = parse_expression(parser);
        result = (Constant){result.bits ? yes.bits : no.bits, yes.is_unsigned || no.is_unsigned};
    }
    parser_leave(parser);
    return result;
}
