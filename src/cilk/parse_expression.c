/* Expressions, by the precedence of their operators. */
#include "cilk/constant.h"
#include "cilk/parser.h"
#include "cilk/types.h"

/* Binary operators; a larger strength binds tighter. */
static const struct BinaryRow {
    TokenKind token;
    CilkOperator operator;
    unsigned strength;
} binary_rows[] = {
    {TK_OR, CILK_OR, 1}, {TK_AND, CILK_AND, 2}, {TK_BAR, CILK_BIT_OR, 3}, {TK_CARET, CILK_BIT_XOR, 4},
    {TK_AMPERSAND, CILK_BIT_AND, 5}, {TK_EQUAL, CILK_EQUAL, 6}, {TK_NOT_EQUAL, CILK_NOT_EQUAL, 6},
    {TK_LESS, CILK_LESS, 7}, {TK_LESS_EQUAL, CILK_LESS_EQUAL, 7}, {TK_GREATER, CILK_GREATER, 7},
    {TK_GREATER_EQUAL, CILK_GREATER_EQUAL, 7}, {TK_SHIFT_LEFT, CILK_SHIFT_LEFT, 8},
    {TK_SHIFT_RIGHT, CILK_SHIFT_RIGHT, 8}, {TK_PLUS, CILK_ADD, 9}, {TK_MINUS, CILK_SUBTRACT, 9},
    {TK_STAR, CILK_MULTIPLY, 10}, {TK_SLASH, CILK_DIVIDE, 10}, {TK_PERCENT, CILK_REMAINDER, 10}};

static const struct AssignRow {
    TokenKind token;
    CilkOperator operator;
} assign_rows[] = {{TK_ASSIGN, CILK_NONE},
                   {TK_ADD_ASSIGN, CILK_ADD},
                   {TK_SUBTRACT_ASSIGN, CILK_SUBTRACT},
                   {TK_MULTIPLY_ASSIGN, CILK_MULTIPLY},
                   {TK_DIVIDE_ASSIGN, CILK_DIVIDE},
                   {TK_REMAINDER_ASSIGN, CILK_REMAINDER},
                   {TK_SHIFT_LEFT_ASSIGN, CILK_SHIFT_LEFT},
                   {TK_SHIFT_RIGHT_ASSIGN, CILK_SHIFT_RIGHT},
                   {TK_AND_ASSIGN, CILK_BIT_AND},
                   {TK_OR_ASSIGN, CILK_BIT_OR},
                   {TK_XOR_ASSIGN, CILK_BIT_XOR}};

static const struct { TokenKind token; CilkOperator operator; } unary_rows[] = {
    {TK_PLUS, CILK_PLUS}, {TK_MINUS, CILK_NEGATE}, {TK_NOT, CILK_NOT}, {TK_TILDE, CILK_BIT_NOT},
    {TK_STAR, CILK_DEREFERENCE}, {TK_AMPERSAND, CILK_ADDRESS}, {TK_INCREMENT, CILK_PRE_INCREMENT},
    {TK_DECREMENT, CILK_PRE_DECREMENT}};

static CilkExpression *parse_unary(Parser *parser);

static CilkExpression *parse_name(Parser *parser)
{
    const Token *name = parser->at++;
    if (cilk_accept(parser, TK_OPEN))
        return cilk_parse_call(parser, name);
    Symbol *symbol = cilk_find_symbol(parser, name->start, name->length);
    if (!symbol) {
        cilk_fail_unknown(parser, name);
        return &parser->bad;
    }
    if (symbol->kind == SYMBOL_VARIABLE)
        return cilk_make_variable(parser, name->place, symbol->variable);
    if (symbol->kind == SYMBOL_NUMBER)
        return cilk_make_integer(parser, name->place, CILK_INT, (uint64_t)symbol->number);
    cilk_fail(parser, name->place, symbol->kind == SYMBOL_FUNCTION
                  ? "%.*s is a function; pointers to functions are outside of the subset."
                  : "%.*s is a type, where a value is expected.", (int)name->length, name->start);
    return &parser->bad;
}

static CilkExpression *parse_primary(Parser *parser)
{
    const Token *token = parser->at;
    CilkExpression *expression;
    switch (token->kind) {
    case TK_NAME:
        return parse_name(parser);
    case TK_INTEGER:
        parser->at++;
        return cilk_make_integer(parser, token->place, token->type, token->integer);
    case TK_REAL:
        parser->at++;
        expression = cilk_make(parser, CILK_REAL, token->place, &cilk_basic_types[token->type], NULL, NULL);
        expression->real = token->real;
        return expression;
    case TK_OPEN:
        parser->at++;
        if (parser->at->kind == TK_OPEN_BRACE)
            cilk_fail(parser, token->place, "statements inside of expressions are outside of the subset.");
        expression = cilk_parse_expression(parser);
        cilk_expect(parser, TK_CLOSE, "')'");
        return cilk_has_failed(parser) ? &parser->bad : expression;
    case TK_STRING:
        cilk_fail(parser, token->place,
                  "strings are outside of the subset, but for initializers of arrays of "
                  "char.");
        return &parser->bad;
    default:
        cilk_expect(parser, TK_NAME, "a value");
        return &parser->bad;
    }
}

