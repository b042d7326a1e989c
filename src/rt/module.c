/* Modules: where their PTX comes from, and when it is read. Registered fat binaries are read at their first
 * use; what a program loads itself is read at once, so that the call can fail. */
#include "rt/module_state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rt/assembler.h"
#include "rt/cubin.h"
#include "rt/extent.h"
#include "rt/reference.h"

enum { LARGEST_FILE = 1 << 30 };

/* The texts that become one module. */
typedef struct Texts {
    VEC(WbSource) sources; /* names and texts are owned */
    Error lacking;         /* why a fat binary gave none */
    RtError error;         /* that goes with it */
} Texts;

static void texts_free(Texts *texts)
{
    for (uint32_t i = 0; i < texts->sources.count; i++) {
        xfree((char *)texts->sources.items[i].file_name);
        xfree((char *)texts->sources.items[i].text);
    }
    VEC_FREE(&texts->sources);
}

/* CUDA's own device runtime, which nvcc -rdc=true links in. The simulator answers its functions itself. */
static bool is_device_runtime(const char *text) { return strstr(text, "_cuda_device_runtime_cu_") != NULL; }

static void refuse(Texts *texts, RtError error, const Error *why)
{
    /* The first reason stays: it is told only if no other part gives a text. */
    if (texts->error == RT_SUCCESS) {
        texts->lacking = *why;
        texts->error = error;
    }
}

/* `stem`: what the text is called, up to its architecture. */
static void add_fatbin(Texts *texts, const void *image, size_t limit, const char *stem)
{
    FatbinText text;
    char *name;
    Error error = {0};
    switch (fatbin_ptx(image, limit, (uint32_t)rt_knob("compute_capability"), &text, &error)) {
    case FATBIN_EMPTY:
        return;
    case FATBIN_NO_PTX:
        refuse(texts, RT_NO_KERNEL_IMAGE_FOR_DEVICE, &error);
        return;
    case FATBIN_BROKEN:
        refuse(texts, RT_INVALID_KERNEL_IMAGE, &error);
        return;
    case FATBIN_OK:
        break;
    }
    if (is_device_runtime(text.text) || asprintf(&name, "%s.sm_%u.ptx", stem, text.arch) < 0) {
        xfree(text.text);
        return;
    }
    VEC_PUSH(&texts->sources, ((WbSource){name, text.text, text.length}));
}

/* A device that has the module, or null. */
static WbModule *elsewhere(const RtModule *module)
{
    for (int i = 0; i < RT_DEVICES; i++)
        if (module->on[i].module)
            return module->on[i].module;
    return NULL;
}

static RtError link_texts(RtModule *module, const Texts *texts)
{
    const WbSource *first = texts->sources.items;
    WbModule **here = &module_here(module)->module, *other = elsewhere(module);
    RtError error;
    if (texts->sources.count == 0)
        error = texts->error ? rt_fail(texts->error, "%s", texts->lacking.text)
                             : rt_fail(RT_NO_KERNEL_IMAGE_FOR_DEVICE,
                                       "The program's fat binary is empty. Build it with nvcc -gencode "
                                       "arch=compute_75,code=compute_75.");
    else if (other)
        error = rt_check(wb_module_load_beside(rt_gpu(), other, first, texts->sources.count, here));
    else if (texts->sources.count == 1)
        error = rt_check(wb_module_load(rt_gpu(), first->file_name, first->text, first->length, here));
    else
        error = rt_check(wb_module_link(rt_gpu(), first, texts->sources.count, here));
    return error;
}

/* What the machine code in a fat binary says of the module's kernels; true if the GPU would run that code. If
 * there is none, or it cannot be read, registers are estimated. */
static bool note_machine_code(RtModule *module, const void *image, size_t limit)
{
    FatbinCode code;
    CubinKernels kernels;
    if (!image || !fatbin_machine_code(image, limit, (uint32_t)rt_knob("compute_capability"), &code))
        return false;
    const bool is_read = cubin_read(code.bytes, code.size, code.is_older, &kernels);
    if (is_read)
        wb_module_compiled(module_here(module)->module, kernels.items, kernels.count);
    VEC_FREE(&kernels);
    xfree(code.bytes);
    return is_read && !code.is_older;
}

/* Makes the module of the texts, which it frees. `image` is the fat binary that they are of, or null. */
static RtError make_module(RtModule *module, Texts *texts, const void *image, size_t limit)
{
    const RtError error = link_texts(module, texts);
    /* Of several texts ptxas knows no whole kernel: those are linked as machine code. */
    if (error == RT_SUCCESS && !note_machine_code(module, image, limit) && texts->sources.count == 1 &&
        assembler_is_wanted())
        assembler_note(module_here(module)->module, texts->sources.items);
    texts_free(texts);
    return error;
}

