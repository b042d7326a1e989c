/* Macros: their definitions, and their expansion.
 *
 * Expansion reads from a stack: a macro's body goes on top of what is left, and while it is there the macro's
 * name is only a name. So a body may end with the name of a macro whose arguments stand behind it. */
#include <string.h>

#include "cilk/preprocess.h"

/* Tokens that macros may make in all, bodies on the stack, arguments within arguments. */
enum { MOST_WORK = 1 << 20, MOST_SOURCES = 200, MOST_NESTING = 50, MOST_PARAMETERS = 64 };

/* Tokens to be read. */
typedef struct Source {
    const Token *tokens;
    uint32_t count, at;
    int64_t macro;          /* index; -1: none */
    Token *owned;           /* to be freed with it */
} Source;

typedef struct Expansion {
    Preprocessor *preprocessor;
    VEC(Source) sources;
    CilkPlace place;        /* of the name that stands in the program */
} Expansion;

typedef struct Arguments {
    TokenList tokens;       /* of all, one behind the other */
    uint32_t begins[MOST_PARAMETERS + 1];
    uint32_t count;
} Arguments;

Macro *cilk_macro_find(const Preprocessor *preprocessor, const Token *name)
{
    uint32_t index;
    if (name->kind != TK_NAME || !map_get(&preprocessor->names, name->start, name->length, &index)
        || !preprocessor->macros.items[index].is_defined)
        return NULL;
    return preprocessor->macros.items + index;
}

static Macro *macro_entry(Preprocessor *preprocessor, const Token *name)
{
    uint32_t index;
    if (!map_get(&preprocessor->names, name->start, name->length, &index)) {
        index = preprocessor->macros.count;
        VEC_PUSH(&preprocessor->macros, (Macro){0});
        map_put(&preprocessor->names, name->start, name->length, index);
    }
    return preprocessor->macros.items + index;
}

/* The parameters of a macro from behind its parenthesis on; returns the index behind them, 0: failed. */
static uint32_t take_parameters(Preprocessor *preprocessor, Macro *macro, const Token *line, uint32_t count)
{
    Token *parameters = ARENA_ARRAY(&preprocessor->program->arena, Token, MOST_PARAMETERS);
    uint32_t i = 2, taken = 0;
    macro->parameters = parameters;
    if (i < count && line[i].kind == TK_CLOSE)
        return i + 1;
    for (; i + 1 < count; i += 2) {
        if (line[i].kind != TK_NAME || taken == MOST_PARAMETERS)
            break;
        parameters[taken++] = line[i];
        macro->parameter_count = taken;
        if (line[i + 1].kind == TK_CLOSE)
            return i + 2;
        if (line[i + 1].kind != TK_COMMA)
            break;
    }
    cilk_preprocess_failed(preprocessor, line,
                           "the parameters of this macro are not names with commas between "
                           "them in parentheses, at most %d.",
                           (int)MOST_PARAMETERS);
    return 0;
}

bool cilk_macro_define(Preprocessor *preprocessor, const Token *line, uint32_t count)
{
    Macro macro = {.name = arena_strndup(&preprocessor->program->arena, line->start, line->length),
                   .is_defined = true};
    uint32_t body = 1;
    if (count > 1 && line[1].kind == TK_OPEN && !line[1].follows_space) {
        macro.is_function = true;
        body = take_parameters(preprocessor, &macro, line, count);
        if (!body)
            return false;
    }
    for (uint32_t i = body; i < count; i++)
        if (line[i].kind == TK_PASTE || line[i].kind == TK_HASH)
            return cilk_preprocess_failed(preprocessor, line + i,
                                          "the operators # and ## of macros are outside "
                                          "of the subset; write the names out.");
    macro.body_count = count - body;
    if (macro.body_count)
        macro.body = arena_copy(&preprocessor->program->arena, line + body, macro.body_count * sizeof *line);
    *macro_entry(preprocessor, line) = macro;
    return true;
}

static void pop(Expansion *expansion)
{
    Source *source = expansion->sources.items + --expansion->sources.count;
    if (source->macro >= 0)
        expansion->preprocessor->macros.items[source->macro].is_open = false;
    xfree(source->owned);
}

/* The next token, which stays; null: there is none. */
static const Token *peek(Expansion *expansion)
{
    while (expansion->sources.count) {
        Source *source = expansion->sources.items + expansion->sources.count - 1;
        if (source->at < source->count)
            return source->tokens + source->at;
        pop(expansion);
    }
    return NULL;
}

static void drop(Expansion *expansion) { expansion->sources.items[expansion->sources.count - 1].at++; }

/* Puts the tokens on top, and owns them. */
static bool push(Expansion *expansion, Macro *macro, Token *tokens, uint32_t count)
{
    Preprocessor *preprocessor = expansion->preprocessor;
    macro->is_open = true;
    VEC_PUSH(&expansion->sources, ((Source){tokens, count, 0, macro - preprocessor->macros.items, tokens}));
    preprocessor->work += count + 1;
    Token at = {.place = expansion->place};
    if (preprocessor->work > MOST_WORK || expansion->sources.count > MOST_SOURCES)
        return cilk_preprocess_failed(preprocessor, &at, "macros make too much of %s; write less with them.",
                                      macro->name);
    return true;
}

