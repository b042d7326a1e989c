/* Cilk programs as they are read: the tree, the sentences about what is outside of the subset, and calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cilk/call.h"

static CilkProgram *parse(const char *text)
{
    Error error = {0};
    CilkProgram *program = cilk_parse("p.c", text, strlen(text), &error);
    if (!program)
        fail_msg("%s", error.text);
    assert_int_equal(error.status, WB_OK);
    return program;
}

/* The text must fail with a sentence that begins as given, behind "p.c:". */
static void expect_error(const char *text, const char *sentence)
{
    Error error = {0};
    assert_null(cilk_parse("p.c", text, strlen(text), &error));
    if (strncmp(error.text, "p.c:", 4) || strncmp(error.text + 4, sentence, strlen(sentence)))
        fail_msg("of \"%s\": expected \"%s\", found \"%s\"", text, sentence, error.text);
    assert_int_equal(error.text[strlen(error.text) - 1], error.text[strlen(error.text) - 1] == '?' ? '?' : '.');
}

/* The same for the body of int f(int a, int *p), in line 2. */
static void expect_body_error(const char *body, const char *sentence)
{
    char text[2048], expected[1024];
    snprintf(text, sizeof text,
             "struct S { int x; }; struct S s; const int c = 1; int g[3]; void v(void) {} int t(int a) "
             "{ int r = cilk_spawn t(a); cilk_sync; return r; } int f(int a, int *p) {\n%s\n}\n", body);
    snprintf(expected, sizeof expected, "2:%s", sentence);
    expect_error(text, expected);
}

static const CilkFunction *function_of(const CilkProgram *program, const char *name)
{
    const CilkFunction *function = cilk_find_function(program, name);
    assert_non_null(function);
    return function;
}

static void spawns_are_statements(void **state)
{
    (void)state;
    CilkProgram *program = parse("int fib(int n)\n{\n    if (n < 2) return n;\n"
                                 "    int x = cilk_spawn fib(n - 1);\n    cilk_spawn fib(n - 2);\n"
                                 "    cilk_sync;\n    return x;\n}\n");
    const CilkFunction *fib = function_of(program, "fib");
    assert_true(fib->is_task && fib->is_spawned);
    assert_int_equal(fib->parameter_count, 1);
    assert_int_equal(fib->variable_count, 2);
    const CilkStatement *first = fib->body->body, *spawn = first->next;
    assert_int_equal(first->kind, CILK_IF);
    assert_int_equal(first->body->kind, CILK_RETURN);
    assert_int_equal(spawn->kind, CILK_SPAWN);
    assert_int_equal(spawn->place.line, 4);
    assert_int_equal(spawn->place.column, 13);
    assert_ptr_equal(spawn->target->variable, fib->variables[1]);
    assert_ptr_equal(spawn->call->function, fib);
    assert_int_equal(spawn->call->arguments[0]->operator, CILK_SUBTRACT);
    assert_int_equal(spawn->next->kind, CILK_SPAWN);
    assert_null(spawn->next->target);
    assert_int_equal(spawn->next->next->kind, CILK_SYNC);
    assert_int_equal(spawn->next->next->next->kind, CILK_RETURN);
    cilk_free(program);
}

/* A helper that is only called is none; one that is spawned becomes a kernel; who calls a task is one. */
static void tasks_are_found(void **state)
{
    (void)state;
    CilkProgram *program = parse("int helper(int x) { return x; }\nvoid leaf(int x) { helper(x); }\n"
                                 "void user(void);\nvoid caller(void) { user(); }\n"
                                 "void user(void) { cilk_spawn leaf(1); }\nvoid syncs(void) { cilk_sync; }\n");
    static const struct { const char *name; bool is_task, is_spawned; } expected[] = {
        {"helper", false, false}, {"leaf", false, true}, {"user", true, true}, {"caller", true, false},
        {"syncs", true, false}};
    for (unsigned i = 0; i < 5; i++) {
        const CilkFunction *function = function_of(program, expected[i].name);
        assert_int_equal(function->is_task, expected[i].is_task);
        assert_int_equal(function->is_spawned, expected[i].is_spawned);
    }
    assert_int_equal(function_of(program, "caller")->body->body->kind, CILK_CALL_TASK);
    cilk_free(program);
}

