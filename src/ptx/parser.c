/* The parser's hands: tokens taken, expected and refused, and the sentence of the first error. */
#include "ptx/parser.h"

#include <stdio.h>
#include <string.h>

enum { QUOTE_WIDTH = 100 };

static char printable(char c) { return c < 32 || c > 126 ? '?' : c; }

/* The line at a place and a caret under the column. A long line is cut around the column; characters
 * that do not print become '?'. */
static void quote_line(const Parser *parser, Place place, char *buffer, size_t size)
{
    size_t length;
    const char *line = module_line(parser->module, place.line, &length);
    size_t column = place.column - 1 < length ? place.column - 1 : length;
    size_t first = 0;
    while (first < column && (line[first] == ' ' || line[first] == '\t'))
        first++;
    /* The column stays in sight, with as much before it as behind. */
    if (column - first > QUOTE_WIDTH / 2)
        first = column - QUOTE_WIDTH / 2;
    const size_t shown = length - first < QUOTE_WIDTH ? length - first : QUOTE_WIDTH;
    /* The buffer holds both lines: three times the width is enough for indents, text and caret. */
    int used = snprintf(buffer, size, "\n    ");
    for (size_t i = 0; i < shown; i++) {
        const char c = line[first + i];
        buffer[used++] = c == '\t' ? ' ' : printable(c);
    }
    snprintf(buffer + used, size - (size_t)used, "\n    %*s^", (int)(column - first), "");
}

void parser_fail(Parser *parser, Place place, const char *format, ...)
{
    char sentence[1024], quote[3 * QUOTE_WIDTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    for (char *c = sentence; *c; c++) /* it may quote any bytes of the text */
        *c = printable(*c);
    quote_line(parser, place, quote, sizeof quote);
    /* What is merely not known is the function's problem, so that the rest of the module can be used. */
    if (parser->is_unknown && parser->body_escape) {
        parser->functions.items[parser->function].problem =
            arena_printf(&parser->module->arena, "%s:%u:%u: %s%s", parser->module->file_name, place.line,
                         place.column, sentence, quote);
        longjmp(*parser->body_escape, 1);
    }
    error_set(parser->error, WB_ERROR_PTX, "%s:%u:%u: %s%s", parser->module->file_name, place.line,
              place.column, sentence, quote);
    longjmp(parser->escape, 1);
}

/* How much of a token a sentence shows. */
static int shown_length(const Token *token) { return token->length < 60 ? (int)token->length : 60; }

static _Noreturn void fail_expected(Parser *parser, Place place, const char *what)
{
    const Token *token = &parser->token;
    if (token->kind == TOKEN_END)
        parser_fail(parser, place, "expected %s, found the end of the text", what);
    parser_fail(parser, place, "expected %s, found '%.*s'", what, shown_length(token), token->start);
}

void parser_expected(Parser *parser, const char *what) { fail_expected(parser, parser->token.place, what); }

const char *parser_unknown(Parser *parser, const char *what)
{
    const Token *token = &parser->token;
    char quote[3 * QUOTE_WIDTH];
    quote_line(parser, token->place, quote, sizeof quote);
    return arena_printf(&parser->module->arena, "%s:%u:%u: expected %s, found '%.*s'%s",
                        parser->module->file_name, token->place.line, token->place.column, what,
                        shown_length(token), token->start, quote);
}

void parser_advance(Parser *parser)
{
    const Token *token = &parser->token;
    parser->last_token = token->kind;
    /* The first token has none before it. */
    if (token->start)
        parser->last_place = (Place){token->place.line, token->place.column + token->length};
    lexer_next(&parser->lexer, &parser->token);
    if (token->kind == TOKEN_BAD) {
        if (token->length == 1 && (*token->start < 33 || *token->start == 127))
            parser_fail(parser, token->place, "unexpected byte 0x%02x", (unsigned char)*token->start);
        /* A comment without end has no text to show. */
        if (!token->length)
            parser_fail(parser, token->place, "%s", parser->lexer.problem);
        parser_fail(parser, token->place, "%s: '%.*s'", parser->lexer.problem, shown_length(token),
                    token->start);
    }
}

bool parser_accept(Parser *parser, int kind)
{
    if (parser->token.kind != kind)
        return false;
    parser_advance(parser);
    return true;
}

bool parser_accept_directive(Parser *parser, const char *text)
{
    if (parser->token.kind != TOKEN_DIRECTIVE || !token_is(&parser->token, text))
        return false;
    parser_advance(parser);
    return true;
}

/* What is missing at the end of a line is reported there, not at the next line's first token. */
void parser_expect(Parser *parser, int kind, const char *what)
{
    const Place place = parser->token.place;
    if (parser->token.kind != kind)
        fail_expected(
            parser, kind == ';' && place.line != parser->last_place.line ? parser->last_place : place, what);
    parser_advance(parser);
}

uint64_t parser_expect_integer(Parser *parser, uint64_t most, const char *what)
{
    if (parser->token.kind != TOKEN_INTEGER)
        parser_expected(parser, what);
    const uint64_t value = parser->token.value;
    if (value > most)
        parser_fail(parser, parser->token.place, "%llu is out of range: expected %s of at most %llu",
                    (unsigned long long)value, what, (unsigned long long)most);
    parser_advance(parser);
    return value;
}

uint32_t parser_expect_name(Parser *parser, const char *what)
{
    if (parser->token.kind != TOKEN_NAME)
        parser_expected(parser, what);
    const uint32_t name = name_intern(parser, parser->token.start, parser->token.length);
    parser_advance(parser);
    return name;
}

Type parser_type(const Token *token)
{
    Mod mod;
    if (token->kind == TOKEN_DIRECTIVE && mod_find(token->start + 1, token->length - 1, &mod) &&
        mod_is_type(mod))
        return mod;
    return MOD_NONE;
}

Type parser_expect_type(Parser *parser)
{
    const Type type = parser_type(&parser->token);
    if (type == MOD_NONE)
        parser_expected(parser, "a type such as .b32");
    parser_advance(parser);
    return type;
}

void parser_enter(Parser *parser)
{
    if (++parser->nesting > MAX_NESTING)
        parser_fail(parser, parser->token.place, "nested more than %d levels deep", MAX_NESTING);
}

void parser_leave(Parser *parser) { parser->nesting--; }

void parser_skip_brackets(Parser *parser, int open, int close)
{
    const Place place = parser->token.place;
    const char text[] = {'\'', (char)open, '\'', 0};
    uint64_t level = 1;
    for (parser_expect(parser, open, text); level; parser_advance(parser)) {
        if (parser->token.kind == TOKEN_END)
            parser_fail(parser, place, "'%c' is never closed", open);
        level += parser->token.kind == open;
        level -= parser->token.kind == close;
    }
}
