// What a GPU does in corners of the CUDA runtime: attributes, memory of graphs, streams that go during a
// capture,
// conditional nodes, freed memory, compression, handles for other processes. h200.txt is what one answered.
//
//     nvcc -rdc=true -gencode arch=compute_90,code=sm_90 probe.cu -o probe -lcuda -lcudadevrt
//     for i in 0 1 2 3 4 5 6 7 8; do ./probe $i; done
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <sys/wait.h>

#define SHOW(call) printf("  %s -> %s\n", #call, cudaGetErrorName(call))
__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
__global__ void addone(int *p) { p[0] += 1; }
__global__ void setc(cudaGraphConditionalHandle h, unsigned v) { cudaGraphSetConditional(h, v); }
__global__ void countdown(cudaGraphConditionalHandle h, int *n)
{
    n[0] -= 1;
    n[1] += 1;
    cudaGraphSetConditional(h, n[0] > 0);
}

static void memory_attributes(const char *where)
{
    unsigned long long v[4] = {};
    for (int a = 0; a < 4; a++)
        cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)a, &v[a]);
    printf("  %s: used %llu high %llu reserved %llu high %llu\n", where, v[0], v[1], v[2], v[3]);
}

static void attributes()
{
    printf("== attributes\n");
    for (int a = 1; a < 155; a++) {
        int v;
        if (cudaDeviceGetAttribute(&v, (cudaDeviceAttr)a, 0) == cudaSuccess)
            printf("%d=%d ", a, v);
        else
            cudaGetLastError();
    }
    for (int a = 1; a < 155; a++) {
        int v;
        CUresult r = cuDeviceGetAttribute(&v, (CUdevice_attribute)a, 0);
        int w = 0;
        cudaError_t e = cudaDeviceGetAttribute(&w, (cudaDeviceAttr)a, 0);
        cudaGetLastError();
        if ((r == CUDA_SUCCESS) != (e == cudaSuccess) || (r == CUDA_SUCCESS && v != w))
            printf("\n driver %d: %d %d runtime %d %d", a, r, v, e, w);
    }
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    size_t f, t;
    cudaMemGetInfo(&f, &t);
    printf("\n%s total %zu (%.0f MB) meminfo free %zu total %zu bus %d ecc %d l2 %d compression\n", p.name,
           p.totalGlobalMem, p.totalGlobalMem / 1048576.0, f, t, p.memoryBusWidth, p.ECCEnabled,
           p.l2CacheSize);
}