/* Calls of tasks leave their expressions, inner ones first. */
static void calls_of_tasks_are_statements(void **state)
{
    (void)state;
    CilkProgram *program = parse("int f(int n) { cilk_sync; return n; }\n"
                                 "int g(int n) { if (n) return f(f(n)) + 1; return 0; }\n");
    const CilkFunction *g = function_of(program, "g");
    const CilkStatement *block = g->body->body->body, *inner = block->body, *outer = inner->next;
    assert_int_equal(block->kind, CILK_BLOCK);
    assert_int_equal(inner->kind, CILK_CALL_TASK);
    assert_int_equal(outer->kind, CILK_CALL_TASK);
    assert_ptr_equal(outer->call->arguments[0]->variable, inner->target->variable);
    assert_int_equal(outer->next->kind, CILK_RETURN);
    assert_ptr_equal(outer->next->expression->left->variable, outer->target->variable);
    assert_string_not_equal(inner->target->variable->unique, outer->target->variable->unique);
    cilk_free(program);
}

static void locals_have_names_of_their_own(void **state)
{
    (void)state;
    CilkProgram *program = parse("int x;\nint f(int a) { int x = 1; { int a = 2; x += a; } { int b; int x = 3; b = x; "
                                 "x = b; } return x + a; }\nint g(int a) { return a; }\n");
    const CilkFunction *f = function_of(program, "f");
    assert_int_equal(f->variable_count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_string_not_equal(f->variables[i]->unique, "x");
        for (uint32_t j = 0; j < i; j++)
            assert_string_not_equal(f->variables[i]->unique, f->variables[j]->unique);
    }
    assert_string_equal(f->variables[0]->unique, "a");
    assert_string_equal(function_of(program, "g")->variables[0]->unique, "a");
    cilk_free(program);
}

