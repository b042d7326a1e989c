/* The 9th DIMACS challenge's shortest-path form: "c" comments, one "p sp VERTICES ARCS", then for every arc
 * "a FROM TO WEIGHT". Arcs have one direction; a road is there twice. */
#include "graphs/graph_reader.h"

#include <string.h>

typedef struct Problem {
    bool stated;
    uint64_t vertices, arcs;
} Problem;

static bool read_problem(GraphReader *reader, Problem *problem)
{
    Scanner *scanner = &reader->scanner;
    char kind[SCANNER_WORD];
    if (problem->stated)
        return scanner_fail(scanner, "expected one problem line, found a second one.");
    scanner_word(scanner, kind);
    if (strcmp(kind, "sp") != 0)
        return scanner_fail(scanner, "expected 'sp', a shortest-path problem, found '%s'.", kind);
    problem->stated = true;
    if (!scanner_whole(scanner, "the number of vertices", 0, reader->most_vertices, &problem->vertices) ||
        !scanner_whole(scanner, "the number of arcs", 0, GRAPH_MOST_EDGES, &problem->arcs))
        return false;
    reader->edges = edges_begin((uint32_t)problem->vertices, true);
    return scanner_end_line(scanner, "the problem");
}

static bool read_arc(GraphReader *reader, const Problem *problem)
{
    Scanner *scanner = &reader->scanner;
    uint64_t from, to;
    double weight;
    if (!problem->stated)
        return scanner_fail(scanner, "expected the problem line 'p sp VERTICES ARCS' before the first arc.");
    if (reader->edges.count == problem->arcs)
        return scanner_fail(scanner, "expected %llu arcs as the problem line says, found more.",
                            (unsigned long long)problem->arcs);
    if (!scanner_whole(scanner, "a vertex", 1, problem->vertices, &from) ||
        !scanner_whole(scanner, "a vertex", 1, problem->vertices, &to) ||
        !scanner_real(scanner, "a weight", &weight))
        return false;
    if (weight < 0)
        return scanner_fail(scanner, "expected a weight that is not negative, found %g.", weight);
    return scanner_end_line(scanner, "the arc") &&
           edges_add(&reader->edges, (uint32_t)from - 1, (uint32_t)to - 1, reader_weight(reader, weight, 1),
                     scanner->error);
}

bool read_dimacs(GraphReader *reader)
{
    Scanner *scanner = &reader->scanner;
    Problem problem = {0};
    char letter[SCANNER_WORD];
    while (scanner_next_line(scanner, "c")) {
        bool good = false;
        scanner_word(scanner, letter);
        if (!strcmp(letter, "a"))
            good = read_arc(reader, &problem);
        else if (!strcmp(letter, "p"))
            good = read_problem(reader, &problem);
        else
            scanner_fail(scanner, "expected a line that begins with c, p or a, found '%s'.", letter);
        if (!good)
            return false;
    }
    if (!problem.stated)
        return scanner_expected(scanner, "the problem line 'p sp VERTICES ARCS'");
    if (reader->edges.count != problem.arcs)
        return scanner_fail(scanner, "expected %llu arcs, found the end of the file after %u.",
                            (unsigned long long)problem.arcs, reader->edges.count);
    return !input_failed(scanner->error);
}