static void graph_memory()
{
    printf("== graph memory\n");
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaGraph_t g;
    cudaGraphExec_t e;
    memory_attributes("start");
    int *a, *b, *c;
    const size_t mb = 1 << 20;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMallocAsync((void **)&a, 8 * mb, s);
    fill<<<1, 32, 0, s>>>(a, 1);
    cudaFreeAsync(a, s);
    cudaMallocAsync((void **)&b, 8 * mb, s);
    fill<<<1, 32, 0, s>>>(b, 1);
    cudaFreeAsync(b, s);
    cudaMallocAsync((void **)&c, 4 * mb, s);
    fill<<<1, 32, 0, s>>>(c, 1);
    cudaFreeAsync(c, s);
    SHOW(cudaStreamEndCapture(s, &g));
    printf("  sequential: a==b %d a==c %d\n", a == b, a == c);
    memory_attributes("captured");
    SHOW(cudaGraphInstantiate(&e, g, 0));
    memory_attributes("instantiated");
    SHOW(cudaGraphUpload(e, s));
    cudaStreamSynchronize(s);
    memory_attributes("uploaded");
    SHOW(cudaGraphLaunch(e, s));
    memory_attributes("launched");
    SHOW(cudaStreamSynchronize(s));
    memory_attributes("synchronized");
    SHOW(cudaGraphLaunch(e, s));
    SHOW(cudaStreamSynchronize(s));
    memory_attributes("second launch");
    // two graphs
    cudaGraph_t g2;
    cudaGraphExec_t e2;
    int *d;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMallocAsync((void **)&d, 3 * mb, s);
    fill<<<1, 32, 0, s>>>(d, 1);
    cudaFreeAsync(d, s);
    cudaStreamEndCapture(s, &g2);
    cudaGraphInstantiate(&e2, g2, 0);
    printf("  other graph: a==d %d\n", a == d);
    SHOW(cudaGraphLaunch(e2, s));
    SHOW(cudaStreamSynchronize(s));
    memory_attributes("other graph (3 MB) launched");
    unsigned long long zero = 0;
    SHOW(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    SHOW(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &zero));
    memory_attributes("highs reset");
    SHOW(cudaDeviceGraphMemTrim(0));
    memory_attributes("trimmed");
    SHOW(cudaGraphLaunch(e, s));
    SHOW(cudaStreamSynchronize(s));
    memory_attributes("launched again");
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
    memory_attributes("first destroyed");
    cudaGraphExecDestroy(e2);
    cudaGraphDestroy(g2);
    memory_attributes("both destroyed");
    SHOW(cudaDeviceGraphMemTrim(0));
    memory_attributes("trimmed");
    // concurrent allocations: two live at once, 3 bytes too
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMallocAsync((void **)&a, 5 * mb, s);
    cudaMallocAsync((void **)&b, 3, s);
    fill<<<1, 32, 0, s>>>(a, 1);
    cudaFreeAsync(a, s);
    cudaFreeAsync(b, s);
    cudaMallocAsync((void **)&c, 100000, s);
    cudaFreeAsync(c, s);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    printf("  a==c %d b==c %d b-a %ld c-a %ld\n", a == c, b == c, (char *)b - (char *)a,
           (char *)c - (char *)a);
    cudaGraphLaunch(e, s);
    cudaStreamSynchronize(s);
    memory_attributes("5 MB and 3 bytes, launched");
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
    cudaDeviceGraphMemTrim(0);
    // not freed in the graph
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMallocAsync((void **)&a, 6 * mb, s);
    fill<<<1, 32, 0, s>>>(a, 7);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, s);
    cudaStreamSynchronize(s);
    memory_attributes("6 MB left allocated");
    SHOW(cudaGraphLaunch(e, s));
    cudaGetLastError();
    int v = 0;
    SHOW(cudaMemcpy(&v, a, 4, cudaMemcpyDeviceToHost));
    printf("  value %d\n", v);
    SHOW(cudaFreeAsync(a, s));
    cudaStreamSynchronize(s);
    memory_attributes("freed outside");
    SHOW(cudaGraphLaunch(e, s));
    cudaStreamSynchronize(s);
    memory_attributes("again");
    SHOW(cudaFree(a));
    memory_attributes("cudaFree");
    SHOW(cudaDeviceGraphMemTrim(0));
    memory_attributes("trim");
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
    cudaDeviceGraphMemTrim(0);
    memory_attributes("gone");
    // parallel branches: no reuse across unordered; reuse when ordered
    cudaStream_t s2;
    cudaStreamCreate(&s2);
    cudaEvent_t ev;
    cudaEventCreate(&ev);
    cudaEvent_t ev2;
    cudaEventCreate(&ev2);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(ev, s);
    cudaStreamWaitEvent(s2, ev, 0);
    cudaMallocAsync((void **)&a, 4 * mb, s);
    fill<<<1, 32, 0, s>>>(a, 1);
    cudaFreeAsync(a, s);
    cudaMallocAsync((void **)&b, 4 * mb, s2);
    fill<<<1, 32, 0, s2>>>(b, 1);
    cudaFreeAsync(b, s2);
    cudaEventRecord(ev2, s2);
    cudaStreamWaitEvent(s, ev2, 0);
    cudaMallocAsync((void **)&c, 4 * mb, s);
    fill<<<1, 32, 0, s>>>(c, 1);
    cudaFreeAsync(c, s);
    SHOW(cudaStreamEndCapture(s, &g));
    SHOW(cudaGraphInstantiate(&e, g, 0));
    printf("  branches: a==b %d c==a %d c==b %d\n", a == b, c == a, c == b);
    cudaGraphLaunch(e, s);
    cudaStreamSynchronize(s);
    memory_attributes("branches launched");
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
    cudaDeviceGraphMemTrim(0);
    memory_attributes("gone");
    SHOW(cudaGetLastError());
}

