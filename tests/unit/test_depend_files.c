/* Dependency graphs from text: lists and DOT of every form, a table of bad ones with the line that is to
 * blame, the way there and back, and words by chance. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "depend/graph.h"
#include "graphs/dice.h"

static WbStatus read_text(GraphDraft *draft, const char *text, Error *error)
{
    /* A copy that ends where the text does, for the sanitizer to watch over. */
    const size_t length = strlen(text);
    char *copy = malloc(length ? length : 1);
    memcpy(copy, text, length);
    const WbStatus status = draft_read(draft, "file", copy, length, error);
    free(copy);
    return status;
}

static void assert_edges(const GraphDraft *draft, const char *edges)
{
    char text[512] = "";
    for (uint32_t e = 0, used = 0; e < draft->edges.count; e++)
        used += (uint32_t)snprintf(text + used, sizeof text - used, "%s%u>%u", e ? " " : "",
                                   draft->edges.items[e].parent, draft->edges.items[e].child);
    assert_string_equal(text, edges);
}

typedef struct Good {
    const char *text, *edges;
    uint32_t blocks, joins;
} Good;

static void check_good(const Good *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        GraphDraft draft = {0};
        Error error = {0};
        if (read_text(&draft, cases[i].text, &error) != WB_OK)
            fail_msg("%s\n%s", cases[i].text, error.text);
        assert_edges(&draft, cases[i].edges);
        assert_int_equal(draft.block_count, cases[i].blocks);
        assert_int_equal(draft.node_count - draft.block_count, cases[i].joins);
        draft_free(&draft);
    }
}

static void lists_are_read(void **state)
{
    (void)state;
    static const Good cases[] = {
        {"0 1\n1 2\n", "0>1 1>2", 3, 0},
        {"0 1", "0>1", 2, 0},
        {"\n# a comment\n% another\n\n  7\t3 \r\n0,1\n4 , 5\n5->6\n6 -> 7 # why\n", "7>3 0>1 4>5 5>6 6>7", 8,
         0},
        {"3 3\n", "3>3", 4, 0}, /* a cycle, but that is another's business */
        {"0 000000000000000000000000000012\n", "0>12", 13, 0},
        {"# blocks 5 joins 2\n0 6\n", "0>6", 5, 2},
        {"# blocks 6 joins 1\r\n# grid 3 2 1\r\n0 6\r\n", "0>6", 6, 1},
        {"# blocks 5 joins 0\n", "", 5, 0},
        /* Only what is written as we write it states anything. */
        {"# blocks 5\n# blocks of wood\n# grid 4 4\n# grid world\n# joins 3\n#blocks 9 joins 1\n0 1\n", "0>1",
         2, 0},
        {"# grid 4 4 1 1\n# grid 99999999999 1 1\n% blocks 9 joins 9\n0 1\n", "0>1", 2, 0},
        {"# grid 2 2 2\n0 1\n", "0>1", 8, 0},
    };
    check_good(cases, sizeof cases / sizeof *cases);
}

