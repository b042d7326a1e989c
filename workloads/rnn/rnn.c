/* Drives the library as a program would: creates a network, sets its weights, runs it once. */
#include "rnn/rnn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/benchmark.h"
#include "reference.h"
#include "rnn/device_sim.h"

const RecurrentBenchmark recurrent_benchmarks[RECURRENT_BENCHMARKS] = {
    {"basic", "Basic recurrent network, tanh", WBRNN_TANH},
    {"relu", "Basic recurrent network, rectified linear", WBRNN_RELU},
    {"lstm", "Long short-term memory", WBRNN_LSTM},
    {"gru", "Gated recurrent units", WBRNN_GRU},
    {"grouped", "LSTM whose units are in independent groups", WBRNN_GROUPED_LSTM},
    {"phased", "LSTM with a gate that opens and closes with time", WBRNN_PHASED_LSTM},
};

const char *const recurrent_mode_names[RECURRENT_MODES] = {
    [RECURRENT_FLAGS] = "flags",   [RECURRENT_STREAM] = "stream", [RECURRENT_PERSISTENT] = "persistent",
    [RECURRENT_ARRAYS] = "arrays", [RECURRENT_ENTRY] = "entry",   [RECURRENT_COUNTER] = "counter",
    [RECURRENT_SPLIT] = "split",   [RECURRENT_HARDWARE] = "hardware",
};

static const WbRnnOptions options[RECURRENT_MODES] = {
    [RECURRENT_FLAGS] = {.method = WBRNN_WAIT_SIGNAL, .sync = WBRNN_SYNC_DATA},
    [RECURRENT_STREAM] = {.method = WBRNN_STREAM},
    [RECURRENT_PERSISTENT] = {.method = WBRNN_PERSISTENT},
    [RECURRENT_ARRAYS] = {.method = WBRNN_WAIT_SIGNAL, .sync = WBRNN_SYNC_ARRAYS},
    [RECURRENT_ENTRY] = {.method = WBRNN_WAIT_SIGNAL, .sync = WBRNN_SYNC_ENTRY},
    [RECURRENT_COUNTER] = {.method = WBRNN_WAIT_SIGNAL, .sync = WBRNN_SYNC_COUNTER},
    [RECURRENT_SPLIT] = {.method = WBRNN_WAIT_SIGNAL, .sync = WBRNN_SYNC_ARRAYS, .split = true},
    [RECURRENT_HARDWARE] = {.method = WBRNN_WAIT_SIGNAL, .sync = WBRNN_SYNC_HARDWARE},
};

/* The thesis gives no shapes, but two bounds: a batch of 4 [§3.2.3.3], and weights that stay on the 25 SMs of
 * its GPU [§5.2]. Of an LSTM the small one's take 2.1 of their 6.4 MB of registers, all layers at once; the
 * full one's take 16.8 MB: they fill the SMs of an H200, and go layer by layer on the other GPU. */
static const struct {
    uint32_t layers, hidden, steps, batch;
} shapes[INPUT_SIZES] = {
    [INPUT_TINY] = {2, 64, 5, 4}, [INPUT_SMALL] = {4, 128, 16, 4}, [INPUT_FULL] = {8, 256, 32, 4}};

enum { GROUP_UNITS = 64 };

/* Errors of the library are those of a calculation on a GPU in single precision: sums of up to 512 products of
 * numbers below 1. */
static const float tolerance = 1e-5f;

/* A run and what it needs. */
typedef struct Task {
    Host *host;
    WbRnnShape shape;
    uint32_t steps;
    ReferenceData data;
    WbRnn *rnn;
    RnnDevice *device;
    uint64_t x, h0, c0, y, hn, cn;
} Task;

const RecurrentBenchmark *recurrent_find(const char *name)
{
    for (size_t i = 0; i < RECURRENT_BENCHMARKS; i++)
        if (strcmp(recurrent_benchmarks[i].name, name) == 0)
            return &recurrent_benchmarks[i];
    return NULL;
}

/* Remembers a failure of the library's, unless there was one before. */
static void keep(Task *task, WbRnnStatus status)
{
    static const WbStatus statuses[] = {
        [WBRNN_OK] = WB_OK,
        [WBRNN_INVALID] = WB_ERROR_ARGUMENT,
        [WBRNN_TOO_SMALL] = WB_ERROR_TOO_LARGE,
        [WBRNN_BUSY] = WB_ERROR_LAUNCH,
        [WBRNN_STUCK] = WB_ERROR_DEADLOCK,
        [WBRNN_MEMORY] = WB_ERROR_OUT_OF_MEMORY,
        [WBRNN_GPU] = WB_ERROR_LAUNCH,
    };
    Host *host = task->host;
    if (!status || host->status != WB_OK)
        return;
    host->status = statuses[status];
    snprintf(host->error, sizeof host->error, "%s", wbrnn_error(task->rnn));
}

static uint32_t or_else(uint32_t wanted, uint32_t usual) { return wanted ? wanted : usual; }

static WbRnnShape shape_of(const RecurrentBenchmark *benchmark, const RecurrentRun *run)
{
    WbRnnShape shape = {.kind = (WbRnnKind)benchmark->kind,
                        .layers = or_else(run->layers, shapes[run->size].layers),
                        .hidden = or_else(run->hidden, shapes[run->size].hidden),
                        .batch = or_else(run->batch, shapes[run->size].batch)};
    shape.input = shape.hidden;
    const uint32_t groups = shape.hidden / GROUP_UNITS;
    if (shape.kind == WBRNN_GROUPED_LSTM)
        shape.groups = or_else(run->groups, groups < 2 ? 2 : groups);
    return shape;
}

