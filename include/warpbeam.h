/* Warpbeam's host interface: open a GPU, load PTX, allocate, copy, launch, wait, read statistics.
 *
 * Every call returns a WbStatus; the full sentence of the last failure on a GPU is wb_error(). The
 * library never ends the process and never prints, except what a kernel prints (wb_set_output); only if
 * the host has no memory left for the simulator's own tables does it abort, with a sentence. One
 * WbGpu is used by one thread at a time; different ones are independent. */
#ifndef WARPBEAM_H
#define WARPBEAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The shared library exports what is declared here and nothing else. */
#pragma GCC visibility push(default)

typedef enum WbStatus {
    WB_OK = 0,
    WB_ERROR_ARGUMENT,     /* a call's own argument is wrong */
    WB_ERROR_NOT_FOUND,    /* no such configuration, knob, kernel, symbol or file */
    WB_ERROR_PTX,          /* the PTX text is broken */
    WB_ERROR_UNSUPPORTED,  /* correct PTX that this build does not execute */
    WB_ERROR_OUT_OF_MEMORY,/* device memory, device heap or stack exhausted */
    WB_ERROR_LAUNCH,       /* the launch does not fit kernel or GPU */
    WB_ERROR_ADDRESS,      /* a kernel touched memory that it may not, or misaligned */
    WB_ERROR_TRAP,         /* trap, brkpt or a failed device assert */
    WB_ERROR_EXECUTION,    /* another fault of a running kernel: null call, stack overflow */
    WB_ERROR_DEADLOCK,     /* nothing in the launch can ever run again, or the limit was reached */
    WB_STATUS_COUNT
} WbStatus;

typedef struct WbGpu WbGpu;
typedef struct WbModule WbModule;
typedef struct WbKernel WbKernel;

typedef struct WbDim3 { uint32_t x, y, z; } WbDim3;

/* What a kernel needs of the machine. */
typedef struct WbKernelInfo {
    const char *name;
    uint32_t registers;        /* per thread, as allocated */
    uint32_t shared_bytes;     /* static, per block */
    uint32_t local_bytes;      /* per thread */
    uint32_t max_threads;      /* per block: the GPU's limit, or less by .maxntid */
    uint32_t parameter_count;
    uint32_t parameter_bytes;
} WbKernelInfo;

/* One argument of a launch: `size` must be the size of the kernel's parameter. */
typedef struct WbArgument { const void *data; size_t size; } WbArgument;
#define WB_ARG(variable) ((WbArgument){&(variable), sizeof(variable)})

typedef struct WbLaunch {
    WbDim3 grid, block;
    uint32_t shared_bytes;     /* dynamic, on top of the kernel's static ones */
    const WbArgument *arguments;
    uint32_t argument_count;
} WbLaunch;

/* One statistic, declared by the component that counts it. */
typedef struct WbStat {
    const char *name;
    const char *unit;
    const char *description;
    uint64_t value;
} WbStat;

/* A kernel that has run in cycle mode. Cycles are those of the SMs' clock since the GPU was opened. */
typedef struct WbRecord {
    const char *name;
    WbDim3 grid, block;
    uint32_t registers;        /* per thread */
    uint32_t shared_bytes;     /* per block, static and dynamic */
    uint32_t blocks_per_sm;    /* that fit on an SM at once */
    uint64_t launched;         /* cycle of its launch: the end of the kernel before it */
    uint64_t started;          /* cycle from which its blocks could be dispatched */
    uint64_t ended;
    uint64_t cycles;           /* from launched to ended */
} WbRecord;

/* Receives what kernels print; `text` is not terminated. */
typedef void WbOutput(void *context, const char *text, size_t length);

const char *wb_status_name(WbStatus status);

/* `configuration` is a name that `warpbeam list gpus` shows, or the path of a YAML file. On failure
 * *gpu is null and the sentence is copied to `error` (may be null). */
