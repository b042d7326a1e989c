/* The graph as bytes in global memory [Wireframe §4.2.2, figure 6]. A chunk that the hardware fetches is a
 * line of 128 bytes, so no entry lies across two. With IDs of 16 bits an entry is 10 bytes and a line holds
 * 12 of them; with 32 bits 16 bytes and 8. */
#include "depend/graph.h"

#include <string.h>

enum { LINE_BYTES = 128, START_BYTES = 4, ID_FIELDS = 3 };

WbStatus image_check_nodes(uint32_t nodes, uint32_t id_bits, Error *error)
{
    if (id_bits != 16 && id_bits != 32)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "The knob graph_id_bits is %u, but IDs of a dependency graph's nodes have 16 or 32 "
                         "bits.",
                         id_bits);
    /* IDs count from 0, so 2^bits nodes still fit. */
    if ((uint64_t)nodes > 1ull << id_bits)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "The dependency graph has %u nodes, but IDs of %u bits count only %llu; set the "
                         "knob graph_id_bits to 32.",
                         nodes, id_bits, 1ull << id_bits);
    return WB_OK;
}

WbStatus image_of_graph(const DependencyGraph *graph, uint32_t id_bits, GraphImage *image, Error *error)
{
    if (image_check_nodes(graph->node_count, id_bits, error))
        return error->status;
    const uint32_t id_bytes = id_bits / 8, node_bytes = START_BYTES + ID_FIELDS * id_bytes;
    *image = (GraphImage){.id_bytes = id_bytes,
                          .node_bytes = node_bytes,
                          .nodes_per_line = LINE_BYTES / node_bytes,
                          .edges_per_line = LINE_BYTES / id_bytes};
    /* Rounded up: entries do not go on across lines, and edges begin in a line of their own. */
    const uint64_t node_lines =
        ((uint64_t)graph->node_count + image->nodes_per_line - 1) / image->nodes_per_line;
    const uint64_t edge_lines =
        ((uint64_t)graph->edge_count + image->edges_per_line - 1) / image->edges_per_line;
    image->edges_offset = node_lines * LINE_BYTES;
    image->bytes = image->edges_offset + edge_lines * LINE_BYTES;
    return WB_OK;
}

uint64_t image_node_offset(const GraphImage *image, uint32_t id)
{
    return (uint64_t)(id / image->nodes_per_line) * LINE_BYTES +
           id % image->nodes_per_line * image->node_bytes;
}

uint64_t image_edge_offset(const GraphImage *image, uint32_t edge)
{
    return image->edges_offset + (uint64_t)edge * image->id_bytes;
}

uint32_t image_parents_offset(const GraphImage *image)
{
    (void)image; /* the start comes first, whatever the IDs are */
    return START_BYTES;
}

static uint8_t *put(uint8_t *to, uint32_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
    return to + bytes;
}

static uint32_t get(const uint8_t *from, uint32_t bytes)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < bytes; i++)
        value |= (uint32_t)from[i] << 8 * i;
    return value;
}

/* Inlined with id_bytes as a number, so that fields are single stores. */
static inline __attribute__((always_inline)) void write_with(const GraphImage *image,
                                                             const DependencyGraph *graph, uint8_t *to,
                                                             uint32_t id_bytes)
{
    uint8_t *entry = to;
    for (uint32_t id = 0, in_line = 0; id < graph->node_count; id++) {
        entry = put(entry, graph->starts[id], START_BYTES);
        entry = put(entry, graph->parents[id], id_bytes);
        entry = put(entry, graph->levels[id], id_bytes);
        entry = put(entry, graph->tasks[id], id_bytes);
        if (++in_line == image->nodes_per_line) {
            const uint32_t rest = LINE_BYTES - in_line * image->node_bytes; /* 0 with IDs of 32 bits */
            memset(entry, 0, rest);
            entry += rest;
            in_line = 0;
        }
    }
    uint8_t *edge = to + image->edges_offset;
    memset(entry, 0, (size_t)(edge - entry));
    for (uint32_t e = 0; e < graph->edge_count; e++)
        edge = put(edge, graph->children[e], id_bytes);
    memset(edge, 0, (size_t)(to + image->bytes - edge));
}

void image_write(const GraphImage *image, const DependencyGraph *graph, uint8_t *to)
{
    if (image->id_bytes == 2)
        write_with(image, graph, to, 2);
    else
        write_with(image, graph, to, 4);
}

NodeEntry image_read_node(const GraphImage *image, const uint8_t *entry)
{
    const uint8_t *ids = entry + START_BYTES;
    return (NodeEntry){.edge_start = get(entry, START_BYTES),
                       .parents = get(ids, image->id_bytes),
                       .level = get(ids + image->id_bytes, image->id_bytes),
                       .task = get(ids + 2 * image->id_bytes, image->id_bytes)};
}

uint32_t image_read_id(const GraphImage *image, const uint8_t *place) { return get(place, image->id_bytes); }
