/* Declarations of variables and registers, at module scope and inside functions. */
#include <string.h>

#include "ptx/parser.h"

enum { MAX_ALIGNMENT = 1 << 20 };

bool space_of(const Token *token, Space *space)
{
    static const struct { const char *text; Space space; } spaces[] = {
        {".reg", SPACE_REG},     {".param", SPACE_PARAM},        {".shared", SPACE_SHARED},
        {".local", SPACE_LOCAL}, {".global", SPACE_GLOBAL},      {".const", SPACE_CONST},
        {".tex", SPACE_TEXTURE}, {".shared::cta", SPACE_SHARED},
    };
    for (size_t i = 0; token->kind == TOKEN_DIRECTIVE && i < sizeof spaces / sizeof spaces[0]; i++) {
        if (token_is(token, spaces[i].text)) {
            *space = spaces[i].space;
            return true;
        }
    }
    return false;
}

Linkage parse_linkage(Parser *parser)
{
    Linkage linkage = {0};
    for (;;) {
        if (parser_accept_directive(parser, ".extern"))
            linkage.is_extern = true;
        else if (parser_accept_directive(parser, ".visible"))
            linkage.is_visible = true;
        else if (parser_accept_directive(parser, ".weak"))
            linkage.is_weak = true;
        else if (parser_accept_directive(parser, ".common"))
            linkage.is_common = true;
        else
            return linkage;
    }
}

bool parse_attributes(Parser *parser)
{
    bool is_managed = false;
    while (parser_accept_directive(parser, ".attribute")) {
        const char *start = parser->token.start;
        parser_skip_brackets(parser, '(', ')');
        /* .unified has an argument of its own and says nothing that we need. */
        is_managed |= memmem(start, (size_t)(parser->token.start - start), ".managed", 8) != NULL;
    }
    return is_managed;
}

static uint32_t parse_alignment(Parser *parser)
{
    const Place place = parser->token.place;
    const uint64_t align = parser_expect_integer(parser, MAX_ALIGNMENT, "an alignment");
    if (!align || (align & (align - 1)))
        parser_fail(parser, place, "an alignment must be a power of two, found %llu",
                    (unsigned long long)align);
    return (uint32_t)align;
}

/* ".ptr .global .align 8": what a kernel's pointer points to. Not used, only read. */
static void parse_pointer(Parser *parser)
{
    Space space;
    if (!parser_accept_directive(parser, ".ptr"))
        return;
    if (space_of(&parser->token, &space))
        parser_advance(parser);
    if (parser_accept_directive(parser, ".align"))
        parse_alignment(parser);
}

Declaration parse_declaration(Parser *parser)
{
    Declaration declaration = {MOD_NONE, 0, 1, false};
    for (;;) {
        declaration.is_managed |= parse_attributes(parser);
        if (parser_accept_directive(parser, ".align"))
            declaration.align = parse_alignment(parser);
        else if (parser_accept_directive(parser, ".v2"))
            declaration.vector = 2;
        else if (parser_accept_directive(parser, ".v4"))
            declaration.vector = 4;
        else
            break;
    }
    declaration.type = parser_expect_type(parser);
    parse_pointer(parser);
    return declaration;
}

/* "[4][2]", or "[][2]" with an open first dimension. */
static void parse_dimensions(Parser *parser, Dimensions *dimensions)
{
    dimensions->count = 0;
    while (parser_accept(parser, '[')) {
        const Place place = parser->token.place;
        uint64_t size = 0;
        if (dimensions->count == MAX_DIMENSIONS)
            parser_fail(parser, place, "an array has at most %d dimensions", MAX_DIMENSIONS);
        if (parser->token.kind != ']' || dimensions->count) {
            size = parse_expression(parser).bits;
            if (!size || size > MAX_VARIABLE_BYTES)
                parser_fail(parser, place, "an array dimension must be between 1 and 2^32, found %lld",
                            (long long)size);
        }
        parser_expect(parser, ']', "']' after the array dimension");
        dimensions->sizes[dimensions->count++] = size;
    }
}

static uint64_t bytes_of(Parser *parser, Place place, const Declaration *declaration,
                         const Dimensions *dimensions)
{
    const bool is_open = dimensions->count && !dimensions->sizes[0];
    uint64_t bytes = (uint64_t)type_bytes(declaration->type) * declaration->vector;
    /* Checked at every factor: the product of all could come out small again. */
    /* An open dimension is counted by the initializer, and the others must be given. */
    for (unsigned i = is_open; i < dimensions->count; i++)
        if (__builtin_mul_overflow(bytes, dimensions->sizes[i], &bytes) || bytes > MAX_VARIABLE_BYTES)
            parser_fail(parser, place, "a variable has at most 2^32 bytes");
    return is_open ? 0 : bytes;
}