static void addresses_that_others_know_are_marked(void **state)
{
    (void)state;
    CilkProgram *program = parse("void take(int *p);\nvoid take(int *p) { *p = 1; }\nstruct S { int a[2]; };\n"
                                 "int f(int n) { int a, b, c[3], d[3], *e; struct S s, t; a = 1; b = n; take(&b); "
                                 "c[1] = 2; take(d); e = &s.a[1]; t.a[0] = *e; return a + c[1] + t.a[0]; }\n");
    const CilkFunction *f = function_of(program, "f");
    static const bool expected[] = {false, false, true, false, true, false, true, false};
    assert_int_equal(f->variable_count, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(f->variables[i]->is_address_taken, expected[i]);
    cilk_free(program);
}

static void types_are_written_as_c_has_them(void **state)
{
    (void)state;
    static const char *const texts[] = {"int *x[3]", "int (*x)[3]", "unsigned long x", "struct S **x",
                                        "const char *const x", "double x[2][3]", "unsigned char (*x[2])[4]"};
    static const char *const expected[] = {"int *x[3]", "int (*x)[3]", "unsigned long x", "struct S **x",
                                           "char *x", "double x[2][3]", "unsigned char (*x[2])[4]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[128];
        snprintf(text, sizeof text, "struct S { int a; };\n%s;\n", texts[i]);
        CilkProgram *program = parse(text);
        assert_string_equal(cilk_declaration(&program->arena, program->globals[0]->type, "x"), expected[i]);
        cilk_free(program);
    }
}

static void errors_of_the_subset(void **state)
{
    (void)state;
    expect_body_error("goto out;", "1: goto and labels are outside of the subset");
    expect_body_error("out: a = 1;", "1: goto and labels are outside of the subset");
    expect_body_error("  cilk_for (int i = 0; i < 3; i++) v();", "3: cilk_for is outside of the subset");
    expect_body_error("a = 1 + cilk_spawn t(1);", "9: cilk_spawn stands in a statement of its own");
    expect_body_error("a += cilk_spawn t(1);", "6: cilk_spawn stands in a statement of its own");
    expect_body_error("long l = cilk_spawn t(1);", "10: cilk_spawn stands in a statement of its own");
    expect_body_error("cilk_spawn a;", "1: cilk_spawn needs the call of a function");
    expect_body_error("a = a && t(1);", "10: t() spawns, so it is not called behind &&");
    expect_body_error("while (t(1)) a = 1;", "8: t() spawns");
    expect_body_error("for (a = 0; a < 3; t(1));", "20: t() spawns");
    expect_body_error("volatile int x;", "1: volatile is outside of the subset");
    expect_body_error("static int x;", "12: static variables of functions are outside of the subset");
    expect_body_error("int x[a];", "7: the number of an array's elements is not a constant integer");
    expect_body_error("int (*q)(int);", "6: pointers to functions are outside of the subset");
    expect_body_error("a = (int){1};", "5: compound literals are outside of the subset");
    expect_body_error("p = \"text\";", "5: strings are outside of the subset");
    expect_body_error("a = ({ 1; });", "5: statements inside of expressions are outside of the subset");
    expect_body_error("t;", "1: t is a function; pointers to functions are outside of the subset");
    expect_error("#include <stdio.h>\n", "1:2: the header <stdio.h> is outside of the subset");
    expect_error("struct S { int x : 3; };\n", "1:18: bit fields are outside of the subset");
    expect_error("int f(int x, ...);\n", "1:14: functions with any number of arguments");
    expect_error("extern int x;\n", "1:12: a program is one file; leave out extern");
    expect_error("int new;\n", "1:5: new is a word of C++");
    expect_error("int a__b;\n", "1:5: the name a__b has two underscores");
}

static void errors_of_c(void **state)
{
    (void)state;
    expect_body_error("a = b;", "5: b is not declared");
    expect_body_error("retrun a;", "1: retrun is not declared; did you mean return?");
    expect_body_error("a = 1", "6: ';' behind a statement is expected here, not '}'");
    expect_body_error("a = p;", "5: the value has the type int *, which does not become int by itself");
    expect_body_error("p = 1;", "5: the value has the type int");
    expect_body_error("float *q = p;", "12: the initializer has the type int *");
    expect_body_error("s = a;", "5: the value has the type int, which does not become struct S");
    expect_body_error("c = 2;", "3: this assigns to something that is const");
    expect_body_error("p = &c;", "5: the value points to what is const");
    expect_body_error("a + 1 = 2;", "7: this assigns to something that has no place");
    expect_body_error("g = p;", "3: this assigns to something that has no place");
    expect_body_error("a = s + 1;", "7: this operator is not for struct S and int");
    expect_body_error("a = *a;", "5: * is not for int");
    expect_body_error("a = a[1];", "6: [] is not for int");
    expect_body_error("s.y = 1;", "2: struct S has no member y; there is only x.");
    expect_body_error("a->x = 1;", "2: -> is not for int");
    expect_body_error("t(1, 2);", "1: t() takes 1 argument, not 2.");
    expect_body_error("a = v();", "5: the value has the type void");
    expect_body_error("return;", "1: f() returns int; give return a value.");
    expect_body_error("break;", "1: break stands in a loop or a switch.");
    expect_body_error("continue;", "1: continue stands in a loop.");
    expect_body_error("switch (a) { case 1: case 1: a = 2; }", "22: this switch has the case 1 already.");
    expect_body_error("int b; int b;", "12: b is declared in line 2 already");
    expect_body_error("if (s) a = 1;", "5: a condition is a number or a pointer, not struct S.");
    expect_body_error("sqrt(2.0);", "1: sqrt() needs #include <math.h>.");
    expect_body_error("a = 08;", "5: 08 is not a number of C.");
    expect_body_error("a = 'ab';", "5: 'ab' is not one character.");
    expect_body_error("int x[2] = {1, 2, 3};", "19: there are more initializers than parts of int [2].");
    expect_error("int f(int x);\nint g(void) { return f(1); }\n", "2:22: f() is declared, but not defined");
    expect_error("int f(int x);\nlong f(int x) { return x; }\n", "2:6: f() is declared in line 1 with other");
    expect_error("int f(void) { return 1; }\nint f(void) { return 2; }\n", "2:5: f() is defined in line 1 already");
    expect_error("int x = 1 / 0;\n", "1:11: the initializer of a global is not a constant number");
    expect_error("struct S s;\n", "1:10: s has a type without a size.");
    expect_error("void f(void) {\n", "1:14: '}' behind a block is expected here, not the end.");
    expect_error("#if 1\nint x;\n", "1:2: this #if has no #endif.");
    expect_error("#define A(x) x\nint y = A(1, 2);\n", "2:9: the macro A() takes 1 arguments, not 2.");
    expect_error("#define A B B\n#define B C C\n#define C 1 +\nint x = A;\n", "4:10: a value is expected here");
    expect_error("int x;\n\n  /* no\nend *", "3:3: /* begins a comment that has no end.");
    expect_error("#include \"other.h\"\n", "1:2: a text without a folder cannot include");
    expect_error("#error is here\n", "1:1: the program says #error is here.");
}

/* Texts that would take for ever, or the whole stack. */
static void what_is_too_deep_is_refused(void **state)
{
    (void)state;
    enum { DEEP = 20000 };
    static const char *const repeated[] = {"(", "-", "{", "x=", "if(x)", "x?x:", "x+", "*", "p->n->"};
    char *text = malloc(DEEP * 8);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++) {
        Error error = {0};
        int length = sprintf(text, "struct S { struct S *n; } *p; int x; void f(void) {");
        while (length < DEEP)
            length += sprintf(text + length, "%s", repeated[i]);
        assert_null(cilk_parse("p.c", text, (size_t)length, &error));
    }
    Error error = {0};
    int length = sprintf(text, "#define M0 x x\n");
    for (int i = 1; i < 60; i++)
        length += sprintf(text + length, "#define M%d M%d M%d\n", i, i - 1, i - 1);
    length += sprintf(text + length, "int y = M59;\n");
    assert_null(cilk_parse("p.c", text, (size_t)length, &error));
    assert_non_null(strstr(error.text, "macros make too much"));
    free(text);
}

