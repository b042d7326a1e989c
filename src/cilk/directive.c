/* Directives of the preprocessor. */
#include <string.h>

#include "base/file.h"
#include "cilk/constant.h"
#include "cilk/preprocess.h"

typedef struct Header {
    const char *name, *text;
} Header;

static const Header headers[] = {
#define HEADER(identifier, name, text) {name, text},
#include "cilk/headers.def"
#undef HEADER
};

/* Writes 1 or 0 for defined(NAME) and defined NAME; returns how many tokens that are, 0: failed. */
static uint32_t take_defined(Preprocessor *preprocessor, const Token *line, uint32_t count, Token *value)
{
    bool has_parentheses = count > 1 && line[1].kind == TK_OPEN;
    uint32_t name = has_parentheses ? 2 : 1;
    if (name >= count || line[name].kind != TK_NAME
        || (has_parentheses && (name + 1 >= count || line[name + 1].kind != TK_CLOSE))) {
        cilk_preprocess_failed(preprocessor, line, "defined needs a name behind it.");
        return 0;
    }
    *value = (Token){.kind = TK_INTEGER, .type = CILK_INT, .place = line->place, .start = "0", .length = 1,
                     .integer = cilk_macro_find(preprocessor, line + name) != NULL};
    return has_parentheses ? 4 : 2;
}

static bool evaluate(Preprocessor *preprocessor, const Token *line, uint32_t count, bool *is_true)
{
    TokenList plain = {0}, expanded = {0};
    bool is_right = true;
    for (uint32_t i = 1; i < count && is_right;) {
        Token token = line[i];
        uint32_t length = 1;
        if (cilk_token_is(&token, "defined"))
            is_right = (length = take_defined(preprocessor, line + i, count - i, &token)) > 0;
        VEC_PUSH(&plain, token);
        i += length;
    }
    is_right = is_right && cilk_macro_expand(preprocessor, plain.items, plain.count, &expanded);
    for (uint32_t i = 0; i < expanded.count; i++)
        if (expanded.items[i].kind == TK_NAME)
            expanded.items[i] = (Token){.kind = TK_INTEGER, .type = CILK_INT, .start = "0", .length = 1,
                                        .place = expanded.items[i].place};
    VEC_PUSH(&expanded, ((Token){.kind = TK_END, .place = line->place, .start = ""}));
    int64_t value = 0;
    is_right = is_right && cilk_constant_of_tokens(preprocessor->program, expanded.items, &value,
                                                   preprocessor->error);
    *is_true = value != 0;
    VEC_FREE(&plain);
    VEC_FREE(&expanded);
    return is_right;
}

static bool begin_condition(Preprocessor *preprocessor, const Token *line, uint32_t count)
{
    bool is_outside_taken = cilk_takes_lines(preprocessor), takes = false;
    if (!is_outside_taken) {
        /* what is not taken is not looked at */
    } else if (cilk_token_is(line, "if")) {
        if (!evaluate(preprocessor, line, count, &takes))
            return false;
    } else if (count < 2 || line[1].kind != TK_NAME) {
        return cilk_preprocess_failed(preprocessor, line, "this directive needs the name of a macro.");
    } else {
        takes = (cilk_macro_find(preprocessor, line + 1) != NULL) == cilk_token_is(line, "ifdef");
    }
    VEC_PUSH(&preprocessor->conditions, ((Condition){line->place, takes, takes, is_outside_taken, false}));
    return true;
}

static bool change_condition(Preprocessor *preprocessor, const Token *line, uint32_t count)
{
    if (!preprocessor->conditions.count)
        return cilk_preprocess_failed(preprocessor, line, "this #%.*s has no #if.", (int)line->length,
                                      line->start);
    if (cilk_token_is(line, "endif")) {
        preprocessor->conditions.count--;
        return true;
    }
    uint32_t last = preprocessor->conditions.count - 1;
    Condition *condition = preprocessor->conditions.items + last;
    if (condition->has_else)
        return cilk_preprocess_failed(preprocessor, line, "this #%.*s stands behind an #else.",
                                      (int)line->length, line->start);
    bool is_true = condition->is_outside_taken && !condition->has_taken;
    if (cilk_token_is(line, "else"))
        condition->has_else = true;
    else if (is_true && !evaluate(preprocessor, line, count, &is_true))
        return false;
    condition->takes = is_true;
    condition->has_taken |= is_true;
    return true;
}