/* Machine code of relocatable objects has been linked into `data`, but their PTX stays with each of them. */
static RtError read_wrapper(RtModule *module)
{
    const FatbinWrapper *wrapper = module->wrapper;
    const void *const *linked = wrapper->version >= 2 ? wrapper->linked : NULL;
    char stem[256];
    Texts texts = {0};
    /* The list ends with null; should it not, it ends with the memory that it lies in. */
    const size_t places = linked ? extent_of(linked) / sizeof *linked : 0;
    for (size_t i = 0; i < places && linked[i]; i++) {
        snprintf(stem, sizeof stem, "%.200s.%u.%zu", program_invocation_short_name, module->number, i + 1);
        add_fatbin(&texts, linked[i], extent_of(linked[i]), stem);
    }
    snprintf(stem, sizeof stem, "%.200s.%u", program_invocation_short_name, module->number);
    if (texts.sources.count == 0 && wrapper->data)
        add_fatbin(&texts, wrapper->data, extent_of(wrapper->data), stem);
    return make_module(module, &texts, wrapper->data, wrapper->data ? extent_of(wrapper->data) : 0);
}

/* Another device of the same compute capability would find the same text in the fat binary: that is read only
 * once. What a program has loaded itself has one text for all. */
static RtError read_here(RtModule *module)
{
    const uint64_t capability = rt_knob("compute_capability");
    for (int i = 0; i < rt_device_count(); i++) {
        uint64_t there = 0;
        RT_ON(i, (there = rt_knob("compute_capability"), RT_SUCCESS));
        if (module->on[i].module && (there == capability || !module->wrapper))
            return rt_check(wb_module_load_beside(rt_gpu(), module->on[i].module, NULL, 0,
                                                  &module_here(module)->module));
    }
    return module->wrapper ? read_wrapper(module) : RT_INVALID_RESOURCE_HANDLE;
}

static RtError check_device(const RtModule *module)
{
    if (module->device < 0 || module->device == rt_device())
        return RT_SUCCESS;
    return rt_fail(RT_INVALID_RESOURCE_HANDLE,
                   "The module was loaded in a context of device %d, and device %d is current: load it "
                   "there, too, or as a library (cuLibraryLoadData).",
                   module->device, rt_device());
}

RtError rt_module_ready(RtModule *module)
{
    RtModuleHere *here = module_here(module);
    /* Read once, at the first use: registering happens before main(), where no GPU is open yet. */
    if (here->module || here->failure)
        return here->failure;
    RtError error = check_device(module);
    if (error)
        return error;
    here->failure = read_here(module);
    error = registered_settle(module);
    if (here->failure == RT_SUCCESS)
        here->failure = error;
    return here->failure;
}

void rt_module_keep_here(RtModule *module) { module->device = rt_device(); }

RtError rt_module_register(const void *wrapper, RtModule **module)
{
    static unsigned registered;
    const FatbinWrapper *known = wrapper;
    *module = NULL;
    if (!known || known->magic != (uint32_t)FATBIN_WRAPPER_MAGIC || known->version < 1 || known->version > 2)
        return rt_fail(
            RT_INVALID_KERNEL_IMAGE,
            "The program registers a fat binary of an unknown form; those of CUDA 11, 12 and 13 are known.");
    *module = xcalloc(1, sizeof **module);
    **module = (RtModule){.wrapper = known, .number = ++registered, .device = -1};
    rt_handle_add(RT_HANDLE_MODULE, *module);
    return RT_SUCCESS;
}

/* A module of texts that have been found, and of the fat binary that they were found in, or null. */
static RtError finish_load(Texts *texts, const void *image, size_t limit, RtModule **module)
{
    RtModule *made = xcalloc(1, sizeof *made);
    made->device = -1;
    RtError error = make_module(made, texts, image, limit);
    if (error) {
        xfree(made);
        return error;
    }
    rt_handle_add(RT_HANDLE_MODULE, made);
    *module = made;
    return RT_SUCCESS;
}

static void add_text(Texts *texts, const char *name, const char *text, size_t length)
{
    char *copy = xcopy_part(text, length);
    VEC_PUSH(&texts->sources, ((WbSource){xcopy_text(name), copy, length}));
}

/* Which form an image has, by its first four bytes; texts may have fewer. */
typedef enum Form { FORM_TEXT, FORM_FATBIN, FORM_WRAPPER, FORM_ELF } Form;