static void files_beside_the_program_are_included(void **state)
{
    (void)state;
    char path[] = "/tmp/warpbeam-cilk-XXXXXX", program_path[64], header_path[64];
    assert_non_null(mkdtemp(path));
    snprintf(program_path, sizeof program_path, "%s/p.c", path);
    snprintf(header_path, sizeof header_path, "%s/h.h", path);
    FILE *program_file = fopen(program_path, "w"), *header = fopen(header_path, "w");
    fputs("#include \"h.h\"\n#include \"h.h\"\nint f(void) { return X; }\n", program_file);
    fputs("#pragma once\n#define X 4 +\n", header);
    fclose(program_file);
    fclose(header);
    Error error = {0};
    char expected[128];
    assert_null(cilk_read(program_path, &error));
    snprintf(expected, sizeof expected, "%s:3:23: a value is expected here, not ';'.", program_path);
    assert_string_equal(error.text, expected);
    remove(header_path);
    error = (Error){0};
    assert_null(cilk_read(program_path, &error));
    assert_non_null(strstr(error.text, ":1:2: "));
    remove(program_path);
    rmdir(path);
}

static void expect_call(const CilkProgram *program, const char *text, const char *value, const char *sentence)
{
    CilkCall call;
    Error error = {0};
    char found[CILK_VALUE_TEXT];
    WbStatus status = cilk_call_parse(program, text, &call, &error);
    if (sentence) {
        assert_int_not_equal(status, WB_OK);
        if (!strstr(error.text, sentence))
            fail_msg("of %s: expected \"%s\", found \"%s\"", text, sentence, error.text);
        return;
    }
    assert_string_equal(error.text, "");
    assert_string_equal(cilk_value_text(&call.arguments[call.argument_count - 1], found), value);
}

static void calls_are_read(void **state)
{
    (void)state;
    CilkProgram *program = parse("int fib(int n) { return n; }\nfloat f(long a, float b) { return a + b; }\n"
                                 "double d(double x) { return x; }\nunsigned char u(unsigned char x) { return x; }\n"
                                 "int p(int *x) { return *x; }\n");
    expect_call(program, "fib(24)", "24", NULL);
    expect_call(program, " fib ( -(1 << 4) + 2 ) ", "-14", NULL);
    expect_call(program, "fib(3.9)", "3", NULL);
    expect_call(program, "f(1, 1.0 / 3)", "0.33333334", NULL);
    expect_call(program, "d(0.1)", "0.1", NULL);
    expect_call(program, "d(1.0 / 3)", "0.3333333333333333", NULL);
    expect_call(program, "u(257)", "1", NULL);
    expect_call(program, "fbi(24)", NULL, "p.c has no function fbi; did you mean fib?");
    expect_call(program, "fib", NULL, "'(' and arguments are expected behind the name.");
    expect_call(program, "fib()", NULL, "has too few arguments: fib() takes 1.");
    expect_call(program, "fib(1, 2)", NULL, "has too many arguments: fib() takes 1.");
    expect_call(program, "fib(x)", NULL, "at column 5: an argument is a constant number.");
    expect_call(program, "fib(1) + 1", NULL, "at column 8: the call has ended here.");
    expect_call(program, "24", NULL, "it begins with the name of a function");
    expect_call(program, "p(0)", NULL, "p.c:5:5: p() cannot be called from outside");
    expect_call(program, "fib('", NULL, "is wrong");
    cilk_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spawns_are_statements),
        cmocka_unit_test(tasks_are_found),
        cmocka_unit_test(calls_of_tasks_are_statements),
        cmocka_unit_test(locals_have_names_of_their_own),
        cmocka_unit_test(addresses_that_others_know_are_marked),
        cmocka_unit_test(types_are_written_as_c_has_them),
        cmocka_unit_test(errors_of_the_subset),
        cmocka_unit_test(errors_of_c),
        cmocka_unit_test(what_is_too_deep_is_refused),
        cmocka_unit_test(files_beside_the_program_are_included),
        cmocka_unit_test(calls_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
