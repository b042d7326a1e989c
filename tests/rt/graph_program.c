#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph_program.h"

int ground_begin(void **state)
{
    static Ground ground;
    OK(cudaStreamCreateWithFlags(&ground.stream, 1));
    OK(cudaStreamCreateWithFlags(&ground.other, 1));
    OK(cudaMalloc(&ground.cell, 64));
    OK(cudaMemset(ground.cell, 0, 64));
    OK(cudaDeviceSynchronize()); /* the streams do not wait for the legacy one */
    OK(cudaEventCreate(&ground.event));
    OK(cudaGetLastError());
    *state = &ground;
    return 0;
}

int ground_end(void **state)
{
    Ground *ground = *state;
    OK(cudaStreamDestroy(ground->stream));
    OK(cudaStreamDestroy(ground->other));
    OK(cudaDeviceSynchronize());
    OK(cudaFree(ground->cell));
    OK(cudaEventDestroy(ground->event));
    cudaGetLastError();
    return 0;
}

uint32_t read_cell(const void *cell)
{
    uint32_t value;
    OK(cudaMemcpy(&value, cell, sizeof value, TO_HOST));
    return value;
}

const KernelParameters *call_of(Call *call, void *kernel, void *cell, uint32_t number)
{
    *call = (Call){.cell = cell, .number = number};
    call->arguments[0] = &call->cell;
    call->arguments[1] = &call->number;
    call->parameters = (KernelParameters){
        .function = kernel, .grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = call->arguments};
    return &call->parameters;
}

void *add_append(void *graph, void *before, void *cell, uint32_t digit)
{
    Call call;
    void *node = NULL;
    OK(cudaGraphAddKernelNode(&node, graph, &before, before != NULL,
                              call_of(&call, kernels.append, cell, digit)));
    return node;
}

void *make_executable(void *graph)
{
    void *executable = NULL;
    OK(cudaGraphInstantiate(&executable, graph, 0));
    return executable;
}

void run(void *executable, void *stream)
{
    OK(cudaGraphLaunch(executable, stream));
    OK(cudaStreamSynchronize(stream));
}

void take_note(void *context)
{
    Note *note = context;
    note->value = *note->source;
    note->calls++;
}
