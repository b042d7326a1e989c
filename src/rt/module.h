/* Modules and functions of a CUDA program: the PTX of its fat binaries, read when something of it is first
 * used. */
#ifndef RT_MODULE_H
#define RT_MODULE_H

#include "rt/operation.h"

/* What CUmodule and CUlibrary point to. */
typedef struct RtModule RtModule;

/* What a device has of a function. */
typedef struct RtFunctionHere {
    WbKernel *kernel;            /* null until rt_function_ready() */
    uint32_t max_dynamic_shared; /* bytes that a launch may ask for: 48 KiB less static ones, unless an
                                    attribute was set; 0 before rt_function_ready() */
} RtFunctionHere;

/* What CUfunction, CUkernel, cudaFunction_t and cudaKernel_t point to. */
struct RtFunction {
    RtModule *module;
    char *name;                  /* in PTX */
    char *plain;                 /* the same for people */
    int carveout, cache_preference;
    RtFunctionHere on[RT_DEVICES];
};
/* What the device that the call works on has of it. */
static inline RtFunctionHere *function_here(RtFunction *function) { return &function->on[rt_device()]; }

/* From what a program passes to cuModuleLoadData: PTX text, or a fat binary with PTX in it. It is read
 * now on the device; others get it when they use it, unless rt_module_keep_here() says that it is this
 * one's alone. */
RtError rt_module_load(const void *image, RtModule **module);
RtError rt_module_load_file(const char *path, RtModule **module);
/* Several PTX texts linked into one (cuLink...). */
RtError rt_module_link(const WbSource *sources, size_t count, RtModule **module);
/* A module of the driver API belongs to the context that it was loaded in; a library does not. */
void rt_module_keep_here(RtModule *module);
/* Fat binaries that a program registers at its start: nothing is read until something of them is needed.
 * Those of relocatable device code (-rdc=true) that were linked together are one module. `wrapper` is what
 * __cudaRegisterFatBinary gets; name and texts that are registered are kept by pointer. */
RtError rt_module_register(const void *wrapper, RtModule **module);
void rt_module_unload(RtModule *module);
/* Reads and links its texts for the device if that has not been done; functions below do so by themselves. */
RtError rt_module_ready(RtModule *module);
/* All kernels of the module; functions may be null. */
RtError rt_module_functions(RtModule *module, RtFunction **functions, size_t room, size_t *count);
RtError rt_module_function(RtModule *module, const char *name, RtFunction **function);
RtError rt_module_variable(RtModule *module, const char *name, uint64_t *address, size_t *size);

/* The function with its kernel found and linked. */
RtError rt_function_ready(RtFunction *function);
/* Makes the operation of a launch: arguments by pointers, each as large as the kernel's parameter, or laid
 * out in a buffer. Checks dimensions, shared memory and the limits that CUDA documents. */
RtError rt_launch_prepare(RtFunction *function, const WbLaunch *launch, RtOperation *operation);
/* Puts the launch into the stream, with the dependencies between blocks that the thread has named for it. */
RtError rt_launch_into(RtStream *stream, RtFunction *function, const WbLaunch *launch);
RtError rt_function_occupancy(RtFunction *function, int threads, size_t shared_bytes, int *blocks);
RtError rt_function_info(RtFunction *function, WbKernelInfo *info);
/* Where a parameter lies among the bytes of a launch's arguments. */
RtError rt_function_parameter(RtFunction *function, uint32_t index, size_t *offset, size_t *size);
/* Bytes of dynamic shared memory that launches may ask for from now on; bytes may be negative or too many. */
RtError rt_function_set_dynamic_shared(RtFunction *function, int64_t bytes);
/* The most dynamic shared memory with which that many blocks still fit on an SM at once. */
RtError rt_function_available_shared(RtFunction *function, int blocks, int threads, size_t *bytes);

/* -- what programs register at their start: host addresses that stand for functions and variables -- */

void rt_register_function(RtModule *module, const void *host_function, const char *name);
void rt_register_variable(RtModule *module, const void *host_variable, const char *name, size_t size);
/* *pointer gets the variable's address, which host and device share, when the module is read. */
void rt_register_managed(RtModule *module, void **pointer, const char *name, size_t size);
/* A texture or surface of file scope, as CUDA 11 still had: using it is an error that says so. */
void rt_register_reference(RtModule *module, const void *host_variable, const char *name);
/* The function that a program means by a host function's address, or by a handle of one. */
RtError rt_host_function_find(const void *host_function, RtFunction **function);
/* The address that the program has for a function; the function itself where it has none. */
const void *rt_host_function_of(const RtFunction *function);
RtError rt_symbol_find(const void *host_symbol, uint64_t *address, size_t *size);
/* Registered modules are read anew when the device next uses them: its variables start over. Its streams must
 * be empty. */
void rt_modules_reset(void);

#endif
