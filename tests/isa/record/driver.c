/* Finds the driver's functions by name. */
#include "driver.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static bool find_all(Driver *driver, void *library, char *why, size_t size)
{
    const struct {
        const char *name;
        void *place;
    } wanted[] = {{"cuInit", &driver->init},
                  {"cuDeviceGet", &driver->device},
                  {"cuDevicePrimaryCtxRetain", &driver->retain},
                  {"cuCtxSetCurrent", &driver->use},
                  {"cuMemAlloc_v2", &driver->allocate},
                  {"cuMemcpyHtoD_v2", &driver->copy_in},
                  {"cuMemcpyDtoH_v2", &driver->copy_out},
                  {"cuMemsetD8_v2", &driver->set},
                  {"cuModuleLoadDataEx", &driver->load},
                  {"cuModuleUnload", &driver->unload},
                  {"cuModuleGetFunction", &driver->find},
                  {"cuLaunchKernel", &driver->launch},
                  {"cuCtxSynchronize", &driver->wait},
                  {"cuGetErrorName", &driver->error_name}};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        void *symbol = dlsym(library, wanted[k].name);
        if (!symbol) {
            snprintf(why, size, "the driver has no function %s", wanted[k].name);
            return false;
        }
        memcpy(wanted[k].place, &symbol, sizeof symbol);
    }
    return true;
}

bool driver_open(Driver *driver, char *why, size_t size)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        snprintf(why, size, "%s", dlerror());
        return false;
    }
    if (!find_all(driver, library, why, size))
        return false;
    int device = 0;
    void *context = NULL;
    int status = driver->init(0);
    if (!status)
        status = driver->device(&device, 0);
    if (!status)
        status = driver->retain(&context, device);
    if (!status)
        status = driver->use(context);
    if (status)
        snprintf(why, size, "%s", driver_error(driver, status));
    return status == 0;
}

int driver_load(Driver *driver, void **module, const char *text, char *log, size_t size)
{
    /* CU_JIT_ERROR_LOG_BUFFER and its size; the size travels in the pointer itself. */
    const int options[] = {5, 6};
    void *values[] = {log, (void *)size};
    log[0] = 0;
    return driver->load(module, text, 2, options, values);
}

const char *driver_error(Driver *driver, int status)
{
    const char *name = NULL;
    return driver->error_name(status, &name) == 0 && name ? name : "unknown error";
}
