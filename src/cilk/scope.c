/* Names and what they mean, block by block. */
#include <string.h>

#include "base/nearest.h"
#include "cilk/parser.h"

/* Words of C++, which kernels are compiled as, that C leaves to programs; and those of CUDA's that are
 * keywords there. */
static const char *const taken_words[] = {
    "alignas",  "alignof",       "and",         "and_eq",    "asm",      "auto",
    "bitand",   "bitor",         "bool",        "catch",     "class",    "compl",
    "concept",  "const_cast",    "constexpr",   "decltype",  "delete",   "dynamic_cast",
    "explicit", "export",        "false",       "friend",    "mutable",  "namespace",
    "new",      "noexcept",      "not",         "not_eq",    "nullptr",  "operator",
    "or",       "or_eq",         "private",     "protected", "public",   "reinterpret_cast",
    "requires", "static_assert", "static_cast", "template",  "this",     "thread_local",
    "throw",    "true",          "try",         "typeid",    "typename", "typeof",
    "using",    "virtual",       "wchar_t",     "xor",       "xor_eq"};

static uint32_t name_number(Parser *parser, const char *name, size_t length)
{
    uint32_t number;
    if (map_get(&parser->numbers, name, length, &number))
        return number;
    const char *text = arena_strndup(&parser->program->arena, name, length);
    number = parser->names.count;
    VEC_PUSH(&parser->names, ((Name){.text = text}));
    map_put(&parser->numbers, text, length, number);
    return number;
}

void cilk_open_scope(Parser *parser) { VEC_PUSH(&parser->scopes, parser->open.count); }

void cilk_close_scope(Parser *parser)
{
    uint32_t begin = parser->scopes.items[--parser->scopes.count];
    while (parser->open.count > begin) {
        Symbol *symbol = parser->open.items[--parser->open.count];
        Name *name = parser->names.items + symbol->name;
        *(symbol->kind == SYMBOL_TAG ? &name->tag : &name->meaning) = symbol->hidden;
    }
}

Symbol *cilk_find_symbol(Parser *parser, const char *name, size_t length)
{
    uint32_t number;
    return map_get(&parser->numbers, name, length, &number) ? parser->names.items[number].meaning : NULL;
}

Symbol *cilk_find_tag(Parser *parser, const char *name)
{
    uint32_t number;
    return map_get(&parser->numbers, name, strlen(name), &number) ? parser->names.items[number].tag : NULL;
}

/* Whether a program may use the name; it is said why not. */
static bool may_use(Parser *parser, const char *name, CilkPlace place)
{
    if (strstr(name, "__")) {
        cilk_fail(parser, place,
                  "the name %s has two underscores in a row, which the translator keeps for its "
                  "own; choose another.",
                  name);
        return false;
    }
    for (size_t i = 0; i < sizeof taken_words / sizeof *taken_words; i++)
        if (!strcmp(taken_words[i], name)) {
            cilk_fail(parser, place,
                      "%s is a word of C++, which kernels are compiled as; choose another name.", name);
            return false;
        }
    return true;
}

Symbol *cilk_declare(Parser *parser, SymbolKind kind, const char *name, CilkPlace place)
{
    if (cilk_has_failed(parser) || !may_use(parser, name, place))
        return NULL;
    uint32_t number = name_number(parser, name, strlen(name)), scope = parser->scopes.count - 1;
    Name *entry = parser->names.items + number;
    Symbol **meaning = kind == SYMBOL_TAG ? &entry->tag : &entry->meaning;
    if (*meaning && (*meaning)->scope == scope) {
        cilk_fail(parser, place, "%s is declared in line %u already; choose another name.", name,
                  (*meaning)->place.line);
        return NULL;
    }
    Symbol *symbol = ARENA_NEW(&parser->program->arena, Symbol);
    *symbol = (Symbol){.kind = kind, .name = number, .scope = scope, .place = place, .hidden = *meaning};
    *meaning = symbol;
    VEC_PUSH(&parser->open, symbol);
    return symbol;
}

static void add_local(Parser *parser, CilkFunction *function, CilkVariable *variable)
{
    if (function->variable_count == function->variable_capacity) {
        uint32_t capacity = function->variable_capacity ? 2 * function->variable_capacity : 8;
        CilkVariable **variables = ARENA_ARRAY(&parser->program->arena, CilkVariable *, capacity);
        if (function->variable_count)
            memcpy(variables, function->variables, function->variable_count * sizeof *variables);
        function->variables = variables;
        function->variable_capacity = capacity;
    }
    variable->index = function->variable_count;
    function->variables[function->variable_count++] = variable;
}

CilkVariable *cilk_new_variable(Parser *parser, CilkFunction *function, const char *name,
                                const CilkType *type, CilkPlace place)
{
    CilkVariable *variable = ARENA_NEW(&parser->program->arena, CilkVariable);
    *variable = (CilkVariable){.name = name,
                               .unique = name,
                               .type = type,
                               .place = place,
                               .function = function,
                               .index = parser->globals.count};
    if (function)
        add_local(parser, function, variable);
    else
        VEC_PUSH(&parser->globals, variable);
    return variable;
}

void cilk_fail_unknown(Parser *parser, const Token *name)
{
    char hint[NEAREST_HINT_SIZE];
    const char *text =
        arena_strndup(&parser->program->arena, name->start, name->length < 63 ? name->length : 63);
    Nearest nearest = nearest_to(text);
    static const char *const words[] = {"cilk_spawn", "cilk_sync", "return", "while", "unsigned", "double",
                                        "struct", "const"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        nearest_offer(&nearest, words[i]);
    for (uint32_t i = 0; i < parser->names.count; i++)
        if (parser->names.items[i].meaning)
            nearest_offer(&nearest, parser->names.items[i].text);
    const char *near = nearest_name(&nearest);
    cilk_fail(parser, name->place, "%s is not declared%s", text,
              near ? nearest_hint(&nearest, hint, sizeof hint) : ".");
}

/* Every name that stands outside of functions gets a number. */
static void take_outer_names(Parser *parser, Map *taken)
{
    for (uint32_t i = 0; i < parser->functions.count; i++)
        map_put(taken, parser->functions.items[i]->name, strlen(parser->functions.items[i]->name),
                UINT32_MAX);
    for (uint32_t i = 0; i < parser->globals.count; i++)
        map_put(taken, parser->globals.items[i]->name, strlen(parser->globals.items[i]->name), UINT32_MAX);
}

void cilk_make_names_unique(Parser *parser)
{
    /* of each name, the last function that a local has it in, plus one; UINT32_MAX: it stands outside of all.
     * Names with a number behind two underscores are nobody else's. */
    Map taken = {0};
    take_outer_names(parser, &taken);
    for (uint32_t f = 0; f < parser->functions.count; f++) {
        CilkFunction *function = parser->functions.items[f];
        for (uint32_t i = 0; i < function->variable_count; i++) {
            CilkVariable *variable = function->variables[i];
            uint32_t last = 0;
            size_t length = strlen(variable->name);
            bool is_known = map_get(&taken, variable->name, length, &last);
            if (is_known && (last == UINT32_MAX || last == f + 1))
                variable->unique = arena_printf(&parser->program->arena, "%s__%u", variable->name, i);
            else
                map_put(&taken, variable->name, length, f + 1);
        }
    }
    map_free(&taken);
}
