/* The inside of the C API's handles.
 *
 * Every call of the API begins with gpu_begin() and ends with gpu_end(), so that a failure's sentence
 * stays readable until the next failure, and errors that inner functions record in `attempt` never
 * mix with those of an earlier call. */
#ifndef API_GPU_H
#define API_GPU_H

#include "api/config.h"
#include "base/stat.h"
#include "base/vec.h"
#include "exec/machine.h"
#include "exec/program.h"

/* A kernel of a loaded module. program is null until the kernel is first used. */
struct WbKernel {
    WbModule *module;
    uint32_t function;
    Program *program;
    uint32_t registers;        /* given by the user; 0: as allocated */
};

/* Invariant: addresses[v] is 0 exactly for variables that are not in device memory. The functions of
 * all modules that a GPU ever loaded are numbered in one row, so their addresses never repeat. */
struct WbModule {
    WbGpu *gpu;
    Module *module;
    uint64_t *addresses;       /* [variable_count] */
    uint64_t first_function;   /* number of function 0 */
    WbKernel *kernels;
    uint32_t kernel_count;
};

/* A launch that has been checked and waits to run. */
typedef struct QueuedLaunch {
    WbKernel *kernel;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    uint8_t *parameters;       /* owned */
} QueuedLaunch;

struct WbGpu {
    GpuConfig config;
    AddressSpace space;
    Machine machine;
    VEC(WbModule *) modules;
    VEC(QueuedLaunch) queue;
    uint64_t next_function, next_grid;
    Error attempt, last;
    Error unreported;          /* of a launch that failed inside a call that returns nothing */
};

extern const StatTable exec_statistics;

/* Returns the cleared error of this call. */
Error *gpu_begin(WbGpu *gpu);
/* Keeps the sentence of a failed call; returns the status. */
WbStatus gpu_end(WbGpu *gpu, WbStatus status);
/* Runs all queued launches, in order. At the first failure the ones behind it are dropped. */
WbStatus gpu_run_queue(WbGpu *gpu, Error *error);
void gpu_drop_queue(WbGpu *gpu);

WbStatus kernel_link(WbKernel *kernel, Error *error);
uint32_t kernel_registers(const WbKernel *kernel);
uint32_t kernel_max_threads(const WbKernel *kernel);
/* Blocks of a linked kernel that fit on one SM at once; 0 when not even one does. */
uint32_t kernel_blocks_per_sm(const WbKernel *kernel, uint32_t threads, uint32_t shared_bytes);
uint64_t module_function_address(const WbModule *module, uint32_t function);
/* Frees the module and its variables; the caller takes it out of gpu->modules. */
void module_release(WbModule *module);

#endif
