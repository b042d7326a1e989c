/* Functions and kernels: the header, its formals and its directives. The body is in parse_body.c. */
#include <string.h>

#include "ptx/parser.h"

/* A vector register is as many formals in a row. */
static void parse_formal(Parser *parser)
{
    Space space;
    if (!space_of(&parser->token, &space) || (space != SPACE_PARAM && space != SPACE_REG))
        parser_expected(parser, "'.param' or '.reg'");
    parser_advance(parser);
    const Declaration declaration = parse_declaration(parser);
    Dimensions dimensions;
    Variable formal = parse_declarator(parser, space, &declaration, &dimensions);
    if (space == SPACE_PARAM && declaration.vector > 1 && !dimensions.count)
        parser_fail(parser, formal.place, "'%s' cannot be a vector in .param; declare it as an array",
                    formal.name);
    const unsigned count = space == SPACE_REG ? declaration.vector : 1;
    /* Of a vector in registers each part is a formal by itself, and the first one says how many follow. */
    formal.size /= count;
    for (unsigned i = 0; i < count; i++) {
        formal.vector = (uint8_t)(i ? 0 : count);
        VEC_PUSH(&parser->formals, formal);
    }
}

void parse_formals(Parser *parser)
{
    parser_expect(parser, '(', "'('");
    if (parser->token.kind != ')') {
        do
            parse_formal(parser);
        while (parser_accept(parser, ','));
    }
    parser_expect(parser, ')', "',' or ')' after the formal parameter");
}

/* Up to three numbers, of which those left out are 1. */
static void parse_extent(Parser *parser, uint32_t extent[3])
{
    unsigned count = 0;
    extent[0] = extent[1] = extent[2] = 1;
    do
        extent[count++] = (uint32_t)parser_expect_integer(parser, UINT32_MAX, "a number");
    while (count < 3 && parser_accept(parser, ','));
}

/* A header without body or ';' ends where the next statement begins: false. What is no directive that is
 * known is passed over, with its numbers; who uses the function is told. */
static bool skip_directive(Parser *parser, Function *function)
{
    static const char *const statements[] = {".func",   ".entry", ".global", ".const",   ".shared", ".local",
                                             ".visible", ".weak",  ".extern", ".common", ".alias",  ".file",
                                             ".section", ".target", ".tex",   ".loc"};
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (token_is(&parser->token, statements[i]))
            return false;
    /* The first one is told; others are most often its consequence. */
    if (!function->problem)
        function->problem = parser_unknown(parser, "a function directive, '{' or ';'");
    parser_advance(parser);
    while (parser->token.kind == TOKEN_INTEGER || parser->token.kind == ',')
        parser_advance(parser);
    return true;
}

/* One directive between header and body; false at the first token that is none. */
static bool parse_directive(Parser *parser, Function *function)
{
    uint32_t ignored[3];
    if (parser->token.kind != TOKEN_DIRECTIVE)
        return false;
    if (parser_accept_directive(parser, ".maxntid"))
        parse_extent(parser, function->max_threads);
    else if (parser_accept_directive(parser, ".reqntid"))
        parse_extent(parser, function->required_threads);
    else if (parser_accept_directive(parser, ".reqnctapercluster"))
        parse_extent(parser, ignored);
    else if (parser_accept_directive(parser, ".maxnreg"))
        function->max_registers = (uint32_t)parser_expect_integer(parser, UINT32_MAX, "a count of registers");
    else if (parser_accept_directive(parser, ".minnctapersm"))
        function->min_blocks = (uint32_t)parser_expect_integer(parser, UINT32_MAX, "a count of blocks");
    else if (parser_accept_directive(parser, ".maxnctapersm") ||
             parser_accept_directive(parser, ".maxclusterrank") ||
             parser_accept_directive(parser, ".abi_preserve") ||
             parser_accept_directive(parser, ".abi_preserve_control"))
        parser_expect_integer(parser, UINT32_MAX, "a number");
    else if (parser_accept_directive(parser, ".noreturn"))
        function->no_return = true;
    else if (parser_accept_directive(parser, ".explicitcluster") ||
             parser_accept_directive(parser, ".blocksareclusters"))
        ;
    else if (token_is(&parser->token, ".pragma"))
        parse_pragma(parser);
    else if (token_is(&parser->token, ".attribute"))
        parse_attributes(parser);
    else
        return skip_directive(parser, function);
    return true;
}

