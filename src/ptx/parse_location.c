/* Places in the CUDA source: ".loc" before instructions.
 *
 * Code that the compiler took in from a function has the function's own place, and with it where that was
 * called. Nobody looks for time in the headers of the CUDA toolkit: what comes from them counts where it was
 * called. Names of files stand behind the functions, so that the choice is made at the end of the module;
 * until then an instruction's source.line is the number of its location, from 1. */
#include "ptx/parser.h"

#include <string.h>

static SourcePlace parse_place(Parser *parser)
{
    SourcePlace place;
    place.file = (uint32_t)parser_expect_integer(parser, UINT32_MAX, "a file number");
    place.line = (uint32_t)parser_expect_integer(parser, UINT32_MAX, "a line number");
    place.column = (uint32_t)parser_expect_integer(parser, UINT32_MAX, "a column number");
    return place;
}

/* The location becomes the last one of its place. Returns its number. */
static uint32_t put_location(Parser *parser, SourcePlace place, uint32_t caller)
{
    /* A map keeps its keys by pointer. A place has no padding: three 32-bit numbers. */
    const char *key = arena_copy(&parser->module->arena, &place, sizeof place);
    VEC_PUSH(&parser->locations, ((Location){place, caller}));
    map_put(&parser->location_numbers, key, sizeof place, parser->locations.count);
    return parser->locations.count;
}

/* The location at which a function was called: the last .loc with that place, which tells where its own
 * function was called. */
static uint32_t find_location(Parser *parser, SourcePlace place)
{
    uint32_t number;
    if (map_get(&parser->location_numbers, (const char *)&place, sizeof place, &number))
        return number;
    return put_location(parser, place, 0);
}

/* ".loc 1 23 5, function_name $L__info_string0, inlined_at 1 20 3": the place in the CUDA source of
 * the instructions that follow. Line 0 says that they have none of their own; the place before them is
 * the best that is known. */
void parse_location(Parser *parser)
{
    const SourcePlace place = parse_place(parser);
    uint32_t caller = 0;
    while (parser_accept(parser, ',')) {
        if (token_is(&parser->token, "function_name")) {
            parser_advance(parser);
            parser_expect_name(parser, "a label of the debug strings");
            if (parser_accept(parser, '+'))
                parser_expect_integer(parser, UINT64_MAX, "an offset");
        } else if (token_is(&parser->token, "inlined_at")) {
            parser_advance(parser);
            caller = find_location(parser, parse_place(parser));
        } else {
            parser_expected(parser, "'function_name' or 'inlined_at'");
        }
    }
    if (place.line)
        parser->location = put_location(parser, place, caller);
}

static bool skip(const char **at, const char *part)
{
    const size_t length = strlen(part);
    const bool is_there = !strncmp(*at, part, length);
    *at += is_there ? length : 0;
    return is_there;
}

/* What is behind "/cuda" in the name of a toolkit's header: a version, as in "-13.0" or "/12.4", the way from
 * nvcc, which is "bin/..", and the target. People have folders such as ~/cuda-samples/include, too. */
static bool goes_to_headers(const char *rest)
{
    rest += strspn(rest, "-./0123456789");
    if (rest[-1] != '/')
        return false;
    if (skip(&rest, "bin/../"))
        rest += strspn(rest, "/");
    if (skip(&rest, "targets/")) {
        rest += strcspn(rest, "/");
        rest += *rest == '/';
    }
    return skip(&rest, "include/");
}

/* By where toolkits lie, those of Python's packages among them, and by the name that our own PTX has. */
static bool is_toolkit(const char *file)
{
    for (const char *at = strstr(file, "/cuda"); at; at = strstr(at + 1, "/cuda"))
        if (goes_to_headers(at + strlen("/cuda")))
            return true;
    return !strncmp(file, "cuda/", 5) || strstr(file, "/site-packages/nvidia/");
}

static bool is_foreign(const Parser *parser, const Location *location)
{
    const uint32_t file = location->place.file;
    const char *name = file < parser->files.count ? parser->files.items[file] : NULL;
    return name && is_toolkit(name);
}

/* Of a kernel that is itself in the toolkit, such as one of Thrust's, the line is the code's own. */
static SourcePlace resolve(const Parser *parser, uint32_t number)
{
    if (!number)
        return (SourcePlace){0};
    const Location *own = &parser->locations.items[number - 1], *location = own;
    /* Callers have smaller numbers than those they call, so this ends. */
    while (location->caller && is_foreign(parser, location))
        location = &parser->locations.items[location->caller - 1];
    return is_foreign(parser, location) ? own->place : location->place;
}

void resolve_locations(Parser *parser)
{
    for (uint32_t f = 0; f < parser->functions.count; f++) {
        const Function *function = &parser->functions.items[f];
        for (uint32_t i = 0; i < function->insn_count; i++)
            function->insns[i].source = resolve(parser, function->insns[i].source.line);
    }
}
