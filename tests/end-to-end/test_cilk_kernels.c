/* Cilk programs through translator, compiler and machine: what calls return is what the host's serial programs
 * return, on all GPUs, in both modes, for all widths of channels; and sentences of the command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cilk/host.h"
#include "cilk/run.h"
#include "cilk/translate.h"
#include "harness.h"
#include "shell.h"

/* Kernels are compiled by clang; where it is missing, only what needs none is tested. */
static bool has_clang(void)
{
    char said[64];
    return shell_run("command -v \"${CLANG:-clang}\"", said, sizeof said) == 0;
}

/* -- a program that is translated once, and run again and again -- */

typedef struct Case {
    CilkProgram *program;
    CilkCall call;
    CilkGraph graph;
    char *ptx;
    char expected[CILK_VALUE_TEXT];
} Case;

/* expected: null where the host is to say it. */
static Case translate(const char *path, const char *call, const char *expected)
{
    Case made = {0};
    Error error = {0};
    CilkValue host;
    char *cuda = NULL;
    made.program = cilk_read(path, &error);
    if (made.program && !cilk_call_parse(made.program, call, &made.call, &error))
        cuda = cilk_translate(made.program, 16, made.call.function, &made.graph, &error);
    if (cuda)
        made.ptx = cilk_compile(made.program, cuda, &made.graph, &error);
    if (expected)
        snprintf(made.expected, sizeof made.expected, "%s", expected);
    else if (made.ptx && !cilk_host_run(path, &made.call, &host, &error))
        cilk_value_text(&host, made.expected);
    if (!made.ptx || !made.expected[0])
        fail_msg("%s", error.text);
    free(cuda);
    return made;
}

static void end(Case *made)
{
    free(made->ptx);
    cilk_graph_free(&made->graph);
    cilk_free(made->program);
}

static void expect(const Case *made, const char *gpu_name, const char *const *knobs, uint32_t width)
{
    const CilkRun run = {"p.ptx", made->ptx, &made->graph, &made->call, width, NULL};
    WbGpu *gpu = harness_open(gpu_name, knobs);
    char text[CILK_VALUE_TEXT];
    CilkValue result;
    if (cilk_run(gpu, &run, &result))
        fail_msg("%s", wb_error(gpu));
    assert_string_equal(cilk_value_text(&result, text), made->expected);
    wb_gpu_close(gpu);
}

static const char *const functional[] = {"mode=functional", NULL};
static const char *const cycle[] = {"mode=cycle", "threads=1", NULL};

/* A call and what it returns: what --host says; the tests of that compare it with what other ways give. */
typedef struct Answer {
    const char *call, *expected;
} Answer;

static void call_instead(Case *made, Answer answer)
{
    Error error = {0};
    assert_int_equal(cilk_call_parse(made->program, answer.call, &made->call, &error), WB_OK);
    snprintf(made->expected, sizeof made->expected, "%s", answer.expected);
}

/* Cycle mode has the smaller call; none where the least that there is takes many cycles. */
static void expect_program(const char *path, Answer answer, Answer small)
{
    if (!has_clang())
        skip();
    Case made = translate(path, answer.call, answer.expected);
    expect(&made, "apu8", functional, 128);
    expect(&made, "titanv", functional, 32);
    if (small.call) {
        call_instead(&made, small);
        expect(&made, "apu8", cycle, 64);
    }
    end(&made);
}

