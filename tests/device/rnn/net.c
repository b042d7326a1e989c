/* Networks for the tests on a GPU. */
#include "net.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void check(Program *program, bool holds, const char *format, ...)
{
    va_list arguments;
    *(holds ? &program->passed : &program->failed) += 1;
    if (holds)
        return;
    va_start(arguments, format);
    fputs("FAILED ", stdout);
    vprintf(format, arguments);
    putchar('\n');
    fflush(stdout);
    va_end(arguments);
}

void skip(Program *program, const char *format, ...)
{
    va_list arguments;
    program->skipped++;
    va_start(arguments, format);
    fputs("skipped ", stdout);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
}

const char *name_of(const WbRnnShape *shape, uint32_t steps)
{
    static char name[96];
    snprintf(name, sizeof name, "%s %s L%u H%u I%u B%u T%u G%u", wbrnn_kind_name(shape->kind),
             wbrnn_type_name(shape->type), shape->layers, shape->hidden, shape->input, shape->batch, steps,
             shape->groups);
    return name;
}

/* -- memory -- */

static size_t value_bytes(const Net *net)
{
    return net->shape.type == WBRNN_F32 ? sizeof(float) : sizeof(uint16_t);
}

static size_t state_count(const Net *net)
{
    return (size_t)net->shape.layers * net->shape.batch * net->shape.hidden;
}

static size_t y_count(const Net *net)
{
    return (size_t)net->steps * net->shape.batch * net->shape.hidden;
}

/* Notes the network's sentence, or that of the GPU where memory failed. */
static bool failed(Net *net, WbRnnStatus status, bool memory)
{
    if (status && !net->status) {
        net->status = status;
        snprintf(net->why, sizeof net->why, "%s", memory ? net->program->gpu->error : wbrnn_error(net->rnn));
    }
    return status != WBRNN_OK;
}

/* Values of the type, to be freed. */
static void *convert(const Net *net, const float *values, size_t count)
{
    void *converted = malloc(count * sizeof *values + 1);
    if (!converted)
        abort();
    if (net->shape.type == WBRNN_F32)
        memcpy(converted, values, count * sizeof *values);
    for (size_t i = 0; net->shape.type != WBRNN_F32 && i < count; i++)
        ((uint16_t *)converted)[i] = reference_to_half(net->shape.type, values[i]);
    return converted;
}

void net_write(const Net *net, uint64_t to, const float *values, size_t count)
{
    RnnDevice *gpu = net->program->gpu;
    void *converted = convert(net, values, count);
    if (gpu->calls->write(gpu, to, converted, count * value_bytes(net)))
        printf("a copy to the GPU failed: %s\n", gpu->error);
    free(converted);
}

static uint64_t room(Net *net, const float *values, size_t count)
{
    RnnDevice *gpu = net->program->gpu;
    uint64_t address = 0;
    if (!failed(net, gpu->calls->allocate(gpu, count * value_bytes(net), &address), true) && values)
        net_write(net, address, values, count);
    return address;
}

/* -- networks -- */

WbRnnWeights net_weights(const Net *net, uint32_t layer)
{
    return reference_weights(&net->data, layer);
}

WbRnnStatus net_set_weights(Net *net, uint32_t layer)
{
    WbRnnWeights weights = net_weights(net, layer);
    const size_t counts[] = {weights.w_input_count, weights.w_state_count, weights.bias_count,
                             weights.bias_count};
    const void **const parts[] = {&weights.w_input, &weights.w_state, &weights.b_input, &weights.b_state};
    void *made[4];
    for (size_t i = 0; i < 4; i++) {
        made[i] = *parts[i] ? convert(net, *parts[i], counts[i]) : NULL;
        *parts[i] = made[i];
    }
    const WbRnnStatus status = wbrnn_set_weights(net->rnn, layer, &weights);
    for (size_t i = 0; i < 4; i++)
        free(made[i]);
    return status;
}

bool net_open(Net *net, Program *program, WbRnnShape shape, uint32_t steps, WbRnnOptions options)
{
    *net = (Net){.program = program, .shape = shape, .steps = steps};
    options.kernels = program->kernels;
    if (!options.watchdog_ms)
        options.watchdog_ms = program->watchdog_ms;
    if (!reference_data(&shape, steps, 7 + shape.kind + 31 * shape.hidden, &net->data))
        abort();
    if (failed(net, wbrnn_create(&shape, &options, &net->rnn), false))
        return false;
    for (uint32_t layer = 0; layer < shape.layers; layer++)
        if (failed(net, net_set_weights(net, layer), false))
            return false;
    net->x = room(net, net->data.x, (size_t)steps * shape.batch * shape.input);
    net->h0 = room(net, net->data.h0, state_count(net));
    net->c0 = room(net, net->data.c0, state_count(net));
    net->y = room(net, NULL, y_count(net));
    net->hn = room(net, NULL, state_count(net));
    net->cn = room(net, NULL, state_count(net));
    return !net->status;
}

