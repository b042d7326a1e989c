/* The adjacency form of METIS, Chaco and the 10th DIMACS challenge: "%" comments, a line "VERTICES EDGES
 * [FORMAT [CONSTRAINTS]]", then a line for every vertex with its neighbours, counted from 1. An edge is in
 * the lines of both its ends and counts once. FORMAT has three digits: vertices have sizes, vertices have
 * weights, edges have weights. */
#include "graphs/graph_reader.h"

typedef struct Header {
    uint64_t vertices, edges;
    uint64_t skipped; /* numbers before the neighbours of a vertex: its size and weights */
    bool weighted;
} Header;

enum { MOST_CONSTRAINTS = 1000 };

static bool read_header(GraphReader *reader, Header *header)
{
    Scanner *scanner = &reader->scanner;
    uint64_t format = 0, constraints = 1;
    scanner_next_line(scanner, "%");
    if (!scanner_whole(scanner, "the number of vertices", 0, reader->most_vertices, &header->vertices) ||
        !scanner_whole(scanner, "the number of edges", 0, GRAPH_MOST_EDGES / 2, &header->edges))
        return false;
    if (!scanner_at_line_end(scanner) && !scanner_whole(scanner, "the format", 0, 111, &format))
        return false;
    if (format % 10 > 1 || format / 10 % 10 > 1)
        return scanner_fail(scanner, "expected the format: three digits that are 0 or 1, found %llu.",
                            (unsigned long long)format);
    if (!scanner_at_line_end(scanner) &&
        !scanner_whole(scanner, "the number of weights of a vertex", 0, MOST_CONSTRAINTS, &constraints))
        return false;
    header->weighted = format % 10;
    header->skipped = (format / 100 ? 1 : 0) + (format / 10 % 10 ? constraints : 0);
    return scanner_end_line(scanner, "the sizes");
}

/* Counts the neighbours and, among them, the vertex itself. */
static bool read_vertex(GraphReader *reader, const Header *header, uint32_t vertex, uint64_t *loops)
{
    Scanner *scanner = &reader->scanner;
    uint64_t other;
    double weight = 0;
    for (uint64_t i = 0; i < header->skipped; i++)
        if (!scanner_whole(scanner, "a size or weight of the vertex", 0, UINT64_MAX, &other))
            return false;
    while (!scanner_at_line_end(scanner)) {
        if (!scanner_whole(scanner, "a neighbour", 1, header->vertices, &other) ||
            (header->weighted && !scanner_real(scanner, "the weight of an edge", &weight)))
            return false;
        if (weight < 0)
            return scanner_fail(scanner, "expected a weight that is not negative, found %g.", weight);
        *loops += other - 1 == vertex;
        if (!edges_add(&reader->edges, vertex, (uint32_t)other - 1, reader_weight(reader, weight, 1),
                       scanner->error))
            return false;
    }
    scanner_skip_line(scanner);
    return true;
}

bool read_metis(GraphReader *reader)
{
    Scanner *scanner = &reader->scanner;
    Header header = {0};
    uint64_t loops = 0;
    if (!read_header(reader, &header))
        return false;
    reader->edges = edges_begin((uint32_t)header.vertices, header.weighted);
    for (uint32_t vertex = 0; vertex < header.vertices; vertex++) {
        while (scanner_peek(scanner) == '%')
            scanner_skip_line(scanner);
        if (scanner_peek(scanner) < 0)
            return scanner_fail(scanner,
                                "expected a line for each of %llu vertices, found the end of the file "
                                "after %u.",
                                (unsigned long long)header.vertices, vertex);
        if (!read_vertex(reader, &header, vertex, &loops))
            return false;
    }
    if (scanner_next_line(scanner, "%"))
        return scanner_expected(scanner, "the end of the file after %llu vertices",
                                (unsigned long long)header.vertices);
    /* Writers disagree whether a loop counts once or twice. */
    const uint64_t found = reader->edges.count;
    if (found + loops < 2 * header.edges || found > 2 * header.edges + loops)
        return scanner_fail(scanner,
                            "expected %llu edges, each in the lines of both its ends, found %llu "
                            "neighbours.",
                            (unsigned long long)header.edges, (unsigned long long)found);
    return !input_failed(scanner->error);
}
