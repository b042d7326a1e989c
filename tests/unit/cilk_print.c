/* A tree as C. All parentheses are written, so that nothing depends on precedences. */
#include "cilk_print.h"

#include <string.h>

static Arena arena;

static const char *declaration(const CilkType *type, const char *name)
{
    const char *text = cilk_declaration(&arena, type, name);
    while (type->kind == CILK_POINTER || type->kind == CILK_ARRAY)
        type = type->to;
    if (type->kind != CILK_RECORD)
        return text;
    const char *space = strchr(text, ' ');
    return arena_printf(&arena, "%.*s tree_%s", (int)(space - text), text, space + 1);
}

static const char *variable_name(const CilkVariable *variable)
{
    return variable->function ? variable->unique : arena_printf(&arena, "tree_%s", variable->name);
}

static const char *operator_text(CilkOperator operator)
{
    static const char *const texts[] = {
        [CILK_NONE] = "", [CILK_ADD] = "+", [CILK_SUBTRACT] = "-", [CILK_MULTIPLY] = "*", [CILK_DIVIDE] = "/",
        [CILK_REMAINDER] = "%", [CILK_SHIFT_LEFT] = "<<", [CILK_SHIFT_RIGHT] = ">>", [CILK_BIT_AND] = "&",
        [CILK_BIT_OR] = "|", [CILK_BIT_XOR] = "^", [CILK_LESS] = "<", [CILK_LESS_EQUAL] = "<=",
        [CILK_GREATER] = ">", [CILK_GREATER_EQUAL] = ">=", [CILK_EQUAL] = "==", [CILK_NOT_EQUAL] = "!=",
        [CILK_AND] = "&&", [CILK_OR] = "||", [CILK_COMMA] = ",", [CILK_PLUS] = "+", [CILK_NEGATE] = "-",
        [CILK_NOT] = "!", [CILK_BIT_NOT] = "~", [CILK_DEREFERENCE] = "*", [CILK_ADDRESS] = "&",
        [CILK_PRE_INCREMENT] = "++", [CILK_PRE_DECREMENT] = "--", [CILK_POST_INCREMENT] = "++",
        [CILK_POST_DECREMENT] = "--"};
    return texts[operator];
}

static void expression(FILE *to, const CilkExpression *of);

static void call(FILE *to, const CilkExpression *of)
{
    fprintf(to, "%s%s(", of->function ? "tree_" : "", of->function ? of->function->name : of->builtin->name);
    for (uint32_t i = 0; i < of->argument_count; i++) {
        fputs(i ? ", " : "", to);
        expression(to, of->arguments[i]);
    }
    fputs(")", to);
}

static void unary(FILE *to, const CilkExpression *of)
{
    bool is_behind = of->operator == CILK_POST_INCREMENT || of->operator == CILK_POST_DECREMENT;
    fprintf(to, "(%s", is_behind ? "" : operator_text(of->operator));
    expression(to, of->left);
    fprintf(to, "%s)", is_behind ? operator_text(of->operator) : "");
}

static void two_sides(FILE *to, const CilkExpression *of)
{
    fputs("(", to);
    expression(to, of->left);
    fprintf(to, " %s%s ", operator_text(of->operator), of->kind == CILK_ASSIGN ? "=" : "");
    expression(to, of->right);
    fputs(")", to);
}

static void conditional(FILE *to, const CilkExpression *of)
{
    fputs("(", to);
    expression(to, of->left);
    fputs(" ? ", to);
    expression(to, of->right);
    fputs(" : ", to);
    expression(to, of->third);
    fputs(")", to);
}

static void expression(FILE *to, const CilkExpression *of)
{
    switch (of->kind) {
    case CILK_INTEGER:
        fprintf(to, "((%s)0x%llxull)", declaration(of->type, ""), (unsigned long long)of->integer);
        break;
    case CILK_REAL:
        fprintf(to, "(%s)%a", declaration(of->type, ""), of->real);
        break;
    case CILK_VARIABLE:
        fputs(variable_name(of->variable), to);
        break;
    case CILK_UNARY:
        unary(to, of);
        break;
    case CILK_BINARY: case CILK_ASSIGN:
        two_sides(to, of);
        break;
    case CILK_CONDITIONAL:
        conditional(to, of);
        break;
    case CILK_CALL:
        call(to, of);
        break;
    case CILK_INDEX:
        expression(to, of->left);
        fputs("[", to);
        expression(to, of->right);
        fputs("]", to);
        break;
    case CILK_MEMBER:
        expression(to, of->left);
        fprintf(to, "%s%s", of->left->type->kind == CILK_POINTER ? "->" : ".", of->member->name);
        break;
    case CILK_CAST:
        fprintf(to, "((%s)", declaration(of->type, ""));
        expression(to, of->left);
        fputs(")", to);
        break;
    }
}

static void statement(FILE *to, const CilkStatement *of);

