/* Graphs from files: good ones of every form, a table of bad ones with the line that is to blame, the way
 * there and back, and bytes by chance. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graphs/dice.h"
#include "graphs/generate.h"
#include "graphs/graph_files.h"

static const GraphFileOptions defaults;

static bool read_text(const char *name, const char *text, const GraphFileOptions *options, Graph *graph,
                      InputError *error)
{
    *error = (InputError){0};
    return graph_read_bytes(text, strlen(text), name, options, graph, error);
}

/* The rows as text, "0: 1 2(7)": a weight in brackets. */
static const char *show(const Graph *graph)
{
    static char text[512];
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t v = 0; v < graph->vertices; v++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%u:", v ? " " : "", v);
        for (uint32_t i = graph->starts[v]; i < graph->starts[v + 1]; i++) {
            at += (size_t)snprintf(text + at, sizeof text - at, " %u", graph->columns[i]);
            if (graph->weights)
                at += (size_t)snprintf(text + at, sizeof text - at, "(%u)", graph->weights[i]);
        }
    }
    return text;
}

typedef struct Good {
    const char *name, *text, *rows;
    GraphFileOptions options;
} Good;

static const Good good[] = {
    {"a.mtx",
     "%%MatrixMarket matrix coordinate pattern general\n% note\n\n3 3 2\n1 2\n3 1\n",
     "0: 1 1: 2: 0",
     {0}},
    {"a.mtx",
     "%%matrixmarket MATRIX Coordinate Integer Symmetric\r\n3 3 3\r\n2 1 5\r\n3 3 4\r\n3 2 -7\r\n",
     "0: 1(5) 1: 0(5) 2(7) 2: 1(7) 2(4)",
     {0}},
    {"a.mtx",
     "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 .25\n1 2 -1.5e-1\n2 1 1e-9",
     "0: 0(250) 1(150) 1: 0(1)",
     {0}},
    {"a.mtx",
     "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2.5E+2\n",
     "0: 0(250)",
     {.weight_scale = 1}},
    {"banner-wins.txt", "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n", "0:", {0}},
    {"a.mtx",
     "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 99999999999999999999\n",
     "0: 0(2147483647)",
     {0}},
    {"a.gr", "c road\np sp 3 3\na 1 2 10\nc middle\na 2 1 10\n\na 3 3 0\n", "0: 1(10) 1: 0(10) 2: 2(0)", {0}},
    {"unknown", "c a comment tells\np sp 2 1\na 2 1 4", "0: 1: 0(4)", {0}},
    {"a.graph", "% note\n4 2\n2\n1 3\n2\n\n", "0: 1 1: 0 2 2: 1 3:", {0}},
    {"a.graph", "2 1 001\n2 9\n1 9\n", "0: 1(9) 1: 0(9)", {0}},
    {"a.graph", "2 1 111 2\n 7 8 9 2 5 \n% here too\n7 8 9 1 5\n\n", "0: 1(5) 1: 0(5)", {0}},
    {"a.graph", "2 2\n1 2\n1\n", "0: 0 1 1: 0", {0}},
    {"a.graph", "0 0\n", "", {0}},
    {"a.el", "# note\n% other\n0 2\n\n2\t1\n", "0: 2 1: 2: 1", {0}},
    {"a.csv", "1,2,3.6\n2, 1, 0\n", "0: 1(4) 1: 0(0)", {.one_based = true}},
    {"a.el", "# vertices 4\n0 1", "0: 1 1: 2: 3:", {0}},
    {"a.el", "", "", {0}},
    {"a.el", "0 1 5\n1 0 3\n0 0 1\n", "0: 1(3) 1: 0(3)", {.graph = {true, true, true}}},
    {"a.mtx", "0 1\n", "0: 1 1:", {.form = GRAPH_FORM_EDGE_LIST}},
};

