/* Makes tokens of a program's text as C's preprocessor does: macros, conditions, included files.
 *
 * A token that comes out of a macro has the place of the macro's name in the program, so that sentences name
 * what the user has written there. The operators # and ## are refused. */
#ifndef CILK_PREPROCESS_H
#define CILK_PREPROCESS_H

#include "base/map.h"
#include "base/vec.h"
#include "cilk/lexer.h"

typedef VEC(Token) TokenList;

enum {
#define HEADER(identifier, name, text) identifier,
#include "cilk/headers.def"
#undef HEADER
    HEADER_COUNT
};

/* Invariant: is_function says whether parameters count; body and parameters lie in the program's arena. */
typedef struct Macro {
    const char *name;
    bool is_defined, is_function;
    bool is_open;            /* it is being expanded: inside of it its name is only a name */
    uint32_t parameter_count, body_count;
    Token *parameters, *body;
} Macro;

/* One #if that has not ended. */
typedef struct Condition {
    CilkPlace place;
    bool takes;              /* lines here are taken */
    bool has_taken;          /* this branch or one before it is */
    bool is_outside_taken;   /* what stands around the #if is */
    bool has_else;
} Condition;

typedef struct Preprocessor {
    CilkProgram *program;
    Error *error;
    Map names;               /* of macros: index in the list */
    VEC(Macro) macros;
    VEC(Condition) conditions;
    VEC(const char *) paths; /* of files, beside program->files; null: text that has none */
    VEC(const char *) once;  /* paths that are not read again */
    TokenList text;          /* what stands between two directives */
    TokenList output;
    uint32_t includes;       /* files that are open */
    uint32_t nesting;        /* arguments that are being expanded */
    uint64_t work;           /* tokens that macros have made */
    bool has_header[HEADER_COUNT];
} Preprocessor;

/* Whether lines are taken here: they are in no #if, or in a part of it that holds. */
static inline bool cilk_takes_lines(const Preprocessor *preprocessor)
{
    const uint32_t count = preprocessor->conditions.count;
    return !count || preprocessor->conditions.items[count - 1].takes;
}

/* All tokens, ended by one of TK_END, with keywords told from names. False: the error says why not. A null
 * path: it includes no files. */
bool cilk_preprocess(Preprocessor *preprocessor, const char *path, const char *name, const char *text,
                     size_t length);
void cilk_preprocess_free(Preprocessor *preprocessor);

/* Parts of it, a file each. */
bool cilk_preprocess_failed(const Preprocessor *preprocessor, const Token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
Macro *cilk_macro_find(const Preprocessor *preprocessor, const Token *name);
bool cilk_macro_define(Preprocessor *preprocessor, const Token *line, uint32_t count);
/* Appends to `out`, which is not `in`. */
bool cilk_macro_expand(Preprocessor *preprocessor, const Token *in, uint32_t count, TokenList *out);
/* The directive, from the word behind # on; `hash` is where it stands. */
bool cilk_directive(Preprocessor *preprocessor, const Token *hash, const Token *line, uint32_t count);
/* Reads a text as a part of the program. */
bool cilk_preprocess_text(Preprocessor *preprocessor, const char *path, const char *name, const char *text,
                          size_t length);

#endif