static void statements(FILE *to, const CilkStatement *first)
{
    fputs("{\n", to);
    for (; first; first = first->next)
        statement(to, first);
    fputs("}\n", to);
}

static void with_condition(FILE *to, const char *word, const CilkExpression *condition)
{
    fprintf(to, "%s (", word);
    expression(to, condition);
    fputs(")\n", to);
}

static void loop(FILE *to, const CilkStatement *of)
{
    if (of->kind == CILK_DO) {
        fputs("do ", to);
        statements(to, of->body);
        with_condition(to, "while", of->expression);
        fputs(";\n", to);
        return;
    }
    fputs("for (; ", to);
    if (of->expression)
        expression(to, of->expression);
    fputs("; ", to);
    if (of->step)
        expression(to, of->step);
    fputs(") ", to);
    statements(to, of->body);
}

static void statement(FILE *to, const CilkStatement *of)
{
    switch (of->kind) {
    case CILK_EXPRESSION:
        expression(to, of->expression);
        fputs(";\n", to);
        break;
    case CILK_BLOCK:
        statements(to, of->body);
        break;
    case CILK_IF:
        with_condition(to, "if", of->expression);
        statements(to, of->body);
        if (of->other) {
            fputs("else ", to);
            statements(to, of->other);
        }
        break;
    case CILK_WHILE: case CILK_DO: case CILK_FOR:
        loop(to, of);
        break;
    case CILK_SWITCH:
        with_condition(to, "switch", of->expression);
        statement(to, of->body);
        break;
    case CILK_CASE:
        if (of->is_default)
            fputs("default:;\n", to);
        else
            fprintf(to, "case %lldll:;\n", (long long)of->value);
        break;
    case CILK_BREAK: case CILK_CONTINUE:
        fputs(of->kind == CILK_BREAK ? "break;\n" : "continue;\n", to);
        break;
    case CILK_RETURN:
        fputs("return ", to);
        if (of->expression)
            expression(to, of->expression);
        fputs(";\n", to);
        break;
    case CILK_SPAWN: case CILK_CALL_TASK:
        if (of->target) {
            expression(to, of->target);
            fputs(" = ", to);
        }
        call(to, of->call);
        fputs(";\n", to);
        break;
    case CILK_SYNC:
        break;
    }
}

static void record(FILE *to, const CilkRecord *of)
{
    fprintf(to, "%s tree_%s {\n", of->is_union ? "union" : "struct", of->name);
    for (uint32_t i = 0; i < of->member_count; i++)
        fprintf(to, "%s;\n", declaration(of->members[i].type, of->members[i].name));
    fprintf(to, "};\n_Static_assert(sizeof(%s tree_%s) == %llu, \"\");\n", of->is_union ? "union" : "struct",
            of->name, (unsigned long long)of->size);
}

/* By its bytes, through a second name of the same memory. */
static void global(FILE *to, const CilkVariable *of)
{
    if (!of->initial) {
        fprintf(to, "static %s;\n", declaration(of->type, variable_name(of)));
        return;
    }
    fprintf(to, "static union { unsigned char bytes[%llu]; %s; } tree_union_%s = {{", (unsigned long long)of->type->size,
            declaration(of->type, "value"), of->name);
    for (uint64_t i = 0; i < of->type->size; i++)
        fprintf(to, "%u,", of->initial[i]);
    fprintf(to, "}};\n#define tree_%s tree_union_%s.value\n", of->name, of->name);
}

static const char *head(const CilkFunction *of)
{
    const char *text = arena_printf(&arena, "tree_%s(", of->name);
    for (uint32_t i = 0; i < of->parameter_count; i++)
        text = arena_printf(&arena, "%s%s%s", text, i ? ", " : "",
                            declaration(of->variables[i]->type, of->variables[i]->unique));
    return declaration(of->returns, arena_printf(&arena, "%s)", text));
}

static void function(FILE *to, const CilkFunction *of)
{
    fprintf(to, "static %s\n{\n", head(of));
    for (uint32_t i = of->parameter_count; i < of->variable_count; i++)
        fprintf(to, "%s;\n", declaration(of->variables[i]->type, of->variables[i]->unique));
    statements(to, of->body);
    fputs("}\n", to);
}

void cilk_print(FILE *to, const CilkProgram *program)
{
    fputs("#undef bool\n#define bool _Bool\n", to);
    for (const CilkRecord *next = program->records; next; next = next->next)
        record(to, next);
    for (uint32_t i = 0; i < program->global_count; i++)
        global(to, program->globals[i]);
    for (uint32_t i = 0; i < program->function_count; i++)
        fprintf(to, "static %s;\n", head(program->functions[i]));
    for (uint32_t i = 0; i < program->function_count; i++)
        if (program->functions[i]->body)
            function(to, program->functions[i]);
    arena_free(&arena);
    arena = (Arena){0};
}
