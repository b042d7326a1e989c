/* Runs that follow each other or overlap: the same to the bit, in graphs, and beside other networks. */
#include "groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKED_STEPS = 4096 };

static WbRnnShape shape_of(WbRnnKind kind, uint32_t layers, uint32_t hidden)
{
    return (WbRnnShape){.kind = kind, .layers = layers, .hidden = hidden, .input = hidden, .batch = 4,
                        .groups = kind == WBRNN_GROUPED_LSTM ? 4 : 0};
}

/* -- equal to the bit -- */

static void repeat(Program *program, WbRnnShape shape, uint32_t steps, const Way *way)
{
    if (is_given_up(way)) {
        program->failed++;
        return;
    }
    Net net;
    size_t bytes, first_bytes;
    uint32_t equal = 0;
    const bool opened = net_open(&net, program, shape, steps, way->options);
    void *first = NULL;
    for (uint32_t i = 0; opened && i < program->repeats && net_run(&net, NULL, NULL) && net_wait(&net); i++) {
        void *results = net_results(&net, &bytes);
        if (!first) {
            first = results;
            first_bytes = bytes;
        }
        equal += bytes == first_bytes && memcmp(results, first, bytes) == 0;
        if (results != first)
            free(results);
    }
    free(first);
    note_stuck(way, &net);
    check(program, equal == program->repeats, "%u of %u runs of %s by %s are equal to the first: %s", equal,
          program->repeats, name_of(&shape, steps), way->name, net.why);
    net_close(&net);
}

void test_repeats(Program *program)
{
    enum { STEPS = 32 };
    for (uint32_t kind = 0; kind < WBRNN_KINDS; kind++)
        for (uint32_t type = 0; type < WBRNN_TYPES; type++) {
            WbRnnShape shape = shape_of(kind, 8, 256);
            shape.type = type;
            repeat(program, shape, STEPS, &ways[0]);
        }
    for (size_t i = 1; i < way_count; i++)
        repeat(program, shape_of(WBRNN_LSTM, 4, 128), STEPS, &ways[i]);
    repeat(program, shape_of(WBRNN_LSTM, 8, 512), 8, &ways[0]);
    repeat(program, shape_of(WBRNN_GRU, 2, 1024), 8, &ways[0]);
}

/* -- graphs -- */

static bool run_captured(Net *net, void *stream, const void *expected, size_t bytes)
{
    RnnDevice *gpu = net->program->gpu;
    void *graph = NULL, *end = NULL;
    bool equal = !gpu->calls->graph_begin(gpu, stream);
    const bool ran = net_run(net, NULL, stream);
    equal = !gpu->calls->graph_end(gpu, stream, &graph) && ran && equal &&
            !gpu->calls->event_create(gpu, &end);
    for (int i = 0; i < 3 && equal; i++) {
        gpu->calls->fill(gpu, net->y, 0x40e040e0, 16, stream);
        equal = !gpu->calls->graph_launch(gpu, graph, stream) &&
                !gpu->calls->event_record(gpu, end, stream) && !gpu->calls->event_finish(gpu, end);
        size_t again;
        void *results = net_results(net, &again);
        equal = equal && again == bytes && memcmp(results, expected, bytes) == 0;
        free(results);
    }
    if (end)
        gpu->calls->event_destroy(gpu, end);
    if (graph)
        gpu->calls->graph_destroy(gpu, graph);
    return equal && net_wait(net);
}

void test_graph(Program *program)
{
    RnnDevice *gpu = program->gpu;
    void *stream = NULL;
    check(program, !gpu->calls->stream_create(gpu, &stream), "a stream: %s", gpu->error);
    for (size_t i = 0; i < way_count; i++) {
        if (ways[i].options.graph || is_given_up(&ways[i]))
            continue; /* a graph inside of a graph is not offered */
        const WbRnnShape shape = shape_of(program->small ? WBRNN_GRU : WBRNN_LSTM, 2, 64);
        const uint32_t steps = program->small ? 3 : 20;
        Net net;
        bool equal = net_open(&net, program, shape, steps, ways[i].options) && net_run(&net, NULL, stream) &&
                     net_wait(&net);
        if (equal) {
            size_t bytes;
            void *expected = net_results(&net, &bytes);
            equal = run_captured(&net, stream, expected, bytes);
            free(expected);
        }
        check(program, equal, "a graph of %s by %s does not do what the run does: %s", name_of(&shape, steps),
              ways[i].name, net.why);
        net_close(&net);
    }
    gpu->calls->stream_destroy(gpu, stream);
}