static void capture_destroy(int variant)
{
    printf("== stream destroyed during capture, variant %d\n", variant);
    int *p;
    cudaMalloc(&p, 4096);
    cudaMemset(p, 0, 4096);
    cudaStream_t s, t;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEvent_t fork, join;
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaGraph_t g = nullptr;
    cudaGraphExec_t e;
    cudaStreamBeginCapture(s, variant >= 10 ? cudaStreamCaptureModeRelaxed : cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, s);
    cudaStreamWaitEvent(t, fork, 0);
    fill<<<1, 32, 0, t>>>(p, 5);
    if (variant % 10 == 1) {
        SHOW(cudaStreamDestroy(t));
    } // not joined yet
    if (variant % 10 == 0) {
        cudaEventRecord(join, t);
        SHOW(cudaStreamWaitEvent(s, join, 0));
        SHOW(cudaStreamDestroy(t));
    }
    if (variant % 10 == 2) {
        cudaEventRecord(join, t);
        SHOW(cudaStreamDestroy(t));
        SHOW(cudaStreamWaitEvent(s, join, 0));
    }
    if (variant % 10 == 3) {
        SHOW(cudaStreamDestroy(s));
        cudaStreamCaptureStatus st = (cudaStreamCaptureStatus)9;
        SHOW(cudaStreamIsCapturing(t, &st));
        printf("  status %d\n", st);
        fill<<<1, 32, 0, t>>>(p, 6);
        SHOW(cudaGetLastError());
        SHOW(cudaStreamEndCapture(t, &g));
        SHOW(cudaStreamSynchronize(t));
        return;
    }
    if (variant % 10 == 4) {
        cudaEventRecord(join, t);
        SHOW(cudaEventDestroy(fork));
        SHOW(cudaStreamWaitEvent(s, join, 0));
        SHOW(cudaEventDestroy(join));
        SHOW(cudaStreamDestroy(t));
    }
    cudaStreamCaptureStatus st;
    SHOW(cudaStreamIsCapturing(s, &st));
    printf("  status %d\n", st);
    addone<<<1, 1, 0, s>>>(p);
    SHOW(cudaGetLastError());
    SHOW(cudaStreamEndCapture(s, &g));
    printf("  graph %d\n", g != nullptr);
    if (g) {
        size_t n = 0;
        cudaGraphGetNodes(g, nullptr, &n);
        printf("  nodes %zu\n", n);
        SHOW(cudaGraphInstantiate(&e, g, 0));
        SHOW(cudaGraphLaunch(e, s));
        SHOW(cudaStreamSynchronize(s));
        int v;
        cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost);
        printf("  value %d\n", v);
    }
    cudaGetLastError();
}

static cudaGraphNode_t add_kernel(cudaGraph_t g, cudaGraphNode_t after, void *f, void **args)
{
    cudaGraphNode_t n = nullptr;
    cudaKernelNodeParams k = {};
    k.gridDim = dim3(1);
    k.blockDim = dim3(1);
    k.func = f;
    k.kernelParams = args;
    cudaError_t e = cudaGraphAddKernelNode(&n, g, after ? &after : nullptr, after ? 1 : 0, &k);
    if (e)
        printf("  add kernel -> %s\n", cudaGetErrorName(e));
    return n;
}

