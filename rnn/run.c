/* One run of a network, whatever the method: its arguments are checked, its memory is there before, its
 * SMs are claimed, and `end` is recorded behind it. A captured run does none of what a graph cannot: it
 * finds memory that an earlier run has allocated, claims nothing and records nothing. */
#include "network.h"

#include <string.h>

bool network_has_cells(WbRnnKind kind)
{
    return kind == WBRNN_LSTM || kind == WBRNN_GROUPED_LSTM || kind == WBRNN_PHASED_LSTM;
}

/* -- checking -- */

static WbRnnStatus check_lengths(WbRnn *rnn, const WbRnnRun *run)
{
    for (uint32_t i = 0; run->lengths && i < rnn->shape.batch; i++)
        if (run->lengths[i] == 0 || run->lengths[i] > run->steps)
            return network_fail(rnn, WBRNN_INVALID,
                                "Sequence %u has a length of %u; lengths are 1 to the run's %u steps.", i,
                                run->lengths[i], run->steps);
    return WBRNN_OK;
}

static WbRnnStatus check_weights(WbRnn *rnn)
{
    for (uint32_t layer = 0; layer < rnn->shape.layers; layer++)
        if (!rnn->weights[layer].set)
            return network_fail(rnn, WBRNN_INVALID,
                                "Layer %u has no weights; set those of every layer before the first run.",
                                layer);
    return WBRNN_OK;
}

static WbRnnStatus check_run(WbRnn *rnn, const WbRnnRun *run)
{
    const uint32_t widest = rnn->shape.input > rnn->shape.hidden ? rnn->shape.input : rnn->shape.hidden;
    if (!run || !run->x)
        return network_fail(rnn, WBRNN_INVALID, "No input was given; a run needs x.");
    if (!run->steps)
        return network_fail(rnn, WBRNN_INVALID, "A run of 0 steps computes nothing; give 1 or more.");
    if ((run->c0 || run->cn) && !network_has_cells(rnn->shape.kind))
        return network_fail(rnn, WBRNN_INVALID, "c0 and cn are states of LSTMs; a %s has none.",
                            wbrnn_kind_name(rnn->shape.kind));
    if (run->batch_first && (uint64_t)run->steps * widest > UINT32_MAX)
        return network_fail(
            rnn, WBRNN_INVALID,
            "A sequence of %u steps with %u values each is too long with batch_first; run it in "
            "parts that begin with the states at the end of the part before.",
            run->steps, widest);
    const WbRnnStatus status = check_lengths(rnn, run);
    return status ? status : check_weights(rnn);
}

/* -- the watchdog -- */

static const char *name_wait(uint32_t waited_for)
{
    switch (waited_for) {
    case 1: return "its own layer";
    case 2: return "the layer below";
    case 3: return "the barrier of all blocks";
    default: return "another block";
    }
}

WbRnnStatus network_check_stuck(WbRnn *rnn)
{
    const volatile RnnStuck *told = rnn->told;
    if (!told->given_up)
        return WBRNN_OK;
    const WbRnnStatus status = network_fail(
        rnn, WBRNN_STUCK,
        "A run was given up: in step %u layer %u waited for %s longer than %u ms (block %u of the launch). "
        "Its results are not there. If other work held the GPU for so long, set a longer watchdog_ms.",
        told->step, told->layer, name_wait(told->waited_for), rnn->options.watchdog_ms, told->block);
    memset(rnn->told, 0, sizeof *rnn->told);
    return status;
}

/* -- calls -- */

/* Behind the network's last run, with SMs of its own. */
static WbRnnStatus run_claimed(WbRnn *rnn, const WbRnnRun *run, void *stream)
{
    RnnDevice *device = rnn->device;
    const uint32_t sms = network_method(rnn)->claimed(rnn);
    uint32_t taken = 0;
    WbRnnStatus status = WBRNN_OK;
    if (rnn->has_run)
        status = network_device(rnn, device->calls->event_wait(device, rnn->end, stream));
    if (status)
        return status;
    status = claims_begin(&rnn->claim, device, sms, rnn->options.refuse_if_busy, stream, &taken);
    if (status == WBRNN_BUSY)
        return network_fail(
            rnn, status,
            "The run needs %u of the GPU's %u SMs, and other networks in flight hold %u of them; "
            "wait for those to end, or create the network without refuse_if_busy.",
            sms, device->gpu.sms, taken);
    if (status)
        return network_device(rnn, status);
    status = network_method(rnn)->enqueue(rnn, run, stream);
    const WbRnnStatus end = claims_finish(&rnn->claim, rnn->end, stream);
    rnn->has_run = true;
    return status ? status : network_device(rnn, end);
}

WbRnnStatus wbrnn_run(WbRnn *rnn, const WbRnnRun *run, void *stream)
{
    if (!rnn || !rnn->ready)
        return WBRNN_INVALID;
    WbRnnStatus status = network_check_stuck(rnn);
    if (!status)
        status = check_run(rnn, run);
    if (status)
        return status;
    const bool capturing = rnn->device->calls->capturing(rnn->device, stream);
    status = buffer_reserve(rnn, &rnn->work, network_method(rnn)->work_bytes(rnn, run->steps), capturing);
    if (status)
        return status;
    if (!capturing)
        return run_claimed(rnn, run, stream);
    rnn->captured = true;
    return network_method(rnn)->enqueue(rnn, run, stream);
}

WbRnnStatus wbrnn_wait(WbRnn *rnn)
{
    if (!rnn || !rnn->ready)
        return WBRNN_INVALID;
    if (rnn->has_run) {
        const WbRnnStatus status = rnn->device->calls->event_finish(rnn->device, rnn->end);
        if (status)
            return network_device(rnn, status);
    }
    return network_check_stuck(rnn);
}
