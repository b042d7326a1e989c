/* What is ahead of each statement of a task and what is live behind its syncs: a walk against the way of
 * control, around loops until nothing changes any more. */
#include "cilk/split.h"

/* At one place of the program. */
typedef struct Flow {
    CilkAhead ahead;
    CilkLive live;
    CilkReach reach;
} Flow;

/* Where jumps of the statement at hand lead. */
typedef struct Walk {
    CilkSplit *split;
    const Flow *at_break, *at_continue;
    Flow *at_cases; /* of the switch: united over its cases */
} Walk;

static void walk(Walk *around, const CilkStatement *statement, Flow *at);

static void unite_reach(CilkReach *reach, const CilkReach *more)
{
    reach->syncs |= more->syncs;
    cilk_live_unite(&reach->functions, &more->functions);
}

/* Returns whether that changes it. */
static bool unite(Flow *flow, const Flow *more)
{
    const bool is_new = (more->ahead & ~flow->ahead) || (more->reach.syncs & ~flow->reach.syncs);
    const bool is_called = cilk_live_unite(&flow->reach.functions, &more->reach.functions);
    flow->ahead |= more->ahead;
    flow->reach.syncs |= more->reach.syncs;
    return cilk_live_unite(&flow->live, &more->live) || is_new || is_called;
}

static void use(const CilkExpression *expression, Flow *at)
{
    if (!expression)
        return;
    if (expression->kind == CILK_VARIABLE && expression->variable->function)
        cilk_live_add(&at->live, expression->variable->index);
    if (expression->kind == CILK_CALL)
        for (uint32_t i = 0; i < expression->argument_count; i++)
            use(expression->arguments[i], at);
    use(expression->left, at);
    use(expression->right, at);
    use(expression->third, at);
}

/* A whole variable gets a value: what it was before is not needed. One in memory stays: others may read
 * it. */
static void set(const CilkSplit *split, const CilkExpression *left, Flow *at)
{
    if (left->kind != CILK_VARIABLE)
        use(left, at);
    else if (left->variable->function && !cilk_live_has(&split->in_memory, left->variable->index))
        cilk_live_remove(&at->live, left->variable->index);
}

static void walk_expression(const CilkSplit *split, const CilkExpression *expression, Flow *at)
{
    if (expression && expression->kind == CILK_ASSIGN && expression->operator== CILK_NONE) {
        set(split, expression->left, at);
        use(expression->right, at);
    } else {
        use(expression, at);
    }
}

static void walk_spawn(Walk *around, const CilkStatement *statement, Flow *at)
{
    if (statement->target)
        set(around->split, statement->target, at);
    use(statement->call, at);
    cilk_live_add(&at->reach.functions, statement->call->function->index % CILK_MOST_VARIABLES);
}

/* Both kinds of syncs. */
static void walk_sync(Walk *around, const CilkStatement *statement, Flow *at)
{
    const uint32_t number = cilk_sync_number(around->split, statement);
    CilkSync *sync = &around->split->syncs.items[number - 1];
    cilk_live_unite(&sync->live, &at->live);
    unite_reach(&sync->reach, &at->reach);
    at->ahead = (CilkAhead)1 << number;
    at->reach.syncs |= at->ahead;
}

static void walk_call(Walk *around, const CilkStatement *statement, Flow *at)
{
    if (cilk_point(around->split, statement)->is_last)
        *at = (Flow){.ahead = CILK_END};
    else
        walk_sync(around, statement, at);
    walk_spawn(around, statement, at);
}

/* Statements of a block, from the last to the first. */
static void walk_list(Walk *around, const CilkStatement *first, Flow *at)
{
    VEC(const CilkStatement *) list = {0};
    for (; first; first = first->next)
        VEC_PUSH(&list, first);
    for (uint32_t i = list.count; i-- > 0;)
        walk(around, list.items[i], at);
    VEC_FREE(&list);
}

static void walk_if(Walk *around, const CilkStatement *statement, Flow *at)
{
    Flow other = *at;
    walk(around, statement->body, at);
    if (statement->other)
        walk(around, statement->other, &other);
    unite(at, &other);
    use(statement->expression, at);
}

/* `turn` is the place at which the condition is looked at; a loop without one never ends there. */
static void walk_loop(Walk *around, const CilkStatement *statement, Flow *at)
{
    const Flow after = *at;
    const bool is_endless = statement->kind == CILK_FOR && !statement->expression;
    Flow turn = {0}, step, body;
    if (!is_endless)
        turn = after;
    use(statement->expression, &turn);
    do {
        step = turn;
        walk_expression(around->split, statement->step, &step);
        Walk inside = *around;
        inside.at_break = &after;
        inside.at_continue = &step;
        body = step;
        walk(&inside, statement->body, &body);
    } while (unite(&turn, &body));
    *at = statement->kind == CILK_DO ? body : turn;
}

static void walk_switch(Walk *around, const CilkStatement *statement, Flow *at)
{
    const Flow after = *at;
    Flow cases = after, body = after;
    Walk inside = *around;
    inside.at_break = &after;
    inside.at_cases = &cases;
    walk(&inside, statement->body, &body);
    *at = cases;
    use(statement->expression, at);
}

static void walk_return(const CilkStatement *statement, Flow *at)
{
    *at = (Flow){.ahead = CILK_END};
    use(statement->expression, at);
}

static void walk_by_kind(Walk *around, const CilkStatement *statement, Flow *at)
{
    switch (statement->kind) {
    case CILK_EXPRESSION:
        walk_expression(around->split, statement->expression, at);
        break;
    case CILK_BLOCK:
        walk_list(around, statement->body, at);
        break;
    case CILK_IF:
        walk_if(around, statement, at);
        break;
    case CILK_WHILE:
    case CILK_DO:
    case CILK_FOR:
        walk_loop(around, statement, at);
        break;
    case CILK_SWITCH:
        walk_switch(around, statement, at);
        break;
    case CILK_CASE:
        unite(around->at_cases, at);
        break;
    case CILK_BREAK:
        *at = *around->at_break;
        break;
    case CILK_CONTINUE:
        *at = *around->at_continue;
        break;
    case CILK_RETURN:
        walk_return(statement, at);
        break;
    case CILK_CALL_TASK:
        walk_call(around, statement, at);
        break;
    case CILK_SPAWN:
        walk_spawn(around, statement, at);
        break;
    case CILK_SYNC:
        walk_sync(around, statement, at);
        break;
    }
}

/* `at` is the place behind the statement, and becomes the one before it. */
static void walk(Walk *around, const CilkStatement *statement, Flow *at)
{
    walk_by_kind(around, statement, at);
    for (uint32_t i = 0; i < around->split->points.count; i++)
        if (around->split->points.items[i].statement == statement)
            around->split->points.items[i].ahead |= at->ahead;
}

void cilk_split_flow(CilkSplit *split)
{
    Flow at = {.ahead = CILK_END};
    walk(&(Walk){.split = split}, split->function->body, &at);
    split->reach = at.reach;
}