static void dot_is_read(void **state)
{
    (void)state;
    static const Good cases[] = {
        {"digraph { 0 -> 1 }", "0>1", 2, 0},
        {"strict digraph wave {\n  0 -> 1 -> 2 [color=red, label=\"a ] b\"];\n 2->0\n}\n", "0>1 1>2 2>0", 3,
         0},
        {"DiGraph \"3\" { 5; 6 [label=x]; 1 -> 2; }", "1>2", 7, 0},
        {"digraph { 0 -> {1 2; 3} -> 4 }", "0>1 0>2 0>3 1>4 2>4 3>4", 5, 0},
        {"digraph { {0 1} -> {2 3} }", "0>2 0>3 1>2 1>3", 4, 0},
        {"digraph { 9 -> {1 -> 2 {3}} }", "1>2 9>1 9>2 9>3", 10, 0},
        {"digraph { subgraph cluster_0 { label=\"x\"; 0 -> 1 } subgraph { 1 -> 2 } -> 3 }", "0>1 1>2 1>3 2>3",
         4, 0},
        {"// a\n/* b\n -> */ # c\ndigraph{graph[rankdir=LR]node [shape=box][x=y];edge[a];\"1\"->\"2\"}",
         "1>2", 3, 0},
        {"digraph { rankdir=LR; \"a b\"=c; 0 -> 1 }", "0>1", 2, 0},
        {"digraph { 0 -> 1 [label=<<b>x</b> ] >] ; 1:n -> 2:port:sw }", "0>1 1>2", 3, 0},
        {"digraph { 0 -> 1 [label=\"\\\" ] \\\\\"] 1 -> 2 [weight=-1.5] }", "0>1 1>2", 3, 0},
        {"digraph { blocks=4; joins=2; grids=\"2 2 1\"; 0 -> 5 }", "0>5", 4, 2},
        {"digraph { 0 -> 5 graph [blocks=4, joins=2] }", "0>5", 4, 2},
        {"digraph { blocks=many; grids=\"no\"; subgraph { blocks=9; joins=9 } 0 -> 5 }", "0>5", 6, 0},
        {"digraph { grids=\"2 2 1 3 1 1\"; 0 -> 5 }", "0>5", 7, 0},
    };
    check_good(cases, sizeof cases / sizeof *cases);
}

typedef struct Bad {
    const char *text, *sentence;
} Bad;

static void bad_text_is_refused(void **state)
{
    (void)state;
    static const Bad cases[] = {
        {"", "file:1: the text names no node"},
        {"# nothing\n\n", "file:3: the text names no node"},
        {"0 1\n2\n", "file:2: a blank and the number of a child is expected, but the line ends"},
        {"0 1\n2 ", "file:2: the number of a node is expected, but the text ends"},
        {"0 1 2\n", "file:1: the end of the line behind parent and child is expected, not \"2\""},
        {"0 1\n\n1 x\n", "file:3: the number of a node is expected, not \"x\""},
        {"0 -1\n", "file:1: the number of a node is expected, not \"-1\""},
        {"0 \x80\n", "file:1: the number of a node is expected, not a byte of value 128"},
        {"0 4294967293\n", "file:1: the number 4294967293 is too large; nodes go up to 4294967292"},
        {"0 99999999999999999999999999\n", "file:1: the number 99999999999999999999999999 is too large"},
        {"# blocks 4294967293 joins 0\n0 1\n", "file:1: the number 4294967293 is too large"},
        {"0 1\n# blocks 2 joins 4294967292\n", "file:2: 2 blocks and 4294967292 joins are more than"},
        {"# blocks 0 joins 1\n", "file:1: a dependency graph has at least one block"},
        {"# grid 2 0 1\n0 1\n", "file:1: A grid of 2 x 0 x 1 blocks"},
        {"# blocks 3 joins 0\n# grid 2 2 1\n",
         "file:1: the text is about 3 blocks, but the grids of this graph have 4"},
        {"# blocks 3 joins 1\n0 1\n\n4 1\n5 1\n5 2\n",
         "file:5: there is no node 5: the graph has 4 (3 blocks and 1 joins)"},
        {"hello 1 2\n", "file:1: \"digraph\", or a list of edges is expected, not \"hello\""},
        {"\ngraph { 0 -- 1 }", "file:2: the graph is undirected"},
        {"digraph { 0 -> 1;\n 0 -- 1 }", "file:2: the graph is undirected"},
        {"digraph\n{\n0 -> a }", "file:3: the number of a node or a subgraph is expected, not \"a\""},
        {"digraph {\n a -> 0 }", "file:2: a number for the name of a node is expected, not \"a\""},
        {"digraph {\n 1.5 -> 0 }", "file:2: a number for the name of a node is expected, not \"1.5\""},
        {"digraph {\n -1 }", "file:2: a number for the name of a node is expected, not \"-1\""},
        {"digraph {\n \"\" }", "file:2: a number for the name of a node is expected"},
        {"digraph { 0 -> 1", "file:1: a statement or } is expected, but the text ends"},
        {"digraph { 0 -> { 1 }", "file:1: a statement or } is expected, but the text ends"},
        {"digraph { 0 -> 1 } 2", "file:1: the end of the text behind the graph is expected, not \"2\""},
        {"digraph { 0 -> }", "file:1: the number of a node or a subgraph is expected, not \"}\""},
        {"digraph 0 -> 1", "file:1: { and the nodes of the graph is expected, not \"->\""},
        {"digraph { 0 -> 1 [a=] }", "file:1: an attribute's value is expected, not \"]\""},
        {"digraph { 0 -> 1 [a }", "file:1: an attribute or ] is expected, not \"}\""},
        {"digraph { 0: -> 1 }", "file:1: the name of a port is expected, not \"->\""},
        {"digraph { node 1 }", "file:1: [ and attributes is expected, not \"1\""},
        {"digraph { 0 ? 1 }", "file:1: a statement of DOT is expected, not \"?\""},
        {"digraph {\n\"1 }", "file:2: the text that begins here has no end: the second quote is missing"},
        {"digraph {\n0 [a=<<b>] }", "file:2: the text that begins here has no end: > is missing"},
        {"digraph {\n0 /* }", "file:2: this comment has no end"},
        {"/* digraph", "file:1: this comment has no end"},
        {"digraph { joins=1; 0 -> 1 }", "file:1: joins are stated without the number of blocks"},
        {"digraph { }", "file:1: the text names no node"},
        {"digraph {\n 4294967293 }", "file:2: the number 4294967293 is too large"},
        {"digraph { subgraph a -> 1 }", "file:1: { and the nodes of a subgraph is expected, not \"->\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GraphDraft draft = {0};
        Error error = {0};
        assert_int_equal(read_text(&draft, cases[i].text, &error), WB_ERROR_ARGUMENT);
        if (strncmp(error.text, cases[i].sentence, strlen(cases[i].sentence)))
            assert_string_equal(error.text, cases[i].sentence);
        assert_int_equal(draft.node_count, 0);
        assert_int_equal(draft.grids.count, 0);
        assert_int_equal(draft.edges.count, 0);
        draft_free(&draft);
    }
}

static void deep_subgraphs_are_refused(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    GraphDraft draft = {0};
    Error error = {0};
    char *text = malloc(DEPTH + 10);
    strcpy(text, "digraph {");
    memset(text + 9, '{', DEPTH);
    assert_int_equal(draft_read(&draft, "file", text, DEPTH + 9, &error), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "subgraphs lie more than 200 deep"));
    free(text);
    draft_free(&draft);
}

