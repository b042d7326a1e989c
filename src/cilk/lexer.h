/* Splits C text into tokens, one at a time. Directives are not known here: preprocess.h takes them out. */
#ifndef CILK_LEXER_H
#define CILK_LEXER_H

#include "cilk/ast.h"

typedef enum TokenKind {
    TK_END,
    TK_NAME,        /* keywords too, until the preprocessor is done with them */
    TK_INTEGER,     /* characters in quotes too */
    TK_REAL,
    TK_STRING,      /* with its quotes */
    TK_BAD,         /* the problem says why */
#define PUNCTUATOR(kind, spelling) kind,
#define KEYWORD(kind, spelling)
#include "cilk/tokens.def"
#undef PUNCTUATOR
#undef KEYWORD
    TK_VOID, TK_BOOL, TK_CHAR, TK_SHORT, TK_INT, TK_LONG, TK_FLOAT, TK_DOUBLE, TK_SIGNED, TK_UNSIGNED,
    TK_STRUCT, TK_UNION, TK_ENUM, TK_TYPEDEF, TK_CONST, TK_VOLATILE, TK_RESTRICT, TK_STATIC, TK_EXTERN,
    TK_INLINE, TK_REGISTER, TK_IF, TK_ELSE, TK_WHILE, TK_DO, TK_FOR, TK_SWITCH, TK_CASE, TK_DEFAULT,
    TK_BREAK, TK_CONTINUE, TK_RETURN, TK_GOTO, TK_SIZEOF, TK_STATIC_ASSERT,
    TK_SPAWN, TK_SYNC, TK_CILK_FOR
} TokenKind;

/* A slice of the text. */
typedef struct Token {
    TokenKind kind;
    CilkTypeKind type;      /* of a number */
    bool begins_line;
    bool follows_space;     /* a space or a line's end stands before it */
    bool is_painted;        /* the name of a macro, met inside of that: it stays as it is */
    uint32_t length;
    CilkPlace place;
    const char *start;
    union {
        uint64_t integer;
        double real;
        const char *problem;
    };
} Token;

/* Invariant: at <= end. The text has a null character at its end. */
typedef struct Lexer {
    const char *at, *end, *line_start;
    uint32_t line;
    uint16_t file;
    bool begins_line;
} Lexer;

void cilk_lexer_init(Lexer *lexer, uint16_t file, const char *text, size_t length);
void cilk_lexer_next(Lexer *lexer, Token *token);
bool cilk_token_is(const Token *token, const char *text);
/* The keyword's kind, or TK_NAME. */
TokenKind cilk_keyword(const Token *token);
/* The character, and behind it, of one in quotes that begins at *at, which an escape may be: '\n', "\x41".
 * False: it is none. */
bool cilk_character(const char **at, const char *end, uint64_t *value);

#endif
