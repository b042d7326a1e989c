/* A program that uses the library as others do: it links libwarpbeam_rnn.so, has its memory from the CUDA
 * driver, and says how far results are from those in double precision. On the simulated GPU:
 *
 *     warpbeam run --functional -- build/release/tests/rnn_lstm [LAYERS [HIDDEN [STEPS]]] */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reference.h"
#include "warpbeam_rnn.h"

typedef struct Driver {
    int (*allocate)(uint64_t *address, size_t bytes);
    int (*to_device)(uint64_t address, const void *from, size_t bytes);
    int (*to_host)(void *to, uint64_t address, size_t bytes);
} Driver;

/* Takes a function of libcuda.so.1; the program ends where there is none. */
static void *driver_call(const char *name)
{
    static void *library;
    if (!library)
        library = dlopen("libcuda.so.1", RTLD_NOW);
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        fprintf(stderr, "rnn_lstm: the CUDA driver has no %s\n", name);
        exit(2);
    }
    return found;
}

static void fail_if(WbRnnStatus status, const WbRnn *rnn)
{
    if (status) {
        fprintf(stderr, "rnn_lstm: %s\n", wbrnn_error(rnn));
        exit(1);
    }
}

static WbRnn *make_network(const WbRnnShape *shape, const ReferenceData *data)
{
    WbRnn *rnn;
    char text[4096];
    fail_if(wbrnn_create(shape, NULL, &rnn), rnn);
    for (uint32_t layer = 0; layer < shape->layers; layer++) {
        const WbRnnWeights weights = reference_weights(data, layer);
        fail_if(wbrnn_set_weights(rnn, layer, &weights), rnn);
    }
    wbrnn_explain(rnn, text, sizeof text);
    puts(text);
    return rnn;
}

static double largest_difference(const float *values, const double *expected, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        const double difference = fabs(values[i] - expected[i]);
        if (!(difference <= largest)) /* a NaN, too */
            largest = difference;
    }
    return largest;
}

/* 0: they are as near as single precision is; 1: they are not; 2: there is no memory. */
static int compare(const Driver *driver, WbRnn *rnn, const WbRnnShape *shape, const ReferenceData *data,
                   uint32_t steps)
{
    const size_t inputs = (size_t)steps * shape->batch * shape->input * sizeof(float);
    const size_t count = (size_t)steps * shape->batch * shape->hidden;
    float *y = malloc(count * sizeof *y);
    double *expected = malloc(count * sizeof *expected);
    uint64_t at_x, at_y;
    if (!y || !expected || driver->allocate(&at_x, inputs) || driver->allocate(&at_y, count * sizeof *y) ||
        driver->to_device(at_x, data->x, inputs) || !reference_run_data(shape, data, steps, NULL, expected,
                                                                        NULL, NULL))
        return 2;
    fail_if(wbrnn_run(rnn, &(WbRnnRun){.steps = steps, .x = (void *)at_x, .y = (void *)at_y}, NULL), rnn);
    fail_if(wbrnn_wait(rnn), rnn);
    if (driver->to_host(y, at_y, count * sizeof *y))
        return 2;
    const double difference = largest_difference(y, expected, count);
    printf("largest difference from double precision: %g\n", difference);
    free(y);
    free(expected);
    return difference < 1e-5 ? 0 : 1;
}

int main(int count, char **arguments)
{
    const WbRnnShape shape = {.kind = WBRNN_LSTM,
                              .layers = count > 1 ? (uint32_t)atoi(arguments[1]) : 2,
                              .hidden = count > 2 ? (uint32_t)atoi(arguments[2]) : 64,
                              .input = count > 2 ? (uint32_t)atoi(arguments[2]) : 64,
                              .batch = 4};
    const uint32_t steps = count > 3 ? (uint32_t)atoi(arguments[3]) : 8;
    ReferenceData data;
    Driver driver;
    void *context;
    *(void **)&driver.allocate = driver_call("cuMemAlloc_v2");
    *(void **)&driver.to_device = driver_call("cuMemcpyHtoD_v2");
    *(void **)&driver.to_host = driver_call("cuMemcpyDtoH_v2");
    int (*init)(unsigned), (*retain)(void **, int), (*set_current)(void *);
    *(void **)&init = driver_call("cuInit");
    *(void **)&retain = driver_call("cuDevicePrimaryCtxRetain");
    *(void **)&set_current = driver_call("cuCtxSetCurrent");
    if (init(0) || retain(&context, 0) || set_current(context) || !reference_data(&shape, steps, 1, &data))
        return 2;
    data.h0 = data.c0 = NULL; /* states begin as zeros */
    WbRnn *rnn = make_network(&shape, &data);
    const int status = compare(&driver, rnn, &shape, &data, steps);
    wbrnn_destroy(rnn);
    reference_free(&data);
    return status;
}
