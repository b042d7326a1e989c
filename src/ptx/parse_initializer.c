/* Initial values of variables: numbers, and addresses that only the loader knows.
 *
 * Values are gathered in parser->bytes, which grows with what the text gives; the variable's own bytes
 * are allocated once at the end, and not at all when every one is zero. */
#include <string.h>

#include "ptx/parser.h"

typedef struct Initializer {
    Parser *parser;
    Type type;
    const Dimensions *dimensions;
    uint64_t strides[MAX_DIMENSIONS + 1]; /* elements of one item of each dimension */
} Initializer;

static void put_bytes(Initializer *init, uint64_t element, uint64_t value, bool extend)
{
    Parser *parser = init->parser;
    const uint32_t bytes = type_bytes(init->type);
    const uint64_t end = (element + 1) * bytes;
    if (end > MAX_INITIALIZER_BYTES)
        parser_fail(parser, parser->last_place, "initial values take at most 2^28 bytes");
    if (end > parser->bytes.count) {
        VEC_RESERVE(&parser->bytes, (uint32_t)end);
        memset(parser->bytes.items + parser->bytes.count, 0, end - parser->bytes.count);
        parser->bytes.count = (uint32_t)end;
    }
    uint8_t *to = parser->bytes.items + element * bytes;
    /* Types of 128 bits take the sign of the 64 bits that a constant has. */
    for (uint32_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)(i < 8 ? value >> 8 * i : extend ? 0xFF : 0);
}

static bool fits(Constant constant, unsigned bits)
{
    if (bits >= 64)
        return true;
    /* A value may be given as signed or as unsigned, whatever the type is: -1 and 255 are both .u8 values. */
    return constant.bits < (uint64_t)1 << bits || (!constant.is_unsigned && (int64_t)constant.bits < 0 &&
                                                   (int64_t)constant.bits >= -((int64_t)1 << (bits - 1)));
}

static void put_integer(Initializer *init, uint64_t element, Place place, Constant constant)
{
    const int64_t value = (int64_t)constant.bits;
    if (init->type == TYPE_f32) {
        const float number = constant.is_unsigned ? (float)constant.bits : (float)value;
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        put_bytes(init, element, bits, false);
    } else if (init->type == TYPE_f64) {
        const double number = constant.is_unsigned ? (double)constant.bits : (double)value;
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        put_bytes(init, element, bits, false);
    } else if (fits(constant, type_bits(init->type))) {
        put_bytes(init, element, constant.bits, value < 0 && !constant.is_unsigned);
    } else {
        parser_fail(init->parser, place, "the value %lld does not fit in type .%s", (long long)value,
                    mod_name(init->type));
    }
}

/* A float literal goes into a float of either size, converted, and into untyped bits of its own size. */
static void put_float(Initializer *init, uint64_t element, const Token *literal, bool negative)
{
    uint64_t bits = literal->value;
    const bool is_single = literal->kind == TOKEN_FLOAT32;
    if (is_single && init->type == TYPE_f64) {
        const uint32_t low = (uint32_t)bits;
        float narrow;
        memcpy(&narrow, &low, sizeof narrow);
        const double wide = narrow;
        memcpy(&bits, &wide, sizeof bits);
    } else if (!is_single && init->type == TYPE_f32) {
        double wide;
        memcpy(&wide, &bits, sizeof wide);
        const float narrow = (float)wide;
        uint32_t low;
        memcpy(&low, &narrow, sizeof low);
        bits = low;
    } else if (type_bits(init->type) != (is_single ? 32 : 64)) {
        parser_fail(init->parser, literal->place, "a floating-point literal cannot initialize type .%s",
                    mod_name(init->type));
    }
    put_bytes(init, element, negative ? bits ^ (uint64_t)1 << (type_bits(init->type) - 1) : bits, false);
}

static int64_t parse_addend(Parser *parser)
{
    if (parser->token.kind != '+' && parser->token.kind != '-')
        return 0;
    return (int64_t)parse_expression(parser).bits; /* its sign is a unary operator of the expression */
}

/* "name+4", "generic(name)+4", "generic(name+4)". */
static Relocation parse_address(Parser *parser)
{
    Relocation relocation = {0};
    relocation.generic = token_is(&parser->token, "generic") && *parser->lexer.at == '(';
    if (relocation.generic) {
        parser_advance(parser);
        parser_advance(parser);
    }
    const Token token = parser->token;
    const Symbol *symbol =
        scope_find(parser, parser_expect_name(parser, "the name of a variable or function"));
    if (!symbol || (symbol->kind != SYMBOL_VARIABLE && symbol->kind != SYMBOL_FUNCTION))
        parser_fail(parser, token.place, "'%.*s' is not the name of a variable or function declared before",
                    (int)token.length, token.start);
    relocation.target = symbol->index;
    relocation.is_function = symbol->kind == SYMBOL_FUNCTION;
    relocation.addend = parse_addend(parser);
    if (relocation.generic) {
        parser_expect(parser, ')', "')' after the address");
        relocation.addend += parse_addend(parser);
    }
    return relocation;
}

