/* Statements. */
#include "cilk/constant.h"
#include "cilk/parser.h"
#include "cilk/types.h"

static void parse_statement(Parser *parser, StatementList *list);

/* A statement inside of another, which may be several by now. */
static CilkStatement *parse_inner(Parser *parser)
{
    StatementList list = {0};
    CilkPlace place = parser->at->place;
    cilk_open_scope(parser);
    if (cilk_begins_type(parser))
        cilk_fail(parser, place, "a declaration stands in a block; put braces around it.");
    parse_statement(parser, &list);
    cilk_close_scope(parser);
    return cilk_one_statement(parser, &list, place);
}

static CilkStatement *parse_loop_body(Parser *parser)
{
    parser->loops++;
    parser->breakable++;
    CilkStatement *body = parse_inner(parser);
    parser->loops--;
    parser->breakable--;
    return body;
}

static CilkExpression *parse_condition(Parser *parser)
{
    cilk_expect(parser, TK_OPEN, "'(' before the condition");
    CilkExpression *condition = cilk_check_condition(parser, cilk_parse_expression(parser));
    cilk_expect(parser, TK_CLOSE, "')' behind the condition");
    return condition;
}

static void parse_if(Parser *parser, CilkStatement *statement)
{
    statement->expression = parse_condition(parser);
    statement->body = parse_inner(parser);
    if (cilk_accept(parser, TK_ELSE))
        statement->other = parse_inner(parser);
}

static void parse_do(Parser *parser, CilkStatement *statement)
{
    statement->body = parse_loop_body(parser);
    cilk_expect(parser, TK_WHILE, "while behind the body of do");
    statement->expression = parse_condition(parser);
    cilk_expect(parser, TK_SEMICOLON, "';' behind do and while");
}

/* The loop, behind what it begins with. */
static void parse_for(Parser *parser, CilkStatement *statement, StatementList *list)
{
    StatementList both = {0};
    cilk_open_scope(parser);
    cilk_expect(parser, TK_OPEN, "'(' behind for");
    if (cilk_begins_type(parser)) {
        cilk_parse_declaration(parser, &both);
    } else if (!cilk_accept(parser, TK_SEMICOLON)) {
        cilk_append_expression(parser, &both, cilk_parse_expression(parser));
        cilk_expect(parser, TK_SEMICOLON, "';' behind the beginning of for");
    }
    if (!cilk_accept(parser, TK_SEMICOLON)) {
        statement->expression = cilk_check_condition(parser, cilk_parse_expression(parser));
        cilk_expect(parser, TK_SEMICOLON, "';' behind the condition of for");
    }
    if (!cilk_accept(parser, TK_CLOSE)) {
        statement->step = cilk_parse_expression(parser);
        cilk_expect(parser, TK_CLOSE, "')' behind the step of for");
    }
    statement->body = parse_loop_body(parser);
    cilk_close_scope(parser);
    cilk_append(&both, statement);
    cilk_append(list, cilk_one_statement(parser, &both, statement->place));
}

static void parse_switch(Parser *parser, CilkStatement *statement)
{
    Switch here = {.nesting = parser->blocks + 1};
    Switch *outside = parser->around;
    statement->expression = parse_condition(parser);
    if (!cilk_is_integer(statement->expression->type))
        cilk_fail(parser, statement->place, "switch chooses by an integer, not by %s.",
                  cilk_type_text(parser, statement->expression->type));
    here.type = cilk_promoted(statement->expression->type);
    if (parser->at->kind != TK_OPEN_BRACE)
        cilk_fail(parser, parser->at->place, "the body of a switch stands in braces.");
    parser->around = &here;
    parser->breakable++;
    statement->body = parse_inner(parser);
    parser->breakable--;
    parser->around = outside;
    VEC_FREE(&here.values);
}

static void parse_case(Parser *parser, CilkStatement *statement)
{
    Switch *around = parser->around;
    if (!around || around->nesting != parser->blocks) {
        cilk_fail(parser, statement->place,
                  "case and default stand in the block of a switch, and in no other "
                  "inside of it.");
        return;
    }
    if (statement->is_default) {
        if (around->has_default)
            cilk_fail(parser, statement->place, "this switch has a default already.");
        around->has_default = true;
    } else {
        Constant value = {.integer = (uint64_t)cilk_parse_constant(parser, "the value of a case")};
        statement->value = (int64_t)cilk_constant_convert(value, &cilk_basic_types[CILK_LONG],
                                                          around->type).integer;
        for (uint32_t i = 0; i < around->values.count; i++)
            if (around->values.items[i] == statement->value)
                cilk_fail(parser, statement->place, "this switch has the case %lld already.",
                          (long long)statement->value);
        VEC_PUSH(&around->values, statement->value);
    }
    cilk_expect(parser, TK_COLON, "':' behind a case");
}