static CilkExpression *parse_postfix(Parser *parser)
{
    CilkExpression *expression = parse_primary(parser);
    for (;;) {
        CilkPlace place = parser->at->place, name_place;
        if (cilk_accept(parser, TK_OPEN_INDEX)) {
            CilkExpression *index = cilk_parse_expression(parser);
            cilk_expect(parser, TK_CLOSE_INDEX, "']'");
            expression = cilk_make_index(parser, place, expression, index);
        } else if (parser->at->kind == TK_DOT || parser->at->kind == TK_ARROW) {
            bool is_arrow = parser->at++->kind == TK_ARROW;
            const char *name = cilk_take_name(parser, "the name of a member", &name_place);
            expression = cilk_make_member(parser, place, expression, name, is_arrow);
        } else if (cilk_accept(parser, TK_INCREMENT)) {
            expression = cilk_make_unary(parser, place, CILK_POST_INCREMENT, expression);
        } else if (cilk_accept(parser, TK_DECREMENT)) {
            expression = cilk_make_unary(parser, place, CILK_POST_DECREMENT, expression);
        } else {
            return expression;
        }
    }
}

/* Whether a type in parentheses stands here; behind it the parser is at the parenthesis's end. */
static bool begins_type_in_parentheses(Parser *parser)
{
    if (parser->at->kind != TK_OPEN)
        return false;
    parser->at++;
    bool is_type = cilk_begins_type(parser);
    parser->at--;
    return is_type;
}

static const CilkType *parse_type_in_parentheses(Parser *parser)
{
    cilk_expect(parser, TK_OPEN, "'('");
    const CilkType *type = cilk_parse_type_name(parser);
    cilk_expect(parser, TK_CLOSE, "')' behind the type");
    return type;
}

static CilkExpression *parse_sizeof(Parser *parser)
{
    CilkPlace place = parser->at++->place;
    const CilkType *type = begins_type_in_parentheses(parser) ? parse_type_in_parentheses(parser)
                                                              : parse_unary(parser)->type;
    if (!cilk_has_failed(parser) && !type->size)
        cilk_fail(parser, place, "%s has no size.", cilk_type_text(parser, type));
    return cilk_make_integer(parser, place, CILK_UNSIGNED_LONG, type->size);
}

static CilkExpression *parse_unary_here(Parser *parser)
{
    CilkPlace place = parser->at->place;
    if (parser->at->kind == TK_SPAWN)
        return cilk_parse_spawn(parser);
    if (parser->at->kind == TK_SIZEOF)
        return parse_sizeof(parser);
    if (begins_type_in_parentheses(parser)) {
        const CilkType *type = parse_type_in_parentheses(parser);
        if (parser->at->kind == TK_OPEN_BRACE)
            cilk_fail(parser, place, "compound literals are outside of the subset; declare a variable.");
        return cilk_make_cast(parser, place, type, parse_unary(parser));
    }
    for (size_t i = 0; i < sizeof unary_rows / sizeof *unary_rows; i++)
        if (cilk_accept(parser, unary_rows[i].token))
            return cilk_make_unary(parser, place, unary_rows[i].operator, parse_unary(parser));
    return parse_postfix(parser);
}

static CilkExpression *parse_unary(Parser *parser)
{
    CilkExpression *expression = cilk_enter(parser) ? parse_unary_here(parser) : &parser->bad;
    cilk_leave(parser);
    return expression;
}

static const struct BinaryRow *binary_here(const Parser *parser)
{
    for (size_t i = 0; i < sizeof binary_rows / sizeof *binary_rows; i++)
        if (binary_rows[i].token == parser->at->kind)
            return binary_rows + i;
    return NULL;
}

/* Operators of at least that strength: all of one strength from left to right. */
static CilkExpression *parse_binary(Parser *parser, unsigned strength)
{
    CilkExpression *left = parse_unary(parser);
    for (;;) {
        const struct BinaryRow *row = binary_here(parser);
        if (!row || row->strength < strength)
            return left;
        CilkPlace place = parser->at++->place;
        CilkExpression *right = parse_binary(parser, row->strength + 1);
        left = cilk_make_binary(parser, place, row->operator, left, right);
    }
}

static CilkExpression *parse_conditional(Parser *parser)
{
    CilkExpression *condition = parse_binary(parser, 1);
    CilkPlace place = parser->at->place;
    if (!cilk_accept(parser, TK_QUESTION))
        return condition;
    CilkExpression *left = cilk_parse_expression(parser), *right = &parser->bad;
    cilk_expect(parser, TK_COLON, "':' of a condition");
    if (cilk_enter(parser))
        right = parse_conditional(parser);
    cilk_leave(parser);
    return cilk_make_conditional(parser, place, condition, left, right);
}

static CilkExpression *parse_assignment_here(Parser *parser)
{
    CilkExpression *left = parse_conditional(parser);
    for (size_t i = 0; i < sizeof assign_rows / sizeof *assign_rows; i++) {
        CilkPlace place = parser->at->place;
        if (cilk_accept(parser, assign_rows[i].token))
            return cilk_make_assignment(parser, place, assign_rows[i].operator, left,
                                        cilk_parse_assignment(parser));
    }
    return left;
}

CilkExpression *cilk_parse_assignment(Parser *parser)
{
    CilkExpression *expression = cilk_enter(parser) ? parse_assignment_here(parser) : &parser->bad;
    cilk_leave(parser);
    return expression;
}

CilkExpression *cilk_parse_expression(Parser *parser)
{
    CilkExpression *left = cilk_parse_assignment(parser);
    for (;;) {
        CilkPlace place = parser->at->place;
        if (!cilk_accept(parser, TK_COMMA))
            return left;
        left = cilk_make_binary(parser, place, CILK_COMMA, left, cilk_parse_assignment(parser));
    }
}

int64_t cilk_parse_constant(Parser *parser, const char *what)
{
    CilkExpression *expression = parse_conditional(parser);
    Constant value = {0};
    if (cilk_has_failed(parser))
        return 0;
    if (!cilk_is_integer(expression->type) || !cilk_constant_evaluate(expression, &value))
        cilk_fail(parser, expression->place, "%s is not a constant integer.", what);
    return (int64_t)value.integer;
}