/* Gives formals their variables (numbers in `reuse` where a declaration made them before), their symbols, and
 * registers where they live in such. */
static uint32_t *bind_formals(Parser *parser, const Variable *formals, uint32_t count, const uint32_t *reuse,
                              uint32_t **registers)
{
    uint32_t *numbers = ARENA_ARRAY(&parser->module->arena, uint32_t, count);
    *registers = ARENA_ARRAY(&parser->module->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        const Variable *formal = &formals[i];
        const uint32_t name = name_intern(parser, formal->name, strlen(formal->name));
        Symbol symbol = {.kind = SYMBOL_VARIABLE, .place = formal->place};
        numbers[i] = reuse ? reuse[i] : parser->variables.count;
        if (!reuse)
            VEC_PUSH(&parser->variables, *formal);
        /* A definition's names replace those of the declaration before it; the number stays, since calls know
         * it. */
        parser->variables.items[numbers[i]] = *formal;
        parser->variables.items[numbers[i]].function = parser->function;
        symbol.index = numbers[i];
        (*registers)[i] = NO_INDEX;
        if (formal->space == SPACE_REG) {
            symbol.kind = SYMBOL_REGISTER;
            symbol.vector = formal->vector;
            symbol.type = (uint16_t)formal->type;
            symbol.index = (*registers)[i] =
                formal->vector ? scope_add_registers(parser, name, formal->type, formal->vector)
                               /* Further parts of a vector lie behind its first. */
                               : (*registers)[i - 1] + 1;
        }
        /* A formal without a name can be named by nobody, and further parts of a vector have none of their
         * own. */
        if (strcmp(formal->name, "_") && formal->vector)
            scope_declare(parser, parser->depth, name, symbol);
    }
    return numbers;
}

/* The function that a header names: a new one, or the one declared before with as many formals. */
static Function *find_or_add(Parser *parser, uint32_t name, Place place, bool is_entry, uint32_t results,
                             uint32_t parameters)
{
    const Symbol *symbol = scope_find_at(parser, name, 0);
    if (!symbol || symbol->kind != SYMBOL_FUNCTION) {
        parser->function = parser->functions.count;
        scope_declare(parser, 0, name,
                      (Symbol){.kind = SYMBOL_FUNCTION, .index = parser->function, .place = place});
        VEC_PUSH(&parser->functions, ((Function){.name = name_text(parser, name),
                                                 .is_entry = is_entry,
                                                 .place = place,
                                                 .result_count = results,
                                                 .parameter_count = parameters}));
        return &parser->functions.items[parser->function];
    }
    parser->function = symbol->index;
    Function *function = &parser->functions.items[parser->function];
    if (function->is_entry != is_entry || function->result_count != results ||
        function->parameter_count != parameters)
        parser_fail(parser, place, "'%s' was declared differently at line %u", function->name,
                    function->place.line);
    return function;
}

static void start_function(Parser *parser)
{
    parser->formals.count = 0;
    parser->registers.count = 0;
    parser->insns.count = 0;
    parser->operands.count = 0;
    parser->mods.count = 0;
    parser->tables.count = 0;
    parser->fixups.count = 0;
    parser->location = 0;
    scope_open(parser);
}

