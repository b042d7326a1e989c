/* Feeds any bytes to the reader of Cilk programs. It must neither crash nor leak nor take long, must explain
 * every refusal with its place, and a program must keep the promises of cilk/ast.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cilk/call.h"

#define MUST(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_type(const CilkType *type)
{
    uint32_t depth = 0;
    for (; type->kind == CILK_POINTER || type->kind == CILK_ARRAY; type = type->to)
        MUST(++depth <= CILK_MOST_DEPTH + 1 && (type->kind == CILK_POINTER || type->count));
    MUST(type->kind != CILK_RECORD || type->size == type->record->size);
}

static void check_expression(const CilkExpression *expression, bool is_call)
{
    check_type(expression->type);
    MUST(expression->height && expression->height <= CILK_MOST_HEIGHT);
    MUST(!expression->left || expression->left->height < expression->height);
    if (expression->left)
        check_expression(expression->left, false);
    if (expression->right)
        check_expression(expression->right, false);
    if (expression->third)
        check_expression(expression->third, false);
    if (expression->kind == CILK_VARIABLE)
        MUST(!expression->variable->function
             || expression->variable->function->variables[expression->variable->index] == expression->variable);
    if (expression->kind != CILK_CALL)
        return;
    MUST(is_call || !expression->is_spawn);
    MUST(is_call || !expression->function || !expression->function->is_task);
    MUST(!expression->function || (expression->function->body
                                   && expression->argument_count == expression->function->parameter_count));
    for (uint32_t i = 0; i < expression->argument_count; i++)
        check_expression(expression->arguments[i], false);
}

static void check_statement(const CilkFunction *function, const CilkStatement *statement)
{
    if (statement->expression)
        check_expression(statement->expression, false);
    if (statement->step)
        check_expression(statement->step, false);
    if (statement->target)
        check_expression(statement->target, false);
    if (statement->kind == CILK_SPAWN || statement->kind == CILK_CALL_TASK) {
        MUST(function->is_task && statement->call->function->is_spawned);
        MUST(!statement->target || cilk_is_same_type(statement->target->type, statement->call->type));
        check_expression(statement->call, true);
    }
    for (const CilkStatement *inner = statement->body; inner; inner = inner->next)
        check_statement(function, inner);
    if (statement->other)
        check_statement(function, statement->other);
}

static void check_program(const CilkProgram *program)
{
    for (uint32_t i = 0; i < program->global_count; i++)
        check_type(program->globals[i]->type);
    for (uint32_t f = 0; f < program->function_count; f++) {
        const CilkFunction *function = program->functions[f];
        MUST(function->index == f && function->parameter_count <= function->variable_count);
        for (uint32_t i = 0; i < function->variable_count; i++) {
            MUST(function->variables[i]->index == i);
            check_type(function->variables[i]->type);
        }
        if (function->body)
            check_statement(function, function->body);
    }
}

/* The first line as a call, too. */
static void check_call(const CilkProgram *program, const uint8_t *data, size_t size)
{
    char text[64];
    CilkCall call;
    Error error = {0};
    size_t length = size < sizeof text ? size : sizeof text - 1;
    memcpy(text, data, length);
    text[length] = 0;
    text[strcspn(text, "\n")] = 0;
    MUST(cilk_call_parse(program, text, &call, &error) == error.status);
    MUST(error.status == WB_OK || *error.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error error = {0};
    CilkProgram *program = cilk_parse("fuzz", (const char *)data, size, &error);
    MUST((program != NULL) == (error.status == WB_OK));
    if (program) {
        check_program(program);
        check_call(program, data, size);
    } else {
        MUST(strchr(error.text, ':') && strlen(error.text) > 8);
    }
    cilk_free(program);
    return 0;
}
