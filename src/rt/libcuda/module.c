/* Modules: PTX, a fat binary with PTX, or what cuLinkComplete returned. */
#include "rt/libcuda/libcuda.h"

#include "rt/libcuda/function.h"
#include "rt/libcuda/jit.h"
#include "rt/libcuda/link.h"

enum { LAZY_LOADING = 2 }; /* CUmoduleLoadingMode */

RtError libcuda_module(void *handle, RtModule **module)
{
    if (!rt_handle_is_live(RT_HANDLE_MODULE, handle))
        return rt_fail(RT_INVALID_RESOURCE_HANDLE, "%p is no module, or one that was unloaded.", handle);
    *module = handle;
    return RT_SUCCESS;
}

static RtError load(void **module, const void *image)
{
    NEED(module);
    NEED(image);
    return link_is_image(image) ? link_load(image, (RtModule **)module)
                                : rt_module_load(image, (RtModule **)module);
}

/* A module is one of the context that was current; libraries are not. */
static RtError load_here(void **module, const void *image)
{
    RtError error = load(module, image);
    if (!error)
        rt_module_keep_here(*module);
    return error;
}

EXPORT int cuModuleLoadData(void **module, const void *image) { return LIBCUDA(load_here(module, image)); }
EXPORT int cuModuleLoadFatBinary(void **module, const void *image)
{
    return LIBCUDA(load_here(module, image));
}

EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned count, const int *options,
                              void **values)
{
    return LIBCUDA(jit_answer(count, options, values, load_here(module, image)));
}

static RtError load_file(void **module, const char *path)
{
    NEED(module);
    NEED(path);
    return rt_module_load_file(path, (RtModule **)module);
}

static RtError load_file_here(void **module, const char *path)
{
    RtError error = load_file(module, path);
    if (!error)
        rt_module_keep_here(*module);
    return error;
}

EXPORT int cuModuleLoad(void **module, const char *path) { return LIBCUDA(load_file_here(module, path)); }

/* What was launched from it ends before. */
static RtError unload(void *handle)
{
    RtModule *module = NULL;
    RtError error = libcuda_module(handle, &module);
    for (int i = 0; i < rt_device_count() && !error; i++)
        error = RT_ON(i, rt_sticky() ? RT_SUCCESS : rt_wait_all());
    if (!error)
        rt_module_unload(module);
    return error;
}

EXPORT int cuModuleUnload(void *module) { return LIBCUDA(unload(module)); }

static RtError get_function(void **function, void *handle, const char *name)
{
    NEED(function);
    NEED(name);
    RtModule *module = NULL;
    RtError error = libcuda_module(handle, &module);
    return error ? error : rt_module_function(module, name, (RtFunction **)function);
}

EXPORT int cuModuleGetFunction(void **function, void *module, const char *name)
{
    return LIBCUDA(get_function(function, module, name));
}

/* A module has few functions: the count is found by listing none of them. */
static RtError list_functions(void **functions, unsigned room, unsigned *count, void *handle)
{
    RtModule *module = NULL;
    size_t found = 0;
    RtError error = libcuda_module(handle, &module);
    if (!error)
        error = rt_module_functions(module, (RtFunction **)functions, room, &found);
    *count = (unsigned)found;
    return error;
}

static RtError count_functions(unsigned *count, void *handle)
{
    NEED(count);
    return list_functions(NULL, 0, count, handle);
}

static RtError enumerate(void **functions, unsigned room, void *handle)
{
    NEED(functions);
    unsigned count;
    return list_functions(functions, room, &count, handle);
}

EXPORT int cuModuleGetFunctionCount(unsigned *count, void *module)
{
    return LIBCUDA(count_functions(count, module));
}

EXPORT int cuModuleEnumerateFunctions(void **functions, unsigned room, void *module)
{
    return LIBCUDA(enumerate(functions, room, module));
}

static RtError get_global(uint64_t *address, size_t *size, void *handle, const char *name)
{
    NEED(name);
    RtModule *module = NULL;
    uint64_t found_address;
    size_t found_size;
    RtError error = libcuda_module(handle, &module);
    if (!error)
        error = rt_module_variable(module, name, &found_address, &found_size);
    if (!error && address)
        *address = found_address;
    if (!error && size)
        *size = found_size;
    return error;
}

EXPORT int cuModuleGetGlobal_v2(uint64_t *address, size_t *size, void *module, const char *name)
{
    return LIBCUDA(get_global(address, size, module, name));
}

static RtError get_loading_mode(int *mode)
{
    NEED(mode);
    *mode = LAZY_LOADING;
    return RT_SUCCESS;
}

EXPORT int cuModuleGetLoadingMode(int *mode) { return LIBCUDA_GLOBAL(get_loading_mode(mode)); }

/* -- libraries: modules under another name, that need no context -- */

EXPORT int cuLibraryLoadData(void **library, const void *code, const int *options, void **values,
                             unsigned count, const int *library_options, void **library_values,
                             unsigned library_count)
{
    (void)library_options, (void)library_values, (void)library_count;
    return LIBCUDA_GLOBAL(jit_answer(count, options, values, load(library, code)));
}

EXPORT int cuLibraryLoadFromFile(void **library, const char *path, const int *options, void **values,
                                 unsigned count, const int *library_options, void **library_values,
                                 unsigned library_count)
{
    (void)library_options, (void)library_values, (void)library_count;
    return LIBCUDA_GLOBAL(jit_answer(count, options, values, load_file(library, path)));
}

EXPORT int cuLibraryUnload(void *library) { return LIBCUDA_GLOBAL(unload(library)); }

EXPORT int cuLibraryGetKernel(void **kernel, void *library, const char *name)
{
    return LIBCUDA_GLOBAL(get_function(kernel, library, name));
}

EXPORT int cuLibraryGetKernelCount(unsigned *count, void *library)
{
    return LIBCUDA_GLOBAL(count_functions(count, library));
}

EXPORT int cuLibraryEnumerateKernels(void **kernels, unsigned room, void *library)
{
    return LIBCUDA_GLOBAL(enumerate(kernels, room, library));
}

EXPORT int cuLibraryGetGlobal(uint64_t *address, size_t *size, void *library, const char *name)
{
    return LIBCUDA(get_global(address, size, library, name));
}

EXPORT int cuLibraryGetManaged(uint64_t *address, size_t *size, void *library, const char *name)
{
    return LIBCUDA_GLOBAL(get_global(address, size, library, name));
}

static RtError get_module(void **module, void *library)
{
    NEED(module);
    return libcuda_module(library, (RtModule **)module);
}

EXPORT int cuLibraryGetModule(void **module, void *library) { return LIBCUDA(get_module(module, library)); }
