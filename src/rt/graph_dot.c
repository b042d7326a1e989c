/* Graphs as pictures: a file for Graphviz, with a cluster for each child graph. */
#include "rt/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/output_file.h"
#include "rt/module.h"

static const char *const kind_names[] = {
    [RT_KERNEL] = "kernel",
    [RT_COPY] = "memcpy",
    [RT_FILL] = "memset",
    [RT_HOST_CALL] = "host",
    [RT_RECORD] = "event record",
    [RT_WAIT] = "event wait",
    [RT_EMPTY] = "empty",
    [RT_CHILD_GRAPH] = "graph",
    [RT_ALLOCATE] = "mem alloc",
    [RT_RELEASE] = "mem free",
    [RT_CONDITIONAL] = "conditional",
};

/* Lines of the label below the node's kind. */
static void write_details(FILE *file, const RtOperation *operation)
{
    const RtLaunch *launch = &operation->launch;
    const WbCopy *copy = &operation->copy;
    const WbFill *fill = &operation->fill;
    switch (operation->kind) {
    case RT_KERNEL:
        fprintf(file, "\\ngrid %u x %u x %u\\nblock %u x %u x %u\\nshared %u", launch->grid.x, launch->grid.y,
                launch->grid.z, launch->block.x, launch->block.y, launch->block.z, launch->shared_bytes);
        break;
    case RT_COPY:
        fprintf(file, "\\n0x%" PRIx64 " to 0x%" PRIx64 "\\n%zu x %zu x %zu bytes", copy->source.address,
                copy->destination.address, copy->width, copy->height, copy->depth);
        break;
    case RT_FILL:
        fprintf(file, "\\n0x%" PRIx64 " with 0x%x\\n%zu x %zu elements of %u bytes", fill->address,
                fill->value, fill->width, fill->height, fill->element_bytes);
        break;
    case RT_ALLOCATE:
    case RT_RELEASE:
        fprintf(file, "\\n%zu bytes at 0x%" PRIx64, operation->memory.size, operation->memory.address);
        break;
    default:
        break;
    }
}

static void write_nodes(FILE *file, const RtGraph *graph, bool is_verbose)
{
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const RtNode *node = graph->nodes.items[i];
        const RtOperation *operation = &node->operation;
        fprintf(file, "    n%" PRIu64 " [label=\"%s", node->id, kind_names[operation->kind]);
        if (operation->kind == RT_KERNEL && rt_handle_is_live(RT_HANDLE_FUNCTION, operation->launch.function))
            fprintf(file, "\\n%s", operation->launch.function->plain);
        if (is_verbose)
            write_details(file, operation);
        fputs("\"];\n", file);
        if (operation->kind == RT_CHILD_GRAPH) {
            fprintf(file, "    subgraph cluster_%" PRIu64 " {\n    label=\"child\";\n", node->id);
            write_nodes(file, operation->child, is_verbose);
            fputs("    }\n", file);
        }
        for (uint32_t g = 0; operation->kind == RT_CONDITIONAL && g < operation->conditional.count; g++) {
            fprintf(file, "    subgraph cluster_%" PRIu64 "_%u {\n    label=\"graph %u\";\n", node->id, g, g);
            write_nodes(file, operation->conditional.graphs[g], is_verbose);
            fputs("    }\n", file);
        }
        for (uint32_t s = 0; s < node->successors.count; s++)
            fprintf(file, "    n%" PRIu64 " -> n%" PRIu64 ";\n", node->id, node->successors.items[s]->id);
    }
}

RtError rt_graph_write_dot(const RtGraph *graph, const char *path, bool is_verbose)
{
    if (!path)
        return rt_fail(RT_INVALID_VALUE, "The path of the picture is a null pointer.");
    Error error = {0};
    OutputFile *output = output_file_begin("picture", path, &error);
    if (!output)
        return rt_fail(RT_OPERATING_SYSTEM, "%s", error.text);
    FILE *file = output_file_stream(output);
    fputs("digraph graph_ {\n    node [shape=box];\n", file);
    write_nodes(file, graph, is_verbose);
    fputs("}\n", file);
    return output_file_end(output, &error) ? rt_fail(RT_OPERATING_SYSTEM, "%s", error.text) : RT_SUCCESS;
}
