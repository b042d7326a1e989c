/* The text ends with a zero (new_module() sees to it), which belongs to no class. So loops over a class need
 * no check of the end, and looking one character ahead is always allowed. A zero in the middle of the text is
 * an unexpected character. A bad token carries its place; the parser makes the sentence. */
#include "ptx/lexer.h"

#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What a character can be part of. */
enum { CLASS_NAME = 1, CLASS_DIGIT = 2, CLASS_HEX = 4, CLASS_BLANK = 8, CLASS_START = 16 };

static const uint8_t classes[256] = {
    ['0' ... '9'] = CLASS_NAME | CLASS_DIGIT | CLASS_HEX,
    ['a' ... 'f'] = CLASS_NAME | CLASS_HEX | CLASS_START,
    ['A' ... 'F'] = CLASS_NAME | CLASS_HEX | CLASS_START,
    ['g' ... 'z'] = CLASS_NAME | CLASS_START,
    ['G' ... 'Z'] = CLASS_NAME | CLASS_START,
    ['_'] = CLASS_NAME | CLASS_START,
    ['$'] = CLASS_NAME | CLASS_START,
    [' '] = CLASS_BLANK,
    ['\t'] = CLASS_BLANK,
    ['\r'] = CLASS_BLANK,
    ['\f'] = CLASS_BLANK,
    ['\v'] = CLASS_BLANK,
};

static inline bool is(char c, int wanted) { return (classes[(unsigned char)c] & wanted) != 0; }