/* -- two networks -- */

/* Rounds of runs of both, nobody waited for in between; then both have what they have alone. */
static void run_both(Program *program, Net nets[2], void *streams[2], const char *what)
{
    void *expected[2];
    size_t bytes[2], again;
    bool good = true;
    for (int i = 0; i < 2; i++) {
        good = good && net_run(&nets[i], NULL, NULL) && net_wait(&nets[i]);
        expected[i] = net_results(&nets[i], &bytes[i]);
    }
    for (int round = 0; round < 50; round++)
        for (int i = 0; i < 2; i++)
            good = good && net_run(&nets[i], NULL, streams[round % 2 ? 1 - i : i]);
    for (int i = 0; i < 2; i++) {
        good = good && net_wait(&nets[i]);
        void *results = net_results(&nets[i], &again);
        check(program, good && memcmp(results, expected[i], bytes[i]) == 0,
              "%s: network %d on a stream of two: %s", what, i, nets[i].why);
        free(results);
        free(expected[i]);
    }
}

static void open_two(Program *program, WbRnnShape first, WbRnnShape second, const Way *ways_of[2],
                     const char *what)
{
    RnnDevice *gpu = program->gpu;
    Net nets[2];
    void *streams[2] = {NULL, NULL};
    const bool both = net_open(&nets[0], program, first, 64, ways_of[0]->options) &
                      net_open(&nets[1], program, second, 64, ways_of[1]->options);
    const bool made = !gpu->calls->stream_create(gpu, &streams[0]) &&
                      !gpu->calls->stream_create(gpu, &streams[1]);
    if (both && made)
        run_both(program, nets, streams, what);
    else
        check(program, false, "%s: %s%s", what, nets[0].why, nets[1].why);
    for (int i = 0; i < 2; i++) {
        net_close(&nets[i]);
        if (streams[i])
            gpu->calls->stream_destroy(gpu, streams[i]);
    }
}

void test_streams(Program *program)
{
    const Way *automatic = &ways[0], *persistent = NULL, *stream = NULL;
    for (size_t i = 0; i < way_count; i++) {
        if (ways[i].options.method == WBRNN_PERSISTENT)
            persistent = &ways[i];
        if (ways[i].options.method == WBRNN_STREAM && !ways[i].options.graph)
            stream = &ways[i];
    }
    open_two(program, shape_of(WBRNN_LSTM, 8, 256), shape_of(WBRNN_GRU, 8, 256),
             (const Way *[]){automatic, automatic}, "two that each need most SMs");
    open_two(program, shape_of(WBRNN_LSTM, 1, 64), shape_of(WBRNN_TANH, 2, 64),
             (const Way *[]){automatic, automatic}, "two that fit beside each other");
    open_two(program, shape_of(WBRNN_LSTM, 8, 256), shape_of(WBRNN_LSTM, 4, 256),
             (const Way *[]){automatic, persistent}, "wait-signal and persistent");
    open_two(program, shape_of(WBRNN_LSTM, 8, 256), shape_of(WBRNN_LSTM, 2, 128),
             (const Way *[]){automatic, stream}, "wait-signal and stream");
}

void test_busy(Program *program)
{
    const WbRnnShape shape = shape_of(WBRNN_LSTM, 8, 256);
    RnnDevice *gpu = program->gpu;
    void *streams[2] = {NULL, NULL};
    Net nets[2];
    bool both = net_open(&nets[0], program, shape, BLOCKED_STEPS, (WbRnnOptions){0}) &
                net_open(&nets[1], program, shape, 8, (WbRnnOptions){.refuse_if_busy = true});
    both = both && !gpu->calls->stream_create(gpu, &streams[0]) &&
           !gpu->calls->stream_create(gpu, &streams[1]);
    const bool first = both && net_run(&nets[0], NULL, streams[0]);
    const bool refused = first && !net_run(&nets[1], NULL, streams[1]) && nets[1].status == WBRNN_BUSY;
    check(program, refused && strstr(nets[1].why, "SMs"), "a second network is not refused: %s%s",
          nets[0].why, nets[1].why);
    check(program, first && net_wait(&nets[0]) && net_run(&nets[1], NULL, streams[1]) && net_wait(&nets[1]),
          "behind the first the second does not run: %s", nets[1].why);
    for (int i = 0; i < 2; i++) {
        net_close(&nets[i]);
        if (streams[i])
            gpu->calls->stream_destroy(gpu, streams[i]);
    }
}
