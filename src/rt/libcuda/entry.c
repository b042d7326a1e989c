/* cuGetProcAddress: functions of this library by name, for programs that do not link with it.
 *
 * A program asks for a name without suffix and for the version of CUDA that it was written for; it gets the
 * newest form of the function that this version had. Forms and versions are in calls.def. */
#include "rt/libcuda/libcuda.h"

#include <string.h>

#include "rt/libcuda/entry.h"

enum { FLAG_PER_THREAD = 2 };                          /* CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM */
enum { STATUS_FOUND, STATUS_UNKNOWN, STATUS_TOO_OLD }; /* CUdriverProcAddressQueryResult */

/* The length of a name without "_ptsz" or "_ptds", and without a version such as "_v2". */
static size_t length_without_thread(const char *name)
{
    const size_t length = strlen(name);
    const bool has_suffix =
        length > 5 && (!strcmp(name + length - 5, "_ptsz") || !strcmp(name + length - 5, "_ptds"));
    return has_suffix ? length - 5 : length;
}

static size_t length_without_version(const char *name, size_t length)
{
    const bool has_suffix = length > 3 && !strncmp(name + length - 3, "_v", 2) && name[length - 1] >= '2' &&
                            name[length - 1] <= '9';
    return has_suffix ? length - 3 : length;
}

/* Whether the entry is a form of the function that is called `symbol`, with its version or without. */
static bool is_form(const Entry *entry, const char *symbol)
{
    const size_t wanted = strlen(symbol), length = length_without_thread(entry->name);
    const size_t shortest = length_without_version(entry->name, length);
    return (wanted == length || wanted == shortest) && strncmp(entry->name, symbol, wanted) == 0;
}

static bool is_per_thread(const Entry *entry)
{
    return length_without_thread(entry->name) != strlen(entry->name);
}

/* The entry of that very name, or the newest form for the version; of equal ones that for per-thread default
 * streams, if those are wanted. Null: *status says why. */
static const Entry *find(const char *symbol, int version, bool per_thread, int *status)
{
    const Entry *best = NULL;
    *status = STATUS_UNKNOWN;
    for (size_t i = 0; i < libcuda_entry_count; i++) {
        const Entry *entry = &libcuda_entries[i];
        const bool is_variant = is_per_thread(entry);
        if (is_variant && strcmp(entry->name, symbol) == 0)
            best = entry;
        if (!is_form(entry, symbol) || (is_variant && !per_thread))
            continue;
        if (*status == STATUS_UNKNOWN)
            *status = STATUS_TOO_OLD;
        if (entry->since > version)
            continue;
        if (!best || entry->since > best->since || (entry->since == best->since && is_variant))
            best = entry;
    }
    if (best)
        *status = STATUS_FOUND;
    return best;
}

/* Not finding a function is an error only where there is no place to say so. A static runtime tries its luck
 * with an empty name, of which there is nothing to tell. */
static RtError get_address(const char *symbol, void **function, int version, uint64_t flags, int *status)
{
    int found;
    NEED(symbol);
    NEED(function);
    const Entry *entry = find(symbol, version, flags & FLAG_PER_THREAD, &found);
    *function = entry ? (void *)(uintptr_t)entry->function : NULL;
    if (status)
        *status = found;
    if (entry || status)
        return RT_SUCCESS;
    if (!*symbol)
        return RT_SYMBOL_NOT_FOUND;
    return found == STATUS_TOO_OLD ? rt_fail(RT_SYMBOL_NOT_FOUND, "CUDA %d had no %s.", version, symbol)
                                   : rt_fail(RT_SYMBOL_NOT_FOUND, "There is no driver function %s.", symbol);
}

EXPORT int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status)
{
    rt_enter_always(__func__);
    return libcuda_leave(get_address(symbol, function, version, flags, status));
}

EXPORT int cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags)
{
    rt_enter_always(__func__);
    return libcuda_leave(get_address(symbol, function, version, flags, NULL));
}

/* For programs built for per-thread default streams, which want the like of everything. */
EXPORT int cuGetProcAddress_v2_ptsz(const char *symbol, void **function, int version, uint64_t flags,
                                    int *status)
{
    rt_enter_always(__func__);
    return libcuda_leave(get_address(symbol, function, version, flags | FLAG_PER_THREAD, status));
}
