/* A network of a test and what it computes, compared with the reference. */
#include "rnn_net.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

/* The library finds the driver in the program itself: referring to this pulls all of it in. */
int net_begin(void **state)
{
    (void)state;
    void *context, *found;
    int status;
    setenv("WARPBEAM_GPU", "h200", 1);
    setenv("WARPBEAM_FUNCTIONAL", "1", 1);
    if (cuGetProcAddress_v2("cuInit", &found, 12000, 0, &status) || cuInit(0) ||
        cuDevicePrimaryCtxRetain(&context, 0))
        return -1;
    return cuCtxSetCurrent(context);
}

/* A network of each method and kind that stays open for the whole program, so that its kernels stay loaded: reading them
 * takes longer than running them. */
static WbRnn *keepers[WBRNN_METHODS][WBRNN_KINDS];

static void keep_kernels(WbRnnMethod method, WbRnnKind kind)
{
    const WbRnnShape shape = net_shape(kind, 1, HIDDEN, 1);
    const WbRnnOptions options = {.method = method};
    if (!keepers[method][kind])
        assert_int_equal(wbrnn_create(&shape, &options, &keepers[method][kind]), WBRNN_OK);
}

int net_end(void **state)
{
    (void)state;
    for (int i = 0; i < WBRNN_METHODS * WBRNN_KINDS; i++)
        wbrnn_destroy(keepers[i / WBRNN_KINDS][i % WBRNN_KINDS]);
    return 0;
}

static size_t state_count(const WbRnnShape *shape)
{
    return (size_t)shape->layers * shape->batch * shape->hidden;
}

uint64_t net_to_device(const float *values, size_t count)
{
    uint64_t address = 0;
    OK(cuMemAlloc_v2(&address, count * sizeof *values));
    if (values)
        OK(cuMemcpyHtoD_v2(address, values, count * sizeof *values));
    return address;
}

/* As values of the type; null: none of its own. Floats are the same. */
static void *to_type(WbRnnType type, const float *values, size_t count)
{
    const size_t bytes = type == WBRNN_F32 ? sizeof(float) : sizeof(uint16_t);
    void *typed = malloc(count * bytes);
    if (!values)
        memset(typed, 0xff, count * bytes); /* results that nobody writes are NaN */
    else if (type == WBRNN_F32)
        memcpy(typed, values, count * bytes);
    else
        for (size_t i = 0; i < count; i++)
            ((uint16_t *)typed)[i] = reference_to_half(type, values[i]);
    return typed;
}

/* Memory of the device with such values. */
static uint64_t put(WbRnnType type, const float *values, size_t count)
{
    const size_t bytes = count * (type == WBRNN_F32 ? sizeof(float) : sizeof(uint16_t));
    void *typed = to_type(type, values, count);
    uint64_t address = 0;
    OK(cuMemAlloc_v2(&address, bytes));
    OK(cuMemcpyHtoD_v2(address, typed, bytes));
    free(typed);
    return address;
}

WbRnnWeights net_weights(const Net *net, uint32_t layer)
{
    return reference_weights(&net->data, layer);
}

static void set_weights(Net *net, uint32_t layer)
{
    const WbRnnType type = net->shape.type;
    WbRnnWeights weights = net_weights(net, layer);
    void *const typed[] = {to_type(type, weights.w_input, weights.w_input_count),
                           to_type(type, weights.w_state, weights.w_state_count),
                           to_type(type, weights.b_input, weights.bias_count),
                           to_type(type, weights.b_state, weights.bias_count)};
    weights.w_input = typed[0];
    weights.w_state = typed[1];
    weights.b_input = typed[2];
    weights.b_state = typed[3];
    WORKS(net, wbrnn_set_weights(net->rnn, layer, &weights));
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        free(typed[i]);
}

void net_open(Net *net, WbRnnShape shape, uint32_t steps, const WbRnnOptions *options)
{
    net_open_small(net, shape, steps, options, UINT32_MAX);
}

