/* A module's first lines: which PTX it is written in, for which architecture, with how wide addresses. */
#include <string.h>

#include "ptx/parser.h"

/* The last minor version of each major one; what later ones of the newest bring is refused where it is used.
 * */
static const uint8_t last_minor[] = {[1] = 5, [2] = 3, [3] = 2, [4] = 3, [5] = 1, [6] = 5, [7] = 8, [8] = 8,
                                     [9] = 9};
enum { NEWEST_MAJOR = sizeof last_minor - 1 };

typedef struct Target {
    uint32_t number;
    const char *letters;
    uint32_t version;
} Target;

static const Target targets[] = {
#define TARGET(number, letters, version) {number, letters, version},
#include "ptx/target.def"
#undef TARGET
};

/* "9.0", which the lexer takes for a floating-point number. */
void parse_version(Parser *parser)
{
    const Token token = parser->token;
    uint32_t parts[2] = {0, 0};
    unsigned part = 0;
    if (token.kind != TOKEN_FLOAT64 || token.length > 5)
        parser_expected(parser, "a version such as 7.8");
    for (uint32_t i = 0; i < token.length; i++) {
        if (token.start[i] == '.')
            part = 1;
        else if (token.start[i] < '0' || token.start[i] > '9')
            parser_expected(parser, "a version such as 7.8");
        else
            parts[part] = 10 * parts[part] + (uint32_t)(token.start[i] - '0');
    }
    if (parts[0] < 1 || parts[0] > NEWEST_MAJOR || parts[1] > last_minor[parts[0]])
        parser_fail(parser, token.place,
                    "there is no PTX version %u.%u that Warpbeam knows; it reads 1.0 to %d.%d",
                    parts[0], parts[1], NEWEST_MAJOR, last_minor[NEWEST_MAJOR]);
    /* Minor versions have one digit. */
    parser->module->version = 10 * parts[0] + parts[1];
    parser_advance(parser);
}

/* The row of "sm_90a" or "compute_90", or null. */
static const Target *find_target(const Token *token)
{
    /* "compute_" has eight letters; what begins otherwise has no number there and is not found. */
    const uint32_t prefix = !strncmp(token->start, "sm_", 3) ? 3 : 8;
    uint32_t number = 0, at = prefix;
    for (; at < token->length && at < prefix + 4 && token->start[at] >= '0' && token->start[at] <= '9'; at++)
        number = 10 * number + (uint32_t)(token->start[at] - '0');
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        if (targets[i].number != number)
            continue;
        const bool has_letter = at + 1 == token->length && strchr(targets[i].letters, token->start[at]);
        return at == token->length || has_letter ? &targets[i] : NULL;
    }
    return NULL;
}

static void parse_architecture(Parser *parser, const Token *token)
{
    const Target *target = find_target(token);
    if (!target)
        parser_fail(parser, token->place, "'%.*s' is not a target such as sm_80", (int)token->length,
                    token->start);
    if (parser->module->version < target->version)
        parser_fail(parser, token->place, "PTX %u.%u has no target '%.*s'; that takes .version %u.%u",
                    parser->module->version / 10, parser->module->version % 10, (int)token->length,
                    token->start, target->version / 10, target->version % 10);
    parser->module->target = target->number;
    parser->module->target_place = token->place;
}

static bool is_option(const Token *token)
{
    static const char *const options[] = {"debug", "texmode_unified", "texmode_independent",
                                          "map_f64_to_f32"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (token_is(token, options[i]))
            return true;
    return false;
}

/* "sm_90a, debug": the first target that names an architecture counts. */
void parse_target(Parser *parser)
{
    do {
        const Token token = parser->token;
        parser_expect_name(parser, "a target such as sm_80");
        parser->module->is_debug |= token_is(&token, "debug");
        if (!is_option(&token))
            parse_architecture(parser, &token);
    } while (parser_accept(parser, ','));
}

/* A host of 64 bits has no memory that addresses of 32 bits could name: CUDA refuses such a module, too. */
void parse_address_size(Parser *parser)
{
    const Place place = parser->token.place;
    const uint64_t bits = parser_expect_integer(parser, 64, "an address size");
    if (bits != 32 && bits != 64)
        parser_fail(parser, place, "an address size must be 32 or 64");
    if (bits == 32)
        parser_fail(parser, place,
                    "modules with addresses of 32 bits are not executed; compile this one with "
                    ".address_size 64 (nvcc -m64)");
    if (parser->module->target == 0 || parser->module->address_bits || parser->variables.count ||
        parser->functions.count)
        parser_fail(parser, place, ".address_size stands once, right behind .target");
    parser->module->address_bits = (uint32_t)bits;
}