static void conditional(cudaGraphConditionalNodeType type, unsigned size, unsigned flags, unsigned initial,
                        int value)
{
    printf("== conditional type %d size %u flags %u default %u set %d\n", type, size, flags, initial, value);
    int *p;
    cudaMalloc(&p, 4096);
    cudaMemset(p, 0, 4096);
    cudaGraph_t g;
    cudaGraphCreate(&g, 0);
    cudaGraphConditionalHandle h = 0;
    SHOW(cudaGraphConditionalHandleCreate(&h, g, initial, flags));
    printf("  handle %s\n", h ? "not 0" : "0");
    cudaGraphNode_t before = nullptr, node = nullptr;
    unsigned uv = value;
    if (value >= 0) {
        void *a[] = {&h, &uv};
        before = add_kernel(g, nullptr, (void *)setc, a);
    }
    cudaGraphNodeParams c = {};
    c.type = cudaGraphNodeTypeConditional;
    c.conditional.handle = h;
    c.conditional.type = type;
    c.conditional.size = size;
    SHOW(cudaGraphAddNode(&node, g, before ? &before : nullptr, nullptr, before ? 1 : 0, &c));
    if (!node) {
        cudaGetLastError();
        return;
    }
    for (unsigned i = 0; i < size; i++) {
        int *q = p + i;
        void *a[] = {&q};
        cudaGraphNode_t k = add_kernel(c.conditional.phGraph_out[i], nullptr, (void *)addone, a);
        if (type == cudaGraphCondTypeWhile) {
            int *n = p + 8;
            void *b[] = {&h, &n};
            add_kernel(c.conditional.phGraph_out[i], k, (void *)countdown, b);
        }
    }
    int five[2] = {5, 0};
    cudaMemcpy(p + 8, five, 8, cudaMemcpyHostToDevice);
    cudaGraphNodeType t;
    SHOW(cudaGraphNodeGetType(node, &t));
    printf("  type %d\n", t);
    cudaGraphExec_t e;
    SHOW(cudaGraphInstantiate(&e, g, 0));
    cudaStream_t s;
    cudaStreamCreate(&s);
    for (int i = 0; i < 2; i++) {
        SHOW(cudaGraphLaunch(e, s));
        SHOW(cudaStreamSynchronize(s));
        int v[10];
        cudaMemcpy(v, p, 40, cudaMemcpyDeviceToHost);
        printf("  bodies ran %d %d %d %d; countdown %d loops %d\n", v[0], v[1], v[2], v[3], v[8], v[9]);
    }
    cudaGraph_t clone;
    SHOW(cudaGraphClone(&clone, g));
    cudaGetLastError();
    SHOW(cudaGraphDestroyNode(node));
    cudaGetLastError();
    cudaGraphExecDestroy(e);
    SHOW(cudaGraphDestroy(g));
    cudaGetLastError();
}

