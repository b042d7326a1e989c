/* Goes through the text: lines that begin with # are directives, what stands between them is expanded. */
#include "cilk/preprocess.h"

#include <stdio.h>
#include <string.h>

/* Files open at once, and tokens that macros may make: far more than programs need, so that some that make
 * each other end. */
enum { MOST_INCLUDES = 32, MOST_FILES = 1000 };

bool cilk_preprocess_failed(const Preprocessor *preprocessor, const Token *at, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cilk_error(preprocessor->program, at->place, preprocessor->error, "%s", text);
    return false;
}

static bool flush(Preprocessor *preprocessor)
{
    bool is_right = cilk_macro_expand(preprocessor, preprocessor->text.items, preprocessor->text.count,
                                      &preprocessor->output);
    preprocessor->text.count = 0;
    return is_right;
}

/* Reads the line of a directive; *token is the hash, and then the first token of the next line. */
static bool take_directive(Preprocessor *preprocessor, Lexer *lexer, Token *token)
{
    TokenList line = {0};
    Token hash = *token;
    cilk_lexer_next(lexer, token);
    while (!token->begins_line) {
        VEC_PUSH(&line, *token);
        cilk_lexer_next(lexer, token);
    }
    bool is_right = flush(preprocessor) && cilk_directive(preprocessor, &hash, line.items, line.count);
    VEC_FREE(&line);
    return is_right;
}

static void add_file(Preprocessor *preprocessor, const char *path, const char *name)
{
    CilkProgram *program = preprocessor->program;
    const char **files = ARENA_ARRAY(&program->arena, const char *, program->file_count + 1);
    if (program->file_count)
        memcpy(files, program->files, program->file_count * sizeof *files);
    files[program->file_count++] = arena_strndup(&program->arena, name, strlen(name));
    program->files = files;
    VEC_PUSH(&preprocessor->paths, path ? arena_strndup(&program->arena, path, strlen(path)) : NULL);
}

static bool take_lines(Preprocessor *preprocessor, Lexer *lexer)
{
    Token token;
    cilk_lexer_next(lexer, &token);
    while (token.kind != TK_END) {
        if (token.kind == TK_HASH && token.begins_line) {
            if (!take_directive(preprocessor, lexer, &token))
                return false;
            continue;
        }
        if (cilk_takes_lines(preprocessor)) {
            if (token.kind == TK_BAD)
                return cilk_preprocess_failed(preprocessor, &token, "%.*s %s.",
                                              (int)(token.length < 40 ? token.length : 40), token.start,
                                              token.problem);
            VEC_PUSH(&preprocessor->text, token);
        }
        cilk_lexer_next(lexer, &token);
    }
    return flush(preprocessor);
}

bool cilk_preprocess_text(Preprocessor *preprocessor, const char *path, const char *name, const char *text,
                          size_t length)
{
    CilkProgram *program = preprocessor->program;
    Token begin = {.place = {1, 1, (uint16_t)program->file_count}};
    add_file(preprocessor, path, name);
    if (preprocessor->includes >= MOST_INCLUDES || program->file_count > MOST_FILES)
        return cilk_preprocess_failed(preprocessor, &begin,
                                      "files include each other too often; give this one an include guard.");
    Lexer lexer;
    cilk_lexer_init(&lexer, begin.place.file, arena_strndup(&program->arena, text, length), length);
    uint32_t conditions = preprocessor->conditions.count;
    preprocessor->includes++;
    if (!take_lines(preprocessor, &lexer))
        return false;
    preprocessor->includes--;
    if (preprocessor->conditions.count > conditions) {
        begin.place = preprocessor->conditions.items[preprocessor->conditions.count - 1].place;
        return cilk_preprocess_failed(preprocessor, &begin, "this #if has no #endif.");
    }
    return true;
}

bool cilk_preprocess(Preprocessor *preprocessor, const char *path, const char *name, const char *text,
                     size_t length)
{
    static const char *const own = "__cilk 200"; /* the version that compilers with Cilk Plus gave */
    Token line[2];
    Lexer lexer;
    cilk_lexer_init(&lexer, 0, own, strlen(own));
    cilk_lexer_next(&lexer, line);
    cilk_lexer_next(&lexer, line + 1);
    if (!cilk_macro_define(preprocessor, line, 2)
        || !cilk_preprocess_text(preprocessor, path, name, text, length))
        return false;
    TokenList *output = &preprocessor->output;
    for (uint32_t i = 0; i < output->count; i++)
        if (output->items[i].kind == TK_NAME)
            output->items[i].kind = cilk_keyword(output->items + i);
    CilkPlace last = output->count ? output->items[output->count - 1].place : (CilkPlace){1, 1, 0};
    VEC_PUSH(output, ((Token){.kind = TK_END, .place = last, .start = ""}));
    return true;
}

void cilk_preprocess_free(Preprocessor *preprocessor)
{
    map_free(&preprocessor->names);
    VEC_FREE(&preprocessor->macros);
    VEC_FREE(&preprocessor->conditions);
    VEC_FREE(&preprocessor->paths);
    VEC_FREE(&preprocessor->once);
    VEC_FREE(&preprocessor->text);
    VEC_FREE(&preprocessor->output);
}
