/* What the code that nvcc adds to a program calls before main(): its fat binaries, kernels and variables.
 * Nothing here opens the GPU or reads device code, but for __cudaInitModule, which comes before the first
 * use of a managed variable. */
#include "rt/cudart/cudart.h"

#include "rt/module.h"

/* Runs the statement under the lock; programs pass the handle of a failed registration on. */
#define REGISTER(handle, statement)                                                                          \
    do {                                                                                                     \
        rt_enter_always(__func__);                                                                           \
        if (handle)                                                                                          \
            statement;                                                                                       \
        rt_leave();                                                                                          \
    } while (0)

EXPORT void **__cudaRegisterFatBinary(void *wrapper)
{
    RtModule *module;
    rt_enter_always(__func__);
    rt_module_register(wrapper, &module);
    rt_leave();
    return (void **)module;
}

EXPORT void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

EXPORT void __cudaUnregisterFatBinary(void **handle)
{
    REGISTER(handle, rt_module_unload((RtModule *)handle));
}

EXPORT char __cudaInitModule(void **handle)
{
    if (handle)
        (void)CUDART(rt_module_ready((RtModule *)handle));
    return 1;
}

EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int thread_limit, void *thread, void *block, void *block_extent,
                                   void *grid_extent, int *warp_size)
{
    (void)device, (void)thread_limit, (void)thread, (void)block, (void)block_extent, (void)grid_extent,
        (void)warp_size;
    REGISTER(handle, rt_register_function((RtModule *)handle, host, name));
}

EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern,
                              size_t size, int is_constant, int is_global)
{
    (void)device, (void)is_extern, (void)is_constant, (void)is_global;
    REGISTER(handle, rt_register_variable((RtModule *)handle, host, name, size));
}

EXPORT void __cudaRegisterManagedVar(void **handle, void **pointer, char *device, const char *name,
                                     int is_extern, size_t size, int is_constant, int is_global)
{
    (void)device, (void)is_extern, (void)is_constant, (void)is_global;
    REGISTER(handle, rt_register_managed((RtModule *)handle, pointer, name, size));
}

/* A host variable that device code may use where host memory is device memory; device code that does so is
 * told when it is linked. */
EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size)
{
    (void)handle, (void)name, (void)host, (void)size;
}

EXPORT void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name,
                                  int dimensions, int is_normalized, int is_extern)
{
    (void)device, (void)dimensions, (void)is_normalized, (void)is_extern;
    REGISTER(handle, rt_register_reference((RtModule *)handle, host, name));
}

EXPORT void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name,
                                  int dimensions, int is_extern)
{
    (void)device, (void)dimensions, (void)is_extern;
    REGISTER(handle, rt_register_reference((RtModule *)handle, host, name));
}
