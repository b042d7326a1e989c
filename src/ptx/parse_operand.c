/* Operands of instructions. Elements of vectors, pairs, lists and addresses lie together in
 * parser->operands; while one is being read they wait on the stack parser->elements. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "ptx/parser.h"

static Map special_names;
static pthread_once_t special_once = PTHREAD_ONCE_INIT;

static void list_specials(void)
{
    static const char *const names[] = {
#define SPECIAL(identifier, spelling, bits) spelling,
#include "ptx/special.def"
#undef SPECIAL
    };
    for (uint32_t i = 0; i < SPECIAL_COUNT; i++)
        map_put(&special_names, names[i], strlen(names[i]), i);
}

/* A component or selector stands directly behind the name: %tid.x, %v.w, %r1.b0. */
static bool has_component(const Parser *parser, const Token *name)
{
    return parser->token.kind == TOKEN_DIRECTIVE && parser->token.start == token_end(name);
}

static void close_elements(Parser *parser, uint32_t first, PtxOperand *operand);
static void add_element(Parser *parser, uint32_t first, PtxOperand element);

/* "%tid" as a whole: x, y, z, and 0 for w. */
static bool parse_special_vector(Parser *parser, const Token *name, PtxOperand *operand)
{
    const uint32_t first = parser->elements.count;
    char text[32];
    uint32_t x;
    const int length = snprintf(text, sizeof text, "%.*s.x", (int)name->length, name->start);
    if (length < 0 || (size_t)length >= sizeof text || !map_get(&special_names, text, (size_t)length, &x))
        return false;
    for (uint32_t i = 0; i < 3; i++)
        add_element(parser, first, (PtxOperand){.kind = PTX_SPECIAL, .index = x + i});
    add_element(parser, first, (PtxOperand){.kind = PTX_INTEGER});
    *operand = (PtxOperand){.kind = PTX_VECTOR};
    close_elements(parser, first, operand);
    return true;
}

static bool parse_special(Parser *parser, const Token *name, PtxOperand *operand)
{
    const bool component = has_component(parser, name);
    const size_t length = name->length + (component ? parser->token.length : 0);
    pthread_once(&special_once, list_specials);
    *operand = (PtxOperand){.kind = PTX_SPECIAL};
    /* Name and component lie side by side in the text, so both are one key: "%tid.x". */
    if (!map_get(&special_names, name->start, length, &operand->index))
        return !component && parse_special_vector(parser, name, operand);
    if (component)
        parser_advance(parser);
    return true;
}

static void close_elements(Parser *parser, uint32_t first, PtxOperand *operand)
{
    operand->count = (uint16_t)(parser->elements.count - first);
    /* Elements come in one piece, behind those of the elements themselves, which are in the list already. The
     * operand that has them follows later. */
    operand->first = parser->operands.count;
    for (uint32_t i = first; i < parser->elements.count; i++)
        VEC_PUSH(&parser->operands, parser->elements.items[i]);
    parser->elements.count = first;
}

static void add_element(Parser *parser, uint32_t first, PtxOperand element)
{
    if (parser->elements.count - first >= MAX_ARGUMENTS)
        parser_fail(parser, parser->last_place, "a list has at most %d elements", MAX_ARGUMENTS);
    VEC_PUSH(&parser->elements, element);
}

/* What stands behind a register's name: the component of a vector, or halves and bytes of one register. */
static void parse_component(Parser *parser, Symbol symbol, PtxOperand *operand)
{
    const Token *component = &parser->token;
    if (symbol.vector == 1) {
        operand->selector = isa_selector(component->start, component->length);
        if (!operand->selector)
            parser_expected(parser, "a selector such as .h0 or .b3");
    } else {
        static const char letters[] = "xyzwrgba";
        const char *letter = component->length == 2 ? strchr(letters, component->start[1]) : NULL;
        if (!letter || (letter - letters) % 4 >= symbol.vector)
            parser_expected(parser, "a component of the vector register");
        /* r, g, b and a are other names for x, y, z and w. */
        operand->index += (uint32_t)(letter - letters) % 4;
    }
    parser_advance(parser);
}

/* A register, one component of a vector register, or all of them. */
static PtxOperand parse_register(Parser *parser, const Token *name, Symbol symbol)
{
    PtxOperand operand = {.kind = PTX_REGISTER, .index = symbol.index};
    if (has_component(parser, name)) {
        parse_component(parser, symbol, &operand);
    } else if (symbol.vector > 1) {
        const uint32_t first = parser->elements.count;
        for (uint32_t i = 0; i < symbol.vector; i++)
            add_element(parser, first, (PtxOperand){.kind = PTX_REGISTER, .index = symbol.index + i});
        operand = (PtxOperand){.kind = PTX_VECTOR};
        close_elements(parser, first, &operand);
    }
    return operand;
}

