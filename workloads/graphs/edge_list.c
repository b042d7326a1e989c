/* Lists of edges: a line "FROM TO [WEIGHT]" for each, separated by blanks, tabs or commas; lines that begin
 * with # or % are comments. There are as many vertices as the largest needs, or more if a comment
 * "# vertices COUNT" says so, which is how vertices without edges at the end survive writing and reading. */
#include "graphs/graph_reader.h"

#include <string.h>

#include "base/output_file.h"

/* On a comment line: its "vertices COUNT", if that is what it says. */
static void read_comment(GraphReader *reader)
{
    Scanner *scanner = &reader->scanner;
    char mark[SCANNER_WORD], word[SCANNER_WORD];
    scanner_word(scanner, mark);
    scanner_word(scanner, word);
    uint64_t count = 0;
    if (!strcmp(mark, "#") && !strcmp(word, "vertices") && !scanner_at_line_end(scanner) &&
        scanner_whole(scanner, "the number of vertices", 0, reader->most_vertices, &count) &&
        count > reader->edges.vertices)
        reader->edges.vertices = reader->edges.targets = (uint32_t)count;
    scanner_skip_line(scanner);
}

static bool read_edge(GraphReader *reader)
{
    Scanner *scanner = &reader->scanner;
    Edges *edges = &reader->edges;
    const uint32_t base = reader->options->one_based;
    uint64_t from, to;
    double weight = 0;
    if (!scanner_whole(scanner, "a vertex", base, reader->most_vertices - 1 + base, &from) ||
        !scanner_whole(scanner, "a vertex", base, reader->most_vertices - 1 + base, &to))
        return false;
    const bool weighted = !scanner_at_line_end(scanner);
    if (!edges->count)
        edges->weighted = weighted;
    if (weighted != edges->weighted)
        return scanner_expected(scanner, "%s, as the first edge has it",
                                edges->weighted ? "a weight" : "no weight");
    if (weighted && !scanner_real(scanner, "a weight", &weight))
        return false;
    if (weight < 0)
        return scanner_fail(scanner, "expected a weight that is not negative, found %g.", weight);
    const uint32_t last = (uint32_t)((from > to ? from : to) - base);
    if (last >= edges->vertices)
        edges->vertices = edges->targets = last + 1;
    return scanner_end_line(scanner, "the edge") &&
           edges_add(edges, (uint32_t)from - base, (uint32_t)to - base, reader_weight(reader, weight, 1),
                     scanner->error);
}

bool read_edge_list(GraphReader *reader)
{
    Scanner *scanner = &reader->scanner;
    scanner->commas = true;
    while (scanner_next_line(scanner, "")) {
        const int byte = scanner_peek(scanner);
        if (byte == '#' || byte == '%')
            read_comment(reader);
        else if (!read_edge(reader))
            return false;
    }
    return !input_failed(scanner->error);
}

bool graph_write_edges(const Graph *graph, const char *path, InputError *error)
{
    Error problem = {0};
    OutputFile *output = output_file_begin("graph", path, &problem);
    if (!output)
        return input_fail(error, "%s", problem.text);
    FILE *file = output_file_stream(output);
    fprintf(file, "# vertices %u\n", graph->vertices);
    for (uint32_t v = 0; v < graph->vertices; v++)
        for (uint32_t i = graph->starts[v]; i < graph->starts[v + 1]; i++) {
            fprintf(file, "%u %u", v, graph->columns[i]);
            if (graph->weights)
                fprintf(file, " %u", graph->weights[i]);
            fputc('\n', file);
        }
    return output_file_end(output, &problem) == WB_OK || input_fail(error, "%s", problem.text);
}
