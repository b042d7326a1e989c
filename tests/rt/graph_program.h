/* What tests of graphs and captures share. Included behind cmocka.h. */
#ifndef RT_GRAPH_PROGRAM_H
#define RT_GRAPH_PROGRAM_H

#include "program.h"
#include "rt/cudart/graph_abi.h"

enum { TO_DEVICE = 1, TO_HOST = 2, ON_DEVICE = 3 };
enum { GLOBAL, THREAD_LOCAL, RELAXED };
enum {
    INVALID_VALUE = 1,
    INVALID_HANDLE = 400,
    ILLEGAL_STATE = 401,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_INVALIDATED = 901,
    CAPTURE_MERGE = 902,
    CAPTURE_UNMATCHED = 903,
    CAPTURE_UNJOINED = 904,
    CAPTURE_ISOLATION = 905,
    CAPTURE_IMPLICIT = 906,
    CAPTURED_EVENT = 907,
    CAPTURE_WRONG_THREAD = 908,
    UPDATE_FAILURE = 910
};

int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphDestroy(void *graph);
int cudaGraphClone(void **copy, void *graph);
int cudaGraphNodeFindInClone(void **place, void *node, void *copy);
int cudaGraphDestroyNode(void *node);
int cudaGraphDebugDotPrint(void *graph, const char *path, unsigned flags);
int cudaGraphAddKernelNode(void **node, void *graph, void *const *before, size_t count,
                           const KernelParameters *p);
int cudaGraphAddMemcpyNode1D(void **node, void *graph, void *const *before, size_t count, void *to,
                             const void *from, size_t size, int kind);
int cudaGraphAddMemsetNode(void **node, void *graph, void *const *before, size_t count,
                           const FillParameters *p);
int cudaGraphAddHostNode(void **node, void *graph, void *const *before, size_t count,
                         const HostParameters *p);
int cudaGraphAddEmptyNode(void **node, void *graph, void *const *before, size_t count);
int cudaGraphAddChildGraphNode(void **node, void *graph, void *const *before, size_t count, void *child);
int cudaGraphChildGraphNodeGetGraph(void *node, void **graph);
int cudaGraphAddEventRecordNode(void **node, void *graph, void *const *before, size_t count, void *event);
int cudaGraphAddMemAllocNode(void **node, void *graph, void *const *before, size_t count,
                             AllocationParameters *p);
int cudaGraphAddMemFreeNode(void **node, void *graph, void *const *before, size_t count, void *pointer);
int cudaGraphAddNode(void **node, void *graph, void *const *before, const EdgeData *data, size_t count,
                     NodeParameters *p);
int cudaGraphAddDependencies(void *graph, void *const *from, void *const *to, const EdgeData *data,
                             size_t count);
int cudaGraphRemoveDependencies(void *graph, void *const *from, void *const *to, const EdgeData *data,
                                size_t count);
int cudaGraphConditionalHandleCreate(uint64_t *handle, void *graph, unsigned initial, unsigned flags);
int cudaGraphGetNodes(void *graph, void **nodes, size_t *count);
int cudaGraphGetRootNodes(void *graph, void **nodes, size_t *count);
int cudaGraphGetEdges(void *graph, void **from, void **to, EdgeData *data, size_t *count);
int cudaGraphNodeGetDependencies(void *node, void **nodes, EdgeData *data, size_t *count);
int cudaGraphNodeGetType(void *node, int *type);
int cudaGraphKernelNodeGetParams(void *node, KernelParameters *p);
int cudaGraphKernelNodeSetParams(void *node, const KernelParameters *p);
int cudaGraphInstantiate(void **executable, void *graph, unsigned long long flags);
int cudaGraphExecDestroy(void *executable);
int cudaGraphExecKernelNodeSetParams(void *executable, void *node, const KernelParameters *p);
int cudaGraphExecUpdate(void *executable, void *graph, UpdateInfo *info);
int cudaGraphNodeSetEnabled(void *executable, void *node, unsigned is_enabled);
int cudaGraphLaunch(void *executable, void *stream);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamBeginCaptureToGraph(void *stream, void *graph, void *const *before, const EdgeData *data,
                                  size_t count, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaStreamIsCapturing(void *stream, int *status);
int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id, void **graph,
                             const void **before, const EdgeData **data, size_t *count);
int cudaThreadExchangeStreamCaptureMode(int *mode);
int cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value);
int cudaDeviceGraphMemTrim(int device);
int cudaUserObjectCreate(void **object, void *pointer, WbHostFunction *destroy, unsigned count,
                         unsigned flags);
int cudaGraphRetainUserObject(void *graph, void *object, unsigned count, unsigned flags);

#define OK(call) assert_int_equal((call), 0)

/* A stream, a cell of device memory that is 0, and an event for each test. */
typedef struct Ground {
    void *stream, *other, *cell, *event;
} Ground;
int ground_begin(void **state);
int ground_end(void **state);

uint32_t read_cell(const void *cell);

/* Arguments of append() or spin(), which a node copies. */
typedef struct Call {
    void *cell;
    uint32_t number;
    void *arguments[2];
    KernelParameters parameters;
} Call;
const KernelParameters *call_of(Call *call, void *kernel, void *cell, uint32_t number);
/* A node of append(), behind another one or none. */
void *add_append(void *graph, void *before, void *cell, uint32_t digit);
void *make_executable(void *graph);
/* Launches and waits. */
void run(void *executable, void *stream);

/* What a host function has seen. */
typedef struct Note {
    const uint32_t *source;
    uint32_t value;
    unsigned calls;
} Note;
void take_note(void *note);

#endif
