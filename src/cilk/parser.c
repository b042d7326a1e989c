/* Reads a program from its text to the tree; and what all files of the parser share. */
#include "cilk/parser.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cilk/constant.h"
#include "cilk/preprocess.h"
#include "cilk/types.h"

WbStatus cilk_error(const CilkProgram *program, CilkPlace place, Error *error, const char *format, ...)
{
    char text[1536];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *file = place.file < program->file_count ? program->files[place.file] : "program";
    return error_set(error, WB_ERROR_ARGUMENT, "%.400s:%u:%u: %s", file, place.line, place.column, text);
}

void cilk_fail(Parser *parser, CilkPlace place, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cilk_error(parser->program, place, parser->error, "%s", text);
    parser->at = parser->end;
}

bool cilk_has_failed(const Parser *parser) { return parser->error->status != WB_OK; }

bool cilk_accept(Parser *parser, TokenKind kind)
{
    if (parser->at->kind != kind || cilk_has_failed(parser))
        return false;
    parser->at++;
    return true;
}

/* What stands at the parser, for sentences. */
static const char *token_text(const Parser *parser)
{
    const Token *token = parser->at;
    if (token->kind == TK_END)
        return "the end";
    return arena_printf(&parser->program->arena, "'%.*s'", (int)(token->length < 40 ? token->length : 40),
                        token->start);
}

/* Where a semicolon is missing: behind the token before, if what stands there begins a line. */
static CilkPlace place_of_missing(const Parser *parser, TokenKind kind)
{
    if (kind != TK_SEMICOLON || parser->at == parser->first || !parser->at->begins_line)
        return parser->at->place;
    CilkPlace place = parser->at[-1].place;
    place.column = (uint16_t)(place.column + parser->at[-1].length);
    return place;
}

void cilk_expect(Parser *parser, TokenKind kind, const char *what)
{
    if (!cilk_accept(parser, kind))
        cilk_fail(parser, place_of_missing(parser, kind), "%s is expected here, not %s.", what,
                  token_text(parser));
}

const char *cilk_take_name(Parser *parser, const char *what, CilkPlace *place)
{
    const Token *token = parser->at;
    *place = token->place;
    cilk_expect(parser, TK_NAME, what);
    return cilk_has_failed(parser) ? "" : arena_strndup(&parser->program->arena, token->start, token->length);
}

bool cilk_enter(Parser *parser)
{
    if (++parser->nesting <= CILK_MOST_NESTING)
        return true;
    cilk_fail(parser, parser->at->place, "this is nested too deeply; at most %d levels are taken.",
              CILK_MOST_NESTING);
    return false;
}

void cilk_leave(Parser *parser) { parser->nesting--; }

static void parser_init(Parser *parser, CilkProgram *program, const Token *tokens, Error *error)
{
    const Token *end = tokens;
    while (end->kind != TK_END)
        end++;
    *parser = (Parser){.program = program, .error = error, .first = tokens, .at = tokens, .end = end};
    parser->bad = (CilkExpression){.kind = CILK_INTEGER, .type = &cilk_basic_types[CILK_INT], .height = 1};
}

static void parser_free(Parser *parser)
{
    map_free(&parser->numbers);
    VEC_FREE(&parser->names);
    VEC_FREE(&parser->open);
    VEC_FREE(&parser->scopes);
    VEC_FREE(&parser->functions);
    VEC_FREE(&parser->globals);
    VEC_FREE(&parser->calls);
}

bool cilk_number_of_tokens(CilkProgram *program, const Token *tokens, Constant *value, const CilkType **type,
                           Error *error)
{
    Parser parser;
    parser_init(&parser, program, tokens, error);
    CilkExpression *expression = cilk_parse_expression(&parser);
    *type = expression->type;
    if (!cilk_has_failed(&parser) && parser.at->kind != TK_END)
        cilk_fail(&parser, parser.at->place, "the number has ended here, before %s.", token_text(&parser));
    else if (!cilk_is_arithmetic(*type) || !cilk_constant_evaluate(expression, value))
        cilk_fail(&parser, tokens->place, "this is not a constant number.");
    parser_free(&parser);
    return error->status == WB_OK;
}

bool cilk_constant_of_tokens(CilkProgram *program, const Token *tokens, int64_t *value, Error *error)
{
    Constant constant = {0};
    const CilkType *type;
    if (!cilk_number_of_tokens(program, tokens, &constant, &type, error))
        return false;
    *value = (int64_t)constant.integer;
    if (!cilk_is_integer(type))
        cilk_error(program, tokens->place, error, "the condition is not an integer.");
    return error->status == WB_OK;
}

/* The lists that the parser has made, into the program. */
static void keep(Parser *parser)
{
    CilkProgram *program = parser->program;
    program->function_count = parser->functions.count;
    program->global_count = parser->globals.count;
    if (program->function_count)
        program->functions = arena_copy(&program->arena, parser->functions.items,
                                        program->function_count * sizeof *program->functions);
    if (program->global_count)
        program->globals = arena_copy(&program->arena, parser->globals.items,
                                      program->global_count * sizeof *program->globals);
}

static void parse_tokens(CilkProgram *program, const Preprocessor *preprocessor, Error *error)
{
    Parser parser;
    parser_init(&parser, program, preprocessor->output.items, error);
    parser.has_header = preprocessor->has_header;
    cilk_open_scope(&parser);
    cilk_parse_file(&parser);
    cilk_close_scope(&parser);
    if (!cilk_has_failed(&parser))
        cilk_find_tasks(&parser);
    if (!cilk_has_failed(&parser)) {
        cilk_make_names_unique(&parser);
        keep(&parser);
    }
    parser_free(&parser);
}

static CilkProgram *read_text(const char *path, const char *name, const char *text, size_t length,
                              Error *error)
{
    CilkProgram *program = xcalloc(1, sizeof *program);
    Preprocessor preprocessor = {.program = program, .error = error};
    if (cilk_preprocess(&preprocessor, path, name, text, length))
        parse_tokens(program, &preprocessor, error);
    cilk_preprocess_free(&preprocessor);
    if (error->status == WB_OK)
        return program;
    cilk_free(program);
    return NULL;
}

CilkProgram *cilk_parse(const char *name, const char *text, size_t length, Error *error)
{
    return read_text(NULL, name, text, length, error);
}

CilkProgram *cilk_read(const char *path, Error *error)
{
    size_t length;
    char *text = file_read("Cilk program", path, &length, error);
    if (!text)
        return NULL;
    CilkProgram *program = read_text(path, path, text, length, error);
    xfree(text);
    return program;
}

void cilk_free(CilkProgram *program)
{
    if (!program)
        return;
    arena_free(&program->arena);
    xfree(program);
}

CilkFunction *cilk_find_function(const CilkProgram *program, const char *name)
{
    for (uint32_t i = 0; i < program->function_count; i++)
        if (!strcmp(program->functions[i]->name, name))
            return program->functions[i];
    return NULL;
}
