/* Graphs: operations and what each waits for; made node by node or by capturing streams, launched as a
 * whole.
 *
 * A launch puts the nodes into streams of the simulator so that exactly the graph's edges order them: a
 * node goes on in the stream of one of its predecessors if that one has no other successor there yet,
 * otherwise in a stream of its own, and waits for events of the others. */
#ifndef RT_GRAPH_H
#define RT_GRAPH_H

#include "rt/stream.h"

/* What cudaGraphNode_t and CUgraphNode point to. Invariant: a is among b's predecessors exactly if b is
 * among a's successors, and both are of one graph. */
struct RtNode {
    RtGraph *graph;
    uint32_t index;             /* in the graph's nodes */
    RtOperation operation;      /* owned; so are the graphs of RT_CHILD_GRAPH and RT_CONDITIONAL */
    RtNodes predecessors, successors;
    uint64_t id;                /* unique in the process */
    uint64_t origin;            /* id of the node that it is a copy of; 0: none */
    void **pointers;            /* to a kernel's arguments, for a program that asks; null before */
    bool is_disabled;           /* in an executable */
};

typedef struct RtUserReference { void *object; unsigned count; } RtUserReference;

/* What cudaGraph_t and CUgraph point to. */
struct RtGraph {
    RtNodes nodes;              /* in the order of their creation */
    RtNode *parent;             /* whose child graph, or graph under a condition, this is; null: none */
    bool is_private;            /* of an executable: its nodes are no handles */
    struct { RtUserReference *items; uint32_t count, capacity; } user_objects;
    struct { RtCondition **items; uint32_t count, capacity; } conditions; /* of the outermost graph */
};

/* What cudaGraphExec_t and CUgraphExec point to: a copy of the graph that has its own arguments. */
typedef struct RtExecutable RtExecutable;

/* cudaGraphInstantiateFlag...: 1 frees at a launch what the one before left allocated. */
enum { RT_INSTANTIATE_AUTO_FREE = 1, RT_INSTANTIATE_UPLOAD = 2, RT_INSTANTIATE_ALL = 15 };

/* -- graphs and nodes (graph.c) -- */

RtError rt_graph_get(const void *handle, RtGraph **graph);
RtError rt_graph_create(RtGraph **graph);
/* A child graph goes with its node only. */
RtError rt_graph_destroy(RtGraph *graph);
RtGraph *rt_graph_clone(const RtGraph *graph, bool is_private);
/* The same for a program, which cannot have copies of graphs with conditional nodes. */
RtError rt_graph_copy(const RtGraph *graph, RtGraph **copy);
/* Frees a graph whatever it belongs to. */
void rt_graph_free(RtGraph *graph);
/* Takes the operation over, also where it fails; a child graph is copied. */
RtError rt_graph_add(RtGraph *graph, RtNode *const *dependencies, size_t count, RtOperation *operation,
                     RtNode **node);
RtError rt_graph_find_in_clone(const RtGraph *clone, const RtNode *original, RtNode **node);

RtError rt_node_get(const void *handle, RtNode **node);
RtError rt_node_destroy(RtNode *node);
/* Replaces what the node does by an operation of the same kind, which it takes over. */
RtError rt_node_set(RtNode *node, RtOperation *operation);
/* Pointers to the arguments of a kernel's node, in its own memory. */
RtError rt_node_arguments(RtNode *node, void ***pointers);
/* Edges; where one exists already, or does not, is an error. */
RtError rt_graph_connect(RtGraph *graph, RtNode *const *from, RtNode *const *to, size_t count);
RtError rt_graph_disconnect(RtGraph *graph, RtNode *const *from, RtNode *const *to, size_t count);
bool rt_nodes_have(const RtNodes *nodes, const RtNode *node);
void rt_nodes_remove(RtNodes *nodes, const RtNode *node);
/* Marks, by their numbers, the nodes in the list, which it uses up, and all that they come behind. */
void rt_nodes_mark_before(RtNodes *list, bool *marks);

/* The graph as a picture in the language of Graphviz. */
RtError rt_graph_write_dot(const RtGraph *graph, const char *path, bool is_verbose);

/* -- memory of allocation nodes (graph_memory.c); pool.h allocates it -- */

/* An allocation node of a graph or an executable holds the memory, or does so no longer; with the last one
 * it goes back to the GPU, unless the program still uses it. */
void rt_graph_memory_retain(uint64_t address, size_t size);
void rt_graph_memory_release(uint64_t address);
/* Whether a launch may come to the allocation: not while it is in use, unless it is to be freed first. */
RtError rt_graph_memory_check(uint64_t address, bool frees_first);
/* The address of a new allocation node behind the dependencies: one that the graph has freed by then, or a
 * new one. */
RtError rt_graph_memory_place(const RtGraph *graph, RtNode *const *dependencies, size_t count, size_t size,
                              uint64_t *address);
/* Bytes of the memory that begins there. */
uint64_t rt_graph_memory_size(uint64_t address);
/* A graph that needs so many bytes is launched. */
void rt_graph_memory_reserve(uint64_t bytes);
/* By CUDA's numbers: 0 used now, 1 used at most, 2 reserved now, 3 reserved at most. */
RtError rt_graph_memory_attribute(int attribute, uint64_t *value);
/* The maxima can be set back to 0. */
RtError rt_graph_memory_reset(int attribute, uint64_t value);
void rt_graph_memory_trim(void);

