/* How functions that spawn are cut: what frames hold, where they are reserved, what shares one, what is
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cilk/translate.h"
#include "cilk/split.h"

typedef struct Cut {
    CilkProgram *program;
    CilkSplit split;
    Error error;
    bool is_cut;
} Cut;

static Cut cut(const char *text)
{
    Cut made = {0};
    made.program = cilk_parse("p.c", text, strlen(text), &made.error);
    if (!made.program)
        fail_msg("%s", made.error.text);
    made.is_cut = cilk_split(made.program, cilk_find_function(made.program, "f"), &made.split, &made.error);
    return made;
}

static void end(Cut *made)
{
    cilk_split_free(&made->split);
    cilk_free(made->program);
}

/* Names of variables in a set, in their order. */
static const char *names_of(const Cut *made, const CilkLive *live)
{
    static char names[256];
    names[0] = '\0';
    for (uint32_t i = 0; i < made->split.function->variable_count; i++)
        if (cilk_live_has(live, i)) {
            strcat(names, *names ? " " : "");
            strcat(names, made->split.function->variables[i]->name);
        }
    return names;
}

/* Lines on which frames are reserved. */
static const char *reserved_at(const Cut *made)
{
    static char lines[256];
    lines[0] = '\0';
    for (uint32_t line = 1; line < 100; line++)
        for (uint32_t i = 0; i < made->split.points.count; i++) {
            const CilkPoint *point = &made->split.points.items[i];
            const bool takes = point->takes_frame || (point->needs_frame && !point->has_frame);
            if (takes && point->statement->place.line == line)
                sprintf(lines + strlen(lines), "%u ", line);
        }
    return lines;
}

#define G "int g(int n) { return n; } void h(int *p) { *p = 1; }\n"

static void test_a_frame_holds_what_is_read_behind_its_sync(void **state)
{
    (void)state;
    Cut made = cut(G "int f(int n, int m) {\n"
                     "    int a = 1, b = 2, c, x;\n"
                     "    x = cilk_spawn g(n + m);\n"
                     "    cilk_sync;\n"
                     "    c = a; b = 3;\n"
                     "    return b + c + x;\n"
                     "}\n");
    assert_true(made.is_cut);
    assert_int_equal(made.split.groups.count, 1);
    assert_string_equal(names_of(&made, &made.split.groups.items[0].saved), "a x");
    assert_string_equal(names_of(&made, &made.split.targets), "x");
    assert_false(cilk_group_has_choice(&made.split.groups.items[0]));
    end(&made);
}

static void test_what_a_loop_reads_again_is_live(void **state)
{
    (void)state;
    Cut made = cut(G "int f(int n) {\n"
                     "    int s = 0;\n"
                     "    for (int i = 0; i < n; i++) {\n"
                     "        int before = s, x;\n"
                     "        s = before + 1;\n"
                     "        x = cilk_spawn g(i);\n"
                     "        cilk_sync;\n"
                     "        s += x;\n"
                     "    }\n"
                     "    return s;\n"
                     "}\n");
    assert_string_equal(names_of(&made, &made.split.groups.items[0].saved), "n s i x");
    assert_true(made.split.groups.items[0].is_loop);
    end(&made);
}

static void test_syncs_of_a_loop_share_a_frame_and_others_do_not(void **state)
{
    (void)state;
    Cut made = cut(G "int f(int n) {\n"
                     "    int x = cilk_spawn g(n);\n"
                     "    cilk_sync;\n"
                     "    while (x > 0) {\n"
                     "        x = cilk_spawn g(x - 1);\n"
                     "        cilk_sync;\n"
                     "        x = f(x);\n"
                     "    }\n"
                     "    x = cilk_spawn g(7);\n"
                     "    cilk_sync;\n"
                     "    return x;\n"
                     "}\n");
    assert_int_equal(made.split.groups.count, 3);
    assert_int_equal(made.split.groups.items[0].syncs, 1 << 1);
    assert_int_equal(made.split.groups.items[1].syncs, 1 << 2 | 1 << 3);
    assert_int_equal(made.split.groups.items[2].syncs, 1 << 4);
    assert_false(made.split.groups.items[0].is_loop);
    assert_true(made.split.groups.items[1].is_loop);
    assert_false(made.split.groups.items[2].is_loop);
    end(&made);
}