#define PROGRAM(name, ...)                                                                                   \
    static void test_##name(void **state)                                                                    \
    {                                                                                                        \
        (void)state;                                                                                         \
        expect_program("workloads/cilk/" #name ".c", __VA_ARGS__);                                           \
    }
#define ANSWER(call, expected) ((Answer){call, expected})
PROGRAM(fib, ANSWER("fib(11)", "89"), ANSWER("fib(7)", "13"))
PROGRAM(queens, ANSWER("queens(9)", "352"), ANSWER(NULL, NULL))
PROGRAM(sort, ANSWER("sort(300)", "4062893985"), ANSWER("sort(70)", "273684559"))
PROGRAM(strassen, ANSWER("strassen(32)", "24428350"), ANSWER(NULL, NULL))
PROGRAM(matmul, ANSWER("matmul(32)", "24428350"), ANSWER(NULL, NULL))
PROGRAM(nbody, ANSWER("nbody(30, 2)", "0.12194657141265483"), ANSWER("nbody(5, 1)", "0.11608668058375252"))
PROGRAM(knapsack, ANSWER("knapsack(12)", "462"), ANSWER("knapsack(8)", "291"))
PROGRAM(heat, ANSWER("heat(9, 2)", "35.50347222222223"), ANSWER("heat(4, 1)", "9.65625"))

/* Lanes that reserve one by one find out together whether all have got theirs, also where they go their own
 * ways: else some would keep elements while their wavefront waits for room. */
static void test_lanes_that_reserve_alone_stay_together(void **state)
{
    static const char *const knobs[] = {"mode=cycle", "threads=1", "channel_form=per_lane", NULL};
    (void)state;
    if (!has_clang())
        skip();
    Case made = translate("workloads/cilk/fib.c", "fib(12)", "144");
    expect(&made, "titanv", knobs, 64);
    end(&made);
}

static void test_functions_that_are_cut_in_all_ways(void **state)
{
    (void)state;
    if (!has_clang())
        skip();
    static const char *const many[] = {"mode=functional", "concurrent_kernels=64", NULL};
    Case made = translate("tests/end-to-end/cilk/cuts.c", "all(11)", NULL);
    expect(&made, "apu8", many, 64);
    call_instead(&made, ANSWER("turns(5)", "16"));
    expect(&made, "titanv", cycle, 32);
    end(&made);
}

/* -- the command -- */

static char folder[] = "/tmp/warpbeam-test-cilk-XXXXXX";

static void say(const char *arguments, int status, const char *said)
{
    static char output[1 << 14];
    char command[1024];
    snprintf(command, sizeof command, "cd %s && '%s/bin/warpbeam' cilk %s 2>&1", folder, shell_build_folder(),
             arguments);
    assert_int_equal(shell_run(command, output, sizeof output), status);
    if (!strstr(output, said))
        fail_msg("'%s' is not said by %s:\n%s", said, arguments, output);
}

static void test_the_command_translates_and_runs(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    shell_write(folder, "p.c", "int f(int n)\n{\n    if (n < 1) return 1;\n"
                               "    int x = cilk_spawn f(n - 1);\n    cilk_sync;\n    return x + n;\n}\n"
                               "float twice(float x) { return 2 * x; }\n");
    shell_write(folder, "bad.c", "int f(int n)\n{\n    goto out;\n}\n");
    shell_write(folder, "other.ptx", ".version 7.0\n.target sm_50\n.address_size 64\n");
    say("p.c --call 'f(3)' --host", 0, "f(3) = 7\n");
    say("p.c", 2, "--call 'FUNCTION(ARGUMENTS)'");
    say("p.c --host", 2, "--call 'FUNCTION(ARGUMENTS)'");
    say("p.c --call 'g(3)'", 2, "g");
    say("p.c --call 'f(3)' --levels 0", 2, "--levels takes 1 to");
    say("bad.c --call 'f(3)'", 1, "bad.c:3:5: ");
    say("other.ptx --call 'f(3)'", 1, "it does not begin with a graph");
    say("other.ptx -o x.ptx", 2, "is translated already");
    say("p.c -o p.cu", 0, "p.cu is written");
    if (has_clang()) {
        say("p.c -o p.ptx --levels 5", 0, "p.ptx is written");
        say("p.ptx --call 'f(4)' --gpu apu8 --functional --width 64", 0, "f(4) = 11\n");
        say("p.ptx --call 'f(5)' --gpu apu8 --functional", 1, "(p.c:4)");
        say("p.ptx --call 'twice(2)' --gpu apu8", 2, "twice");
    }
    char said[16], command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(shell_run(command, said, sizeof said), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fib),
        cmocka_unit_test(test_queens),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_strassen),
        cmocka_unit_test(test_matmul),
        cmocka_unit_test(test_nbody),
        cmocka_unit_test(test_knapsack),
        cmocka_unit_test(test_heat),
        cmocka_unit_test(test_lanes_that_reserve_alone_stay_together),
        cmocka_unit_test(test_functions_that_are_cut_in_all_ways),
        cmocka_unit_test(test_the_command_translates_and_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