void net_open_small(Net *net, WbRnnShape shape, uint32_t steps, const WbRnnOptions *options, uint32_t bytes)
{
    char error[256];
    RnnDevice *device;
    *net = (Net){.shape = shape, .steps = steps};
    keep_kernels(options ? options->method : WBRNN_AUTO, shape.kind);
    assert_true(reference_data(&shape, steps, 7 + shape.kind, &net->data));
    if (device_cuda_open(options ? options->kernels : NULL, &device, error, sizeof error))
        fail_msg("%s", error);
    if (device->gpu.shared_block > bytes)
        device->gpu.shared_block = bytes;
    if (device->gpu.l2_bytes > bytes)
        device->gpu.l2_bytes = bytes;
    WORKS(net, network_create(device, &shape, options, &net->rnn));
    for (uint32_t layer = 0; layer < shape.layers; layer++)
        set_weights(net, layer);
    const size_t states = state_count(&shape), row = (size_t)steps * shape.batch;
    net->x = put(shape.type, net->data.x, row * shape.input);
    net->h0 = put(shape.type, net->data.h0, states);
    net->c0 = put(shape.type, net->data.c0, states);
    net->y = put(shape.type, NULL, row * shape.hidden);
    net->hn = put(shape.type, NULL, states);
    net->cn = put(shape.type, NULL, states);
}

void net_close(Net *net)
{
    const uint64_t memory[] = {net->x, net->h0, net->c0, net->y, net->hn, net->cn};
    wbrnn_destroy(net->rnn);
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        OK(cuMemFree_v2(memory[i]));
    reference_free(&net->data);
}

WbRnnRun net_run(const Net *net, const uint32_t *lengths)
{
    const bool cells = network_has_cells(net->shape.kind);
    return (WbRnnRun){.steps = net->steps, .x = (void *)net->x, .h0 = (void *)net->h0, .y = (void *)net->y,
                      .hn = (void *)net->hn, .lengths = lengths, .c0 = cells ? (void *)net->c0 : NULL,
                      .cn = cells ? (void *)net->cn : NULL};
}

/* Halves are right within six roundings of a state, which is rounded in each step. */
static void compare(const char *what, const WbRnnShape *shape, uint64_t address, const double *expected,
                    size_t count)
{
    static const double allowed[WBRNN_TYPES] = {1e-5, 6 * 0x1p-12, 6 * 0x1p-9};
    const bool half = shape->type != WBRNN_F32;
    float *values = malloc(count * sizeof *values);
    uint16_t *halves = (uint16_t *)values;
    OK(cuMemcpyDtoH_v2(values, address, count * (half ? sizeof *halves : sizeof *values)));
    for (size_t i = 0; i < count; i++) {
        const double value = (double)(half ? reference_from_half(shape->type, halves[i]) : values[i]);
        const double scale = half ? fmax(1, fabs(expected[i])) : 1;
        if (!(fabs(value - expected[i]) < allowed[shape->type] * scale))
            fail_msg("%s of %s in %s, hidden %u, batch %u, element %zu: %g instead of %g", what,
                     wbrnn_kind_name(shape->kind), wbrnn_type_name(shape->type), shape->hidden,
                     shape->batch, i, value, expected[i]);
    }
    free(values);
}

void net_check(const Net *net, const uint32_t *lengths)
{
    const WbRnnShape *shape = &net->shape;
    const size_t rows = (size_t)net->steps * shape->batch * shape->hidden, states = state_count(shape);
    double *y = malloc(rows * sizeof *y), *hn = malloc(states * sizeof *hn),
           *cn = malloc(states * sizeof *cn);
    assert_true(reference_run_data(shape, &net->data, net->steps, lengths, y, hn, cn));
    compare("y", shape, net->y, y, rows);
    compare("hn", shape, net->hn, hn, states);
    if (network_has_cells(shape->kind))
        compare("cn", shape, net->cn, cn, states);
    free(y);
    free(hn);
    free(cn);
}

void net_run_and_check(Net *net, const uint32_t *lengths)
{
    const WbRnnRun run = net_run(net, lengths);
    WORKS(net, wbrnn_run(net->rnn, &run, NULL));
    WORKS(net, wbrnn_wait(net->rnn));
    net_check(net, lengths);
}

WbRnnShape net_shape(WbRnnKind kind, uint32_t layers, uint32_t input, uint32_t batch)
{
    return (WbRnnShape){.kind = kind, .layers = layers, .hidden = HIDDEN, .input = input, .batch = batch,
                        .groups = kind == WBRNN_GROUPED_LSTM ? 2 : 0};
}