static void test_good_files_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        Graph graph;
        InputError error;
        if (!read_text(good[i].name, good[i].text, &good[i].options, &graph, &error))
            fail_msg("%zu: %s", i, error.text);
        assert_string_equal(show(&graph), good[i].rows);
        graph_discard(&graph);
    }
}

#define BANNER "%%MatrixMarket matrix coordinate "

typedef struct Bad {
    const char *name, *text;
    int line;
    const char *reason;
} Bad;

static const Bad bad[] = {
    {"a.mtx", "", 1, "expected the banner of a Matrix Market file (%%MatrixMarket), found ''."},
    {"a.mtx", "3 3 1\n1 1\n", 1, "found '3'"},
    {"a.mtx", "%%MatrixMarket tensor\n", 1, "expected the object of the file (matrix), found 'tensor'."},
    {"a.mtx", "%%MatrixMarket matrix array real general\n", 1, "the form of the matrix (coordinate)"},
    {"a.mtx", BANNER "complex general\n", 1, "(pattern, integer, real, double), found 'complex'"},
    {"a.mtx", BANNER "real hermitian\n", 1, "(general, symmetric, skew-symmetric), found 'hermitian'"},
    {"a.mtx", BANNER "real general now\n", 1, "the end of the line after the banner, found 'now'"},
    {"a.mtx", BANNER "real general\n%\n", 3, "the number of rows"},
    {"a.mtx", BANNER "real general\n\n3 4 1\n", 3, "3 rows and 4 columns"},
    {"a.mtx", BANNER "real general\n3 3\n", 2, "the number of entries: a whole number from 0 to 4294967295"},
    {"a.mtx", BANNER "real general\n999999999999 1 1\n", 2, "found 999999999999."},
    {"a.mtx", BANNER "real general\n2 2 1\n0 1 1\n", 3, "a row: a whole number from 1 to 2, found 0."},
    {"a.mtx", BANNER "real general\n2 2 1\n1 3 1\n", 3, "a column: a whole number from 1 to 2, found 3."},
    {"a.mtx", BANNER "real general\n2 2 1\n1 2\n", 3, "a value: a number, found the end of the line."},
    {"a.mtx", BANNER "real general\n2 2 1\n1 2 1.2.3\n", 3, "found '1.2.3'"},
    {"a.mtx", BANNER "real general\n2 2 1\n1 2 1e\n", 3, "found '1e'"},
    {"a.mtx", BANNER "real general\n2 2 1\n1 2 nan\n", 3, "found 'nan'"},
    {"a.mtx", BANNER "pattern general\n2 2 1\n1 2 7\n", 3, "the end of the line after the entry, found '7'"},
    {"a.mtx", BANNER "pattern general\n2 2 2\n1 2\n", 4,
     "expected 2 entries, found the end of the file after 1"},
    {"a.mtx", BANNER "pattern general\n2 2 1\n1 2\n% c\n2 1\n", 5, "the end of the file after 1 entries"},
    {"a.gr", "c only\n", 2, "the problem line"},
    {"a.gr", "a 1 2 3\n", 1, "before the first arc"},
    {"a.gr", "p max 3 1\n", 1, "expected 'sp', a shortest-path problem, found 'max'."},
    {"a.gr", "p sp 3 1\nc\np sp 3 1\n", 3, "found a second one"},
    {"a.gr", "p sp 3 x\n", 1, "the number of arcs"},
    {"a.gr", "p sp 3 1\na 1 4 1\n", 2, "a vertex: a whole number from 1 to 3, found 4."},
    {"a.gr", "p sp 3 1\na 1 -2 1\n", 2, "found '-2'"},
    {"a.gr", "p sp 3 1\na 1 2 -1\n", 2, "a weight that is not negative, found -1."},
    {"a.gr", "p sp 3 1\na 1 2\n", 2, "a weight: a number, found the end of the line."},
    {"a.gr", "p sp 3 1\ne 1 2\n", 2, "a line that begins with c, p or a, found 'e'."},
    {"a.gr", "p sp 3 1\na 1 2 3\na 1 2 3\n", 3, "expected 1 arcs as the problem line says, found more."},
    {"a.gr", "p sp 3 2\na 1 2 3\n", 3, "expected 2 arcs, found the end of the file after 1."},
    {"a.graph", "% empty\n", 2, "the number of vertices"},
    {"a.graph", "3\n", 1, "the number of edges"},
    {"a.graph", "3 1 5\n", 1, "three digits that are 0 or 1, found 5."},
    {"a.graph", "3 1 0 0 0\n", 1, "the end of the line after the sizes"},
    {"a.graph", "2 1\n2\n", 3, "a line for each of 2 vertices, found the end of the file after 1."},
    {"a.graph", "2 1\n3\n1\n", 2, "a neighbour: a whole number from 1 to 2, found 3."},
    {"a.graph", "2 1 1\n2\n1\n", 2, "the weight of an edge: a number, found the end of the line."},
    {"a.graph", "2 1 10\n\n1\n", 2, "a size or weight of the vertex"},
    {"a.graph", "2 1\n2\n1\n1\n", 4, "the end of the file after 2 vertices, found '1'"},
    {"a.graph", "2 2\n2\n1\n", 4,
     "expected 2 edges, each in the lines of both its ends, found 2 neighbours."},
    {"a.el", "0 1\n0\n", 2, "a vertex: a whole number from 0 to 134217727, found the end of the line."},
    {"a.el", "0 1\nx y\n", 2, "found 'x'"},
    {"a.el", "0 1\n0 1.5\n", 2, "found '1.5'"},
    {"a.el", "0 1\n0 1 2\n", 2, "expected no weight, as the first edge has it, found '2'."},
    {"a.el", "0 1 2\n\n0 1\n", 3, "expected a weight, as the first edge has it, found the end of the line."},
    {"a.el", "0 1 2 3\n", 1, "the end of the line after the edge, found '3'"},
    {"a.el", "0 1 -2\n", 1, "a weight that is not negative, found -2."},
    {"a.el", "0 134217728\n", 1, "found 134217728."},
    {"a.el", "0 99999999999999999999999\n", 1, "found '99999999999999999999999'"},
    {"a.el", "# vertices 134217729\n", 1, "found 134217729."},
    {"a.el", "\x01\xFF 2\n", 1, "found '?\?'"},
};