/* What a line that is not known may have declared. */
static _Noreturn void fail_undeclared(Parser *parser, const Token *name)
{
    parser->is_unknown |= parser->unknown_line != NULL;
    const char *text = name->start;
    const int length = (int)name->length;
    if (has_component(parser, name))
        parser_fail(parser, name->place, "'%.*s%.*s' is neither declared nor a special register", length,
                    text, (int)parser->token.length, parser->token.start);
    parser_fail(parser, name->place, "'%.*s' is not declared", length, text);
}

/* A name alone, without what may follow it (an addend, an index). */
static PtxOperand parse_name(Parser *parser)
{
    const Token name = parser->token;
    PtxOperand operand = {0};
    const Symbol *symbol = scope_find(parser, parser_expect_name(parser, "an operand"));
    if (!symbol) {
        if (token_is(&name, "_"))
            return (PtxOperand){.kind = PTX_SINK};
        if (!parse_special(parser, &name, &operand))
            fail_undeclared(parser, &name);
        return operand;
    }
    switch ((SymbolKind)symbol->kind) {
    case SYMBOL_REGISTER: return parse_register(parser, &name, *symbol);
    case SYMBOL_VARIABLE: return (PtxOperand){.kind = PTX_VARIABLE, .index = symbol->index};
    case SYMBOL_FUNCTION: return (PtxOperand){.kind = PTX_FUNCTION, .index = symbol->index};
    case SYMBOL_TABLE: return (PtxOperand){.kind = PTX_TABLE, .index = symbol->index};
    default:
        parser_fail(parser, name.place, "the label '%.*s' cannot be an operand here", (int)name.length,
                    name.start);
    }
}

/* "+8" behind a name; a negative one is written "+-8". */
static int64_t parse_addend(Parser *parser)
{
    if (parser->token.kind == '-')
        parser_fail(parser, parser->token.place, "expected '+', found '-': a negative offset is written +-8");
    return parser->token.kind == '+' ? (int64_t)parse_expression(parser).bits : 0;
}

/* Encloses a variable in an address, as in "ld.global.u32 %r1, table[3]". */
static PtxOperand address_of(Parser *parser, PtxOperand base)
{
    PtxOperand address = {.kind = PTX_ADDRESS, .value = base.value};
    const uint32_t first = parser->elements.count;
    base.value = 0;
    add_element(parser, first, base);
    close_elements(parser, first, &address);
    return address;
}

/* A name and what may follow it: "table+8", "table[3]". */
static PtxOperand parse_named(Parser *parser, const Opcode *opcode)
{
    PtxOperand operand = parse_name(parser);
    if (operand.kind != PTX_VARIABLE)
        return operand;
    operand.value = parse_addend(parser);
    if (parser_accept(parser, '[')) {
        /* An index counts elements; addresses count bytes. */
        const uint64_t bytes = type_bytes(parser->variables.items[operand.index].type);
        operand.value += (int64_t)(parse_expression(parser).bits * bytes);
        parser_expect(parser, ']', "']' after the index");
        /* mov takes the address of the element, every other instruction what is there. */
        return strcmp(opcode->mnemonic, "mov") ? address_of(parser, operand) : operand;
    }
    return operand;
}

static PtxOperand parse_float(Parser *parser, bool negative)
{
    const bool is_single = parser->token.kind == TOKEN_FLOAT32;
    const uint64_t sign = (uint64_t)negative << (is_single ? 31 : 63);
    const PtxOperand operand = {.kind = is_single ? PTX_FLOAT32 : PTX_FLOAT64,
                                .value = (int64_t)(parser->token.value ^ sign)};
    parser_advance(parser);
    return operand;
}

static PtxOperand parse_constant(Parser *parser)
{
    return (PtxOperand){.kind = PTX_INTEGER, .value = (int64_t)parse_expression(parser).bits};
}

/* "!p", "-1.5" and "-%r1" begin as constants do; the token after the sign decides. */
static PtxOperand parse_signed(Parser *parser, const Opcode *opcode)
{
    const bool is_minus = parser->token.kind == '-';
    Lexer ahead = parser->lexer;
    Token next;
    lexer_next(&ahead, &next);
    if (is_minus && (next.kind == TOKEN_FLOAT32 || next.kind == TOKEN_FLOAT64)) {
        parser_advance(parser);
        return parse_float(parser, true);
    }
    /* WARP_SZ is a name and yet a constant. */
    if (next.kind != TOKEN_NAME || expression_begins(&next))
        return parse_constant(parser);
    parser_advance(parser);
    PtxOperand operand = parse_named(parser, opcode);
    if (operand.kind != PTX_REGISTER)
        parser_fail(parser, next.place, "expected a register after '%c'", is_minus ? '-' : '!');
    operand.minus = is_minus;
    operand.negated = !is_minus;
    return operand;
}

