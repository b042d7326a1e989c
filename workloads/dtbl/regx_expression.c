#include "dtbl/regx_expression.h"

/* A part of an expression: where it can begin and end. */
typedef struct Part {
    bool nullable; /* nothing at all will do, too */
    Positions first, last;
} Part;

/* Fails at an expression that is not one, or has more than 63 characters. */
typedef struct Parser {
    const char *at;
    Expression *expression;
    bool failed;
} Parser;

static void link_positions(Expression *expression, Positions from, Positions to)
{
    for (; from; from &= from - 1)
        expression->follow[__builtin_ctzll(from)] |= to;
}

static uint8_t parse_byte(Parser *parser)
{
    parser->at += *parser->at == '\\';
    parser->failed |= *parser->at == '\0';
    return (uint8_t)(*parser->at ? *parser->at++ : 0);
}

/* A character, a set of them or any. */
static Part parse_position(Parser *parser)
{
    Expression *expression = parser->expression;
    parser->failed |= expression->count == 64;
    if (parser->failed)
        return (Part){0};
    const Positions own = (Positions)1 << expression->count++;
    bool taken[BYTES] = {0}, others = false;
    if (*parser->at == '.') {
        others = true;
        parser->at++;
    } else if (*parser->at == '[') {
        parser->at++;
        others = *parser->at == '^';
        parser->at += others;
        while (*parser->at != ']' && !parser->failed) {
            const uint8_t low = parse_byte(parser);
            const bool range = parser->at[0] == '-' && parser->at[1] != ']';
            parser->at += range;
            for (uint32_t byte = low, high = range ? parse_byte(parser) : low; byte <= high; byte++)
                taken[byte] = true;
        }
        parser->at += !parser->failed;
    } else {
        taken[parse_byte(parser)] = true;
    }
    for (uint32_t byte = 0; byte < BYTES; byte++)
        expression->takes[byte] |= taken[byte] != others ? own : 0;
    return (Part){.first = own, .last = own};
}

static Part parse_alternatives(Parser *parser);

static Part parse_repeated(Parser *parser)
{
    Part part;
    if (*parser->at == '(') {
        parser->at++;
        part = parse_alternatives(parser);
        parser->failed |= *parser->at != ')';
        parser->at += !parser->failed;
    } else {
        part = parse_position(parser);
    }
    for (; *parser->at == '*' || *parser->at == '+' || *parser->at == '?'; parser->at++) {
        part.nullable |= *parser->at != '+';
        if (*parser->at != '?')
            link_positions(parser->expression, part.last, part.first);
    }
    return part;
}

static Part parse_sequence(Parser *parser)
{
    Part all = {.nullable = true};
    while (*parser->at && *parser->at != '|' && *parser->at != ')' && !parser->failed) {
        const Part next = parse_repeated(parser);
        link_positions(parser->expression, all.last, next.first);
        all = (Part){.nullable = all.nullable && next.nullable,
                     .first = all.first | (all.nullable ? next.first : 0),
                     .last = next.last | (next.nullable ? all.last : 0)};
    }
    return all;
}

static Part parse_alternatives(Parser *parser)
{
    Part all = parse_sequence(parser);
    while (*parser->at == '|' && !parser->failed) {
        parser->at++;
        const Part next = parse_sequence(parser);
        all.nullable |= next.nullable;
        all.first |= next.first;
        all.last |= next.last;
    }
    return all;
}

bool expression_parse(const char *text, Expression *expression, InputError *error)
{
    *expression = (Expression){.count = 1};
    Parser parser = {.at = text, .expression = expression};
    const Part all = parse_alternatives(&parser);
    expression->follow[0] = all.first;
    expression->last = all.last | (all.nullable ? 1 : 0);
    if (parser.failed || *parser.at)
        return input_fail(error, "'%s' is not a regular expression of at most 63 characters.", text);
    return true;
}

Positions positions_next(const Expression *expression, Positions positions, uint8_t byte)
{
    Positions next = 0;
    for (; positions; positions &= positions - 1)
        next |= expression->follow[__builtin_ctzll(positions)];
    return next & expression->takes[byte];
}

bool expression_matches(const Expression *expression, const uint8_t *at, const uint8_t *end)
{
    Positions positions = 1;
    while (positions && !(positions & expression->last) && at < end)
        positions = positions_next(expression, positions, *at++);
    return positions & expression->last;
}
