/* Which form a file has, and how its edges become a graph. */
#include "graphs/graph_reader.h"

#include <string.h>
#include <strings.h>

static bool (*const readers[GRAPH_FORMS])(GraphReader *) = {
    [GRAPH_FORM_MATRIX_MARKET] = read_matrix_market,
    [GRAPH_FORM_DIMACS] = read_dimacs,
    [GRAPH_FORM_METIS] = read_metis,
    [GRAPH_FORM_EDGE_LIST] = read_edge_list,
};

static const struct {
    const char *extension;
    GraphForm form;
} extensions[] = {
    {".mtx", GRAPH_FORM_MATRIX_MARKET}, {".gr", GRAPH_FORM_DIMACS},     {".graph", GRAPH_FORM_METIS},
    {".metis", GRAPH_FORM_METIS},       {".el", GRAPH_FORM_EDGE_LIST},  {".wel", GRAPH_FORM_EDGE_LIST},
    {".edges", GRAPH_FORM_EDGE_LIST},   {".csv", GRAPH_FORM_EDGE_LIST}, {".tsv", GRAPH_FORM_EDGE_LIST},
};

static bool begins_with(const Scanner *scanner, const char *text)
{
    const size_t length = strlen(text);
    return (size_t)(scanner->end - scanner->at) >= length && !memcmp(scanner->at, text, length);
}

/* A banner is unmistakable; of the others only DIMACS lines begin with a letter. */
static GraphForm guess_form(const Scanner *scanner)
{
    if (begins_with(scanner, "%%MatrixMarket"))
        return GRAPH_FORM_MATRIX_MARKET;
    const char *extension = strrchr(scanner->name, '.');
    for (size_t i = 0; extension && i < sizeof extensions / sizeof *extensions; i++)
        if (!strcasecmp(extension, extensions[i].extension))
            return extensions[i].form;
    const bool dimacs =
        begins_with(scanner, "c\n") || begins_with(scanner, "c ") || begins_with(scanner, "p ");
    return dimacs ? GRAPH_FORM_DIMACS : GRAPH_FORM_EDGE_LIST;
}

uint32_t reader_weight(const GraphReader *reader, double value, double scale)
{
    const double given = reader->options->weight_scale;
    const double scaled = value * (given > 0 ? given : scale);
    if (!(scaled > 0))
        return 0;
    return scaled < 1 ? 1 : scaled >= INT32_MAX ? INT32_MAX : (uint32_t)(scaled + 0.5);
}

static bool read_graph(GraphReader *reader, Graph *graph)
{
    InputError *error = reader->scanner.error;
    const GraphForm wanted = reader->options->form;
    *graph = (Graph){0};
    if (input_failed(error))
        return false;
    if (begins_with(&reader->scanner, "\x1f\x8b"))
        return input_fail(error, "The graph '%s' is compressed by gzip: unpack it first.",
                          reader->scanner.name);
    const uint32_t most = reader->options->most_vertices;
    reader->most_vertices = most ? most : GRAPH_MOST_VERTICES;
    const bool read = readers[wanted ? wanted : guess_form(&reader->scanner)](reader);
    if (!read) {
        edges_free(&reader->edges);
        return false;
    }
    GraphOptions options = reader->options->graph;
    options.undirected |= reader->undirected;
    return graph_make(&reader->edges, options, graph, error);
}

bool graph_read(const char *path, const GraphFileOptions *options, Graph *graph, InputError *error)
{
    GraphReader reader = {.options = options};
    scanner_open(&reader.scanner, path, error);
    const bool read = read_graph(&reader, graph);
    scanner_close(&reader.scanner);
    return read;
}

bool graph_read_bytes(const void *bytes, size_t size, const char *name, const GraphFileOptions *options,
                      Graph *graph, InputError *error)
{
    GraphReader reader = {.options = options};
    scanner_over(&reader.scanner, bytes, size, name, error);
    return read_graph(&reader, graph);
}