/* -- executables (graph_executable.c, graph_launch.c) -- */

RtError rt_executable_get(const void *handle, RtExecutable **executable);
/* *culprit, if not null, gets a node of a cycle. Of a graph with conditional nodes there is one at a time. */
RtError rt_graph_instantiate(RtGraph *graph, unsigned long long flags, RtExecutable **executable,
                             RtNode **culprit);
RtError rt_executable_destroy(RtExecutable *executable);
unsigned long long rt_executable_flags(const RtExecutable *executable);
/* Changes the executable's copy of a node; takes the operation over. */
RtError rt_executable_set(RtExecutable *executable, const RtNode *node, RtOperation *operation);
RtError rt_executable_node(RtExecutable *executable, const RtNode *node, RtNode **copy);
/* Why a graph cannot replace what an executable does; the numbers are cudaGraphExecUpdateResult. */
typedef enum RtUpdate {
    RT_UPDATE_SUCCESS, RT_UPDATE_ERROR, RT_UPDATE_TOPOLOGY_CHANGED, RT_UPDATE_NODE_TYPE_CHANGED,
    RT_UPDATE_FUNCTION_CHANGED, RT_UPDATE_PARAMETERS_CHANGED, RT_UPDATE_NOT_SUPPORTED
} RtUpdate;
typedef struct RtUpdateResult { RtUpdate result; RtNode *node; } RtUpdateResult;
RtError rt_executable_update(RtExecutable *executable, RtGraph *graph, RtUpdateResult *result);
/* Into a stream, or, while that captures, as a child of its graph. */
RtError rt_graph_launch(RtExecutable *executable, RtStream *stream);

/* -- what streams ask while they capture (graph_capture.c) -- */

/* CUDA's numbers. */
typedef enum RtCaptureMode { RT_CAPTURE_GLOBAL, RT_CAPTURE_THREAD_LOCAL, RT_CAPTURE_RELAXED } RtCaptureMode;
typedef enum RtCaptureStatus { RT_CAPTURE_NONE, RT_CAPTURE_ACTIVE, RT_CAPTURE_INVALID } RtCaptureStatus;

/* `graph`: to add to, behind the dependencies; null makes a new one. */
RtError rt_capture_begin(RtStream *stream, int mode, RtGraph *graph, RtNode *const *dependencies,
                         size_t count);
RtError rt_capture_end(RtStream *stream, RtGraph **graph);
RtCaptureStatus rt_capture_status(const RtStream *stream);
uint64_t rt_capture_id(const RtStream *stream);
RtGraph *rt_capture_graph(const RtStream *stream);
/* What the stream's next node comes after: adds to it, or replaces it. */
RtError rt_capture_update(RtStream *stream, RtNode *const *dependencies, size_t count, bool replaces);
/* How calls of this thread get along with captures; returns the mode before. */
RtError rt_capture_exchange_mode(int *mode);
/* Adds the operation, which it takes over, behind all that was captured in the stream. */
RtError rt_capture_add(RtStream *stream, RtOperation *operation);
RtError rt_capture_record(RtStream *stream, RtEvent *event);
/* The stream joins the event's capture if it is in none yet. */
RtError rt_capture_wait(RtStream *stream, RtEvent *event);

/* A call that would wait for a capturing stream, or for all (null) while one captures: the documented
 * error; RT_SUCCESS if none captures. Like the other errors below, it makes the capture invalid. */
RtError rt_capture_forbids_waiting(const RtStream *stream);
/* Waiting for an event that a capture holds, or asking for it. */
RtError rt_capture_forbids_event(const RtEvent *event);
/* Work put into a stream that does not capture, while it would be ordered with one that does. */
RtError rt_capture_forbids_work(const RtStream *stream);
/* A call that may wait or order streams behind the program's back, such as cudaMalloc: forbidden while a
 * capture watches the thread. */
RtError rt_capture_forbids_unsafe(void);
/* A call that a capturing stream cannot take. */
RtError rt_capture_forbids_call(const RtStream *stream, const char *what);
/* Ends all captures in streams of the device, with their graphs: what was captured belongs to a GPU that was
 * reset. */
void rt_capture_drop_all(void);
/* The event is about to go, or is recorded anew. */
void rt_capture_forget_event(RtEvent *event);
/* A stream, node or graph is about to go. */
void rt_capture_forget_stream(RtStream *stream);
void rt_capture_forget_node(const RtNode *node);
void rt_capture_forget_graph(const RtGraph *graph);

/* -- objects of the program that live as long as graphs need them (user_object.c) -- */

RtError rt_user_object_create(void *pointer, WbHostFunction *destroy, unsigned count, unsigned flags,
                              void **object);
RtError rt_user_object_retain(void *object, unsigned count);
RtError rt_user_object_release(void *object, unsigned count);
/* `moves`: the graph takes the caller's references over. */
RtError rt_graph_retain_object(RtGraph *graph, void *object, unsigned count, bool moves);
RtError rt_graph_release_object(RtGraph *graph, void *object, unsigned count);

#endif
