/* Opens the driver: the one that the program has in it already, or libcuda.so.1. */
#include "cuda_driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

_Static_assert(sizeof(CudaAttribute) == 72 && sizeof(CudaConfig) == 56, "as CUDA has them");

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static Cuda cuda;
static bool is_open;

static void *library(char *error, size_t size)
{
    if (dlsym(RTLD_DEFAULT, "cuInit"))
        return RTLD_DEFAULT;
    void *found = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!found) {
        const char *why = dlerror();
        snprintf(error, size, "There is no CUDA driver: %s.", why ? why : "libcuda.so.1 was not found");
    }
    return found;
}

/* Copies the address through a pointer to an object: C has no cast from one to a function. */
static bool find(void *from, const char *name, void *call, char *error, size_t size)
{
    void *address = dlsym(from, name);
    *(void **)call = address;
    if (!address && error)
        snprintf(error, size, "The CUDA driver has no %s; a newer driver is needed.", name);
    return address != NULL;
}

static bool find_all(void *from, char *error, size_t size)
{
#define CUDA_CALL(name, arguments)                      \
    if (!find(from, #name, &cuda.name, error, size))    \
        return false;
#define CUDA_MAYBE(name, arguments) find(from, #name, &cuda.name, NULL, 0);
#include "cuda_driver.def"
#undef CUDA_CALL
#undef CUDA_MAYBE
    cuda.simulated = dlsym(from, "wb_cuda_map_next_launch") != NULL;
    const int failed = cuda.cuInit(0);
    if (failed)
        snprintf(error, size, "The CUDA driver does not start: cuInit() returned %d.", failed);
    return !failed;
}

static bool open_once(char *error, size_t size)
{
    if (is_open)
        return true;
    void *from = library(error, size);
    /* RTLD_DEFAULT is null, too. */
    is_open = (from || dlsym(RTLD_DEFAULT, "cuInit")) && find_all(from, error, size);
    return is_open;
}

const Cuda *cuda_open(char *error, size_t size)
{
    pthread_mutex_lock(&mutex);
    const bool opened = open_once(error, size);
    pthread_mutex_unlock(&mutex);
    return opened ? &cuda : NULL;
}