static void test_bad_files_are_refused_with_their_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Graph graph;
        InputError error;
        char place[32];
        snprintf(place, sizeof place, "%s:%d: expected ", bad[i].name, bad[i].line);
        assert_false(read_text(bad[i].name, bad[i].text, &defaults, &graph, &error));
        if (strncmp(error.text, place, strlen(place)) != 0 || !strstr(error.text, bad[i].reason))
            fail_msg("%zu: expected \"%s...%s\", got \"%s\"", i, place, bad[i].reason, error.text);
        assert_null(graph.starts);
    }
}

static void test_vertices_count_from_one_if_asked(void **state)
{
    (void)state;
    Graph graph;
    InputError error;
    const GraphFileOptions options = {.one_based = true};
    assert_false(read_text("a.el", "1 2\n0 1\n", &options, &graph, &error));
    assert_string_equal(error.text,
                        "a.el:2: expected a vertex: a whole number from 1 to 134217728, found 0.");
}

static void test_the_limit_of_vertices_is_an_option(void **state)
{
    (void)state;
    Graph graph;
    InputError error;
    const GraphFileOptions options = {.most_vertices = 10};
    assert_false(read_text("a.gr", "p sp 11 0\n", &options, &graph, &error));
    assert_non_null(strstr(error.text, "from 0 to 10, found 11."));
    assert_false(read_text("a.el", "0 10\n", &options, &graph, &error));
    assert_true(read_text("a.el", "0 9\n", &options, &graph, &error));
    assert_int_equal(graph.vertices, 10);
    graph_discard(&graph);
}