static void test_a_frame_is_reserved_where_ways_part(void **state)
{
    (void)state;
    Cut one = cut(G "int f(int n) {\n" /* 2 */
                    "    int x, y;\n"
                    "    if (n < 2)\n" /* not here: leaves reserve nothing */
                    "        return n;\n"
                    "    else {\n"
                    "        x = cilk_spawn g(n);\n" /* 7 */
                    "        y = cilk_spawn g(n);\n"
                    "        cilk_sync;\n"
                    "        return x + y;\n"
                    "    }\n"
                    "}\n");
    assert_string_equal(reserved_at(&one), "7 ");
    end(&one);
    Cut loop = cut(G "int f(int n) {\n"
                     "    int x[4], s = 0;\n"
                     "    if (n > 3) return 1;\n"
                     "    for (int i = 0; i < n; i++)\n" /* 5 */
                     "        if (i != 2)\n"
                     "            x[i] = cilk_spawn g(i);\n"
                     "    cilk_sync;\n"
                     "    return x[0] + s;\n"
                     "}\n");
    assert_string_equal(reserved_at(&loop), "5 ");
    end(&loop);
    Cut several = cut(G "int f(int n) {\n"
                        "    int x = 0, y = 0;\n"
                        "    if (n & 1)\n" /* 4 */
                        "        x = cilk_spawn g(n);\n"
                        "    if (n & 2)\n"
                        "        y = cilk_spawn g(n);\n"
                        "    cilk_sync;\n"
                        "    return x + y;\n"
                        "}\n");
    assert_string_equal(reserved_at(&several), "4 ");
    assert_false(several.split.groups.items[0].can_end);
    end(&several);
}

/* A task that only spawns into memory of others takes its frame at the sync itself. */
static void test_spawns_without_results_need_no_frame(void **state)
{
    (void)state;
    Cut made = cut(G "int a[9];\n"
                     "int f(int n) {\n"
                     "    for (int i = 0; i < n; i++) cilk_spawn h(&a[i]);\n"
                     "    cilk_sync;\n"
                     "    return n;\n"
                     "}\n");
    assert_string_equal(reserved_at(&made), "");
    assert_string_equal(names_of(&made, &made.split.in_memory), "");
    end(&made);
}

static void test_locals_that_tasks_can_reach_lie_in_memory(void **state)
{
    (void)state;
    Cut made = cut(G "int f(int n) {\n"
                     "    int x = n, part[3], own[3], all;\n"
                     "    own[0] = 5;\n"
                     "    cilk_spawn h(&x);\n"
                     "    cilk_spawn h(part + 1);\n"
                     "    part[0] = cilk_spawn g(1);\n"
                     "    h(own);\n"
                     "    cilk_sync;\n"
                     "    all = x + part[1] + own[0];\n"
                     "    return all;\n"
                     "}\n");
    assert_string_equal(names_of(&made, &made.split.in_memory), "x part");
    assert_string_equal(names_of(&made, &made.split.groups.items[0].saved), "x part own");
    end(&made);
}

static void test_syncs_that_a_spawn_may_come_to_share_a_frame(void **state)
{
    (void)state;
    Cut made = cut(G "int f(int n) {\n"
                     "    int x = cilk_spawn g(n);\n"
                     "    if (n) {\n"
                     "        cilk_sync;\n"
                     "        return x;\n"
                     "    }\n"
                     "    cilk_sync;\n"
                     "    int y = cilk_spawn g(x);\n"
                     "    cilk_sync;\n"
                     "    return y;\n"
                     "}\n");
    assert_int_equal(made.split.groups.count, 2);
    assert_int_equal(made.split.groups.items[0].syncs, 1 << 1 | 1 << 2);
    assert_int_equal(made.split.groups.items[1].syncs, 1 << 3);
    assert_true(cilk_group_has_choice(&made.split.groups.items[0]));
    assert_false(cilk_group_has_choice(&made.split.groups.items[1]));
    end(&made);
}

