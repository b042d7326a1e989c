/* What the tree of a Cilk program says is what the program says: both are compiled, called and compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cilk/host.h"
#include "cilk_print.h"

static char folder[] = "/tmp/warpbeam-test-cilk-XXXXXX";

/* Programs, their calls, and what those return, where somebody else knows. */
static const struct {
    const char *path, *name, *call;
    const char *expected;
} programs[] = {
    {"tests/unit/cilk/syntax.c", "syntax", "(5)", NULL},
    {"workloads/cilk/fib.c", "fib", "(20)", "6765"},
    {"workloads/cilk/queens.c", "queens", "(9)", "352"},
    {"workloads/cilk/sort.c", "sort", "(10000)", "sorted(10000)"},
    {"workloads/cilk/matmul.c", "matmul", "(64)", "multiplied(64)"},
    {"workloads/cilk/strassen.c", "strassen", "(64)", "multiplied(64)"},
    {"workloads/cilk/knapsack.c", "knapsack", "(22)", "packed(22)"},
    {"workloads/cilk/heat.c", "heat", "(32, 5)", "spread(32, 5)"},
    {"workloads/cilk/nbody.c", "nbody", "(200, 2)", NULL},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* The same results, by other ways. */
static const char other_ways[] =
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "static int compare(const void *a, const void *b)\n"
    "{ unsigned x = *(const unsigned *)a, y = *(const unsigned *)b; return x < y ? -1 : x > y; }\n"
    "static unsigned scramble(unsigned x)\n"
    "{ x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }\n"
    "static unsigned hash(const unsigned *items, int low, int high)\n"
    "{ unsigned sum = 1; int middle = low + (high - low) / 2;\n"
    "  if (high - low > 64) return (hash(items, low, middle) * 0x9e3779b1u + hash(items, middle, high)) | 1;\n"
    "  for (int i = low; i < high; i++) sum = sum * 31 + items[i];\n"
    "  return sum | 1; }\n"
    "static unsigned sorted(int n)\n"
    "{ static unsigned items[1 << 20]; for (int i = 0; i < n; i++) items[i] = scramble(i) >> 8;\n"
    "  qsort(items, n, sizeof *items, compare); return hash(items, 0, n); }\n"
    "static int number(unsigned at) { return ((int)((at * 2654435761u) >> 30) - 1) * (at % 3 != 0); }\n"
    "static unsigned multiplied(int n)\n"
    "{ unsigned sum = 0;\n"
    "  for (int r = 0; r < n; r++) for (int c = 0; c < n; c++) { int product = 0;\n"
    "    for (int i = 0; i < n; i++) product += number(r * n + i) * number((i * n + c) * 7u + 3);\n"
    "    sum += (unsigned)product * ((r * n + c) * 40503u + 1); }\n"
    "  return sum; }\n"
    "static int packed(int n)\n"
    "{ static int best[4096]; unsigned state = 12345; int room = n * 25;\n"
    "  for (int i = 0; i < n; i++) { state = state * 1664525u + 1013904223u;\n"
    "    int weight = 10 + (int)(state >> 24) % 90, worth = weight + 10 + (int)(state >> 16 & 255) % 20;\n"
    "    for (int w = room; w >= weight; w--)\n"
    "      if (best[w - weight] + worth > best[w]) best[w] = best[w - weight] + worth; }\n"
    "  return best[room]; }\n"
    "static double rows(double (*g)[64], int row, int count, int n)\n"
    "{ if (count > 1) return rows(g, row, count / 2, n) + rows(g, row + count / 2, count - count / 2, n);\n"
    "  double sum = 0; for (int c = 0; c < n; c++) sum += g[row][c]; return sum; }\n"
    "static double spread(int n, int steps)\n"
    "{ static double g[2][64][64];\n"
    "  for (int r = 0; r < n; r++) for (int c = 0; c < n; c++) { double x = c * 1.0 / n, y = r * 1.0 / n;\n"
    "    g[0][r][c] = g[1][r][c] = !r || !c ? 1 + x * y : x * (1 - y); }\n"
    "  for (int s = 0; s < steps; s++) for (int r = 1; r < n - 1; r++) for (int c = 1; c < n - 1; c++) {\n"
    "    double (*o)[64] = g[s % 2]; double around = o[r - 1][c] + o[r + 1][c] + o[r][c - 1] + o[r][c + 1];\n"
    "    g[1 - s % 2][r][c] = o[r][c] * 0.5 + around * 0.125; }\n"
    "  return rows(g[steps % 2], 0, n, n); }\n";

static CilkProgram *read_program(const char *path)
{
    Error error = {0};
    char whole[512];
    snprintf(whole, sizeof whole, SOURCE_DIRECTORY "/%s", path);
    CilkProgram *program = cilk_read(whole, &error);
    if (!program)
        fail_msg("%s", error.text);
    return program;
}

static FILE *begin(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s.c", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    return file;
}

/* A file with the program and its tree, and a function that says what both return. */
static void write_pair(int index)
{
    const char *name = programs[index].name, *call = programs[index].call;
    CilkProgram *program = read_program(programs[index].path);
    FILE *file = begin(name);
    fprintf(file, "#define cilk_spawn\n#define cilk_sync\n#define _Cilk_spawn\n#define _Cilk_sync\n"
            "#include \"" SOURCE_DIRECTORY "/%s\"\n", programs[index].path);
    cilk_print(file, program);
    fprintf(file, "void pair_%s(double *both) { both[0] = %s%s; both[1] = tree_%s%s; }\n", name, name, call, name,
            call);
    fclose(file);
    cilk_free(program);
}

static void write_main(void)
{
    FILE *file = begin("main");
    fputs(other_ways, file);
    fputs("int main(void)\n{ double both[2]; int failures = 0;\n", file);
    for (int i = 0; i < PROGRAMS; i++) {
        const char *name = programs[i].name, *expected = programs[i].expected;
        fprintf(file, "extern void pair_%s(double *); pair_%s(both);\n"
                "if (both[0] != both[1] || both[0] != (%s)) { failures++; fprintf(stderr, \"%s%s: %%.17g, by its "
                "tree %%.17g, not %%.17g\\n\", both[0], both[1], (double)(%s)); }\n", name, name,
                expected ? expected : "both[0]", name, programs[i].call, expected ? expected : "both[0]");
    }
    fputs("return failures; }\n", file);
    fclose(file);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void trees_compute_what_programs_do(void **state)
{
    (void)state;
    char command[512];
    for (int i = 0; i < PROGRAMS; i++)
        write_pair(i);
    write_main();
    snprintf(command, sizeof command,
             "cd %s && cc -std=gnu17 -O1 -w -fwrapv -fno-strict-aliasing -ffp-contract=off *.c -o all -lm && ./all",
             folder);
    assert_int_equal(system(command), 0);
}

/* The program on the host, as users call it. */
static void run_on_host(const char *text, const char *call_text, const char *expected)
{
    char path[128], result_text[CILK_VALUE_TEXT];
    snprintf(path, sizeof path, "%s/on host's.c", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    Error error = {0};
    CilkCall call;
    CilkValue result;
    CilkProgram *program = cilk_read(path, &error);
    assert_string_equal(error.text, "");
    assert_int_equal(cilk_call_parse(program, call_text, &call, &error), WB_OK);
    cilk_host_run(path, &call, &result, &error);
    assert_string_equal(error.text, "");
    if (expected)
        assert_string_equal(cilk_value_text(&result, result_text), expected);
    else
        assert_null(result.type);
    cilk_free(program);
    remove(path);
}

static void the_host_runs_the_elision(void **state)
{
    (void)state;
    run_on_host("#include <cilk/cilk.h>\n"
                "static float half(float x) { return x / 2; }\n"
                "static double printf(double a, float b, long c, _Bool d)\n"
                "{ float x = cilk_spawn half(b); cilk_sync; return a + x + c + d; }\n"
                "int main(void) { return 1; }\n",
                "printf(-0.25, 1.0f / 4, 1l << 40, 7)", "1099511627776.875");
    run_on_host("void nothing(void) {}\n", "nothing()", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_compute_what_programs_do),
        cmocka_unit_test(the_host_runs_the_elision),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