static void test_files_that_cannot_be_read_are_named(void **state)
{
    (void)state;
    Graph graph;
    InputError missing = {0}, folder = {0}, packed = {0};
    assert_false(graph_read("no/such/file.mtx", &defaults, &graph, &missing));
    assert_string_equal(missing.text,
                        "The graph 'no/such/file.mtx' cannot be opened: No such file or directory.");
    assert_false(graph_read(".", &defaults, &graph, &folder));
    assert_non_null(strstr(folder.text, "Is a directory"));
    assert_false(graph_read_bytes("\x1f\x8b\x08", 3, "a.mtx.gz", &defaults, &graph, &packed));
    assert_non_null(strstr(packed.text, "unpack it first"));
}

static void go_and_return(Graph *graph)
{
    char path[] = "/tmp/warpbeam-graph-XXXXXX.el";
    const int descriptor = mkstemps(path, 3);
    InputError error = {0};
    Graph again;
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_true(graph_write_edges(graph, path, &error));
    assert_true(graph_read(path, &defaults, &again, &error));
    unlink(path);
    assert_int_equal(graph_fingerprint(graph), graph_fingerprint(&again));
    graph_discard(&again);
}

/* The file of the largest is larger than the window through which files are read. */
static void test_written_graphs_read_back_the_same(void **state)
{
    (void)state;
    for (int i = 0; i < GRAPH_GENERATORS; i++) {
        Graph graph;
        InputError error = {0};
        assert_true(graph_generate(graph_generators[i].name, INPUT_SMALL, 3, &graph, &error));
        go_and_return(&graph);
        free(graph.weights);
        graph.weights = NULL;
        go_and_return(&graph);
        graph_discard(&graph);
    }
}

static void test_nothing_is_written_where_nothing_can_be(void **state)
{
    (void)state;
    InputError error = {0};
    const Graph none = {0};
    assert_false(graph_write_edges(&none, "no/such/folder/a.el", &error));
    assert_non_null(strstr(error.text, "no/such/folder/a.el"));
}

/* Bytes changed, cut and repeated at random: the reader answers with a graph or a sentence. */
static void test_any_bytes_are_safe(void **state)
{
    (void)state;
    enum { ROUNDS = 20000, SIZE = 128 };
    const GraphFileOptions small = {.most_vertices = 1000};
    static const char alphabet[] = "0123456789 \n%#.-eapc,";
    Dice dice = {7};
    for (int round = 0; round < ROUNDS; round++) {
        char text[SIZE];
        const Good *from = &good[dice_below(&dice, sizeof good / sizeof *good)];
        size_t size = strlen(from->text);
        assert_true(size < SIZE);
        memcpy(text, from->text, size);
        for (uint32_t change = dice_below(&dice, 4); size && change > 0; change--)
            text[dice_below(&dice, (uint32_t)size)] = dice_chance(&dice, 1, 8)
                                                          ? (char)dice_next(&dice)
                                                          : alphabet[dice_below(&dice, sizeof alphabet)];
        if (dice_chance(&dice, 1, 4))
            size = dice_below(&dice, (uint32_t)size + 1);
        char *exact = malloc(size + 1); /* so that the sanitizer sees a byte read too far */
        memcpy(exact, text, size);
        exact = realloc(exact, size ? size : 1);
        Graph graph;
        InputError error = {0};
        const bool read = graph_read_bytes(exact, size, from->name, &small, &graph, &error);
        assert_true(read == !input_failed(&error));
        assert_true(!read || graph.starts[graph.vertices] == graph.edges);
        graph_discard(&graph);
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_files_are_read),
        cmocka_unit_test(test_bad_files_are_refused_with_their_line),
        cmocka_unit_test(test_vertices_count_from_one_if_asked),
        cmocka_unit_test(test_the_limit_of_vertices_is_an_option),
        cmocka_unit_test(test_files_that_cannot_be_read_are_named),
        cmocka_unit_test(test_written_graphs_read_back_the_same),
        cmocka_unit_test(test_nothing_is_written_where_nothing_can_be),
        cmocka_unit_test(test_any_bytes_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
