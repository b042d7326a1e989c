/* Conditional nodes while a graph runs.
 *
 * When the stream comes to the node, a function of ours looks at the condition and puts the graph that it
 * chooses into a stream of that graph's own; what comes behind the node waits at a gate, which is opened when
 * that graph has come to its end and, of a loop, the condition says so. */
#include "rt/graph_condition.h"
#include "rt/graph_executable.h"
#include "rt/host_call.h"

/* On its way through a conditional node. Invariant: exactly one function of a stream, which has not run, has
 * it. */
typedef struct Passage {
    const RtStep *step;
    WbGate *gate;
} Passage;

static RtError prepare_body(RtExecutable *body)
{
    const RtError error =
        rt_check(wb_stream_create(rt_gpu(), WB_STREAM_NON_BLOCKING, RT_PRIORITY_LEAST, &body->own));
    return error ? error : rt_executable_equip(body);
}

RtError rt_conditional_plan(RtStep *step)
{
    const RtOperation *operation = &step->node->operation;
    RtError error = RT_SUCCESS;
    for (uint32_t i = 0; i < operation->conditional.count && !error; i++) {
        RtExecutable *body = xcalloc(1, sizeof *body);
        body->graph = operation->conditional.graphs[i];
        VEC_PUSH(&step->bodies, body);
        body->device = rt_graph_device(body->graph);
        error = RT_ON(body->device, prepare_body(body));
        if (!error)
            error = rt_executable_plan(body);
    }
    return error;
}

static void leave(Passage *passage)
{
    wb_gate_open(passage->gate);
    xfree(passage);
}

static void come_back(void *context);

/* Where the chosen graph cannot be put into streams, which has been told, the node ends. */
static void go_on(Passage *passage)
{
    const uint32_t chosen = rt_conditional_choose(&passage->step->node->operation);
    if (chosen == UINT32_MAX) {
        leave(passage);
        return;
    }
    RtExecutable *body = passage->step->bodies.items[chosen];
    RtError error = rt_executable_issue(body, body->own);
    if (!error)
        error = RT_ON(body->device, rt_own_call(body->own, come_back, xfree, passage));
    if (error)
        leave(passage);
}

static void decide(void *context) { go_on(context); }

static void come_back(void *context)
{
    Passage *passage = context;
    if (passage->step->node->operation.conditional.type == RT_CONDITIONAL_WHILE)
        go_on(passage);
    else
        leave(passage);
}

RtError rt_conditional_issue(const RtStep *step, WbStream *stream)
{
    Passage *passage = xmalloc(sizeof *passage);
    *passage = (Passage){.step = step};
    RtError error = rt_own_call(stream, decide, xfree, passage);
    if (error) {
        xfree(passage);
        return error;
    }
    return rt_check(wb_stream_gate(rt_gpu(), stream, &passage->gate));
}

static void assign(void *context)
{
    const RtExecutable *executable = context;
    for (uint32_t i = 0; i < executable->graph->conditions.count; i++) {
        const RtCondition *condition = executable->graph->conditions.items[i];
        if (condition->is_assigned)
            *condition->value = condition->initial;
    }
}

RtError rt_conditions_issue(const RtExecutable *executable, WbStream *stream)
{
    return rt_own_call(stream, assign, NULL, (void *)(uintptr_t)executable);
}
