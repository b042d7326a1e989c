/* A run by wait-signal. All layers that fit on chip are one launch, a pass; what a pass' last layer computes
 * is the input of the next pass. */
#include "chunk.h"

#include <stdio.h>
#include <string.h>

static WbRnnStatus pass(const RnnChunk *chunk, uint32_t number)
{
    const WbRnn *rnn = chunk->rnn;
    const RnnPlan *plan = &rnn->plan;
    const uint32_t first = number * plan->layers_in_flight, left = rnn->shape.layers - first;
    const RnnJob job = chunk_job(chunk, first, left < plan->layers_in_flight ? left : plan->layers_in_flight,
                                 number);
    return chunk_launch(chunk, rnn->kernel,
                        &(RnnLaunch){.blocks = job.layers * (plan->layer_blocks + plan->collectors),
                                     .threads = JOB_THREADS, .shared_bytes = plan->shared_bytes,
                                     .together = true, .arguments = &job, .bytes = sizeof job});
}

static WbRnnStatus compute(const RnnChunk *chunk)
{
    WbRnnStatus status = WBRNN_OK;
    for (uint32_t number = 0; number < chunk->rnn->plan.passes && !status; number++) {
        if (number && chunk->rnn->plan.inputs_ahead)
            status = chunk_product(chunk, number);
        if (!status)
            status = pass(chunk, number);
    }
    return status;
}

static WbRnnStatus enqueue(WbRnn *rnn, const WbRnnRun *run, void *stream)
{
    return chunk_enqueue(rnn, run, stream, compute);
}

static uint32_t claimed(const WbRnn *rnn)
{
    /* However many blocks share an SM, they never lie on more SMs than they are. */
    const uint32_t blocks = rnn->plan.layers_in_flight * (rnn->plan.layer_blocks + rnn->plan.collectors);
    return blocks < rnn->device->gpu.sms ? blocks : rnn->device->gpu.sms;
}

/* Kernels of a cell are a module: of rnn_wait_lstm_16x16 it is wait_lstm, of halves wait_fp16_lstm. Those
 * that read weights from memory are few and small: wait_memory has them for all cells, wait_fp16_memory those
 * of halves. */
static void name_module(const WbRnn *rnn, char *name, size_t size)
{
    const RnnPlan *plan = &rnn->plan;
    const char *begin = plan->kernel + strlen("rnn_"), *end = strrchr(begin, '_');
    const char *hardware = plan->sync == WBRNN_SYNC_HARDWARE ? "_hardware" : "";
    if (plan->state_place != PLACE_REGISTERS)
        snprintf(name, size, "wait_%smemory%s", plan_type(rnn->shape.type), hardware);
    else
        snprintf(name, size, "%.*s%s", (int)(end - begin), begin, hardware);
}

static WbRnnStatus load(WbRnn *rnn)
{
    RnnDevice *device = rnn->device;
    char module[RNN_MODULE_NAME];
    name_module(rnn, module, sizeof module);
    const WbRnnStatus status = device->calls->kernel(device, module, rnn->plan.kernel, rnn->plan.shared_bytes,
                                                     &rnn->kernel);
    return status ? network_device(rnn, status) : chunk_load(rnn);
}

const RnnMethod method_wait_signal = {.claimed = claimed, .load = load, .work_bytes = chunk_work_bytes,
                                      .enqueue = enqueue};
