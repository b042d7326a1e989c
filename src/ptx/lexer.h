/* Splits PTX text into tokens, one at a time, without allocating: a token is a slice of the text. */
#ifndef PTX_LEXER_H
#define PTX_LEXER_H

#include "ptx/module.h"

/* Punctuation of one character is a token whose kind is that character. */
typedef enum TokenKind {
    TOKEN_END = 0,
    TOKEN_NAME = 256, /* add, %r1, $L__BB0_1, _ */
    TOKEN_DIRECTIVE,  /* .reg, .s32, .shared::cta: a dot and what follows */
    TOKEN_INTEGER,    /* value */
    TOKEN_FLOAT32,    /* 0f3F800000: value holds the bits */
    TOKEN_FLOAT64,    /* 0d..., 1.5: value holds the bits */
    TOKEN_STRING,     /* with its quotes */
    TOKEN_SHIFT_LEFT, TOKEN_SHIFT_RIGHT, TOKEN_LESS_EQUAL, TOKEN_GREATER_EQUAL, TOKEN_EQUAL, TOKEN_NOT_EQUAL,
    TOKEN_AND, TOKEN_OR,
    TOKEN_BAD         /* the lexer's problem says why */
} TokenKind;

typedef struct Token {
    int kind;
    bool is_unsigned; /* of an integer: suffix U, or too large for 63 bits */
    uint32_t length;
    const char *start;
    Place place;
    uint64_t value;
} Token;

/* Invariant: text ends with a null character at `end`, and at <= end. Copying a Lexer saves the place. */
typedef struct Lexer {
    const char *at, *end;
    const char *line_start;
    uint32_t line;
    const char *problem; /* of the last TOKEN_BAD */
} Lexer;

/* text[length] must be a null character. */
void lexer_init(Lexer *lexer, const char *text, size_t length);
void lexer_next(Lexer *lexer, Token *token);

static inline const char *token_end(const Token *token) { return token->start + token->length; }
bool token_is(const Token *token, const char *text);

#endif
