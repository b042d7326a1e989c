/* Declarations: functions, globals, locals, typedefs. */
#include <string.h>

#include "cilk/parser.h"
#include "cilk/types.h"

bool cilk_parse_static_assert(Parser *parser)
{
    CilkPlace place = parser->at->place;
    if (!cilk_accept(parser, TK_STATIC_ASSERT))
        return false;
    cilk_expect(parser, TK_OPEN, "'('");
    int64_t value = cilk_parse_constant(parser, "the condition");
    if (cilk_accept(parser, TK_COMMA))
        cilk_expect(parser, TK_STRING, "a string");
    cilk_expect(parser, TK_CLOSE, "')'");
    cilk_expect(parser, TK_SEMICOLON, "';'");
    if (!value)
        cilk_fail(parser, place, "this assertion does not hold.");
    return true;
}

static void declare_type(Parser *parser, const Declarator *declarator)
{
    Symbol *known = cilk_find_symbol(parser, declarator->name, strlen(declarator->name));
    bool is_same = known && known->kind == SYMBOL_TYPE && known->scope == parser->scopes.count - 1
                   && cilk_is_same_type(known->type, declarator->type);
    if (declarator->is_function || declarator->is_open_array)
        cilk_fail(parser, declarator->place,
                  "types of functions and of arrays without a number are outside of "
                  "the subset.");
    if (is_same || cilk_has_failed(parser))
        return;
    Symbol *symbol = cilk_declare(parser, SYMBOL_TYPE, declarator->name, declarator->place);
    if (symbol)
        symbol->type = declarator->type;
}

static bool check_variable(Parser *parser, const Declarator *declarator)
{
    if (!*declarator->name)
        cilk_fail(parser, declarator->place, "a name is expected here.");
    else if (!declarator->type->size && !declarator->is_open_array)
        cilk_fail(parser, declarator->place, "%s has a type without a size.", declarator->name);
    return !cilk_has_failed(parser);
}

/* A global that is declared once more is the same one. */
static CilkVariable *known_global(Parser *parser, const Declarator *declarator)
{
    Symbol *symbol = cilk_find_symbol(parser, declarator->name, strlen(declarator->name));
    bool is_same = symbol && symbol->kind == SYMBOL_VARIABLE && !parser->function
                   && cilk_is_same_type(symbol->variable->type, declarator->type)
                   && !symbol->variable->initial;
    return is_same ? symbol->variable : NULL;
}

static void declare_variable(Parser *parser, const Declarator *declarator, StatementList *list)
{
    if (!check_variable(parser, declarator))
        return;
    CilkVariable *variable = known_global(parser, declarator);
    if (!variable) {
        Symbol *symbol = cilk_declare(parser, SYMBOL_VARIABLE, declarator->name, declarator->place);
        if (!symbol)
            return;
        variable = cilk_new_variable(parser, parser->function, declarator->name, declarator->type,
                                     declarator->place);
        symbol->variable = variable;
    }
    if (cilk_accept(parser, TK_ASSIGN))
        cilk_parse_initializer(parser, variable, declarator->is_open_array, list);
    else if (declarator->is_open_array)
        cilk_fail(parser, declarator->place, "%s needs the number of its elements or an initializer.",
                  declarator->name);
}

/* The parameters, as variables of the function. */
static void set_parameters(Parser *parser, CilkFunction *function, const Declarator *declarator)
{
    function->variable_count = function->parameter_count = 0;
    for (uint32_t i = 0; i < declarator->parameters.count; i++) {
        const Parameter *parameter = declarator->parameters.items + i;
        const char *name = *parameter->name ? parameter->name : "unused";
        cilk_new_variable(parser, function, name, parameter->type, parameter->place)->is_parameter = true;
        function->parameter_count++;
    }
}

static bool is_same_function(const CilkFunction *function, const Declarator *declarator)
{
    bool is_same = cilk_is_same_type(function->returns, declarator->type)
                   && function->parameter_count == declarator->parameters.count;
    for (uint32_t i = 0; is_same && i < function->parameter_count; i++)
        is_same = cilk_is_same_type(function->variables[i]->type, declarator->parameters.items[i].type);
    return is_same;
}

