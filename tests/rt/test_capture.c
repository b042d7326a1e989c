/* Graphs of the runtime that streams capture: forks, joins, and what CUDA forbids meanwhile. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>

#include "graph_program.h"

static void captures_replay(void **state)
{
    Ground *ground = *state;
    void *graph = NULL, *during = NULL;
    int status = -1;
    unsigned long long id = 0;
    size_t count = 9;
    const void *frontier = NULL;
    Note note = {.source = &(uint32_t){3}};
    OK(cudaStreamIsCapturing(ground->stream, &status));
    assert_int_equal(status, 0);
    OK(cudaStreamBeginCapture(ground->stream, GLOBAL));
    OK(launch(kernels.append, ground->cell, 1, ground->stream));
    OK(launch(kernels.append, ground->cell, 2, ground->stream));
    OK(cudaLaunchHostFunc(ground->stream, take_note, &note));
    OK(cudaStreamGetCaptureInfo(ground->stream, &status, &id, &during, &frontier, NULL, &count));
    assert_int_equal(status, 1);
    assert_true(id != 0 && count == 1);
    OK(cudaStreamEndCapture(ground->stream, &graph));
    assert_ptr_equal(graph, during);
    assert_int_equal(read_cell(ground->cell), 0);
    void *executable = make_executable(graph);
    run(executable, ground->stream);
    run(executable, ground->stream);
    assert_int_equal(read_cell(ground->cell), 1212);
    assert_int_equal(note.calls, 2);
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
}

static void captures_fork_and_join(void **state)
{
    Ground *ground = *state;
    void *graph = NULL, *executable, *from[8], *to[8];
    size_t count = 8;
    OK(cudaStreamBeginCapture(ground->stream, GLOBAL));
    OK(launch(kernels.append, ground->cell, 1, ground->stream));
    OK(cudaEventRecord(ground->event, ground->stream));
    OK(cudaStreamWaitEvent(ground->other, ground->event, 0));
    OK(launch(kernels.append, ground->cell, 2, ground->other));
    OK(cudaMemsetAsync((char *)ground->cell + 8, 0xff, 4, ground->stream));
    OK(cudaEventRecord(ground->event, ground->other));
    OK(cudaStreamWaitEvent(ground->stream, ground->event, 0));
    OK(launch(kernels.append, ground->cell, 3, ground->stream));
    OK(cudaStreamEndCapture(ground->stream, &graph));
    OK(cudaGraphGetEdges(graph, from, to, NULL, &count));
    assert_int_equal(count, 4);
    executable = make_executable(graph);
    run(executable, ground->stream);
    assert_int_equal(read_cell(ground->cell), 123);
    assert_int_equal(read_cell((char *)ground->cell + 8), UINT32_MAX);
    OK(cudaStreamSynchronize(ground->other));
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
}

static void captures_take_graphs_and_memory(void **state)
{
    Ground *ground = *state;
    void *inner = NULL, *graph = NULL, *memory = NULL, *executable;
    OK(cudaStreamBeginCapture(ground->stream, RELAXED));
    OK(launch(kernels.append, ground->cell, 2, ground->stream));
    OK(cudaStreamEndCapture(ground->stream, &inner));
    void *inner_executable = make_executable(inner);
    OK(cudaGraphCreate(&graph, 0));
    void *first = add_append(graph, NULL, ground->cell, 1);
    OK(cudaStreamBeginCaptureToGraph(ground->stream, graph, &first, NULL, 1, GLOBAL));
    OK(cudaGraphLaunch(inner_executable, ground->stream));
    OK(cudaMallocAsync(&memory, 256, ground->stream));
    OK(cudaMemcpyAsync(memory, ground->cell, 4, ON_DEVICE, ground->stream));
    OK(cudaMemcpyAsync((char *)ground->cell + 4, memory, 4, ON_DEVICE, ground->stream));
    OK(cudaFreeAsync(memory, ground->stream));
    OK(cudaStreamEndCapture(ground->stream, &graph));
    executable = make_executable(graph);
    run(executable, ground->stream);
    run(executable, ground->stream);
    assert_int_equal(read_cell(ground->cell), 1212);
    assert_int_equal(read_cell((char *)ground->cell + 4), 1212);
    OK(cudaGraphExecDestroy(inner_executable));
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(inner));
    OK(cudaGraphDestroy(graph));
}

static void end_broken(void *stream)
{
    void *graph = &graph;
    assert_int_equal(launch(kernels.append, NULL, 1, stream), CAPTURE_INVALIDATED);
    assert_int_equal(cudaStreamEndCapture(stream, &graph), CAPTURE_INVALIDATED);
    assert_null(graph);
}

static void captures_forbid_waiting(void **state)
{
    Ground *ground = *state;
    void *blocking = NULL;
    OK(cudaStreamBeginCapture(ground->stream, GLOBAL));
    assert_int_equal(cudaStreamSynchronize(ground->stream), CAPTURE_UNSUPPORTED);
    end_broken(ground->stream);
    OK(cudaStreamBeginCapture(ground->stream, RELAXED));
    assert_int_equal(cudaDeviceSynchronize(), CAPTURE_UNSUPPORTED);
    end_broken(ground->stream);
    OK(cudaStreamBeginCapture(ground->stream, GLOBAL));
    OK(cudaEventRecord(ground->event, ground->stream));
    assert_int_equal(cudaEventSynchronize(ground->event), CAPTURED_EVENT);
    end_broken(ground->stream);
    OK(cudaStreamCreate(&blocking));
    OK(cudaStreamBeginCapture(blocking, THREAD_LOCAL));
    assert_int_equal(launch(kernels.append, ground->cell, 1, NULL), CAPTURE_IMPLICIT);
    end_broken(blocking);
    OK(cudaStreamDestroy(blocking));
    assert_int_equal(cudaStreamBeginCapture(NULL, GLOBAL), CAPTURE_UNSUPPORTED);
    assert_int_equal(cudaStreamBeginCapture(ground->stream, 3), INVALID_VALUE);
}

/* A stream that has joined a capture may go, before its event is waited for and behind it; what it captured
 * must be waited for. */
