/* A run by streams: a kernel for O U of each layer and step, and one for S W and the cell. A layer has a
 * stream for each of the two, so that layers work at different steps at once; events order what crosses
 * streams. The first layer's O U of all steps is one product before [sync thesis 3.2.3.3 and 5.2.2].
 *
 * With options.graph all of a run is captured once and launched as one graph, until a run has other
 * arguments. */
#include "chunk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_TILES = 4 /* that a kernel for large batches takes at a time: stream.cu */ };

/* What a graph was captured of. */
typedef struct Captured {
    void *graph; /* null: nothing */
    WbRnnRun run;
    uint32_t lengths[JOB_SEQUENCES];
    uint64_t work;
} Captured;

/* Events are recorded and waited for again and again: a wait is for the record before it. */
struct RnnStreams {
    RnnKernel *input, *state;
    void *input_stream[JOB_LAYERS], *state_stream[JOB_LAYERS]; /* the first layer has none for its input */
    void *input_done[JOB_LAYERS], *state_done[JOB_LAYERS];     /* events: of the last step so far */
    void *begun;
    void *capture; /* stream that a run is captured on; null: no graphs */
    Captured captured;
};

/* -- a chunk -- */

static WbRnnStatus record(const RnnChunk *chunk, void *event, void *stream)
{
    RnnDevice *device = chunk->rnn->device;
    return network_device(chunk->rnn, device->calls->event_record(device, event, stream));
}

static WbRnnStatus follow(const RnnChunk *chunk, void *event, void *stream)
{
    RnnDevice *device = chunk->rnn->device;
    return network_device(chunk->rnn, device->calls->event_wait(device, event, stream));
}

static WbRnnStatus launch(const RnnChunk *chunk, RnnKernel *kernel, const RnnStep *job, void *stream)
{
    RnnDevice *device = chunk->rnn->device;
    const uint32_t tiles = job->tiles, across = tiles == 1 ? 1 : (tiles + BATCH_TILES - 1) / BATCH_TILES;
    const RnnLaunch launch = {.blocks = job->blocks * across, .threads = JOB_THREADS, .arguments = job,
                              .bytes = sizeof *job};
    return network_device(chunk->rnn, device->calls->launch(device, kernel, &launch, stream));
}

/* What all steps of a layer have in common; c0, cn and hn are those of the chunk. */
static RnnStep layer_step(const RnnChunk *chunk, uint32_t layer)
{
    const WbRnn *rnn = chunk->rnn;
    RnnStep step = {.layer = chunk_layer(chunk, layer), .lengths = chunk->layout.lengths,
                    .times = (uintptr_t)chunk->run->times, .blocks = rnn->plan.layer_blocks,
                    .first_step = chunk->first, .hidden = rnn->shape.hidden, .groups = rnn->shape.groups,
                    .slice = rnn->plan.slice, .batch = rnn->shape.batch, .tiles = rnn->plan.batch_tiles,
                    .kind = rnn->shape.kind, .y_step = chunk->y_step, .y_sequence = chunk->y_sequence};
    step.layer.ahead = chunk->layout.ahead + layer * chunk->layout.ahead_bytes;
    return step;
}

/* O U of a step behind the layer below, on a stream that the layer's other stream then follows. */
static WbRnnStatus run_input(const RnnChunk *chunk, uint32_t layer, const RnnStep *job)
{
    const RnnStreams *streams = chunk->rnn->streams;
    WbRnnStatus status = follow(chunk, streams->state_done[layer - 1], streams->input_stream[layer]);
    if (!status)
        status = launch(chunk, streams->input, job, streams->input_stream[layer]);
    if (!status)
        status = record(chunk, streams->input_done[layer], streams->input_stream[layer]);
    return status ? status : follow(chunk, streams->input_done[layer], streams->state_stream[layer]);
}

