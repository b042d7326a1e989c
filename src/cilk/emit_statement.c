/* Statements as text. Locals are declared where the function begins, so that a kernel can go on in the
 * middle of any block. */
#include "cilk/emit.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void cilk_at(CilkEmit *emit, CilkPlace place) { emit->place = place; }

void cilk_line(CilkEmit *emit, const char *format, ...)
{
    va_list arguments;
    if (emit->place.line)
        fprintf(emit->out, "#line %u \"%s\"\n", emit->place.line, emit->program->files[emit->place.file]);
    fprintf(emit->out, "%*s", 4 * (int)emit->depth, "");
    va_start(arguments, format);
    vfprintf(emit->out, format, arguments);
    va_end(arguments);
    fputc('\n', emit->out);
}

const char *cilk_named(CilkEmit *emit, const CilkType *type, const char *name)
{
    return cilk_declaration(emit->arena, type, name);
}

static void emit_block(CilkEmit *emit, const CilkStatement *first)
{
    cilk_line(emit, "{");
    emit->depth++;
    for (; first; first = first->next)
        cilk_emit_statement(emit, first);
    emit->depth--;
    cilk_line(emit, "}");
}

/* A statement inside of another one, in braces. */
static void emit_inner(CilkEmit *emit, const CilkStatement *statement)
{
    if (statement->kind == CILK_BLOCK)
        emit_block(emit, statement->body);
    else
        emit_block(emit, statement);
}

static const char *text_of(CilkEmit *emit, const CilkExpression *expression)
{
    return expression ? cilk_expression_text(emit, expression) : "";
}

static void emit_loop(CilkEmit *emit, const CilkStatement *statement)
{
    const char *condition = text_of(emit, statement->expression);
    if (statement->kind == CILK_WHILE)
        cilk_line(emit, "while (%s)", condition);
    else if (statement->kind == CILK_FOR)
        cilk_line(emit, "for (; %s; %s)", condition, text_of(emit, statement->step));
    else
        cilk_line(emit, "do");
    emit_inner(emit, statement->body);
    if (statement->kind == CILK_DO)
        cilk_line(emit, "while (%s);", condition);
}

static void emit_case(CilkEmit *emit, const CilkStatement *statement)
{
    if (statement->is_default)
        cilk_line(emit, "default:;");
    else
        cilk_line(emit, "case (long long)%lluull:;", (unsigned long long)statement->value);
}

static void emit_by_kind(CilkEmit *emit, const CilkStatement *statement)
{
    switch (statement->kind) {
    case CILK_EXPRESSION:
        cilk_line(emit, "%s;", text_of(emit, statement->expression));
        break;
    case CILK_BLOCK:
        emit_block(emit, statement->body);
        break;
    case CILK_IF:
        cilk_line(emit, "if (%s)", text_of(emit, statement->expression));
        emit_inner(emit, statement->body);
        if (statement->other) {
            cilk_line(emit, "else");
            emit_inner(emit, statement->other);
        }
        break;
    case CILK_WHILE:
    case CILK_DO:
    case CILK_FOR:
        emit_loop(emit, statement);
        break;
    case CILK_SWITCH:
        cilk_line(emit, "switch (%s)", text_of(emit, statement->expression));
        emit_inner(emit, statement->body);
        break;
    case CILK_CASE:
        emit_case(emit, statement);
        break;
    case CILK_BREAK:
        cilk_line(emit, "break;");
        break;
    case CILK_CONTINUE:
        cilk_line(emit, "continue;");
        break;
    case CILK_RETURN:
        cilk_emit_return(emit, statement->expression);
        break;
    case CILK_SPAWN:
        cilk_emit_spawn(emit, statement);
        break;
    case CILK_CALL_TASK:
        cilk_emit_spawn(emit, statement);
        cilk_emit_sync(emit, statement);
        break;
    case CILK_SYNC:
        cilk_emit_sync(emit, statement);
        break;
    }
}

void cilk_emit_statement(CilkEmit *emit, const CilkStatement *statement)
{
    const CilkPlace before = emit->place;
    const CilkPoint *point = emit->split ? cilk_point(emit->split, statement) : NULL;
    if (statement->place.line)
        cilk_at(emit, statement->place);
    if (point && point->takes_frame)
        cilk_emit_frame(emit, point->group);
    emit_by_kind(emit, statement);
    cilk_at(emit, before);
}