static PtxOperand parse_scalar(Parser *parser, const Opcode *opcode)
{
    switch (parser->token.kind) {
    case TOKEN_NAME:
        return expression_begins(&parser->token) ? parse_constant(parser) : parse_named(parser, opcode);
    case TOKEN_FLOAT32: case TOKEN_FLOAT64:
        return parse_float(parser, false);
    case '-': case '!':
        return parse_signed(parser, opcode);
    default:
        if (!expression_begins(&parser->token))
            parser_expected(parser, "an operand");
        return parse_constant(parser);
    }
}

/* "{a, b}" or "(a, b)", after its opening. */
static PtxOperand parse_elements(Parser *parser, const Opcode *opcode, PtxOperandKind kind, int close)
{
    PtxOperand operand = {.kind = (uint8_t)kind};
    const uint32_t first = parser->elements.count;
    if (parser->token.kind != close) {
        do {
            const Place place = parser->token.place;
            const PtxOperand element = parse_scalar(parser, opcode);
            if (element.kind == PTX_VECTOR && kind == PTX_LIST) { /* a whole vector register is its parts */
                for (uint32_t i = 0; i < element.count; i++)
                    add_element(parser, first, parser->operands.items[element.first + i]);
                continue;
            }
            if (element.kind == PTX_VECTOR || element.kind == PTX_ADDRESS || element.selector ||
                element.minus)
                parser_fail(parser, place, "a %s cannot hold vectors, addresses or parts of registers",
                            kind == PTX_LIST ? "list" : "vector");
            add_element(parser, first, element);
        } while (parser_accept(parser, ','));
    }
    parser_expect(parser, close, close == ')' ? "',' or ')'" : "',' or '}'");
    close_elements(parser, first, &operand);
    return operand;
}

/* "[base + 4]"; a texture's address goes on with "{x, y}" and more. */
static PtxOperand parse_address(Parser *parser, const Opcode *opcode)
{
    PtxOperand address = {.kind = PTX_ADDRESS};
    const uint32_t first = parser->elements.count;
    if (parser->token.kind == TOKEN_NAME && !expression_begins(&parser->token)) {
        const Place place = parser->token.place;
        const PtxOperand base = parse_name(parser);
        /* "%v.x" gives a plain register; only the token before tells that a component was named. */
        const bool is_component = base.kind == PTX_REGISTER && parser->last_token == TOKEN_DIRECTIVE;
        if ((base.kind != PTX_REGISTER && base.kind != PTX_VARIABLE && base.kind != PTX_SPECIAL) ||
            base.selector || is_component)
            parser_fail(parser, place, "an address begins with a register, a variable or a constant");
        add_element(parser, first, base);
        address.value = parse_addend(parser);
    } else {
        add_element(parser, first, parse_constant(parser));
    }
    while (parser_accept(parser, ',')) {
        const bool is_vector = parser_accept(parser, '{');
        add_element(parser, first, is_vector ? parse_elements(parser, opcode, PTX_VECTOR, '}')
                                             : parse_scalar(parser, opcode));
    }
    parser_expect(parser, ']', "']' at the end of the address");
    close_elements(parser, first, &address);
    return address;
}

PtxOperand parse_operand(Parser *parser, const Opcode *opcode)
{
    if (parser_accept(parser, '{'))
        return parse_elements(parser, opcode, PTX_VECTOR, '}');
    if (parser_accept(parser, '['))
        return parse_address(parser, opcode);
    const PtxOperand operand = parse_scalar(parser, opcode);
    if (parser->token.kind == '+' && operand.kind == PTX_REGISTER)
        return parse_sum(parser, operand);
    if (parser->token.kind != '|' || (operand.kind != PTX_REGISTER && operand.kind != PTX_SINK))
        return operand;
    PtxOperand pair = {.kind = PTX_PAIR};
    const uint32_t first = parser->elements.count;
    parser_advance(parser);
    const Place place = parser->token.place;
    const PtxOperand second = parse_scalar(parser, opcode);
    if (operand.minus || operand.negated || second.minus || second.negated)
        parser_fail(parser, place, "a register that is written has no sign");
    if (second.kind != PTX_REGISTER && second.kind != PTX_SINK)
        parser_fail(parser, place, "expected a register after '|'");
    add_element(parser, first, operand);
    add_element(parser, first, second);
    close_elements(parser, first, &pair);
    return pair;
}

PtxOperand parse_call_operand(Parser *parser, const Opcode *opcode)
{
    if (parser_accept(parser, '('))
        return parse_elements(parser, opcode, PTX_LIST, ')');
    return parse_operand(parser, opcode);
}

PtxOperand parse_label_operand(Parser *parser)
{
    return (PtxOperand){.kind = PTX_LABEL, .index = parser_expect_name(parser, "a label")};
}
