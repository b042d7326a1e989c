/* A function's body: declarations, labels, tables of targets, nested scopes, instructions. */
#include "ptx/parser.h"

static void parse_branch_targets(Parser *parser, Table *table)
{
    /* Labels may be defined later. The places to be filled in are known only when all have been counted. */
    const uint32_t first = parser->fixups.count;
    do {
        const Place place = parser->token.place;
        scope_refer(parser, (Fixup){.name = parser_expect_name(parser, "a label"), .place = place});
    } while (parser_accept(parser, ','));
    table->target_count = parser->fixups.count - first;
    table->targets = ARENA_ARRAY(&parser->module->arena, uint32_t, table->target_count);
    for (uint32_t i = 0; i < table->target_count; i++)
        parser->fixups.items[first + i].target = &table->targets[i];
}

/* Functions must have been declared before, so their numbers are known at once. */
static void parse_call_targets(Parser *parser, Table *table)
{
    const uint32_t first = parser->elements.count;
    do {
        const Token token = parser->token;
        const Symbol *symbol = scope_find(parser, parser_expect_name(parser, "a function's name"));
        if (!symbol || symbol->kind != SYMBOL_FUNCTION)
            parser_fail(parser, token.place, "'%.*s' is not a function declared before", (int)token.length,
                        token.start);
        VEC_PUSH(&parser->elements, ((PtxOperand){.kind = PTX_FUNCTION, .index = symbol->index}));
    } while (parser_accept(parser, ','));
    table->target_count = parser->elements.count - first;
    table->targets = ARENA_ARRAY(&parser->module->arena, uint32_t, table->target_count);
    for (uint32_t i = 0; i < table->target_count; i++)
        table->targets[i] = parser->elements.items[first + i].index;
    table->names_functions = true;
    parser->elements.count = first;
}

/* "(.param .b32 _) _ (.param .b64 _) .noreturn" */
static void parse_prototype(Parser *parser, Table *table)
{
    parser->formals.count = 0;
    if (parser->token.kind == '(')
        parse_formals(parser);
    table->result_count = parser->formals.count;
    parser_expect_name(parser, "'_'");
    if (parser->token.kind == '(')
        parse_formals(parser);
    table->parameter_count = parser->formals.count - table->result_count;
    const Variable *formals = arena_copy(&parser->module->arena, parser->formals.items,
                                         parser->formals.count * sizeof(Variable));
    /* One array holds both, results first. */
    table->results = formals;
    table->parameters = formals + table->result_count;
    while (parser->token.kind == TOKEN_DIRECTIVE) {
        if (parser_accept_directive(parser, ".noreturn"))
            continue;
        if (!parser_accept_directive(parser, ".abi_preserve") &&
            !parser_accept_directive(parser, ".abi_preserve_control"))
            parser_expected(parser, "'.noreturn' or ';'");
        parser_expect_integer(parser, UINT32_MAX, "a number");
    }
}

/* What a label stands for: a list of targets, a prototype, or else the next instruction. */
static void parse_label(Parser *parser, const Token *label)
{
    const uint32_t name = name_intern(parser, label->start, label->length);
    Table table = {0};
    if (parser_accept_directive(parser, ".branchtargets")) {
        parse_branch_targets(parser, &table);
    } else if (parser_accept_directive(parser, ".calltargets")) {
        parse_call_targets(parser, &table);
    } else if (parser_accept_directive(parser, ".callprototype")) {
        parse_prototype(parser, &table);
    } else {
        scope_declare(parser, parser->depth, name,
                      (Symbol){.kind = SYMBOL_LABEL, .index = parser->insns.count, .place = label->place});
        return;
    }
    parser_expect(parser, ';', "';' after the list of targets");
    table.name = name_text(parser, name);
    scope_declare(parser, parser->depth, name,
                  (Symbol){.kind = SYMBOL_TABLE, .index = parser->tables.count, .place = label->place});
    VEC_PUSH(&parser->tables, table);
}

static void parse_body_directive(Parser *parser)
{
    Space space;
    if (parser_accept_directive(parser, ".loc"))
        parse_location(parser);
    else if (space_of(&parser->token, &space))
        parse_variables(parser, (Linkage){0});
    else if (token_is(&parser->token, ".pragma"))
        parse_pragma(parser);
    else if (token_is(&parser->token, ".file"))
        parse_file(parser);
    else if (token_is(&parser->token, ".section"))
        parse_section(parser);
    else if (token_is(&parser->token, ".extern") || token_is(&parser->token, ".visible") ||
             token_is(&parser->token, ".weak") || token_is(&parser->token, ".common"))
        parse_variables(parser, parse_linkage(parser));
    else {
        parser->is_unknown = true;
        parser_expected(parser, "an instruction or a declaration");
    }
}

void parse_body(Parser *parser)
{
    const unsigned outermost = parser->depth;
    const Place opening = parser->last_place;
    /* Braces within the body open and close scopes, so the body ends where its own scope is closed. No
     * recursion: a text of braces only must not use up the stack. */
    while (parser->depth >= outermost) {
        const Token token = parser->token;
        switch (token.kind) {
        case TOKEN_NAME:
            parser_advance(parser);
            if (parser_accept(parser, ':'))
                parse_label(parser, &token);
            else
                parse_insn(parser, &token, NO_INDEX, false);
            break;
        case TOKEN_DIRECTIVE: parse_body_directive(parser); break;
        case '@': parse_guarded_insn(parser); break;
        case '{':
            parser_advance(parser);
            scope_open(parser);
            break;
        /* Closed first: a label that is not defined is told at this place. */
        case '}':
            scope_close(parser);
            parser_advance(parser);
            break;
        case TOKEN_END:
            parser_fail(parser, token.place, "expected '}' at the end of the function that begins at line %u",
                        opening.line);
        default: parser_expected(parser, "an instruction, a declaration or '}'");
        }
    }
}