/* Into a draft with grids goes only what fits them, and nothing of what does not. */
static void grids_are_kept(void **state)
{
    (void)state;
    GraphDraft draft = {0};
    Error error = {0};
    assert_int_equal(draft_add_grid(&draft, (uint32_t[]){2, 2, 1}, NULL, &error), WB_OK);
    assert_int_equal(read_text(&draft, "0 1\n", &error), WB_OK);
    assert_int_equal(read_text(&draft, "digraph { 1 -> 3 }", &error), WB_OK);
    assert_int_equal(read_text(&draft, "# nothing more\n", &error), WB_OK);
    assert_edges(&draft, "0>1 1>3");
    assert_int_equal(read_text(&draft, "0 2\n\n2 4\n", &error), WB_ERROR_ARGUMENT);
    assert_string_equal(
        error.text, "file:3: there is no node 4: the graph has 4 (4 blocks and 0 joins), counted from 0.");
    error_clear(&error);
    assert_int_equal(read_text(&draft, "# blocks 8 joins 1\n0 2\n", &error), WB_ERROR_ARGUMENT);
    assert_non_null(
        strstr(error.text, "file:1: the text is about 8 blocks, but the grids of this graph have 4"));
    error_clear(&error);
    assert_int_equal(draft.node_count, 4);
    assert_edges(&draft, "0>1 1>3");
    /* Joins come where they are missing. */
    assert_int_equal(read_text(&draft, "# blocks 4 joins 2\n2 5\n", &error), WB_OK);
    assert_int_equal(draft.node_count, 6);
    assert_int_equal(read_text(&draft, "# blocks 4 joins 1\n2 4\n", &error), WB_OK);
    assert_int_equal(draft.node_count, 6);
    assert_edges(&draft, "0>1 1>3 2>5 2>4");
    draft_free(&draft);
}