static void put_address(Initializer *init, uint64_t element, Place place, const uint64_t *mask)
{
    Parser *parser = init->parser;
    /* The value is not known before the module has been loaded; zeros stand here until then. */
    Relocation relocation = parse_address(parser);
    relocation.offset = element * type_bytes(init->type);
    relocation.bytes = (uint8_t)type_bytes(init->type);
    if (mask) {
        relocation.shift = (uint8_t)(*mask ? __builtin_ctzll(*mask) : 0);
        if (*mask >> relocation.shift != 0xFF || relocation.shift % 8)
            parser_fail(parser, place, "the mask of an address must select one byte, as 0xFF00 does");
        relocation.bytes = 1;
    } else if (relocation.bytes != 4 && relocation.bytes != 8) {
        parser_fail(parser, place, "an address does not fit in type .%s", mod_name(init->type));
    }
    put_bytes(init, element, 0, false);
    VEC_PUSH(&parser->relocations, relocation);
}

static bool is_float_literal(const Token *token)
{
    return token->kind == TOKEN_FLOAT32 || token->kind == TOKEN_FLOAT64;
}

static void parse_element(Initializer *init, uint64_t element)
{
    Parser *parser = init->parser;
    const Token token = parser->token;
    /* A number in front of a parenthesis is the mask of an address: 0xFF00(name). */
    const char *after = parser->lexer.at;
    while (*after == ' ')
        after++;
    if (token.kind == TOKEN_INTEGER && *after == '(') {
        parser_advance(parser);
        parser_advance(parser);
        put_address(init, element, token.place, &token.value);
        parser_expect(parser, ')', "')' after the masked address");
    } else if (token.kind == TOKEN_NAME && !token_is(&token, "WARP_SZ")) {
        put_address(init, element, token.place, NULL);
    } else if (is_float_literal(&token)) {
        put_float(init, element, &token, false);
        parser_advance(parser);
    } else {
        /* A minus before a float literal is its sign; before anything else it begins an integer
         * expression. */
        Lexer ahead = parser->lexer;
        Token next;
        lexer_next(&ahead, &next);
        if (token.kind == '-' && is_float_literal(&next)) {
            put_float(init, element, &next, true);
            parser_advance(parser);
            parser_advance(parser);
        } else {
            put_integer(init, element, token.place, parse_expression(parser));
        }
    }
}

/* One pair of braces, which holds one item of dimension `level` - 1, beginning at element `first`.
 * Inner braces may be left out, as in C. Returns how far the values reach. */
static uint64_t parse_braces(Initializer *init, unsigned level, uint64_t first)
{
    Parser *parser = init->parser;
    const uint64_t stride = init->strides[level];
    const uint64_t size = init->dimensions->sizes[level];
    /* Size 0: the first dimension was left open and is counted by the values. */
    const uint64_t end = size ? first + size * stride : UINT64_MAX;
    uint64_t at = first;
    parser_expect(parser, '{', "'{'");
    while (parser->token.kind != '}') {
        const bool has_braces = parser->token.kind == '{';
        /* Braces begin a new item; what is missing of the one before stays zero. */
        if (has_braces)
            at = first + (at - first + stride - 1) / stride * stride;
        if (at >= end)
            parser_fail(parser, parser->token.place, "more initial values than the array has elements");
        if (!has_braces) {
            parse_element(init, at++);
        } else if (level + 1 == init->dimensions->count) {
            parser_fail(parser, parser->token.place, "more levels of braces than the array has dimensions");
        } else {
            parse_braces(init, level + 1, at);
            at += stride;
        }
        if (!parser_accept(parser, ','))
            break;
    }
    parser_expect(parser, '}', "',' or '}' after the initial value");
    return at - first;
}

static void keep(Parser *parser, Variable *variable)
{
    bool is_zero = true;
    for (uint32_t i = 0; i < parser->bytes.count && is_zero; i++)
        is_zero = !parser->bytes.items[i];
    if (!is_zero || parser->relocations.count) {
        parser->initializer_bytes += variable->size;
        if (parser->initializer_bytes > MAX_INITIALIZER_BYTES)
            parser_fail(parser, variable->place, "initial values of a module take at most 2^28 bytes");
        uint8_t *bytes = arena_alloc(&parser->module->arena, variable->size);
        memcpy(bytes, parser->bytes.items, parser->bytes.count);
        variable->init = bytes;
    }
    variable->relocation_count = parser->relocations.count;
    if (parser->relocations.count)
        variable->relocations = arena_copy(&parser->module->arena, parser->relocations.items,
                                           parser->relocations.count * sizeof(Relocation));
}

void parse_initializer(Parser *parser, Variable *variable, Dimensions *dimensions, unsigned vector)
{
    if (vector > 1)
        dimensions->sizes[dimensions->count++] = vector;
    Initializer init = {.parser = parser, .type = variable->type, .dimensions = dimensions};
    uint64_t stride = 1;
    for (unsigned i = dimensions->count; i-- > 0; stride *= dimensions->sizes[i])
        init.strides[i] = stride;
    parser->bytes.count = 0;
    parser->relocations.count = 0;
    if (!dimensions->count) {
        parse_element(&init, 0);
    } else {
        const uint64_t count = parse_braces(&init, 0, 0);
        if (!dimensions->sizes[0]) {
            const uint64_t items = (count + init.strides[0] - 1) / init.strides[0];
            if (!items)
                parser_fail(parser, variable->place, "'%s' needs a size or an initial value", variable->name);
            variable->size = items * init.strides[0] * type_bytes(variable->type);
            if (variable->size > MAX_VARIABLE_BYTES)
                parser_fail(parser, variable->place, "a variable has at most 2^32 bytes");
        }
    }
    keep(parser, variable);
}