static void joined_streams_may_go(void **state)
{
    enum { NEVER, BEFORE, BEHIND };
    Ground *ground = *state;
    for (int joined = NEVER; joined <= BEHIND; joined++) {
        void *graph = NULL, *other, *fork = NULL;
        OK(cudaStreamCreateWithFlags(&other, 1));
        OK(cudaEventCreate(&fork));
        OK(cudaMemset(ground->cell, 0, 4));
        OK(cudaDeviceSynchronize());
        OK(cudaStreamBeginCapture(ground->stream, GLOBAL));
        OK(cudaEventRecord(fork, ground->stream));
        OK(cudaStreamWaitEvent(other, fork, 0));
        OK(launch(kernels.append, ground->cell, 1, other));
        OK(cudaEventRecord(ground->event, other));
        if (joined == BEFORE)
            OK(cudaStreamWaitEvent(ground->stream, ground->event, 0));
        OK(cudaStreamDestroy(other));
        if (joined == BEHIND)
            OK(cudaStreamWaitEvent(ground->stream, ground->event, 0));
        OK(launch(kernels.append, ground->cell, 2, ground->stream));
        assert_int_equal(cudaStreamEndCapture(ground->stream, &graph),
                         joined == NEVER ? CAPTURE_UNJOINED : 0);
        if (joined != NEVER) {
            void *executable = make_executable(graph);
            run(executable, ground->stream);
            assert_int_equal(read_cell(ground->cell), 12);
            OK(cudaGraphExecDestroy(executable));
            OK(cudaGraphDestroy(graph));
        }
        OK(cudaEventDestroy(fork));
    }
}

static void captures_end_where_they_began(void **state)
{
    Ground *ground = *state;
    void *graph = NULL;
    assert_int_equal(cudaStreamEndCapture(ground->stream, &graph), ILLEGAL_STATE);
    OK(cudaStreamBeginCapture(ground->stream, GLOBAL));
    assert_int_equal(cudaStreamBeginCapture(ground->stream, GLOBAL), ILLEGAL_STATE);
    OK(cudaEventRecord(ground->event, ground->stream));
    OK(cudaStreamWaitEvent(ground->other, ground->event, 0));
    assert_int_equal(cudaStreamEndCapture(ground->other, &graph), CAPTURE_UNMATCHED);
    OK(launch(kernels.append, ground->cell, 1, ground->other));
    assert_int_equal(cudaStreamEndCapture(ground->stream, &graph), CAPTURE_UNJOINED);
    assert_null(graph);
    OK(launch(kernels.append, ground->cell, 1, ground->other));
    OK(cudaStreamSynchronize(ground->other));
    assert_int_equal(read_cell(ground->cell), 1);
}