static WbRnnStatus run_cell(const RnnChunk *chunk, uint32_t layer, uint32_t number, const RnnStep *common)
{
    const RnnStreams *streams = chunk->rnn->streams;
    const bool last = number + 1 == chunk->steps;
    RnnStep job = *common;
    job.step = number;
    if (number)
        job.layer.c0 = common->layer.carry;
    if (!last) {
        job.layer.cn = common->layer.carry;
        job.layer.hn = 0;
    }
    WbRnnStatus status = layer ? run_input(chunk, layer, &job) : WBRNN_OK;
    if (!status)
        status = launch(chunk, streams->state, &job, streams->state_stream[layer]);
    if (!status && (last || layer + 1 < chunk->rnn->shape.layers))
        status = record(chunk, streams->state_done[layer], streams->state_stream[layer]);
    return status;
}

/* All streams behind what is before, and the run's stream behind the last layer, which follows the others. */
static WbRnnStatus compute(const RnnChunk *chunk)
{
    const RnnStreams *streams = chunk->rnn->streams;
    const uint32_t layers = chunk->rnn->shape.layers;
    RnnStep common[JOB_LAYERS];
    WbRnnStatus status = record(chunk, streams->begun, chunk->stream);
    for (uint32_t layer = 0; layer < layers && !status; layer++) {
        common[layer] = layer_step(chunk, layer);
        status = follow(chunk, streams->begun, streams->state_stream[layer]);
    }
    for (uint32_t number = 0; number < chunk->steps && !status; number++)
        for (uint32_t layer = 0; layer < layers && !status; layer++)
            status = run_cell(chunk, layer, number, &common[layer]);
    return status ? status : follow(chunk, streams->state_done[layers - 1], chunk->stream);
}

/* -- graphs -- */

static bool is_captured(const WbRnn *rnn, const WbRnnRun *run)
{
    const Captured *captured = &rnn->streams->captured;
    const WbRnnRun *old = &captured->run;
    if (!captured->graph || captured->work != rnn->work.address || old->steps != run->steps ||
        old->batch_first != run->batch_first || old->x != run->x || old->times != run->times ||
        old->h0 != run->h0 || old->c0 != run->c0 || old->y != run->y || old->hn != run->hn ||
        old->cn != run->cn)
        return false;
    for (uint32_t i = 0; i < rnn->shape.batch; i++)
        if (captured->lengths[i] != (run->lengths ? run->lengths[i] : run->steps))
            return false;
    return true;
}

static WbRnnStatus capture(WbRnn *rnn, const WbRnnRun *run)
{
    RnnDevice *device = rnn->device;
    Captured *captured = &rnn->streams->captured;
    if (captured->graph) {
        if (rnn->has_run)
            device->calls->event_finish(device, rnn->end);
        device->calls->graph_destroy(device, captured->graph);
        captured->graph = NULL;
    }
    WbRnnStatus status = network_device(rnn, device->calls->graph_begin(device, rnn->streams->capture));
    if (status)
        return status;
    status = chunk_enqueue(rnn, run, rnn->streams->capture, compute);
    const WbRnnStatus end = device->calls->graph_end(device, rnn->streams->capture, &captured->graph);
    if (status && captured->graph) { /* of a part of the run */
        device->calls->graph_destroy(device, captured->graph);
        captured->graph = NULL;
    }
    if (status)
        return status;
    captured->run = *run;
    captured->work = rnn->work.address;
    for (uint32_t i = 0; i < rnn->shape.batch; i++)
        captured->lengths[i] = run->lengths ? run->lengths[i] : run->steps;
    return network_device(rnn, end);
}

/* A run that the user captures becomes part of his graph. */
static WbRnnStatus enqueue(WbRnn *rnn, const WbRnnRun *run, void *stream)
{
    RnnDevice *device = rnn->device;
    if (!rnn->options.graph || device->calls->capturing(device, stream))
        return chunk_enqueue(rnn, run, stream, compute);
    const WbRnnStatus status = is_captured(rnn, run) ? WBRNN_OK : capture(rnn, run);
    if (status)
        return status;
    return network_device(rnn, device->calls->graph_launch(device, rnn->streams->captured.graph, stream));
}

