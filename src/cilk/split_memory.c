/* Which locals of a task lie in memory: those whose address goes to a spawned function, and those that are
 * parts of what a result goes to. They lie in the frame from its reservation on, so an address that was taken
 * before is not theirs any more: a program that keeps one in a variable is refused. Functions that are called
 * have ended before anything moves; what they are given stays as it is. */
#include "cilk/split.h"

typedef struct Search {
    const CilkProgram *program;
    CilkSplit *split;
    Error *error;
} Search;

static void mark_pointed(const Search *search, const CilkExpression *expression, const CilkVariable **first);

static void mark(const Search *search, const CilkVariable *variable, const CilkVariable **first)
{
    if (!variable->function)
        return;
    cilk_live_add(&search->split->in_memory, variable->index);
    *first = variable;
}

/* Marks the variable that an lvalue is a part of. */
static void mark_root(const Search *search, const CilkExpression *expression, const CilkVariable **first)
{
    if (expression->kind == CILK_VARIABLE)
        mark(search, expression->variable, first);
    else if (expression->kind == CILK_MEMBER && expression->left->type->kind != CILK_POINTER)
        mark_root(search, expression->left, first);
    else if (expression->kind == CILK_MEMBER || expression->kind == CILK_INDEX ||
             expression->kind == CILK_UNARY)
        mark_pointed(search, expression->left, first);
}

/* Marks the locals that a value may be the address of; *first becomes one of them. */
static void mark_pointed(const Search *search, const CilkExpression *expression, const CilkVariable **first)
{
    if (expression->type->kind == CILK_ARRAY) {
        mark_root(search, expression, first);
        return;
    }
    if (expression->type->kind != CILK_POINTER && expression->kind != CILK_CAST)
        return;
    switch (expression->kind) {
    case CILK_UNARY:
        if (expression->operator== CILK_ADDRESS)
            mark_root(search, expression->left, first);
        break;
    case CILK_CAST:
        mark_pointed(search, expression->left, first);
        break;
    case CILK_CONDITIONAL:
        mark_pointed(search, expression->third, first);
        mark_pointed(search, expression->right, first);
        break;
    case CILK_ASSIGN:
        mark_pointed(search, expression->right, first);
        break;
    case CILK_BINARY:
        if (expression->operator!= CILK_COMMA)
            mark_pointed(search, expression->left, first);
        mark_pointed(search, expression->right, first);
        break;
    default:
        break;
    }
}

/* Refuses addresses of locals that are stored. */
static void look_at(const Search *search, const CilkExpression *expression)
{
    if (!expression)
        return;
    if (expression->kind == CILK_ASSIGN) {
        const CilkVariable *kept = NULL;
        mark_pointed(search, expression->right, &kept);
        if (kept)
            cilk_error(
                search->program, expression->place, search->error,
                "the address of the local '%s' is kept here, but locals of a function that spawns move "
                "at cilk_sync: write the address where it is used, or make '%s' global.",
                kept->name, kept->name);
    }
    if (expression->kind == CILK_CALL)
        for (uint32_t i = 0; i < expression->argument_count; i++)
            look_at(search, expression->arguments[i]);
    look_at(search, expression->left);
    look_at(search, expression->right);
    look_at(search, expression->third);
}

/* What a spawn, or a call of a task, hands over. */
static void look_at_spawn(const Search *search, const CilkStatement *statement)
{
    const CilkVariable *unused = NULL;
    for (uint32_t i = 0; i < statement->call->argument_count; i++)
        mark_pointed(search, statement->call->arguments[i], &unused);
    look_at(search, statement->call);
    if (!statement->target)
        return;
    look_at(search, statement->target);
    if (statement->target->kind != CILK_VARIABLE)
        mark_root(search, statement->target, &unused);
}

/* Whether nothing is left to do behind a call of a task but to return what it returns. */
static bool is_last(const CilkStatement *statement, bool is_at_end)
{
    const CilkStatement *next = statement->next;
    const CilkExpression *target = statement->target;
    if (statement->kind != CILK_CALL_TASK)
        return false;
    if (!next)
        return is_at_end && !target;
    if (next->kind != CILK_RETURN || !target || !next->expression)
        return next->kind == CILK_RETURN && !target && !next->expression;
    return target->kind == CILK_VARIABLE && next->expression->kind == CILK_VARIABLE &&
           target->variable == next->expression->variable && target->variable->function;
}

/* is_at_end: the task ends behind the last of them. */
static void look_at_statements(const Search *search, const CilkStatement *statement, bool is_at_end)
{
    CilkSplit *split = search->split;
    for (; statement; statement = statement->next) {
        const bool passes_end = statement->kind == CILK_BLOCK || statement->kind == CILK_IF;
        const bool is_end = passes_end && is_at_end && !statement->next;
        const CilkPoint point = {.statement = statement, .is_last = is_last(statement, is_at_end)};
        look_at(search, statement->expression);
        look_at(search, statement->step);
        look_at_statements(search, statement->body, is_end);
        look_at_statements(search, statement->other, is_end);
        if (statement->kind == CILK_SPAWN || statement->kind == CILK_CALL_TASK)
            look_at_spawn(search, statement);
        if (statement->kind == CILK_SYNC || (statement->kind == CILK_CALL_TASK && !point.is_last))
            VEC_PUSH(&split->syncs, ((CilkSync){.statement = statement}));
        VEC_PUSH(&split->points, point);
    }
}

/* Variables that results go to, now that it is known which lie in memory. */
static void find_targets(CilkSplit *split)
{
    for (uint32_t i = 0; i < split->points.count; i++) {
        const CilkStatement *statement = split->points.items[i].statement;
        const CilkVariable *variable = cilk_target_variable(split, statement);
        if (variable)
            cilk_live_add(&split->targets, variable->index);
    }
}

bool cilk_split_memory(const CilkProgram *program, CilkSplit *split, Error *error)
{
    const Search search = {program, split, error};
    look_at_statements(&search, split->function->body, split->function->returns->kind == CILK_VOID);
    if (split->syncs.count > CILK_MOST_SYNCS)
        cilk_error(program, split->syncs.items[CILK_MOST_SYNCS].statement->place, error,
                   "'%s' has %u places to wait for tasks, and may have %d: make it two functions.",
                   split->function->name, split->syncs.count, CILK_MOST_SYNCS);
    find_targets(split);
    return error->status == WB_OK;
}