static void test_a_return_with_a_frame_gives_it_away(void **state)
{
    (void)state;
    Cut made = cut(G "int f(int n) {\n"
                     "    int x = 0;\n"
                     "    for (int i = 0; i < n; i++) {\n"
                     "        x = cilk_spawn g(i);\n"
                     "        if (i == 3) return 0;\n"
                     "    }\n"
                     "    cilk_sync;\n"
                     "    return x;\n"
                     "}\n");
    assert_true(made.split.groups.items[0].can_end);
    end(&made);
}

static void test_a_last_call_is_no_sync(void **state)
{
    (void)state;
    Cut made = cut(G "int f(int n) { if (n < 2) return n; cilk_spawn g(n); return f(n - 1); }\n");
    assert_int_equal(made.split.syncs.count, 0);
    assert_int_equal(made.split.groups.count, 0);
    end(&made);
    Cut other =
        cut(G "int f(int n) { int x; if (n < 2) return n; cilk_spawn g(n); x = f(n - 1); return x + 1; }\n");
    assert_int_equal(other.split.syncs.count, 1);
    end(&other);
}

static void test_a_kept_address_of_a_local_is_refused(void **state)
{
    (void)state;
    Cut made = cut(G "int f(int n) {\n"
                     "    int x = n;\n"
                     "    int *p = &x;\n"
                     "    cilk_spawn h(p);\n"
                     "    cilk_sync;\n"
                     "    return *p;\n"
                     "}\n");
    assert_false(made.is_cut);
    assert_non_null(strstr(made.error.text, "p.c:4:"));
    assert_non_null(strstr(made.error.text, "'x'"));
    end(&made);
}

/* -- graphs -- */

static void test_the_description_comes_back_as_it_was(void **state)
{
    (void)state;
    static const char text[] = "double g(float a, char b, double c) { return c; }\n"
                               "int f(int n) { double d = cilk_spawn g(1, 2, 3); int x = cilk_spawn f(n - "
                               "1); cilk_sync; return x + (int)d; }\n"
                               "void v(void) { cilk_spawn f(1); }\n";
    Error error = {0};
    CilkGraph graph, read;
    char *printed = NULL;
    size_t length = 0;
    CilkProgram *program = cilk_parse("p.c", text, sizeof text - 1, &error);
    assert_non_null(program);
    char *cuda = cilk_translate(program, 7, NULL, &graph, &error);
    assert_non_null(cuda);
    FILE *out = open_memstream(&printed, &length);
    cilk_graph_print(&graph, out);
    fclose(out);
    assert_string_equal(printed,
                        "// warpbeam cilk 1\n// levels 7\n// stack g_0 24 before\n// stack f_0 16 before\n"
                        "// stack f_1 24 after\n// stack v_0 8 before\n// edge 1 0\n// edge 1 1\n"
                        "// edge 1 2\n// edge 3 1\n// entry 0 double g(float a, char b, double c)\n"
                        "// entry 1 int f(int n)\n// entry 3 void v(void)\n// end\n");
    assert_true(cilk_graph_read("p.ptx", printed, &read, &error));
    CilkProgram *again = cilk_graph_program(&read, "p.ptx", &error);
    assert_non_null(again);
    const CilkFunction *g = cilk_find_function(again, "g");
    uint32_t stack;
    assert_true(cilk_graph_find(&read, g, &stack));
    assert_int_equal(stack, 0);
    assert_int_equal(cilk_parameter_offset(g, 0), 8);
    assert_int_equal(cilk_parameter_offset(g, 1), 12);
    assert_int_equal(cilk_parameter_offset(g, 2), 16);
    printed[strlen("// warpbeam cilk 1\n// l")] = 'x';
    CilkGraph broken;
    assert_false(cilk_graph_read("p.ptx", printed, &broken, &error));
    assert_non_null(strstr(error.text, "p.ptx:2:"));
    cilk_graph_free(&broken);
    cilk_free(again);
    cilk_graph_free(&read);
    free(printed);
    free(cuda);
    cilk_graph_free(&graph);
    cilk_free(program);
}

