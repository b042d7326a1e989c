/* Operations of graphs as the runtime describes them. */
#ifndef CUDART_GRAPH_H
#define CUDART_GRAPH_H

#include "rt/cudart/graph_abi.h"
#include "rt/graph.h"

RtError graph_kernel(const KernelParameters *parameters, RtOperation *operation);
RtError graph_copy(const BoxCopy *box, RtOperation *operation);
RtError graph_copy_bytes(void *destination, const void *source, size_t size, int kind,
                         RtOperation *operation);
RtError graph_copy_to_symbol(const void *symbol, const void *source, size_t size, size_t offset, int kind,
                             RtOperation *operation);
RtError graph_copy_from_symbol(void *destination, const void *symbol, size_t size, size_t offset, int kind,
                               RtOperation *operation);
RtError graph_fill(const FillParameters *parameters, RtOperation *operation);
RtError graph_host(const HostParameters *parameters, RtOperation *operation);
/* `kind`: RT_RECORD or RT_WAIT. */
RtError graph_event(void *event, RtOperationKind kind, RtOperation *operation);
RtError graph_child(void *graph, RtOperation *operation);
RtError graph_empty(RtOperation *operation);
/* Where the memory is, the node will know. */
RtError graph_allocate(AllocationParameters *parameters, RtOperation *operation);
RtError graph_release(void *pointer, RtOperation *operation);
/* Any of them. */
RtError graph_any(NodeParameters *parameters, RtOperation *operation);

/* -- and back -- */

/* A node that must be of the kind. */
RtError graph_node_of_kind(void *handle, RtOperationKind kind, RtNode **node);
BoxCopy graph_box_of(const WbCopy *copy);
FillParameters graph_fill_of(const WbFill *fill);

#endif