/* The function of that name: one that is declared already, or a new one. */
static CilkFunction *declare_function(Parser *parser, const Declarator *declarator)
{
    Symbol *symbol = cilk_find_symbol(parser, declarator->name, strlen(declarator->name));
    if (parser->function) {
        cilk_fail(parser, declarator->place, "declare %s() outside of functions.", declarator->name);
        return NULL;
    }
    if (symbol && symbol->kind == SYMBOL_FUNCTION) {
        if (is_same_function(symbol->function, declarator))
            return symbol->function;
        cilk_fail(parser, declarator->place, "%s() is declared in line %u with other types.",
                  declarator->name, symbol->place.line);
        return NULL;
    }
    if (declarator->type->kind != CILK_VOID && !declarator->type->size)
        cilk_fail(parser, declarator->place, "%s() returns a struct that is not defined.", declarator->name);
    symbol = cilk_declare(parser, SYMBOL_FUNCTION, declarator->name, declarator->place);
    if (!symbol)
        return NULL;
    CilkFunction *function = ARENA_NEW(&parser->program->arena, CilkFunction);
    *function = (CilkFunction){.name = declarator->name, .place = declarator->place,
                               .index = parser->functions.count,
                               .returns = cilk_without_const(&parser->program->arena, declarator->type)};
    symbol->function = function;
    VEC_PUSH(&parser->functions, function);
    set_parameters(parser, function, declarator);
    return function;
}

static void parse_body(Parser *parser, CilkFunction *function, const Declarator *declarator)
{
    CilkPlace place = parser->at->place;
    if (function->body) {
        cilk_fail(parser, declarator->place, "%s() is defined in line %u already.", function->name,
                  function->place.line);
        return;
    }
    function->place = declarator->place;
    set_parameters(parser, function, declarator);
    parser->function = function;
    cilk_open_scope(parser);
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        if (!*declarator->parameters.items[i].name)
            cilk_fail(parser, function->variables[i]->place, "this parameter needs a name.");
        Symbol *symbol = cilk_declare(parser, SYMBOL_VARIABLE, function->variables[i]->name,
                                      function->variables[i]->place);
        if (symbol)
            symbol->variable = function->variables[i];
    }
    parser->at += parser->at->kind == TK_OPEN_BRACE;
    function->body = cilk_parse_block(parser, place);
    cilk_close_scope(parser);
    parser->function = NULL;
}

/* One name of a declaration; true: a function's body has ended the declaration. */
static bool parse_name(Parser *parser, const Specifiers *specifiers, StatementList *list)
{
    Declarator declarator = {0};
    bool is_body = false;
    cilk_parse_declarator(parser, specifiers->type, &declarator);
    if (cilk_has_failed(parser)) {
        /* nothing is declared */
    } else if (!*declarator.name) {
        cilk_fail(parser, declarator.place, "a name is expected here.");
    } else if (specifiers->is_typedef) {
        declare_type(parser, &declarator);
    } else if (declarator.is_function) {
        CilkFunction *function = declare_function(parser, &declarator);
        is_body = function && parser->at->kind == TK_OPEN_BRACE;
        if (is_body)
            parse_body(parser, function, &declarator);
    } else if (specifiers->is_extern) {
        cilk_fail(parser, declarator.place, "a program is one file; leave out extern.");
    } else if (specifiers->is_static && parser->function) {
        cilk_fail(parser, declarator.place,
                  "static variables of functions are outside of the subset; declare %s "
                  "outside of the function.",
                  declarator.name);
    } else {
        declare_variable(parser, &declarator, list);
    }
    VEC_FREE(&declarator.parameters);
    return is_body;
}

void cilk_parse_declaration(Parser *parser, StatementList *list)
{
    Specifiers specifiers;
    cilk_parse_specifiers(parser, &specifiers);
    if (cilk_accept(parser, TK_SEMICOLON))
        return; /* a struct or an enumeration */
    do {
        if (parse_name(parser, &specifiers, list))
            return;
    } while (cilk_accept(parser, TK_COMMA));
    cilk_expect(parser, TK_SEMICOLON, "';' behind a declaration");
}

void cilk_parse_file(Parser *parser)
{
    while (parser->at->kind != TK_END)
        if (!cilk_accept(parser, TK_SEMICOLON) && !cilk_parse_static_assert(parser))
            cilk_parse_declaration(parser, NULL);
}