Variable parse_declarator(Parser *parser, Space space, const Declaration *declaration, Dimensions *dimensions)
{
    const Place place = parser->token.place;
    const uint32_t name = parser_expect_name(parser, "a name");
    parse_dimensions(parser, dimensions);
    if (type_bits(declaration->type) < 8 && space != SPACE_REG)
        parser_fail(parser, place, "a variable cannot have type .%s", mod_name(declaration->type));
    const uint32_t natural = type_bytes(declaration->type) * declaration->vector;
    return (Variable){
        .name = name_text(parser, name),
        .space = space,
        .type = declaration->type,
        .size = bytes_of(parser, place, declaration, dimensions),
        /* PTX: without .align a variable is aligned to its element, a vector to all of it. */
        .align = declaration->align ? declaration->align : natural,
        .function = parser->function,
        .is_array = dimensions->count > 0,
        .is_managed = declaration->is_managed,
        .place = place,
    };
}

static void parse_registers(Parser *parser)
{
    const Declaration declaration = parse_declaration(parser);
    do {
        const Place place = parser->token.place;
        const uint32_t name = parser_expect_name(parser, "a register name");
        Symbol symbol = {.kind = SYMBOL_REGISTER, .vector = (uint8_t)declaration.vector,
                         .type = (uint16_t)declaration.type, .place = place};
        if (parser_accept(parser, '<')) {
            /* Only the range is declared; a register of it is made when it is first named. */
            symbol.kind = SYMBOL_RANGE;
            symbol.index = (uint32_t)parser_expect_integer(parser, UINT32_MAX, "a count of registers");
            parser_expect(parser, '>', "'>' after the count of registers");
        } else {
            symbol.index = scope_add_registers(parser, name, declaration.type, declaration.vector);
        }
        scope_declare(parser, parser->depth, name, symbol);
    } while (parser_accept(parser, ','));
    parser_expect(parser, ';', "';' after the register declaration");
}

/* A module's variable may be declared .extern any number of times, and defined once. */
static void add_variable(Parser *parser, const Variable *variable)
{
    const uint32_t name = name_intern(parser, variable->name, strlen(variable->name));
    const Symbol *symbol = parser->depth == 0 ? scope_find_at(parser, name, 0) : NULL;
    Variable *old =
        symbol && symbol->kind == SYMBOL_VARIABLE ? &parser->variables.items[symbol->index] : NULL;
    /* Two definitions are left to scope_declare(), which refuses them. */
    if (old && (old->is_extern || variable->is_extern)) {
        if (old->space != variable->space)
            parser_fail(parser, variable->place, "'%s' was declared in .%s at line %u", old->name,
                        space_name(old->space), old->place.line);
        /* The definition takes the declaration's place and number, which code before it has used. */
        if (old->is_extern)
            *old = *variable;
        return;
    }
    scope_declare(
        parser, parser->depth, name,
        (Symbol){.kind = SYMBOL_VARIABLE, .index = parser->variables.count, .place = variable->place});
    VEC_PUSH(&parser->variables, *variable);
}

static bool is_opaque(Type type)
{
    return type == TYPE_texref || type == TYPE_samplerref || type == TYPE_surfref;
}

static void parse_value(Parser *parser, Variable *variable, Dimensions *dimensions, unsigned vector)
{
    /* Fields of a .texref are passed over: what it samples, and how, is set by the host. */
    if (is_opaque(variable->type)) {
        parser_skip_brackets(parser, '{', '}');
    } else if (variable->space == SPACE_GLOBAL || variable->space == SPACE_CONST) {
        parse_initializer(parser, variable, dimensions, vector);
    } else {
        parser_fail(parser, variable->place, "only .global and .const variables can have an initializer");
    }
}

void parse_variables(Parser *parser, Linkage linkage)
{
    Space space;
    if (!space_of(&parser->token, &space))
        parser_expected(parser, "a state space such as .global");
    parser_advance(parser);
    if (space == SPACE_REG) {
        if (parser->function == NO_INDEX)
            parser_fail(parser, parser->last_place, "registers can only be declared inside a function");
        parse_registers(parser);
        return;
    }
    /* Older PTX has them outside: one for every thread, below all frames. */
    if (space == SPACE_LOCAL && parser->function == NO_INDEX && parser->module->version >= 30)
        parser_fail(parser, parser->last_place,
                    "since PTX 3.0 .local variables are declared inside a function");
    if (space == SPACE_CONST && parser_accept(parser, '[')) { /* a bank, as old versions had */
        parser_expect_integer(parser, 10, "the number of a constant bank");
        parser_expect(parser, ']', "']' after the constant bank");
    }
    const Declaration declaration = parse_declaration(parser);
    do {
        Dimensions dimensions;
        Variable variable = parse_declarator(parser, is_opaque(declaration.type) ? SPACE_TEXTURE : space,
                                             &declaration, &dimensions);
        variable.is_extern = linkage.is_extern;
        variable.is_visible = linkage.is_visible;
        variable.is_weak = linkage.is_weak;
        variable.is_common = linkage.is_common;
        variable.is_managed |= linkage.is_managed;
        if (parser_accept(parser, '='))
            parse_value(parser, &variable, &dimensions, declaration.vector);
        else if (!variable.size && !linkage.is_extern && space != SPACE_PARAM)
            parser_fail(parser, variable.place, "'%s' needs a size, an initializer or .extern",
                        variable.name);
        add_variable(parser, &variable);
    } while (parser_accept(parser, ','));
    parser_expect(parser, ';', "';' after the variable declaration");
}
