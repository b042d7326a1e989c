/* A run by the persistent method: one launch computes all layers of a chunk. */
#include "chunk.h"

#include <stdio.h>
#include <string.h>

static WbRnnStatus compute(const RnnChunk *chunk)
{
    const WbRnn *rnn = chunk->rnn;
    const RnnTogether job = {.job = chunk_job(chunk, 0, rnn->shape.layers, 0),
                             .warps_per_tile = rnn->plan.warps_per_tile,
                             .state_kept = rnn->plan.state_kept,
                             .input_kept = rnn->plan.input_kept};
    return chunk_launch(chunk, rnn->kernel,
                        &(RnnLaunch){.blocks = rnn->plan.layer_blocks, .threads = JOB_THREADS,
                                     .shared_bytes = rnn->plan.shared_bytes, .together = true,
                                     .arguments = &job, .bytes = sizeof job});
}

static WbRnnStatus enqueue(WbRnn *rnn, const WbRnnRun *run, void *stream)
{
    return chunk_enqueue(rnn, run, stream, compute);
}

static uint32_t claimed(const WbRnn *rnn)
{
    return rnn->plan.layer_blocks;
}

/* Kernels of a cell are a module: of rnn_persistent_lstm and rnn_persistent_lstm_memory persistent_lstm.
 * Those of halves are small: persistent_fp16 has them for all cells. */
static WbRnnStatus load(WbRnn *rnn)
{
    RnnDevice *device = rnn->device;
    const char *name = rnn->plan.kernel + strlen("rnn_"), *end = strstr(name, "_memory");
    char module[RNN_MODULE_NAME];
    snprintf(module, sizeof module, "%.*s", (int)(end ? (size_t)(end - name) : strlen(name)), name);
    if (rnn->shape.type != WBRNN_F32)
        snprintf(module, sizeof module, "persistent_%s", wbrnn_type_name(rnn->shape.type));
    const WbRnnStatus status = device->calls->kernel(device, module, rnn->plan.kernel, rnn->plan.shared_bytes,
                                                     &rnn->kernel);
    return status ? network_device(rnn, status) : chunk_load(rnn);
}

const RnnMethod method_persistent = {.claimed = claimed, .load = load, .work_bytes = chunk_work_bytes,
                                     .enqueue = enqueue};
