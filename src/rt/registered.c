/* What programs register at their start: host addresses that stand for functions and variables of modules.
 *
 * Everything is registered before main() and looked up later, so one list, sorted when it is first searched,
 * does. */
#include "rt/progress.h"
#include "rt/module_state.h"
#include "rt/reference.h"

#include <stdlib.h>
#include <string.h>

typedef enum EntryKind { ENTRY_FUNCTION, ENTRY_VARIABLE, ENTRY_MANAGED, ENTRY_REFERENCE } EntryKind;

/* Invariant: of a managed variable `host` is the address of the program's pointer to it. */
typedef struct Entry {
    const void *host;
    EntryKind kind;
    RtModule *module;
    RtFunction *function; /* of ENTRY_FUNCTION */
    const char *name;     /* of the others; the program's own text */
    size_t size;
} Entry;

static VEC(Entry) entries;
static bool is_sorted;

static void add(Entry entry)
{
    VEC_PUSH(&entries, entry);
    is_sorted = false;
}

void rt_register_function(RtModule *module, const void *host_function, const char *name)
{
    add((Entry){.host = host_function,
                .kind = ENTRY_FUNCTION,
                .module = module,
                .function = function_create(module, name)});
}

void rt_register_variable(RtModule *module, const void *host_variable, const char *name, size_t size)
{
    add((Entry){.host = host_variable, .kind = ENTRY_VARIABLE, .module = module, .name = name, .size = size});
}

void rt_register_managed(RtModule *module, void **pointer, const char *name, size_t size)
{
    rt_progress_is_visible();
    add((Entry){.host = pointer, .kind = ENTRY_MANAGED, .module = module, .name = name, .size = size});
}

void rt_register_reference(RtModule *module, const void *host_variable, const char *name)
{
    add((Entry){.host = host_variable, .kind = ENTRY_REFERENCE, .module = module, .name = name});
}

static int compare(const void *left, const void *right)
{
    const uintptr_t a = (uintptr_t)((const Entry *)left)->host, b = (uintptr_t)((const Entry *)right)->host;
    return a < b ? -1 : a > b;
}

static const Entry *find(const void *host)
{
    if (!is_sorted && entries.count)
        qsort(entries.items, entries.count, sizeof *entries.items, compare);
    is_sorted = true;
    /* The address is all that is compared. */
    const Entry key = {.host = host};
    return entries.count ? bsearch(&key, entries.items, entries.count, sizeof key, compare) : NULL;
}

RtError rt_host_function_find(const void *host_function, RtFunction **function)
{
    const Entry *entry = find(host_function);
    if (entry && entry->kind == ENTRY_FUNCTION) {
        *function = entry->function;
        return RT_SUCCESS;
    }
    if (rt_handle_is_live(RT_HANDLE_FUNCTION, host_function)) {
        *function = (RtFunction *)host_function;
        return RT_SUCCESS;
    }
    return rt_fail(RT_INVALID_DEVICE_FUNCTION,
                   "%p is not a __global__ function that the program registered, nor a handle of a kernel.",
                   host_function);
}

const void *rt_host_function_of(const RtFunction *function)
{
    for (uint32_t i = 0; i < entries.count; i++) {
        if (entries.items[i].kind == ENTRY_FUNCTION && entries.items[i].function == function)
            return entries.items[i].host;
    }
    return function;
}

static bool is_read_somewhere(const RtModule *module)
{
    for (int i = 0; i < RT_DEVICES; i++)
        if (module->on[i].module)
            return true;
    return false;
}

/* A managed variable is named by its own address, too. */
static const Entry *find_managed(const void *address)
{
    for (uint32_t i = 0; i < entries.count; i++) {
        const Entry *entry = &entries.items[i];
        if (entry->kind == ENTRY_MANAGED && is_read_somewhere(entry->module) &&
            *(void *const *)entry->host == address)
            return entry;
    }
    return NULL;
}

RtError rt_symbol_find(const void *host_symbol, uint64_t *address, size_t *size)
{
    const Entry *entry = find(host_symbol);
    if (!entry)
        entry = find_managed(host_symbol);
    if (!entry || entry->kind == ENTRY_FUNCTION)
        return rt_fail(RT_INVALID_SYMBOL,
                       "%p is not a __device__, __constant__ or __managed__ variable that the program "
                       "registered.",
                       host_symbol);
    if (entry->kind == ENTRY_REFERENCE)
        return rt_fail(RT_INVALID_SYMBOL,
                       "%s is a texture or surface reference of file scope, which CUDA 12 has removed; use a "
                       "texture object "
                       "(cudaCreateTextureObject).",
                       entry->name);
    RtError error = rt_module_variable(entry->module, entry->name, address, size);
    return error == RT_SYMBOL_NOT_FOUND ? RT_INVALID_SYMBOL : error;
}

RtError registered_settle(RtModule *module)
{
    WbModule *const here = module_here(module)->module;
    for (uint32_t i = 0; i < entries.count; i++) {
        const Entry *entry = &entries.items[i];
        uint64_t address;
        if (entry->module != module || entry->kind != ENTRY_MANAGED)
            continue;
        /* Where another device has read it, the pointer stays. */
        if (!here && is_read_somewhere(module))
            continue;
        if (!here) {
            *(void **)entry->host = xcalloc(1, entry->size + 1);
            continue;
        }
        RtError error = rt_check(wb_module_symbol(here, entry->name, &address, NULL));
        if (error)
            return error;
        *(void **)entry->host = (void *)(uintptr_t)address;
    }
    return RT_SUCCESS;
}

void registered_forget(const RtModule *module)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < entries.count; i++) {
        if (entries.items[i].module != module)
            entries.items[kept++] = entries.items[i];
    }
    entries.count = kept;
}

/* Drops what the device has read of the module. */
static void unread(RtModule *module)
{
    for (uint32_t i = 0; i < module->functions.count; i++)
        *function_here(module->functions.items[i]) = (RtFunctionHere){0};
    references_free(module);
    wb_module_unload(module_here(module)->module);
    module_here(module)->module = NULL;
}

void rt_modules_reset(void)
{
    for (uint32_t i = 0; i < entries.count; i++) {
        if (module_here(entries.items[i].module)->module)
            unread(entries.items[i].module);
    }
    /* The host reaches managed variables without a call that could read their module. */
    for (uint32_t i = 0; i < entries.count; i++) {
        if (entries.items[i].kind == ENTRY_MANAGED)
            rt_module_ready(entries.items[i].module);
    }
}
