#include "rnn/device_sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "images.h"

/* A module of one kernel. */
typedef struct SimModule {
    WbModule *module;
    struct SimModule *next;
} SimModule;

typedef struct SimDevice {
    RnnDevice base; /* first */
    WbGpu *gpu;
    const char *folder;
    SimModule *modules;
    size_t launches;
} SimDevice;

static SimDevice *sim_of(RnnDevice *device) { return (SimDevice *)device; }
static WbGpu *gpu_of(RnnDevice *device) { return sim_of(device)->gpu; }

/* The GPU's sentence becomes the device's. */
static WbRnnStatus take(RnnDevice *device, WbStatus status)
{
    if (status == WB_OK)
        return WBRNN_OK;
    snprintf(device->error, sizeof device->error, "%s", wb_error(gpu_of(device)));
    return status == WB_ERROR_OUT_OF_MEMORY ? WBRNN_MEMORY
           : status == WB_ERROR_TOO_LARGE   ? WBRNN_TOO_SMALL
                                            : WBRNN_GPU;
}

static WbRnnStatus no_memory(RnnDevice *device)
{
    snprintf(device->error, sizeof device->error, "The host has no memory for a kernel.");
    return WBRNN_MEMORY;
}

/* -- memory -- */

static WbRnnStatus allocate(RnnDevice *device, size_t bytes, uint64_t *address)
{
    return take(device, wb_malloc(gpu_of(device), bytes ? bytes : 1, address));
}

static void release(RnnDevice *device, uint64_t address) { wb_free(gpu_of(device), address); }

static WbRnnStatus allocate_seen(RnnDevice *device, size_t bytes, void **host, uint64_t *address)
{
    const WbRnnStatus status = take(device, wb_host_alloc(gpu_of(device), bytes, WB_MEMORY_HOST, host));
    *address = status ? 0 : (uintptr_t)*host;
    return status;
}

static void release_seen(RnnDevice *device, void *host) { wb_host_free(gpu_of(device), host); }

static bool is_device(RnnDevice *device, uint64_t address)
{
    WbAddress found;
    return wb_address_find(gpu_of(device), address, &found) == WB_OK &&
           (found.memory == WB_MEMORY_DEVICE || found.memory == WB_MEMORY_VARIABLE);
}

static WbRnnStatus write_bytes(RnnDevice *device, uint64_t to, const void *from, size_t bytes)
{
    if (is_device(device, (uintptr_t)from))
        return take(device, wb_copy_on_device(gpu_of(device), to, (uintptr_t)from, bytes));
    return take(device, wb_copy_to_device(gpu_of(device), to, from, bytes));
}

static WbRnnStatus read_bytes(RnnDevice *device, void *to, const void *from, size_t bytes)
{
    if (is_device(device, (uintptr_t)from))
        return take(device, wb_copy_from_device(gpu_of(device), to, (uintptr_t)from, bytes));
    memcpy(to, from, bytes);
    return WBRNN_OK;
}

static WbRnnStatus fill(RnnDevice *device, uint64_t address, uint32_t word, size_t words, void *stream)
{
    const WbFill all = {
        .address = address, .width = words, .height = 1, .depth = 1, .value = word, .element_bytes = 4};
    return take(device, wb_stream_fill(gpu_of(device), stream, &all));
}

/* -- kernels -- */

/* Behind the braces that open first from `at` on. */
static const char *behind_braces(const char *at, const char *end)
{
    size_t depth = 0;
    for (; at < end; at++)
        if (*at == '{')
            depth++;
        else if (*at == '}' && --depth == 0)
            return at + 1;
    return end;
}

/* The text of a module with one of its kernels, for free(): others would be parsed for nothing. Kernels of the
 * library share no variables. Lines keep their numbers. Null: no memory. */
static char *cut_kernel(const char *text, const char *end, const char *name, size_t *length)
{
    static const char entry[] = ".visible .entry ";
    const size_t name_length = strlen(name);
    char *kept = malloc((size_t)(end - text) + 1), *to = kept;
    if (!kept)
        return NULL;
    for (const char *at = text; at < end;) {
        const char *next = strstr(at, entry);
        if (!next || next > end)
            next = end;
        memcpy(to, at, (size_t)(next - at));
        to += next - at;
        if (next == end)
            break;
        const char *called = next + sizeof entry - 1;
        const bool wanted = strncmp(called, name, name_length) == 0 && called[name_length] == '(';
        at = behind_braces(next, end);
        for (const char *c = next; c < at; c++)
            if (wanted || *c == '\n')
                *to++ = *c;
    }
    *to = '\0';
    *length = (size_t)(to - kept);
    return kept;
}

/* A file's bytes and a 0, for free(). */
static char *read_text(RnnDevice *device, const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0)
        text = malloc((size_t)size + 1);
    if (text && fread(text, 1, (size_t)size, file) != (size_t)size) {
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    if (!text) {
        snprintf(device->error, sizeof device->error, "The kernels of %.400s cannot be read.", path);
        return NULL;
    }
    text[size] = '\0';
    *length = (size_t)size;
    return text;
}

/* Loads the kernel's part of PTX. */
static WbRnnStatus load_text(RnnDevice *device, const char *file, const char *text, size_t length,
                             const char *name, WbModule **module)
{
    SimModule *added = malloc(sizeof *added);
    size_t kept;
    char *cut = added ? cut_kernel(text, text + length, name, &kept) : NULL;
    if (!cut) {
        free(added);
        return no_memory(device);
    }
    const WbRnnStatus status = take(device, wb_module_load(gpu_of(device), file, cut, kept, module));
    free(cut);
    if (status) {
        free(added);
        return status;
    }
    *added = (SimModule){*module, sim_of(device)->modules};
    sim_of(device)->modules = added;
    return WBRNN_OK;
}

