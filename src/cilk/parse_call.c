/* Calls of functions and of the C library's, and spawns. */
#include <string.h>

#include "cilk/parser.h"
#include "cilk/preprocess.h"
#include "cilk/types.h"

typedef struct BuiltinRow {
    CilkBuiltin builtin;
    unsigned header;
} BuiltinRow;

static const BuiltinRow builtins[] = {
#define BUILTIN(header, name, signature) {{#name, signature}, header},
#include "cilk/builtins.def"
#undef BUILTIN
};

static const char *const header_names[] = {
#define HEADER(identifier, name, text) name,
#include "cilk/headers.def"
#undef HEADER
};

/* What a letter of a signature means. */
static const CilkType *letter_type(char letter)
{
    switch (letter) {
    case 'i': return &cilk_basic_types[CILK_INT];
    case 'l': return &cilk_basic_types[CILK_LONG];
    case 'f': return &cilk_basic_types[CILK_FLOAT];
    default: return &cilk_basic_types[CILK_DOUBLE];
    }
}

static const BuiltinRow *find_builtin(const Token *name)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (cilk_token_is(name, builtins[i].builtin.name))
            return builtins + i;
    return NULL;
}

static CilkFunction *find_function(Parser *parser, const Token *name)
{
    Symbol *symbol = cilk_find_symbol(parser, name->start, name->length);
    if (symbol && symbol->kind == SYMBOL_FUNCTION)
        return symbol->function;
    if (symbol)
        cilk_fail(parser, name->place,
                  "%.*s is not a function; pointers to functions are outside of the subset.",
                  (int)name->length, name->start);
    else
        cilk_fail_unknown(parser, name);
    return NULL;
}

static const BuiltinRow *check_header(Parser *parser, const Token *name, const BuiltinRow *row)
{
    if (!parser->has_header || parser->has_header[row->header])
        return row;
    cilk_fail(parser, name->place, "%s() needs #include <%s>.", row->builtin.name, header_names[row->header]);
    return NULL;
}

/* Reads the arguments behind the parenthesis and converts them. */
static void parse_arguments(Parser *parser, CilkExpression *call, const char *name, uint32_t wanted,
                            const CilkBuiltin *builtin)
{
    call->arguments = ARENA_ARRAY(&parser->program->arena, CilkExpression *, wanted + 1);
    call->argument_count = wanted;
    CilkPlace place = call->place;
    uint32_t count = 0;
    if (!cilk_accept(parser, TK_CLOSE)) {
        do {
            CilkExpression *argument = cilk_parse_assignment(parser);
            if (count < wanted) {
                const CilkType *type = builtin ? letter_type(builtin->signature[count + 1])
                                               : call->function->variables[count]->type;
                argument = cilk_convert(parser, argument, type, "the argument");
                call->arguments[count] = argument;
                if (argument->height >= call->height)
                    call->height = (uint16_t)(argument->height + 1);
            }
            count++;
        } while (cilk_accept(parser, TK_COMMA));
        cilk_expect(parser, TK_CLOSE, "')' behind the arguments");
    }
    if (count != wanted)
        cilk_fail(parser, place, "%s() takes %u argument%s, not %u.", name, wanted, wanted == 1 ? "" : "s",
                  count);
    if (call->height > CILK_MOST_HEIGHT)
        cilk_fail(parser, place, "this expression is nested too deeply; write it in parts.");
}

CilkExpression *cilk_parse_call(Parser *parser, const Token *name)
{
    Symbol *symbol = cilk_find_symbol(parser, name->start, name->length);
    const BuiltinRow *row = symbol ? NULL : find_builtin(name);
    CilkFunction *function = row ? NULL : find_function(parser, name);
    if (row)
        row = check_header(parser, name, row);
    if (!row && !function)
        return &parser->bad;
    const CilkType *type = row ? letter_type(row->builtin.signature[0]) : function->returns;
    CilkExpression *call = cilk_make(parser, CILK_CALL, name->place, type, NULL, NULL);
    call->function = function;
    call->builtin = row ? &row->builtin : NULL;
    if (row)
        parse_arguments(parser, call, row->builtin.name, (uint32_t)strlen(row->builtin.signature) - 1,
                        &row->builtin);
    else
        parse_arguments(parser, call, function->name, function->parameter_count, NULL);
    if (cilk_has_failed(parser))
        return &parser->bad;
    if (function && !parser->function) {
        cilk_fail(parser, name->place, "a function cannot be called outside of functions.");
        return &parser->bad;
    }
    if (function)
        VEC_PUSH(&parser->calls, ((CallEdge){parser->function, function, name->place}));
    return call;
}

CilkExpression *cilk_parse_spawn(Parser *parser)
{
    CilkPlace place = parser->at->place;
    cilk_expect(parser, TK_SPAWN, "cilk_spawn");
    const Token *name = parser->at;
    if (!cilk_accept(parser, TK_NAME) || !cilk_accept(parser, TK_OPEN)) {
        cilk_fail(parser, place, "cilk_spawn needs the call of a function behind it: cilk_spawn f(x).");
        return &parser->bad;
    }
    CilkExpression *call = cilk_parse_call(parser, name);
    if (cilk_has_failed(parser))
        return call;
    if (!call->function) {
        cilk_fail(parser, place,
                  "%s() of the C library cannot be spawned; spawn a function of the program that "
                  "calls it.",
                  call->builtin->name);
        return &parser->bad;
    }
    call->is_spawn = true;
    call->place = place;
    parser->function->is_task = true;
    return call;
}
