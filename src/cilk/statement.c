/* Makes statements and lists of them. */
#include "cilk/parser.h"

CilkStatement *cilk_new_statement(Parser *parser, CilkStatementKind kind, CilkPlace place)
{
    CilkStatement *statement = ARENA_NEW(&parser->program->arena, CilkStatement);
    statement->kind = kind;
    statement->place = place;
    return statement;
}

void cilk_append(StatementList *list, CilkStatement *statement)
{
    if (list->last)
        list->last->next = statement;
    else
        list->first = statement;
    list->last = statement;
}

void cilk_append_expression(Parser *parser, StatementList *list, CilkExpression *expression)
{
    CilkStatement *statement = cilk_new_statement(parser, CILK_EXPRESSION, expression->place);
    statement->expression = expression;
    cilk_append(list, statement);
}

CilkStatement *cilk_one_statement(Parser *parser, const StatementList *list, CilkPlace place)
{
    if (list->first && list->first == list->last)
        return list->first;
    CilkStatement *block = cilk_new_statement(parser, CILK_BLOCK, place);
    block->body = list->first;
    return block;
}
