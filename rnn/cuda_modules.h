/* What networks of one CUDA context share: modules and kernels that are loaded there. */
#ifndef WBRNN_CUDA_MODULES_H
#define WBRNN_CUDA_MODULES_H

#include "cuda_driver.h"
#include "device.h"

/* Returned in place of an error of CUDA's where the sentence is there already. */
enum { MODULES_SAID = -1 };

struct RnnKernel {
    void *function;
    char module[RNN_MODULE_NAME], name[RNN_KERNEL_NAME];
    uint32_t shared_bytes; /* that it may have */
    RnnKernel *next;
};

typedef struct CudaModule {
    char name[RNN_MODULE_NAME];
    void *module;
    struct CudaModule *next;
} CudaModule;

/* Invariant: `users` networks have it open; the last one's close unloads the modules. */
typedef struct CudaShared {
    const Cuda *cuda;
    void *context;
    int device;
    bool primary;          /* the context is the device's own, and held by this */
    bool cooperative;      /* the GPU can make sure that all blocks are resident */
    uint32_t capability;
    char *folder;          /* of the kernels; null: those built in */
    CudaModule *modules;
    RnnKernel *kernels;
    uint32_t users;
    struct CudaShared *next;
} CudaShared;

/* Of the current context, or where there is none of device 0's primary one. Null with a sentence. */
CudaShared *modules_open(const Cuda *cuda, const char *folder, char *error, size_t size);
void modules_close(CudaShared *shared);

/* A kernel that may have so much dynamic shared memory. The context is current. An error of CUDA's and
 * the call that failed, or MODULES_SAID. */
int modules_kernel(CudaShared *shared, const char *module, const char *name, uint32_t shared_bytes,
                   RnnKernel **kernel, const char **call, char *error, size_t size);

#endif