static void expect_refused(const char *text, const char *sentence)
{
    Error error = {0};
    CilkGraph graph;
    CilkProgram *program = cilk_parse("p.c", text, strlen(text), &error);
    if (!program)
        fail_msg("%s", error.text);
    assert_null(cilk_translate(program, 7, NULL, &graph, &error));
    assert_string_equal(error.text, sentence);
    cilk_graph_free(&graph);
    cilk_free(program);
}

static void test_what_is_too_large_is_refused(void **state)
{
    (void)state;
    expect_refused("int f(int n) { int a[1l << 30]; a[1] = cilk_spawn f(n - 1); cilk_sync; return a[1]; }",
                   "p.c:1:5: what f() keeps until behind a cilk_sync has 4294967304 bytes, and a channel's "
                   "element has 1048576 at most: make large variables global.");
    expect_refused("struct S { char a[2000000]; };\nvoid g(struct S s) {}\n"
                   "void f(struct S *s) { cilk_spawn g(*s); }",
                   "p.c:2:6: what g() takes has 2000000 bytes, and a channel's element has 1048576 at most: "
                   "make large variables global.");
    expect_refused("int a[1l << 35]; void f(int n) { if (a[n]) cilk_spawn f(n - 1); }",
                   "p.c:1:5: 'a' has 137438953472 bytes, and a variable of kernels has 4294967295 at most.");
}

#define HEAD "// warpbeam cilk 1\n// levels 7\n"
static void expect_description(const char *text, const char *sentence)
{
    Error error = {0};
    CilkGraph graph;
    CilkProgram *program =
        cilk_graph_read("p.ptx", text, &graph, &error) ? cilk_graph_program(&graph, "p.ptx", &error) : NULL;
    assert_string_equal(error.text, sentence ? sentence : "");
    if (program)
        cilk_free(program);
    assert_true(!sentence == !!program);
    cilk_graph_free(&graph);
}

static void test_descriptions_that_are_wrong_are_told(void **state)
{
    (void)state;
    char text[1024], name[400];
    memset(name, 'f', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(text, sizeof text,
             HEAD "// stack %s_0 16 before\n// entry 0 bool %s(bool a, int b)\n// end\n", name, name);
    expect_description(text, NULL);
    expect_description(HEAD "// stack f_0 8 before\n// entry 0 int f(int n)\n// end\n",
                       "p.ptx: the elements of stack f_0 have 8 bytes, too few for a call of f(): translate "
                       "the program again.");
    expect_description(HEAD "// stack f_0 0 before\n// end\n",
                       "p.ptx:3: '// stack f_0 0 before' is no line of the graph: translate the program "
                       "again.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_frame_holds_what_is_read_behind_its_sync),
        cmocka_unit_test(test_what_a_loop_reads_again_is_live),
        cmocka_unit_test(test_syncs_of_a_loop_share_a_frame_and_others_do_not),
        cmocka_unit_test(test_a_frame_is_reserved_where_ways_part),
        cmocka_unit_test(test_spawns_without_results_need_no_frame),
        cmocka_unit_test(test_locals_that_tasks_can_reach_lie_in_memory),
        cmocka_unit_test(test_syncs_that_a_spawn_may_come_to_share_a_frame),
        cmocka_unit_test(test_a_return_with_a_frame_gives_it_away),
        cmocka_unit_test(test_a_last_call_is_no_sync),
        cmocka_unit_test(test_a_kept_address_of_a_local_is_refused),
        cmocka_unit_test(test_the_description_comes_back_as_it_was),
        cmocka_unit_test(test_what_is_too_large_is_refused),
        cmocka_unit_test(test_descriptions_that_are_wrong_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