static void check_there_and_back(const GraphDraft *draft, void (*write)(const GraphDraft *, FILE *))
{
    char *text;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    write(draft, to);
    fclose(to);
    GraphDraft again = {0};
    Error error = {0};
    assert_int_equal(draft_read(&again, "again", text, length, &error), WB_OK);
    assert_int_equal(again.block_count, draft->block_count);
    assert_int_equal(again.node_count, draft->node_count);
    assert_int_equal(again.grids.count, draft->grids.count);
    assert_memory_equal(again.grids.items, draft->grids.items, draft->grids.count * sizeof(GraphGrid));
    assert_int_equal(again.edges.count, draft->edges.count);
    if (draft->edges.count)
        assert_memory_equal(again.edges.items, draft->edges.items, draft->edges.count * sizeof(GraphEdge));
    free(text);
    draft_free(&again);
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    GraphDraft draft = {0};
    Error error = {0};
    assert_int_equal(draft_add_grid(&draft, (uint32_t[]){4, 3, 2}, NULL, &error), WB_OK);
    check_there_and_back(&draft, draft_write_edges);
    check_there_and_back(&draft, draft_write_dot);
    assert_int_equal(draft_add_grid(&draft, (uint32_t[]){200, 1, 1}, NULL, &error), WB_OK);
    assert_int_equal(draft_barrier(&draft, (NodeRow){0, 24, 1}, (NodeRow){24, 200, 1}, &error), WB_OK);
    assert_int_equal(draft_add_edge(&draft, 7, 223, &error), WB_OK);
    check_there_and_back(&draft, draft_write_edges);
    check_there_and_back(&draft, draft_write_dot);
    draft_free(&draft);
}

/* Words of both languages in any order: read or refused with file and line, never anything else. */
static void chance_does_no_harm(void **state)
{
    (void)state;
    static const char *const words[] = {"digraph",
                                        "graph",
                                        "{",
                                        "}",
                                        "->",
                                        "--",
                                        "0",
                                        "1",
                                        "17",
                                        "\"2\"",
                                        "[",
                                        "]",
                                        "=",
                                        ";",
                                        ",",
                                        ":",
                                        "\n",
                                        " ",
                                        "subgraph",
                                        "node",
                                        "a",
                                        "\"",
                                        "<",
                                        ">",
                                        "//",
                                        "/*",
                                        "*/",
                                        "#",
                                        "# blocks 3 joins 1",
                                        "%",
                                        "\xff",
                                        "-",
                                        "\\"};
    Dice dice = {23};
    uint32_t read = 0;
    for (int round = 0; round < 20000; round++) {
        char text[512] = "";
        if (dice_chance(&dice, 1, 2))
            strcpy(text, "digraph{");
        for (uint32_t count = dice_below(&dice, 12); count; count--) {
            strcat(text, words[dice_below(&dice, sizeof words / sizeof *words)]);
            if (dice_chance(&dice, 1, 2))
                strcat(text, " ");
        }
        if (dice_chance(&dice, 1, 2))
            strcat(text, "}");
        GraphDraft draft = {0};
        Error error = {0};
        if (read_text(&draft, text, &error) == WB_OK) {
            read++;
            assert_int_equal(error.status, WB_OK);
            for (uint32_t e = 0; e < draft.edges.count; e++)
                assert_true(draft.edges.items[e].parent < draft.node_count &&
                            draft.edges.items[e].child < draft.node_count);
        } else {
            assert_memory_equal(error.text, "file:", 5);
            assert_int_equal(draft.node_count + draft.edges.count, 0);
        }
        draft_free(&draft);
    }
    assert_true(read > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read),      cmocka_unit_test(dot_is_read),
        cmocka_unit_test(bad_text_is_refused), cmocka_unit_test(deep_subgraphs_are_refused),
        cmocka_unit_test(grids_are_kept),      cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(chance_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