static void conditional_errors()
{
    printf("== conditional errors\n");
    cudaGraph_t g;
    cudaGraphCreate(&g, 0);
    cudaGraphConditionalHandle h = 0, h2 = 0;
    cudaGraphNode_t node, node2;
    cudaGraphExec_t e;
    SHOW(cudaGraphConditionalHandleCreate(&h, g, 0, 2));
    SHOW(cudaGraphConditionalHandleCreate(&h, g, 0, 0));
    SHOW(cudaGraphInstantiate(&e, g, 0));
    cudaGetLastError();
    cudaGraphNodeParams c = {};
    c.type = cudaGraphNodeTypeConditional;
    c.conditional.handle = h;
    c.conditional.type = cudaGraphCondTypeWhile;
    c.conditional.size = 2;
    SHOW(cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &c));
    c.conditional.type = cudaGraphCondTypeIf;
    c.conditional.size = 3;
    SHOW(cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &c));
    c.conditional.size = 0;
    SHOW(cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &c));
    c.conditional.size = 1;
    SHOW(cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &c));
    cudaGraph_t body = c.conditional.phGraph_out[0];
    SHOW(cudaGraphAddNode(&node2, g, nullptr, nullptr, 0, &c)); // same handle twice
    cudaGraphNodeParams c3 = c;
    c3.conditional.handle = 0;
    SHOW(cudaGraphAddNode(&node2, g, nullptr, nullptr, 0, &c3));
    cudaGraph_t other;
    cudaGraphCreate(&other, 0);
    cudaGraphConditionalHandleCreate(&h2, other, 0, 0);
    c3 = c;
    c3.conditional.handle = h2;
    SHOW(cudaGraphAddNode(&node2, g, nullptr, nullptr, 0, &c3)); // handle of another graph
    cudaHostNodeParams hn = {};
    hn.fn = [](void *) {};
    SHOW(cudaGraphAddHostNode(&node2, body, nullptr, 0, &hn));
    cudaMemAllocNodeParams m = {};
    m.poolProps.allocType = cudaMemAllocationTypePinned;
    m.poolProps.location = {cudaMemLocationTypeDevice, 0};
    m.bytesize = 4096;
    SHOW(cudaGraphAddMemAllocNode(&node2, body, nullptr, 0, &m));
    cudaEvent_t ev;
    cudaEventCreate(&ev);
    SHOW(cudaGraphAddEventRecordNode(&node2, body, nullptr, 0, ev));
    SHOW(cudaGraphInstantiate(&e, g, 0));
    cudaGetLastError();
    SHOW(cudaGraphDestroy(body));
    cudaGetLastError();
    // nested: handle of the outer graph or the body
    cudaGraph_t n;
    cudaGraphCreate(&n, 0);
    cudaGraphConditionalHandle ho, hi;
    cudaGraphConditionalHandleCreate(&ho, n, 1, cudaGraphCondAssignDefault);
    c3 = {};
    c3.type = cudaGraphNodeTypeConditional;
    c3.conditional.handle = ho;
    c3.conditional.type = cudaGraphCondTypeIf;
    c3.conditional.size = 1;
    SHOW(cudaGraphAddNode(&node, n, nullptr, nullptr, 0, &c3));
    body = c3.conditional.phGraph_out[0];
    SHOW(cudaGraphConditionalHandleCreate(&hi, body, 1, cudaGraphCondAssignDefault));
    c3.conditional.handle = hi;
    SHOW(cudaGraphAddNode(&node, body, nullptr, nullptr, 0, &c3));
    cudaGetLastError();
    cudaGraphConditionalHandle hi2;
    SHOW(cudaGraphConditionalHandleCreate(&hi2, n, 1, cudaGraphCondAssignDefault));
    c3.conditional.handle = hi2;
    SHOW(cudaGraphAddNode(&node, body, nullptr, nullptr, 0, &c3));
    SHOW(cudaGraphInstantiate(&e, n, 0));
    cudaGetLastError();
    // as a child graph
    cudaGraph_t outer;
    cudaGraphCreate(&outer, 0);
    SHOW(cudaGraphAddChildGraphNode(&node, outer, nullptr, 0, n));
    cudaGetLastError();
}

static void nested_default()
{
    printf("== nested default: IF (default 1, nobody sets) inside WHILE of 3; its handle set to 0 in the "
           "body after it\n");
    int *p;
    cudaMalloc(&p, 4096);
    cudaMemset(p, 0, 4096);
    int three[2] = {3, 0};
    cudaMemcpy(p + 8, three, 8, cudaMemcpyHostToDevice);
    cudaGraph_t g;
    cudaGraphCreate(&g, 0);
    cudaGraphConditionalHandle hw, hi;
    cudaGraphConditionalHandleCreate(&hw, g, 1, cudaGraphCondAssignDefault);
    cudaGraphNode_t w, f;
    cudaGraphNodeParams c = {};
    c.type = cudaGraphNodeTypeConditional;
    c.conditional.handle = hw;
    c.conditional.type = cudaGraphCondTypeWhile;
    c.conditional.size = 1;
    SHOW(cudaGraphAddNode(&w, g, nullptr, nullptr, 0, &c));
    cudaGraph_t body = c.conditional.phGraph_out[0];
    SHOW(cudaGraphConditionalHandleCreate(&hi, g, 1, cudaGraphCondAssignDefault));
    c.conditional.handle = hi;
    c.conditional.type = cudaGraphCondTypeIf;
    SHOW(cudaGraphAddNode(&f, body, nullptr, nullptr, 0, &c));
    void *a[] = {&p};
    add_kernel(c.conditional.phGraph_out[0], nullptr, (void *)addone, a);
    unsigned zero = 0;
    void *b[] = {&hi, &zero};
    cudaGraphNode_t k = add_kernel(body, f, (void *)setc, b);
    int *n = p + 8;
    void *d[] = {&hw, &n};
    add_kernel(body, k, (void *)countdown, d);
    cudaGraphExec_t e;
    SHOW(cudaGraphInstantiate(&e, g, 0));
    SHOW(cudaGraphLaunch(e, 0));
    SHOW(cudaDeviceSynchronize());
    int v[10];
    cudaMemcpy(v, p, 40, cudaMemcpyDeviceToHost);
    printf("  if body ran %d, while loops %d\n", v[0], v[9]);
}

