#include "together/together.h"

#include <stdio.h>
#include <stdlib.h>

#define MODE(name) (1u << TOGETHER_##name)
#define FOUND (MODE(HOST) | MODE(CDP) | MODE(DTBL) | MODE(GSYNC) | MODE(WS))

const TogetherProblem together_problems[TOGETHER_PROBLEMS] = {
    [TOGETHER_WAVE] = {"wave", "wavefront", "A matrix whose cells need those above and to the left",
                       (1u << TOGETHER_MODES) - 1, together_wave},
    [TOGETHER_STENCIL] = {"stencil", "barrier-rich", "Many steps of a five-point stencil",
                          (1u << TOGETHER_MODES) - 1, together_stencil},
    [TOGETHER_GRAPH] = {"graph", "graph", "Breadth-first search in a citation network",
                        FOUND | MODE(CHANNELS), together_graph},
    [TOGETHER_ROWS] = {"rows", "irregular", "A sparse matrix times a vector, again and again",
                       FOUND | MODE(BARRIERS), together_rows},
    [TOGETHER_TREE] = {"tree", "task-parallel", "Ways to place queens, by a tree of boards",
                       FOUND | MODE(CHANNELS), together_tree},
};

const char *const together_mode_names[TOGETHER_MODES] = {
    [TOGETHER_HOST] = "host",     [TOGETHER_CDP] = "cdp",   [TOGETHER_DTBL] = "dtbl",
    [TOGETHER_BARRIERS] = "barriers", [TOGETHER_LRR] = "lrr",   [TOGETHER_LVL] = "lvl",
    [TOGETHER_GSYNC] = "gsync",   [TOGETHER_WS] = "ws",     [TOGETHER_WS_ORDER] = "ws-order",
    [TOGETHER_CHANNELS] = "channels",
};

bool together_has(const TogetherProblem *problem, TogetherMode mode) { return problem->modes >> mode & 1; }

const char *together_refusal(const TogetherProblem *problem, TogetherMode mode)
{
    const bool is_found = !together_has(problem, TOGETHER_BARRIERS);
    if (together_has(problem, mode))
        return NULL;
    switch (mode) {
    case TOGETHER_BARRIERS:
        return "a dependency graph needs all blocks before the launch, and how many there are is found by "
               "running";
    case TOGETHER_LRR:
    case TOGETHER_LVL:
        return is_found ? "a dependency graph needs all blocks before the launch, and how many there are is "
                          "found by running"
                        : "every row may need every other one of the product before: that is a barrier";
    case TOGETHER_WS_ORDER:
        return "its blocks all meet behind each level, so that none comes before another";
    default:
        return "a channel has no barrier, and a product needs the whole one before";
    }
}

bool together_run(const TogetherProblem *problem, const TogetherRun *run, WbGpu *gpu, const char *folder,
                  Host *host)
{
    char file[64];
    const char *refusal = together_refusal(problem, run->mode);
    snprintf(file, sizeof file, "%s.ptx", problem->name);
    *host = host_begin(gpu, folder, file);
    if (refusal && host->status == WB_OK) {
        host->status = WB_ERROR_ARGUMENT;
        snprintf(host->error, sizeof host->error, "%s cannot run by %s: %s.", problem->name,
                 together_mode_names[run->mode], refusal);
    }
    const bool right = host->status == WB_OK && problem->run(host, run) && host->status == WB_OK;
    if (!right && host->status == WB_OK)
        snprintf(host->error, sizeof host->error,
                 "The result of %s (%s) is not the one computed without the GPU.", problem->name,
                 together_mode_names[run->mode]);
    return right;
}

/* -- for the problems -- */

void together_begin_time(Host *host) { host->timed = wb_time(host->gpu); }

void together_end_time(Host *host)
{
    host_finish(host);
    host->total_time = wb_time(host->gpu) - host->timed;
}

uint64_t together_zeros(Host *host, size_t bytes)
{
    void *zeros = host_array(host, bytes, 1);
    const uint64_t address = zeros ? host_buffer(host, zeros, bytes) : 0;
    free(zeros);
    return address;
}

uint32_t together_resident(Host *host, const char *name, uint32_t threads)
{
    WbKernel *kernel = NULL;
    uint32_t blocks = 0;
    uint64_t sms = 0;
    if (host->status == WB_OK)
        host_keep(host, wb_module_kernel(host->module, name, &kernel));
    if (host->status == WB_OK)
        host_keep(host, wb_kernel_occupancy(kernel, threads, 0, &blocks));
    if (host->status == WB_OK)
        host_keep(host, wb_gpu_get(host->gpu, "sm_count", &sms));
    return host->status == WB_OK ? blocks * (uint32_t)sms : 0;
}

void together_flow(Host *host, const TogetherFlow *flow)
{
    WbFlow *graph = NULL;
    WbKernel *kernel = NULL;
    uint32_t channel = 0, node = 0;
    const WbFlowChannel shape = {
        .name = "tasks", .element_bytes = flow->element_bytes, .capacity = flow->capacity};
    const WbLaunch launch = {.arguments = flow->arguments, .argument_count = flow->argument_count};
    if (host->status == WB_OK)
        host_keep(host, wb_module_kernel(host->module, flow->kernel, &kernel));
    if (host->status == WB_OK)
        host_keep(host, wb_flow_create(host->gpu, &graph));
    if (host->status == WB_OK)
        host_keep(host, wb_flow_add_stack(graph, &shape, flow->levels, false, &channel));
    if (host->status == WB_OK)
        host_keep(host, wb_flow_add_node(graph, kernel, &launch, &node));
    if (host->status == WB_OK)
        host_keep(host, wb_flow_connect(graph, channel, node));
    if (host->status == WB_OK)
        host_keep(host, wb_flow_produces(graph, node, channel));
    if (host->status == WB_OK)
        host_keep(host, wb_flow_put(graph, channel, flow->first, flow->first_count));
    if (host->status == WB_OK && flow->stream) {
        host_keep(host, wb_flow_launch(graph, flow->stream));
        if (host->status == WB_OK)
            host_keep(host, wb_stream_wait(host->gpu, flow->stream));
    } else if (host->status == WB_OK) {
        host_launch_flow(host, graph);
    }
    if (graph)
        wb_flow_destroy(graph);
}