typedef struct Attempt {
    void *stream, *graph;
    int allocated, ended;
} Attempt;

static void *try_elsewhere(void *context)
{
    Attempt *attempt = context;
    void *memory = NULL;
    attempt->allocated = cudaMalloc(&memory, 16);
    attempt->ended = cudaStreamEndCapture(attempt->stream, &attempt->graph);
    cudaFree(memory);
    return NULL;
}

/* What another thread may do while this one captures, and what this one may. */
static void captures_watch_threads(void **state)
{
    Ground *ground = *state;
    const struct {
        int mode, allocated, ended, own_allocated;
    } cases[] = {
        {GLOBAL, CAPTURE_UNSUPPORTED, CAPTURE_WRONG_THREAD, CAPTURE_UNSUPPORTED},
        {THREAD_LOCAL, 0, CAPTURE_WRONG_THREAD, CAPTURE_UNSUPPORTED},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        Attempt attempt = {.stream = ground->stream};
        pthread_t thread;
        void *memory = NULL, *graph;
        OK(cudaStreamBeginCapture(ground->stream, cases[i].mode));
        assert_int_equal(pthread_create(&thread, NULL, try_elsewhere, &attempt), 0);
        pthread_join(thread, NULL);
        assert_int_equal(attempt.allocated, cases[i].allocated);
        assert_int_equal(attempt.ended, cases[i].ended);
        assert_int_equal(cudaMalloc(&memory, 16), cases[i].own_allocated);
        assert_int_equal(cudaStreamEndCapture(ground->stream, &graph), CAPTURE_INVALIDATED);
    }
    void *memory = NULL, *graph = NULL;
    OK(cudaStreamBeginCapture(ground->stream, RELAXED));
    OK(cudaMalloc(&memory, 16));
    OK(cudaFree(memory));
    OK(cudaStreamEndCapture(ground->stream, &graph));
    OK(cudaGraphDestroy(graph));
    OK(cudaMalloc(&memory, 16));
    OK(cudaStreamBeginCapture(ground->stream, GLOBAL));
    assert_int_equal(cudaFree(memory), CAPTURE_UNSUPPORTED);
    end_broken(ground->stream);
    OK(cudaFree(memory));
}

static void captures_stay_apart(void **state)
{
    Ground *ground = *state;
    void *graph = NULL;
    OK(cudaEventRecord(ground->event, ground->other));
    OK(cudaStreamBeginCapture(ground->stream, GLOBAL));
    assert_int_equal(cudaStreamWaitEvent(ground->stream, ground->event, 0), CAPTURE_ISOLATION);
    end_broken(ground->stream);
    OK(cudaStreamBeginCapture(ground->stream, GLOBAL));
    OK(cudaStreamBeginCapture(ground->other, GLOBAL));
    OK(cudaEventRecord(ground->event, ground->stream));
    assert_int_equal(cudaStreamWaitEvent(ground->other, ground->event, 0), CAPTURE_MERGE);
    end_broken(ground->stream);
    end_broken(ground->other);
    OK(cudaStreamBeginCapture(ground->stream, GLOBAL));
    OK(cudaStreamWaitEvent(ground->stream, ground->event, 1));
    OK(cudaEventRecordWithFlags(ground->event, ground->stream, 1));
    OK(cudaStreamEndCapture(ground->stream, &graph));
    size_t count = 0;
    OK(cudaGraphGetNodes(graph, NULL, &count));
    assert_int_equal(count, 2);
    OK(cudaGraphDestroy(graph));
}

static void modes_are_exchanged(void **state)
{
    (void)state;
    int mode = RELAXED;
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, GLOBAL);
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, RELAXED);
    mode = 3;
    assert_int_equal(cudaThreadExchangeStreamCaptureMode(&mode), INVALID_VALUE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, ground_begin, ground_end)
    const struct CMUnitTest tests[] = {
        TEST(captures_replay),         TEST(captures_fork_and_join), TEST(captures_take_graphs_and_memory),
        TEST(captures_forbid_waiting), TEST(joined_streams_may_go),  TEST(captures_end_where_they_began),
        TEST(captures_watch_threads),  TEST(captures_stay_apart),    TEST(modes_are_exchanged),
    };
    return cmocka_run_group_tests(tests, program_begin, NULL);
}
