/* Tokens of C text. Comments and joined lines count as spaces; a token is not split over two lines. */
#include "cilk/lexer.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void cilk_lexer_init(Lexer *lexer, uint16_t file, const char *text, size_t length)
{
    *lexer = (Lexer){.at = text, .end = text + length, .line_start = text, .line = 1, .file = file,
                     .begins_line = true};
}

bool cilk_token_is(const Token *token, const char *text)
{
    return token->length == strlen(text) && !memcmp(token->start, text, token->length);
}

TokenKind cilk_keyword(const Token *token)
{
    static const struct { TokenKind kind; const char *spelling; } keywords[] = {
#define PUNCTUATOR(kind, spelling)
#define KEYWORD(kind, spelling) {kind, spelling},
#include "cilk/tokens.def"
#undef PUNCTUATOR
#undef KEYWORD
    };
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (cilk_token_is(token, keywords[i].spelling))
            return keywords[i].kind;
    return TK_NAME;
}

static void end_line(Lexer *lexer)
{
    lexer->at++;
    lexer->line++;
    lexer->line_start = lexer->at;
}

/* Bytes of a joined line's end, a backslash and the line feed; 0: there is none here. */
static unsigned joined_line(const Lexer *lexer)
{
    if (lexer->end - lexer->at >= 2 && lexer->at[0] == '\\') {
        if (lexer->at[1] == '\n')
            return 2;
        if (lexer->end - lexer->at >= 3 && lexer->at[1] == '\r' && lexer->at[2] == '\n')
            return 3;
    }
    return 0;
}

/* Behind a comment that begins here; false: it has no end, and nothing is skipped. */
static bool skip_comment(Lexer *lexer)
{
    const Lexer begun = *lexer;
    if (lexer->at[1] == '/') {
        while (lexer->at < lexer->end && *lexer->at != '\n')
            lexer->at++;
        return true;
    }
    for (lexer->at += 2; lexer->end - lexer->at >= 2;) {
        if (lexer->at[0] == '*' && lexer->at[1] == '/') {
            lexer->at += 2;
            return true;
        }
        if (*lexer->at == '\n')
            end_line(lexer);
        else
            lexer->at++;
    }
    *lexer = begun;
    return false;
}

/* Behind spaces and comments; false: the one that begins here has no end. */
static bool skip_spaces(Lexer *lexer)
{
    while (lexer->at < lexer->end) {
        unsigned joined = joined_line(lexer);
        if (joined) {
            lexer->at += joined - 1;
            end_line(lexer);
        } else if (*lexer->at == '\n') {
            end_line(lexer);
            lexer->begins_line = true;
        } else if (isspace((unsigned char)*lexer->at)) {
            lexer->at++;
        } else if (lexer->end - lexer->at >= 2 && lexer->at[0] == '/'
                   && (lexer->at[1] == '/' || lexer->at[1] == '*')) {
            if (!skip_comment(lexer))
                return false;
        } else {
            break;
        }
    }
    return true;
}

static bool is_name_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

static void bad(Token *token, const char *problem)
{
    token->kind = TK_BAD;
    token->problem = problem;
}

/* The type of an integer literal: the first that holds its value, of those that its suffix allows. */
static CilkTypeKind integer_type(uint64_t value, bool is_decimal, bool is_unsigned, unsigned longs)
{
    static const CilkTypeKind types[] = {CILK_INT, CILK_UNSIGNED, CILK_LONG, CILK_UNSIGNED_LONG,
                                         CILK_LONG_LONG, CILK_UNSIGNED_LONG_LONG};
    static const uint64_t most[] = {INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX, INT64_MAX, UINT64_MAX};
    for (unsigned i = 2 * longs; i < 6; i++) {
        bool takes = i % 2 ? is_unsigned || !is_decimal : !is_unsigned;
        if (takes && value <= most[i])
            return types[i];
    }
    return CILK_UNSIGNED_LONG; /* larger than any signed type: as compilers have it, with a warning */
}

static void lex_integer(Token *token, const char *end)
{
    const char *at = token->start;
    unsigned base = 10;
    if (*at == '0' && end - at > 1) {
        bool is_hexadecimal = at[1] == 'x' || at[1] == 'X', is_binary = at[1] == 'b' || at[1] == 'B';
        base = is_hexadecimal ? 16 : is_binary ? 2 : 8;
        at += is_hexadecimal || is_binary ? 2 : 1;
    }
    uint64_t value = 0;
    const char *first = at;
    bool is_digit = true, is_too_large = false;
    for (; at < end; at++) {
        unsigned digit = isdigit((unsigned char)*at) ? (unsigned)(*at - '0')
            : isxdigit((unsigned char)*at) ? (unsigned)(tolower((unsigned char)*at) - 'a' + 10) : 99;
        if (digit >= base) {
            is_digit = at > first || base == 8;
            break;
        }
        is_too_large |= value > (UINT64_MAX - digit) / base;
        value = value * base + digit;
    }
    bool is_unsigned = false;
    unsigned longs = 0;
    for (; at < end && is_digit; at++) {
        if ((*at == 'u' || *at == 'U') && !is_unsigned)
            is_unsigned = true;
        else if ((*at == 'l' || *at == 'L') && longs < 2)
            longs++;
        else
            is_digit = false;
    }
    if (!is_digit || (first == end && base != 8))
        return bad(token, "is not a number of C");
    if (is_too_large)
        return bad(token, "is larger than 64 bits hold");
    token->kind = TK_INTEGER;
    token->integer = value;
    token->type = integer_type(value, base == 10, is_unsigned, longs);
}

