/* Feeds any bytes to the reader of dependency graphs, and builds what it takes. It must neither crash nor
 * leak nor take long, must explain every refusal, and a graph must keep the promises of depend/graph.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "depend/graph.h"

#define MUST(condition) ((condition) ? (void)0 : abort())

/* Graphs with more nodes are not built: a few digits make billions. */
enum { MOST_NODES = 10000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_graph(const DependencyGraph *graph)
{
    MUST(graph->starts[0] == 0 && graph->starts[graph->node_count] == graph->edge_count);
    for (uint32_t id = 0; id < graph->node_count; id++) {
        MUST(graph->ids[graph->tasks[id]] == id && graph->levels[id] < graph->level_count);
        for (uint32_t e = graph->starts[id]; e < graph->starts[id + 1]; e++) {
            MUST(graph->children[e] < graph->node_count);
            MUST(graph->children[e] > (e > graph->starts[id] ? graph->children[e - 1] : id));
            MUST(graph->levels[graph->children[e]] > graph->levels[id]);
        }
    }
}

static void write_image(const DependencyGraph *graph)
{
    GraphImage image;
    Error error = {0};
    MUST(image_of_graph(graph, 16, &image, &error) == WB_OK);
    uint8_t *bytes = malloc(image.bytes + 1);
    MUST(bytes);
    image_write(&image, graph, bytes);
    free(bytes);
}

static void build(const GraphDraft *draft)
{
    DependencyGraph *graph;
    Error error = {0};
    if (graph_build(draft, &graph, &error) != WB_OK) {
        MUST(!graph && strstr(error.text, "cycle"));
        return;
    }
    check_graph(graph);
    write_image(graph);
    GraphEdge *edges;
    size_t count;
    MUST(graph_transitive_edges(graph, &edges, &count, &error) == WB_OK && count <= graph->edge_count);
    free(edges);
    graph_free(graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    GraphDraft draft = {0};
    Error error = {0};
    if (draft_read(&draft, "fuzz", (const char *)data, size, &error) != WB_OK) {
        MUST(!strncmp(error.text, "fuzz:", 5) && !draft.node_count && !draft.edges.count);
    } else {
        MUST(error.status == WB_OK && draft.node_count);
        if (draft.node_count <= MOST_NODES)
            build(&draft);
    }
    draft_free(&draft);
    return 0;
}