static void freed_async()
{
    printf("== use after cudaFreeAsync\n");
    int *p;
    cudaStream_t s;
    cudaStreamCreate(&s);
    SHOW(cudaMallocAsync((void **)&p, 4096, s));
    SHOW(cudaFreeAsync(p, s));
    SHOW(cudaMemsetAsync(p, 1, 64, s));
    int v;
    SHOW(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    SHOW(cudaFree(p));
    cudaGetLastError();
    SHOW(cudaFreeAsync(p, s));
    cudaGetLastError();
    fill<<<1, 32, 0, s>>>(p, 3);
    SHOW(cudaStreamSynchronize(s));
    SHOW(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    cudaGetLastError();
    cudaPointerAttributes at;
    SHOW(cudaPointerGetAttributes(&at, p));
    printf("  type %d\n", at.type);
}

static void compression()
{
    printf("== compression\n");
    cuInit(0);
    cudaFree(0);
    CUmemAllocationProp prop = {};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    prop.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
    size_t gr = 0;
    printf("  granularity %d", cuMemGetAllocationGranularity(&gr, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    printf(" %zu", gr);
    printf(" rec %d", cuMemGetAllocationGranularity(&gr, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    printf(" %zu\n", gr);
    CUmemGenericAllocationHandle h;
    printf("  create %d\n", cuMemCreate(&h, 2 << 20, &prop, 0));
    CUmemAllocationProp got = {};
    printf("  properties %d", cuMemGetAllocationPropertiesFromHandle(&got, h));
    printf(" compression %d\n", got.allocFlags.compressionType);
    prop.allocFlags.compressionType = 7;
    printf("  create 7: %d\n", cuMemCreate(&h, 2 << 20, &prop, 0));
}

static void ipc()
{
    printf("== IPC\n");
    int down[2], up[2];
    if (pipe(down) || pipe(up))
        return;
    struct Message {
        cudaIpcMemHandle_t memory, inner;
        cudaIpcEventHandle_t event;
    } m;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (read(down[0], &m, sizeof m) != sizeof m)
            _exit(1);
        int *p = nullptr, *q = nullptr, *r = nullptr;
        cudaEvent_t ev;
        SHOW(cudaIpcOpenMemHandle((void **)&p, m.memory, cudaIpcMemLazyEnablePeerAccess));
        SHOW(cudaIpcOpenMemHandle((void **)&q, m.memory, cudaIpcMemLazyEnablePeerAccess));
        printf("  same pointer twice: %d\n", p == q);
        cudaGetLastError();
        SHOW(cudaIpcOpenMemHandle((void **)&r, m.inner, cudaIpcMemLazyEnablePeerAccess));
        printf("  inner - p = %ld\n", (long)((char *)r - (char *)p));
        cudaGetLastError();
        SHOW(cudaIpcOpenEventHandle(&ev, m.event));
        SHOW(cudaEventSynchronize(ev));
        int v = 0;
        SHOW(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
        printf("  child sees %d\n", v);
        fill<<<1, 32>>>(p, 99);
        SHOW(cudaDeviceSynchronize());
        cudaPointerAttributes at;
        SHOW(cudaPointerGetAttributes(&at, p));
        printf("  type %d\n", at.type);
        SHOW(cudaFree(p));
        cudaGetLastError();
        cudaIpcMemHandle_t again;
        SHOW(cudaIpcGetMemHandle(&again, p));
        cudaGetLastError();
        SHOW(cudaEventRecord(ev, 0));
        SHOW(cudaDeviceSynchronize());
        SHOW(cudaIpcCloseMemHandle(p));
        SHOW(cudaIpcCloseMemHandle(p));
        SHOW(cudaIpcCloseMemHandle(p));
        cudaGetLastError();
        fflush(stdout);
        if (write(up[1], "x", 1) != 1)
            _exit(2);
        _exit(0);
    }
    int *p;
    cudaEvent_t ev;
    cudaMalloc(&p, 1 << 20);
    fill<<<1, 32>>>(p, 42);
    SHOW(cudaEventCreateWithFlags(&ev, cudaEventInterprocess | cudaEventDisableTiming));
    cudaEventRecord(ev, 0);
    memset(&m, 0, sizeof m);
    SHOW(cudaIpcGetMemHandle(&m.memory, p));
    SHOW(cudaIpcGetMemHandle(&m.inner, p + 1024));
    SHOW(cudaIpcGetEventHandle(&m.event, ev));
    printf("  equal handles: %d\n", !memcmp(&m.memory, &m.inner, sizeof m.memory));
    int *mine;
    SHOW(cudaIpcOpenMemHandle((void **)&mine, m.memory, cudaIpcMemLazyEnablePeerAccess));
    cudaGetLastError();
    cudaEvent_t same;
    SHOW(cudaIpcOpenEventHandle(&same, m.event));
    cudaGetLastError();
    int *host;
    cudaMallocHost(&host, 4096);
    cudaIpcMemHandle_t bad;
    SHOW(cudaIpcGetMemHandle(&bad, host));
    cudaGetLastError();
    int *man;
    cudaMallocManaged(&man, 4096);
    SHOW(cudaIpcGetMemHandle(&bad, man));
    cudaGetLastError();
    int *as;
    cudaMallocAsync((void **)&as, 4096, 0);
    SHOW(cudaIpcGetMemHandle(&bad, as));
    cudaGetLastError();
    cudaEvent_t plain;
    cudaEventCreate(&plain);
    cudaIpcEventHandle_t eh;
    SHOW(cudaIpcGetEventHandle(&eh, plain));
    cudaGetLastError();
    fflush(stdout);
    if (write(down[1], &m, sizeof m) != sizeof m)
        return;
    char x;
    if (read(up[0], &x, 1) != 1)
        printf("  child failed\n");
    int status;
    waitpid(child, &status, 0);
    int v = 0;
    cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost);
    printf("  parent sees %d, child ended %d\n", v, status);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, nullptr, _IOLBF, 0);
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 0:
        attributes();
        break;
    case 1:
        graph_memory();
        break;
    case 2:
        for (int v = 0; v < 5; v++)
            capture_destroy(v);
        capture_destroy(10);
        break;
    case 3:
        conditional(cudaGraphCondTypeIf, 1, 0, 0, 1);
        conditional(cudaGraphCondTypeIf, 1, 0, 1, -1);
        conditional(cudaGraphCondTypeIf, 1, 1, 1, -1);
        conditional(cudaGraphCondTypeIf, 2, 1, 0, -1);
        conditional(cudaGraphCondTypeIf, 2, 0, 0, 7);
        conditional(cudaGraphCondTypeWhile, 1, 1, 1, -1);
        conditional(cudaGraphCondTypeSwitch, 4, 0, 0, 2);
        conditional(cudaGraphCondTypeSwitch, 4, 0, 0, 4);
        conditional(cudaGraphCondTypeSwitch, 4, 1, 3, -1);
        break;
    case 4:
        conditional_errors();
        break;
    case 5:
        nested_default();
        break;
    case 6:
        freed_async();
        break;
    case 7:
        compression();
        break;
    case 8:
        ipc();
        break;
    }
    return 0;
}
