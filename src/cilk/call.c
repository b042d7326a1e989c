/* Reads a call such as "fib(24)": its own small program, whose tokens are a name and constants. */
#include "cilk/call.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cilk/constant.h"
#include "cilk/preprocess.h"
#include "cilk/types.h"

/* A call's text, and where in it the next argument is. Sentences name the text and the column. */
typedef struct CallText {
    const char *text;
    Preprocessor preprocessor;
    CilkProgram *program;    /* of the text */
    const Token *at;
    Error *error;
} CallText;

static bool fail(CallText *call, const char *sentence)
{
    error_set(call->error, WB_ERROR_ARGUMENT, "The call '%.200s' is wrong at column %u: %s", call->text,
              call->at->place.column, sentence);
    return false;
}

static CilkFunction *find_function(const CilkProgram *program, const char *name, Error *error)
{
    char hint[NEAREST_HINT_SIZE];
    CilkFunction *function = cilk_find_function(program, name);
    if (function && function->body)
        return function;
    Nearest nearest = nearest_to(name);
    for (uint32_t i = 0; i < program->function_count; i++)
        if (program->functions[i]->body)
            nearest_offer(&nearest, program->functions[i]->name);
    error_set(error, WB_ERROR_NOT_FOUND, "%s has no function %s%s", program->files[0], name,
              nearest_hint(&nearest, hint, sizeof hint));
    return NULL;
}

/* Whether users can call it: numbers in, a number or nothing out. */
static bool check_function(const CilkProgram *program, const CilkFunction *function, Error *error)
{
    bool is_right = function->parameter_count <= CILK_MOST_ARGUMENTS
                    && (function->returns->kind == CILK_VOID || cilk_is_arithmetic(function->returns));
    for (uint32_t i = 0; i < function->parameter_count; i++)
        is_right &= cilk_is_arithmetic(function->variables[i]->type);
    if (!is_right)
        cilk_error(program, function->place, error, "%s() cannot be called from outside: it takes or returns "
                   "something other than numbers, or more than %d of them; write a function that calls it.",
                   function->name, (int)CILK_MOST_ARGUMENTS);
    return is_right;
}

/* The argument from the token on, of so many: up to a comma or the last parenthesis. */
static uint32_t argument_length(const Token *at)
{
    uint32_t count = 0, depth = 0;
    for (; at->kind != TK_END; at++, count++) {
        if (!depth && (at->kind == TK_COMMA || at->kind == TK_CLOSE))
            break;
        depth += at->kind == TK_OPEN;
        depth -= at->kind == TK_CLOSE;
    }
    return count;
}

static bool take_argument(CallText *call, const CilkType *type, CilkValue *value)
{
    uint32_t count = argument_length(call->at);
    Token *tokens = arena_copy(&call->program->arena, call->at, (count + 1) * sizeof *tokens);
    tokens[count] = (Token){.kind = TK_END, .place = call->at[count].place, .start = ""};
    Constant constant;
    const CilkType *from;
    Error reason = {0};
    if (!cilk_number_of_tokens(call->program, tokens, &constant, &from, &reason))
        return fail(call, "an argument is a constant number.");
    call->at += count;
    constant = cilk_constant_convert(constant, from, type);
    value->type = &cilk_basic_types[type->kind];
    if (type->kind == CILK_FLOAT)
        value->real32 = (float)constant.real;
    else if (type->kind == CILK_DOUBLE)
        value->real64 = constant.real;
    else
        value->integer = constant.integer;
    return true;
}

static bool take_arguments(CallText *text, CilkCall *call)
{
    uint32_t wanted = call->function->parameter_count;
    bool is_closed = text->at->kind == TK_CLOSE;
    while (!is_closed && call->argument_count < wanted) {
        const CilkType *type = call->function->variables[call->argument_count]->type;
        if (!take_argument(text, type, call->arguments + call->argument_count))
            return false;
        call->argument_count++;
        is_closed = text->at->kind != TK_COMMA;
        text->at += !is_closed;
    }
    if (call->argument_count != wanted || !is_closed) {
        error_set(text->error, WB_ERROR_ARGUMENT, "The call '%.200s' has too %s arguments: %s() takes %u.",
                  text->text, is_closed ? "few" : "many", call->function->name, wanted);
        return false;
    }
    if (text->at->kind != TK_CLOSE)
        return fail(text, "')' is expected behind the arguments.");
    text->at++;
    return text->at->kind == TK_END || fail(text, "the call has ended here.");
}

static bool parse(CallText *text, const CilkProgram *program, CilkCall *call)
{
    Error reason = {0};
    text->preprocessor = (Preprocessor){.program = text->program, .error = &reason};
    if (!cilk_preprocess(&text->preprocessor, NULL, "call", text->text, strlen(text->text))) {
        error_set(text->error, WB_ERROR_ARGUMENT, "The call '%.200s' is wrong: %s", text->text, reason.text);
        return false;
    }
    text->at = text->preprocessor.output.items;
    const Token *name = text->at;
    if (name->kind != TK_NAME)
        return fail(text, "it begins with the name of a function, as in fib(24).");
    call->function = find_function(program, arena_strndup(&text->program->arena, name->start, name->length),
                                   text->error);
    if (!call->function || !check_function(program, call->function, text->error))
        return false;
    text->at++;
    if (text->at->kind != TK_OPEN)
        return fail(text, "'(' and arguments are expected behind the name.");
    text->at++;
    return take_arguments(text, call);
}

WbStatus cilk_call_parse(const CilkProgram *program, const char *text, CilkCall *call, Error *error)
{
    CilkProgram *own = xcalloc(1, sizeof *own);
    CallText state = {.text = text, .program = own, .error = error};
    *call = (CilkCall){0};
    parse(&state, program, call);
    cilk_preprocess_free(&state.preprocessor);
    cilk_free(own);
    return error->status;
}

/* Digits that tell a number from all others: as few as read back the same. */
static const char *real_text(double real, int most, bool is_float, char text[CILK_VALUE_TEXT])
{
    for (int digits = 1; digits <= most; digits++) {
        snprintf(text, CILK_VALUE_TEXT, "%.*g", digits, real);
        bool is_same = is_float ? strtof(text, NULL) == (float)real : strtod(text, NULL) == real;
        if (is_same)
            break;
    }
    return text;
}

const char *cilk_value_text(const CilkValue *value, char text[CILK_VALUE_TEXT])
{
    if (value->type->kind == CILK_FLOAT)
        return real_text((double)value->real32, 9, true, text);
    if (value->type->kind == CILK_DOUBLE)
        return real_text(value->real64, 17, false, text);
    uint64_t integer = 0;
    memcpy(&integer, value->bytes, value->type->size);
    Constant whole = cilk_constant_convert((Constant){.integer = integer},
                                           &cilk_basic_types[CILK_UNSIGNED_LONG], value->type);
    if (cilk_is_signed(value->type))
        snprintf(text, CILK_VALUE_TEXT, "%lld", (long long)whole.integer);
    else
        snprintf(text, CILK_VALUE_TEXT, "%llu", (unsigned long long)whole.integer);
    return text;
}
