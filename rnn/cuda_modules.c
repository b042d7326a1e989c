/* Contexts that networks use, as a list of the process, with the modules that are loaded there. */
#include "cuda_modules.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "images.h"

enum { DYNAMIC_SHARED = 8, NEEDS_DECLARATION = 48 << 10 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static CudaShared *first;

/* -- contexts -- */

static bool has_folder(const CudaShared *shared, const char *folder)
{
    return folder && shared->folder ? strcmp(folder, shared->folder) == 0 : folder == shared->folder;
}

/* The context that a new network gets, current or not; the caller has to give a primary one back. */
static int find_context(const Cuda *cuda, void **context, int *device, bool *primary)
{
    int error = cuda->cuCtxGetCurrent(context);
    *primary = !error && !*context;
    if (error)
        return error;
    if (!*primary)
        return cuda->cuCtxGetDevice(device);
    error = cuda->cuDeviceGet(device, 0);
    return error ? error : cuda->cuDevicePrimaryCtxRetain(context, *device);
}

static CudaShared *make(const Cuda *cuda, void *context, int device, const char *folder)
{
    CudaShared *shared = calloc(1, sizeof *shared);
    if (!shared)
        return NULL;
    shared->folder = folder ? strdup(folder) : NULL;
    if (folder && !shared->folder) {
        free(shared);
        return NULL;
    }
    shared->cuda = cuda;
    shared->context = context;
    shared->device = device;
    shared->next = first;
    first = shared;
    return shared;
}

static CudaShared *find_or_make(const Cuda *cuda, const char *folder, char *error, size_t size)
{
    void *context = NULL;
    int device = 0;
    bool primary = false;
    const int failed = find_context(cuda, &context, &device, &primary);
    if (failed) {
        snprintf(error, size, "There is no GPU to create a network on: CUDA's error is %d.", failed);
        return NULL;
    }
    CudaShared *shared = first;
    while (shared && (shared->context != context || !has_folder(shared, folder)))
        shared = shared->next;
    if (!shared)
        shared = make(cuda, context, device, folder);
    if (!shared)
        snprintf(error, size, "There is no memory for a device.");
    if (primary && (!shared || shared->primary))
        cuda->cuDevicePrimaryCtxRelease_v2(device); /* it is held already, or not needed */
    else if (primary)
        shared->primary = true;
    return shared;
}

CudaShared *modules_open(const Cuda *cuda, const char *folder, char *error, size_t size)
{
    pthread_mutex_lock(&mutex);
    CudaShared *shared = find_or_make(cuda, folder, error, size);
    if (shared)
        shared->users++;
    pthread_mutex_unlock(&mutex);
    return shared;
}

static void unload(CudaShared *shared)
{
    const Cuda *cuda = shared->cuda;
    void *context;
    cuda->cuCtxPushCurrent_v2(shared->context);
    for (CudaModule *module = shared->modules, *next; module; module = next) {
        next = module->next;
        cuda->cuModuleUnload(module->module);
        free(module);
    }
    for (RnnKernel *kernel = shared->kernels, *next; kernel; kernel = next) {
        next = kernel->next;
        free(kernel);
    }
    cuda->cuCtxPopCurrent_v2(&context);
    if (shared->primary)
        cuda->cuDevicePrimaryCtxRelease_v2(shared->device);
    free(shared->folder);
    free(shared);
}

void modules_close(CudaShared *shared)
{
    pthread_mutex_lock(&mutex);
    if (--shared->users == 0) {
        CudaShared **at = &first;
        while (*at != shared)
            at = &(*at)->next;
        *at = shared->next;
        unload(shared);
    }
    pthread_mutex_unlock(&mutex);
}

/* -- modules -- */

/* All of a file and a 0 behind it; null: it cannot be read. */
static char *read_file(const char *folder, const char *name, const char *ending)
{
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/%s.%s", folder, name, ending) >= sizeof path)
        return NULL;
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long bytes = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        bytes = ftell(file);
    if (bytes >= 0 && fseek(file, 0, SEEK_SET) == 0)
        text = malloc((size_t)bytes + 1);
    if (text && fread(text, 1, (size_t)bytes, file) != (size_t)bytes) {
        free(text);
        text = NULL;
    }
    if (text)
        text[bytes] = 0;
    if (file)
        fclose(file);
    return text;
}

static int load_from_folder(CudaShared *shared, const char *name, void **module, char *error, size_t size)
{
    char *image = shared->cuda->simulated ? NULL : read_file(shared->folder, name, "cubin");
    if (!image)
        image = read_file(shared->folder, name, "ptx");
    if (!image) {
        snprintf(error, size, "The folder of kernels, %s, has neither %s.cubin nor %s.ptx.", shared->folder,
                 name, name);
        return MODULES_SAID;
    }
    const int failed = shared->cuda->cuModuleLoadData(module, image);
    free(image);
    return failed;
}

static int load(CudaShared *shared, const char *name, void **module, char *error, size_t size)
{
    if (shared->folder)
        return load_from_folder(shared, name, module, error, size);
    /* A simulated GPU runs PTX alone. */
    const RnnImage *image = images_find(name, shared->cuda->simulated ? 0 : shared->capability);
    if (!image) {
        snprintf(error, size,
                 "The library was built without the kernels of %s; give a folder that has %s.ptx.", name,
                 name);
        return MODULES_SAID;
    }
    return shared->cuda->cuModuleLoadData(module, image->data);
}

static int find_module(CudaShared *shared, const char *name, CudaModule **found, char *error, size_t size)
{
    for (*found = shared->modules; *found; *found = (*found)->next)
        if (strcmp((*found)->name, name) == 0)
            return 0;
    CudaModule *module = calloc(1, sizeof *module);
    if (!module) {
        snprintf(error, size, "There is no memory for a module.");
        return MODULES_SAID;
    }
    const int failed = load(shared, name, &module->module, error, size);
    if (failed) {
        free(module);
        return failed;
    }
    snprintf(module->name, sizeof module->name, "%s", name);
    module->next = shared->modules;
    shared->modules = module;
    *found = module;
    return 0;
}

/* -- kernels -- */

static int make_kernel(CudaShared *shared, const char *module_name, const char *name, RnnKernel **kernel,
                       const char **call, char *error, size_t size)
{
    CudaModule *module;
    *call = "cuModuleLoadData";
    int failed = find_module(shared, module_name, &module, error, size);
    if (failed)
        return failed;
    RnnKernel *made = calloc(1, sizeof *made);
    if (!made) {
        snprintf(error, size, "There is no memory for a kernel.");
        return MODULES_SAID;
    }
    *call = "cuModuleGetFunction";
    failed = shared->cuda->cuModuleGetFunction(&made->function, module->module, name);
    if (failed) {
        free(made);
        snprintf(error, size, "The kernels of %s have none of the name %s: CUDA's error is %d.", module_name,
                 name, failed);
        return MODULES_SAID;
    }
    snprintf(made->module, sizeof made->module, "%s", module_name);
    snprintf(made->name, sizeof made->name, "%s", name);
    made->next = shared->kernels;
    shared->kernels = *kernel = made;
    return 0;
}

static int find_kernel(CudaShared *shared, const char *module, const char *name, uint32_t shared_bytes,
                       RnnKernel **kernel, const char **call, char *error, size_t size)
{
    for (*kernel = shared->kernels; *kernel; *kernel = (*kernel)->next)
        if (strcmp((*kernel)->module, module) == 0 && strcmp((*kernel)->name, name) == 0)
            break;
    const int failed = *kernel ? 0 : make_kernel(shared, module, name, kernel, call, error, size);
    if (failed || shared_bytes <= (*kernel)->shared_bytes || shared_bytes <= NEEDS_DECLARATION)
        return failed;
    *call = "cuFuncSetAttribute";
    const int refused = shared->cuda->cuFuncSetAttribute((*kernel)->function, DYNAMIC_SHARED,
                                                         (int)shared_bytes);
    if (!refused)
        (*kernel)->shared_bytes = shared_bytes;
    return refused;
}

int modules_kernel(CudaShared *shared, const char *module, const char *name, uint32_t shared_bytes,
                   RnnKernel **kernel, const char **call, char *error, size_t size)
{
    pthread_mutex_lock(&mutex);
    const int failed = find_kernel(shared, module, name, shared_bytes, kernel, call, error, size);
    pthread_mutex_unlock(&mutex);
    return failed;
}