static void parse_return(Parser *parser, CilkStatement *statement)
{
    const CilkType *returns = parser->function->returns;
    if (!cilk_accept(parser, TK_SEMICOLON)) {
        CilkExpression *value = cilk_parse_expression(parser);
        if (returns->kind == CILK_VOID)
            cilk_fail(parser, statement->place, "%s() returns nothing.", parser->function->name);
        statement->expression = cilk_convert(parser, value, returns, "the returned value");
        cilk_expect(parser, TK_SEMICOLON, "';' behind return");
    } else if (returns->kind != CILK_VOID) {
        cilk_fail(parser, statement->place, "%s() returns %s; give return a value.", parser->function->name,
                  cilk_type_text(parser, returns));
    }
}

static void parse_jump(Parser *parser, CilkStatement *statement)
{
    bool is_break = statement->kind == CILK_BREAK;
    if (!(is_break ? parser->breakable : parser->loops))
        cilk_fail(parser, statement->place, is_break ? "break stands in a loop or a switch."
                                                     : "continue stands in a loop.");
    cilk_expect(parser, TK_SEMICOLON, "';' behind break or continue");
}

static void parse_sync(Parser *parser)
{
    parser->function->is_task = true;
    cilk_expect(parser, TK_SEMICOLON, "';' behind cilk_sync");
}

CilkStatement *cilk_parse_block(Parser *parser, CilkPlace place)
{
    StatementList list = {0};
    CilkStatement *block = cilk_new_statement(parser, CILK_BLOCK, place);
    parser->blocks++;
    while (parser->at->kind != TK_CLOSE_BRACE && parser->at->kind != TK_END)
        parse_statement(parser, &list);
    parser->blocks--;
    cilk_expect(parser, TK_CLOSE_BRACE, "'}' behind a block");
    block->body = list.first;
    return block;
}

/* Those that begin with a keyword; false: none does here. */
static bool parse_keyword(Parser *parser, StatementList *list)
{
    static const struct {
        TokenKind token;
        CilkStatementKind kind;
    } rows[] = {{TK_IF, CILK_IF},         {TK_WHILE, CILK_WHILE},   {TK_DO, CILK_DO},
                {TK_FOR, CILK_FOR},       {TK_SWITCH, CILK_SWITCH}, {TK_CASE, CILK_CASE},
                {TK_DEFAULT, CILK_CASE},  {TK_BREAK, CILK_BREAK},   {TK_CONTINUE, CILK_CONTINUE},
                {TK_RETURN, CILK_RETURN}, {TK_SYNC, CILK_SYNC}};
    size_t row = 0;
    while (row < sizeof rows / sizeof *rows && rows[row].token != parser->at->kind)
        row++;
    if (row == sizeof rows / sizeof *rows)
        return false;
    CilkStatement *statement = cilk_new_statement(parser, rows[row].kind, parser->at->place);
    statement->is_default = parser->at->kind == TK_DEFAULT;
    parser->at++;
    switch (statement->kind) {
    case CILK_IF: parse_if(parser, statement); break;
    case CILK_WHILE:
        statement->expression = parse_condition(parser);
        statement->body = parse_loop_body(parser);
        break;
    case CILK_DO: parse_do(parser, statement); break;
    case CILK_FOR: parse_for(parser, statement, list); return true;
    case CILK_SWITCH: parse_switch(parser, statement); break;
    case CILK_CASE: parse_case(parser, statement); break;
    case CILK_RETURN: parse_return(parser, statement); break;
    case CILK_SYNC: parse_sync(parser); break;
    default: parse_jump(parser, statement); break;
    }
    cilk_append(list, statement);
    return true;
}

/* Statements that the subset leaves out. */
static void refuse_keyword(Parser *parser)
{
    CilkPlace place = parser->at->place;
    if (parser->at->kind == TK_CILK_FOR)
        cilk_fail(parser, place,
                  "cilk_for is outside of the subset; spawn a function that halves its range.");
    else if (parser->at->kind == TK_GOTO || (parser->at->kind == TK_NAME && parser->at[1].kind == TK_COLON))
        cilk_fail(parser, place, "goto and labels are outside of the subset; use loops, break and continue.");
}

static void parse_statement_here(Parser *parser, StatementList *list)
{
    CilkPlace place = parser->at->place;
    refuse_keyword(parser);
    if (cilk_accept(parser, TK_SEMICOLON) || cilk_has_failed(parser))
        return;
    if (cilk_accept(parser, TK_OPEN_BRACE)) {
        cilk_open_scope(parser);
        cilk_append(list, cilk_parse_block(parser, place));
        cilk_close_scope(parser);
    } else if (cilk_begins_type(parser)) {
        cilk_parse_declaration(parser, list);
    } else if (!parse_keyword(parser, list) && !cilk_parse_static_assert(parser)) {
        cilk_append_expression(parser, list, cilk_parse_expression(parser));
        cilk_expect(parser, TK_SEMICOLON, "';' behind a statement");
    }
}

static void parse_statement(Parser *parser, StatementList *list)
{
    if (cilk_enter(parser))
        parse_statement_here(parser, list);
    cilk_leave(parser);
}