WbStatus wb_gpu_open(const char *configuration, WbGpu **gpu, char *error, size_t error_size);
void wb_gpu_close(WbGpu *gpu);
WbStatus wb_gpu_set(WbGpu *gpu, const char *knob, const char *value);
const char *wb_error(const WbGpu *gpu);
void wb_set_output(WbGpu *gpu, WbOutput *output, void *context);

WbStatus wb_module_load(WbGpu *gpu, const char *file_name, const char *text, size_t length,
                        WbModule **module);
WbStatus wb_module_load_file(WbGpu *gpu, const char *path, WbModule **module);
void wb_module_unload(WbModule *module);
WbStatus wb_module_symbol(WbModule *module, const char *name, uint64_t *address, size_t *size);
WbStatus wb_module_kernel(WbModule *module, const char *name, WbKernel **kernel);
size_t wb_module_kernel_count(const WbModule *module);
WbKernel *wb_module_kernel_at(WbModule *module, size_t index);
WbStatus wb_kernel_info(WbKernel *kernel, WbKernelInfo *info);
/* The size of a parameter, and where it lies among the kernel's parameter_bytes. */
WbStatus wb_kernel_parameter(WbKernel *kernel, uint32_t index, size_t *offset, size_t *size);
/* Replaces the register count that allocation found (0: back to it). */
WbStatus wb_kernel_set_registers(WbKernel *kernel, uint32_t registers);

WbStatus wb_malloc(WbGpu *gpu, size_t size, uint64_t *address);
WbStatus wb_free(WbGpu *gpu, uint64_t address);
WbStatus wb_copy_to_device(WbGpu *gpu, uint64_t destination, const void *source, size_t size);
WbStatus wb_copy_from_device(WbGpu *gpu, void *destination, uint64_t source, size_t size);
WbStatus wb_copy_on_device(WbGpu *gpu, uint64_t destination, uint64_t source, size_t size);
WbStatus wb_set_device(WbGpu *gpu, uint64_t destination, int byte, size_t size);

/* A launch is checked at once and may run later; wb_wait runs it to its end and tells its outcome. */
WbStatus wb_launch(WbKernel *kernel, const WbLaunch *launch);
WbStatus wb_wait(WbGpu *gpu);
/* Runs what is queued, then drops what all caches hold, as profilers do before a measurement. Memory keeps its
 * contents. Nothing to do in functional mode. */
WbStatus wb_gpu_flush(WbGpu *gpu);

/* Statistics since the GPU was opened or they were last reset. Those whose names have a dot are counted in
 * cycle mode only (knob mode); of parts that there are several of, such as SMs, they are sums. */
size_t wb_stat_count(const WbGpu *gpu);
WbStatus wb_stat_at(const WbGpu *gpu, size_t index, WbStat *stat);
WbStatus wb_stat_find(const WbGpu *gpu, const char *name, WbStat *stat);
/* Drops the records of kernels, too. */
void wb_stats_reset(WbGpu *gpu);

/* Kernels that ran to their end in cycle mode, in the order of their launches. */
size_t wb_record_count(const WbGpu *gpu);
/* A record's name is valid until the statistics are reset or the GPU is closed. */
WbStatus wb_record_at(const WbGpu *gpu, size_t index, WbRecord *record);
/* A statistic over the time of that kernel alone. */
WbStatus wb_record_stat(const WbGpu *gpu, size_t index, const char *name, WbStat *stat);

/* Writes a JSON file: the GPU's resolved configuration and the statistics of every kernel that ran in cycle mode,
 * as docs/STATISTICS.md describes. `parts`: 0, or any of these together. */
enum {
    WB_REPORT_DETAILS = 1, /* every SM, scheduler, slice, channel and port, not only sums */
    WB_REPORT_BLOCKS = 2   /* every block: SM, dispatched, started, ended */
};
WbStatus wb_report(WbGpu *gpu, const char *path, unsigned parts);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
