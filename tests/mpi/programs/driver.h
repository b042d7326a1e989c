/* What the programs call of the CUDA driver, whose headers need not be there. */
#ifndef MPI_PROGRAMS_DRIVER_H
#define MPI_PROGRAMS_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t CUdeviceptr;
int cuInit(unsigned);
int cuDeviceGet(int *, int);
int cuDeviceGetCount(int *);
int cuCtxCreate_v2(void **, unsigned, int);
int cuCtxSetCurrent(void *);
int cuModuleLoadData(void **, const void *);
int cuModuleGetFunction(void **, void *, const char *);
int cuMemAlloc_v2(CUdeviceptr *, size_t);
int cuMemcpyHtoD_v2(CUdeviceptr, const void *, size_t);
int cuMemcpyDtoH_v2(void *, CUdeviceptr, size_t);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                   void **, void **);
int cuCtxSynchronize(void);

#endif
