/* A module's outermost level: version and target, then variables, functions and debug data in any order. */
#include <string.h>

#include "ptx/parser.h"

enum { MAX_FILES = 1 << 20 };

void parse_pragma(Parser *parser)
{
    parser_advance(parser);
    do
        parser_expect(parser, TOKEN_STRING, "a string after .pragma");
    while (parser_accept(parser, ','));
    parser_expect(parser, ';', "';' after .pragma");
}

/* ".file 1 "kernel.cu", 1700000000, 2048": time and size may be left out. */
void parse_file(Parser *parser)
{
    parser_advance(parser);
    const uint32_t number = (uint32_t)parser_expect_integer(parser, MAX_FILES, "a file number");
    const Token name = parser->token;
    parser_expect(parser, TOKEN_STRING, "a file name in quotes");
    while (parser_accept(parser, ','))
        parser_expect_integer(parser, UINT64_MAX, "a number");
    /* Numbers may have gaps, which are filled with null. */
    while (parser->files.count <= number)
        VEC_PUSH(&parser->files, NULL);
    parser->files.items[number] = arena_strndup(&parser->module->arena, name.start + 1, name.length - 2);
}

/* ".section .debug_info { ... }": nothing in it is needed. */
void parse_section(Parser *parser)
{
    parser_advance(parser);
    if (parser->token.kind != TOKEN_DIRECTIVE && parser->token.kind != TOKEN_NAME)
        parser_expected(parser, "the name of the section");
    parser_advance(parser);
    parser_skip_brackets(parser, '{', '}');
}

static uint32_t parse_function_name(Parser *parser)
{
    const Token token = parser->token;
    const Symbol *symbol = scope_find(parser, parser_expect_name(parser, "a function's name"));
    if (!symbol || symbol->kind != SYMBOL_FUNCTION)
        parser_fail(parser, token.place, "'%.*s' is not a function declared before", (int)token.length,
                    token.start);
    return symbol->index;
}

/* ".alias a, b;": whoever calls a calls b. */
static void parse_alias(Parser *parser)
{
    const Place place = parser->token.place;
    const uint32_t alias = parse_function_name(parser);
    parser_expect(parser, ',', "','");
    const uint32_t target = parse_function_name(parser);
    parser_expect(parser, ';', "';' after .alias");
    if (alias == target || parser->functions.items[alias].has_body)
        parser_fail(parser, place, "an alias must be a function without a body of its own");
    VEC_PUSH(&parser->aliases, ((Alias){alias, target}));
}

/* A statement that is not known: up to its semicolon, or behind its braces. Kernels that need nothing of it
 * can be used. */
static void skip_statement(Parser *parser)
{
    static const char wanted[] = "a directive such as .global, .func or .entry";
    if (parser->token.kind != TOKEN_DIRECTIVE || token_is(&parser->token, ".reg"))
        parser_expected(parser, wanted);
    if (!parser->unknown_line)
        parser->unknown_line = parser_unknown(parser, wanted);
    while (parser->token.kind != ';' && parser->token.kind != TOKEN_END) {
        if (parser->token.kind == '{') {
            parser_skip_brackets(parser, '{', '}');
            break;
        }
        parser_advance(parser);
    }
    parser_accept(parser, ';');
}

static void parse_statement(Parser *parser)
{
    Space space;
    if (parser->token.kind != TOKEN_DIRECTIVE)
        parser_expected(parser, "a directive such as .global, .func or .entry");
    if (parser_accept_directive(parser, ".target")) {
        parse_target(parser);
    } else if (parser_accept_directive(parser, ".address_size")) {
        parse_address_size(parser);
    } else if (token_is(&parser->token, ".file")) {
        parse_file(parser);
    } else if (token_is(&parser->token, ".section")) {
        parse_section(parser);
    } else if (token_is(&parser->token, ".pragma")) {
        parse_pragma(parser);
    } else {
        if (!parser->module->target)
            parser_expected(parser, "'.target' before the first declaration");
        if (parser_accept_directive(parser, ".alias")) {
            parse_alias(parser);
            return;
        }
        Linkage linkage = parse_linkage(parser);
        linkage.is_managed = parse_attributes(parser);
        if (token_is(&parser->token, ".func") || token_is(&parser->token, ".entry"))
            parse_function(parser, linkage);
        else if (space_of(&parser->token, &space) && space != SPACE_REG)
            parse_variables(parser, linkage);
        else
            skip_statement(parser);
    }
}

/* Makes every use of an alias a use of what it stands for. */
static void resolve_aliases(Parser *parser)
{
    uint32_t *stands_for = ARENA_ARRAY(&parser->module->arena, uint32_t, parser->functions.count);
    for (uint32_t i = 0; i < parser->functions.count; i++)
        stands_for[i] = i;
    /* One step is enough: PTX wants what an alias stands for to have a body, and an alias has none. */
    for (uint32_t i = 0; i < parser->aliases.count; i++)
        stands_for[parser->aliases.items[i].alias] = parser->aliases.items[i].target;
    for (uint32_t i = 0; i < parser->functions.count; i++) {
        Function *function = &parser->functions.items[i];
        for (uint32_t k = 0; k < function->operand_count; k++)
            if (function->operands[k].kind == PTX_FUNCTION)
                function->operands[k].index = stands_for[function->operands[k].index];
    }
    for (uint32_t i = 0; i < parser->variables.count; i++) {
        Variable *variable = &parser->variables.items[i];
        Relocation *relocations = arena_copy(&parser->module->arena, variable->relocations,
                                             variable->relocation_count * sizeof(Relocation));
        for (uint32_t k = 0; k < variable->relocation_count; k++)
            if (relocations[k].is_function)
                relocations[k].target = stands_for[relocations[k].target];
        variable->relocations = relocations;
    }
}