static bool has_cells(const Task *task)
{
    return task->shape.kind == WBRNN_LSTM || task->shape.kind == WBRNN_GROUPED_LSTM ||
           task->shape.kind == WBRNN_PHASED_LSTM;
}

static void no_memory(Task *task, const char *what)
{
    if (task->host->status != WB_OK)
        return;
    task->host->status = WB_ERROR_OUT_OF_MEMORY;
    snprintf(task->host->error, sizeof task->host->error, "The host has no memory for %s.", what);
}

/* A network that can be; data are made for no other. */
static void create(Task *task, const RecurrentRun *run, const char *directory)
{
    task->device = device_sim_open(task->host->gpu, directory);
    if (!task->device) {
        no_memory(task, "a device");
        return;
    }
    WbRnnOptions chosen = options[run->mode];
    chosen.split |= run->split;
    keep(task, network_create(task->device, &task->shape, &chosen, &task->rnn));
    if (task->host->status == WB_OK &&
        !reference_data(&task->shape, task->steps, or_else(run->seed, 1), &task->data))
        no_memory(task, "the network's weights");
}

static void set_weights(Task *task)
{
    for (uint32_t i = 0; i < task->shape.layers && task->host->status == WB_OK; i++) {
        const WbRnnWeights weights = reference_weights(&task->data, i);
        keep(task, wbrnn_set_weights(task->rnn, i, &weights));
    }
}

static size_t state_count(const Task *task)
{
    return (size_t)task->shape.layers * task->shape.batch * task->shape.hidden;
}

static size_t output_count(const Task *task)
{
    return (size_t)task->steps * task->shape.batch * task->shape.hidden;
}

static void allocate(Task *task)
{
    const size_t state = state_count(task) * sizeof(float);
    const size_t x = (size_t)task->steps * task->shape.batch * task->shape.input * sizeof(float);
    task->x = host_buffer(task->host, task->data.x, x);
    task->h0 = host_buffer(task->host, task->data.h0, state);
    task->y = host_buffer(task->host, NULL, output_count(task) * sizeof(float));
    task->hn = host_buffer(task->host, NULL, state);
    if (has_cells(task)) {
        task->c0 = host_buffer(task->host, task->data.c0, state);
        task->cn = host_buffer(task->host, NULL, state);
    }
}

static void release(Task *task)
{
    const uint64_t all[] = {task->x, task->h0, task->c0, task->y, task->hn, task->cn};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        host_free(task->host, all[i]);
}

static void *pointer(uint64_t address) { return (void *)(uintptr_t)address; }

/* The run's time begins with the library's call, which waits for nothing. */
static void compute(Task *task)
{
    Host *host = task->host;
    if (host->status != WB_OK)
        return;
    const WbRnnRun run = {.steps = task->steps,
                          .x = pointer(task->x),
                          .h0 = pointer(task->h0),
                          .c0 = pointer(task->c0),
                          .y = pointer(task->y),
                          .hn = pointer(task->hn),
                          .cn = pointer(task->cn)};
    const size_t before = device_sim_launches(task->device);
    host->begun = wb_time(host->gpu);
    keep(task, wbrnn_run(task->rnn, &run, NULL));
    host->waiting = device_sim_launches(task->device) - before;
    host_finish(host);
    if (host->status == WB_OK)
        keep(task, wbrnn_wait(task->rnn));
}

static bool is_near(const Task *task, uint64_t address, const double *expected, size_t count)
{
    float *rounded = host_array(task->host, count, sizeof *rounded);
    for (size_t i = 0; rounded && i < count; i++)
        rounded[i] = (float)expected[i];
    const bool near = rounded && benchmark_near(task->host, address, rounded, count, tolerance);
    free(rounded);
    return near;
}

static bool compare(const Task *task)
{
    const size_t outputs = output_count(task), states = state_count(task);
    double *expected = host_array(task->host, outputs + 2 * states, sizeof *expected);
    if (!expected)
        return false;
    double *y = expected, *hn = y + outputs, *cn = has_cells(task) ? hn + states : NULL;
    const bool right = reference_run_data(&task->shape, &task->data, task->steps, NULL, y, hn, cn) &&
                       is_near(task, task->y, y, outputs) && is_near(task, task->hn, hn, states) &&
                       (!cn || is_near(task, task->cn, cn, states));
    free(expected);
    return right;
}

bool recurrent_run(const RecurrentBenchmark *benchmark, const RecurrentRun *run, WbGpu *gpu,
                   const char *directory, Host *host)
{
    *host = (Host){.gpu = gpu};
    Task task = {.host = host,
                 .shape = shape_of(benchmark, run),
                 .steps = or_else(run->steps, shapes[run->size].steps)};
    create(&task, run, directory);
    set_weights(&task);
    allocate(&task);
    compute(&task);
    const bool right = host->status == WB_OK && compare(&task);
    if (!right && host->status == WB_OK)
        snprintf(host->error, sizeof host->error,
                 "The result of %s (%s) is not the one computed without the GPU.", benchmark->name,
                 recurrent_mode_names[run->mode]);
    release(&task);
    wbrnn_destroy(task.rnn);
    reference_free(&task.data);
    return right;
}