static bool include_header(Preprocessor *preprocessor, const Token *line, const char *name)
{
    for (unsigned i = 0; i < HEADER_COUNT; i++) {
        if (strcmp(headers[i].name, name))
            continue;
        if (preprocessor->has_header[i])
            return true;
        preprocessor->has_header[i] = true;
        return cilk_preprocess_text(preprocessor, NULL, headers[i].name, headers[i].text,
                                    strlen(headers[i].text));
    }
    return cilk_preprocess_failed(preprocessor, line,
                                  "the header <%s> is outside of the subset; kernels have "
                                  "stdbool.h, stddef.h, stdint.h, limits.h, float.h, and some functions of "
                                  "math.h and stdlib.h.",
                                  name);
}

static bool include_file(Preprocessor *preprocessor, const Token *line, const char *name)
{
    const char *from = preprocessor->paths.items[line->place.file];
    if (!from)
        return cilk_preprocess_failed(preprocessor, line, "a text without a folder cannot include \"%s\".",
                                      name);
    int folder = (int)(file_last_part(from) - from);
    Arena *arena = &preprocessor->program->arena;
    const char *path = *name == '/' ? name : arena_printf(arena, "%.*s%s", folder, from, name);
    for (uint32_t i = 0; i < preprocessor->once.count; i++)
        if (!strcmp(preprocessor->once.items[i], path))
            return true;
    size_t length;
    Error reason = {0};
    char *text = file_read("file", path, &length, &reason);
    if (!text)
        return cilk_preprocess_failed(preprocessor, line, "%s", reason.text);
    bool is_right = cilk_preprocess_text(preprocessor, path, path, text, length);
    xfree(text);
    return is_right;
}

static bool include(Preprocessor *preprocessor, const Token *line, uint32_t count)
{
    Arena *arena = &preprocessor->program->arena;
    if (count == 2 && line[1].kind == TK_STRING)
        return include_file(preprocessor, line, arena_strndup(arena, line[1].start + 1, line[1].length - 2));
    if (count > 3 && line[1].kind == TK_LESS && line[count - 1].kind == TK_GREATER) {
        const char *begin = line[1].start + 1;
        return include_header(preprocessor, line,
                              arena_strndup(arena, begin, (size_t)(line[count - 1].start - begin)));
    }
    return cilk_preprocess_failed(preprocessor, line, "#include needs a name in quotes or <>.");
}

static bool define(Preprocessor *preprocessor, const Token *line, uint32_t count)
{
    if (count < 2 || line[1].kind != TK_NAME || cilk_token_is(line + 1, "defined"))
        return cilk_preprocess_failed(preprocessor, line, "this directive needs the name of a macro.");
    Macro *macro = cilk_macro_find(preprocessor, line + 1);
    if (cilk_token_is(line, "define"))
        return cilk_macro_define(preprocessor, line + 1, count - 1);
    if (macro)
        macro->is_defined = false;
    return true;
}

static bool is_one_of(const Token *word, const char *a, const char *b, const char *c)
{
    return cilk_token_is(word, a) || cilk_token_is(word, b) || cilk_token_is(word, c);
}

bool cilk_directive(Preprocessor *preprocessor, const Token *hash, const Token *line, uint32_t count)
{
    if (!count)
        return true;
    if (is_one_of(line, "if", "ifdef", "ifndef"))
        return begin_condition(preprocessor, line, count);
    if (is_one_of(line, "elif", "else", "endif"))
        return change_condition(preprocessor, line, count);
    if (!cilk_takes_lines(preprocessor))
        return true;
    for (uint32_t i = 0; i < count && !cilk_token_is(line, "pragma") && !cilk_token_is(line, "error"); i++)
        if (line[i].kind == TK_BAD)
            return cilk_preprocess_failed(preprocessor, line + i, "%.*s %s.",
                                          (int)(line[i].length < 40 ? line[i].length : 40), line[i].start,
                                          line[i].problem);
    if (is_one_of(line, "define", "undef", "undef"))
        return define(preprocessor, line, count);
    if (cilk_token_is(line, "include"))
        return include(preprocessor, line, count);
    if (cilk_token_is(line, "pragma")) {
        if (count > 1 && cilk_token_is(line + 1, "once") && preprocessor->paths.items[hash->place.file])
            VEC_PUSH(&preprocessor->once, preprocessor->paths.items[hash->place.file]);
        return true;
    }
    if (cilk_token_is(line, "error"))
        return cilk_preprocess_failed(
            preprocessor, hash, "the program says #error%s%.*s.", count > 1 ? " " : "",
            count > 1 ? (int)(line[count - 1].start + line[count - 1].length - line[1].start) : 0,
            count > 1 ? line[1].start : "");
    return cilk_preprocess_failed(preprocessor, hash, "the directive #%.*s is outside of the subset.",
                                  (int)(line->length < 40 ? line->length : 40), line->start);
}
