/* cudaGetDriverEntryPoint: functions of the driver API by name, from our libcuda. */
#include "rt/cudart/cudart.h"

#include <dlfcn.h>

typedef int GetAddress(const char *symbol, void **function, int version, uint64_t flags, int *status);

/* Where both libraries are part of one program this is it; otherwise libcuda is loaded. */
__attribute__((weak)) GetAddress cuGetProcAddress_v2;

/* Asked before the lock is taken: a library that another thread is loading registers its kernels under it. */
static GetAddress *find_driver(void)
{
    if (cuGetProcAddress_v2)
        return cuGetProcAddress_v2;
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    return library ? (GetAddress *)(uintptr_t)dlsym(library, "cuGetProcAddress_v2") : NULL;
}

/* `*status`: 0 found, 1 unknown, 2 too new for the version. */
static RtError get_entry(GetAddress *get, const char *symbol, void **function, unsigned version,
                         uint64_t flags, int *status)
{
    if (!get)
        return rt_fail(RT_INSUFFICIENT_DRIVER,
                       "Warpbeam's libcuda.so.1 cannot be loaded; it lies beside its libcudart.");
    return (RtError)get(symbol, function, (int)version, flags, status);
}

enum { THIS_VERSION = CUDART_MAJOR * 1000, NEWEST_MINOR = 990, PER_THREAD = 2 };

EXPORT int cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                            unsigned long long flags, int *status)
{
    GetAddress *get = find_driver();
    return CUDART(get_entry(get, symbol, function, version, flags, status));
}

EXPORT int cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **function, unsigned version,
                                                 unsigned long long flags, int *status)
{
    GetAddress *get = find_driver();
    return CUDART(get_entry(get, symbol, function, version, flags ? flags : PER_THREAD, status));
}

/* Without a version: what the newest runtime of this major version would get. */
EXPORT int cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags, int *status)
{
    GetAddress *get = find_driver();
    return CUDART(get_entry(get, symbol, function, THIS_VERSION + NEWEST_MINOR, flags, status));
}

EXPORT int cudaGetDriverEntryPoint_ptsz(const char *symbol, void **function, unsigned long long flags,
                                        int *status)
{
    GetAddress *get = find_driver();
    return CUDART(
        get_entry(get, symbol, function, THIS_VERSION + NEWEST_MINOR, flags ? flags : PER_THREAD, status));
}