static WbRnnStatus load_module(RnnDevice *device, const char *module, const char *name, WbModule **loaded)
{
    char path[4096];
    size_t length;
    const RnnImage *image = images_find(module, 0);
    if (image) {
        snprintf(path, sizeof path, "%s.ptx", module);
        return load_text(device, path, image->data, (size_t)(image->end - image->data) - 1, name, loaded);
    }
    snprintf(path, sizeof path, "%s/%s.ptx", sim_of(device)->folder, module);
    char *text = read_text(device, path, &length);
    const WbRnnStatus status = text ? load_text(device, path, text, length, name, loaded) : WBRNN_GPU;
    free(text);
    return status;
}

/* A WbKernel is the backend's kernel. */
static WbRnnStatus find_kernel(RnnDevice *device, const char *module, const char *name, uint32_t shared_bytes,
                               RnnKernel **kernel)
{
    (void)shared_bytes; /* the host may ask for as much as a block can have */
    WbModule *loaded = NULL;
    WbKernel *found = NULL;
    WbRnnStatus status = load_module(device, module, name, &loaded);
    if (!status)
        status = take(device, wb_module_kernel(loaded, name, &found));
    *kernel = (RnnKernel *)found;
    return status;
}

static WbRnnStatus launch(RnnDevice *device, RnnKernel *kernel, const RnnLaunch *launch, void *stream)
{
    const WbArgument argument = {launch->arguments, launch->bytes};
    const WbLaunch all = {.grid = {launch->blocks, 1, 1},
                          .block = {launch->threads, 1, 1},
                          .shared_bytes = launch->shared_bytes,
                          .arguments = &argument,
                          .argument_count = 1,
                          .cooperative = launch->together};
    sim_of(device)->launches++;
    WbKernel *of_gpu = (WbKernel *)kernel;
    return take(device, stream ? wb_stream_launch(stream, of_gpu, &all) : wb_launch(of_gpu, &all));
}

/* -- streams and events -- */

static WbRnnStatus stream_create(RnnDevice *device, void **stream)
{
    WbStream *made = NULL;
    const WbRnnStatus status =
        take(device, wb_stream_create(gpu_of(device), WB_STREAM_NON_BLOCKING, 0, &made));
    *stream = made;
    return status;
}

static void stream_destroy(RnnDevice *device, void *stream)
{
    (void)device;
    wb_stream_destroy(stream);
}

static WbRnnStatus event_create(RnnDevice *device, void **event)
{
    WbEvent *made = NULL;
    const WbRnnStatus status = take(device, wb_event_create(gpu_of(device), &made));
    *event = made;
    return status;
}

static void event_destroy(RnnDevice *device, void *event)
{
    (void)device;
    wb_event_destroy(event);
}

static WbRnnStatus event_record(RnnDevice *device, void *event, void *stream)
{
    return take(device, wb_event_record(event, stream));
}

static WbRnnStatus event_wait(RnnDevice *device, void *event, void *stream)
{
    return take(device, wb_stream_wait_event(gpu_of(device), stream, event));
}

static WbRnnStatus event_finish(RnnDevice *device, void *event) { return take(device, wb_event_wait(event)); }

/* One that fails is done as well: nothing runs any more. */
static bool event_done(RnnDevice *device, void *event)
{
    (void)device;
    return wb_event_query(event) != WB_NOT_READY;
}

static bool capturing(RnnDevice *device, void *stream)
{
    (void)device, (void)stream;
    return false;
}

/* -- opening -- */

static void close_device(RnnDevice *device)
{
    for (SimModule *module = sim_of(device)->modules, *next; module; module = next) {
        next = module->next;
        wb_module_unload(module->module);
        free(module);
    }
    free(device);
}

static const RnnDeviceCalls calls = {
    .allocate = allocate,
    .release = release,
    .allocate_seen = allocate_seen,
    .release_seen = release_seen,
    .write = write_bytes,
    .read = read_bytes,
    .fill = fill,
    .kernel = find_kernel,
    .launch = launch,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_wait = event_wait,
    .event_finish = event_finish,
    .event_done = event_done,
    .capturing = capturing,
    .close = close_device,
};

static uint32_t knob(WbGpu *gpu, const char *name)
{
    uint64_t value = 0;
    return wb_gpu_get(gpu, name, &value) == WB_OK ? (uint32_t)value : 0;
}

RnnDevice *device_sim_open(WbGpu *gpu, const char *folder)
{
    SimDevice *opened = calloc(1, sizeof *opened);
    if (!opened)
        return NULL;
    opened->gpu = gpu;
    opened->folder = folder;
    opened->base = (RnnDevice){.calls = &calls, .identity = (uintptr_t)gpu};
    opened->base.gpu = (RnnGpu){.sms = knob(gpu, "sm_count"),
                                .shared_block = knob(gpu, "shared_bytes_per_block"),
                                .shared_sm = knob(gpu, "shared_bytes_per_sm"),
                                .registers_sm = knob(gpu, "registers_per_sm"),
                                .registers_thread = knob(gpu, "max_registers_per_thread"),
                                .l2_bytes = knob(gpu, "l2_bytes"),
                                .capability = knob(gpu, "compute_capability"),
                                .simulated = true};
    return &opened->base;
}

size_t device_sim_launches(const RnnDevice *device) { return ((const SimDevice *)device)->launches; }