void net_close(Net *net)
{
    const uint64_t parts[] = {net->x, net->h0, net->c0, net->y, net->hn, net->cn};
    RnnDevice *gpu = net->program->gpu;
    wbrnn_destroy(net->rnn);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i])
            gpu->calls->release(gpu, parts[i]);
    reference_free(&net->data);
}

/* -- runs -- */

static void *pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

bool net_run(Net *net, const uint32_t *lengths, void *stream)
{
    const bool cells = network_has_cells(net->shape.kind);
    const WbRnnRun run = {.steps = net->steps, .x = pointer(net->x), .h0 = pointer(net->h0),
                          .c0 = cells ? pointer(net->c0) : NULL, .y = pointer(net->y),
                          .hn = pointer(net->hn), .cn = cells ? pointer(net->cn) : NULL, .lengths = lengths};
    return !failed(net, wbrnn_run(net->rnn, &run, stream), false);
}

bool net_wait(Net *net)
{
    return !failed(net, wbrnn_wait(net->rnn), false);
}

void *net_results(const Net *net, size_t *bytes)
{
    RnnDevice *gpu = net->program->gpu;
    const bool cells = network_has_cells(net->shape.kind);
    const size_t y = y_count(net) * value_bytes(net), states = state_count(net) * value_bytes(net);
    *bytes = y + (cells ? 2 : 1) * states;
    char *results = malloc(*bytes);
    if (!results)
        abort();
    WbRnnStatus status = gpu->calls->read(gpu, results, pointer(net->y), y);
    if (!status)
        status = gpu->calls->read(gpu, results + y, pointer(net->hn), states);
    if (!status && cells)
        status = gpu->calls->read(gpu, results + y + states, pointer(net->cn), states);
    if (status)
        printf("a copy from the GPU failed: %s\n", gpu->error);
    return results;
}

/* -- beside the reference -- */

static double value_at(const Net *net, const void *results, size_t at)
{
    if (net->shape.type == WBRNN_F32)
        return (double)((const float *)results)[at];
    return (double)reference_from_half(net->shape.type, ((const uint16_t *)results)[at]);
}

static double difference(double value, double exact)
{
    if (isnan(value) || isnan(exact))
        return isnan(value) && isnan(exact) ? 0 : INFINITY;
    if (isinf(value) || isinf(exact))
        return value == exact ? 0 : INFINITY;
    return fabs(value - exact) / fmax(1, fabs(exact));
}

/* y is written anew by every run: what an earlier one left there would look right. */
static void forget(const Net *net)
{
    RnnDevice *gpu = net->program->gpu;
    const size_t bytes = value_bytes(net);
    gpu->calls->fill(gpu, net->y, 0x40e040e0, y_count(net) * bytes / 4, NULL);
    gpu->calls->fill(gpu, net->hn, 0x40e040e0, state_count(net) * bytes / 4, NULL);
    gpu->calls->fill(gpu, net->cn, 0x40e040e0, state_count(net) * bytes / 4, NULL);
}

double net_error(Net *net, const uint32_t *lengths)
{
    const size_t y = y_count(net), states = state_count(net), all = y + 2 * states;
    forget(net);
    if (!net_run(net, lengths, NULL) || !net_wait(net))
        return INFINITY;
    double *exact = malloc(all * sizeof *exact);
    if (!exact || !reference_run_data(&net->shape, &net->data, net->steps, lengths, exact, exact + y,
                                      exact + y + states))
        abort();
    size_t bytes;
    void *results = net_results(net, &bytes);
    double worst = 0;
    for (size_t i = 0; i < bytes / value_bytes(net); i++)
        worst = fmax(worst, difference(value_at(net, results, i), exact[i]));
    free(results);
    free(exact);
    return worst;
}

/* A float's sums have an error of some 2^-24 a step, which the cells' contraction keeps from growing; halves
 * round the state of every step to 11 or 8 bits. A relu's state grows instead. */
double net_bound(const WbRnnShape *shape)
{
    static const double bounds[WBRNN_TYPES] = {4e-6, 6e-3, 5e-2};
    return bounds[shape->type] * (shape->kind == WBRNN_RELU ? 4 : 1);
}
