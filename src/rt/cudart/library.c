/* Libraries: modules that a program loads itself. They are the driver's modules under another name, and their
 * kernels are ordinary functions. */
#include "rt/cudart/cudart.h"

#include "rt/module.h"

static RtError get_library(void *handle, RtModule **module)
{
    if (!rt_handle_is_live(RT_HANDLE_MODULE, handle))
        return rt_fail(RT_INVALID_RESOURCE_HANDLE, "%p is not a library, or one that has been unloaded.",
                       handle);
    *module = handle;
    return RT_SUCCESS;
}

static RtError null_pointer(void)
{
    return rt_fail(RT_INVALID_VALUE, "A name, or a place for an answer, is a null pointer.");
}

EXPORT int cudaLibraryLoadData(void **library, const void *code, void *jit_options, void **jit_values,
                               unsigned jit_count, void *options, void **values, unsigned count)
{
    (void)jit_options, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    return CUDART(library && code ? rt_module_load(code, (RtModule **)library) : null_pointer());
}

EXPORT int cudaLibraryLoadFromFile(void **library, const char *path, void *jit_options, void **jit_values,
                                   unsigned jit_count, void *options, void **values, unsigned count)
{
    (void)jit_options, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    return CUDART(library && path ? rt_module_load_file(path, (RtModule **)library) : null_pointer());
}

static RtError unload(void *handle)
{
    RtModule *module = NULL;
    RtError error = get_library(handle, &module);
    if (error == RT_SUCCESS)
        rt_module_unload(module);
    return error;
}

EXPORT int cudaLibraryUnload(void *library) { return CUDART(unload(library)); }

static RtError get_kernel(void **kernel, void *library, const char *name)
{
    RtModule *module = NULL;
    if (!kernel || !name)
        return null_pointer();
    RtError error = get_library(library, &module);
    return error ? error : rt_module_function(module, name, (RtFunction **)kernel);
}

EXPORT int cudaLibraryGetKernel(void **kernel, void *library, const char *name)
{
    return CUDART(get_kernel(kernel, library, name));
}

static RtError get_variable(void **pointer, size_t *bytes, void *library, const char *name)
{
    RtModule *module = NULL;
    uint64_t address;
    size_t size;
    if (!name)
        return null_pointer();
    RtError error = get_library(library, &module);
    if (error == RT_SUCCESS)
        error = rt_module_variable(module, name, &address, &size);
    if (error)
        return error;
    if (pointer)
        *pointer = (void *)(uintptr_t)address;
    if (bytes)
        *bytes = size;
    return RT_SUCCESS;
}

EXPORT int cudaLibraryGetGlobal(void **pointer, size_t *bytes, void *library, const char *name)
{
    return CUDART(get_variable(pointer, bytes, library, name));
}

EXPORT int cudaLibraryGetManaged(void **pointer, size_t *bytes, void *library, const char *name)
{
    return CUDART(get_variable(pointer, bytes, library, name));
}

static RtError get_kernels(void **kernels, size_t room, unsigned *count, void *library)
{
    RtModule *module = NULL;
    size_t found = 0;
    RtError error = get_library(library, &module);
    if (error == RT_SUCCESS)
        error = rt_module_functions(module, (RtFunction **)kernels, room, &found);
    *count = (unsigned)found;
    return error;
}

EXPORT int cudaLibraryGetKernelCount(unsigned *count, void *library)
{
    return CUDART(count ? get_kernels(NULL, 0, count, library) : null_pointer());
}

EXPORT int cudaLibraryEnumerateKernels(void **kernels, unsigned room, void *library)
{
    unsigned count;
    return CUDART(kernels ? get_kernels(kernels, room, &count, library) : null_pointer());
}