static Form form_of(const void *image, size_t size)
{
    static const uint32_t elf = 0x464C457F;
    uint32_t magic = 0;
    memcpy(&magic, image, strnlen(image, size) >= sizeof magic ? sizeof magic : 0);
    if (magic == elf)
        return FORM_ELF;
    return magic == (uint32_t)FATBIN_MAGIC           ? FORM_FATBIN
           : magic == (uint32_t)FATBIN_WRAPPER_MAGIC ? FORM_WRAPPER
                                                     : FORM_TEXT;
}

/* `size`: of the image, or of the memory that it lies in. A wrapper has pointers, which mean nothing in a
 * file. */
static RtError load_image(const char *name, const void *image, size_t size, bool is_file, RtModule **module)
{
    Texts texts = {0};
    const void *fatbin = NULL;
    const size_t length = strnlen(image, size);
    *module = NULL;
    switch (form_of(image, size)) {
    case FORM_ELF:
        return rt_fail(RT_NO_KERNEL_IMAGE_FOR_DEVICE,
                       "%s is machine code (a cubin); what is simulated is PTX. Build it with nvcc -ptx, or "
                       "-fatbin with -gencode arch=compute_75,code=compute_75.",
                       name);
    case FORM_FATBIN:
        fatbin = image;
        break;
    case FORM_WRAPPER:
        if (!is_file && size >= sizeof(FatbinWrapper)) {
            fatbin = ((const FatbinWrapper *)image)->data;
            size = extent_of(fatbin);
        }
        break;
    case FORM_TEXT:
        if (!memmem(image, length, ".version", 8))
            return rt_fail(RT_INVALID_KERNEL_IMAGE,
                           "%s is neither PTX, which has a .version, nor a fat binary.", name);
        add_text(&texts, name, image, length);
    }
    if (fatbin)
        add_fatbin(&texts, fatbin, size, name);
    return finish_load(&texts, fatbin, fatbin ? size : 0, module);
}

RtError rt_module_load(const void *image, RtModule **module)
{
    if (!image || !module)
        return rt_fail(RT_INVALID_VALUE, "A module needs an image and a place for its handle; one was null.");
    return load_image("module", image, extent_of(image), false, module);
}

RtError rt_module_load_file(const char *path, RtModule **module)
{
    VEC(char) bytes = {0};
    FILE *file = fopen(path, "rb");
    *module = NULL;
    if (!file)
        return rt_fail(RT_FILE_NOT_FOUND, "The module %s cannot be opened: %s.", path, strerror(errno));
    for (size_t got = 1; got && bytes.count < LARGEST_FILE; bytes.count += (uint32_t)got) {
        VEC_RESERVE(&bytes, bytes.count + 65537);
        got = fread(bytes.items + bytes.count, 1, 65536, file);
    }
    const bool failed = ferror(file);
    fclose(file);
    /* A text is looked at with functions for strings, so it ends with a zero; there is room for one. */
    bytes.items[bytes.count] = '\0';
    RtError error = failed ? rt_fail(RT_FILE_NOT_FOUND, "The module %s cannot be read.", path)
                           : load_image(path, bytes.items, bytes.count, true, module);
    VEC_FREE(&bytes);
    return error;
}

RtError rt_module_link(const WbSource *sources, size_t count, RtModule **module)
{
    Texts texts = {0};
    *module = NULL;
    for (size_t i = 0; i < count; i++)
        add_text(&texts, sources[i].file_name ? sources[i].file_name : "module.ptx", sources[i].text,
                 sources[i].length);
    return finish_load(&texts, NULL, 0, module);
}

void rt_module_unload(RtModule *module)
{
    registered_forget(module);
    for (uint32_t i = 0; i < module->functions.count; i++) {
        RtFunction *function = module->functions.items[i];
        rt_handle_remove(RT_HANDLE_FUNCTION, function);
        function->module = NULL;
        /* The handle itself stays, as the program may still hold it, and says that its module is gone. */
        memset(function->on, 0, sizeof function->on);
    }
    VEC_FREE(&module->functions);
    references_free(module);
    rt_handle_remove(RT_HANDLE_MODULE, module);
    /* Within a function that a stream runs, the simulator is busy and may not be called. */
    for (int i = 0; i < rt_device_count() && !rt_in_host_function(); i++)
        wb_module_unload(module->on[i].module);
    xfree(module);
}

RtError rt_module_variable(RtModule *module, const char *name, uint64_t *address, size_t *size)
{
    RtError error = rt_module_ready(module);
    return error ? error : rt_check(wb_module_symbol(module_here(module)->module, name, address, size));
}