static void lex_real(Token *token, const char *end)
{
    char text[128];
    size_t length = (size_t)(end - token->start);
    if (length >= sizeof text)
        return bad(token, "has too many digits");
    memcpy(text, token->start, length);
    bool is_float = (end[-1] == 'f' || end[-1] == 'F');
    text[length - is_float] = 0;
    char *rest;
    token->kind = TK_REAL;
    token->type = is_float ? CILK_FLOAT : CILK_DOUBLE;
    token->real = is_float ? (double)strtof(text, &rest) : strtod(text, &rest);
    if (*rest)
        bad(token, "is not a number of C");
}

/* All letters, digits, dots and signs behind exponents, as the preprocessor has numbers. */
static void lex_number(Lexer *lexer, Token *token)
{
    const char *at = lexer->at;
    bool is_hexadecimal = at[0] == '0' && (at[1] == 'x' || at[1] == 'X'), is_real = false;
    for (; at < lexer->end; at++) {
        char low = (char)tolower((unsigned char)*at);
        bool is_exponent = is_hexadecimal ? low == 'p' : low == 'e';
        if (!is_name_letter(*at) && *at != '.')
            break;
        is_real |= is_exponent || *at == '.';
        if (is_exponent && lexer->end - at > 1 && (at[1] == '+' || at[1] == '-'))
            at++;
    }
    lexer->at = at;
    if (is_real)
        lex_real(token, at);
    else
        lex_integer(token, at);
}

static bool number_escape(const char **at, const char *end, unsigned base, unsigned most, uint64_t *value)
{
    unsigned digits = 0;
    for (*value = 0; *at < end && digits < most; ++*at, digits++) {
        char c = (char)tolower((unsigned char)**at);
        unsigned digit = isdigit((unsigned char)c) ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 99;
        if (digit >= base)
            break;
        *value = *value * base + digit;
    }
    *value = (uint64_t)(int64_t)(int8_t)*value;
    return digits > 0;
}

bool cilk_character(const char **at, const char *end, uint64_t *value)
{
    static const char letters[] = "abfnrtv\\'\"?", codes[] = "\a\b\f\n\r\t\v\\'\"?";
    if (*at >= end || **at == '\n')
        return false;
    if (**at != '\\') {
        *value = (uint64_t)(int64_t)(signed char)*(*at)++;
        return true;
    }
    if (++*at >= end)
        return false;
    if (**at == 'x') {
        ++*at;
        return number_escape(at, end, 16, 2, value);
    }
    if (isdigit((unsigned char)**at))
        return number_escape(at, end, 8, 3, value);
    const char *found = memchr(letters, **at, sizeof letters - 1);
    if (!found)
        return false;
    *value = (uint64_t)codes[found - letters];
    ++*at;
    return true;
}

static void lex_quoted(Lexer *lexer, Token *token)
{
    char quote = *lexer->at++;
    uint32_t count = 0;
    uint64_t value = 0;
    while (lexer->at < lexer->end && *lexer->at != quote) {
        if (!cilk_character(&lexer->at, lexer->end, &value))
            return bad(token, quote == '"' ? "is a string without an end or with an unknown escape"
                                           : "is a character without an end or with an unknown escape");
        count++;
    }
    if (lexer->at >= lexer->end)
        return bad(token, "begins a text that has no end");
    lexer->at++;
    if (quote == '"') {
        token->kind = TK_STRING;
    } else if (count != 1) {
        bad(token, "is not one character");
    } else {
        token->kind = TK_INTEGER;
        token->type = CILK_INT;
        token->integer = value;
    }
}

static void lex_punctuator(Lexer *lexer, Token *token)
{
    static const struct { TokenKind kind; const char *spelling; } punctuators[] = {
#define PUNCTUATOR(kind, spelling) {kind, spelling},
#define KEYWORD(kind, spelling)
#include "cilk/tokens.def"
#undef PUNCTUATOR
#undef KEYWORD
    };
    for (size_t i = 0; i < sizeof punctuators / sizeof *punctuators; i++) {
        size_t length = strlen(punctuators[i].spelling);
        if ((size_t)(lexer->end - lexer->at) >= length
            && !memcmp(lexer->at, punctuators[i].spelling, length)) {
            token->kind = punctuators[i].kind;
            lexer->at += length;
            return;
        }
    }
    lexer->at++;
    bad(token, "is no part of C");
}

static CilkPlace place_here(const Lexer *lexer)
{
    size_t column = (size_t)(lexer->at - lexer->line_start) + 1;
    return (CilkPlace){lexer->line, (uint16_t)(column < UINT16_MAX ? column : UINT16_MAX), lexer->file};
}

void cilk_lexer_next(Lexer *lexer, Token *token)
{
    const char *before = lexer->at;
    bool has_end = skip_spaces(lexer);
    *token = (Token){.begins_line = lexer->begins_line, .follows_space = lexer->at > before,
                     .start = lexer->at, .place = place_here(lexer)};
    lexer->begins_line = false;
    if (!has_end) {
        lexer->at = lexer->end;
        token->length = 2;
        bad(token, "begins a comment that has no end");
        return;
    } else if (lexer->at >= lexer->end) {
        token->begins_line = true;
        return;
    } else if (is_name_letter(*lexer->at) && !isdigit((unsigned char)*lexer->at)) {
        token->kind = TK_NAME;
        while (lexer->at < lexer->end && is_name_letter(*lexer->at))
            lexer->at++;
    } else if (isdigit((unsigned char)*lexer->at)
               || (*lexer->at == '.' && lexer->end - lexer->at > 1 && isdigit((unsigned char)lexer->at[1]))) {
        lex_number(lexer, token);
    } else if (*lexer->at == '"' || *lexer->at == '\'') {
        lex_quoted(lexer, token);
    } else {
        lex_punctuator(lexer, token);
    }
    token->length = (uint32_t)(lexer->at - token->start);
}