static void finish_body(Parser *parser)
{
    Function *function = &parser->functions.items[parser->function];
    Arena *arena = &parser->module->arena;
    function->has_body = true;
    function->is_extern = false;
    function->registers = ARENA_KEEP(arena, &parser->registers);
    function->register_count = parser->registers.count;
    function->insns = ARENA_KEEP(arena, &parser->insns);
    function->insn_count = parser->insns.count;
    function->operands = ARENA_KEEP(arena, &parser->operands);
    function->operand_count = parser->operands.count;
    function->mods = ARENA_KEEP(arena, &parser->mods);
    function->tables = ARENA_KEEP(arena, &parser->tables);
    function->table_count = parser->tables.count;
}

/* "(results) name (parameters)": leaves the function's scope open, with its formals declared. */
static Function *parse_header(Parser *parser, bool is_entry)
{
    start_function(parser);
    parse_attributes(parser);
    if (!is_entry && parser->token.kind == '(')
        parse_formals(parser);
    const uint32_t results = parser->formals.count;
    const Place place = parser->token.place;
    const uint32_t name = parser_expect_name(parser, is_entry ? "a kernel's name" : "a function's name");
    if (parser->token.kind == '(')
        parse_formals(parser);
    const uint32_t parameters = parser->formals.count - results;
    /* A header may repeat an earlier declaration; then its variables are used again. */
    Function *function = find_or_add(parser, name, place, is_entry, results, parameters);
    const Variable *formals = parser->formals.items;
    function->results =
        bind_formals(parser, formals, results, function->results, &function->result_registers);
    function->parameters = bind_formals(parser, formals + results, parameters, function->parameters,
                                        &function->parameter_registers);
    while (parse_directive(parser, function))
        ;
    return function;
}

/* A declaration's formals have no registers: those belong to a body. */
static void forget_registers(Function *function)
{
    for (uint32_t i = 0; i < function->result_count; i++)
        function->result_registers[i] = NO_INDEX;
    for (uint32_t i = 0; i < function->parameter_count; i++)
        function->parameter_registers[i] = NO_INDEX;
}

/* Reads the body. What is not known in it is the function's problem: its text is passed over, and whoever
 * uses it is told. Other errors are the module's. */
static void parse_known_body(Parser *parser)
{
    /* To come back to, should the body hold something that is not known. */
    const Lexer lexer = parser->lexer;
    const Token brace = parser->token;
    jmp_buf escape;
    if (!setjmp(escape)) {
        parser->body_escape = &escape;
        parser_expect(parser, '{', "'{' or ';' after the function's header");
        parse_body(parser);
    } else {
        parser->body_escape = NULL;
        parser->is_unknown = false;
        parser->lexer = lexer;
        parser->token = brace;
        parser->nesting = 0;
        /* Half a body is worth nothing: the function has none, and its problem says why. */
        parser->elements.count = parser->insns.count = parser->operands.count = parser->tables.count = 0;
        scope_abandon(parser);
        parser_skip_brackets(parser, '{', '}');
    }
    parser->body_escape = NULL;
}

/* From .func or .entry on. */
void parse_function(Parser *parser, Linkage linkage)
{
    const bool is_entry = token_is(&parser->token, ".entry");
    parser_advance(parser);
    const Place place = parser->token.place;
    Function *function = parse_header(parser, is_entry);
    const bool is_declaration = parser_accept(parser, ';') || (!is_entry && parser->token.kind != '{');
    /* Declaration and definition may each say it. */
    function->is_visible |= linkage.is_visible;
    function->is_weak |= linkage.is_weak;
    if (is_declaration) {
        function->is_extern = !function->has_body && (function->is_extern || linkage.is_extern);
        if (!function->has_body)
            forget_registers(function);
        scope_close(parser);
    } else {
        if (function->has_body)
            parser_fail(parser, place, "'%s' is defined twice, first at line %u", function->name,
                        function->place.line);
        function->place = place;
        parse_known_body(parser);
        finish_body(parser);
    }
    parser->function = NO_INDEX;
}