static bool push_body(Expansion *expansion, Macro *macro)
{
    Token *tokens = xmalloc((macro->body_count + 1) * sizeof *tokens);
    if (macro->body_count)
        memcpy(tokens, macro->body, macro->body_count * sizeof *tokens);
    for (uint32_t i = 0; i < macro->body_count; i++)
        tokens[i].place = expansion->place;
    return push(expansion, macro, tokens, macro->body_count);
}

/* Reads the arguments behind the parenthesis, which has been read. */
static bool take_arguments(Expansion *expansion, const Macro *macro, Arguments *arguments)
{
    const Token *token;
    unsigned depth = 0;
    Token at = {.place = expansion->place};
    arguments->count = 1;
    arguments->begins[0] = 0;
    while ((token = peek(expansion))) {
        Token copy = *token;
        drop(expansion);
        if (copy.kind == TK_CLOSE && !depth--)
            break;
        depth += copy.kind == TK_OPEN;
        if (copy.kind == TK_COMMA && !depth) {
            if (arguments->count == MOST_PARAMETERS)
                return cilk_preprocess_failed(expansion->preprocessor, &at,
                                              "%s() has too many arguments.", macro->name);
            arguments->begins[arguments->count++] = arguments->tokens.count;
        } else {
            VEC_PUSH(&arguments->tokens, copy);
        }
    }
    if (!token)
        return cilk_preprocess_failed(expansion->preprocessor, &at,
                                      "the arguments of the macro %s() have no closing parenthesis.",
                                      macro->name);
    arguments->begins[arguments->count] = arguments->tokens.count;
    if (!macro->parameter_count && !arguments->tokens.count)
        arguments->count = 0;
    if (arguments->count != macro->parameter_count)
        return cilk_preprocess_failed(expansion->preprocessor, &at,
                                      "the macro %s() takes %u arguments, not %u.", macro->name,
                                      macro->parameter_count, arguments->count);
    return true;
}

/* Adds the argument that the name stands for, if it is a parameter, with its own places; else the token, with
 * the place of the macro's name. */
static bool substitute(Expansion *expansion, const Macro *macro, const Arguments *arguments,
                       const Token *token, TokenList *result)
{
    for (uint32_t p = 0; p < macro->parameter_count && token->kind == TK_NAME; p++)
        if (macro->parameters[p].length == token->length
            && !memcmp(macro->parameters[p].start, token->start, token->length)) {
            const uint32_t begin = arguments->begins[p], count = arguments->begins[p + 1] - begin;
            return !count || cilk_macro_expand(expansion->preprocessor, arguments->tokens.items + begin,
                                               count, result);
        }
    VEC_PUSH(result, *token);
    result->items[result->count - 1].place = expansion->place;
    return true;
}

static bool push_call(Expansion *expansion, Macro *macro)
{
    Arguments *arguments = xcalloc(1, sizeof *arguments);
    TokenList result = {0};
    bool is_right = take_arguments(expansion, macro, arguments);
    for (uint32_t i = 0; is_right && i < macro->body_count; i++)
        is_right = substitute(expansion, macro, arguments, macro->body + i, &result);
    VEC_FREE(&arguments->tokens);
    xfree(arguments);
    if (!is_right) {
        VEC_FREE(&result);
        return false;
    }
    VEC_RESERVE(&result, 1u);
    return push(expansion, macro, result.items, result.count);
}

/* One token: it goes out, or the macro that it names goes onto the stack. */
static bool step(Expansion *expansion, TokenList *out)
{
    Token token = *peek(expansion);
    drop(expansion);
    Macro *macro = token.is_painted ? NULL : cilk_macro_find(expansion->preprocessor, &token);
    if (macro && macro->is_open) {
        token.is_painted = true;
        macro = NULL;
    }
    if (expansion->sources.count == 1)
        expansion->place = token.place;
    if (macro && !macro->is_function)
        return push_body(expansion, macro);
    if (macro) {
        const Token *next = peek(expansion);
        if (next && next->kind == TK_OPEN) {
            drop(expansion);
            return push_call(expansion, macro);
        }
    }
    VEC_PUSH(out, token);
    return true;
}

bool cilk_macro_expand(Preprocessor *preprocessor, const Token *in, uint32_t count, TokenList *out)
{
    if (!count)
        return true;
    if (preprocessor->nesting >= MOST_NESTING)
        return cilk_preprocess_failed(preprocessor, in, "macros are nested too deeply.");
    Expansion expansion = {.preprocessor = preprocessor, .place = in->place};
    VEC_PUSH(&expansion.sources, ((Source){in, count, 0, -1, NULL}));
    bool is_right = true;
    preprocessor->nesting++;
    while (is_right && peek(&expansion))
        is_right = step(&expansion, out);
    preprocessor->nesting--;
    while (expansion.sources.count)
        pop(&expansion);
    VEC_FREE(&expansion.sources);
    return is_right;
}