/* A module of which nothing can be used is refused at once. */
static void check_problems(Parser *parser)
{
    const char *problem = parser->unknown_line;
    for (uint32_t i = 0; i < parser->functions.count; i++) {
        const Function *function = &parser->functions.items[i];
        /* One kernel that can be used is enough. */
        if (function->is_entry && !function->problem)
            return;
        problem = problem ? problem : function->problem;
    }
    if (!problem)
        return;
    error_set(parser->error, WB_ERROR_PTX, "%s", problem);
    longjmp(parser->escape, 1);
}

static void parse_all(Parser *parser)
{
    parser_advance(parser);
    if (!parser_accept_directive(parser, ".version"))
        parser_expected(parser, "'.version' at the beginning of the module");
    parse_version(parser);
    while (parser->token.kind != TOKEN_END)
        parse_statement(parser);
    if (!parser->module->address_bits)
        parser->module->address_bits = 64; /* as the assembler takes it on hosts that are common today */
    if (parser->aliases.count)
        resolve_aliases(parser);
    check_problems(parser);
}

/* Hands the vectors over to the module. */
static void finish_module(Parser *parser)
{
    /* Before functions are copied: it changes their instructions. */
    resolve_locations(parser);
    Module *module = parser->module;
    Arena *arena = &module->arena;
    module->variable_count = parser->variables.count;
    module->variables = arena_copy(arena, parser->variables.items, module->variable_count * sizeof(Variable));
    module->function_count = parser->functions.count;
    module->functions = arena_copy(arena, parser->functions.items, module->function_count * sizeof(Function));
    module->file_count = parser->files.count;
    module->files = arena_copy(arena, parser->files.items, module->file_count * sizeof(char *));
    for (uint32_t i = 0; i < module->function_count; i++)
        map_put(&module->function_names, module->functions[i].name, strlen(module->functions[i].name), i);
    /* Variables of functions may share a name with others, and are found by nobody from outside. */
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].function == NO_INDEX)
            map_put(&module->variable_names, module->variables[i].name, strlen(module->variables[i].name), i);
}

static void free_parser(Parser *parser)
{
    map_free(&parser->names);
    map_free(&parser->opcodes);
    VEC_FREE(&parser->bytes);
    VEC_FREE(&parser->relocations);
    VEC_FREE(&parser->formals);
    VEC_FREE(&parser->name_list);
    VEC_FREE(&parser->symbols);
    VEC_FREE(&parser->fixups);
    VEC_FREE(&parser->opcode_list);
    VEC_FREE(&parser->opcode_mods);
    VEC_FREE(&parser->variables);
    VEC_FREE(&parser->functions);
    VEC_FREE(&parser->aliases);
    VEC_FREE(&parser->files);
    VEC_FREE(&parser->locations);
    map_free(&parser->location_numbers);
    VEC_FREE(&parser->registers);
    VEC_FREE(&parser->insns);
    VEC_FREE(&parser->operands);
    VEC_FREE(&parser->mods);
    VEC_FREE(&parser->tables);
    VEC_FREE(&parser->elements);
    xfree(parser);
}

static Module *new_module(const char *file_name, const char *text, size_t length)
{
    Arena arena = {0};
    Module *module = ARENA_NEW(&arena, Module);
    module->file_name = arena_strndup(&arena, file_name, strlen(file_name));
    /* The text is kept for sentences and sources; arena_strndup() puts the zero behind it that the lexer
     * needs. */
    module->text = arena_strndup(&arena, text, length);
    module->text_length = length;
    module->arena = arena;
    return module;
}

static Parser *new_parser(Module *module, Error *error)
{
    Parser *parser = xcalloc(1, sizeof *parser);
    parser->module = module;
    parser->error = error;
    parser->function = parser->free_symbol = NO_INDEX;
    parser->scopes[0] = (Scope){NO_INDEX, NO_INDEX, false};
    lexer_init(&parser->lexer, module->text, module->text_length);
    /* Slices of these are taken by pointer even when empty. */
    VEC_RESERVE(&parser->formals, 16);
    VEC_RESERVE(&parser->operands, 256);
    VEC_RESERVE(&parser->opcode_mods, 256);
    return parser;
}

WbStatus module_parse(const char *file_name, const char *text, size_t length, Module **module, Error *error)
{
    *module = NULL;
    if (length >= UINT32_MAX)
        return error_set(error, WB_ERROR_PTX, "%s: a PTX text has less than 4 GiB, this one has %zu bytes",
                         file_name, length);
    Parser *parser = new_parser(new_module(file_name, text, length), error);
    /* Every error of the parser comes here by longjmp(). All it has allocated belongs to the module's arena
     * or to the parser, so nothing is lost. */
    if (setjmp(parser->escape)) {
        module_free(parser->module);
        free_parser(parser);
        return error->status;
    }
    parse_all(parser);
    finish_module(parser);
    *module = parser->module;
    free_parser(parser);
    return WB_OK;
}
