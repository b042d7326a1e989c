/* The part of a declaration that a name has for itself: pointers, arrays, parameters. */
#include "cilk/parser.h"
#include "cilk/types.h"

enum { MOST_DIMENSIONS = 16 };

static const CilkType *parse_pointers(Parser *parser, const CilkType *type)
{
    while (cilk_accept(parser, TK_STAR)) {
        type = cilk_pointer_to(&parser->program->arena, type);
        for (;;) {
            if (cilk_accept(parser, TK_CONST))
                type = cilk_const_of(&parser->program->arena, type);
            else if (parser->at->kind == TK_VOLATILE)
                cilk_fail(parser, parser->at->place, "volatile is outside of the subset.");
            else if (!cilk_accept(parser, TK_RESTRICT))
                break;
        }
    }
    return type;
}

static void parse_parameter(Parser *parser, Declarator *function)
{
    Specifiers specifiers;
    Declarator declarator = {0};
    CilkPlace place = parser->at->place;
    if (parser->at->kind == TK_ELLIPSIS)
        cilk_fail(parser, place, "functions with any number of arguments are outside of the subset.");
    cilk_parse_specifiers(parser, &specifiers);
    cilk_parse_declarator(parser, specifiers.type, &declarator);
    if (cilk_has_failed(parser)) {
        VEC_FREE(&declarator.parameters);
        return;
    }
    if (declarator.is_function || specifiers.is_typedef || specifiers.is_static || specifiers.is_extern)
        cilk_fail(parser, place,
                  "a parameter is a value or a pointer; pointers to functions are outside of the "
                  "subset.");
    const CilkType *type = declarator.type;
    if (type->kind == CILK_ARRAY)
        type = cilk_pointer_to(&parser->program->arena, type->to);
    else if (!type->size)
        cilk_fail(parser, place, "this parameter has no size.");
    if (!cilk_has_failed(parser))
        VEC_PUSH(&function->parameters, ((Parameter){declarator.name, type, declarator.place}));
    VEC_FREE(&declarator.parameters);
}

static void parse_parameters(Parser *parser, Declarator *declarator)
{
    declarator->is_function = true;
    if (cilk_accept(parser, TK_CLOSE))
        return;
    if (parser->at->kind == TK_VOID && parser->at[1].kind == TK_CLOSE) {
        parser->at += 2;
        return;
    }
    do {
        parse_parameter(parser, declarator);
    } while (cilk_accept(parser, TK_COMMA));
    cilk_expect(parser, TK_CLOSE, "')' behind the parameters");
}

/* The number in brackets; 0: none, which only the first may have. */
static uint64_t parse_dimension(Parser *parser, bool is_first, Declarator *declarator)
{
    CilkPlace place = parser->at->place;
    while (cilk_accept(parser, TK_CONST) || cilk_accept(parser, TK_STATIC)
           || cilk_accept(parser, TK_RESTRICT)) {
        /* they say what is true of parameters anyway */
    }
    if (is_first && cilk_accept(parser, TK_CLOSE_INDEX)) {
        declarator->is_open_array = true;
        return 0;
    }
    int64_t count = cilk_parse_constant(parser, "the number of an array's elements");
    cilk_expect(parser, TK_CLOSE_INDEX, "']'");
    if (!cilk_has_failed(parser) && count <= 0)
        cilk_fail(parser, place, "an array needs at least one element.");
    return cilk_has_failed(parser) ? 1 : (uint64_t)count;
}

/* Brackets or parameters behind a name. */
static const CilkType *parse_suffix(Parser *parser, const CilkType *type, Declarator *declarator)
{
    uint64_t counts[MOST_DIMENSIONS];
    unsigned dimensions = 0;
    CilkPlace place = parser->at->place;
    if (cilk_accept(parser, TK_OPEN)) {
        if (declarator->is_function)
            cilk_fail(parser, place, "functions that return functions are outside of the subset.");
        parse_parameters(parser, declarator);
        if (!cilk_has_failed(parser) && type->kind == CILK_ARRAY)
            cilk_fail(parser, place, "a function does not return an array.");
        return type;
    }
    while (cilk_accept(parser, TK_OPEN_INDEX)) {
        if (dimensions == MOST_DIMENSIONS) {
            cilk_fail(parser, place, "this array has too many dimensions.");
            break;
        }
        counts[dimensions] = parse_dimension(parser, !dimensions && !declarator->is_open_array, declarator);
        dimensions++;
    }
    while (dimensions && !cilk_has_failed(parser)) {
        const CilkType *array =
            type->size ? cilk_array_of(&parser->program->arena, type, counts[--dimensions]) : NULL;
        if (!array)
            cilk_fail(parser, place, "elements of %s make no array: they have no size, or too much of it.",
                      cilk_type_text(parser, type));
        else
            type = array;
    }
    return type;
}

/* Behind the parenthesis that closes the one before the parser. */
static const Token *behind_parentheses(const Parser *parser)
{
    unsigned depth = 1;
    const Token *at = parser->at;
    for (; depth && at->kind != TK_END; at++)
        depth += (at->kind == TK_OPEN) - (at->kind == TK_CLOSE);
    return at;
}

static void parse_declarator_here(Parser *parser, const CilkType *type, Declarator *declarator)
{
    type = parse_pointers(parser, type);
    bool is_nested = parser->at->kind == TK_OPEN
                     && (parser->at[1].kind == TK_STAR || parser->at[1].kind == TK_OPEN
                         || (parser->at[1].kind == TK_NAME && !declarator->is_function));
    if (is_nested && !cilk_has_failed(parser)) {
        /* what stands behind the parentheses is nearer to the type than what stands in them */
        const Token *inside = ++parser->at;
        parser->at = behind_parentheses(parser);
        type = parse_suffix(parser, type, declarator);
        const Token *behind = parser->at;
        if (declarator->is_function)
            cilk_fail(parser, inside->place, "pointers to functions are outside of the subset.");
        if (cilk_has_failed(parser))
            return;
        parser->at = inside;
        cilk_parse_declarator(parser, type, declarator);
        cilk_expect(parser, TK_CLOSE, "')'");
        if (!cilk_has_failed(parser))
            parser->at = behind;
        return;
    }
    declarator->place = parser->at->place;
    declarator->name = "";
    if (parser->at->kind == TK_NAME)
        declarator->name = cilk_take_name(parser, "a name", &declarator->place);
    declarator->type = parse_suffix(parser, type, declarator);
}

void cilk_parse_declarator(Parser *parser, const CilkType *base, Declarator *declarator)
{
    declarator->name = "";
    declarator->type = base;
    declarator->place = parser->at->place;
    if (cilk_enter(parser))
        parse_declarator_here(parser, base, declarator);
    cilk_leave(parser);
    bool is_open = declarator->type->kind == CILK_ARRAY && !declarator->type->count;
    if (declarator->is_open_array != is_open)
        cilk_fail(parser, declarator->place,
                  "only a variable or a parameter itself may be an array without a "
                  "number.");
    if (declarator->type->depth > CILK_MOST_DEPTH)
        cilk_fail(parser, declarator->place, "this type is nested too deeply.");
}