/* -- the method -- */

static uint32_t claimed(const WbRnn *rnn)
{
    (void)rnn;
    return 0; /* no block waits for another */
}

/* Those of rnn_stream_lstm are rnn_stream_input_lstm and rnn_stream_state_lstm of the module stream_lstm;
 * those for large batches end in _batch. Halves have one for all batches, and a module for all cells. */
static WbRnnStatus find_kernel(WbRnn *rnn, const char *part, RnnKernel **kernel)
{
    const char *module = rnn->plan.kernel + strlen("rnn_"), *cell = module + strlen("stream_");
    const bool half = rnn->shape.type != WBRNN_F32;
    char name[RNN_KERNEL_NAME], of_type[RNN_MODULE_NAME];
    snprintf(of_type, sizeof of_type, "stream_%s", wbrnn_type_name(rnn->shape.type));
    snprintf(name, sizeof name, "rnn_stream_%s_%s%s", part, cell,
             rnn->plan.batch_tiles > 1 && !half ? "_batch" : "");
    return rnn->device->calls->kernel(rnn->device, half ? of_type : module, name, 0, kernel);
}

static WbRnnStatus create_streams(WbRnn *rnn, RnnStreams *streams)
{
    RnnDevice *device = rnn->device;
    const RnnDeviceCalls *calls = device->calls;
    WbRnnStatus status = calls->event_create(device, &streams->begun);
    if (!status && rnn->options.graph)
        status = calls->stream_create(device, &streams->capture);
    for (uint32_t layer = 0; layer < rnn->shape.layers && !status; layer++) {
        status = calls->stream_create(device, &streams->state_stream[layer]);
        if (!status)
            status = calls->event_create(device, &streams->state_done[layer]);
        if (!status && layer)
            status = calls->stream_create(device, &streams->input_stream[layer]);
        if (!status && layer)
            status = calls->event_create(device, &streams->input_done[layer]);
    }
    return status;
}

static WbRnnStatus load(WbRnn *rnn)
{
    if (rnn->options.graph && !rnn->device->calls->graph_begin)
        return network_fail(rnn, WBRNN_INVALID,
                            "This GPU has no graphs; create the network without the option graph.");
    rnn->streams = calloc(1, sizeof *rnn->streams);
    if (!rnn->streams)
        return network_fail(rnn, WBRNN_MEMORY, "There is no memory for a list of streams.");
    WbRnnStatus status = find_kernel(rnn, "input", &rnn->streams->input);
    if (!status)
        status = find_kernel(rnn, "state", &rnn->streams->state);
    if (!status)
        status = create_streams(rnn, rnn->streams);
    return status ? network_device(rnn, status) : chunk_load(rnn);
}

static void unload(WbRnn *rnn)
{
    RnnDevice *device = rnn->device;
    const RnnDeviceCalls *calls = device->calls;
    RnnStreams *streams = rnn->streams;
    if (!streams)
        return;
    if (streams->captured.graph)
        calls->graph_destroy(device, streams->captured.graph);
    for (uint32_t layer = 0; layer < JOB_LAYERS; layer++) {
        void *const made[] = {streams->input_stream[layer], streams->state_stream[layer]};
        void *const events[] = {streams->input_done[layer], streams->state_done[layer]};
        for (size_t i = 0; i < 2; i++) {
            if (made[i])
                calls->stream_destroy(device, made[i]);
            if (events[i])
                calls->event_destroy(device, events[i]);
        }
    }
    if (streams->capture)
        calls->stream_destroy(device, streams->capture);
    if (streams->begun)
        calls->event_destroy(device, streams->begun);
    free(streams);
}

const RnnMethod method_stream = {.claimed = claimed, .load = load, .unload = unload,
                                 .work_bytes = chunk_work_bytes, .enqueue = enqueue};