/* The host program may have set a locale whose decimal point is a comma; PTX's is always a point. */
static locale_t number_locale;
static pthread_once_t number_locale_once = PTHREAD_ONCE_INIT;
static void make_number_locale(void) { number_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

void lexer_init(Lexer *lexer, const char *text, size_t length)
{
    *lexer = (Lexer){.at = text, .end = text + length, .line_start = text, .line = 1};
}

bool token_is(const Token *token, const char *text)
{
    return !strncmp(token->start, text, token->length) && !text[token->length];
}

static void newline(Lexer *lexer)
{
    lexer->at++;
    lexer->line++;
    lexer->line_start = lexer->at;
}

/* Skips a block comment; false if the text ends first. */
static bool skip_comment(Lexer *lexer)
{
    lexer->at += 2;
    for (;;) {
        if (lexer->at >= lexer->end)
            return false;
        if (lexer->at[0] == '*' && lexer->at[1] == '/') {
            lexer->at += 2;
            return true;
        }
        if (*lexer->at == '\n')
            newline(lexer);
        else
            lexer->at++;
    }
}

static void skip_line(Lexer *lexer)
{
    const char *end = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
    lexer->at = end ? end : lexer->end;
}

static bool only_blanks_before(const Lexer *lexer)
{
    /* A # elsewhere is a character that nothing begins with, and an error. */
    for (const char *c = lexer->line_start; c < lexer->at; c++)
        if (!is(*c, CLASS_BLANK))
            return false;
    return true;
}

/* Goes to the next token. A block comment that never ends is left in place, for its place to be told. */
static bool skip_space(Lexer *lexer)
{
    for (;;) {
        const char c = *lexer->at;
        if (is(c, CLASS_BLANK)) {
            lexer->at++;
        } else if (c == '\n') {
            newline(lexer);
        } else if (c == '/' && lexer->at[1] == '/') {
            skip_line(lexer);
        } else if (c == '/' && lexer->at[1] == '*') {
            /* Line and column of its beginning are needed for the sentence, not those of the text's end. */
            const Lexer before = *lexer;
            if (!skip_comment(lexer)) {
                *lexer = before;
                return false;
            }
        } else if (c == '#' && only_blanks_before(lexer)) {
            skip_line(lexer); /* a preprocessor's line marker */
        } else {
            return true;
        }
    }
}

static void bad(Lexer *lexer, Token *token, const char *problem)
{
    lexer->problem = problem;
    token->kind = TOKEN_BAD;
}

static unsigned digit_value(char c)
{
    if (c <= '9')
        return (unsigned)(c - '0');
    return (unsigned)((c | 32) - 'a') + 10;
}

/* 0f and 0d: exactly 8 or 16 hexadecimal digits. */
static void lex_float_bits(Lexer *lexer, Token *token, unsigned digits)
{
    const char *at = lexer->at + 2;
    uint64_t value = 0;
    unsigned count = 0;
    for (; count < digits && is(*at, CLASS_HEX); count++)
        value = value << 4 | digit_value(*at++);
    lexer->at = at;
    token->kind = digits == 8 ? TOKEN_FLOAT32 : TOKEN_FLOAT64;
    token->value = value;
    if (count < digits || is(*at, CLASS_NAME))
        bad(lexer, token, digits == 8 ? "an 0f literal has exactly 8 hexadecimal digits"
                                      : "an 0d literal has exactly 16 hexadecimal digits");
}

static void lex_decimal_float(Lexer *lexer, Token *token)
{
    char *end;
    pthread_once(&number_locale_once, make_number_locale);
    const double value = strtod_l(lexer->at, &end, number_locale);
    memcpy(&token->value, &value, sizeof value);
    token->kind = TOKEN_FLOAT64;
    lexer->at = end;
    if (is(*end, CLASS_NAME))
        bad(lexer, token, "malformed floating-point literal");
}

static void lex_integer(Lexer *lexer, Token *token, unsigned base)
{
    const char *at = lexer->at + (base == 16 || base == 2 ? 2 : 0);
    const char *first = at;
    uint64_t value = 0;
    bool overflow = false;
    for (; is(*at, base == 16 ? CLASS_HEX : CLASS_DIGIT) && digit_value(*at) < base; at++) {
        overflow |= __builtin_mul_overflow(value, base, &value);
        overflow |= __builtin_add_overflow(value, digit_value(*at), &value);
    }
    token->kind = TOKEN_INTEGER;
    token->value = value;
    /* PTX: a literal is signed unless it has a U or does not fit into 63 bits. */
    token->is_unsigned = *at == 'U' || value >> 63;
    const bool empty = at == first;
    at += *at == 'U';
    lexer->at = at;
    if (empty || is(*at, CLASS_NAME))
        bad(lexer, token, "malformed integer literal");
    else if (overflow)
        bad(lexer, token, "integer literal does not fit in 64 bits");
}

/* A literal with a point or an exponent; "1.x" is not one. */
static bool is_decimal_float(const char *at)
{
    while (is(*at, CLASS_DIGIT))
        at++;
    /* A point before a letter belongs to a suffix or a component, as in "0.x"; an e may begin an exponent. */
    if (*at == '.')
        return !is(at[1], CLASS_START) || at[1] == 'e' || at[1] == 'E';
    if (*at != 'e' && *at != 'E')
        return false;
    at++;
    at += *at == '+' || *at == '-';
    return is(*at, CLASS_DIGIT);
}

static void lex_number(Lexer *lexer, Token *token)
{
    const char *at = lexer->at;
    if (*at == '0') {
        switch (at[1]) {
        case 'x': case 'X': lex_integer(lexer, token, 16); return;
        case 'b': case 'B': lex_integer(lexer, token, 2); return;
        case 'f': case 'F': lex_float_bits(lexer, token, 8); return;
        case 'd': case 'D': lex_float_bits(lexer, token, 16); return;
        default: break;
        }
    }
    if (is_decimal_float(at))
        lex_decimal_float(lexer, token);
    else
        /* As in C a leading 0 means octal; a single 0 is the same in both. */
        lex_integer(lexer, token, *at == '0' ? 8 : 10);
}

static void lex_string(Lexer *lexer, Token *token)
{
    const char *at = lexer->at + 1;
    /* A backslash takes the next character with it, be it a quote; a line's end it does not. */
    while (at < lexer->end && *at != '"' && *at != '\n')
        at += *at == '\\' && at[1] != '\n' && at + 1 < lexer->end ? 2 : 1;
    token->kind = TOKEN_STRING;
    if (at < lexer->end && *at == '"')
        at++;
    else
        bad(lexer, token, "string without closing quote");
    lexer->at = at;
}

/* Suffixes may hold "::" (.shared::cta, .L2::128B). */
static void lex_directive(Lexer *lexer, Token *token)
{
    const char *at = lexer->at + 1;
    token->kind = TOKEN_DIRECTIVE;
    for (;;) {
        while (is(*at, CLASS_NAME))
            at++;
        /* A single colon ends a label, not a suffix. */
        if (at[0] != ':' || at[1] != ':' || !is(at[2], CLASS_NAME))
            break;
        at += 2;
    }
    if (at == lexer->at + 1)
        bad(lexer, token, "a dot must be followed by a name");
    lexer->at = at;
}

static void lex_punctuation(Lexer *lexer, Token *token)
{
    static const struct { char text[3]; TokenKind kind; } pairs[] = {
        {"<<", TOKEN_SHIFT_LEFT},    {">>", TOKEN_SHIFT_RIGHT}, {"<=", TOKEN_LESS_EQUAL},
        {">=", TOKEN_GREATER_EQUAL}, {"==", TOKEN_EQUAL},       {"!=", TOKEN_NOT_EQUAL},
        {"&&", TOKEN_AND},           {"||", TOKEN_OR},
    };
    const char c = *lexer->at;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (c == pairs[i].text[0] && lexer->at[1] == pairs[i].text[1]) {
            token->kind = pairs[i].kind;
            lexer->at += 2;
            return;
        }
    }
    lexer->at++;
    token->kind = c;
    if (!c || !strchr(",;:{}()[]<>!&|^~+-*/%?=@", c))
        bad(lexer, token, "unexpected character");
}

void lexer_next(Lexer *lexer, Token *token)
{
    const bool closed = skip_space(lexer);
    const char *start = lexer->at;
    token->start = start;
    token->place = (Place){lexer->line, (uint32_t)(start - lexer->line_start) + 1};
    token->is_unsigned = false;
    token->value = 0;
    const char c = *start;
    if (!closed) {
        bad(lexer, token, "comment without end");
    } else if (is(c, CLASS_START) || (c == '%' && is(start[1], CLASS_NAME))) {
        token->kind = TOKEN_NAME;
        for (lexer->at++; is(*lexer->at, CLASS_NAME); lexer->at++)
            ;
    } else if (c == '.') {
        lex_directive(lexer, token);
    } else if (is(c, CLASS_DIGIT)) {
        lex_number(lexer, token);
    } else if (c == '"') {
        lex_string(lexer, token);
    /* Behind the classes: the zero at the end is in none of them. */
    } else if (start == lexer->end) {
        token->kind = TOKEN_END;
    } else {
        lex_punctuation(lexer, token);
    }
    token->length = (uint32_t)(lexer->at - start);
}
