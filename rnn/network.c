/* Making and destroying networks, and their errors. */
#include "network.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WATCHDOG_MS = 2000 };

WbRnnStatus network_fail(WbRnn *rnn, WbRnnStatus status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(rnn->error, sizeof rnn->error, format, arguments);
    va_end(arguments);
    return status;
}

WbRnnStatus network_device(WbRnn *rnn, WbRnnStatus status)
{
    return status ? network_fail(rnn, status, "%s", rnn->device->error) : WBRNN_OK;
}

uint32_t network_inputs(const WbRnn *rnn, uint32_t layer)
{
    return layer ? rnn->shape.hidden : rnn->shape.input;
}

size_t network_type_bytes(const WbRnn *rnn)
{
    return rnn->shape.type == WBRNN_F32 ? sizeof(float) : sizeof(uint16_t);
}

const RnnMethod *network_method(const WbRnn *rnn)
{
    static const RnnMethod *const methods[WBRNN_METHODS] = {[WBRNN_STREAM] = &method_stream,
                                                            [WBRNN_PERSISTENT] = &method_persistent,
                                                            [WBRNN_WAIT_SIGNAL] = &method_wait_signal};
    return methods[rnn->plan.method];
}

/* -- buffers -- */

WbRnnStatus buffer_reserve(WbRnn *rnn, RnnBuffer *buffer, size_t bytes, bool capturing)
{
    if (bytes <= buffer->bytes)
        return WBRNN_OK;
    if (capturing)
        return network_fail(
            rnn, WBRNN_INVALID,
            "The network has no memory for a run of this length yet, and none can be allocated "
            "while the stream captures; do one such run before the capture begins.");
    if (rnn->captured) {
        uint64_t *kept = realloc(buffer->kept, (buffer->kept_count + 1) * sizeof *kept);
        if (!kept)
            return network_fail(rnn, WBRNN_MEMORY, "There is no memory for a list of buffers.");
        buffer->kept = kept;
        kept[buffer->kept_count++] = buffer->address;
    } else if (buffer->address) {
        if (rnn->has_run)
            rnn->device->calls->event_finish(rnn->device, rnn->end);
        rnn->device->calls->release(rnn->device, buffer->address);
    }
    buffer->address = 0;
    buffer->bytes = 0;
    const WbRnnStatus status = rnn->device->calls->allocate(rnn->device, bytes, &buffer->address);
    if (!status)
        buffer->bytes = bytes;
    return network_device(rnn, status);
}

void buffer_release(WbRnn *rnn, RnnBuffer *buffer)
{
    for (uint32_t i = 0; i < buffer->kept_count; i++)
        rnn->device->calls->release(rnn->device, buffer->kept[i]);
    free(buffer->kept);
    if (buffer->address)
        rnn->device->calls->release(rnn->device, buffer->address);
    *buffer = (RnnBuffer){0};
}

/* -- networks -- */

/* What every network has besides its weights. */
static WbRnnStatus allocate_parts(WbRnn *rnn)
{
    RnnDevice *device = rnn->device;
    WbRnnStatus status = device->calls->allocate(device, sizeof(RnnStuck), &rnn->stuck);
    if (!status)
        status = device->calls->allocate_seen(device, sizeof(RnnStuck), (void **)&rnn->told,
                                              &rnn->told_address);
    if (!status)
        memset(rnn->told, 0, sizeof *rnn->told);
    if (!status)
        status = device->calls->event_create(device, &rnn->end);
    return network_device(rnn, status);
}

static WbRnnStatus make(WbRnn *rnn)
{
    WbRnnStatus status = plan_make(&rnn->shape, &rnn->options, &rnn->device->gpu, &rnn->plan);
    if (status)
        return network_fail(rnn, status, "%s", rnn->plan.why);
    if (!network_method(rnn))
        return network_fail(rnn, WBRNN_INVALID, "This library cannot run networks by the method %s.",
                            wbrnn_method_name(rnn->plan.method));
    status = allocate_parts(rnn);
    if (!status)
        status = network_method(rnn)->load(rnn);
    if (!status)
        status = weights_allocate(rnn);
    rnn->ready = !status;
    return status;
}

/* An empty network; null: no memory. */
static WbRnn *begin(const WbRnnShape *shape, const WbRnnOptions *options)
{
    WbRnn *rnn = calloc(1, sizeof *rnn);
    if (!rnn)
        return NULL;
    if (shape)
        rnn->shape = *shape;
    if (options)
        rnn->options = *options;
    if (!rnn->options.watchdog_ms)
        rnn->options.watchdog_ms = WATCHDOG_MS;
    if (!rnn->shape.groups)
        rnn->shape.groups = 1;
    rnn->leave = ~0u;
    return rnn;
}

WbRnnStatus network_create(RnnDevice *device, const WbRnnShape *shape, const WbRnnOptions *options,
                           WbRnn **rnn)
{
    *rnn = begin(shape, options);
    if (!*rnn) {
        device->calls->close(device);
        return WBRNN_MEMORY;
    }
    (*rnn)->device = device;
    return make(*rnn);
}

WbRnnStatus wbrnn_create(const WbRnnShape *shape, const WbRnnOptions *options, WbRnn **rnn)
{
    if (!rnn)
        return WBRNN_INVALID;
    *rnn = begin(shape, options);
    if (!*rnn)
        return WBRNN_MEMORY;
    if (!shape)
        return network_fail(*rnn, WBRNN_INVALID, "No shape was given; wbrnn_create() needs one.");
    const WbRnnStatus status = device_cuda_open((*rnn)->options.kernels, &(*rnn)->device, (*rnn)->error,
                                                sizeof (*rnn)->error);
    return status ? status : make(*rnn);
}

void wbrnn_destroy(WbRnn *rnn)
{
    if (!rnn)
        return;
    RnnDevice *device = rnn->device;
    if (device) {
        if (rnn->has_run)
            device->calls->event_finish(device, rnn->end);
        claims_drop(&rnn->claim);
        if (network_method(rnn) && network_method(rnn)->unload)
            network_method(rnn)->unload(rnn);
        weights_release(rnn);
        buffer_release(rnn, &rnn->work);
        if (rnn->end)
            device->calls->event_destroy(device, rnn->end);
        if (rnn->told)
            device->calls->release_seen(device, rnn->told);
        if (rnn->stuck)
            device->calls->release(device, rnn->stuck);
        device->calls->close(device);
    }
    free(rnn);
}

const char *wbrnn_error(const WbRnn *rnn)
{
    return rnn ? rnn->error : "There is no network: none was given, or there was no memory for one.";
}

size_t wbrnn_explain(const WbRnn *rnn, char *text, size_t size)
{
    if (!rnn || !rnn->ready)
        return (size_t)snprintf(text, size, "%s", wbrnn_error(rnn));
    return plan_explain(&rnn->shape, &rnn->device->gpu, &rnn->plan, text, size);
}
