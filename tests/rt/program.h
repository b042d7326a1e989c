/* What a CUDA program of the tests in C is made of: the runtime's functions, declared as programs see
 * them, and a few kernels. The GPU is a small one in cycle mode, so that events show simulated time. */
#ifndef RT_PROGRAM_H
#define RT_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "warpbeam.h"

/* Kernels, to be passed to cudaLaunchKernel; 0 where loading failed. */
typedef struct Kernels {
    void *append; /* (uint32_t *cell, uint32_t digit): *cell = *cell * 10 + digit */
    void *spin;   /* (uint32_t *cell, uint32_t turns): counts to turns, then stores it */
    void *fault;  /* (): stores to address 0 */
    void *stuck;  /* (): waits at a barrier for threads that are not there */
} Kernels;
extern Kernels kernels;

/* Group setup of a test: chooses the GPU, loads the kernels. */
int program_begin(void **state);

/* One thread of append or spin. */
int launch(void *kernel, void *cell, uint32_t number, void *stream);

int cudaMalloc(void **pointer, size_t size);
int cudaFree(void *pointer);
int cudaMallocAsync(void **pointer, size_t size, void *stream);
int cudaFreeAsync(void *pointer, void *stream);
int cudaMemcpy(void *destination, const void *source, size_t size, int kind);
int cudaMemcpyAsync(void *destination, const void *source, size_t size, int kind, void *stream);
int cudaMemset(void *pointer, int value, size_t size);
int cudaMemsetAsync(void *pointer, int value, size_t size, void *stream);
int cudaDeviceSynchronize(void);
int cudaDeviceReset(void);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
const char *cudaGetErrorName(int error);
const char *cudaGetErrorString(int error);
int cudaLaunchKernel(const void *kernel, WbDim3 grid, WbDim3 block, void **arguments, size_t shared,
                     void *stream);
int cudaLaunchKernel_ptsz(const void *kernel, WbDim3 grid, WbDim3 block, void **arguments, size_t shared,
                          void *stream);
int cudaLaunchHostFunc(void *stream, WbHostFunction *function, void *context);
int cudaStreamAddCallback(void *stream, void (*callback)(void *, int, void *), void *context, unsigned flags);

int cudaStreamCreate(void **stream);
int cudaStreamCreateWithFlags(void **stream, unsigned flags);
int cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority);
int cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
int cudaStreamDestroy(void *stream);
int cudaStreamQuery(void *stream);
int cudaStreamSynchronize(void *stream);
int cudaStreamSynchronize_ptsz(void *stream);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaStreamGetFlags(void *stream, unsigned *flags);
int cudaStreamGetPriority(void *stream, int *priority);
int cudaStreamGetId(void *stream, unsigned long long *id);
int cudaStreamGetId_ptsz(void *stream, unsigned long long *id);

int cudaEventCreate(void **event);
int cudaEventCreateWithFlags(void **event, unsigned flags);
int cudaEventDestroy(void *event);
int cudaEventRecord(void *event, void *stream);
int cudaEventRecordWithFlags(void *event, void *stream, unsigned flags);
int cudaEventQuery(void *event);
int cudaEventSynchronize(void *event);
int cudaEventElapsedTime(float *milliseconds, void *start, void *end);

#endif
