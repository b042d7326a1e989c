/* Which functions are tasks, and how tasks are called.
 *
 * A task becomes kernels, so its call is no part of an expression: it becomes a statement of its own before
 * the one that needs its result. C leaves open in which order an expression's calls and reads happen, so that
 * is right wherever the call is made in any case: not behind &&, || and ?:, nor in what a loop evaluates. */
#include "cilk/parser.h"
#include "cilk/types.h"

typedef struct Rewriter {
    Parser *parser;
    CilkFunction *function;
    StatementList *list;     /* what calls are put into */
} Rewriter;

static void mark_tasks(Parser *parser)
{
    bool changes = true;
    while (changes) {
        changes = false;
        for (uint32_t i = 0; i < parser->calls.count; i++) {
            const CallEdge *edge = parser->calls.items + i;
            if (edge->to->is_task && !edge->from->is_task)
                edge->from->is_task = changes = true;
        }
    }
    for (uint32_t i = 0; i < parser->calls.count && !cilk_has_failed(parser); i++)
        if (!parser->calls.items[i].to->body)
            cilk_fail(parser, parser->calls.items[i].place,
                      "%s() is declared, but not defined in this program.", parser->calls.items[i].to->name);
}

static bool is_task_call(const CilkExpression *expression)
{
    return expression->kind == CILK_CALL && expression->function
           && (expression->is_spawn || expression->function->is_task);
}

static CilkExpression *take_calls(Rewriter *rewriter, CilkExpression *expression, bool is_always);

static void take_arguments(Rewriter *rewriter, CilkExpression *call, bool is_always)
{
    for (uint32_t i = 0; i < call->argument_count; i++)
        call->arguments[i] = take_calls(rewriter, call->arguments[i], is_always);
}

static void append_call(Rewriter *rewriter, CilkExpression *target, CilkExpression *call)
{
    CilkStatement *statement =
        cilk_new_statement(rewriter->parser, call->is_spawn ? CILK_SPAWN : CILK_CALL_TASK, call->place);
    statement->target = target;
    statement->call = call;
    call->function->is_spawned = true;
    cilk_append(rewriter->list, statement);
}

/* The call of a task inside of an expression, whose arguments are done: its result is a variable's. */
static CilkExpression *take_call(Rewriter *rewriter, CilkExpression *call, bool is_always)
{
    Parser *parser = rewriter->parser;
    const char *name = call->function->name;
    if (call->is_spawn)
        cilk_fail(parser, call->place, "cilk_spawn stands in a statement of its own: cilk_spawn %s(...); or "
                  "x = cilk_spawn %s(...);, where x has the type that %s() returns.", name, name, name);
    else if (!is_always)
        cilk_fail(parser, call->place,
                  "%s() spawns, so it is not called behind &&, ||, ?: or a comma, nor in what a loop "
                  "evaluates; call it in a statement of its own.",
                  name);
    else if (call->type->kind == CILK_VOID)
        cilk_fail(parser, call->place, "%s() spawns and returns nothing; call it in a statement of its own.",
                  name);
    if (cilk_has_failed(parser))
        return &parser->bad;
    CilkVariable *result = cilk_new_variable(parser, rewriter->function, "result", call->type, call->place);
    append_call(rewriter, cilk_make_variable(parser, call->place, result), call);
    return cilk_make_variable(parser, call->place, result);
}

static CilkExpression *take_calls(Rewriter *rewriter, CilkExpression *expression, bool is_always)
{
    bool decides = expression->kind == CILK_CONDITIONAL
                   || (expression->kind == CILK_BINARY
                       && (expression->operator == CILK_AND || expression->operator == CILK_OR
                           || expression->operator == CILK_COMMA));
    if (expression->left)
        expression->left = take_calls(rewriter, expression->left, is_always);
    if (expression->right)
        expression->right = take_calls(rewriter, expression->right, is_always && !decides);
    if (expression->third)
        expression->third = take_calls(rewriter, expression->third, false);
    if (expression->kind == CILK_CALL)
        take_arguments(rewriter, expression, is_always);
    return is_task_call(expression) ? take_call(rewriter, expression, is_always) : expression;
}

/* A statement that is an expression: one that is no more than the call of a task becomes that. */
static void rewrite_expression(Rewriter *rewriter, CilkStatement *statement)
{
    CilkExpression *expression = statement->expression;
    if (expression->kind == CILK_CAST && expression->type->kind == CILK_VOID)
        expression = expression->left;
    bool assigns = expression->kind == CILK_ASSIGN && expression->operator == CILK_NONE;
    CilkExpression *call = assigns ? expression->right : expression;
    if (!is_task_call(call)) {
        statement->expression = take_calls(rewriter, expression, true);
        cilk_append(rewriter->list, statement);
        return;
    }
    CilkExpression *target = assigns ? take_calls(rewriter, expression->left, true) : NULL;
    take_arguments(rewriter, call, true);
    append_call(rewriter, target, call);
}

static void rewrite_list(Rewriter *rewriter, CilkStatement *first);

/* The statement inside of another, which may become several. */
static CilkStatement *rewrite_inner(Rewriter *rewriter, CilkStatement *statement)
{
    StatementList list = {0};
    if (!statement)
        return NULL;
    Rewriter inner = {rewriter->parser, rewriter->function, &list};
    rewrite_list(&inner, statement);
    return cilk_one_statement(rewriter->parser, &list, statement->place);
}

static void rewrite_block(Rewriter *rewriter, CilkStatement *block)
{
    StatementList list = {0};
    Rewriter inner = {rewriter->parser, rewriter->function, &list};
    rewrite_list(&inner, block->body);
    block->body = list.first;
}

static void rewrite(Rewriter *rewriter, CilkStatement *statement)
{
    bool is_loop = statement->kind == CILK_WHILE || statement->kind == CILK_DO || statement->kind == CILK_FOR;
    if (statement->kind == CILK_EXPRESSION) {
        rewrite_expression(rewriter, statement);
        return;
    }
    if (statement->expression)
        statement->expression = take_calls(rewriter, statement->expression, !is_loop);
    if (statement->step)
        statement->step = take_calls(rewriter, statement->step, false);
    if (statement->kind == CILK_BLOCK) {
        rewrite_block(rewriter, statement);
    } else {
        statement->body = rewrite_inner(rewriter, statement->body);
        statement->other = rewrite_inner(rewriter, statement->other);
    }
    cilk_append(rewriter->list, statement);
}

static void rewrite_list(Rewriter *rewriter, CilkStatement *first)
{
    for (CilkStatement *next; first; first = next) {
        next = first->next;
        first->next = NULL;
        rewrite(rewriter, first);
    }
}

void cilk_find_tasks(Parser *parser)
{
    mark_tasks(parser);
    for (uint32_t i = 0; i < parser->functions.count && !cilk_has_failed(parser); i++) {
        CilkFunction *function = parser->functions.items[i];
        Rewriter rewriter = {.parser = parser, .function = function};
        if (function->body && function->is_task)
            rewrite_block(&rewriter, function->body);
    }
}
