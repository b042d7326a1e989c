/* How a dependency graph stands: for samples, and for whoever has to say why it does not go on. */
#include "grid/dats.h"

#include <inttypes.h>
#include <stdio.h>

uint32_t dats_ready(const Dats *dats)
{
    const GraphBuffer *buffer = &dats->buffer;
    uint32_t ready = 0;
    for (uint32_t id = buffer->tail; dats->run && id < buffer->head; id++)
        ready += graph_buffer_node(buffer, id)->state == NODE_READY;
    return ready;
}

bool dats_describe(const Dats *dats, char *text, size_t size)
{
    const GraphBuffer *buffer = &dats->buffer;
    text[0] = 0;
    if (!dats->run)
        return false;
    uint32_t ready = 0, absent = 0, blocked = 0;
    for (uint32_t id = buffer->tail; id < buffer->head; id++) {
        const GraphNode *node = graph_buffer_node(buffer, id);
        ready += node->state == NODE_READY;
        absent += node->state == NODE_READY && !dats_may_run((void *)(uintptr_t)dats, node->task);
    }
    for (uint32_t i = 0; i < dats->ended.count; i++)
        blocked += dats->ended.items[i].is_blocked;
    if (blocked)
        snprintf(
            text, size,
            "%u ended blocks cannot tell their children, because the Pending Update Buffer is full "
            "(%u entries, knob graph_pending_updates) and the Local Node Array (%u entries, knob "
            "graph_local_nodes) has only nodes %u to %u of %u: enlarge one of them, or set graph_overflow.",
            blocked, buffer->pending_capacity, buffer->local_nodes, buffer->tail, buffer->head - 1,
            buffer->node_count);
    else if (absent)
        snprintf(
            text, size,
            "%u blocks of the graph are ready, but their kernels have no entry of the kernel distributor "
            "(%" PRIu64 " entries, knob concurrent_kernels): raise the knob.",
            absent, dats->config->concurrent_kernels);
    else
        snprintf(
            text, size,
            "The graph's first %u nodes of %u are over, %u are in the Local Node Array, and %u of these are "
            "ready.",
            buffer->tail, buffer->node_count, buffer->head - buffer->tail, ready);
    return blocked || absent;
}
